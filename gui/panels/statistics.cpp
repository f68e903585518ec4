// SPDX-License-Identifier: Apache-2.0
#include "gui/document/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/latest.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

/// Instructions by name and place: how many, how long, how they spread. Narrowed by the find field and the
/// selected stretch.
class StatisticsPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {
            .name = "statistics",
            .title = "Instructions",
            .hint =
                "Count, total, mean, shortest and longest of every instruction; the find field narrows it",
            .dock = Dock::bottom,
            .order = 20,
            .table = true};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return;
        }
        const auto held = run->shared_from_this();
        const ViewState& view = context.view;
        const TimeRange range = view.range.value_or(TimeRange{0, run->cycles()});
        const Rows* rows =
            rows_.get({run->data().get(), range.begin, range.end, view.find},
                      run->at_once(),
                      [held, range, text = view.find] { return statistics_of(*held, range, text); });
        if (rows == nullptr || rows->empty()) {
            empty_panel(context,
                        rows == nullptr ? "Adding up \u2026" : "No instruction matches",
                        view.find.empty() ? "nothing ran in this stretch" : "change or clear the find field");
            return;
        }
        draw_table(context, *run, *rows);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return std::nullopt;
        }
        const TimeRange range = context.view.range.value_or(TimeRange{0, run->cycles()});
        Csv csv{{"pipe",
                 "instruction",
                 "source",
                 "count",
                 "total (cycles)",
                 "mean (cycles)",
                 "least (cycles)",
                 "most (cycles)",
                 "bytes (B)",
                 "bank conflicts (cycles)"}};
        for (const InstructionTotal& row : statistics_of(*run, range, context.view.find)) {
            csv.row({row.pipe,
                     std::string{run->recording().name(row.op)},
                     place_text(run->recording(), row.site),
                     std::to_string(row.count),
                     std::to_string(row.cycles),
                     fmt::format("{:.2f}", row.mean()),
                     std::to_string(row.least),
                     std::to_string(row.most),
                     std::to_string(row.bytes),
                     std::to_string(row.conflicts)});
        }
        return csv.text();
    }

private:
    using Rows = std::vector<InstructionTotal>;
    using Key = std::tuple<const void*, double, double, std::string>;

    static void draw_table(PanelContext& context, const Run& run, const Rows& rows) {
        const std::string_view unit = unit_label(context.time().unit);
        const std::string head = fmt::format("Total, {}", unit);
        const std::string total = fmt::format("Time on the pipe, of all cores, {}", unit);
        const std::string mean = fmt::format("Mean time of one: total over count, {}", unit);
        const std::string least = fmt::format("Time of the shortest, {}", unit);
        const std::string most = fmt::format("Time of the longest, {}", unit);
        if (!begin_table(context,
                         "instructions",
                         {{"Pipe", "The kind of pipe", 54},
                          {"Instruction", "Name and source line; click for the longest one"},
                          {"Count", "How often it ran, on all cores", 58, true},
                          {head, total, 92, true},
                          {"Mean", mean, 58, true},
                          {"Least", least, 54, true, true},
                          {"Most", most, 54, true},
                          {"Bytes", "Bytes moved or worked on, by all of them", 66, true, true},
                          {"B/cycle", "Bytes per cycle on the pipe", 58, true, true},
                          {"Conflicts", "Cycles lost to bank conflicts", 70, true, true},
                          {"Lengths",
                           "How many of each length; every bar is twice as long as the one before",
                           110,
                           false,
                           true}})) {
            return;
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(rows.size()));
        while (clipper.Step()) {
            for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
                draw_row(context, run, rows[static_cast<std::size_t>(n)], n);
            }
        }
        ImGui::EndTable();
    }

    static void draw_row(PanelContext& context, const Run& run, const InstructionTotal& row, int n) {
        const Theme& theme = context.theme;
        const TimeScale time = context.time();
        const std::optional<Pick> chosen = selected(run, context.view);
        const bool lit = chosen && !chosen->stretch.between && chosen->lane == row.longest.lane &&
                         chosen->stretch.index == row.longest.stretch.index;
        if (table_row(context, fmt::format("statistics/row/{}", n), lit)) {
            context.requests.change([pick = row.longest](ViewState& view) { select_and_show(view, pick); });
        }
        cell(context, theme.pipe(row.pipe).label, theme.text_dim, theme.pipe(row.pipe).meaning);
        ImGui::TableNextColumn();
        draw_name(context, run, row);
        const auto number = [&](const std::string& text, Pixel colour) {
            ImGui::TableNextColumn();
            number_cell(context, text, colour);
        };
        number(format_count(row.count), theme.text);
        number(format_time_value(static_cast<double>(row.cycles), time), theme.text);
        number(format_time_value(row.mean(), time), theme.text);
        number(format_time_value(static_cast<double>(row.least), time), theme.text_dim);
        number(format_time_value(static_cast<double>(row.most), time), theme.text_dim);
        number(row.bytes == 0 ? "" : format_bytes(row.bytes), theme.text_dim);
        number(row.bytes == 0 || row.cycles == 0
                   ? ""
                   : fmt::format("{:.1f}", static_cast<double>(row.bytes) / static_cast<double>(row.cycles)),
               theme.text_dim);
        number(row.conflicts == 0 ? "" : format_count(row.conflicts), theme.warning);
        ImGui::TableNextColumn();
        draw_lengths(context, row);
    }

    /// The name, and behind it where it stands in the source, as far as there is room.
    static void draw_name(const PanelContext& context, const Run& run, const InstructionTotal& row) {
        const std::string_view name = run.recording().name(row.op);
        const std::string where = place_text(run.recording(), row.site);
        const std::string hint = where.empty()
                                     ? std::string{name}
                                     : fmt::format("{} at {}\nClick for the longest one", name, where);
        coloured_text(context.theme.text, fitted(context, name, ImGui::GetContentRegionAvail().x));
        tooltip(hint);
        ImGui::SameLine();
        if (const float room = ImGui::GetContentRegionAvail().x; !where.empty() && room > 0) {
            coloured_text(context.theme.text_dim, fitted(context, where, room));
            tooltip(hint);
        }
    }

    static void draw_lengths(PanelContext& context, const InstructionTotal& row) {
        const ImVec2 place = ImGui::GetCursorScreenPos();
        const float height = std::round(ImGui::GetTextLineHeight());
        const float step = std::max(2.0F, std::floor(ImGui::GetContentRegionAvail().x / 16));
        const std::uint64_t most = *std::ranges::max_element(row.lengths);
        ImGui::Dummy({std::max(1.0F, ImGui::GetContentRegionAvail().x), height});
        column_tooltip();
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const float bottom = std::round(place.y) + height;
        for (std::size_t n = 0; n < row.lengths.size(); ++n) {
            const float left = std::round(place.x) + step * static_cast<float>(n);
            const auto share =
                static_cast<float>(row.lengths[n]) / static_cast<float>(std::max<std::uint64_t>(1, most));
            const float up = row.lengths[n] == 0 ? 1 : std::max(2.0F, std::round(share * (height - 2)));
            canvas.fill({left, bottom - up, left + step - 1, bottom},
                        row.lengths[n] == 0 ? context.theme.grid : context.theme.pipe(row.pipe).colour);
        }
    }

    Latest<Key, Rows> rows_;
};

}  // namespace

std::unique_ptr<Panel> make_statistics_panel();

std::unique_ptr<Panel> make_statistics_panel() {
    return std::make_unique<StatisticsPanel>();
}

}  // namespace ascendsim::gui
