// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::size_t max_shown = 60;      // characters of a value in a message
constexpr std::size_t max_compared = 100;  // longer names are misspellings of nothing
constexpr std::size_t max_listed = 12;     // known names in a message

bool is_bare(std::string_view key) {
    return !key.empty() &&
           std::ranges::all_of(key, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

}  // namespace

std::string in_quotes(std::string_view text) {
    std::size_t length = std::min(text.size(), max_shown);
    while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80) {
        --length;  // never cut inside a UTF-8 character
    }
    std::string result{'"'};
    for (const char c : text.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    return result + (length < text.size() ? "…\"" : "\"");
}

std::string joined_path(std::string_view path, std::string_view key) {
    const std::string shown = is_bare(key) && key.size() <= max_compared ? std::string{key} : in_quotes(key);
    return path.empty() ? shown : fmt::format("{}.{}", path, shown);
}

std::string unknown_name(std::string_view what,
                         std::string_view name,
                         const std::vector<std::string>& known) {
    const std::string hint = name.size() > max_compared ? std::string{} : nearest_hint(name, known);
    if (!hint.empty() || known.empty()) {
        return fmt::format("unknown {}{}", what, hint);
    }
    std::vector<std::string> listed{
        known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), max_listed))};
    return fmt::format(
        "unknown {}, known: {}{}", what, fmt::join(listed, ", "), known.size() > max_listed ? ", …" : "");
}

}  // namespace ascendsim
