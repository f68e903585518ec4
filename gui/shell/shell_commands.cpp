// SPDX-License-Identifier: Apache-2.0
// The commands of the shell and their keys; panels add their own.
#include <cmath>

#include <fmt/format.h>

#include "gui/shell/shell.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

struct Step {
    std::string_view name;
    std::string_view title;
    std::initializer_list<std::string_view> keys;
    double zoom;  ///< factor, or 1
    double pan;   ///< share of the visible stretch, or 0
};

}  // namespace

void Shell::add_commands() {
    add_zoom_and_pan_commands();
    add_view_commands();
    add_bookmark_commands();
    add_window_commands();
    add_look_commands();
    add_preset_commands();
    add_panel_commands();
    for (const std::unique_ptr<Panel>& panel : panels_) {
        panel->add_commands(commands_, requests_);
    }
}

void Shell::add_view_commands() {
    const auto has_run = [this] { return run_a_ != nullptr; };
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands_.add({std::string{name},
                       std::string{title},
                       "Time",
                       std::move(chords),
                       std::move(run),
                       has_run,
                       false});
    };
    add("view.fit", "Show the whole run", keys({"Home", "Ctrl+0"}), [this] { view_.show_all(); });
    add("view.range", "Zoom to the selected stretch", keys({"Z"}), [this] {
        if (view_.range) {
            view_.show(*view_.range);
        }
    });
    add("view.back", "Previous view", keys({"Backspace"}), [this] { view_.go_back(); });
    add("view.forward", "Next view", keys({"Shift+Backspace"}), [this] { view_.go_forward(); });
    commands_.add({"view.unit",
                   "Time unit: cycles, ns, \u00b5s, ms",
                   "Time",
                   keys({"T"}),
                   [this] { view_.unit = next_unit(view_.unit); },
                   {},
                   false});
}

void Shell::add_zoom_and_pan_commands() {
    const auto has_run = [this] { return run_a_ != nullptr; };
    for (const Step& step :
         {Step{"view.zoom_in", "Zoom in", {"W", "Up"}, 1.5, 0},
          Step{"view.zoom_out", "Zoom out", {"S", "Down"}, 1 / 1.5, 0},
          Step{"view.zoom_in_far", "Zoom in far", {"Shift+W"}, 4, 0},
          Step{"view.zoom_out_far", "Zoom out far", {"Shift+S"}, 0.25, 0},
          Step{"view.pan_left", "Pan left", {"A", "Left"}, 1, -0.1},
          Step{"view.pan_right", "Pan right", {"D", "Right"}, 1, 0.1},
          Step{"view.pan_left_far", "Pan left by a page", {"Shift+A", "Shift+Left"}, 1, -0.8},
          Step{"view.pan_right_far", "Pan right by a page", {"Shift+D", "Shift+Right"}, 1, 0.8},
          Step{"view.pan_left_fine", "Pan left a little", {"Ctrl+Left"}, 1, -0.02},
          Step{"view.pan_right_fine", "Pan right a little", {"Ctrl+Right"}, 1, 0.02}}) {
        commands_.add({std::string{step.name},
                       std::string{step.title},
                       "Time",
                       keys(step.keys),
                       [this, zoom = step.zoom, pan = step.pan] {
                           const TimeRange seen = view_.visible();
                           const double middle = view_.cursor.value_or((seen.begin + seen.end) / 2);
                           view_.zoom(zoom, middle);
                           view_.pan(pan);
                       },
                       has_run,
                       true});
    }
}

void Shell::recall_bookmark(std::size_t n) {
    if (const std::optional<Bookmark>& bookmark = view_.bookmarks.at(n)) {
        view_.range = bookmark->range;
        view_.selected = bookmark->selected;
        view_.selected_gap.reset();
        view_.open_cores = bookmark->open_cores;
        view_.show(bookmark->window);
    } else {
        toasts_.add(ToastKind::note, fmt::format("Bookmark {} is empty; Ctrl+{} stores it", n, n));
    }
}

void Shell::add_bookmark_commands() {
    const auto has_run = [this] { return run_a_ != nullptr; };
    for (std::size_t n = 1; n <= 9; ++n) {
        commands_.add({fmt::format("bookmark.store_{}", n),
                       fmt::format("Store bookmark {}", n),
                       "Bookmarks",
                       keys({fmt::format("Ctrl+{}", n)}),
                       [this, n] {
                           view_.bookmarks.at(n) =
                               Bookmark{view_.visible(), view_.range, view_.selected, view_.open_cores};
                           toasts_.add(ToastKind::note, fmt::format("Bookmark {} stored", n));
                       },
                       has_run,
                       false});
        commands_.add({fmt::format("bookmark.recall_{}", n),
                       fmt::format("Go to bookmark {}", n),
                       "Bookmarks",
                       keys({fmt::format("{}", n)}),
                       [this, n] { recall_bookmark(n); },
                       has_run,
                       false});
    }
    commands_.add({"mark.add",
                   "Mark the selected stretch",
                   "Bookmarks",
                   keys({"Shift+M"}),
                   [this] {
                       view_.marks.push_back({fmt::format("Mark {}", view_.marks.size() + 1), *view_.range});
                   },
                   [this] { return view_.range.has_value(); },
                   false});
}

void Shell::add_window_commands() {
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands_.add(
            {std::string{name}, std::string{title}, "Window", std::move(chords), std::move(run), {}, false});
    };
    add("file.open", "Open a file", keys({"Ctrl+O"}), [this] { files_.toggle(); });
    add("session.save", "Save the session", keys({"Ctrl+S"}), [this] { save_session_file(); });
    add("picture.save", "Save a picture of the window", keys({"Ctrl+Shift+S"}), [this] {
        exports_.add({"", ExportKind::png});
        exports_.add({"", ExportKind::svg});
    });
    add("find.focus", "Find", keys({"Ctrl+F"}), [this] { focus_find_ = true; });
    add("palette.open", "Find a command", keys({"Ctrl+Shift+P"}), [this] { palette_.toggle(); });
    add("help.open", "Show all keys", keys({"?", "F1"}), [this] { help_.toggle(); });
    add("clear", "Close, then clear selection", keys({"Esc"}), [this] { press_escape(); });
    add("quit", "Quit", keys({"Ctrl+Q"}), [this] { quit_ = true; });
}

void Shell::add_look_commands() {
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands_.add(
            {std::string{name}, std::string{title}, "Window", std::move(chords), std::move(run), {}, false});
    };
    add("view.theme", "Dark or light", keys({"Ctrl+Shift+T"}), [this] {
        view_.theme = view_.theme == ThemeName::dark ? ThemeName::light : ThemeName::dark;
    });
    const auto scale_text = [this](float factor) {
        view_.text_scale = std::clamp(std::round(view_.text_scale * factor * 20) / 20, 0.5F, 4.0F);
    };
    add("text.larger", "Larger text", keys({"Ctrl+=", "Ctrl+Shift+="}), [scale_text] { scale_text(1.15F); });
    add("text.smaller", "Smaller text", keys({"Ctrl+-"}), [scale_text] { scale_text(1 / 1.15F); });
    add("text.normal", "Normal text", {}, [this] { view_.text_scale = 1; });
    add("panel.bottom", "Bottom panel on or off", keys({"Q"}), [this] {
        view_.layout.show_bottom = !view_.layout.show_bottom;
    });
    add("panel.side", "Side panel on or off", keys({"B"}), [this] {
        view_.layout.show_right = !view_.layout.show_right;
    });
    add("panel.left", "Left rail on or off", keys({"Shift+B"}), [this] {
        view_.layout.show_left = !view_.layout.show_left;
    });
}

void Shell::add_preset_commands() {
    struct PresetRow {
        std::string_view name;
        std::string_view title;
        std::string_view key;
        Preset preset;
    };

    for (const PresetRow& row :
         {PresetRow{"preset.developer", "Arrange for a kernel developer", "Alt+1", Preset::developer},
          PresetRow{"preset.teacher", "Arrange for teaching", "Alt+2", Preset::teacher},
          PresetRow{"preset.ci", "Arrange for regressions", "Alt+3", Preset::ci}}) {
        commands_.add({std::string{row.name},
                       std::string{row.title},
                       "Window",
                       keys({row.key}),
                       [this, preset = row.preset] { view_.layout = preset_layout(preset); },
                       {},
                       false});
    }
}

void Shell::add_panel_commands() {
    for (const std::unique_ptr<Panel>& panel : panels_) {
        const PanelInfo info = panel->info();
        commands_.add({fmt::format("panel.show_{}", info.name),
                       fmt::format("Show {}", info.title),
                       "Panels",
                       {},
                       [this, info] { show_panel(info); },
                       [this, needs_run = info.needs_run] { return !needs_run || run_a_ != nullptr; },
                       false});
        add_export_commands(info);
    }
}

void Shell::show_panel(const PanelInfo& info) {
    view_.active_tabs[std::string{name(info.dock)}] = std::string{info.name};
    view_.layout.show_left = view_.layout.show_left || info.dock == Dock::left;
    view_.layout.show_right = view_.layout.show_right || info.dock == Dock::right;
    view_.layout.show_bottom = view_.layout.show_bottom || info.dock == Dock::bottom;
    view_.layout.show_lower = view_.layout.show_lower || info.dock == Dock::lower;
}

void Shell::add_export_commands(const PanelInfo& info) {
    for (const ExportKind kind : {ExportKind::png, ExportKind::svg, ExportKind::csv}) {
        if (kind == ExportKind::csv && !info.table) {
            continue;
        }
        const std::string_view ending = suffix(kind).substr(1);
        commands_.add({fmt::format("save.{}_{}", info.name, ending),
                       fmt::format("Save {} as {}", info.title, ending),
                       "Export",
                       {},
                       [this, info, kind] {
                           show_panel(info);
                           exports_.add({std::string{info.name}, kind});
                       },
                       [this, needs_run = info.needs_run] { return !needs_run || run_a_ != nullptr; },
                       false});
    }
}

void Shell::save_session_file() {
    const std::filesystem::path path = exports_.folder() / "ascendsim_session.json";
    try {
        save_session(path, view_);
        toasts_.add(ToastKind::success, fmt::format("Session saved: {}", path.string()));
    } catch (const UserError& error) {
        toasts_.add(ToastKind::error, error.what());
    }
}

}  // namespace ascendsim::gui
