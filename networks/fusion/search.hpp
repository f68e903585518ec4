// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "networks/fusion/decision.hpp"

namespace ascendsim::networks {

/// A kernel of a network for which another tiling was looked for.
struct SearchedKernel {
    std::string problem;
    std::string tiling;     // what was best: "base_m = 256, base_n = 128"; empty: that of before
    std::size_t count = 0;  // of equal tasks in the network
    std::size_t tried = 0;  // other tilings
    double before_us = 0;   // of one
    double after_us = 0;

    [[nodiscard]] double gain_us() const { return static_cast<double>(count) * (before_us - after_us); }
};

/// A network with the best tilings that were found.
struct TilingSearch {
    NetworkPlan plan;
    std::vector<SearchedKernel> kernels;  // those that take longest first
    std::size_t simulations = 0;
    std::size_t left = 0;  // candidates that the budget did not reach

    /// Of the tasks that are equal to `task`, as they are now.
    std::vector<std::pair<Task, Task>> changed;
};

/// Other sizes of a task: tiles and cores of generated kernels, and the knobs of shipped ones that say how
/// they work. `blocks` are the cores that it takes as it is.
[[nodiscard]] std::vector<Task> other_tilings(const Task& task, const ChipSpec& chip, std::uint32_t blocks);

/// Simulates other tilings of the plan's kernels, those that take longest first and at most `budget` of them,
/// and puts the fastest in their places.
[[nodiscard]] TilingSearch search_tilings(const NetworkPlan& plan,
                                          const ChipSpec& chip,
                                          const TimeTasks& time,
                                          std::size_t budget);

}  // namespace ascendsim::networks
