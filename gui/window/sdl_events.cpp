// SPDX-License-Identifier: Apache-2.0
#include "gui/window/sdl_events.hpp"

#include <algorithm>
#include <array>

#include <SDL.h>

namespace ascendsim::gui {
namespace {

struct KeyRow {
    SDL_Keycode sdl;
    Key key;
};

constexpr std::array key_rows{KeyRow{SDLK_ESCAPE, Key::escape},
                              KeyRow{SDLK_RETURN, Key::enter},
                              KeyRow{SDLK_KP_ENTER, Key::enter},
                              KeyRow{SDLK_TAB, Key::tab},
                              KeyRow{SDLK_BACKSPACE, Key::backspace},
                              KeyRow{SDLK_INSERT, Key::insert},
                              KeyRow{SDLK_DELETE, Key::del},
                              KeyRow{SDLK_HOME, Key::home},
                              KeyRow{SDLK_END, Key::end},
                              KeyRow{SDLK_PAGEUP, Key::page_up},
                              KeyRow{SDLK_PAGEDOWN, Key::page_down},
                              KeyRow{SDLK_LEFT, Key::left},
                              KeyRow{SDLK_RIGHT, Key::right},
                              KeyRow{SDLK_UP, Key::up},
                              KeyRow{SDLK_DOWN, Key::down},
                              KeyRow{SDLK_LCTRL, Key::control},
                              KeyRow{SDLK_RCTRL, Key::control},
                              KeyRow{SDLK_LSHIFT, Key::shift},
                              KeyRow{SDLK_RSHIFT, Key::shift},
                              KeyRow{SDLK_LALT, Key::alt},
                              KeyRow{SDLK_RALT, Key::alt},
                              KeyRow{SDLK_LGUI, Key::super},
                              KeyRow{SDLK_RGUI, Key::super},
                              KeyRow{SDLK_KP_PLUS, key_of('=')},
                              KeyRow{SDLK_KP_MINUS, key_of('-')}};

Key key_from(SDL_Keycode code) {
    const auto found = std::ranges::find(key_rows, code, &KeyRow::sdl);
    if (found != key_rows.end()) {
        return found->key;
    }
    if (code >= SDLK_F1 && code <= SDLK_F12) {
        return static_cast<Key>(static_cast<int>(Key::f1) + (code - SDLK_F1));
    }
    if (code >= SDLK_KP_1 && code <= SDLK_KP_9) {
        return key_of(static_cast<char>('1' + (code - SDLK_KP_1)));
    }
    return code >= ' ' && code <= '~' ? key_of(static_cast<char>(code)) : Key::none;
}

std::optional<unsigned> button_from(unsigned sdl) {
    switch (sdl) {
        case SDL_BUTTON_LEFT:
            return 0;
        case SDL_BUTTON_RIGHT:
            return 1;
        case SDL_BUTTON_MIDDLE:
            return 2;
        default:
            return std::nullopt;
    }
}

std::optional<InputEvent> key_event(const SDL_KeyboardEvent& event) {
    const Key key = key_from(event.keysym.sym);
    return key == Key::none ? std::nullopt
                            : std::optional<InputEvent>{KeyChange{key, event.type == SDL_KEYDOWN}};
}

std::optional<InputEvent> window_event(const SDL_WindowEvent& event) {
    switch (event.event) {
        case SDL_WINDOWEVENT_FOCUS_GAINED:
            return FocusChange{true};
        case SDL_WINDOWEVENT_FOCUS_LOST:
            return FocusChange{false};
        case SDL_WINDOWEVENT_LEAVE:
            return MouseMove{{-1, -1}};
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<InputEvent> translate(const SDL_Event& event, float pixels) {
    switch (event.type) {
        case SDL_MOUSEMOTION:
            return MouseMove{
                {static_cast<float>(event.motion.x) * pixels, static_cast<float>(event.motion.y) * pixels}};
        case SDL_MOUSEBUTTONDOWN:
        case SDL_MOUSEBUTTONUP:
            if (const std::optional<unsigned> button = button_from(event.button.button)) {
                return MouseButton{*button, event.type == SDL_MOUSEBUTTONDOWN};
            }
            return std::nullopt;
        case SDL_MOUSEWHEEL:
            return MouseWheel{event.wheel.preciseX, event.wheel.preciseY};
        case SDL_KEYDOWN:
        case SDL_KEYUP:
            return key_event(event.key);
        case SDL_TEXTINPUT:
            return TextInput{static_cast<const char*>(event.text.text)};
        case SDL_WINDOWEVENT:
            return window_event(event.window);
        default:
            return std::nullopt;
    }
}

}  // namespace ascendsim::gui
