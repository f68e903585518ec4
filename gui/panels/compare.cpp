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
        publish(*comparison, context);
        draw_head(*comparison, context);
        draw_tables(*comparison, context);
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
    static void publish(const analysis::Comparison& comparison, PanelContext& context) {
        if (context.anchors.enabled()) {
            context.anchors.value("compare.time_change", comparison.time.relative());
            context.anchors.value("compare.parameters", comparison.parameters.size());
            context.anchors.value("compare.diverges", comparison.divergence.has_value());
        }
    }

    /// Pixels of the columns beside the names.
    struct Columns {
        float before = 0;
        float after = 0;
        float change = 0;
    };

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
        coloured_text(context.theme.text, headline(comparison));
        tooltip("Time of run B, before, and of run A, now, and what changed most");
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

    void draw_controls(const analysis::Comparison& comparison, PanelContext& context) {
        if (tool_button(context,
                        fmt::format("noise {:g} %", thresholds.at(threshold_) * 100),
                        false,
                        "Changes below this are dimmed; click for the next value")) {
            threshold_ = (threshold_ + 1) % thresholds.size();
        }
        anchor_last_item(context, "compare/threshold");
        ImGui::SameLine();
        if (tool_button(context,
                        "On the timeline",
                        context.view.compare,
                        "Draws run B below run A on the timeline  (C)\nL and R align B at the selected "
                        "instruction")) {
            context.requests.command("compare.toggle");
        }
        anchor_last_item(context, "compare/timeline");
        ImGui::SameLine();
        draw_alignment(context);
        ImGui::SameLine();
        if (tool_button(context, "Swap", false, "Swaps A and B  (X)")) {
            context.requests.command("runs.swap");
        }
        anchor_last_item(context, "compare/swap");
        draw_divergence(comparison, context);
    }

    static void draw_alignment(PanelContext& context) {
        if (tool_button(context,
                        fmt::format("aligned by {}",
                                    alignment_names.at(static_cast<std::size_t>(context.view.alignment))),
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
    static std::string headline(const analysis::Comparison& comparison) {
        const std::size_t colon = comparison.verdict.find(": ");
        return fmt::format("{} \u2192 {} \u00b5s{}",
                           format_number(comparison.time.a, 2),
                           format_number(comparison.time.b, 2),
                           colon == std::string::npos ? "" : ", " + comparison.verdict.substr(colon + 2));
    }

    static void draw_divergence(const analysis::Comparison& comparison, PanelContext& context) {
        if (!comparison.divergence) {
            return;
        }
        const analysis::Divergence& place = *comparison.divergence;
        ImGui::SameLine(0, std::round(18 * context.scale()));
        if (ImGui::GetContentRegionAvail().x < std::round(120 * context.scale())) {
            ImGui::NewLine();
            return;
        }
        ImGui::AlignTextToFramePadding();
        // The analysis calls the run before "a"; here that is run B.
        const std::string what = fmt::format("B: {}\nA: {}",
                                             place.what_a.empty() ? "(ended)" : place.what_a,
                                             place.what_b.empty() ? "(ended)" : place.what_b);
        if (link(context,
                 fmt::format(
                     "schedules part at {} {} cycle {}", place.core, place.pipe, format_count(place.cycle_b)),
                 what)) {
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
                    ImGui::SameLine();
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

    static void draw_table(const ComparisonTable& table, PanelContext& context) {
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
        const Columns columns = columns_of(table, width, context);
        draw_cells(canvas, top, head, columns, context, true);
        canvas.fill({top.left, top.bottom - 1, top.right, top.bottom}, context.theme.border);
        if (table.rows.empty()) {
            dim_text(context, "no difference");
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(table.rows.size()), line);
        while (clipper.Step()) {
            for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
                draw_row(canvas, table, static_cast<std::size_t>(n), columns, {width, line}, context);
            }
        }
    }

    static void draw_row(ImGuiCanvas& canvas,
                         const ComparisonTable& table,
                         std::size_t n,
                         const Columns& columns,
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
        draw_cells(canvas, box, row, columns, context, false, like(table, n, columns, size.x, context));
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

    /// Another row whose name is cut to the same as that of row `n`; empty if there is none.
    static std::string_view like(const ComparisonTable& table,
                                 std::size_t n,
                                 const Columns& columns,
                                 float width,
                                 const PanelContext& context) {
        const float room = name_width(columns, width, context);
        const std::string& name = table.rows[n].name;
        const std::string shown = without_middle(context.fonts, name, TextStyle::regular, room);
        if (shown == name) {
            return {};
        }
        for (const ComparisonRow& other : table.rows) {
            if (other.name != name && other.name.size() >= shown.size() / 2 && other.name[0] == name[0] &&
                without_middle(context.fonts, other.name, TextStyle::regular, room) == shown) {
                return other.name;
            }
        }
        return {};
    }

    /// Pixels that a name has in a table `width` wide.
    static float name_width(const Columns& columns, float width, const PanelContext& context) {
        const float gap = std::round(6 * context.scale());
        return width - columns.change - columns.after - columns.before - gap - 2;
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

    /// Each column is as wide as its numbers; words in it get what names leave, which come first.
    static Columns columns_of(const ComparisonTable& table, float width, const PanelContext& context) {
        constexpr std::size_t looked_at = 200;  // rows
        const float gap = std::round(6 * context.scale());
        const auto wide = [&](std::string_view text, TextStyle style) {
            return std::ceil(context.fonts.measure(text, style).x) + gap;
        };
        const auto is_number = [](const std::string& text) {
            return text.find_first_not_of("0123456789,.+-%= \u2212\u00a0") == std::string::npos;
        };
        float names = wide(table.title, TextStyle::bold);
        Columns widest{wide("run B", TextStyle::small),
                       wide("run A", TextStyle::small),
                       wide("change", TextStyle::small)};
        Columns numbers = widest;
        for (std::size_t n = 0; n < std::min(looked_at, table.rows.size()); ++n) {
            const ComparisonRow& row = table.rows[n];
            names = std::max(names, wide(row.name, TextStyle::regular));
            const auto look = [&](const std::string& text, float& number, float& any) {
                const float pixels = wide(text, TextStyle::regular);
                any = std::max(any, pixels);
                number = is_number(text) ? std::max(number, pixels) : number;
            };
            look(row.before, numbers.before, widest.before);
            look(row.after, numbers.after, widest.after);
            look(row.change, numbers.change, widest.change);
        }
        // What one column of words leaves is the other's.
        const float room = std::max(0.0F, width - widest.change - std::min(names, std::round(width * 0.6F)));
        const auto words = [room](float mine, float others) {
            return std::min(mine, std::max(room / 2, room - others));
        };
        return {std::round(std::max(numbers.before, words(widest.before, widest.after))),
                std::round(std::max(numbers.after, words(widest.after, widest.before))),
                widest.change};
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

    static void draw_cells(ImGuiCanvas& canvas,
                           Rect box,
                           const ComparisonRow& row,
                           const Columns& columns,
                           const PanelContext& context,
                           bool head,
                           std::string_view like = {}) {
        const float gap = std::round(6 * context.scale());
        const Pixel dim = row.noise ? context.theme.text_faint : context.theme.text_dim;
        const Pixel plain = row.noise ? context.theme.text_faint : context.theme.text;
        const float change = box.right - columns.change;
        const float after = change - columns.after;
        const float before = after - columns.before;
        const TextStyle name_style = head ? TextStyle::bold : TextStyle::regular;
        const TextStyle style = head ? TextStyle::small : TextStyle::regular;
        const Rect name{box.left + 2, box.top, before - gap, box.bottom};
        canvas.text_in(name,
                       head ? context.theme.text : plain,
                       like.empty() ? without_middle(context.fonts, row.name, name_style, name.width())
                                    : told_apart(context.fonts, row.name, like, name_style, name.width()),
                       Align::left,
                       name_style);
        canvas.text_in({before, box.top, after - gap, box.bottom},
                       head ? context.theme.run_b : dim,
                       fitting(context, row.before, row.after, style, columns.before - gap),
                       Align::right,
                       style);
        canvas.text_in({after, box.top, change - gap, box.bottom},
                       head ? context.theme.run_a : plain,
                       fitting(context, row.after, row.before, style, columns.after - gap),
                       Align::right,
                       style);
        const Pixel colour = row.verdict == Verdict::better  ? context.theme.good
                             : row.verdict == Verdict::worse ? context.theme.bad
                                                             : dim;
        canvas.text_in({change, box.top, box.right - 2, box.bottom}, colour, row.change, Align::right, style);
    }

    CompareCache cache_;
    std::vector<ComparisonTable> tables_;
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
