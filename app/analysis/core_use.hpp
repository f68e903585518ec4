// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/analysis/traffic.hpp"
#include "models/port/pipe.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::analysis {

/// What one pipe of one core did.
struct PipeOfCore {
    bool used = false;
    record::Occupancy cycles;
    std::uint64_t active_cycles = 0;  // from an instruction's start until its result is there, as profilers
                                      // count: with waits within instructions
    std::uint64_t instructions = 0;
    std::uint64_t work = 0;
    std::uint64_t bytes = 0;
    std::uint64_t read_bytes = 0;  // from the unified buffer, of the vector unit
    bool read_known = true;        // of every instruction
    std::uint64_t conflict_cycles = 0;

    /// Waits within the core's programs.
    [[nodiscard]] std::uint64_t waiting() const;
};

/// What one core did in a window of the run.
struct CoreUse {
    std::string name;          // "aic3", "aiv17", "core2"
    std::uint32_t group = 0;   // the AI core it belongs to
    std::uint32_t sub = 0;     // position among the group's cores of its kind
    std::uint64_t cycles = 0;  // from program start to program end, all blocks
    std::array<PipeOfCore, pipe_count> pipes;
    std::array<RouteTraffic, route_names.size()> routes;
    std::array<std::uint64_t, pipe_count>
        queue_full_cycles{};  // the scalar unit stood before this pipe's queue

    [[nodiscard]] const PipeOfCore& operator[](Pipe pipe) const { return pipes[index(pipe)]; }

    [[nodiscard]] bool is_vector_core() const { return name.starts_with("aiv"); }
};

/// The cores that ran anything in [from, to), in the order of the recording.
[[nodiscard]] std::vector<CoreUse> cores_of(const record::Recording& recording,
                                            std::uint64_t from,
                                            std::uint64_t to);

}  // namespace ascendsim::analysis
