// SPDX-License-Identifier: Apache-2.0
#include "app/serving/serve_recording.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "app/report/style.hpp"
#include "app/serving/serve_plots.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::serving {
namespace {

using record::Reason;
using record::TrackKind;
using record::TrackPath;

std::uint64_t cycle_of(double us) {
    return analysis::RecordedClock{}.of_us(us);
}

/// A lane that is filled from the left; nothing overlaps, nothing is empty.
class Track {
public:
    Track(record::Recorder& recorder, const TrackPath& path)
        : recorder_{&recorder}, lane_{recorder.lane(path)} {}

    [[nodiscard]] std::uint64_t end() const { return end_; }

    void add(double from_us, double to_us, const std::string& what, Reason reason = Reason::none) {
        const std::uint64_t start = std::max(end_, cycle_of(from_us));
        const std::uint64_t end = cycle_of(to_us);
        if (end <= start) {
            return;
        }
        recorder_->span(lane_,
                        {.issue = start,
                         .start = start,
                         .end = end,
                         .complete = end,
                         .op = recorder_->op(what),
                         .reason = reason});
        end_ = end;
    }

private:
    record::Recorder* recorder_;
    std::uint32_t lane_;
    std::uint64_t end_ = 0;
};

void add_steps(record::Recorder& recorder, const ServeRun& run) {
    const networks::llm::Layout& layout = run.config.layout;
    std::map<std::uint32_t, Track> replicas;
    for (const ServedStep& step : run.load.steps) {
        // Schedulers of a pipeline are numbered through; they share their replica's devices.
        const std::uint32_t first = step.replica / layout.pipeline * layout.tensor * layout.pipeline;
        const std::string name = layout.pipeline == 1
                                     ? std::string{"steps"}
                                     : fmt::format("steps of scheduler {}", step.replica % layout.pipeline);
        const auto track =
            replicas
                .try_emplace(
                    step.replica, recorder, TrackPath{{TrackKind::device, first}, {TrackKind::stream, name}})
                .first;
        const std::string what =
            step.prompt_tokens == 0
                ? fmt::format("decode '{} sequences'", step.decoding)
                : fmt::format("prompt '{} tokens, {} sequences decode'", step.prompt_tokens, step.decoding);
        track->second.add(step.start_us, step.start_us + step.us, what);
    }
}

/// Each request takes the first slot of its replica that is free when it comes.
void add_requests(record::Recorder& recorder, const ServeRun& run) {
    constexpr std::size_t most_requests = 20'000;
    constexpr std::size_t most_slots = 256;  // of a replica
    std::map<std::uint32_t, std::vector<Track>> replicas;
    for (std::size_t i = 0; i < std::min(most_requests, run.load.requests.size()); ++i) {
        const ServedRequest& request = run.load.requests[i];
        std::vector<Track>& slots = replicas[request.replica];
        auto slot = std::ranges::find_if(
            slots, [&](const Track& one) { return one.end() <= cycle_of(request.arrival_us); });
        if (slot == slots.end() && slots.size() == most_slots) {
            continue;
        }
        if (slot == slots.end()) {
            const TrackPath path{{TrackKind::other, fmt::format("requests:{}", request.replica)},
                                 {TrackKind::stream, fmt::format("slot {}", slots.size())}};
            slot = slots.insert(slot, Track{recorder, path});
        }
        const std::string again =
            request.preempted == 0 ? "" : fmt::format(", lost its cache {} times", request.preempted);
        slot->add(request.arrival_us,
                  request.scheduled_us,
                  fmt::format("queued 'request {}'", i),
                  Reason::flag_data);
        slot->add(request.scheduled_us,
                  request.first_us,
                  fmt::format("prompt 'request {}, {} tokens'", i, request.prompt));
        slot->add(request.first_us,
                  request.end_us,
                  fmt::format("output 'request {}, {} tokens{}'", i, request.output, again));
    }
}

analysis::RecordedReport report_of(const ServeRun& run) {
    const ServeFigures& figures = run.figures;
    const auto ms = [](double value) { return report::time_text(value * us_a_ms); };
    analysis::RecordedReport report;
    report.verdict = fmt::format(
        "{} requests in {:.2f} s: {:.1f} tokens of output a second; first token after {} and whole requests "
        "after {} in 99 of 100",
        run.load.requests.size(),
        figures.seconds,
        figures.output_tokens_per_s,
        ms(figures.ttft_ms.p99),
        ms(figures.e2e_ms.p99));
    report.figures = {
        {"layout", layout_text(run.config), "Devices, how the model is spread over them, and how it is run"},
        {"first token", ms(figures.ttft_ms.mean), "From a request's arrival to its first token, on average"},
        {"token after it", ms(figures.tpot_ms.mean), "Of a further token of a request, on average"},
        {"whole request", ms(figures.e2e_ms.mean), "From arrival to the last token, on average"},
        {"queued", ms(figures.queued_ms.mean), "From arrival to the first step with a part of it"},
        {"requests", fmt::format("{:.3f}/s", figures.requests_per_s), "Requests a second"},
        {"tokens", fmt::format("{:.1f}/s", figures.output_tokens_per_s), "Tokens of output a second"},
        {"decoding", fmt::format("{:.1f}", figures.mean_sequences), "Sequences in a step, over time"},
        {"cache",
         fmt::format("{} of {} blocks", run.load.most_blocks, run.load.blocks),
         "In use at most, of a device"},
        {"lost caches",
         std::to_string(run.load.preemptions),
         "Sequences that gave their cache up and were computed anew"},
        {"energy",
         fmt::format("{:.3g} J/token", figures.joules_a_token),
         "Of all devices, for a token of output"},
        {"hosts' energy",
         fmt::format("{:.3g} J/token", figures.host_joules_a_token),
         "Of the hosts beside them, for a token of output"}};
    return report;
}

}  // namespace

void write_serve_recording(const std::filesystem::path& file,
                           const ServeRun& run,
                           const std::vector<Variant>& variants,
                           const std::vector<Variant>& rungs) {
    record::Recorder recorder{file};
    nlohmann::json data =
        analysis::recorded_head(run.config.title, run.config.chip.name, analysis::RecordedClock{});
    data["plots"] = analysis::to_json(serve_plots(run, variants, rungs));
    data["report"] = analysis::to_json(report_of(run));
    recorder.metadata(data);
    add_steps(recorder, run);
    add_requests(recorder, run);
    recorder.finish({{"outcome", "complete"},
                     {"cycles", cycle_of(run.load.end_us)},
                     {"time_us", run.load.end_us},
                     {"cores_used", 0}});
}

}  // namespace ascendsim::serving
