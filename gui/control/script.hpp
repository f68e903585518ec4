// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/canvas/geometry.hpp"
#include "gui/control/input.hpp"

namespace ascendsim::gui {

/// An expectation of a script did not hold. Exit code 1; mistakes in the script itself are a UserError.
class ScriptFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What a script acts on: a window or a headless picture.
class ScriptHost {
public:
    ScriptHost() = default;
    ScriptHost(const ScriptHost&) = delete;
    ScriptHost& operator=(const ScriptHost&) = delete;
    virtual ~ScriptHost() = default;

    virtual void push(InputEvent event) = 0;
    [[nodiscard]] virtual bool input_pending() const = 0;
    [[nodiscard]] virtual std::optional<Rect> anchor(std::string_view name) const = 0;
    [[nodiscard]] virtual std::vector<std::string> anchor_names() const = 0;
    [[nodiscard]] virtual nlohmann::json value(std::string_view path) const = 0;
    [[nodiscard]] virtual std::string screen_text() = 0;
    virtual void set_value(std::string_view path, const nlohmann::json& value) = 0;
    virtual void open(const std::string& path) = 0;
    virtual void run_command(std::string_view name) = 0;
    virtual void resize(int width, int height) = 0;
    /// Save a view by the name of its panel; an empty name is the whole window. Throw UserError if it is not
    /// on the screen, or has no table.
    virtual void save_picture(const std::filesystem::path& path, const std::string& panel) = 0;
    virtual void save_svg(const std::filesystem::path& path, const std::string& panel) = 0;
    virtual void save_table(const std::filesystem::path& path, const std::string& panel) = 0;
};

/// One line of a script, split into words.
struct ScriptLine {
    std::size_t number = 0;
    std::vector<std::string> words;
};

/// Plays a list of user actions, one command a line; `#` starts a comment, quotes hold words together:
///
///     open FILE            size 1280x720       frames N           key Ctrl+F        text "words"
///     move @A              click @A [right|middle|double] [Ctrl] [Shift] [Alt]
///     drag @A DX DY [right|middle] [mods]      wheel @A RIGHT UP [mods]
///     expect PATH OP VALUE   wait PATH OP VALUE SECONDS   set PATH VALUE   command NAME
///     shot FILE.png [PANEL]   svg FILE.svg [PANEL]   csv FILE.csv PANEL   dumptext FILE.txt
///
/// @A is a named place; @A:0.25,0.5 is a share of its width and height, @A+4,-2 pixels off its middle. OP is
/// one of
/// == != < <= > >= contains. The path "text" is what can be read on the screen.
class ScriptDriver {
public:
    /// Throws UserError with the line of the first mistake. Files are written to `out`.
    ScriptDriver(std::string_view text, std::string name, std::filesystem::path out);

    /// Does what comes before the next frame; false once all is done. Throws ScriptFailure or UserError.
    bool advance(ScriptHost& host);

    [[nodiscard]] bool done() const { return line_ == lines_.size() && steps_.empty() && wait_frames_ == 0; }

private:
    /// Runs between two frames; nothing more happens until that many frames have passed.
    struct Step {
        std::function<void(ScriptHost&)> act;
        int frames = 0;
    };

    void check_line(const ScriptLine& line) const;
    void start(const ScriptLine& line, ScriptHost& host);
    void start_key(Chord chord);
    void start_mouse(const ScriptLine& line, ScriptHost& host);
    void start_expect(const ScriptLine& line, ScriptHost& host);
    void press_keys(const std::vector<Key>& keys, bool down);
    void event(InputEvent event, int frames = 1);
    [[nodiscard]] Point place(const ScriptLine& line, ScriptHost& host) const;
    [[nodiscard]] std::string at(const ScriptLine& line) const;
    [[nodiscard]] std::filesystem::path output(const std::string& file) const;

    std::vector<ScriptLine> lines_;
    std::string name_;
    std::filesystem::path out_;
    std::size_t line_ = 0;
    std::deque<Step> steps_;
    int wait_frames_ = 0;
    std::optional<std::chrono::steady_clock::time_point> waiting_until_;
};

}  // namespace ascendsim::gui
