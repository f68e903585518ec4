// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/control/input.hpp"
#include "gui/shell/chrome/docks.hpp"
#include "gui/shell/chrome/overlays.hpp"
#include "gui/shell/chrome/toolbar.hpp"
#include "gui/shell/chrome/welcome.hpp"
#include "gui/shell/exports.hpp"
#include "gui/shell/library.hpp"
#include "gui/shell/open_documents.hpp"
#include "gui/shell/panel.hpp"
#include "gui/shell/script_values.hpp"
#include "gui/shell/time_commands.hpp"
#include "gui/shell/window_commands.hpp"

struct ImGuiContext;

namespace ascendsim::gui {

/// What a shell is made of. References must outlive it.
struct ShellParts {
    Library& library;
    DocumentSource* documents = nullptr;  ///< none: nothing can be opened
    RunMaker* runs = nullptr;             ///< none: nothing can be run
    std::vector<std::unique_ptr<Panel>> panels;
    std::filesystem::path output = ".";  ///< folder of pictures, tables and sessions the user saves
};

/// The dashboard without a window, put together: what is open, the docks of panels, what lies around and over
/// them, commands, messages. Every frame is input to draw lists; where they are drawn is the owner's
/// business.
class Shell {
public:
    explicit Shell(ShellParts parts);
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;
    ~Shell();

    /// Makes one frame of a screen of whole pixels, `seconds` after the last; the draw lists are then in
    /// draw_data().
    void frame(int width, int height, double seconds);
    [[nodiscard]] const ImDrawData& draw_data() const;

    /// True if what is open has changed since the last frame: it is to be drawn though nobody touched
    /// anything.
    [[nodiscard]] bool has_news() const { return documents_.has_news(); }

    [[nodiscard]] InputAdapter& input() { return *input_; }

    [[nodiscard]] const InputAdapter& input() const { return *input_; }

    [[nodiscard]] ViewState& view() { return view_; }

    [[nodiscard]] const ViewState& view() const { return view_; }

    [[nodiscard]] CommandTable& commands() { return commands_; }

    [[nodiscard]] Anchors& anchors() { return anchors_; }

    [[nodiscard]] const Anchors& anchors() const { return anchors_; }

    [[nodiscard]] const Toasts& toasts() const { return toasts_; }

    [[nodiscard]] const FontSet& fonts() const { return *fonts_; }

    [[nodiscard]] const Theme& theme() const { return gui::theme(view_.theme); }

    [[nodiscard]] Requests& requests() { return requests_; }

    [[nodiscard]] ImGuiContext* imgui() const { return context_; }

    /// Opens a recording, scenario, lesson or session file; what goes wrong becomes a message.
    void open(const std::string& path);

    /// The same, but throws UserError.
    void open_or_throw(const std::string& path) { documents_.open(path, view_); }

    /// Opens a recording as run B. Throws UserError.
    void open_b(const std::string& path) { documents_.open_b(path, view_); }

    /// Shows a message that blocks nothing.
    void toast(ToastKind kind, std::string text) { toasts_.add(kind, std::move(text)); }

    /// Grows by one when the texture changed and must go to the renderer again.
    [[nodiscard]] int texture_version() const { return texture_version_; }

    [[nodiscard]] bool wants_to_quit() const { return window_commands_.quit(); }

    /// Views the user wants saved and how far that is; who owns the frames saves them.
    [[nodiscard]] Exports& exports() { return exports_; }

    /// Where a panel's content was drawn in the last frame; nothing if it is not on the screen.
    [[nodiscard]] std::optional<Rect> panel_box(std::string_view panel) const {
        return docks_.panel_box(panel);
    }

    /// A panel's table as comma-separated text; nothing if it is not added up yet. Throws UserError if there
    /// is no such panel, or it has no table.
    [[nodiscard]] std::optional<std::string> table_of(std::string_view panel) {
        return docks_.table_of(panel, make_context());
    }

    /// Whether something moves by itself, so that frames must go on without input.
    [[nodiscard]] bool animated() const { return animated_; }

    /// While set, shapes are drawn without smoothing, as vector export needs.
    void draw_sharp(bool on) { sharp_ = on; }

    /// A value by dotted path: view.*, toasts, palette, help, welcome, anchor.NAME, or what a panel
    /// published; null if there is none.
    [[nodiscard]] nlohmann::json value(std::string_view path) const { return values_.get(path); }

    /// Sets view.* or a path a panel registered with on_set(). Throws UserError for an unknown one.
    void set_value(std::string_view path, const nlohmann::json& value) { values_.set(path, value); }

    void on_set(std::string path, std::function<void(const nlohmann::json&)> setter) {
        values_.on_set(std::move(path), std::move(setter));
    }

private:
    void prepare_fonts();
    void press_keys();
    void draw();
    void apply_requests();
    [[nodiscard]] PanelContext make_context();
    /// What scripts may read of the shell itself.
    [[nodiscard]] nlohmann::json own_values() const;

    ImGuiContext* context_;
    Library* library_;
    RunMaker* runs_;
    std::unique_ptr<FontSet> fonts_;
    std::unique_ptr<InputAdapter> input_;
    ViewState view_;
    CommandTable commands_;
    Anchors anchors_;
    Toasts toasts_;
    Requests requests_;
    Exports exports_;
    OpenDocuments documents_;
    Docks docks_;
    Toolbar toolbar_;
    Overlays overlays_;
    Welcome welcome_;
    TimeCommands time_commands_;
    WindowCommands window_commands_;
    ScriptValues values_;

    std::string status_;
    Point screen_{1, 1};
    int texture_version_ = 0;
    bool sharp_ = false;
    bool animated_ = false;
};

}  // namespace ascendsim::gui
