// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/shell.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/chrome/fixed_window.hpp"
#include "gui/shell/chrome/splitters.hpp"
#include "gui/shell/chrome/status_line.hpp"
#include "gui/shell/chrome/toast_area.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

/// Whether a key acts although a text field has the keyboard.
bool works_while_typing(Chord chord) {
    const bool function_key = chord.key >= Key::f1 && chord.key <= Key::f12;
    const bool edits_text =
        chord.modifiers.control && !chord.modifiers.shift && !chord.modifiers.alt &&
        (chord.key == key_of('A') || chord.key == key_of('C') || chord.key == key_of('V') ||
         chord.key == key_of('X') || chord.key == key_of('Y') || chord.key == key_of('Z') ||
         chord.key == Key::left || chord.key == Key::right || chord.key == Key::backspace);
    return function_key || ((chord.modifiers.control || chord.modifiers.alt) && !edits_text);
}

}  // namespace

Shell::Shell(ShellParts parts)
    : context_{ImGui::CreateContext()},
      library_{&parts.library},
      runs_{parts.runs},
      exports_{std::move(parts.output)},
      documents_{parts.documents},
      docks_{std::move(parts.panels), view_, exports_},
      time_commands_{view_, documents_, toasts_},
      window_commands_{{.view = view_,
                        .documents = documents_,
                        .toasts = toasts_,
                        .exports = exports_,
                        .docks = docks_,
                        .overlays = overlays_,
                        .toolbar = toolbar_}},
      values_{view_, anchors_, [this] { return own_values(); }} {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.ConfigInputTextCursorBlink = false;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    fonts_ = std::make_unique<FontSet>(*io.Fonts, 1.0F);
    input_ = std::make_unique<InputAdapter>(io);
    time_commands_.add_to(commands_);
    window_commands_.add_to(commands_);
    for (const std::unique_ptr<Panel>& panel : docks_.panels()) {
        panel->add_commands(commands_, requests_);
    }
    for (const std::string& problem : fonts_->problems()) {
        toasts_.add(ToastKind::warning, problem);
    }
}

Shell::~Shell() {
    ImGui::DestroyContext(context_);
}

const ImDrawData& Shell::draw_data() const {
    ImGui::SetCurrentContext(context_);
    const ImDrawData* data = ImGui::GetDrawData();
    check(data != nullptr, "draw data asked for before the first frame");
    return *data;
}

void Shell::prepare_fonts() {
    for (const auto* list : {&library_->recent_runs(), &library_->scenarios(), &library_->lessons()}) {
        for (const LibraryEntry& entry : *list) {
            fonts_->require(entry.title);
            fonts_->require(entry.summary);
        }
    }
    for (const Document* document : {documents_.run_a(), documents_.run_b()}) {
        if (document != nullptr) {
            fonts_->require(document->title());
        }
    }
    fonts_->require(view_.find);
    fonts_->set_scale(view_.text_scale);
    if (fonts_->prepare()) {
        ++texture_version_;
        ImGui::GetIO().FontDefault = fonts_->font(TextStyle::regular);
    }
}

void Shell::frame(int width, int height, double seconds) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    screen_ = {static_cast<float>(std::max(width, 1)), static_cast<float>(std::max(height, 1))};
    io.DisplaySize = {screen_.x, screen_.y};
    io.DeltaTime = static_cast<float>(std::max(seconds, 1e-4));
    documents_.poll(view_, toasts_);
    prepare_fonts();
    apply(theme(), fonts_->scale(), ImGui::GetStyle());
    ImGui::GetStyle().AntiAliasedFill = !sharp_;
    ImGui::GetStyle().AntiAliasedLines = !sharp_;
    input_->feed(io);
    toasts_.advance(seconds);
    view_.rest(seconds);
    ImGui::NewFrame();
    press_keys();
    anchors_.clear();
    status_.clear();
    if (anchors_.enabled()) {
        documents_.publish(anchors_);
    }
    draw();
    ImGui::Render();
    apply_requests();
}

PanelContext Shell::make_context() {
    return {.view = view_,
            .theme = theme(),
            .fonts = *fonts_,
            .commands = commands_,
            .anchors = anchors_,
            .requests = requests_,
            .run_a = documents_.run_a(),
            .run_b = documents_.run_b(),
            .runs = runs_,
            .status = &status_};
}

void Shell::draw() {
    const Rect screen{0, 0, screen_.x, screen_.y};
    PanelContext context = make_context();
    docks_.watch(context);
    const DocksInUse used = docks_.in_use(documents_.any(), context);
    const LayoutRects rects =
        arrange(screen, view_.layout, used, fonts_->scale(), docks_.lower_wish(context));
    ImGuiCanvas background{*ImGui::GetBackgroundDrawList(), *fonts_};
    background.fill(screen, theme().border);
    toolbar_.draw(rects.toolbar, context);
    const std::string opening = fmt::format("{}", fmt::join(documents_.opening(), "   \u00b7   "));
    if (!opening.empty()) {
        status_ = opening;
    }
    if (!documents_.any()) {
        begin_fixed("##welcome", rects.dock(Dock::centre), theme().window, {0, 0});
        welcome_.draw(rects.dock(Dock::centre), *library_, opening, context);
        ImGui::End();
    } else {
        for (std::size_t n = 0; n < dock_count; ++n) {
            docks_.draw(static_cast<Dock>(n), rects.docks.at(n), context);
        }
        draw_splitters(rects, context);
    }
    draw_status_line(rects.status, *library_, context);
    overlays_.draw(screen, context);
    if (!exports_.pending()) {
        draw_toasts(toasts_, screen, context);
    }
}

void Shell::press_keys() {
    const bool typing = ImGui::GetIO().WantTextInput;
    for (const KeyPress& press : input_->pressed()) {
        const Command* command = commands_.find(press.chord);
        if (command == nullptr || (press.repeated && !command->repeats) ||
            (typing && !works_while_typing(press.chord) && press.chord.key != Key::escape)) {
            continue;
        }
        commands_.press(press.chord);
    }
}

void Shell::apply_requests() {
    Requests::Taken taken = requests_.take();
    animated_ = taken.animated;
    for (const auto& edit : taken.edits) {
        edit(view_);
    }
    for (auto& [kind, text] : taken.toasts) {
        toasts_.add(kind, std::move(text));
    }
    for (const auto& act : taken.works) {
        if (runs_ == nullptr) {
            continue;
        }
        try {
            act(*runs_);
        } catch (const UserError& error) {
            toasts_.add(ToastKind::error, error.what());
        }
    }
    for (const std::string& name : taken.commands) {
        try {
            commands_.run(name);
        } catch (const UserError& error) {
            toasts_.add(ToastKind::error, error.what());
        }
    }
    for (const std::string& path : taken.paths) {
        open(path);
    }
}

void Shell::open(const std::string& path) {
    try {
        open_or_throw(path);
    } catch (const UserError& error) {
        toasts_.add(ToastKind::error, error.what());
    }
}

nlohmann::json Shell::own_values() const {
    nlohmann::json texts = nlohmann::json::array();
    for (const Toast& toast : toasts_.shown()) {
        texts.push_back(toast.text);
    }
    return {{"toasts", std::move(texts)},
            {"toast_count", toasts_.shown().size()},
            {"palette", overlays_.palette.open()},
            {"help", overlays_.help.open()},
            {"files", overlays_.files.open()},
            {"welcome", !documents_.any()},
            {"quit", window_commands_.quit()}};
}

}  // namespace ascendsim::gui
