// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable_text.hpp"

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace ascendsim {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Bytes of the character that `text` starts with; 0 if it is not UTF-8, of which table 3-7 of the Unicode
/// standard lists the well-formed sequences, or a control character (C0, DEL, C1).
std::size_t printed_length(std::string_view text) {
    const std::uint32_t lead = byte_at(text, 0);
    if (lead < 0x80) {
        return lead < 0x20 || lead == 0x7F ? 0 : 1;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    const std::uint32_t next = byte_at(text, 1);
    const bool control = lead == 0xC2 && next < 0xA0;
    const bool longer_than_needed = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
    const bool surrogate = lead == 0xED && next >= 0xA0;
    const bool beyond_unicode = lead == 0xF4 && next >= 0x90;
    return control || longer_than_needed || surrogate || beyond_unicode ? 0 : length;
}

std::string escaped(std::string_view text, std::string_view kept) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        std::size_t length = printed_length(text);
        if (length == 0 && kept.find(text.front()) != std::string_view::npos) {
            length = 1;
        }
        if (length == 0) {
            result += fmt::format("\\x{:02x}", byte_at(text, 0));
            length = 1;
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return result;
}

}  // namespace

std::string printable(std::string_view name) {
    return escaped(name, "");
}

std::string printable_lines(std::string_view text) {
    return escaped(text, "\n");
}

}  // namespace ascendsim
