// SPDX-License-Identifier: Apache-2.0
#include "app/report/style.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ascendsim::report {

namespace {

constexpr std::size_t narrowest = 60;
constexpr std::size_t widest = 140;

bool starts_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}

std::string first_columns(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (starts_character(text[end]) && count-- == 0) {
            break;
        }
    }
    return std::string{text.substr(0, end)};
}

std::string last_columns(std::string_view text, std::size_t count) {
    std::size_t begin = text.size();
    while (begin > 0 && count > 0) {
        --begin;
        count -= starts_character(text[begin]) ? 1U : 0U;
    }
    return std::string{text.substr(begin)};
}

std::string cut(std::string_view text, std::size_t width) {
    if (columns(text) <= width || width < 3) {
        return std::string{text};
    }
    const std::size_t head = (width - 1) / 3;
    return first_columns(text, head) + "…" + last_columns(text, width - 1 - head);
}

std::string blanks(std::string_view text, std::size_t width) {
    const std::size_t taken = columns(text);
    return std::string(taken < width ? width - taken : 0, ' ');
}

/// A variable of the environment; empty if it is not set.
std::string_view value_of(const char* variable) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): only main() sets the environment, before anything is printed
    const char* const value = std::getenv(variable);
    return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

bool understands_controls() {
    return value_of("TERM") != "dumb";
}

Style Style::of_terminal(int file) {
    Style style;
    if (!value_of("CLICOLOR_FORCE").empty() && value_of("CLICOLOR_FORCE") != "0") {
        style.colour = true;
    }
    if (::isatty(file) == 0) {
        return style;
    }
    style.colour = style.colour || (value_of("NO_COLOR").empty() && understands_controls());
    winsize size{};
    if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        style.width = std::clamp<std::size_t>(size.ws_col, narrowest, widest);
    }
    return style;
}

std::string toned(const Style& style, Tone tone, std::string_view text) {
    constexpr std::array codes{"", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m"};
    if (!style.colour || tone == Tone::plain) {
        return std::string{text};
    }
    return fmt::format("{}{}\x1b[0m", codes[static_cast<std::size_t>(tone)], text);
}

std::string bar(double share, std::size_t width) {
    constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double clamped = std::clamp(share, 0.0, 1.0);
    const auto eighths = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width) * 8));
    std::string text;
    for (std::size_t i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    text += parts[eighths % 8];
    const std::size_t used = (eighths + 7) / 8;
    for (std::size_t i = used; i < width; ++i) {
        text += "·";
    }
    return text;
}

std::string time_text(double us) {
    if (us >= 1e6) {
        return fmt::format("{:.3f} s", us / 1e6);
    }
    if (us >= 1e3) {
        return fmt::format("{:.3f} ms", us / 1e3);
    }
    return us >= 1 ? fmt::format("{:.2f} us", us) : fmt::format("{:.0f} ns", us * 1e3);
}

std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, units[unit]);
}

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(at - 3, ",");
    }
    return text;
}

std::string figure_text(double value) {
    constexpr double exact = 0x1p53;  // above it a double skips whole numbers
    if (value != std::trunc(value) || std::abs(value) >= exact) {
        return fmt::format("{:.6g}", value);
    }
    return (value < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::abs(value)));
}

std::string percent_text(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size() - 1);
        } else {
            count += starts_character(text[i]) ? 1U : 0U;
        }
    }
    return count;
}

std::string left(std::string_view text, std::size_t width) {
    const std::string fitting = cut(text, width);
    return fitting + blanks(fitting, width);
}

std::string right(std::string_view text, std::size_t width) {
    const std::string fitting = cut(text, width);
    return blanks(fitting, width) + fitting;
}

void print_wrapped(
    std::ostream& out, const Style& style, const std::string& head, std::string_view text, Tone tone) {
    constexpr std::size_t least = 20;
    const std::size_t room = std::max(least, style.width - std::min(style.width, columns(head)));
    std::string begin = head;
    while (!text.empty()) {
        std::size_t end = text.size();
        if (columns(text) > room) {
            end = text.rfind(' ', room);
            end = end == std::string_view::npos || end == 0 ? std::min(room, text.size()) : end;
        }
        out << begin << toned(style, tone, text.substr(0, end)) << '\n';
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        begin.assign(columns(head), ' ');
    }
}

}  // namespace ascendsim::report
