// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gui/shell/headless.hpp"

namespace ascendsim::gui {

/// How a window opens; extents in pixels.
struct WindowOptions {
    int width = 1280;
    int height = 720;
    bool software = false;         ///< do not try OpenGL
    std::optional<long> frames{};  ///< close after that many frames
};

/// The dashboard in a window of SDL2, drawn by OpenGL 3 or, where there is none, by the software rasteriser.
class Window final : public ShellHost {
public:
    /// Opens the window; throws UserError if there is no display at all.
    Window(ShellParts parts, const WindowOptions& options);
    ~Window() override;

    /// Shows frames until the user quits or the script ends. Throws what the script throws.
    void run(ScriptDriver* script);
    /// One turn: input, frame, picture on screen.
    void turn();
    /// What the last frame looks like on screen, for tests of the renderers.
    [[nodiscard]] Image read_back() const;
    /// "OpenGL" or "software".
    [[nodiscard]] std::string renderer() const;

    /// How many pictures went to the screen: a frame that looks like the one before makes none.
    [[nodiscard]] long pictures() const { return pictures_; }

    void resize(int width, int height) override;

private:
    struct Screen;
    void take_events(int wait_milliseconds);
    /// Has texts copied and pasted through the system's clipboard.
    void share_clipboard();
    /// True if nothing could look different from the last frame, or nobody could see it.
    [[nodiscard]] bool may_rest();
    [[nodiscard]] double seconds_since_last_frame();
    /// Puts the frame on the screen, unless it is there already.
    void show(int width, int height);

    std::unique_ptr<Screen> screen_;
    WindowOptions options_;
    bool closed_ = false;
    bool scripted_ = false;
    std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_change_ = last_frame_;  // input, or other runs
    long shown_ = 0;                                                   // frames
    long pictures_ = 0;
    std::uint64_t drawn_ = 0;  // the number of what is on the screen
    int still_frames_ = 0;
};

}  // namespace ascendsim::gui
