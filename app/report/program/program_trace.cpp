// SPDX-License-Identifier: Apache-2.0
#include "app/report/program/program_trace.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::report {
namespace {

using nlohmann::json;

using analysis::recorded_count;
using analysis::recorded_figure;
using analysis::recorded_list;
using analysis::recorded_number;
using analysis::recorded_text;
using analysis::recorded_timeline;
using analysis::recorded_value;

/// What the device's clock shows at a time of the host's, as a profiler that takes it for the host's shows
/// it.
double shown_us(const json& timeline, double us) {
    constexpr double ppm = 1e-6;
    const json& clock = recorded_value(timeline, "device_clock");
    return us * (1 + recorded_number(recorded_value(clock, "drift_ppm")) * ppm) +
           recorded_number(recorded_value(clock, "offset_us"));
}

/// Rows of host threads besides main's lie behind those of streams.
constexpr std::uint64_t first_thread_row = 1'000'000;
constexpr std::uint64_t first_launcher_row = 2'000'000;

}  // namespace

ProgramAxis::ProgramAxis(const json& totals, double cycles_per_us) : cycles_per_us_{cycles_per_us} {
    const json& timeline = recorded_timeline(totals);
    // Kernels start on both axes in one order, and while several are under way both go on alike.
    std::vector<std::uint64_t> cycles;
    for (const json& launch : recorded_list(totals, "launches")) {
        cycles.push_back(recorded_count(launch, "start"));
    }
    std::vector<double> times;
    for (const json& span : recorded_list(timeline, "spans")) {
        if (recorded_value(span, "kind") == "compute") {
            times.push_back(shown_us(timeline, recorded_figure(span, "start_us")));
        }
    }
    std::ranges::sort(cycles);
    std::ranges::sort(times);
    for (std::size_t i = 0; i < std::min(cycles.size(), times.size()); ++i) {
        shifts_.push_back({cycles[i], times[i] - static_cast<double>(cycles[i]) / cycles_per_us_});
    }
}

double ProgramAxis::us(std::uint64_t cycle) const {
    const auto after = std::ranges::upper_bound(shifts_, cycle, {}, &Shift::from);
    const double shift = after == shifts_.begin() ? 0 : std::prev(after)->us;
    return static_cast<double>(cycle) / cycles_per_us_ + shift;
}

std::vector<std::string> program_events(const json& totals, std::size_t process) {
    std::vector<std::string> events;
    const json& timeline = recorded_timeline(totals);
    if (!timeline.is_object()) {
        return events;
    }
    const json& calls = recorded_list(timeline, "calls");
    const json unknown;  // the call of a damaged span
    std::map<std::uint64_t, std::string> threads{{0, "host"}};
    for (const json& span : recorded_list(timeline, "spans")) {
        const std::uint64_t number = recorded_count(span, "thread");
        std::uint64_t thread = number == 0 ? 0 : first_thread_row + number;
        double start = recorded_figure(span, "start_us");
        if (thread != 0) {
            threads[thread] = fmt::format("host thread {}", number);
        }
        if (recorded_value(span, "launcher") == true) {
            thread = first_launcher_row + number;
            threads[thread] = fmt::format("second thread of host thread {}", number);
        }
        if (recorded_value(span, "stream").is_number()) {
            start = shown_us(timeline, start);
            const std::uint64_t stream = recorded_count(span, "stream");
            thread = stream + 1;
            threads[thread] = fmt::format("device {}, stream {}", recorded_count(span, "device"), stream);
        }
        const std::uint64_t number_of_call = recorded_count(span, "call");
        const json& call = number_of_call < calls.size() ? calls[number_of_call] : unknown;
        events.push_back(json{{"ph", "X"},
                              {"pid", process},
                              {"tid", thread},
                              {"ts", start},
                              {"dur", recorded_value(span, "us")},
                              {"cat", recorded_value(span, "kind")},
                              {"name", recorded_text(call, "name")},
                              {"args", {{"source", recorded_text(call, "place")}}}}
                             .dump());
    }
    for (const auto& [thread, name] : threads) {
        events.push_back(json{{"ph", "M"},
                              {"name", "thread_name"},
                              {"pid", process},
                              {"tid", thread},
                              {"args", {{"name", name}}}}
                             .dump());
    }
    events.push_back(
        json{{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", "host program"}}}}
            .dump());
    return events;
}

}  // namespace ascendsim::report
