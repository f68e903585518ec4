// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/bounds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ascendsim::analysis {

namespace {

void add(Bounds& bounds, double& largest, Bound bound) {
    if (bound.us > bounds.speed_of_light_us()) {
        bounds.limiter = bound.resource;
    }
    largest = std::max(largest, bound.us);
    bounds.all.push_back(std::move(bound));
}

double or_zero(const nlohmann::json& work, const char* key) {
    const auto found = work.find(key);
    return found != work.end() && found->is_number() ? found->get<double>() : 0;
}

void add_compute(Bounds& bounds, const Work& work, const ChipNumbers& chip) {
    if (work.cube_flops > 0 && chip.cube_cores() > 0) {
        const double rate = 2 * chip.cube_work_per_cycle(work.cube_type);
        add(bounds,
            bounds.compute_us,
            {"cube",
             chip.us(work.cube_flops / (rate * chip.cube_cores())),
             fmt::format("{:.4g} flop / ({} cores x {} flop a cycle of {} x {} GHz)",
                         work.cube_flops,
                         chip.cube_cores(),
                         rate,
                         work.cube_type,
                         chip.clock_ghz())});
    }
    if (work.vector_flops > 0 && chip.vector_cores() > 0) {
        const double rate = chip.vector_work_per_cycle(work.vector_type);
        add(bounds,
            bounds.compute_us,
            {"vector",
             chip.us(work.vector_flops / (rate * chip.vector_cores())),
             fmt::format("{:.4g} operations / ({} cores x {} a cycle of {} x {} GHz)",
                         work.vector_flops,
                         chip.vector_cores(),
                         rate,
                         work.vector_type,
                         chip.clock_ghz())});
    }
}

void add_memory(
    Bounds& bounds, const Work& work, const Traffic& traffic, double executions, const ChipNumbers& chip) {
    const double needed = work.stated && work.gm_bytes > 0
                              ? work.gm_bytes
                              : static_cast<double>(traffic.gm_bytes()) / executions;
    if (const auto rate = chip.number("l2.gb_per_s"); rate && needed > 0 && traffic.gm_bytes() > 0) {
        // L2 gives and takes at the same time: the larger of the two counts.
        const std::uint64_t larger = std::max(traffic.gm_read_bytes, traffic.gm_write_bytes);
        const double one_way = needed * static_cast<double>(larger) / static_cast<double>(traffic.gm_bytes());
        add(bounds,
            bounds.memory_us,
            {"l2",
             one_way / *rate / 1e3,
             fmt::format("{:.4g} B {} the cores / {} GB/s of L2",
                         one_way,
                         larger == traffic.gm_read_bytes ? "to" : "from",
                         *rate)});
    }
    // L2 may hold inputs from before and keep outputs after: HBM must move what it moved, and no more than
    // the problem has.
    const double moved = std::min(needed, static_cast<double>(traffic.hbm_bytes()) / executions);
    if (const auto rate = chip.number("hbm.gb_per_s"); rate && moved > 0) {
        add(bounds,
            bounds.memory_us,
            {"hbm", moved / *rate / 1e3, fmt::format("{:.4g} B past L2 / {} GB/s of HBM", moved, *rate)});
    }
}

}  // namespace

Work work_of(const nlohmann::json& metadata, double cube_work, double vector_work) {
    Work work{.cube_flops = 2 * cube_work, .vector_flops = vector_work};
    const auto stated = metadata.find("work");
    if (stated == metadata.end() || !stated->is_object()) {
        return work;
    }
    work.stated = true;
    work.cube_flops = or_zero(*stated, "cube_flops");
    work.vector_flops = or_zero(*stated, "vector_flops");
    work.gm_bytes = or_zero(*stated, "gm_bytes");
    work.cube_type = stated->value("cube_type", work.cube_type);
    work.vector_type = stated->value("vector_type", work.vector_type);
    return work;
}

Bounds bounds_of(const Work& work,
                 const Traffic& traffic,
                 std::uint64_t executions,
                 const ChipNumbers& chip) {
    Bounds bounds;
    if (chip.known()) {
        add_compute(bounds, work, chip);
        add_memory(bounds, work, traffic, static_cast<double>(executions), chip);
    }
    return bounds;
}

}  // namespace ascendsim::analysis
