// SPDX-License-Identifier: Apache-2.0
#include "app/report/program_trace.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::report {
namespace {

using nlohmann::json;

const json* timeline_of(const json& totals) {
    if (!totals.is_object() || !totals.contains("program") || !totals["program"].contains("timeline")) {
        return nullptr;
    }
    return &totals["program"]["timeline"];
}

/// What the device's clock shows at a time of the host's, as a profiler that takes it for the host's shows
/// it.
double shown_us(const json& timeline, double us) {
    constexpr double ppm = 1e-6;
    const json clock = timeline.value("device_clock", json::object());
    return us * (1 + clock.value("drift_ppm", 0.0) * ppm) + clock.value("offset_us", 0.0);
}

/// Rows of host threads besides main's lie behind those of streams.
constexpr std::uint64_t first_thread_row = 1'000'000;
constexpr std::uint64_t first_launcher_row = 2'000'000;

}  // namespace

ProgramAxis::ProgramAxis(const json& totals, double cycles_per_us) : cycles_per_us_{cycles_per_us} {
    const json* timeline = timeline_of(totals);
    if (timeline == nullptr) {
        return;
    }
    // Kernels start on both axes in one order, and while several are under way both go on alike.
    std::vector<std::uint64_t> cycles;
    for (const json& launch : totals.value("launches", json::array())) {
        cycles.push_back(launch.at("start").get<std::uint64_t>());
    }
    std::vector<double> times;
    for (const json& span : timeline->at("spans")) {
        if (span.at("kind") == "compute") {
            times.push_back(shown_us(*timeline, span.at("start_us").get<double>()));
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
    const json* timeline = timeline_of(totals);
    if (timeline == nullptr) {
        return events;
    }
    std::map<std::uint64_t, std::string> threads{{0, "host"}};
    for (const json& span : timeline->at("spans")) {
        const auto number = span.value("thread", std::uint64_t{0});
        std::uint64_t thread = number == 0 ? 0 : first_thread_row + number;
        double start = span.at("start_us").get<double>();
        if (thread != 0) {
            threads[thread] = fmt::format("host thread {}", number);
        }
        if (span.value("launcher", false)) {
            thread = first_launcher_row + number;
            threads[thread] = fmt::format("second thread of host thread {}", number);
        }
        if (span.contains("stream")) {
            start = shown_us(*timeline, start);
            const auto stream = span.at("stream").get<std::uint64_t>();
            thread = stream + 1;
            threads[thread] = fmt::format("device {}, stream {}", span.at("device").get<int>(), stream);
        }
        const json& call = timeline->at("calls").at(span.at("call").get<std::size_t>());
        events.push_back(json{{"ph", "X"},
                              {"pid", process},
                              {"tid", thread},
                              {"ts", start},
                              {"dur", span.at("us")},
                              {"cat", span.at("kind")},
                              {"name", call.at("name")},
                              {"args", {{"source", call.at("place")}}}}
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
