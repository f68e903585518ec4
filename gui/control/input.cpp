// SPDX-License-Identifier: Apache-2.0
#include "gui/control/input.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <imgui.h>

#include "gui/canvas/utf8.hpp"

namespace ascendsim::gui {
namespace {

struct KeyRow {
    ImGuiKey imgui;
    Key key;
};

constexpr std::array key_map{KeyRow{ImGuiKey_Tab, Key::tab},
                             KeyRow{ImGuiKey_LeftArrow, Key::left},
                             KeyRow{ImGuiKey_RightArrow, Key::right},
                             KeyRow{ImGuiKey_UpArrow, Key::up},
                             KeyRow{ImGuiKey_DownArrow, Key::down},
                             KeyRow{ImGuiKey_PageUp, Key::page_up},
                             KeyRow{ImGuiKey_PageDown, Key::page_down},
                             KeyRow{ImGuiKey_Home, Key::home},
                             KeyRow{ImGuiKey_End, Key::end},
                             KeyRow{ImGuiKey_Insert, Key::insert},
                             KeyRow{ImGuiKey_Delete, Key::del},
                             KeyRow{ImGuiKey_Backspace, Key::backspace},
                             KeyRow{ImGuiKey_Space, key_of(' ')},
                             KeyRow{ImGuiKey_Enter, Key::enter},
                             KeyRow{ImGuiKey_Escape, Key::escape},
                             KeyRow{ImGuiKey_A, key_of('A')},
                             KeyRow{ImGuiKey_C, key_of('C')},
                             KeyRow{ImGuiKey_V, key_of('V')},
                             KeyRow{ImGuiKey_X, key_of('X')},
                             KeyRow{ImGuiKey_Y, key_of('Y')},
                             KeyRow{ImGuiKey_Z, key_of('Z')}};

static_assert(static_cast<int>(Key::count) <= 512, "Dear ImGui has room for 512 keys");

bool is_modifier(Key key) {
    return key >= Key::control && key <= Key::super;
}

}  // namespace

/// What the frame in the making already holds.
struct InputAdapter::FrameUse {
    bool wheel = false;
    bool text = false;
    std::array<bool, 3> buttons{};
    std::vector<Key> keys;

    [[nodiscard]] bool any_button() const { return std::ranges::count(buttons, true) > 0; }
};

InputAdapter::InputAdapter(ImGuiIO& io) {
    for (const KeyRow row : key_map) {
        io.KeyMap[row.imgui] = static_cast<int>(row.key);
    }
    io.BackendPlatformName = "ascendsim events";
    io.MousePos = {-1, -1};
}

bool InputAdapter::fits(const InputEvent& event, const FrameUse& use) const {
    if (std::holds_alternative<MouseMove>(event)) {
        return !use.any_button() && !use.wheel;
    }
    if (const auto* button = std::get_if<MouseButton>(&event)) {
        return button->button >= use.buttons.size() || (!use.buttons.at(button->button) && !use.wheel);
    }
    if (std::holds_alternative<MouseWheel>(event)) {
        return !use.any_button();
    }
    if (const auto* key = std::get_if<KeyChange>(&event)) {
        const bool seen = std::ranges::find(use.keys, key->key) != use.keys.end();
        const bool blocked_modifier = is_modifier(key->key) && (use.any_button() || !use.keys.empty());
        return !seen && !use.wheel && !use.text && !blocked_modifier;
    }
    return true;
}

void InputAdapter::feed(ImGuiIO& io) {
    FrameUse use;
    pressed_.clear();
    io.MouseWheel = 0;
    io.MouseWheelH = 0;
    while (!queue_.empty() && fits(queue_.front(), use)) {
        apply(io, queue_.front(), use);
        queue_.pop_front();
    }
    io.KeyCtrl = modifiers_.control;
    io.KeyShift = modifiers_.shift;
    io.KeyAlt = modifiers_.alt;
    io.KeySuper = false;
}

void InputAdapter::apply_key(ImGuiIO& io, const KeyChange& change) {
    bool& held = io.KeysDown[static_cast<std::size_t>(change.key)];
    const bool repeated = held && change.down;
    held = change.down;
    if (change.key == Key::control) {
        modifiers_.control = change.down;
    } else if (change.key == Key::shift) {
        modifiers_.shift = change.down;
    } else if (change.key == Key::alt) {
        modifiers_.alt = change.down;
    } else if (change.down && change.key != Key::super) {
        pressed_.push_back({{change.key, modifiers_}, repeated});
    }
}

void InputAdapter::release_all(ImGuiIO& io) {
    std::ranges::fill(io.KeysDown, false);
    std::ranges::fill(io.MouseDown, false);
    modifiers_ = {};
}

void InputAdapter::apply(ImGuiIO& io, const InputEvent& event, FrameUse& use) {
    if (const auto* move = std::get_if<MouseMove>(&event)) {
        io.MousePos = {std::floor(move->place.x), std::floor(move->place.y)};
    } else if (const auto* button = std::get_if<MouseButton>(&event)) {
        if (button->button < use.buttons.size()) {
            use.buttons.at(button->button) = true;
            io.MouseDown[button->button] = button->down;
        }
    } else if (const auto* wheel = std::get_if<MouseWheel>(&event)) {
        use.wheel = true;
        io.MouseWheel += wheel->up;
        io.MouseWheelH += wheel->right;
    } else if (const auto* key = std::get_if<KeyChange>(&event)) {
        if (key->key < Key::count) {
            use.keys.push_back(key->key);
            apply_key(io, *key);
        }
    } else if (const auto* text = std::get_if<TextInput>(&event)) {
        use.text = true;
        io.AddInputCharactersUTF8(text->text.c_str());
        for (const std::uint32_t code : Utf8{text->text}) {
            if (const std::optional<Chord> chord = chord_of_character(code)) {
                pressed_.push_back({*chord, false});
            }
        }
    } else if (const auto* focus = std::get_if<FocusChange>(&event); focus != nullptr && !focus->focused) {
        release_all(io);
    }
}

}  // namespace ascendsim::gui
