// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "app/steps/step_run.hpp"
#include "networks/run/run_tasks.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::steps {

/// Recordings of a step's kernels, as the detailed level ran them.
struct KernelRecordings {
    std::vector<std::filesystem::path>
        files;             // by entry of the program; empty: of no kernel, or not recorded
    double clock_ghz = 1;  // of the cycles in them
};

/// Records the kernels that time_kernels() has timed, each once; of the cache, what it keeps.
[[nodiscard]] KernelRecordings record_kernels(const StepProgram& program,
                                              const toolchain::Installation& installation,
                                              const networks::TaskOptions& options);

/// Copies the pipes of the first rank's kernels to their times, below its device, where a cycle is that of
/// the chip. A kernel beside another one is left out, and so are those behind two million instructions, as of
/// networks. Returns how many cores ran.
std::size_t write_step_cores(record::Recorder& to,
                             const StepProgram& program,
                             const StepRun& run,
                             const KernelRecordings& kernels);

}  // namespace ascendsim::steps
