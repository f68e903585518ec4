// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/analysis/instruction_words.hpp"
#include "gui/document/selection.hpp"
#include "gui/document/words.hpp"
#include "gui/panels/summary/advice_view.hpp"
#include "gui/panels/summary/network_summary.hpp"
#include "gui/panels/summary/step_summary.hpp"
#include "gui/shell/csv.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/name_list.hpp"
#include "gui/timeview/table.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::gui {
namespace {

/// The verdict: how long, how far from the speed of light, what limits, what to try.
class SummaryPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "summary",
                .title = "Summary",
                .hint = "Time, speed of light, what limits, and what to try",
                .dock = Dock::right,
                .order = 0,
                .table = true};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr) {
            return;
        }
        if (run->analysis() == nullptr) {
            empty_panel(context, "Analysing \u2026", "the picture is there already");
            return;
        }
        const RunAnalysis& analysis = *run->analysis();
        find_evidence(*run, analysis);
        draw_problems(context, analysis.summary);
        draw_verdict(context, *run, analysis);
        if (analysis.network) {
            draw_network_summary(context, *run, *analysis.network);
            return;
        }
        if (analysis.of_program()) {
            draw_step_summary(context, *run, *analysis.step);
        } else if (!analysis.of_kernels()) {
            if (analysis.step) {
                draw_step_summary(context, *run, *analysis.step);
            }
            if (analysis.report) {
                draw_report_summary(context, *analysis.report);
            }
            return;
        }
        advice_.draw(context, *run, analysis);
        draw_pipes(context, analysis.summary);
        draw_path(context, *run, analysis);
        draw_figures(context, analysis.summary);
        if (context.anchors.enabled()) {
            context.anchors.value("summary.cycles", analysis.summary.cycles);
            context.anchors.value("summary.bottleneck", analysis::name(analysis.bottleneck));
            context.anchors.value("summary.findings", analysis.advice.size());
            context.anchors.value("summary.faults", analysis::faults_of(analysis.summary).size());
        }
    }

    [[nodiscard]] std::optional<std::string> table(const PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        if (run == nullptr || run->analysis() == nullptr) {
            return std::nullopt;
        }
        const RunAnalysis& analysis = *run->analysis();
        const analysis::RunSummary& summary = analysis.summary;
        Csv csv{{"figure", "value", "unit"}};
        csv.row({"run time", std::to_string(summary.cycles), "cycles"});
        csv.row({"run time", fmt::format("{:.4f}", summary.time_us), "us"});
        const bool of_kernel = analysis.of_kernels();
        if (!analysis::failed(summary) && of_kernel) {
            csv.row({"speed of light", fmt::format("{:.4f}", summary.bounds.speed_of_light_us()), "us"});
        }
        csv.row(!of_kernel ? std::vector<std::string>{"verdict", analysis.verdict, ""}
                           : std::vector<std::string>{
                                 "bottleneck", std::string{analysis::name(analysis.bottleneck)}, ""});
        for (const std::string& fault : analysis::faults_of(summary)) {
            csv.row({"fault", fault, ""});
        }
        if (analysis.network) {
            for (const analysis::NetworkKind& kind : analysis.network->kinds) {
                csv.row({fmt::format("{} x {}", kind.kind, kind.count),
                         fmt::format("{:.4f}", kind.time_us),
                         "us"});
            }
            return csv.text();
        }
        if (analysis.step) {
            for (const auto& [what, us, place] : step_rows(*analysis.step)) {
                csv.row({what, fmt::format("{:.4f}", us), "us"});
            }
        }
        if (analysis.report) {
            for (const analysis::ReportFigure& figure : analysis.report->figures) {
                csv.row({figure.name, figure.value, ""});
            }
        }
        if (!of_kernel) {
            return csv.text();
        }
        for (const analysis::PipeUse& pipe : summary.pipes) {
            csv.row({fmt::format("busy {} x {}", pipe.pipe, pipe.lanes),
                     fmt::format("{:.6f}", pipe.utilization()),
                     "share of the run"});
        }
        for (const analysis::Root& root : analysis.path.roots) {
            csv.row({fmt::format("critical path: {} {}, {}",
                                 analysis::spoken_instruction(run->recording().name(root.op)),
                                 place_text(run->recording(), root.site),
                                 way_of(root)),
                     std::to_string(root.cycles),
                     "cycles"});
        }
        csv.row({"global memory", fmt::format("{:.3f}", summary.achieved_gbps()), "GB/s"});
        csv.row(
            {"HBM traffic", fmt::format("{:.0f}", static_cast<double>(summary.traffic.hbm_bytes())), "B"});
        return csv.text();
    }

private:
    static void draw_verdict(PanelContext& context, const Run& run, const RunAnalysis& analysis) {
        const Theme& theme = context.theme;
        const analysis::RunSummary& summary = analysis.summary;
        ImGui::PushFont(context.fonts.font(TextStyle::title));
        coloured_text(theme.text, format_time(static_cast<double>(summary.cycles), context.time()));
        ImGui::PopFont();
        tooltip("From the launch to the end of the last core, of one execution on average");
        if (context.time().unit == TimeUnit::cycles) {
            ImGui::SameLine();
            ImGui::AlignTextToFramePadding();
            coloured_text(theme.text_dim,
                          format_time(static_cast<double>(summary.cycles),
                                      {TimeUnit::microseconds, summary.clock_ghz}));
            tooltip(fmt::format("The same in time, at {:g} GHz", summary.clock_ghz));
        }
        if (!run.recording().complete()) {
            coloured_text(theme.warning, "not the whole run: figures so far");
        }
        // Of a run that failed the time until then is no time of its problem.
        const double efficiency = analysis::failed(summary) ? 0 : summary.bounds.efficiency(summary.time_us);
        if (efficiency > 0) {
            constexpr std::string_view meaning =
                "The least time the problem needs on this chip, whatever the schedule";
            share_bar(context,
                      efficiency,
                      efficiency > 0.7 ? theme.good : theme.accent,
                      std::round(6 * context.scale()),
                      meaning);
            dim_text(context,
                     fmt::format("{} of the speed of light ({}, {})",
                                 format_percent(efficiency),
                                 format_time(summary.bounds.speed_of_light_us() * 1e3 * summary.clock_ghz,
                                             {TimeUnit::microseconds, summary.clock_ghz}),
                                 summary.bounds.limiter));
            tooltip(meaning);
        }
        ImGui::PushTextWrapPos(0);
        coloured_text(theme.text, analysis.verdict);
        ImGui::PopTextWrapPos();
    }

    static void draw_problems(PanelContext& context, const analysis::RunSummary& summary) {
        ImGui::PushTextWrapPos(0);
        for (const std::string& fault : analysis::faults_of(summary)) {
            coloured_text(context.theme.bad, fault);
        }
        const std::size_t wastes = summary.hazards.size() - analysis::count_hazards(summary.hazards);
        if (wastes > 0) {
            coloured_text(context.theme.warning,
                          fmt::format("{} of the flags and barriers only cost time", wastes));
        }
        ImGui::PopTextWrapPos();
    }

    /// Looks the evidence up once for every analysis: the path may have many pieces.
    void find_evidence(const Run& run, const RunAnalysis& analysis) {
        if (evidence_of_ == run.analysis_pointer()) {
            return;
        }
        evidence_of_ = run.analysis_pointer();
        roots_.clear();
        for (std::size_t n = 0; n < std::min(most_roots, analysis.path.roots.size()); ++n) {
            roots_.push_back(gui::evidence_of(run, analysis, analysis.path.roots[n]));
        }
    }

    static void draw_pipes(PanelContext& context, const analysis::RunSummary& summary) {
        heading(context, "Busy, by pipe");
        for (const analysis::PipeUse& pipe : summary.pipes) {
            const PipeStyle& style = context.theme.pipe(pipe.pipe);
            const std::string meaning = fmt::format(
                "{}: {}\nShare of the run in which it worked, on average over the {} cores that use it",
                style.label,
                style.meaning,
                pipe.lanes);
            value_row(context,
                      pipe.cores.empty()
                          ? fmt::format("{} \u00d7 {}", style.label, pipe.lanes)
                          : fmt::format("{} of {} \u00d7 {}", style.label, pipe.cores, pipe.lanes),
                      format_percent(pipe.utilization()),
                      meaning);
            share_bar(context, pipe.utilization(), style.colour, std::round(4 * context.scale()), meaning);
        }
    }

    /// "copying, requests under way": what the path did there, and what kept that from being faster. Without
    /// the second, rows of one instruction look the same.
    static std::string way_of(const analysis::Root& root) {
        return root.limiter == record::Limiter::none
                   ? std::string{label(root.kind)}
                   : fmt::format("{}, {}", label(root.kind), record::label(root.limiter));
    }

    static std::string root_name(const Run& run, const analysis::Root& root) {
        const std::string where = place_text(run.recording(), root.site);
        return root.op == 0 ? std::string{label(root.kind)}
                            : fmt::format("{}{}{}, {}",
                                          analysis::spoken_instruction(run.recording().name(root.op)),
                                          where.empty() ? "" : " at ",
                                          where,
                                          way_of(root));
    }

    void draw_path(PanelContext& context, const Run& run, const RunAnalysis& analysis) const {
        if (analysis.path.roots.empty()) {
            return;
        }
        heading(context, "Critical path");
        const auto all = static_cast<double>(std::max<std::uint64_t>(1, analysis.path.cycles()));
        std::vector<NameList::Row> rows;
        for (std::size_t n = 0; n < roots_.size(); ++n) {
            const analysis::Root& root = analysis.path.roots[n];
            rows.push_back({.name = root_name(run, root),
                            .value = format_percent(static_cast<double>(root.cycles) / all)});
        }
        const NameList list{context, std::move(rows)};
        for (std::size_t n = 0; n < roots_.size(); ++n) {
            if (const std::optional<Pick>& pick = roots_[n]) {
                if (link(context,
                         list.shown(n),
                         fmt::format("{}\nClick to select it on the timeline", list.name(n)))) {
                    context.requests.change(
                        [found = *pick](ViewState& view) { select_and_show(view, found); });
                }
                anchor_last_item(context, fmt::format("summary/path/{}", n));
            } else {
                coloured_text(context.theme.text_dim, list.shown(n));
            }
            const auto cycles = static_cast<double>(analysis.path.roots[n].cycles);
            list.draw_value(
                context,
                n,
                fmt::format("Share of the critical path: {}", format_time(cycles, context.time())));
        }
    }

    static void draw_figures(PanelContext& context, const analysis::RunSummary& summary) {
        heading(context, "Figures");
        value_row(context, "cores used", format_count(summary.cores_used), "Cores that ran anything");
        value_row(context,
                  "launch",
                  format_time(static_cast<double>(summary.launch_cycles), context.time()),
                  "Before the first core begins and after the last ends");
        value_row(context,
                  "global memory",
                  fmt::format("{:.1f} GB/s", summary.achieved_gbps()),
                  "Bytes to and from global memory over the run time");
        value_row(context,
                  "from L2",
                  format_percent(summary.traffic.l2_hit_rate()),
                  "Share of those bytes that L2 served");
        value_row(context, "HBM", format_bytes(summary.traffic.hbm_bytes()), "Read from and written to HBM");
        if (summary.flops > 0 && summary.complete && !analysis::failed(summary)) {
            value_row(context,
                      "arithmetic",
                      fmt::format("{:.3g} TFLOP/s", summary.tflops()),
                      "Operations of the problem over the run time");
        }
        value_row(
            context, "mode", summary.mode, "Functional runs compute results too; both give the same cycles");
    }

    static constexpr std::size_t most_roots = 6;

    AdviceView advice_;
    std::shared_ptr<const RunAnalysis> evidence_of_;
    std::vector<std::optional<Pick>> roots_;
};

}  // namespace

std::unique_ptr<Panel> make_summary_panel();

std::unique_ptr<Panel> make_summary_panel() {
    return std::make_unique<SummaryPanel>();
}

}  // namespace ascendsim::gui
