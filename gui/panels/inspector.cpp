// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_step.hpp"
#include "app/analysis/traffic.hpp"
#include "app/report/words.hpp"
#include "gui/canvas/elide.hpp"
#include "gui/canvas/imgui_canvas.hpp"
#include "gui/document/wait_chain.hpp"
#include "gui/document/words.hpp"
#include "gui/shell/widgets.hpp"
#include "gui/timeview/lane_picture.hpp"
#include "gui/timeview/table.hpp"
#include "models/port/pipe.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::gui {
namespace {

/// What is known about the selection: the instruction, its times and bytes, and why it waited.
class InspectorPanel final : public Panel {
public:
    [[nodiscard]] PanelInfo info() const override {
        return {.name = "inspector",
                .title = "Inspector",
                .hint = "The selected instruction or bubble, and what it waited for",
                .dock = Dock::right,
                .order = 10};
    }

    void draw_content(PanelContext& context) override {
        const Run* run = as_run(context.run_a);
        const std::optional<Pick> pick = run == nullptr ? std::nullopt : selected(*run, context.view);
        if (pick) {
            draw_head(context, *run, *pick);
            draw_times(context, *run, *pick);
            draw_facts(context, *run, *pick);
            draw_chain(context, *run, *pick);
            publish(context, *run, *pick);
        }
        if (run != nullptr && context.view.range) {
            draw_range(context, *run, *context.view.range);
        } else if (!pick) {
            empty_panel(context, "Nothing selected", "click a bar or a bubble on the timeline");
        }
    }

private:
    static void draw_head(PanelContext& context, const Run& run, const Pick& pick) {
        const Theme& theme = context.theme;
        const float size = std::round(context.fonts.line_height(TextStyle::regular) + 6 * context.scale());
        const ImVec2 place = ImGui::GetCursorScreenPos();
        const Rect swatch = whole_pixels({place.x, place.y, place.x + 1.6F * size, place.y + size});
        ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
        if (pick.waits()) {
            draw_cause(canvas, swatch, theme.cause(pick.stretch.reason), theme);
        } else {
            canvas.fill(swatch, bar_colour(theme, run, pick));
        }
        ImGui::Dummy({std::round(1.6F * size), size});
        ImGui::SameLine(0, std::round(8 * context.scale()));
        ImGui::AlignTextToFramePadding();
        ImGui::PushFont(context.fonts.font(TextStyle::bold));
        const record::Lane& lane = run.recording().lane(pick.lane);
        const std::string name = pick.waits()
                                     ? wait_label(run, pick)
                                     : std::string{run.recording().name(lane.op[pick.stretch.index])};
        coloured_text(theme.text,
                      without_middle(context.fonts, name, TextStyle::bold, ImGui::GetContentRegionAvail().x));
        ImGui::PopFont();
        tooltip(name);
        dim_text(context,
                 pick.waits() ? fmt::format("{}: {}",
                                            lane_label(run, pick.lane, theme),
                                            cause_words(pick.stretch.reason, lane.path.on_core()).meaning)
                              : lane_label(run, pick.lane, theme));
        if (const std::string* wait = pick.waits() ? run.never_set(pick.lane, pick.stretch.start) : nullptr) {
            ImGui::PushTextWrapPos(0);
            coloured_text(theme.bad, fmt::format("never set: {}", *wait));
            ImGui::PopTextWrapPos();
        }
        draw_place(context, run, pick);
    }

    static Pixel bar_colour(const Theme& theme, const Run& run, const Pick& pick) {
        const record::Lane& lane = run.recording().lane(pick.lane);
        return lane.path.on_core() ? lane_colour(theme, lane.path)
                                   : theme.task(run.recording().name(lane.op[pick.stretch.index]));
    }

    static void draw_place(PanelContext& context, const Run& run, const Pick& pick) {
        const record::Lane& lane = run.recording().lane(pick.lane);
        if (pick.stretch.index >= lane.size()) {
            return;
        }
        const std::string place = place_text(run.recording(), lane.site[pick.stretch.index]);
        if (place.empty()) {
            return;
        }
        if (link(context, place, "Shows the line in the source")) {
            context.requests.command("panel.show_source");
        }
        anchor_last_item(context, "inspector/source");
    }

    static void draw_times(PanelContext& context, const Run& run, const Pick& pick) {
        const TimeScale time = context.time();
        const auto row = [&](std::string_view label, std::uint64_t cycle, std::string_view meaning) {
            value_row(context, label, format_time_value(static_cast<double>(cycle), time), meaning);
        };
        heading(context, fmt::format("Times, {}", unit_label(time.unit)));
        const record::Lane& lane = run.recording().lane(pick.lane);
        const bool on_core = lane.path.on_core();
        if (!pick.waits() && on_core) {
            row("issued",
                lane.issue[pick.stretch.index],
                "The scalar unit handed it over to the pipe's queue");
        }
        row("start",
            pick.stretch.start,
            pick.waits() ? "The wait begins"
            : on_core    ? "First cycle on the pipe"
                         : "It begins");
        const bool never = pick.waits() && run.never_set(pick.lane, pick.stretch.start) != nullptr;
        row("end",
            pick.stretch.end,
            never          ? "The run ended: the wait would have gone on"
            : pick.waits() ? "The wait is over"
            : on_core      ? "The pipe is free again"
                           : "It is over");
        if (!pick.waits() && on_core) {
            row("result visible", lane.complete[pick.stretch.index], "Its result may be used");
        }
        row("duration", pick.cycles(), "From start to end");
        if (!pick.waits() && pick.stretch.start > lane.issue[pick.stretch.index]) {
            row("in the queue", pick.stretch.start - lane.issue[pick.stretch.index], "From issue to start");
        }
    }

    static void draw_facts(PanelContext& context, const Run& run, const Pick& pick) {
        if (pick.waits()) {
            return;
        }
        const record::Span span = run.recording().span(pick.span());
        const auto cycles = static_cast<double>(std::max<std::uint64_t>(1, pick.cycles()));
        if (!run.recording().lane(pick.lane).path.on_core()) {
            draw_track_facts(context, run, pick, cycles);
            return;
        }
        heading(context, "Work");
        if (span.memory != 0 || span.bytes != 0) {
            value_row(
                context,
                reads_memory(span) ? "reads" : "writes",
                fmt::format(
                    "{} at {:#x}, {}", memory_words(span.memory), span.offset, format_bytes(span.bytes)),
                "The buffer it works on, the offset in it, and how much");
        }
        if (span.work != 0) {
            value_row(context,
                      "work",
                      fmt::format("{} ({:.1f} a cycle)", format_count(span.work), span.work / cycles),
                      "Elements, or multiply-accumulates of the cube");
        }
        if (span.bytes != 0) {
            value_row(
                context, "rate", format_rate(span.bytes / cycles, run.clock_ghz()), "Bytes over duration");
        }
        if (span.conflict != 0) {
            value_row(
                context,
                "bank conflicts",
                fmt::format(
                    "{} cycles ({})", format_count(span.conflict), format_percent(span.conflict / cycles)),
                "Cycles lost because two accesses needed one bank of the buffer");
        }
        draw_route(context, run, span);
    }

    /// Of a task: the bytes it moves, and its four times.
    static void draw_track_facts(PanelContext& context, const Run& run, const Pick& pick, double cycles) {
        const record::Lane& lane = run.recording().lane(pick.lane);
        if (const std::uint32_t bytes = lane.bytes[pick.stretch.index]; bytes != 0) {
            const bool many = bytes == ~std::uint32_t{0};
            heading(context, "Work");
            value_row(context,
                      "bytes",
                      fmt::format("{}{}", many ? "at least " : "", format_bytes(bytes)),
                      "What it moves");
            value_row(context,
                      "rate",
                      fmt::format("{}{:.3g} GB/s", many ? "at least " : "", bytes / cycles * run.clock_ghz()),
                      "Bytes over duration");
        }
        const RunAnalysis* analysis = run.analysis();
        const analysis::StepTaskTimes* times =
            analysis == nullptr || !analysis->step
                ? nullptr
                : analysis::times_of(*analysis->step, run.recording().name(lane.op[pick.stretch.index]));
        if (times != nullptr) {
            draw_four_times(context, run, *times, analysis->step->step_us);
        }
    }

    static void draw_four_times(PanelContext& context,
                                const Run& run,
                                const analysis::StepTaskTimes& times,
                                double step_us) {
        const auto text = [&](double us) { return format_time(us * 1e3 * run.clock_ghz(), context.time()); };
        heading(context, fmt::format("A call of {}, on average", times.name));
        value_row(context, "alone on the device", text(times.device_us), "With nothing beside it");
        value_row(
            context, "beside others", text(times.contended_us), "As it ran, sharing links with other tasks");
        value_row(context, "with launch", text(times.with_launch_us), "From the host's call to its end");
        value_row(context,
                  "critical path, all",
                  fmt::format("{} ({})",
                              text(times.critical_us),
                              format_percent(step_us > 0 ? times.critical_us / step_us : 0)),
                  fmt::format("What all {} calls have of the path that decides the step", times.calls));
        if (!times.problem.empty()) {
            dim_text(context, times.problem);
        }
        if (context.anchors.enabled()) {
            context.anchors.value("inspector.device_us", times.device_us);
            context.anchors.value("inspector.critical_us", times.critical_us);
        }
    }

    static bool reads_memory(const record::Span& span) {
        return span.route < analysis::gm_route_count && analysis::writes_gm(span.route);
    }

    static void draw_route(PanelContext& context, const Run& run, const record::Span& span) {
        if (span.route >= analysis::gm_route_count) {
            return;
        }
        value_row(context, "route", curve_label(first_route_curve + span.route), "The route of the bytes");
        if (span.limiter != record::Limiter::none) {
            value_row(context,
                      "limited by",
                      record::label(span.limiter),
                      "What limited its rate for most of its duration");
        }
        value_row(context,
                  "global memory",
                  fmt::format("{:#x}, {} requests", span.gm_offset, format_count(span.requests)),
                  "The offset in global memory, and the requests to L2 it was cut into");
        const auto share = [&](std::uint32_t bytes) {
            return fmt::format("{} ({})",
                               format_bytes(bytes),
                               format_percent(span.bytes == 0 ? 0 : double{1} * bytes / span.bytes));
        };
        value_row(context, "from L2", share(span.l2_hit_bytes), "Bytes that L2 had");
        value_row(context, "read from HBM", share(span.hbm_read_bytes), "Bytes L2 had to fetch");
        value_row(context,
                  "written to HBM",
                  share(span.hbm_write_bytes),
                  "Including lines written back to make room");
        (void)run;
    }

    void draw_chain(PanelContext& context, const Run& run, const Pick& pick) {
        constexpr std::size_t most = 14;
        if (pick.lane != chain_of_.lane || pick.stretch.index != chain_of_.stretch.index ||
            pick.stretch.between != chain_of_.stretch.between || run.data().get() != chain_run_) {
            chain_ = wait_chain(run, pick, most);
            chain_of_ = pick;
            chain_run_ = run.data().get();
        }
        if (chain_.empty()) {
            return;
        }
        heading(context,
                pick.waits() ? "What it waited for, latest first" : "What it started after, latest first");
        for (std::size_t n = 0; n < chain_.size(); ++n) {
            draw_segment(context, run, pick, n);
        }
        if (chain_.size() == most) {
            dim_text(context, "\u2026 and more before");
        }
    }

    void draw_segment(PanelContext& context, const Run& run, const Pick& pick, std::size_t n) const {
        const analysis::PathSegment& segment = chain_[n];
        const std::optional<Pick> target = pick_span(run, segment.span);
        const std::string cycles = format_time_value(static_cast<double>(segment.cycles()), context.time());
        value_row(context,
                  target && n + 1 == chain_.size() ? fmt::format("root: {}", label(segment.kind))
                                                   : std::string{label(segment.kind)},
                  cycles,
                  "How long the chain of causes stayed here");
        if (!target) {
            return;
        }
        ImGui::Indent(std::round(14 * context.scale()));
        const bool own = target->lane == pick.lane && target->stretch.index == pick.stretch.index;
        const std::string text = fmt::format(
            "{} {}", lane_label(run, target->lane, context.theme), pick_label(run, *target, context.theme));
        if (own) {
            dim_text(context, text);
        } else {
            pick_link(context, *target, text, fmt::format("inspector/chain/{}", n));
        }
        ImGui::Unindent(std::round(14 * context.scale()));
    }

    static void draw_range(PanelContext& context, const Run& run, const TimeRange& range) {
        heading(context, "Selected stretch");
        value_row(context, "from", format_time(range.begin, context.time()), "Where it begins");
        value_row(context, "length", format_time(range.length(), context.time()), "Its length");
        const double cycles = range.length();
        for (const std::size_t curve : {hbm_curve, l2_read_curve, l2_write_curve}) {
            const double bytes = run.traffic().bytes(curve, range.begin, range.end);
            if (bytes > 0) {
                value_row(context,
                          curve_label(curve),
                          fmt::format("{}, {}",
                                      format_bytes(static_cast<std::uint64_t>(bytes)),
                                      format_rate(bytes / cycles, run.clock_ghz())),
                          "Bytes moved in the stretch");
            }
        }
        draw_busy(context, run, range);
    }

    static void draw_busy(PanelContext& context, const Run& run, const TimeRange& range) {
        for (const std::string_view pipe : pipe_names) {
            std::uint64_t busy = 0;
            std::uint64_t total = 0;
            for (const CoreLanes& core : run.cores()) {
                for (const std::uint32_t lane : core.lanes) {
                    if (run.recording().lane(lane).path.pipe() == pipe) {
                        const record::Occupancy sum = visible_occupancy(run, lane, range);
                        busy += sum.busy();
                        total += sum.total();
                    }
                }
            }
            if (total > 0) {
                value_row(context,
                          fmt::format("{} busy", context.theme.pipe(pipe).label),
                          format_percent(static_cast<double>(busy) / static_cast<double>(total)),
                          "Share of the stretch in which the pipe worked, over all cores that have it");
            }
        }
    }

    void publish(PanelContext& context, const Run& run, const Pick& pick) const {
        if (!context.anchors.enabled()) {
            return;
        }
        context.anchors.value("inspector.reason", record::name(pick.stretch.reason));
        context.anchors.value("inspector.cycles", pick.cycles());
        context.anchors.value("inspector.lane", lane_label(run, pick.lane, context.theme));
        context.anchors.value("inspector.label", pick_label(run, pick, context.theme));
        const std::optional<Pick> root = chain_.empty() ? std::nullopt : pick_span(run, chain_.back().span);
        context.anchors.value("inspector.root", root ? pick_label(run, *root, context.theme) : "");
    }

    std::vector<analysis::PathSegment> chain_;
    Pick chain_of_{.lane = record::SpanId::no_lane, .stretch = {}};
    const void* chain_run_ = nullptr;
};

}  // namespace

std::unique_ptr<Panel> make_inspector_panel();

std::unique_ptr<Panel> make_inspector_panel() {
    return std::make_unique<InspectorPanel>();
}

}  // namespace ascendsim::gui
