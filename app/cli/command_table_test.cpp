// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/cli/command.hpp"

namespace ascendsim::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Calls f(command, option as it is written) for all that the parser of the command line knows.
template <class F>
void for_each_parsed_option(F&& f) {
    CLI::App app;
    for (const NamedCommand& command : make_commands()) {
        CLI::App& sub = *app.add_subcommand(std::string{command.name});
        Options options{sub};
        command.command->declare(options);
        for (const CLI::Option* option : sub.get_options()) {
            for (const std::string& name : option->get_lnames()) {
                f(command.name, "--" + name);
            }
            for (const std::string& name : option->get_snames()) {
                if (name != "h") {
                    f(command.name, "-" + name);
                }
            }
        }
    }
}

/// The lines of the completion that belong to a command.
std::string branch(const std::string& script, std::string_view command) {
    const std::size_t begin = script.find(fmt::format("\n        {})\n", command));
    return begin == std::string::npos ? "" : script.substr(begin, script.find("\n        ;;", begin) - begin);
}

/// The same of the manual.
std::string section(const std::string& page, std::string_view command) {
    const std::size_t begin = page.find(fmt::format("\n.SS {}\n", command));
    return begin == std::string::npos ? "" : page.substr(begin, page.find("\n.S", begin + 1) - begin);
}

std::string with_escaped_dashes(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        result += letter == '-' ? "\\-" : std::string{letter};
    }
    return result;
}

TEST(CommandTable, EveryCommandAndOptionIsInTheManual) {
    const std::string page = manual_page(command_table(), "0.1.0");
    std::size_t options = 0;
    for_each_parsed_option([&](std::string_view command, const std::string& option) {
        if (option != "--help") {
            ++options;
            EXPECT_THAT(section(page, command),
                        HasSubstr(fmt::format("\n.TP\n\\fB{}\\fR", with_escaped_dashes(option))))
                << command;
        }
    });
    EXPECT_GT(options, 50U);
    for (const NamedCommand& command : make_commands()) {
        EXPECT_NE(section(page, command.name), "") << command.name;
    }
}

TEST(CommandTable, EveryCommandAndOptionIsCompleted) {
    const std::string script = bash_completion(command_table());
    for_each_parsed_option([&](std::string_view command, const std::string& option) {
        const std::string lines = branch(script, command);
        const std::size_t words = lines.find("-* ]]; then _ascendsim_words '");
        ASSERT_NE(words, std::string::npos) << command;
        std::string list = lines.substr(lines.find('\'', words) + 1);
        list = " " + list.substr(0, list.find('\'')) + " ";
        EXPECT_THAT(list, HasSubstr(" " + option + " ")) << command;
    });
}

TEST(CommandTable, AValueIsCompletedByItsKind) {
    const std::vector<CommandEntry> table{
        {.name = "make",
         .meaning = "Make it",
         .options = {{DeclaredOption::Kind::positional, "WHAT", {}, "what", true, false, {"tea", "coffee"}},
                     {DeclaredOption::Kind::value, "--chip", "CHIP", "whose"},
                     {DeclaredOption::Kind::output, "--out", "DIR", "where"},
                     {DeclaredOption::Kind::value, "--jobs", "N", "how many"},
                     {DeclaredOption::Kind::flag, "--quiet", {}, "say nothing"}}}};
    const std::string lines = branch(bash_completion(table), "make");
    EXPECT_THAT(lines, HasSubstr("--chip) _ascendsim_offer chips"));
    EXPECT_THAT(lines, HasSubstr("--out) _ascendsim_offer folders"));
    EXPECT_THAT(lines, HasSubstr("--jobs) _ascendsim_offer nothing"));
    EXPECT_THAT(lines, HasSubstr("_ascendsim_words 'tea coffee'"));
    EXPECT_THAT(lines, Not(HasSubstr("--quiet)")));
}

TEST(CommandTable, TheManualTellsValuesFromFlagsAndQuotesItsText) {
    const std::vector<CommandEntry> table{
        {.name = "make",
         .meaning = "Make it",
         .options = {{DeclaredOption::Kind::positionals, "FILE", {}, ".hidden ones, as a\\b", false},
                     {DeclaredOption::Kind::output, "--json", "FILE", "write JSON", false, true},
                     {DeclaredOption::Kind::list, "--set", "PATH=VALUE", "a value"},
                     {DeclaredOption::Kind::flag, "--dry-run", {}, "do nothing"}}}};
    const std::string text = section(manual_page(table, "1.2.3"), "make");
    EXPECT_THAT(text, HasSubstr("\\fBascendsim make\\fR [\\fIFILE\\fR...] [options]\n"));
    EXPECT_THAT(text, HasSubstr("\n\\&.hidden ones, as a\\eb\n"));
    EXPECT_THAT(text, HasSubstr("\\fB\\-\\-json\\fR [\\fIFILE\\fR]\n"));
    EXPECT_THAT(text, HasSubstr("\\fB\\-\\-set\\fR \\fIPATH=VALUE\\fR ...\n"));
    EXPECT_THAT(text, HasSubstr("\\fB\\-\\-dry\\-run\\fR\n"));
    EXPECT_THAT(text, HasSubstr("an output goes to standard output"));
}

}  // namespace
}  // namespace ascendsim::cli
