// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "gui/control/input.hpp"
#include "gui/shell/exports.hpp"
#include "gui/shell/file_list.hpp"
#include "gui/shell/help.hpp"
#include "gui/shell/library.hpp"
#include "gui/shell/palette.hpp"
#include "gui/shell/panel.hpp"
#include "gui/shell/welcome.hpp"

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

/// The dashboard without a window: commands, arrangement, panels, messages. Every frame is input to draw
/// lists; where they are drawn is the owner's business.
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
    void open_or_throw(const std::string& path);

    /// Opens a recording as run B. Throws UserError.
    void open_b(const std::string& path);

    /// Shows a message that blocks nothing.
    void toast(ToastKind kind, std::string text) { toasts_.add(kind, std::move(text)); }

    /// Grows by one when the texture changed and must go to the renderer again.
    [[nodiscard]] int texture_version() const { return texture_version_; }

    [[nodiscard]] bool wants_to_quit() const { return quit_; }

    /// Views the user wants saved and how far that is; who owns the frames saves them.
    [[nodiscard]] Exports& exports() { return exports_; }

    /// Where a panel's content was drawn in the last frame; nothing if it is not on the screen.
    [[nodiscard]] std::optional<Rect> panel_box(std::string_view panel) const;
    /// A panel's table as comma-separated text; nothing if it is not added up yet. Throws UserError if there
    /// is no such panel, or it has no table.
    [[nodiscard]] std::optional<std::string> table_of(std::string_view panel);

    /// Whether something moves by itself, so that frames must go on without input.
    [[nodiscard]] bool animated() const { return animated_; }

    /// While set, shapes are drawn without smoothing, as vector export needs.
    void draw_sharp(bool on) { sharp_ = on; }

    /// A value by dotted path: view.*, toasts, palette, help, welcome, anchor.NAME, or what a panel
    /// published; null if there is none.
    [[nodiscard]] nlohmann::json value(std::string_view path) const;
    /// Sets view.* or a path a panel registered with on_set(). Throws UserError for an unknown one.
    void set_value(std::string_view path, const nlohmann::json& value);
    void on_set(std::string path, std::function<void(const nlohmann::json&)> setter);

private:
    void prepare_fonts();
    void poll_documents();
    void press_keys();
    void press_escape();
    void draw();
    void draw_toolbar(const Rect& box, PanelContext& context);
    void draw_run_chips(PanelContext& context);
    void draw_toolbar_right(PanelContext& context, float right);
    [[nodiscard]] float chip_end(const PanelContext& context, bool first) const;
    void fitted_title(const PanelContext& context, const std::string& title, float room) const;
    [[nodiscard]] float find_field_width(const PanelContext& context) const;
    /// Labels and commands of the buttons at the right.
    [[nodiscard]] std::array<std::pair<std::string_view, std::string_view>, 4> toolbar_buttons() const;
    [[nodiscard]] float toolbar_buttons_width(const PanelContext& context) const;
    void draw_status(const Rect& box, PanelContext& context);
    void draw_dock(Dock dock, const Rect& box, PanelContext& context);
    [[nodiscard]] float lower_wish(const PanelContext& context) const;
    /// Of the tabs over a dock, with the line below them, pixels.
    [[nodiscard]] float tabs_height() const;
    void draw_tabs(Dock dock, const std::vector<Panel*>& panels, Panel* active, PanelContext& context);
    void draw_tab_menu(Dock dock,
                       const std::vector<Panel*>& panels,
                       Panel* active,
                       Point size,
                       bool wanted,
                       PanelContext& context);
    void draw_save_items(const PanelInfo& info, PanelContext& context);
    [[nodiscard]] PanelContext make_context();
    struct Splitter;
    void draw_splitters(const LayoutRects& rects, PanelContext& context);
    void draw_splitter(const Splitter& splitter, PanelContext& context);
    void draw_toasts(const Rect& screen, PanelContext& context);
    void apply_requests();
    void add_commands();
    void add_view_commands();
    void add_zoom_and_pan_commands();
    void add_window_commands();
    void add_look_commands();
    void add_preset_commands();
    void add_bookmark_commands();
    void recall_bookmark(std::size_t n);
    void add_panel_commands();
    void add_export_commands(const PanelInfo& info);
    void show_panel(const PanelInfo& info);
    void save_session_file();
    void clear_selection();
    [[nodiscard]] std::vector<Panel*> panels_of(Dock dock) const;
    [[nodiscard]] Panel* active_panel(Dock dock) const;
    [[nodiscard]] DocksInUse docks_in_use() const;

    ImGuiContext* context_;
    Library* library_;
    DocumentSource* documents_;
    RunMaker* runs_;
    std::vector<std::unique_ptr<Panel>> panels_;
    std::shared_ptr<const Document> run_a_;
    std::shared_ptr<const Document> run_b_;

    std::unique_ptr<FontSet> fonts_;
    std::unique_ptr<InputAdapter> input_;
    ViewState view_;
    CommandTable commands_;
    Anchors anchors_;
    Toasts toasts_;
    Requests requests_;
    Palette palette_;
    Help help_;
    FileList files_;
    Welcome welcome_;
    Exports exports_;
    std::map<std::string, Rect, std::less<>> panel_boxes_;
    std::map<std::string, std::function<void(const nlohmann::json&)>, std::less<>> setters_;

    std::string status_;
    Point screen_{1, 1};
    int texture_version_ = 0;
    bool sharp_ = false;
    bool quit_ = false;
    bool animated_ = false;
    bool focus_find_ = false;
};

}  // namespace ascendsim::gui
