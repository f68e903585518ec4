// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/utf8.hpp"

#include <bit>

namespace ascendsim::gui {

void Utf8::Iterator::decode() {
    length_ = rest_.empty() ? 0 : 1;
    code_ = 0xfffd;
    if (rest_.empty()) {
        return;
    }
    const auto first = static_cast<unsigned char>(rest_[0]);
    const int ones = std::countl_one(first);
    if (ones == 0) {
        code_ = first;
        return;
    }
    const auto length = static_cast<std::size_t>(ones);
    if (ones == 1 || ones > 4 || rest_.size() < length) {
        return;
    }
    std::uint32_t code = first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(rest_[i]);
        if ((next & 0xc0U) != 0x80U) {
            return;
        }
        code = (code << 6U) | (next & 0x3fU);
    }
    code_ = code;
    length_ = length;
}

void append_utf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    const auto follow = [&](unsigned shift) { put(0x80U | ((code >> shift) & 0x3fU)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0U | (code >> 6U));
        follow(0);
    } else if (code < 0x10000) {
        put(0xe0U | (code >> 12U));
        follow(6);
        follow(0);
    } else {
        put(0xf0U | (code >> 18U));
        follow(12);
        follow(6);
        follow(0);
    }
}

}  // namespace ascendsim::gui
