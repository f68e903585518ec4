// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/latest.hpp"
#include "gui/document/source_report.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

/// The kernel's text with what every line cost; lines and bars of the timeline lead to each other.
class SourcePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "source",
                .title = "Source",
                .hint = "The kernel's text: cycles, waits and bytes of every line",
                .dock = Dock::bottom,
                .order = 10,
                .table = true};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return;
        }
        const auto held = run->shared_from_this();
        const std::vector<SourceText>* files =
            report_.get(run->data().get(), run->at_once(), [held] { return source_report(*held); });
        if (files == nullptr || files->empty()) {
            empty_panel(context,
                        files == nullptr ? "Adding up \u2026" : "No source lines",
                        "record a kernel that was compiled by ascendsim run");
            return;
        }
        if (path_ != run->recording().path() && files->front().cycles > 0) {
            path_ = run->recording().path();
            scroll_to_ = costliest(files->front());
        }
        follow(*run, context.view, *files);
        shown_ = std::min(shown_, files->size() - 1);
        draw_files(context, *files);
        draw_table(context, (*files)[shown_]);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return std::nullopt;
        }
        Csv csv{{"file", "line", "busy (cycles)", "waits (cycles)", "bytes (B)", "times", "source"}};
        for (const SourceText& file : source_report(*run)) {
            for (std::size_t n = 0; n < file.lines.size(); ++n) {
                const LineTotal& total = file.totals[n];
                csv.row({file.path,
                         std::to_string(n + 1),
                         std::to_string(total.busy),
                         std::to_string(total.wait),
                         std::to_string(total.bytes),
                         std::to_string(total.count),
                         file.lines[n]});
            }
        }
        return csv.text();
    }

private:
    /// The line of a file that took most; what a reader wants to see first.
    static std::size_t costliest(const SourceText& file) {
        const auto most = std::ranges::max_element(
            file.totals, {}, [](const LineTotal& total) { return total.busy + total.wait; });
        return most == file.totals.end() ? 0 : static_cast<std::size_t>(most - file.totals.begin()) + 1;
    }

    /// A new selection brings its line into view.
    void follow(const Run& run, const ViewState& view, const std::vector<SourceText>& files) {
        const std::optional<Pick> pick = selected(run, view);
        std::uint32_t site = 0;
        if (pick && pick->stretch.index < run.recording().lane(pick->lane).size()) {
            site = run.recording().lane(pick->lane).site[pick->stretch.index];
        }
        if (site == site_) {
            return;
        }
        site_ = site;
        line_ = 0;
        const record::SourceLine& place = run.recording().site(site);
        for (std::size_t n = 0; n < files.size(); ++n) {
            if (site != 0 && files[n].path == place.file) {
                shown_ = n;
                line_ = place.line;
                scroll_to_ = line_;
            }
        }
    }

    void draw_files(PanelContext& context, const std::vector<SourceText>& files) {
        for (std::size_t n = 0; n < std::min<std::size_t>(files.size(), 8); ++n) {
            if (n > 0) {
                ImGui::SameLine(0, 2);
            }
            ImGui::PushID(static_cast<int>(n));
            if (tool_button(context, files[n].label, n == shown_, files[n].path)) {
                shown_ = n;
                scroll_to_ = costliest(files[n]);
            }
            anchor_last_item(context, "source/file/" + files[n].label);
            ImGui::PopID();
        }
        if (!files[shown_].found) {
            ImGui::SameLine(0, std::round(14 * context.scale()));
            coloured_text(
                context.theme.warning,
                fmt::format("{} was not found; only the figures of its lines are shown", files[shown_].path));
        }
    }

    void draw_table(PanelContext& context, const SourceText& file) {
        const std::string_view unit = unit_label(context.time().unit);
        const std::string busy_head = fmt::format("Busy, {}", unit);
        const std::string waits_head = fmt::format("Waits, {}", unit);
        const std::string busy = fmt::format("Time on pipes, of all cores, {}", unit);
        const std::string waits = fmt::format("Time waited, of all cores, {}", unit);
        if (!begin_table(context,
                         "lines",
                         {{"Line", "Line of the file; click to select its longest instruction", 48, true},
                          {busy_head, busy, 94, true},
                          {waits_head, waits, 94, true},
                          {"Bytes", "Bytes moved or worked on, by all cores", 76, true, true},
                          {"Times", "Number of instructions and waits, of all cores", 60, true, true},
                          {"Share",
                           "Busy (full) and waiting (hatched) time, against the costliest line",
                           110,
                           false,
                           true},
                          {"Source", "The kernel's text", 0, false, false, 380}})) {
            return;
        }
        ImGuiListClipper clipper;
        const float height = table_row_height();
        if (scroll_to_ != 0) {
            const float rows = std::floor(ImGui::GetWindowHeight() / height / 2);
            ImGui::SetScrollY(std::max(0.0F, static_cast<float>(scroll_to_) - rows) * height);
            scroll_to_ = 0;
        }
        clipper.Begin(static_cast<int>(file.lines.size()), height);
        while (clipper.Step()) {
            for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
                draw_line(context, file, static_cast<std::size_t>(n));
            }
        }
        ImGui::EndTable();
    }

    void draw_line(PanelContext& context, const SourceText& file, std::size_t n) {
        const Theme& theme = context.theme;
        const LineTotal& total = file.totals[n];
        if (table_row(context, fmt::format("source/line/{}", n + 1), line_ == n + 1) && total.largest) {
            context.requests.change(
                [pick = *total.largest](ViewState& view) { select_and_show(view, pick); });
        }
        number_cell(context, fmt::format("{}", n + 1), line_ == n + 1 ? theme.accent : theme.text_faint);
        const auto number = [&](std::uint64_t value, const std::string& text, Pixel colour) {
            ImGui::TableNextColumn();
            if (value != 0) {
                number_cell(context, text, colour);
            }
        };
        number(total.busy, format_time_value(static_cast<double>(total.busy), context.time()), theme.text);
        number(total.wait, format_time_value(static_cast<double>(total.wait), context.time()), theme.warning);
        number(total.bytes, format_bytes(total.bytes), theme.text_dim);
        number(total.count, format_count(total.count), theme.text_dim);
        ImGui::TableNextColumn();
        draw_share(context, file, total);
        ImGui::TableNextColumn();
        ImGui::PushFont(context.fonts.font(TextStyle::mono));
        coloured_text(total.count != 0 ? theme.text : theme.text_dim, file.lines[n]);
        ImGui::PopFont();
        if (total.inserted != 0) {
            ImGui::SameLine();
            coloured_text(
                theme.warning,
                fmt::format("compiler inserted {} before it, {} {}",
                            format_count(total.inserted),
                            format_time_value(static_cast<double>(total.inserted_cycles), context.time()),
                            unit_label(context.time().unit)));
        }
    }

    static void draw_share(PanelContext& context, const SourceText& file, const LineTotal& total) {
        if (total.busy + total.wait == 0) {
            return;
        }
        const ImVec2 place = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const float height = std::round(ImGui::GetTextLineHeight() * 0.6F);
        const float top = std::round(place.y + ImGui::GetTextLineHeight() * 0.2F);
        const auto all = static_cast<float>(std::max<std::uint64_t>(1, file.most));
        const float busy = std::round(static_cast<float>(total.busy) / all * width);
        const float wait = std::round(static_cast<float>(total.wait) / all * width);
        ImGui::Dummy({std::max(1.0F, width), ImGui::GetTextLineHeight()});
        column_tooltip();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const float left = std::round(place.x);
        canvas.fill({left, top, left + busy, top + height}, context.theme.accent);
        const Rect waits{left + busy, top, left + busy + wait, top + height};
        canvas.fill(waits, mix(context.theme.panel, context.theme.warning, 0.35F));
        canvas.hatch(waits, Pattern::diagonal, context.theme.warning);
    }

    Latest<const void*, std::vector<SourceText>> report_;
    std::filesystem::path path_;  // of the run whose costliest line was shown
    std::size_t shown_ = 0;
    std::size_t line_ = 0;
    std::size_t scroll_to_ = 0;
    std::uint32_t site_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_source_panel();

std::unique_ptr<Panel> make_source_panel() {
    return std::make_unique<SourcePanel>();
}

}  // namespace ascendsim::gui
