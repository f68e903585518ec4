// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/traffic.hpp"

namespace ascendsim::analysis {

/// The least time one resource needs for the problem, with the arithmetic behind it.
struct Bound {
    std::string resource;  // "cube", "vector", "l2", "hbm", "ports"
    double us = 0;
    std::string arithmetic;  // "1.1e12 flop / (24 cores x 8192 flop/cycle x 1.85 GHz)"
};

/// What the problem needs at least, whatever the schedule.
struct Bounds {
    std::vector<Bound> all;
    double compute_us = 0;  // the largest of cube and vector
    double memory_us = 0;   // the largest of L2, HBM and the cores' ports
    std::string limiter;    // the resource of the largest; empty if nothing is known

    [[nodiscard]] double speed_of_light_us() const { return compute_us > memory_us ? compute_us : memory_us; }

    [[nodiscard]] double efficiency(double time_us) const {
        return time_us > 0 ? speed_of_light_us() / time_us : 0;
    }
};

/// The arithmetic of the problem: metadata["work"] as the kernel's host side states it, else what was
/// recorded.
struct Work {
    double cube_flops = 0;
    std::string cube_type = "float16";
    double vector_flops = 0;
    std::string vector_type = "float16";
    double gm_bytes = 0;  // least traffic: each input once, each output once; 0 if nobody says
    bool stated = false;  // by the kernel, not only recorded
};

/// Reads the work of a run. `cube_work` and `vector_work` are the recorded multiply-accumulates and elements.
[[nodiscard]] Work work_of(const nlohmann::json& metadata, double cube_work, double vector_work);

/// Bounds of one execution; `traffic` is that of `executions`. Empty if the recording does not hold the
/// chip's parameters.
[[nodiscard]] Bounds bounds_of(const Work& work,
                               const Traffic& traffic,
                               std::uint64_t executions,
                               const ChipNumbers& chip);

}  // namespace ascendsim::analysis
