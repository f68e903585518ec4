// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/plan/comparison.hpp"
#include "kernels/plan/plan.hpp"
#include "kernels/testing/child_run.hpp"
#include "models/core/machine.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::testing {

/// How a test runs a kernel.
struct KernelRunOptions {
    std::string chip = "910b3";
    bool functional = true;
    std::uint64_t seed = 1;
    std::uint32_t repeat = 1;         // times the launches run, one after the other
    std::filesystem::path recording;  // empty: none
};

/// What came of it.
struct KernelRun {
    host::Plan plan;
    ChipSpec chip;
    MachineTotals totals;
    std::vector<host::Comparison> comparisons;  // of a functional run, one for each tolerance of the plan
    std::string hazards;  // of a functional run: races, reads of nothing and the like, in words

    /// True if something was compared and nothing differs.
    [[nodiscard]] bool passed() const;

    /// The same, and the checker found nothing wrong.
    [[nodiscard]] bool clean() const { return passed() && hazards.empty(); }

    /// The comparisons and hazards in words, for a failed test.
    [[nodiscard]] std::string report() const;
    [[nodiscard]] double time_us() const;
};

/// Knob names with their values as `--set kernel.name=value` takes them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Tiles an in-tree kernel for a chip. Throws UserError for bad settings.
[[nodiscard]] host::Plan plan_kernel(const std::string& kernel,
                                     const Settings& settings,
                                     const std::string& chip = "910b3");

/// Plans a kernel, runs it on the whole machine and compares its outputs. Once per process (SystemC).
[[nodiscard]] KernelRun run_kernel(const std::string& kernel,
                                   const Settings& settings,
                                   const KernelRunOptions& options = {});

/// The same with a plan and a source that are not among the shipped kernels.
[[nodiscard]] KernelRun run_source(const std::filesystem::path& source,
                                   host::Plan plan,
                                   const KernelRunOptions& options = {});

/// For each cycle of a run, whether a pipe of a core works (as opposed to waiting).
[[nodiscard]] std::vector<bool> busy_cycles(const record::Recording& recording,
                                            std::string_view core,
                                            std::string_view pipe);

}  // namespace ascendsim::testing
