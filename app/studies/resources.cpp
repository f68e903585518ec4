// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/studies/whatif.hpp"

namespace ascendsim::study {

namespace {

using analysis::PathKind;
using analysis::PathSegment;
using nlohmann::ordered_json;
using record::Limiter;
using record::Recording;

std::string_view pipe_of(const PathSegment& segment, const Recording& recording) {
    return recording.contains(segment.span) ? recording.lane(segment.span.lane).path.pipe()
                                            : std::string_view{};
}

auto held_by(std::vector<Limiter> limiters) {
    return [limiters](const PathSegment& segment, const Recording& recording) {
        return segment.kind == PathKind::transfer && recording.contains(segment.span) &&
               std::ranges::find(limiters, recording.span(segment.span).limiter) != limiters.end();
    };
}

auto of_kind(std::vector<PathKind> kinds) {
    return [kinds](const PathSegment& segment, const Recording& /*recording*/) {
        return std::ranges::find(kinds, segment.kind) != kinds.end();
    };
}

auto on_pipe(PathKind kind, std::string_view pipe) {
    return [kind, pipe](const PathSegment& segment, const Recording& recording) {
        return segment.kind == kind && pipe_of(segment, recording) == pipe;
    };
}

bool waits_for_memory(const PathSegment& segment, const Recording& recording) {
    return segment.kind == PathKind::latency && recording.contains(segment.span) &&
           recording.span(segment.span).route != record::Span::route_none;
}

bool waits_for_unit(const PathSegment& segment, const Recording& recording) {
    return segment.kind == PathKind::latency && !waits_for_memory(segment, recording);
}

std::vector<Resource> memory_resources() {
    std::vector<Resource> all;
    all.push_back(
        {.name = "HBM bandwidth", .rates = {"hbm.gb_per_s"}, .on_path = held_by({Limiter::hbm_bandwidth})});
    all.push_back(
        {.name = "L2 bandwidth", .rates = {"l2.gb_per_s"}, .on_path = held_by({Limiter::l2_bandwidth})});
    all.push_back({.name = "L2 misses",
                   .limit_only = {"l2.bytes"},
                   .freed = {{"l2.state", "warm"}},
                   .twice = false,
                   .on_path = held_by({Limiter::hbm_bandwidth, Limiter::hbm_path})});
    all.push_back({.name = "request rate",
                   .rates = {"l2.requests_per_ns"},
                   .on_path = held_by({Limiter::request_rate})});
    all.push_back({.name = "same-line contention",
                   .costs = {"l2.same_line_cycles"},
                   .on_path = held_by({Limiter::same_line})});
    return all;
}

// Between a core and the memory that all share.
void add_port_resources(std::vector<Resource>& all) {
    all.push_back({.name = "core's port",
                   .rates = {"port.read_bytes_per_cycle",
                             "port.write_bytes_per_cycle",
                             "port.ub_write_bytes_per_cycle"},
                   .on_path = held_by({Limiter::port})});
    all.push_back({.name = "core's path to HBM",
                   .rates = {"port.hbm_bytes_per_cycle", "port.l1_hbm_bytes_per_cycle"},
                   .on_path = held_by({Limiter::hbm_path})});
    all.push_back({.name = "requests under way",
                   .rates = {"port.outstanding_reads", "port.outstanding_writes"},
                   .on_path = held_by({Limiter::outstanding})});
    all.push_back({.name = "starting copies",
                   .costs = {"port.read_start_cycles",
                             "port.write_start_cycles",
                             "port.nd2nz_start_cycles",
                             "port.nd2nz_row_cycles",
                             "port.burst_cycles",
                             "fixpipe.start_cycles"},
                   .on_path = held_by({Limiter::start_up})});
    all.push_back({.name = "memory latency",
                   .costs = {"l2.read_latency",
                             "l2.write_latency",
                             "hbm.read_latency",
                             "hbm.write_latency",
                             "hbm.queue_cycles"},
                   .on_path = waits_for_memory});
}

void add_core_resources(std::vector<Resource>& all) {
    all.push_back({.name = "cube rate",
                   .rates = {"cube.k0_bytes"},
                   .limit_only = {"cube.m0", "cube.n0"},
                   .on_path = on_pipe(PathKind::compute, "cube")});
    all.push_back({.name = "vector rate",
                   .costs = {"vector.*.repeat_b16", "vector.*.repeat_b32", "vector.min_cycles"},
                   .on_path = on_pipe(PathKind::compute, "vector")});
    // What short instructions lose, and what a new mask costs, as it empties the unit.
    all.push_back(
        {.name = "vector start-up",
         .costs = {"vector.*.head", "vector.*.tail", "vector.counter_tail_cycles", "vector.min_cycles"},
         .twice = false,
         .on_path = {}});
    // More groups than the model tells apart: no two blocks ever meet.
    all.push_back(
        {.name = "bank conflicts", .limit_only = {"buffers.ub_bank_groups"}, .twice = false, .on_path = {}});
    all.push_back(
        {.name = "L1 to L0 (MTE1)",
         .rates = {"mte1.l0a_bytes_per_cycle", "mte1.l0b_bytes_per_cycle", "mte1.bt_bytes_per_cycle"},
         .costs = {"mte1.gap_cycles"},
         .on_path = on_pipe(PathKind::transfer, "mte1")});
    all.push_back({.name = "fixpipe",
                   .rates = {"fixpipe.l1_elements_per_cycle", "fixpipe.gm_bytes_per_cycle"},
                   .on_path = on_pipe(PathKind::transfer, "fixpipe")});
    all.push_back({.name = "unit latency",
                   .costs = {"vector.*.head",
                             "vector.*.tail",
                             "vector.counter_tail_cycles",
                             "cube.head_cycles",
                             "cube.gap_cycles",
                             "mte1.load2d_latency",
                             "mte1.load3d_latency",
                             "mte1.bt_latency",
                             "fixpipe.latency"},
                   .on_path = waits_for_unit});
}

void add_control_resources(std::vector<Resource>& all) {
    all.push_back({.name = "scalar unit",
                   .costs = {"scalar.issue_cycles",
                             "scalar.call_cycles",
                             "scalar.buffer_access_cycles",
                             "scalar.dcache_hit_cycles",
                             "scalar.divide_cycles",
                             "scalar.queue_op_cycles",
                             "scalar.init_cycles"},
                   .on_path = of_kind({PathKind::scalar})});
    all.push_back(
        {.name = "queue depth", .rates = {"scalar.queue_depth", "scalar.queue_depth_other"}, .on_path = {}});
    all.push_back({.name = "flags and barriers",
                   .costs = {"sync.set_cycles",
                             "sync.wait_cycles",
                             "sync.flag_latency",
                             "sync.barrier_cycles",
                             "sync.cross_flag_latency",
                             "sync.sync_all_cycles"},
                   .on_path = of_kind({PathKind::sync})});
    all.push_back({.name = "launch",
                   .costs = {"launch.head_us",
                             "launch.per_core_us",
                             "launch.mix_extra_us",
                             "launch.mix_share_us",
                             "launch.tail_us",
                             "launch.block_cycles"},
                   .on_path = of_kind({PathKind::launch, PathKind::block, PathKind::tail})});
}

bool matches(std::string_view pattern, std::string_view path) {
    const std::size_t star = pattern.find('*');
    return star == std::string_view::npos
               ? pattern == path
               : path.starts_with(pattern.substr(0, star)) && path.ends_with(pattern.substr(star + 1)) &&
                     path.size() >= pattern.size();
}

/// A parameter's value as an override; rates doubled, costs halved, or the end of their range.
std::string changed(const ordered_json& parameter, bool rate, bool limit) {
    const ordered_json& value = parameter["value"];
    const auto end = parameter[rate ? "max" : "min"].get<double>();
    const auto now = value.get<double>();
    double faster = end;
    if (!limit) {
        faster = rate ? std::min(end, 2 * now) : std::max(end, now / 2);
    }
    // A whole number of cycles is halved upwards: the gain is not overstated.
    return value.is_number_integer() ? fmt::format("{:.0f}", std::ceil(faster))
                                     : fmt::format("{}", faster);  // the shortest that reads back as it
}

}  // namespace

const std::vector<Resource>& resources() {
    static const std::vector<Resource> all = [] {
        std::vector<Resource> list = memory_resources();
        add_port_resources(list);
        add_core_resources(list);
        add_control_resources(list);
        return list;
    }();
    return all;
}

std::vector<scenario::Override> made_faster(const Resource& resource, const ChipFile& chip, bool limit) {
    std::vector<scenario::Override> result;
    const ordered_json described = describe_chip_json(chip);
    const auto add = [&](const std::vector<std::string_view>& patterns, bool rate) {
        for (const std::string_view pattern : patterns) {
            for (const ordered_json& parameter : described["parameters"]) {
                const auto path = parameter["path"].get<std::string>();
                if (!matches(pattern, path)) {
                    continue;
                }
                std::string value = changed(parameter, rate, limit);
                if (std::stod(value) != parameter["value"].get<double>()) {
                    result.push_back({"whatif." + path, std::move(value)});
                }
            }
        }
    };
    add(resource.rates, true);
    add(resource.costs, false);
    if (limit) {
        add(resource.limit_only, true);
        result.insert(result.end(), resource.freed.begin(), resource.freed.end());
    }
    return result;
}

ordered_json path_shares(const analysis::CriticalPath& path, const Recording& recording) {
    ordered_json shares = ordered_json::object();
    for (const Resource& resource : resources()) {
        if (!resource.on_path) {
            shares[std::string{resource.name}] = nullptr;
            continue;
        }
        std::uint64_t cycles = 0;
        for (const PathSegment& segment : path.segments) {
            cycles += resource.on_path(segment, recording) ? segment.cycles() : 0;
        }
        shares[std::string{resource.name}] =
            path.cycles() == 0 ? 0.0 : static_cast<double>(cycles) / static_cast<double>(path.cycles());
    }
    return shares;
}

}  // namespace ascendsim::study
