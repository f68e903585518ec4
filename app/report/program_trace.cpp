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
            times.push_back(span.at("start_us").get<double>());
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
        std::uint64_t thread = 0;
        if (span.contains("stream")) {
            const auto stream = span.at("stream").get<std::uint64_t>();
            thread = stream + 1;
            threads[thread] = fmt::format("device {}, stream {}", span.at("device").get<int>(), stream);
        }
        const json& call = timeline->at("calls").at(span.at("call").get<std::size_t>());
        events.push_back(json{{"ph", "X"},
                              {"pid", process},
                              {"tid", thread},
                              {"ts", span.at("start_us")},
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
