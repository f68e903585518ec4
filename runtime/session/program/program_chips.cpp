// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_chips.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string>

namespace ascendsim::runtime {
namespace {

bool in_name(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.remove_prefix(1);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
    }
    return text;
}

/// The place of `name` as a word of its own, from `from` on.
std::size_t find_word(std::string_view source, std::string_view name, std::size_t from) {
    for (std::size_t at = source.find(name, from); at != std::string_view::npos;
         at = source.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || !in_name(source[at - 1]);
        if (begins && (end == source.size() || !in_name(source[end]))) {
            return at;
        }
    }
    return std::string_view::npos;
}

/// Argument number `number` of the call whose bracket opens at `open`; empty if it has none.
std::string_view argument(std::string_view source, std::size_t open, std::uint32_t number) {
    std::size_t begin = open + 1;
    std::int32_t depth = 0;
    for (std::size_t at = open + 1; at < source.size(); ++at) {
        const char letter = source[at];
        const bool ends = depth == 0 && (letter == ',' || letter == ')');
        depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
        if (ends && number == 0) {
            return without_spaces(source.substr(begin, at - begin));
        }
        if (ends && letter == ')') {
            return {};
        }
        if (ends) {
            --number;
            begin = at + 1;
        }
    }
    return {};
}

/// True if wherever the source gives `name` a value, it is 0, and it does so somewhere.
bool always_zero(std::string_view source, std::string_view name) {
    bool given = false;
    for (std::size_t at = find_word(source, name, 0); at != std::string_view::npos;
         at = find_word(source, name, at + 1)) {
        const std::string_view before = without_spaces(source.substr(0, at));
        const std::string_view behind = without_spaces(source.substr(at + name.size()));
        const bool counted = before.ends_with("++") || before.ends_with("--") || before.ends_with(">>") ||
                             before.ends_with("&") || behind.starts_with("++") || behind.starts_with("--");
        const bool changed = behind.size() > 1 && behind[1] == '=' &&
                             std::string_view{"+-*|^"}.find(behind[0]) != std::string_view::npos;
        if (counted || changed) {
            return false;
        }
        if (behind.starts_with("==")) {
            continue;
        }
        if (behind.starts_with("=") || behind.starts_with("{")) {
            const std::string_view value = without_spaces(behind.substr(1));
            if (!value.starts_with("0") || (value.size() > 1 && (in_name(value[1]) || value[1] == '.'))) {
                return false;
            }
            given = true;
        }
    }
    return given;
}

}  // namespace

bool selects_other_devices(std::string_view source) {
    struct Call {
        std::string_view name;
        std::uint32_t argument;
    };

    for (const Call call : {Call{"aclrtSetDevice", 0}, Call{"aclrtCreateContext", 1}}) {
        for (std::size_t at = find_word(source, call.name, 0); at != std::string_view::npos;
             at = find_word(source, call.name, at + 1)) {
            const std::size_t open = source.find_first_not_of(" \t\n", at + call.name.size());
            if (open == std::string_view::npos || source[open] != '(') {
                continue;
            }
            const std::string_view device = argument(source, open, call.argument);
            if (device != "0" &&
                (device.empty() || !std::ranges::all_of(device, in_name) || !always_zero(source, device))) {
                return true;
            }
        }
    }
    return find_word(source, "HcclCommInitAll", 0) != std::string_view::npos;
}

std::uint32_t chips_of(const HostProgram& program) {
    for (const std::filesystem::path& file : program.sources.files) {
        std::ifstream stream{file};
        std::stringstream text;
        text << stream.rdbuf();
        if (selects_other_devices(text.str())) {
            return std::clamp(program.node.size(), 1U, most_chips);
        }
    }
    return 1;
}

}  // namespace ascendsim::runtime
