// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::gui {

/// A key of the keyboard: printable keys by their unshifted upper-case ASCII character, others from 256 on.
enum class Key : std::uint16_t {
    none = 0,
    escape = 256,
    enter,
    tab,
    backspace,
    insert,
    del,
    home,
    end,
    page_up,
    page_down,
    left,
    right,
    up,
    down,
    f1,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
    control,
    shift,
    alt,
    super,
    count,
};

[[nodiscard]] constexpr Key key_of(char printable) {
    return static_cast<Key>(printable >= 'a' && printable <= 'z' ? printable - 'a' + 'A' : printable);
}

struct Modifiers {
    bool control = false;
    bool shift = false;
    bool alt = false;

    friend bool operator==(Modifiers, Modifiers) = default;
};

/// A key with the modifiers that must be held, such as Ctrl+Shift+P.
struct Chord {
    Key key = Key::none;
    Modifiers modifiers;

    friend bool operator==(Chord, Chord) = default;
};

/// "Ctrl+Shift+P", "Alt+.", "Home", "?".
[[nodiscard]] std::string to_string(Chord chord);
/// The reverse of to_string(); upper and lower case are the same. Nothing if a name is unknown.
[[nodiscard]] std::optional<Chord> parse_chord(std::string_view text);
/// Chords written as in the help; empty texts are left out. The lists are ours, so a mistake in one is a
/// defect.
[[nodiscard]] std::vector<Chord> keys(std::initializer_list<std::string_view> texts);
/// The chord a typed character stands for on any keyboard layout, for signs that move between layouts such as
/// "?".
[[nodiscard]] std::optional<Chord> chord_of_character(std::uint32_t code);

}  // namespace ascendsim::gui
