// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/faults.hpp"

namespace ascendsim::analysis {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_roots = 50;

Json root_json(const Root& root, const record::Recording& recording, std::uint64_t whole) {
    const record::SourceLine& line = recording.site(root.site);
    Json json{{"kind", name(root.kind)},
              {"cycles", root.cycles},
              {"share", whole == 0 ? 0 : static_cast<double>(root.cycles) / static_cast<double>(whole)},
              {"times", root.times}};
    if (!root.pipe.empty()) {
        json["pipe"] = root.pipe;
        json["instruction"] = recording.name(root.op);
    }
    if (!line.file.empty()) {
        json["source"] = fmt::format("{}:{}", line.file, line.line);
    }
    if (line.caller != 0) {
        const record::SourceLine& caller = recording.site(line.caller);
        json["caller"] = fmt::format("{}:{}", caller.file, caller.line);
    }
    if (root.limiter != record::Limiter::none) {
        json["limiter"] = record::name(root.limiter);
    }
    return json;
}

Json roots_json(const std::vector<Root>& roots, const record::Recording& recording, std::uint64_t whole) {
    Json list = Json::array();
    std::uint64_t rest = 0;
    for (const Root& root : roots) {
        if (list.size() < most_roots) {
            list.push_back(root_json(root, recording, whole));
        } else {
            rest += root.cycles;
        }
    }
    if (rest > 0) {
        list.push_back({{"kind", "rest"},
                        {"cycles", rest},
                        {"share", static_cast<double>(rest) / static_cast<double>(whole)}});
    }
    return list;
}

Json components_json(const std::vector<Component>& components) {
    Json list = Json::array();
    for (const Component& component : components) {
        list.push_back(
            {{"name", component.name},
             {"pipe", component.pipe},
             {"utilization", component.utilization()},
             {"active", component.active_share()},
             {"efficiency", component.active_cycles > 0 ? Json(component.efficiency()) : Json{}},  // not 0
             {"ideal_cycles", component.ideal_cycles},
             {"arithmetic", component.arithmetic}});
    }
    return list;
}

Json path_json(const CriticalPath& path, const record::Recording& recording) {
    Json kinds = Json::object();
    for (std::size_t kind = 0; kind < path.by_kind.size(); ++kind) {
        kinds[std::string{path_kind_names[kind]}] = path.by_kind[kind];
    }
    return {{"cycles", path.cycles()},
            {"segments", path.segments.size()},
            {"kinds", std::move(kinds)},
            {"roots", roots_json(path.roots, recording, path.cycles())}};
}

Json trials_json(const std::vector<AdviceTrial>& trials) {
    Json list = Json::array();
    for (const AdviceTrial& trial : trials) {
        Json json{{"set", trial.setting}, {"time_us", trial.time_us}, {"gain", trial.gain}};
        if (!trial.problem.empty()) {
            json["problem"] = trial.problem;
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json without_json(const std::optional<CauseTrial>& trial) {
    return trial ? Json{{"resource", trial->resource},
                        {"time_us", trial->time_us},
                        {"gain", trial->gain},
                        {"gain_of_cause", trial->gain_of_cause()}}
                 : Json{};
}

/// Where an advice's gain comes from.
std::string_view gain_source(const Advice& advice) {
    return !advice.trials.empty() ? "tried"
           : !advice.bounded      ? "estimated"
           : advice.without       ? "bound_run"
                                  : "bound_estimated";
}

Json advice_json(const std::vector<Advice>& advice,
                 const CriticalPath& path,
                 const record::Recording& recording) {
    Json list = Json::array();
    for (const Advice& each : advice) {
        Json json{
            {"advice", each.sentence},
            {"evidence", each.evidence},
            {"cause_cycles", each.cause_cycles},
            {"gain_cycles_at_most", each.gain_cycles},
            {"gain_at_most",
             path.cycles() == 0 ? 0
                                : static_cast<double>(each.gain_cycles) / static_cast<double>(path.cycles())},
            {"knob", each.knob.empty() ? Json{} : Json(each.knob)},
            {"knob_meaning", each.knob_meaning.empty() ? Json{} : Json(each.knob_meaning)},
            {"tried", trials_json(each.trials)},
            {"serves", each.serves},
            {"without", without_json(each.without)},
            {"gain", each.stated(path.cycles())},
            {"gain_is", gain_source(each)},
            {"means", each.means().empty() ? Json{} : Json(each.means())}};
        const record::SourceLine& line = recording.site(each.root.site);
        json["source"] = line.file.empty() ? Json{} : Json(fmt::format("{}:{}", line.file, line.line));
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace

Json to_json(const Explanation& explanation, const record::Recording& recording) {
    Json blame = Json::object();
    for (const Blame& each : explanation.blame) {
        blame[each.pipe] = {{"cycles", each.cycles},
                            {"roots", roots_json(each.roots, recording, each.cycles)}};
    }
    Json result = to_json(explanation.summary);
    if (!explanation.summary.error.empty()) {
        result["error"] = explanation.summary.error;
    }
    if (explanation.network) {
        nlohmann::json network = to_json(*explanation.network);
        network.erase("graph");  // the recording's, with places in a picture
        network.erase("before");
        result["network"] = std::move(network);
    }
    result["explain"] = {{"faults", faults_of(explanation.summary)},
                         {"bottleneck", name(explanation.bottleneck)},
                         {"component", explanation.component},
                         {"verdict", explanation.verdict},
                         {"components", components_json(explanation.components)},
                         {"critical_path", path_json(explanation.path, recording)},
                         {"blame", std::move(blame)},
                         {"advice", advice_json(explanation.advice, explanation.path, recording)}};
    return result;
}

}  // namespace ascendsim::analysis
