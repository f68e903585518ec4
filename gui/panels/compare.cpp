// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/run.hpp"
#include "gui/panels/compare/compare_cache.hpp"
#include "gui/panels/compare/compare_layout.hpp"
#include "gui/panels/compare/compare_rows.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr std::array thresholds{0.0, 0.01, 0.02, 0.05};

/// Two runs side by side: what was changed, what moved, and where the schedules part.
class ComparePanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "compare",
                .title = "Compare",
                .hint = "What changed from run B (before) to run A (now)",
                .dock = Dock::bottom,
                .order = 30,
                .table = true};
    }

    void draw_content(PanelContext& context) override {
        const Run* a = as_run(context.run_a);
        const Run* b = as_run(context.run_b);
        if (a == nullptr || b == nullptr) {
            empty_panel(context,
                        "Nothing to compare with",
                        "Run again after an edit, or Shift+click a run in the list: it becomes B.");
            return;
        }
        const std::shared_ptr<const analysis::Comparison> comparison =
            cache_.get(*a, *b, thresholds.at(threshold_));
        if (comparison == nullptr) {
            empty_panel(context, "Comparing \u2026", "");
            return;
        }
        if (version_ != cache_.version()) {
            version_ = cache_.version();
            tables_ = comparison_tables(*comparison);
        }
        draw_head(*comparison, context);
        draw_tables(*comparison, context);
        publish(*comparison, context);
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& /*context*/) override {
        if (tables_.empty()) {
            return std::nullopt;
        }
        Csv csv{{"table", "what", "B, before", "A, now", "change", "below the threshold"}};
        for (const ComparisonTable& one : tables_) {
            for (const ComparisonRow& row : one.rows) {
                csv.row({std::string{one.title},
                         row.name,
                         row.before,
                         row.after,
                         row.change,
                         row.noise ? "yes" : "no"});
            }
        }
        return csv.text();
    }

private:
    void publish(const analysis::Comparison& comparison, PanelContext& context) const {
        if (context.anchors.enabled()) {
            context.anchors.value("compare.time_change", comparison.time.relative());
            context.anchors.value("compare.parameters", comparison.parameters.size());
            context.anchors.value("compare.diverges", comparison.divergence.has_value());
            context.anchors.value("compare.layouts", layouts_.made());
        }
    }

    void draw_head(const analysis::Comparison& comparison, PanelContext& context) {
        ImGui::AlignTextToFramePadding();
        if (!comparison.wrong_a.empty() || !comparison.wrong_b.empty()) {
            coloured_text(context.theme.warning, "No comparison of speed. " + what_is_wrong(comparison));
            tooltip("Figures below are of what was recorded; their changes say nothing");
            return;
        }
        const double relative = comparison.time.relative();
        const Pixel colour = !comparison.time.significant ? context.theme.text
                             : relative < 0               ? context.theme.good
                                                          : context.theme.bad;
        ImGui::PushFont(context.fonts.font(TextStyle::bold));
        coloured_text(colour, relative_text(comparison.time));
        ImGui::PopFont();
        tooltip("Time of run A against run B");
        ImGui::SameLine(0, std::round(12 * context.scale()));
        draw_headline(comparison, context);
    }

    /// Both times, and of what changed most as many of its parts as fit: a number is there whole or not at
    /// all.
    static void draw_headline(const analysis::Comparison& comparison, PanelContext& context) {
        const std::string times = fmt::format(
            "{} \u2192 {} \u00b5s", format_number(comparison.time.a, 2), format_number(comparison.time.b, 2));
        const auto fits = [&](std::string_view text) {
            return context.fonts.measure(text, TextStyle::regular).x <= ImGui::GetContentRegionAvail().x;
        };
        if (!fits(times)) {
            ImGui::NewLine();
        }
        const std::string whole = times + what_changed(comparison);
        std::string shown = whole;
        for (std::size_t end = whole.size(); !fits(shown) && end > times.size();) {
            end = whole.rfind(", ", end - 1);
            shown = fmt::format("{} \u2026", std::string_view{whole}.substr(0, end));
        }
        coloured_text(context.theme.text, shown);
        constexpr std::string_view meaning =
            "Time of run B, before, and of run A, now, and what changed most";
        tooltip(shown == whole ? std::string{meaning} : fmt::format("{}\n{}", whole, meaning));
    }

    /// The analysis calls the run before "A"; here that is B.
    static std::string what_is_wrong(const analysis::Comparison& comparison) {
        std::string text;
        for (const auto& [run, wrong] :
             {std::pair{'A', &comparison.wrong_b}, std::pair{'B', &comparison.wrong_a}}) {
            if (!wrong->empty()) {
                text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", run, *wrong);
            }
        }
        return text;
    }

    /// Beside the last button, or on the next line where one of that label has no room there.
    static void go_on(const PanelContext& context, std::string_view label) {
        ImGui::SameLine();
        const float wide =
            context.fonts.measure(label, TextStyle::regular).x + 2 * ImGui::GetStyle().FramePadding.x;
        if (ImGui::GetContentRegionAvail().x < wide) {
            ImGui::NewLine();
        }
    }

    void draw_controls(const analysis::Comparison& comparison, PanelContext& context) {
        const std::string noise = fmt::format("noise {:g} %###noise", thresholds.at(threshold_) * 100);
        if (tool_button(context, noise, false, "Changes below this are dimmed; click for the next value")) {
            threshold_ = (threshold_ + 1) % thresholds.size();
        }
        anchor_last_item(context, "compare/threshold");
        constexpr std::string_view on_timeline = "On the timeline";
        go_on(context, on_timeline);
        if (tool_button(context,
                        on_timeline,
                        context.view.compare,
                        "Draws run B below run A on the timeline  (C)\nL and R align B at the selected "
                        "instruction")) {
            context.requests.command("compare.toggle");
        }
        anchor_last_item(context, "compare/timeline");
        draw_alignment(context);
        constexpr std::string_view swap = "Swap";
        go_on(context, swap);
        if (tool_button(context, swap, false, "Swaps A and B  (X)")) {
            context.requests.command("runs.swap");
        }
        anchor_last_item(context, "compare/swap");
        draw_divergence(comparison, context);
    }

    static void draw_alignment(PanelContext& context) {
        const std::string label = fmt::format(
            "aligned by {}", alignment_names.at(static_cast<std::size_t>(context.view.alignment)));
        go_on(context, label);
        if (tool_button(context,
                        label + "###aligned",
                        false,
                        "How B lies over A: cycle by cycle (time), stretched to its length, or a selected "
                        "instruction's "
                        "start or end; click for the next")) {
            context.requests.change([](ViewState& view) {
                const auto next = (static_cast<std::size_t>(view.alignment) + 1) % alignment_names.size();
                view.alignment = static_cast<Alignment>(next);
                view.compare = true;
                if (!view.selected.empty()) {
                    view.aligned_at = view.selected.back();
                }
            });
        }
        anchor_last_item(context, "compare/alignment");
    }

    /// The analysis calls the run before "A"; here that is B, so only what it found is taken over.
    static std::string what_changed(const analysis::Comparison& comparison) {
        const std::size_t colon = comparison.verdict.find(": ");
        return colon == std::string::npos ? std::string{} : ", " + comparison.verdict.substr(colon + 2);
    }

    static void draw_divergence(const analysis::Comparison& comparison, PanelContext& context) {
        if (!comparison.divergence) {
            return;
        }
        const analysis::Divergence& place = *comparison.divergence;
        ImGui::SameLine(0, std::round(18 * context.scale()));
        const auto fits = [&](std::string_view text) {
            return context.fonts.measure(text, TextStyle::regular).x <= ImGui::GetContentRegionAvail().x;
        };
        const std::string cycle = format_count(place.cycle_b);
        const std::string whole =
            fmt::format("schedules part at {} {} cycle {}", place.core, place.pipe, cycle);
        const std::string shown = fits(whole) ? whole : fmt::format("schedules part at {}", cycle);
        if (!fits(shown)) {
            ImGui::NewLine();
        }
        ImGui::AlignTextToFramePadding();
        // The analysis calls the run before "a"; here that is run B.
        const std::string what = fmt::format("{}{}B: {}\nA: {}",
                                             shown == whole ? "" : whole,
                                             shown == whole ? "" : "\n",
                                             place.what_a.empty() ? "(ended)" : place.what_a,
                                             place.what_b.empty() ? "(ended)" : place.what_b);
        if (link(context, shown, what)) {
            const auto at = static_cast<double>(place.cycle_b + comparison.b.from);
            constexpr double around = 500;
            context.requests.change([at](ViewState& view) {
                view.show({std::max(0.0, at - around), at + around});
                view.cursor = at;
                view.compare = true;
                view.active_tabs[std::string{name(Dock::centre)}] = "timeline";
            });
        }
        anchor_last_item(context, "compare/divergence");
    }

    /// As many tables beside each other as fit, from the chosen one on.
    void draw_tables(const analysis::Comparison& comparison, PanelContext& context) {
        const float scale = context.scale();
        const float width = ImGui::GetContentRegionAvail().x;
        const float least = std::round(300 * scale);
        const auto fitting = static_cast<std::size_t>(std::max(1.0F, std::floor(width / least)));
        const std::size_t shown = std::min(fitting, tables_.size());
        if (shown < tables_.size()) {
            for (std::size_t n = 0; n < tables_.size(); ++n) {
                if (n != 0) {
                    go_on(context, tables_[n].title);
                }
                if (tool_button(
                        context, tables_[n].title, n >= first_ && n < first_ + shown, tables_[n].hint)) {
                    first_ = n;
                }
                anchor_last_item(context, fmt::format("compare/{}", tables_[n].name));
            }
            if (width > std::round(980 * scale)) {
                ImGui::SameLine(0, std::round(18 * scale));
            }
        } else {
            first_ = 0;
        }
        draw_controls(comparison, context);
        first_ = std::min(first_, tables_.size() - shown);
        const float gap = std::round(14 * scale);
        const float each =
            std::floor((width - gap * static_cast<float>(shown - 1)) / static_cast<float>(shown));
        for (std::size_t n = 0; n < shown; ++n) {
            if (n != 0) {
                ImGui::SameLine(0, gap);
            }
            const ComparisonTable& table = tables_[first_ + n];
            ImGui::BeginChild(std::string{table.name}.c_str(), {each, 0});
            draw_table(table, context);
            ImGui::EndChild();
        }
    }

    void draw_table(const ComparisonTable& table, PanelContext& context) {
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        const float line = std::round(context.fonts.line_height(TextStyle::regular) + 4 * context.scale());
        const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::Dummy({width, line});
        tooltip(
            fmt::format("{}\nRun B is the one before, run A the one under study; the change is from B to A, "
                        "dim below the "
                        "threshold of noise.",
                        table.hint));
        if (context.anchors.enabled()) {
            anchor_last_item(context, fmt::format("column/compare/{}", table.title));
        }
        const ComparisonRow head{.name = std::string{table.title},
                                 .before = "run B",
                                 .after = "run A",
                                 .change = "change",
                                 .verdict = Verdict::neutral,
                                 .noise = true,
                                 .hint = {},
                                 .cause = {},
                                 .find = {},
                                 .command = {}};
        const Rect top{at.x, at.y, at.x + width, at.y + line};
        const ComparisonLayout& layout = layouts_.get(table, version_, width, context.fonts);
        draw_cells(canvas, top, head, layout, context, nullptr);
        canvas.fill({top.left, top.bottom - 1, top.right, top.bottom}, context.theme.border);
        if (table.rows.empty()) {
            dim_text(context, "no difference");
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(table.rows.size()), line);
        while (clipper.Step()) {
            for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
                draw_row(canvas, table, static_cast<std::size_t>(n), layout, {width, line}, context);
            }
        }
    }

    static void draw_row(ImGuiCanvas& canvas,
                         const ComparisonTable& table,
                         std::size_t n,
                         const ComparisonLayout& layout,
                         ImVec2 size,
                         PanelContext& context) {
        const ComparisonRow& row = table.rows[n];
        ImGui::PushID(static_cast<int>(n));
        ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
        const bool clicked = ImGui::InvisibleButton("row", size);
        ImGui::PopStyleVar();
        const Rect box = last_item();
        if (ImGui::IsItemHovered()) {
            canvas.fill(box, context.theme.hover);
        }
        draw_cells(canvas, box, row, layout, context, &layout.names[n]);
        if (!row.hint.empty()) {
            tooltip(row.hint);
        }
        if (context.anchors.enabled()) {
            anchor_last_item(context, fmt::format("compare/{}/{}", table.name, n));
        }
        if (clicked) {
            jump(row, context);
        }
        ImGui::PopID();
    }

    /// To the largest wait of the cause, to the instructions of the line, or to the view that tells more.
    static void jump(const ComparisonRow& row, PanelContext& context) {
        if (row.cause || !row.find.empty()) {
            context.requests.change([cause = row.cause, find = row.find](ViewState& view) {
                view.cause = cause;
                view.find = find;
            });
            context.requests.command("instance.next");
        } else if (!row.command.empty()) {
            context.requests.command(row.command);
        }
    }

    /// A value that is too wide, from the word on where it parts from the other run's.
    static std::string fitting(const PanelContext& context,
                               std::string_view text,
                               std::string_view other,
                               TextStyle style,
                               float width) {
        const auto parted = static_cast<std::size_t>(std::ranges::mismatch(text, other).in1 - text.begin());
        const std::size_t blank =
            parted == 0 ? std::string_view::npos : text.find_last_of(" _./,", parted - 1);
        if (context.fonts.measure(text, style).x <= width || blank == std::string_view::npos) {
            return without_middle(context.fonts, text, style, width);
        }
        return without_middle(context.fonts, fmt::format("\u2026{}", text.substr(blank + 1)), style, width);
    }

    /// `shown` is as much of the row's name as fits; a head has none.
    static void draw_cells(ImGuiCanvas& canvas,
                           Rect box,
                           const ComparisonRow& row,
                           const ComparisonLayout& layout,
                           const PanelContext& context,
                           const std::string* shown) {
        const bool head = shown == nullptr;
        const float gap = comparison_gap(context.fonts);
        const Pixel dim = row.noise ? context.theme.text_faint : context.theme.text_dim;
        const Pixel plain = row.noise ? context.theme.text_faint : context.theme.text;
        const float change = box.right - layout.change;
        const float after = change - layout.after;
        const float before = after - layout.before;
        const TextStyle name_style = head ? TextStyle::bold : TextStyle::regular;
        const TextStyle style = head ? TextStyle::small : TextStyle::regular;
        const Rect name{box.left + 2, box.top, before - gap, box.bottom};
        canvas.text_in(name,
                       head ? context.theme.text : plain,
                       head ? without_middle(context.fonts, row.name, name_style, name.width()) : *shown,
                       Align::left,
                       name_style);
        canvas.text_in({before, box.top, after - gap, box.bottom},
                       head ? context.theme.run_b : dim,
                       fitting(context, row.before, row.after, style, layout.before - gap),
                       Align::right,
                       style);
        canvas.text_in({after, box.top, change - gap, box.bottom},
                       head ? context.theme.run_a : plain,
                       fitting(context, row.after, row.before, style, layout.after - gap),
                       Align::right,
                       style);
        const Pixel colour = row.verdict == Verdict::better  ? context.theme.good
                             : row.verdict == Verdict::worse ? context.theme.bad
                                                             : dim;
        canvas.text_in({change, box.top, box.right - 2, box.bottom}, colour, row.change, Align::right, style);
    }

    CompareCache cache_;
    std::vector<ComparisonTable> tables_;
    ComparisonLayouts layouts_;
    int version_ = 0;
    std::size_t threshold_ = 1;
    std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_compare_panel();

std::unique_ptr<Panel> make_compare_panel() {
    return std::make_unique<ComparePanel>();
}

}  // namespace ascendsim::gui
