// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "app/benchmark/plan.hpp"
#include "app/steps/step_program.hpp"

namespace ascendsim::benchmark {

/// One measured iteration.
struct Iteration {
    std::uint32_t cycle = 0;
    std::uint32_t number = 0;  // within the cycle's active ones
    double us = 0;             // see BenchmarkPlan::synchronise
    double device_us = 0;      // its kernel on the device; of a step, the time in which its devices compute
};

/// Iterations of a kernel whose execution i takes `device_us[i]`, and as long as the last one behind these.
/// Where the host waits for each, an iteration lasts from its call to the host's going on; where it does not,
/// from the end of the iteration before to its own.
[[nodiscard]] std::vector<Iteration> iterate(const BenchmarkPlan& plan,
                                             const node::HostSpec& host,
                                             const std::vector<double>& device_us);

/// Iterations of a step, each from the host's first call to the end of all of its work.
[[nodiscard]] std::vector<Iteration> iterate(const BenchmarkPlan& plan, const steps::StepProgram& program);

}  // namespace ascendsim::benchmark
