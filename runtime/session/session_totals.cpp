// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/session_totals.hpp"

#include "models/core/machine.hpp"
#include "models/isa/vector/bank_conflict.hpp"
#include "runtime/session/tensors.hpp"

namespace ascendsim::runtime {

using isa::collision_names;
using nlohmann::json;

namespace {

/// Places by the name of their file: a whole path would say whose machine it was.
json conflicts_json(const MachineTotals& totals) {
    constexpr std::size_t most_places = 50;
    json places = json::array();
    for (const ConflictAt& at : totals.conflicts) {
        if (places.size() == most_places) {
            break;
        }
        places.push_back({{"instruction", at.instruction},
                          {"file", at.file.substr(at.file.rfind('/') + 1)},
                          {"line", at.line},
                          {"operands", collision_names[at.collision % collision_names.size()]},
                          {"count", at.count},
                          {"cycles", at.cycles},
                          {"dst", at.dst},
                          {"source0", at.source0},
                          {"source1", at.source1}});
    }
    return places;
}

}  // namespace

json totals_json(const MachineTotals& totals, const ChipSpec& chip, const json& executions, double flops) {
    json launches = json::array();
    for (const LaunchOutcome& launch : totals.launches) {
        launches.push_back({{"name", launch.name},
                            {"start", launch.start},
                            {"first_core", launch.first_core},
                            {"cores_end", launch.cores_end},
                            {"end", launch.end},
                            {"cores", launch.cores},
                            {"arithmetic_cycles", launch.arithmetic_cycles}});
    }
    std::uint64_t start = 0;
    std::uint64_t reported = 0;
    for (const json& execution : executions) {
        if (!execution["warm_up"].get<bool>()) {
            start = reported == 0 ? execution["start"].get<std::uint64_t>() : start;
            ++reported;
        }
    }
    std::uint64_t arithmetic = 0;  // of the executions reported, as all figures
    for (const LaunchOutcome& launch : totals.launches) {
        arithmetic += launch.start >= start ? launch.arithmetic_cycles : 0;
    }
    const double each =
        static_cast<double>(totals.cycles - start) / static_cast<double>(reported == 0 ? 1 : reported);
    return {{"outcome", "complete"},
            {"cycles", totals.cycles},
            {"execution_cycles", each},
            {"time_us", each / chip.cores.clock_ghz / 1000},
            {"instructions", totals.instructions},
            {"cube_work", totals.cube_work},
            {"vector_work", totals.vector_work},
            {"conflict_cycles", totals.conflict_cycles},
            {"bank_conflicts", conflicts_json(totals)},
            {"arithmetic_cycles", arithmetic},
            {"cores_used", totals.cores_used},
            {"flops", flops},
            {"numerics", to_json(std::vector<host::Comparison>{})},
            {"launches", std::move(launches)},
            {"executions", executions}};
}

json inserted_json(const MachineTotals& totals) {
    constexpr std::size_t most_places = 200;
    json sums{{"barriers", 0}, {"flags", 0}, {"spare", 0}, {"cycles", 0}, {"repeated", totals.repeated_sync}};
    json places = json::array();
    for (const InsertedSync& sync : totals.inserted) {
        const bool barrier = sync.source == sync.destination;
        json& count = sums[barrier ? "barriers" : "flags"];
        count = count.get<std::uint64_t>() + sync.count;
        sums["spare"] = sums["spare"].get<std::uint64_t>() + sync.spare;
        sums["cycles"] = sums["cycles"].get<std::uint64_t>() + sync.cycles;
        if (places.size() < most_places) {
            places.push_back({{"file", sync.file},
                              {"line", sync.line},
                              {"from", name(sync.source)},
                              {"to", name(sync.destination)},
                              {"count", sync.count},
                              {"spare", sync.spare},
                              {"cycles", sync.cycles}});
        }
    }
    sums["places"] = std::move(places);
    return sums;
}

namespace {

sanitize::Checker::Ending ending_of(const std::exception_ptr& failure) {
    using Ending = sanitize::Checker::Ending;
    if (!failure) {
        return Ending::completed;
    }
    try {
        std::rethrow_exception(failure);
    } catch (const Deadlock&) {
        return Ending::stuck;
    } catch (...) {
        return Ending::failed;
    }
}

}  // namespace

void report_hazards(sanitize::LaunchCheckers* checker,
                    const std::vector<Allowance>& allowed,
                    SessionOutcome& outcome,
                    json& totals) {
    if (checker == nullptr) {
        return;
    }
    checker->finish(ending_of(outcome.failure));
    json hazards = json::array();
    std::vector<sanitize::Finding> errors;
    Allowances allowances{allowed};
    for (const sanitize::Finding& finding : checker->findings()) {
        hazards.push_back(sanitize::to_json(finding));
        if (!sanitize::is_error(finding.kind)) {
            continue;
        }
        if (const std::optional<std::string> why = allowances.reason(finding)) {
            hazards.back()["severity"] = "allowed";
            hazards.back()["why"] = *why;
        } else {
            errors.push_back(finding);
        }
    }
    totals["hazards"] = std::move(hazards);
    if (std::vector<std::string> unused = allowances.unused(); !unused.empty() && !outcome.failure) {
        totals["unused_allowances"] = std::move(unused);
    }
    if (!errors.empty()) {
        outcome.hazards = sanitize::to_text(errors);
    }
}

}  // namespace ascendsim::runtime
