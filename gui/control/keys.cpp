// SPDX-License-Identifier: Apache-2.0
#include "gui/control/keys.hpp"

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::gui {
namespace {

struct KeyName {
    std::string_view name;
    Key key;
};

constexpr std::array names{KeyName{"Esc", Key::escape},     KeyName{"Enter", Key::enter},
                           KeyName{"Tab", Key::tab},        KeyName{"Backspace", Key::backspace},
                           KeyName{"Insert", Key::insert},  KeyName{"Delete", Key::del},
                           KeyName{"Home", Key::home},      KeyName{"End", Key::end},
                           KeyName{"PageUp", Key::page_up}, KeyName{"PageDown", Key::page_down},
                           KeyName{"Left", Key::left},      KeyName{"Right", Key::right},
                           KeyName{"Up", Key::up},          KeyName{"Down", Key::down},
                           KeyName{"F1", Key::f1},          KeyName{"F2", Key::f2},
                           KeyName{"F3", Key::f3},          KeyName{"F4", Key::f4},
                           KeyName{"F5", Key::f5},          KeyName{"F6", Key::f6},
                           KeyName{"F7", Key::f7},          KeyName{"F8", Key::f8},
                           KeyName{"F9", Key::f9},          KeyName{"F10", Key::f10},
                           KeyName{"F11", Key::f11},        KeyName{"F12", Key::f12},
                           KeyName{"Space", key_of(' ')}};

/// Takes "Ctrl+" and the like off the front; false if there is none.
bool take_modifier(std::string_view& text, Modifiers& modifiers) {
    const std::size_t plus = text.find('+');
    if (plus == std::string_view::npos || plus == 0 || plus + 1 == text.size()) {
        return false;
    }
    const std::string_view word = text.substr(0, plus);
    bool* held = same_letters(word, "Ctrl")    ? &modifiers.control
                 : same_letters(word, "Shift") ? &modifiers.shift
                 : same_letters(word, "Alt")   ? &modifiers.alt
                                               : nullptr;
    if (held == nullptr) {
        return false;
    }
    *held = true;
    text.remove_prefix(plus + 1);
    return true;
}

}  // namespace

std::string to_string(Chord chord) {
    std::string text;
    text += chord.modifiers.control ? "Ctrl+" : "";
    text += chord.modifiers.alt ? "Alt+" : "";
    text += chord.modifiers.shift ? "Shift+" : "";
    const auto found = std::ranges::find(names, chord.key, &KeyName::key);
    if (found != names.end()) {
        return text.append(found->name);
    }
    return text + static_cast<char>(chord.key);
}

std::optional<Chord> parse_chord(std::string_view text) {
    Chord chord;
    while (take_modifier(text, chord.modifiers)) {
    }
    const auto found =
        std::ranges::find_if(names, [&](const KeyName& name) { return same_letters(name.name, text); });
    if (found != names.end()) {
        chord.key = found->key;
        return chord;
    }
    if (text.size() != 1 || text[0] <= ' ' || text[0] > '~') {
        return std::nullopt;
    }
    chord.key = key_of(text[0]);
    return chord;
}

std::vector<Chord> keys(std::initializer_list<std::string_view> texts) {
    std::vector<Chord> chords;
    for (const std::string_view text : texts) {
        const std::optional<Chord> chord = parse_chord(text);
        check(chord.has_value() || text.empty(), "'{}' is no key", text);
        if (chord) {
            chords.push_back(*chord);
        }
    }
    return chords;
}

std::optional<Chord> chord_of_character(std::uint32_t code) {
    constexpr std::string_view moving = "?";
    if (code < 0x80 && moving.find(static_cast<char>(code)) != std::string_view::npos) {
        return Chord{static_cast<Key>(code), {}};
    }
    return std::nullopt;
}

}  // namespace ascendsim::gui
