// SPDX-License-Identifier: Apache-2.0
#include "sim/base/harmless_text.hpp"

#include <cstddef>

namespace ascendsim {
namespace {

/// Length of a colour, "ESC [ 1 ; 31 m", that `text` starts with; 0 if it starts with something else.
std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) {
        return 0;
    }
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

bool is_control(char letter) {
    constexpr unsigned char first_printed = 0x20;
    constexpr unsigned char deleted = 0x7F;
    const auto byte = static_cast<unsigned char>(letter);
    return byte < first_printed || byte == deleted;
}

/// True if a line starts with `::` behind blanks and colours, which a runner may look past. Runners trim
/// what Unicode counts as blank; every letter beyond ASCII is taken for one here.
bool is_command(std::string_view line) {
    while (!line.empty()) {
        const std::size_t colour = colour_length(line);
        const auto first = static_cast<unsigned char>(line.front());
        constexpr unsigned char beyond_ascii = 0x80;
        if (colour == 0 && first != ' ' && first != '\t' && first < beyond_ascii) {
            break;
        }
        line.remove_prefix(colour == 0 ? 1 : colour);
    }
    return line.starts_with("::");
}

/// True if `text`, behind a "#", makes it "##[" or "##word[", which is a command anywhere in a line.
bool marks_command(std::string_view text) {
    if (!text.starts_with('#')) {
        return false;
    }
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
    return end != std::string_view::npos && text[end] == '[';
}

void add_line(std::string& result, std::string_view line) {
    bool command = is_command(line);
    while (!line.empty()) {
        const std::size_t colour = colour_length(line);
        if (colour > 0) {
            result += line.substr(0, colour);
            line.remove_prefix(colour);
            continue;
        }
        const char letter = line.front();
        line.remove_prefix(1);
        result += is_control(letter) && letter != '\t' ? '?' : letter;
        if ((letter == '#' && marks_command(line)) || (command && letter == ':')) {
            result += ' ';
            command = false;
        }
    }
}

}  // namespace

std::string harmless(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("\r\n");
        add_line(result, text.substr(0, end));
        if (end == std::string_view::npos) {
            break;
        }
        result +=
            '\n';  // also for a carriage return alone, which ends a line for some and hides it for others
        text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
    }
    return result;
}

}  // namespace ascendsim
