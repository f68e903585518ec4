// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "gui/control/script.hpp"
#include "gui/render/image.hpp"
#include "gui/shell/shell.hpp"

namespace ascendsim::gui {

/// A shell with a screen size, as scripts see it; where its frames are shown is the derived class's business.
class ShellHost : public ScriptHost {
public:
    ShellHost(ShellParts parts, int width, int height);

    [[nodiscard]] Shell& shell() { return shell_; }

    [[nodiscard]] int width() const { return width_; }

    [[nodiscard]] int height() const { return height_; }

    /// The last frame, drawn in software.
    [[nodiscard]] Image picture() const;
    [[nodiscard]] std::string svg();

    void push(InputEvent event) override { shell_.input().push(std::move(event)); }

    [[nodiscard]] bool input_pending() const override { return !shell_.input().idle(); }

    [[nodiscard]] std::optional<Rect> anchor(std::string_view name) const override;
    [[nodiscard]] std::vector<std::string> anchor_names() const override;

    [[nodiscard]] nlohmann::json value(std::string_view path) const override { return shell_.value(path); }

    [[nodiscard]] std::string screen_text() override;

    /// Opens a recording as run B; throws UserError.
    void open_b(const std::string& path) { shell_.open_b(path); }

    void set_value(std::string_view path, const nlohmann::json& value) override {
        shell_.set_value(path, value);
    }

    void open(const std::string& path) override { shell_.open(path); }

    void run_command(std::string_view name) override { shell_.commands().run(name); }

    void resize(int width, int height) override;
    void save_picture(const std::filesystem::path& path, const std::string& panel) override;
    void save_svg(const std::filesystem::path& path, const std::string& panel) override;
    void save_table(const std::filesystem::path& path, const std::string& panel) override;

protected:
    /// Saves what the user has asked for and is due; call after every frame.
    void save_wishes();

private:
    void save(const ExportWish& wish);
    /// The table of a panel as comma-separated text; throws UserError while it is being made.
    [[nodiscard]] std::string table(const std::string& panel);
    /// Where a panel is on the screen, whole pixels; all of it for no name. Throws UserError if it is not
    /// there.
    [[nodiscard]] Rect part(const std::string& panel) const;

    Shell shell_;
    int width_;
    int height_;
};

/// The dashboard without a display: frames of a fixed length, so the same input gives the same bytes.
class Headless final : public ShellHost {
public:
    using ShellHost::ShellHost;

    void frame();
    /// Makes frames until the layout has settled.
    void settle();
    /// Plays a script to its end. Throws ScriptFailure or UserError.
    void play(ScriptDriver& script);
};

/// The words on the screen of the last frame, from top to bottom.
[[nodiscard]] std::string text_of(Shell& shell);
/// The last frame as SVG; a sharp frame is drawn for it.
[[nodiscard]] std::string svg_of(Shell& shell, int width, int height);
/// A part of the last frame as SVG.
[[nodiscard]] std::string svg_of(Shell& shell, int width, int height, Rect part);
/// The last frame drawn in software.
[[nodiscard]] Image picture_of(const Shell& shell, int width, int height);
/// Writes a text file; throws UserError naming it.
void write_text(const std::filesystem::path& path, std::string_view text);

/// The length of a frame when nobody watches, seconds.
inline constexpr double fixed_frame = 1.0 / 60.0;

}  // namespace ascendsim::gui
