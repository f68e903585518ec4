// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/command_table.hpp"

namespace ascendsim::cli {
namespace {

/// Text as roff takes it: dashes that can be copied, no line that begins with a request.
std::string roff(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '-') {
            result += "\\-";
        } else if (letter == '\\') {
            result += "\\e";
        } else {
            const bool line_begins = result.empty() || result.back() == '\n';
            result += line_begins && (letter == '.' || letter == '\'') ? "\\&" : "";
            result += letter;
        }
    }
    return result;
}

/// How a positional stands in the usage.
std::string usage_word(const DeclaredOption& option) {
    const std::string word = fmt::format(
        "\\fI{}\\fR{}", roff(option.name), option.kind == DeclaredOption::Kind::positionals ? "..." : "");
    return option.required ? word : "[" + word + "]";
}

/// What stands above the meaning of an option.
std::string title_of(const DeclaredOption& option) {
    if (option.is_positional()) {
        return usage_word(option);
    }
    std::string title = fmt::format("\\fB{}\\fR", roff(option.name));
    if (!option.value_name.empty()) {
        title += option.value_optional ? fmt::format(" [\\fI{}\\fR]", roff(option.value_name))
                                       : fmt::format(" \\fI{}\\fR", roff(option.value_name));
    }
    return option.kind == DeclaredOption::Kind::list ? title + " ..." : title;
}

std::string section_of(const CommandEntry& command) {
    std::string usage = fmt::format("\\fBascendsim {}\\fR", command.name);
    std::string options;
    bool optional_values = false;
    bool flags = false;
    for (const DeclaredOption& option : command.options) {
        usage += option.is_positional() ? " " + usage_word(option) : "";
        flags = flags || !option.is_positional();
        optional_values = optional_values || option.value_optional;
        options += fmt::format(".TP\n{}\n{}\n", title_of(option), roff(option.meaning));
    }
    return fmt::format(".SS {}\n{}.\n.PP\n{}{}\n{}{}",
                       command.name,
                       roff(command.meaning),
                       usage,
                       flags ? " [options]" : "",
                       options,
                       optional_values ? ".PP\nWithout a file name, or with \\-, an output goes to standard "
                                         "output, and nothing else does.\n"
                                       : "");
}

constexpr std::string_view closing = R"(.SH EXIT STATUS
.TP
0
The command did what was asked.
.TP
1
A check failed.
.TP
2
The input is wrong: the message names file, line and allowed values.
.TP
3
The kernel is wrong: deadlock, access out of bounds, race, misaligned access or crash.
.TP
4
A defect of AscendSim.
.SH ENVIRONMENT
.TP
XDG_CACHE_HOME
The folder that holds
.IR ascendsim ,
where compiled kernels and recordings of the last runs are kept. Without it they are in
.IR ~/.cache/ascendsim .
.TP
NO_COLOR
If it is set, reports are printed without colours.
.TP
PATH
Kernels are compiled with the first
.B clang++
found there.
.SH SEE ALSO
.BR clang (1)
.PP
.B ascendsim doctor
tells what is missing on this machine.
)";

}  // namespace

std::string manual_page(const std::vector<CommandEntry>& table, std::string_view release) {
    std::string text = fmt::format(
        ".TH ASCENDSIM 1 \"\" \"AscendSim {}\" \"User Commands\"\n"
        ".SH NAME\nascendsim \\- run Ascend C kernels on a simulated Ascend chip\n"
        ".SH SYNOPSIS\n.B ascendsim\n.I command\n[\\fIarguments\\fR] [\\fIoptions\\fR]\n.br\n"
        ".B ascendsim\n[\\fIcommand\\fR] \\fB\\-\\-help\\fR\n.br\n"
        ".B ascendsim \\-\\-version\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
        release,
        roff(program_meaning));
    for (const CommandEntry& command : table) {
        text += section_of(command);
    }
    return text + std::string{closing};
}

}  // namespace ascendsim::cli
