// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/file_list.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

/// What can be opened: recordings, scenarios, kernels, sessions.
bool can_be_opened(const fs::path& path) {
    constexpr std::array<std::string_view, 4> known{".rec", ".toml", ".cpp", ".json"};
    return std::ranges::find(known, path.extension().string()) != known.end();
}

}  // namespace

void FileList::toggle() {
    window_.toggle();
    typed_.fill('\0');
    if (open()) {
        std::error_code ignored;
        enter(folder_.empty() ? fs::current_path(ignored) : folder_);
    }
}

void FileList::enter(const fs::path& folder) {
    folder_ = folder.lexically_normal();
    entries_.clear();
    std::error_code ignored;
    for (fs::directory_iterator it{folder_, ignored}, end; it != end; it.increment(ignored)) {
        const std::string file = it->path().filename().string();
        const bool is_folder = it->is_directory(ignored);
        if (!file.starts_with('.') && (is_folder || can_be_opened(it->path()))) {
            entries_.push_back({file, is_folder});
        }
    }
    std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
        return a.folder != b.folder ? a.folder : a.name < b.name;
    });
    if (folder_.has_relative_path()) {
        entries_.insert(entries_.begin(), {"..", true});
    }
}

void FileList::choose(const Entry& entry, PanelContext& context) {
    const fs::path path = folder_ / entry.name;
    if (entry.folder) {
        enter(path);
        return;
    }
    window_.close();
    context.requests.open(path.string());
}

void FileList::draw(const Rect& screen, PanelContext& context) {
    if (!open()) {
        return;
    }
    if (window_.begin("##files", screen, {640 * context.scale(), 460 * context.scale()}, false, context)) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    const bool entered =
        ImGui::InputTextWithHint("##path",
                                 "Path of a recording, scenario, kernel or session; Enter opens",
                                 typed_.data(),
                                 typed_.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue);
    if (entered && typed_.front() != '\0') {
        window_.close();
        context.requests.open((folder_ / typed_.data()).string());
    }
    anchor_last_item(context, "files/path");
    dim_text(context, folder_.string());
    draw_rows(context);
    Overlay::end();
}

void FileList::draw_rows(PanelContext& context) {
    ImGui::BeginChild("##entries");
    const std::vector<Entry> entries = entries_;  // choosing a folder replaces the list
    for (const Entry& entry : entries) {
        const std::string label = entry.folder ? entry.name + "/" : entry.name;
        ImGui::PushStyleColor(ImGuiCol_Text, entry.folder ? context.theme.text_dim : context.theme.text);
        if (ImGui::Selectable(label.c_str())) {
            choose(entry, context);
        }
        ImGui::PopStyleColor();
        anchor_last_item(context, "files/" + entry.name);
    }
    if (entries.empty()) {
        dim_text(context, "Nothing here can be opened.");
    }
    ImGui::EndChild();
}

}  // namespace ascendsim::gui
