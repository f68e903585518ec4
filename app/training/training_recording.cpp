// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "app/training/training_plots.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::training {
namespace {

using record::Reason;
using record::TrackKind;
using record::TrackPath;

std::uint64_t cycle_of(double us) {
    return analysis::RecordedClock{}.of_us(us);
}

/// "network 3" as the network of the fourth stage's device.
TrackPath path_of(const std::string& lane) {
    const std::size_t space = lane.find(' ');
    std::uint32_t stage = 0;
    if (space != std::string::npos) {
        std::from_chars(lane.data() + space + 1, lane.data() + lane.size(), stage);
    }
    const std::string word = lane.substr(0, space);
    return {{TrackKind::device, stage}, {TrackKind::stream, word == "device" ? "computing" : word}};
}

void add_track(record::Recorder& recorder, const std::string& name, std::vector<const StepSpan*> spans) {
    std::ranges::stable_sort(spans, {}, [](const StepSpan* span) { return span->start_us; });
    const std::uint32_t lane = recorder.lane(path_of(name));
    const bool device = name.starts_with("device");
    std::uint64_t now = 0;
    const auto add = [&](std::uint64_t from, std::uint64_t to, const std::string& what, Reason reason) {
        if (to > from) {
            recorder.span(lane,
                          {.issue = from,
                           .start = from,
                           .end = to,
                           .complete = to,
                           .op = recorder.op(what),
                           .reason = reason});
            now = to;
        }
    };
    for (const StepSpan* span : spans) {
        const std::uint64_t start = std::max(now, cycle_of(span->start_us));
        if (device) {
            add(now, start, "waits for another stage or the network", Reason::flag_data);
        }
        add(start, cycle_of(span->end_us), span->name, Reason::none);
    }
}

analysis::RecordedReport report_of(const TrainingConfig& config, const TrainingFigures& figures) {
    const StepTimes& step = figures.step;
    const auto parts = parts_of(step);
    const auto most = std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
    analysis::RecordedReport report;
    report.verdict =
        fmt::format("A step of {} on {} devices, {:.5g} samples a second{}",
                    report::time_text(step.step_us),
                    step.devices,
                    step.samples_per_s,
                    most == parts.end() ? ""
                                        : fmt::format("; {} takes most of it, {}",
                                                      most->first,
                                                      report::percent_text(most->second / step.step_us)));
    report.figures = {
        {"layout",
         layout_text(config, step),
         "Devices, and how the network and the batch are spread over them"},
        {"step", report::time_text(step.step_us), "Forward, backward, reduction and update"},
        {"samples", fmt::format("{:.5g}/s", step.samples_per_s), "Samples a second, of all devices"},
        {"MFU",
         report::percent_text(step.mfu),
         "Products and convolutions that the network states, by the cubes' peak"},
        {"energy", fmt::format("{:.4g} J", step.joules), "Of a step, all devices"},
        {"hosts' energy", fmt::format("{:.4g} J", step.host.joules), "Of a step, the hosts beside them"},
        {"memory",
         fmt::format("{} of {}",
                     report::bytes_text(static_cast<double>(figures.memory.all())),
                     report::bytes_text(static_cast<double>(config.chip.spec.hbm.bytes))),
         "Of the fullest device, " + figures.memory.when},
        {"collectives", report::time_text(step.collectives_us), "All that its network does, hidden or not"}};
    for (const std::string& note : figures.notes) {
        report.figures.push_back({"note", note, note});
    }
    return report;
}

}  // namespace

void write_training_recording(const std::filesystem::path& file,
                              const TrainingConfig& config,
                              const TrainingFigures& figures,
                              const std::vector<ClimbedRung>& ladder) {
    record::Recorder recorder{file};
    nlohmann::json data =
        analysis::recorded_head(config.title, config.chip.spec.name, analysis::RecordedClock{});
    data["plots"] = analysis::to_json(training_plots(config, figures, ladder));
    data["report"] = analysis::to_json(report_of(config, figures));
    recorder.metadata(data);
    std::vector<std::string> order;
    std::map<std::string, std::vector<const StepSpan*>> lanes;
    for (const StepSpan& span : figures.step.spans) {
        if (lanes[span.lane].empty()) {
            order.push_back(span.lane);
        }
        lanes[span.lane].push_back(&span);
    }
    for (const std::string& lane : order) {
        add_track(recorder, lane, lanes[lane]);
    }
    recorder.finish({{"outcome", "complete"},
                     {"cycles", cycle_of(figures.step.step_us)},
                     {"time_us", figures.step.step_us},
                     {"cores_used", 0}});
}

}  // namespace ascendsim::training
