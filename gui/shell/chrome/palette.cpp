// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/palette.hpp"

#include <algorithm>
#include <cmath>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

float row_height(const PanelContext& context) {
    return std::round(context.fonts.line_height(TextStyle::regular) + 8 * context.scale());
}

}  // namespace

void Palette::toggle() {
    window_.toggle();
    chosen_ = 0;
    query_.fill('\0');
}

void Palette::choose(const Command& command, PanelContext& context) {
    window_.close();
    context.requests.command(command.name);
}

void Palette::move_choice(const std::vector<const Command*>& found, PanelContext& context) {
    chosen_ = found.empty() ? 0 : std::min(chosen_, found.size() - 1);
    if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow)) && chosen_ + 1 < found.size()) {
        ++chosen_;
        moved_ = true;
    }
    if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)) && chosen_ > 0) {
        --chosen_;
        moved_ = true;
    }
    if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter)) && !found.empty() &&
        found[chosen_]->ready()) {
        choose(*found[chosen_], context);
    }
}

void Palette::draw(const Rect& screen, PanelContext& context) {
    if (!open()) {
        return;
    }
    const std::vector<const Command*> found = context.commands.search(query_.data());
    const auto rows = static_cast<float>(std::max<std::size_t>(found.size(), 1));
    const float content = ImGui::GetFrameHeightWithSpacing() + row_height(context) * rows;
    const Point size{560 * context.scale(),
                     std::min(content + 2 * ImGui::GetStyle().WindowPadding.y, 400 * context.scale())};
    if (window_.begin("##palette", screen, size, false, context)) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##query", "Type a command", query_.data(), query_.size())) {
        chosen_ = 0;
        moved_ = true;
    }
    anchor_last_item(context, "palette/query");
    move_choice(found, context);
    draw_rows(found, context);
    Overlay::end();
}

void Palette::draw_rows(const std::vector<const Command*>& found, PanelContext& context) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild("##rows");
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    const float height = row_height(context);
    for (std::size_t n = 0; n < found.size(); ++n) {
        const Command& command = *found[n];
        const bool ready = command.ready();
        ImGui::PushID(command.name.c_str());
        if (ImGui::InvisibleButton("row", {std::max(1.0F, ImGui::GetContentRegionAvail().x), height}) &&
            ready) {
            choose(command, context);
        }
        const Rect box = last_item();
        if (n == chosen_ || ImGui::IsItemHovered()) {
            canvas.fill(box, n == chosen_ ? context.theme.accent_soft : context.theme.hover);
        }
        if (n == chosen_ && moved_) {
            ImGui::SetScrollHereY(0.5F);
            moved_ = false;
        }
        const float pad = std::round(6 * context.scale());
        const Rect inner{box.left + pad, box.top, box.right - pad, box.bottom};
        const std::string keys = command.key_text();
        const float keys_width = context.fonts.measure(keys, TextStyle::small).x;
        const Rect label{inner.left, inner.top, inner.right - keys_width - pad, inner.bottom};
        canvas.text_in(label,
                       ready ? context.theme.text : context.theme.text_faint,
                       command.group + ": " + command.title);
        canvas.text_in(inner, context.theme.text_dim, keys, Align::right, TextStyle::small);
        anchor_last_item(context, "palette/" + command.name);
        ImGui::PopID();
    }
    if (found.empty()) {
        dim_text(context, "No command matches.");
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

}  // namespace ascendsim::gui
