// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/benchmark/iterations.hpp"
#include "app/benchmark/plan.hpp"
#include "app/benchmark/statistics.hpp"
#include "app/scenario/scenario.hpp"
#include "runtime/session/isolated.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::benchmark {

/// What one set of values came to.
struct Case {
    std::string label;
    std::vector<std::pair<std::string, std::string>> values;  // of variants, and of the plan's case
    double items = 1;                                         // of an iteration
    std::vector<Iteration> iterations;
    Statistics iteration;  // us
    Statistics device;     // us
    std::string error;     // why it has no figures, or is not good
    int exit = 0;          // of the contract

    /// Items a second of mean iterations; 0 without figures.
    [[nodiscard]] double items_per_s() const { return iteration.mean > 0 ? items / iteration.mean * 1e6 : 0; }
};

/// A benchmark that has run.
struct Benchmark {
    std::string name;  // of the file
    std::string title;
    std::string machine;  // "910b3 · Kunpeng 920, Arm, 2.6 GHz"
    BenchmarkPlan plan;
    bool of_step = false;
    std::vector<Case> cases;
    std::vector<std::string> notes;
};

/// How a benchmark is run.
struct BenchmarkOptions {
    std::size_t jobs = 2;
    std::function<void(std::size_t, std::size_t, const std::string&)> progress{};
    runtime::IsolatedLimits limits{};
};

/// Runs the cases of a scenario: variants, and values of `over`. The detailed level finds the time of each
/// execution; the host's calls and its waiting are composed around it. Throws UserError.
[[nodiscard]] Benchmark run_benchmark(const scenario::ScenarioFile& file,
                                      const BenchmarkPlan& plan,
                                      const toolchain::Installation& installation,
                                      const BenchmarkOptions& options);

/// The same of a step's file.
[[nodiscard]] Benchmark run_benchmark(const TomlFile& step,
                                      const std::vector<scenario::Override>& overrides,
                                      const BenchmarkPlan& plan,
                                      const toolchain::Installation& installation,
                                      const BenchmarkOptions& options);

}  // namespace ascendsim::benchmark
