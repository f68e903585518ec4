// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/summary/step_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gui/document/selection.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/name_list.hpp"
#include "gui/timeview/table.hpp"

namespace ascendsim::gui {
namespace {

using analysis::RecordedStep;
using analysis::StepShare;

constexpr std::size_t most_shown = 8;

std::string step_time(const PanelContext& context, double us) {
    return format_time(us * 1e3 * context.time().clock_ghz, context.time());
}

void draw_shares(const PanelContext& context,
                 const RecordedStep& step,
                 const std::vector<StepShare>& shares,
                 std::string_view meaning) {
    for (std::size_t i = 0; i < std::min(most_shown, shares.size()); ++i) {
        const StepShare& share = shares[i];
        const double part = step.step_us > 0 ? share.us / step.step_us : 0;
        const std::string words = fmt::format("{}: {}{}\n{}",
                                              share.what,
                                              step_time(context, share.us),
                                              share.place.empty() ? "" : ", " + share.place,
                                              meaning);
        value_row(context, share.what, format_percent(part), words);
        share_bar(context, part, context.theme.accent, std::round(4 * context.scale()), words);
    }
}

/// The longest span of a name, to go to.
std::optional<Pick> longest_call(const Run& run, std::string_view name) {
    std::optional<Pick> best;
    for (const TrackLanes& track : run.tracks()) {
        for (const std::uint32_t number : track.lanes) {
            const record::Lane& lane = run.recording().lane(number);
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const std::uint64_t cycles = lane.end[i] - lane.start[i];
                if ((!best || cycles > best->cycles()) && run.recording().name(lane.op[i]) == name) {
                    best = pick_span(run, {number, i});
                }
            }
        }
    }
    return best;
}

void draw_critical(PanelContext& context, const Run& run, const RecordedStep& step) {
    heading(context, "Critical path");
    std::vector<NameList::Row> rows;
    for (std::size_t i = 0; i < std::min(most_shown, step.critical.size()); ++i) {
        const StepShare& share = step.critical[i];
        rows.push_back(
            {.name = share.what, .value = format_percent(step.step_us > 0 ? share.us / step.step_us : 0)});
    }
    const std::size_t count = rows.size();
    const NameList list{context, std::move(rows)};
    for (std::size_t i = 0; i < count; ++i) {
        const StepShare& share = step.critical[i];
        if (link(context,
                 list.shown(i),
                 fmt::format("{}\nClick to select its longest call on the timeline", share.what))) {
            if (const std::optional<Pick> pick = longest_call(run, share.what)) {
                context.requests.change([found = *pick](ViewState& view) { select_and_show(view, found); });
            }
        }
        anchor_last_item(context, fmt::format("summary/critical/{}", i));
        list.draw_value(
            context,
            i,
            fmt::format("{} of the chain of tasks that decides the step", step_time(context, share.us)));
    }
}

void draw_trials(const PanelContext& context, const RecordedStep& step) {
    if (step.advice.empty()) {
        return;
    }
    heading(context, "What was tried");
    for (std::size_t i = 0; i < std::min(most_shown, step.advice.size()); ++i) {
        const analysis::StepTrial& trial = step.advice[i];
        ImGui::PushTextWrapPos(0);
        coloured_text(context.theme.good,
                      fmt::format("-{}  {}", format_percent(trial.gain), step_time(context, trial.step_us)));
        coloured_text(context.theme.text, trial.text);
        ImGui::PopTextWrapPos();
        const std::string where = trial.place.empty() ? "" : " (" + trial.place + ")";
        dim_text(context, trial.change + where);
    }
}

}  // namespace

void draw_step_summary(PanelContext& context, const Run& run, const RecordedStep& step) {
    const std::size_t rank = analysis::slowest_rank(step);
    if (rank < step.ranks.size()) {
        heading(context,
                step.ranks.size() == 1 ? fmt::format("Where the {} went", analysis::whole_of(step))
                                       : fmt::format("Where the {} went, {} {} of {}",
                                                     analysis::whole_of(step),
                                                     analysis::part_of(step),
                                                     rank,
                                                     step.ranks.size()));
        draw_shares(context,
                    step,
                    step.ranks[rank].parts,
                    fmt::format("Parts add up to the {}", analysis::whole_of(step)));
        if (!step.ranks[rank].bubbles.empty()) {
            heading(context, "Free time, by cause");
            draw_shares(
                context, step, step.ranks[rank].bubbles, "What the device waited for while it did nothing");
        }
    }
    draw_critical(context, run, step);
    draw_trials(context, step);
    heading(context, "Figures");
    value_row(context, "machine", step.node, "The machine, as of models/nodes");
    value_row(context, "host", step.host, "The processors that call for the tasks, as of models/hosts");
    if (step.average_w > 0) {
        value_row(context,
                  "power",
                  step.limit_w > 0 ? fmt::format("{:.0f} of {:.0f} W", step.average_w, step.limit_w)
                                   : fmt::format("{:.0f} W", step.average_w),
                  "Of a device, on average over the step, and the most it may draw");
    }
    if (context.anchors.enabled()) {
        context.anchors.value("summary.step_us", step.step_us);
        context.anchors.value("summary.rank", rank);
        context.anchors.value("summary.tried", step.advice.size());
    }
}

void draw_report_summary(const PanelContext& context, const analysis::RecordedReport& report) {
    heading(context, "Figures");
    for (const analysis::ReportFigure& figure : report.figures) {
        // A sentence stands below its name.
        const float room = ImGui::GetContentRegionAvail().x;
        if (context.fonts.measure(figure.value, TextStyle::regular).x > room * 0.7F) {
            dim_text(context, figure.name);
            ImGui::PushTextWrapPos(0);
            coloured_text(context.theme.text, figure.value);
            ImGui::PopTextWrapPos();
            tooltip(figure.meaning);
        } else {
            value_row(context, figure.name, figure.value, figure.meaning);
        }
    }
    if (context.anchors.enabled()) {
        context.anchors.value("summary.figures", report.figures.size());
    }
}

std::vector<StepShare> step_rows(const RecordedStep& step) {
    std::vector<StepShare> rows;
    const std::size_t rank = analysis::slowest_rank(step);
    const auto add = [&rows](std::string_view before, const std::vector<StepShare>& shares) {
        for (const StepShare& share : shares) {
            rows.push_back({fmt::format("{}{}", before, share.what), share.us, share.place});
        }
    };
    if (rank < step.ranks.size()) {
        add("", step.ranks[rank].parts);
        add("free: ", step.ranks[rank].bubbles);
    }
    add("critical path: ", step.critical);
    return rows;
}

}  // namespace ascendsim::gui
