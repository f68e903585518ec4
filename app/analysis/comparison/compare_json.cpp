// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/faults.hpp"

namespace ascendsim::analysis {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 100;

Json change_json(const Change& change) {
    const auto if_known = [](bool known, double value) { return known ? Json(value) : Json{}; };
    return {{"a", if_known(change.known_a, change.a)},
            {"b", if_known(change.known_b, change.b)},
            {"difference", if_known(change.known(), change.difference())},
            {"relative", if_known(change.known() && change.a != 0, change.relative())},
            {"significant", change.significant}};
}

Json changes_json(const std::vector<Change>& changes) {
    Json object = Json::object();
    for (const Change& change : changes) {
        object[change.name] = change_json(change);
    }
    return object;
}

Json run_json(const RunSummary& run) {
    return {{"scenario", run.scenario},
            {"chip", run.chip},
            {"mode", run.mode},
            {"faults", faults_of(run)},
            {"complete", run.complete},
            {"cycles", run.cycles},
            {"time_us", run.time_us}};
}

Json divergence_json(const std::optional<Divergence>& divergence) {
    if (!divergence) {
        return nullptr;
    }
    return {{"kind", divergence->program ? "program" : "timing"},
            {"core", divergence->core},
            {"pipe", divergence->pipe},
            {"index", divergence->index},
            {"cycle_a", divergence->cycle_a},
            {"cycle_b", divergence->cycle_b},
            {"a", divergence->what_a},
            {"b", divergence->what_b}};
}

}  // namespace

Json to_json(const Comparison& comparison) {
    Json lines = Json::array();
    for (const LineChange& line : comparison.lines) {
        if (lines.size() == most_lines || (line.busy.difference() == 0 && line.wait.difference() == 0)) {
            break;
        }
        lines.push_back({{"source", line.source},
                         {"source_in_b", line.source_in_b.empty() ? Json{} : Json(line.source_in_b)},
                         {"pipe", line.pipe},
                         {"instruction", line.instruction},
                         {"busy_cycles", change_json(line.busy)},
                         {"wait_cycles", change_json(line.wait)}});
    }
    Json parameters = Json::array();
    for (const ParameterChange& change : comparison.parameters) {
        parameters.push_back({{"path", change.path}, {"a", change.a}, {"b", change.b}});
    }
    Json result{{"a", run_json(comparison.a)}, {"b", run_json(comparison.b)}};
    result["threshold"] = comparison.threshold;
    result["verdict"] = comparison.verdict;
    result["time_us"] = change_json(comparison.time);
    result["figures"] = changes_json(comparison.figures);
    result["busy_cycles"] = changes_json(comparison.busy);
    result["wait_cycles"] = changes_json(comparison.waits);
    result["traffic_bytes"] = changes_json(comparison.traffic);
    result["lines"] = std::move(lines);
    result["parameters"] = std::move(parameters);
    result["first_divergence"] = divergence_json(comparison.divergence);
    return result;
}

}  // namespace ascendsim::analysis
