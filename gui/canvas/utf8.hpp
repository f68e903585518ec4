// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ascendsim::gui {

/// The code points of a UTF-8 text, for range-for; a byte that starts nothing valid reads as U+FFFD.
class Utf8 {
public:
    explicit Utf8(std::string_view text) : text_{text} {}

    class Iterator {
    public:
        explicit Iterator(std::string_view rest) : rest_{rest} { decode(); }

        [[nodiscard]] std::uint32_t operator*() const { return code_; }

        Iterator& operator++() {
            rest_.remove_prefix(length_);
            decode();
            return *this;
        }

        friend bool operator==(const Iterator& a, const Iterator& b) {
            return a.rest_.size() == b.rest_.size();
        }

    private:
        void decode();

        std::string_view rest_;
        std::uint32_t code_ = 0;
        std::size_t length_ = 0;
    };

    [[nodiscard]] Iterator begin() const { return Iterator{text_}; }

    [[nodiscard]] Iterator end() const { return Iterator{text_.substr(text_.size())}; }

private:
    std::string_view text_;
};

/// Appends one code point as UTF-8.
void append_utf8(std::string& text, std::uint32_t code);

}  // namespace ascendsim::gui
