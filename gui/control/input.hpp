// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "gui/canvas/geometry.hpp"
#include "gui/control/keys.hpp"

struct ImGuiIO;

namespace ascendsim::gui {

struct MouseMove {
    Point place;  ///< pixels
};

/// Button 0 is left, 1 right, 2 middle.
struct MouseButton {
    unsigned button = 0;
    bool down = false;
};

struct MouseWheel {
    float right = 0;  ///< steps
    float up = 0;
};

struct KeyChange {
    Key key = Key::none;
    bool down = false;
};

struct TextInput {
    std::string text;  ///< UTF-8
};

struct FocusChange {
    bool focused = true;
};

/// A chord that was pressed; `repeated` if the key was held already.
struct KeyPress {
    Chord chord;
    bool repeated = false;
};

using InputEvent = std::variant<MouseMove, MouseButton, MouseWheel, KeyChange, TextInput, FocusChange>;

/// Feeds Dear ImGui from events alone, never by asking the window system: pushed and scripted events act
/// exactly like real ones, with and without a display. Events that one frame cannot hold together wait for
/// the next one.
class InputAdapter {
public:
    /// Sets the key map; the adapter must then serve this context alone.
    explicit InputAdapter(ImGuiIO& io);

    void push(InputEvent event) { queue_.push_back(std::move(event)); }

    /// Applies as many events as fit one frame, in order. Call once before each NewFrame().
    void feed(ImGuiIO& io);

    [[nodiscard]] bool idle() const { return queue_.empty(); }

    /// The chords that were pressed in this frame, for the command table.
    [[nodiscard]] const std::vector<KeyPress>& pressed() const { return pressed_; }

    [[nodiscard]] Modifiers modifiers() const { return modifiers_; }

private:
    struct FrameUse;
    [[nodiscard]] bool fits(const InputEvent& event, const FrameUse& use) const;
    void apply(ImGuiIO& io, const InputEvent& event, FrameUse& use);
    void apply_key(ImGuiIO& io, const KeyChange& change);
    void release_all(ImGuiIO& io);

    std::deque<InputEvent> queue_;
    std::vector<KeyPress> pressed_;
    Modifiers modifiers_;
};

}  // namespace ascendsim::gui
