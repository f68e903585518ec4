// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/elide.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace ascendsim::gui {
namespace {

constexpr std::string_view cut_mark = "\u2026";

bool goes_on(char byte) {  // a character that began before it
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

/// Where the characters of a text begin.
std::vector<std::size_t> characters(std::string_view text) {
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!goes_on(text[i])) {
            starts.push_back(i);
        }
    }
    return starts;
}

bool is_digit(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

/// A digit, or a sign between two, as in "1,234.5".
bool of_number(std::string_view text, std::size_t at) {
    const bool sign = at > 0 && at < text.size() && (text[at] == '.' || text[at] == ',');
    return is_digit(text, at) || (sign && is_digit(text, at - 1) && is_digit(text, at + 1));
}

/// Whether a number goes on across a place in a text: a part of it would read as another number.
bool splits_number(std::string_view text, std::size_t at) {
    return at > 0 && of_number(text, at - 1) && of_number(text, at);
}

/// The largest number of characters between `fits` and `beyond` with which `cut` is no wider than `width`;
/// `fits` if there is none.
template <class Cut>
std::size_t most_that_fit(const FontSet& fonts,
                          TextStyle style,
                          float width,
                          std::size_t fits,
                          std::size_t beyond,
                          const Cut& cut) {
    while (fits + 1 < beyond) {
        const std::size_t middle = (fits + beyond) / 2;
        (fonts.measure(cut(middle), style).x <= width ? fits : beyond) = middle;
    }
    return fits;
}

/// Which character of `text` is the first that is not that of `other`; the last one if `other` goes on behind
/// it.
std::size_t first_difference(std::string_view text,
                             const std::vector<std::size_t>& starts,
                             std::string_view other) {
    const auto same = static_cast<std::size_t>(
        std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first - text.begin());
    const auto behind = std::ranges::upper_bound(starts, std::min(same, text.size() - 1));
    return static_cast<std::size_t>(behind - starts.begin()) - 1;
}

bool in_word(char byte) {
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || static_cast<unsigned char>(byte) >= 0x80U;
}

/// A text of which some characters are shown, with a mark wherever others are left out.
class Excerpt {
public:
    Excerpt(const FontSet& fonts, std::string_view text, TextStyle style, float width)
        : fonts_{fonts},
          text_{text},
          style_{style},
          width_{width},
          starts_{characters(text)},
          shown_(starts_.size(), false) {}

    [[nodiscard]] const std::vector<std::size_t>& starts() const { return starts_; }

    void show(std::size_t n) { shown_[n] = true; }

    /// Shows a character if it fits, or already did.
    bool add(std::size_t n) {
        if (!shown_[n]) {
            shown_[n] = true;
            shown_[n] = fits();
        }
        return shown_[n];
    }

    /// As much of the word around a character as fits.
    void add_word(std::size_t at) {
        for (std::size_t n = at + 1; n < starts_.size() && in_word(text_[starts_[n]]) && add(n); ++n) {
        }
        for (std::size_t n = at; n > 0 && in_word(text_[starts_[n - 1]]) && add(n - 1); --n) {
        }
    }

    /// As much from both ends as fits.
    void add_ends() {
        bool from_head = true;
        bool from_tail = true;
        std::size_t head = 0;
        for (std::size_t tail = starts_.size(); head < tail && (from_head || from_tail);) {
            from_head = from_head && add(head);
            head += from_head ? 1 : 0;
            from_tail = from_tail && head < tail && add(tail - 1);
            tail -= from_tail ? 1 : 0;
        }
    }

    /// Hides parts of numbers but for the places that must be seen.
    void hide_parts_of_numbers(const std::set<std::size_t>& places) {
        const auto hide = [&](std::size_t n) { shown_[n] = shown_[n] && places.contains(n); };
        for (std::size_t n = 1; n < starts_.size(); ++n) {  // whose beginning is hidden
            if (!shown_[n - 1] && splits_number(text_, starts_[n])) {
                hide(n);
            }
        }
        for (std::size_t n = starts_.size() - 1; n > 0; --n) {  // and whose end is
            if (!shown_[n] && splits_number(text_, starts_[n])) {
                hide(n - 1);
            }
        }
    }

    [[nodiscard]] bool fits() const { return fonts_.measure(text(), style_).x <= width_; }

    [[nodiscard]] std::string text() const {
        std::string all;
        for (std::size_t n = 0; n < starts_.size(); ++n) {
            const std::size_t end = n + 1 < starts_.size() ? starts_[n + 1] : text_.size();
            if (shown_[n]) {
                all += text_.substr(starts_[n], end - starts_[n]);
            } else if (n == 0 || shown_[n - 1]) {
                all += cut_mark;
            }
        }
        return all;
    }

private:
    const FontSet& fonts_;
    std::string_view text_;
    TextStyle style_;
    float width_;
    std::vector<std::size_t> starts_;
    std::vector<bool> shown_;  // of the characters
};

}  // namespace

std::string without_middle(const FontSet& fonts, std::string_view text, TextStyle style, float width) {
    if (fonts.measure(text, style).x <= width) {
        return std::string{text};
    }
    const std::vector<std::size_t> starts = characters(text);
    const auto cut = [&](std::size_t kept) {
        std::size_t head = starts[(kept + 1) / 2];
        std::size_t tail = starts[starts.size() - kept / 2];
        while (splits_number(text, head)) {
            --head;
        }
        while (splits_number(text, tail)) {
            ++tail;
        }
        return fmt::format("{}{}{}", text.substr(0, head), cut_mark, text.substr(tail));
    };
    const std::size_t fits =
        most_that_fit(fonts, style, width, 1, std::min<std::size_t>(starts.size(), 500), cut);
    return fits < 2 ? std::string{} : cut(fits);
}

std::string with_differences(const FontSet& fonts,
                             std::string_view text,
                             std::span<const std::string_view> others,
                             TextStyle style,
                             float width) {
    if (text.empty() || fonts.measure(text, style).x <= width) {
        return std::string{text};
    }
    Excerpt excerpt{fonts, text, style, width};
    std::set<std::size_t> places;
    for (const std::string_view other : others) {
        if (other != text) {
            places.insert(first_difference(text, excerpt.starts(), other));
        }
    }
    if (places.empty()) {
        return without_middle(fonts, text, style, width);
    }
    for (const std::size_t place : places) {
        excerpt.show(place);
    }
    if (!excerpt.fits()) {
        return without_middle(fonts, text.substr(excerpt.starts()[*places.begin()]), style, width);
    }
    for (const std::size_t place : places) {
        excerpt.add_word(place);
    }
    excerpt.add_ends();
    excerpt.hide_parts_of_numbers(places);
    return excerpt.text();
}

std::string told_apart(
    const FontSet& fonts, std::string_view text, std::string_view other, TextStyle style, float width) {
    std::string shown = without_middle(fonts, text, style, width);
    if (text == other || shown != without_middle(fonts, other, style, width)) {
        return shown;
    }
    return with_differences(fonts, text, {&other, 1}, style, width);
}

std::vector<std::string> all_told_apart(const FontSet& fonts,
                                        std::span<const std::string_view> names,
                                        TextStyle style,
                                        float width) {
    std::vector<std::string> shown;
    for (const std::string_view name : names) {
        shown.push_back(without_middle(fonts, name, style, width));
    }
    // What tells apart those that look alike can make them look like others: these join them, until none do.
    std::map<std::string_view, std::set<std::string_view>> alike;  // names that one looked like, at any time
    for (bool changes = true; changes;) {
        changes = false;
        std::map<std::string, std::set<std::string_view>> looks;  // of names that are cut
        for (std::size_t n = 0; n < names.size(); ++n) {
            if (shown[n] != names[n]) {
                looks[shown[n]].insert(names[n]);
            }
        }
        for (std::size_t n = 0; n < names.size(); ++n) {
            const auto look = shown[n] == names[n] ? looks.end() : looks.find(shown[n]);
            if (look == looks.end() || look->second.size() == 1) {
                continue;
            }
            std::set<std::string_view>& others = alike[names[n]];
            const std::size_t before = others.size();
            others.insert(look->second.begin(), look->second.end());
            if (others.size() > before) {
                const std::vector<std::string_view> all{others.begin(), others.end()};
                shown[n] = with_differences(fonts, names[n], all, style, width);
                changes = true;
            }
        }
    }
    return shown;
}

}  // namespace ascendsim::gui
