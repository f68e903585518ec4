// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "kernels/plan/plan.hpp"
#include "models/sanitize/checker.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/twins/twins.hpp"

namespace ascendsim::runtime {

/// The latencies of memory and flags as one timing draws them: between half and twice the chip's. Contention
/// with what else runs on a chip moves them at least as far.
void draw_latencies(ChipSpec& chip, const EffectTiming& timing);

/// Which other timings are tried.
struct Timings {
    std::uint32_t count = 0;
    std::uint64_t seed = 1;
    sanitize::Poison poison{};  // of the run
    double cycles = 0;          // that the run itself took
};

/// Runs the plan with other legal timings and compares what it leaves in its outputs with `results`, as
/// result_bytes() has them. Each output that differs somewhere is one finding, with its first element that
/// does and the two timings. Where something is added to atomically, the last bits of sums may differ.
/// Returns {timings, seed, differ, least_cycles, most_cycles}.
[[nodiscard]] nlohmann::json find_timing_races(sanitize::Checker& checker,
                                               const host::Plan& plan,
                                               const std::string& results,
                                               const Timings& timings,
                                               Twins& twins);

}  // namespace ascendsim::runtime
