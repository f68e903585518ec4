// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/window_commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "sim/base/error.hpp"

namespace ascendsim::gui {

void WindowCommands::add_to(CommandTable& commands) {
    add_files(commands);
    add_looks(commands);
    add_presets(commands);
    add_panels(commands);
}

void WindowCommands::add_files(CommandTable& commands) {
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands.add(
            {std::string{name}, std::string{title}, "Window", std::move(chords), std::move(run), {}, false});
    };
    add("file.open", "Open a file", keys({"Ctrl+O"}), [this] { overlays_.files.toggle(); });
    add("session.save", "Save the session", keys({"Ctrl+S"}), [this] { save_session(); });
    add("picture.save", "Save a picture of the window", keys({"Ctrl+Shift+S"}), [this] {
        exports_.add({"", ExportKind::png});
        exports_.add({"", ExportKind::svg});
    });
    add("find.focus", "Find", keys({"Ctrl+F"}), [this] { toolbar_.focus_find(); });
    add("palette.open", "Find a command", keys({"Ctrl+Shift+P"}), [this] { overlays_.palette.toggle(); });
    add("help.open", "Show all keys", keys({"?", "F1"}), [this] { overlays_.help.toggle(); });
    add("clear", "Close, then clear selection", keys({"Esc"}), [this] { press_escape(); });
    add("quit", "Quit", keys({"Ctrl+Q"}), [this] { quit_ = true; });
}

void WindowCommands::add_looks(CommandTable& commands) {
    const auto add = [&](std::string_view name,
                         std::string_view title,
                         std::vector<Chord> chords,
                         std::function<void()> run) {
        commands.add(
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

void WindowCommands::add_presets(CommandTable& commands) {
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
        commands.add({std::string{row.name},
                      std::string{row.title},
                      "Window",
                      keys({row.key}),
                      [this, preset = row.preset] { view_.layout = preset_layout(preset); },
                      {},
                      false});
    }
}

void WindowCommands::add_panels(CommandTable& commands) {
    for (const std::unique_ptr<Panel>& panel : docks_.panels()) {
        const PanelInfo info = panel->info();
        commands.add({fmt::format("panel.show_{}", info.name),
                      fmt::format("Show {}", info.title),
                      "Panels",
                      {},
                      [this, info] { docks_.show(info); },
                      [this, needs_run = info.needs_run] { return !needs_run || documents_.any(); },
                      false});
        add_exports(info, commands);
    }
}

void WindowCommands::add_exports(const PanelInfo& info, CommandTable& commands) {
    for (const ExportKind kind : {ExportKind::png, ExportKind::svg, ExportKind::csv, ExportKind::copy}) {
        const bool copies = kind == ExportKind::copy;
        if ((copies || kind == ExportKind::csv) && !info.table) {
            continue;
        }
        const std::string_view ending = suffix(kind).substr(1);
        commands.add({fmt::format("save.{}_{}", info.name, ending),
                      copies ? fmt::format("Copy the table of {}", info.title)
                             : fmt::format("Save {} as {}", info.title, ending),
                      "Export",
                      {},
                      [this, info, kind] {
                          docks_.show(info);
                          exports_.add({std::string{info.name}, kind});
                      },
                      [this, needs_run = info.needs_run] { return !needs_run || documents_.any(); },
                      false});
    }
}

void WindowCommands::save_session() const {
    const std::filesystem::path path = exports_.folder() / "ascendsim_session.json";
    try {
        gui::save_session(path, view_);
        toasts_.add(ToastKind::success, fmt::format("Session saved: {}", path.string()));
    } catch (const UserError& error) {
        toasts_.add(ToastKind::error, error.what());
    }
}

void WindowCommands::press_escape() {
    if (overlays_.any_open()) {
        overlays_.close();
        return;
    }
    if (ImGui::GetIO().WantTextInput) {
        return;
    }
    view_.selected.clear();
    view_.selected_gap.reset();
    view_.range.reset();
    view_.cause.reset();
    view_.find.clear();
}

}  // namespace ascendsim::gui
