// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/auto_sync_option.hpp"
#include "app/cli/command.hpp"
#include "app/cli/command_table.hpp"
#include "app/cli/text_output.hpp"
#include "app/version/version.hpp"
#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/base/portable_arithmetic.hpp"

namespace ascendsim::cli {
namespace {

/// Words of the command line that look like a command but are none get the nearest name.
void check_command_word(const std::vector<std::string>& words, const std::vector<NamedCommand>& commands) {
    const std::size_t at = !words.empty() && words.front() == "help" ? 1 : 0;
    if (words.size() <= at || words[at].starts_with('-')) {
        return;
    }
    const std::string& word = words[at];
    std::vector<std::string> names{"help"};
    for (const NamedCommand& command : commands) {
        if (command.name == word || word == "help") {
            return;
        }
        names.emplace_back(command.name);
    }
    throw UserError{"'{}' is not a command{} (commands: {}; see ascendsim --help)",
                    word,
                    nearest_hint(word, names),
                    fmt::join(names, ", ")};
}

std::string see_help(const std::vector<std::string>& words) {
    return fmt::format(" (see ascendsim{} --help)",
                       words.empty() || words.front().starts_with('-') ? "" : " " + words.front());
}

/// "help" and "help run" as "--help" and "run --help".
std::vector<std::string> with_help_option(std::vector<std::string> words) {
    if (words.empty() || words.front() != "help") {
        return words;
    }
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
    return words;
}

/// Takes --color from the words, which holds for every command, and tells who prints. Throws UserError for
/// another value than auto, always and never.
std::vector<std::string> without_colour_option(const std::vector<std::string>& words) {
    constexpr std::string_view option = "--color";
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        if (word != option && !word.starts_with(std::string{option} + "=")) {
            rest.push_back(word);
            continue;
        }
        const bool apart = word == option;
        const std::string when = !apart                 ? word.substr(option.size() + 1)
                                 : i + 1 < words.size() ? words[i + 1]
                                                        : std::string{};
        i += apart ? 1 : 0;
        if (when != "auto" && when != "always" && when != "never") {
            throw UserError{"--color {}: must be one of auto, always, never{}",
                            when,
                            nearest_hint(when, {"auto", "always", "never"})};
        }
        if (when != "auto") {
            unsetenv(when == "never" ? "CLICOLOR_FORCE" : "NO_COLOR");
            setenv(when == "never" ? "NO_COLOR" : "CLICOLOR_FORCE", "1", 1);
        }
    }
    return rest;
}

/// ": did you mean --json?" for an option that a command does not have.
std::string option_hint(const CLI::App& app, const std::vector<DeclaredOption>& declared) {
    std::vector<std::string> names{"--help", "--color"};
    for (const DeclaredOption& option : declared) {
        if (!option.is_positional()) {
            names.push_back(option.name);
        }
    }
    for (const std::string& word : app.remaining(true)) {
        if (word.starts_with('-')) {
            return nearest_hint(word.substr(0, word.find('=')), names);
        }
    }
    return {};
}

/// Names of files are taken from there.
void check_working_folder() {
    std::error_code error;
    static_cast<void>(std::filesystem::current_path(error));
    if (error) {
        throw UserError{"the working directory is not there any more ({}); change to one that is",
                        error.message()};
    }
}

int run(int argc, char** argv) {
    std::vector<NamedCommand> commands = make_commands();
    std::vector<std::string> words = without_colour_option(std::vector<std::string>(argv + 1, argv + argc));
    check_command_word(words, commands);
    CLI::App app{std::string{program_meaning}, "ascendsim"};
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", "ascendsim " + version());
    app.footer(
        "  --color WHEN                colour what is printed: auto (in a terminal), always or never\n\n"
        "'ascendsim help COMMAND' tells what a command takes.\n");
    words = with_help_option(std::move(words));
    std::vector<OutputOption> outputs;
    std::vector<DeclaredOption> declared;
    for (const NamedCommand& command : commands) {
        CLI::App* sub =
            app.add_subcommand(std::string{command.name}, std::string{command.command->meaning()});
        Options options{*sub};
        command.command->declare(options);
        if (!words.empty() && words.front() == command.name) {
            const auto dashes = std::ranges::find(words, "--");
            if (options.behind_dashes() != nullptr && words.end() - dashes > 1) {
                *options.behind_dashes() = *std::next(dashes);
            }
            outputs = options.outputs();
            declared = options.declared();
        }
    }
    words = join_outputs(with_whole_sync_option(words), outputs);
    try {
        app.parse(std::vector<std::string>{words.rbegin(), words.rend()});  // taken from the back
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::RequiredError& error) {
        throw UserError{"{}{}{}", error.what(), taken_hint(outputs), see_help(words)};
    } catch (const CLI::ParseError& error) {
        throw UserError{"{}{}{}", error.what(), option_hint(app, declared), see_help(words)};
    }
    check_standard_output(outputs);
    check_working_folder();
    for (const NamedCommand& command : commands) {
        if (app.got_subcommand(std::string{command.name})) {
            return command.command->run(toolchain::Installation::find());
        }
    }
    return exit_user;
}

int guarded(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (...) {
        const std::exception_ptr failure = std::current_exception();
        std::fflush(stdout);
        complain(fmt::format("ascendsim: {}\n", runtime::message(failure)));
        return runtime::exit_code(failure);
    }
}

}  // namespace
}  // namespace ascendsim::cli

int main(int argc, char** argv) {
    ascendsim::use_portable_arithmetic(argv);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of the write
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // keeps machine-readable output clean
    int code = ascendsim::cli::guarded(argc, argv);
    ascendsim::toolchain::remove_private_cache();
    // A crashed kernel leaves threads that cannot be unwound, and a large simulation is released fastest by
    // the system.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && code == 0) {
        ascendsim::cli::complain("ascendsim: standard output: cannot be written\n");
        code = ascendsim::cli::exit_user;
    }
    std::fflush(stderr);
    _exit(code);
}
