// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/shell.hpp"

#include <algorithm>
#include <array>
#include <utility>

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
      documents_{parts.documents},
      runs_{parts.runs},
      panels_{std::move(parts.panels)},
      exports_{std::move(parts.output)} {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.ConfigInputTextCursorBlink = false;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    fonts_ = std::make_unique<FontSet>(*io.Fonts, 1.0F);
    input_ = std::make_unique<InputAdapter>(io);
    std::ranges::stable_sort(panels_, {}, [](const auto& panel) { return panel->info().order; });
    add_commands();
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
    for (const Document* document : {run_a_.get(), run_b_.get()}) {
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

void Shell::poll_documents() {
    if (documents_ == nullptr) {
        return;
    }
    run_a_ = documents_->run_a();
    run_b_ = documents_->run_b();
    for (const ViewEdit& edit : documents_->take_edits()) {
        edit(view_);
    }
    for (std::string& message : documents_->take_messages()) {
        toasts_.add(ToastKind::error, std::move(message));
    }
    view_.extent = run_a_ == nullptr ? 0.0 : run_a_->cycles();
    const bool b_has_its_own_length = view_.compare && view_.alignment != Alignment::length;
    if (run_b_ != nullptr && b_has_its_own_length) {
        view_.extent = std::max(view_.extent, run_b_->cycles());
    }
}

void Shell::frame(int width, int height, double seconds) {
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    screen_ = {static_cast<float>(std::max(width, 1)), static_cast<float>(std::max(height, 1))};
    io.DisplaySize = {screen_.x, screen_.y};
    io.DeltaTime = static_cast<float>(std::max(seconds, 1e-4));
    poll_documents();
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
    if (documents_ != nullptr && anchors_.enabled()) {
        documents_->publish(anchors_);
    }
    draw();
    ImGui::Render();
    apply_requests();
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

void Shell::press_escape() {
    if (palette_.open() || help_.open() || files_.open()) {
        palette_.close();
        help_.close();
        files_.close();
        return;
    }
    if (ImGui::GetIO().WantTextInput) {
        return;
    }
    clear_selection();
}

void Shell::clear_selection() {
    view_.selected.clear();
    view_.selected_gap.reset();
    view_.range.reset();
    view_.cause.reset();
    view_.find.clear();
}

void Shell::open_or_throw(const std::string& path) {
    if (path.ends_with(".json")) {
        view_ = load_session(path);
        const std::string run_b = view_.run_b;
        if (!view_.run_a.empty()) {
            open_or_throw(std::string{view_.run_a});
        }
        if (!run_b.empty() && documents_ != nullptr) {
            documents_->open_b(run_b);
        }
        return;
    }
    if (documents_ == nullptr) {
        throw UserError{"{}: there is nothing here that opens recordings or scenarios", path};
    }
    documents_->open(path);
}

void Shell::open_b(const std::string& path) {
    if (documents_ == nullptr) {
        throw UserError{"{}: there is nothing here that opens recordings", path};
    }
    documents_->open_b(path);
    view_.compare = true;
}

void Shell::open(const std::string& path) {
    try {
        open_or_throw(path);
    } catch (const UserError& error) {
        toasts_.add(ToastKind::error, error.what());
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

std::vector<Panel*> Shell::panels_of(Dock dock) const {
    std::vector<Panel*> found;
    for (const std::unique_ptr<Panel>& panel : panels_) {
        const PanelInfo info = panel->info();
        if (info.dock == dock && (run_a_ != nullptr || !info.needs_run)) {
            found.push_back(panel.get());
        }
    }
    return found;
}

Panel* Shell::active_panel(Dock dock) const {
    const std::vector<Panel*> panels = panels_of(dock);
    if (panels.empty()) {
        return nullptr;
    }
    const auto chosen = view_.active_tabs.find(std::string{name(dock)});
    if (chosen != view_.active_tabs.end()) {
        for (Panel* panel : panels) {
            if (panel->info().name == chosen->second) {
                return panel;
            }
        }
    }
    return panels.front();
}

std::optional<Rect> Shell::panel_box(std::string_view panel) const {
    const auto found = panel_boxes_.find(panel);
    return found == panel_boxes_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::string> Shell::table_of(std::string_view panel) {
    std::vector<std::string> known;
    for (const std::unique_ptr<Panel>& one : panels_) {
        if (one->info().name == panel && one->info().table) {
            return one->table(make_context());
        }
        if (one->info().table) {
            known.emplace_back(one->info().name);
        }
    }
    throw UserError{"{}: no view of that name has a table{}", panel, nearest_hint(panel, known)};
}

DocksInUse Shell::docks_in_use() const {
    DocksInUse used{};
    for (std::size_t n = 0; n < dock_count; ++n) {
        used.at(n) = run_a_ != nullptr && !panels_of(static_cast<Dock>(n)).empty();
    }
    return used;
}

}  // namespace ascendsim::gui
