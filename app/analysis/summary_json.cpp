// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

namespace {

using Json = nlohmann::ordered_json;

Json pipe_json(const PipeUse& use, const RunSummary& summary) {
    Json waits = Json::object();
    for (std::size_t i = 1; i < record::reason_count; ++i) {
        if (use.cycles.cycles[i] != 0) {
            waits[std::string{record::reason_names[i]}] = use.cycles.cycles[i];
        }
    }
    Json json{{"busy_cycles", use.cycles.busy()},
              {"utilization", use.utilization()},
              {"cores", use.lanes},
              {"instructions", use.instructions},
              {"conflict_cycles", use.conflict_cycles},
              {"waits", std::move(waits)}};
    if (const std::optional<double> us = summary.profiler_us(use)) {
        json["profiler_us"] = *us;
    }
    return json;
}

// Every pipe over all cores; where cores of several kinds used it, also by kind, as "aic_mte2".
Json pipes_json(const RunSummary& summary) {
    Json pipes = Json::object();
    for (const PipeUse& use : summary.all_cores) {
        pipes[use.name] = pipe_json(use, summary);
    }
    for (const PipeUse& use : summary.pipes) {
        if (use.name != use.pipe) {
            pipes[use.name] = pipe_json(use, summary);
        }
    }
    if (summary.arithmetic_share()) {
        pipes["scalar"]["arithmetic_cycles"] = summary.arithmetic_cycles;
    }
    return pipes;
}

Json waits_json(const RunSummary& summary) {
    Json waits = Json::object();
    for (std::size_t i = 1; i < record::reason_count; ++i) {
        std::uint64_t cycles = 0;
        for (const PipeUse& use : summary.pipes) {
            cycles += use.cycles.cycles[i];
        }
        waits[std::string{record::reason_names[i]}] = cycles;
    }
    return waits;
}

Json routes_json(const RunSummary& summary) {
    Json routes = Json::object();
    for (const RouteTraffic& route : summary.traffic.routes) {
        routes[std::string{route.name}] = {{"bytes", route.bytes},
                                           {"transfers", route.transfers},
                                           {"active_cycles", route.active_cycles},
                                           {"bytes_per_cycle", route.active_rate()},
                                           {"peak_bytes_per_cycle", route.peak_bytes_per_cycle},
                                           {"limiter", record::name(route.limiter())}};
    }
    return routes;
}

Json memory_json(const RunSummary& summary) {
    const Traffic& traffic = summary.traffic;
    Json json{{"gm_read_bytes", traffic.gm_read_bytes},
              {"gm_write_bytes", traffic.gm_write_bytes},
              {"l2_hit_rate", traffic.l2_hit_rate()},
              {"hbm_read_bytes", traffic.hbm_read_bytes},
              {"hbm_write_bytes", traffic.hbm_write_bytes},
              {"achieved_gbps", summary.achieved_gbps()},
              {"routes", routes_json(summary)}};
    if (summary.l2) {
        json["l2_at_start"] = summary.l2->state;
    }
    return json;
}

/// True for a run that did all of its work, which is what a share of the time needed relates to.
bool ended(const RunSummary& summary) {
    return summary.complete && summary.error.empty();
}

Json bounds_json(const RunSummary& summary) {
    const Bounds& bounds = summary.bounds;
    Json all = Json::object();
    for (const Bound& bound : bounds.all) {
        all[bound.resource] = {{"us", bound.us}, {"arithmetic", bound.arithmetic}};
    }
    return {{"compute_us", bounds.compute_us},
            {"memory_us", bounds.memory_us},
            {"speed_of_light_us", bounds.speed_of_light_us()},
            {"efficiency", ended(summary) ? Json(bounds.efficiency(summary.time_us)) : Json{}},
            {"limiter", bounds.limiter},
            {"resources", std::move(all)}};
}

// Contract fields that nobody filled stand there as null or false, so that scripts find them.
Json numerics_json(const nlohmann::json& given) {
    Json numerics{
        {"checked", false}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"passed", nullptr}};
    if (given.is_object()) {
        numerics.update(given);
    }
    if (numerics["checked"] == false) {
        numerics["passed"] = nullptr;  // recordings of earlier versions say true
    }
    return numerics;
}

Json simulator_json(const nlohmann::json& given, const RunSummary& summary) {
    std::uint64_t instructions = 0;
    for (const PipeUse& use : summary.pipes) {
        instructions += use.instructions;
    }
    Json simulator{{"instructions", instructions},
                   {"wall_s", nullptr},
                   {"instructions_per_s", nullptr},
                   {"peak_rss_mb", nullptr}};
    if (given.is_object()) {
        simulator.update(given);
    }
    return simulator;
}

}  // namespace

Json to_json(const RunSummary& summary) {
    Json result{{"scenario", summary.scenario},
                {"title", summary.title},
                {"chip", summary.chip},
                {"mode", summary.mode},
                {"complete", ended(summary)},
                {"cycles", summary.cycles},
                {"time_us", summary.time_us},
                {"clock_ghz", summary.clock_ghz},
                {"executions", summary.executions},
                {"cores_used", summary.cores_used},
                {"launch_cycles", summary.launch_cycles},
                {"pipes", pipes_json(summary)},
                {"waits", waits_json(summary)}};
    result["bubbles"] = {{"fraction", summary.bubble_fraction()}, {"pipe", summary.main_pipe}};
    result["memory"] = memory_json(summary);
    result["flops"] = summary.flops;
    result["tflops"] = summary.tflops();
    result["bounds"] = bounds_json(summary);
    if (summary.energy) {
        result["energy"] = to_json(*summary.energy);
    }
    if (summary.program_energy) {
        result["program_energy"] = to_json(*summary.program_energy);
    }
    result["numerics"] = numerics_json(summary.numerics);
    result["hazards"] = summary.hazards;
    if (summary.perturb.is_object()) {
        result["perturb"] = summary.perturb;
    }
    if (summary.auto_sync) {
        result["auto_sync"] = to_json(*summary.auto_sync);
    }
    result["simulator"] = simulator_json(summary.simulator, summary);
    return result;
}

}  // namespace ascendsim::analysis
