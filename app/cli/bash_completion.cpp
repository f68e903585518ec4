// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command_table.hpp"

namespace ascendsim::cli {
namespace {

/// What the script offers where a value of this name, or a positional, is due: a word of _ascendsim_offer.
std::string_view offered(std::string_view name) {
    struct Rule {
        std::string_view name;
        std::string_view offer;
    };

    static constexpr std::array rules{Rule{"CHIP", "chips"},
                                      Rule{"SCENARIO", "scenarios"},
                                      Rule{"RUN", "scenarios"},
                                      Rule{"A", "scenarios"},
                                      Rule{"B", "scenarios"},
                                      Rule{"DIR", "folders"},
                                      Rule{"FILE", "files"},
                                      Rule{"HEADER", "files"},
                                      Rule{"SOURCE", "files"},
                                      Rule{"KERNEL.cpp", "files"},
                                      Rule{"WORD", "files"}};
    const auto* const rule = std::ranges::find(rules, name, &Rule::name);
    return rule == rules.end() ? std::string_view{"nothing"} : rule->offer;
}

std::string quoted(const std::vector<std::string>& words) {
    return fmt::format("'{}'", fmt::join(words, " "));
}

/// The branch of one command: its options' values, its options, its positionals.
std::string branch_of(const CommandEntry& command) {
    std::string values;
    std::vector<std::string> names{"--help"};
    std::string positionals;
    for (const DeclaredOption& option : command.options) {
        if (option.is_positional()) {
            positionals += option.words.empty()
                               ? fmt::format("            _ascendsim_offer {}\n", offered(option.name))
                               : fmt::format("            _ascendsim_words {}\n", quoted(option.words));
            continue;
        }
        names.push_back(option.name);
        if (!option.value_name.empty()) {
            values += fmt::format("                {}) _ascendsim_offer {}; return ;;\n",
                                  option.name,
                                  offered(option.value_name));
        }
    }
    return fmt::format(
        "        {})\n{}            if [[ $word == -* ]]; then _ascendsim_words {}; return; fi\n{}           "
        " "
        ";;\n",
        command.name,
        values.empty() ? "" : "            case $before in\n" + values + "            esac\n",
        quoted(names),
        positionals);
}

constexpr std::string_view beginning =
    R"sh(# bash completion of ascendsim, written by 'ascendsim completion bash'.

# Adds those of the words that begin like the one at the cursor.
_ascendsim_words() {
    local match
    while IFS= read -r match; do COMPREPLY+=("$match"); done < <(compgen -W "$1" -- "$word")
}

# Adds what can stand at the cursor; names of chips and scenarios come from the program itself.
_ascendsim_offer() {
    local match
    case $1 in
        chips) _ascendsim_words "$("$program" list chips 2>/dev/null | cut -d ' ' -f 1)" ;;
        scenarios)
            _ascendsim_words "$("$program" list scenarios 2>/dev/null | cut -d ' ' -f 1)"
            _ascendsim_offer files
            ;;
        files)
            compopt -o filenames 2>/dev/null
            while IFS= read -r match; do COMPREPLY+=("$match"); done < <(compgen -f -- "$word")
            ;;
        folders)
            compopt -o filenames 2>/dev/null
            while IFS= read -r match; do COMPREPLY+=("$match"); done < <(compgen -d -- "$word")
            ;;
    esac
}

_ascendsim() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    # --option=value comes as three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
)sh";

}  // namespace

std::string bash_completion(const std::vector<CommandEntry>& table) {
    std::vector<std::string> names;
    std::string branches;
    for (const CommandEntry& command : table) {
        names.push_back(command.name);
        branches += branch_of(command);
    }
    names.insert(names.end(), {"--help", "--version"});
    return fmt::format(
        "{}    if ((COMP_CWORD == 1)); then _ascendsim_words {}; return; fi\n    case "
        "${{COMP_WORDS[1]}} in\n"
        "{}    esac\n}}\n\ncomplete -F _ascendsim ascendsim\n",
        beginning,
        quoted(names),
        branches);
}

}  // namespace ascendsim::cli
