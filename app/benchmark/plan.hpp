// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/jitter.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::benchmark {

/// A limit of [benchmark.expect] on a figure of every case.
struct CaseLimit {
    std::string path;  // in a case's JSON: "iteration_us.p99"
    std::optional<double> min;
    std::optional<double> max;
    std::string place;
};

/// Values that are set together for one case.
struct CaseValues {
    std::string name;
    std::vector<scenario::Override> set;
};

/// The [benchmark] of a scenario or a step.
struct BenchmarkPlan {
    // One cycle: iterations that nothing looks at, those that warm up, those that are measured.
    std::uint32_t wait = 0;
    std::uint32_t warm_up = 3;
    std::uint32_t active = 20;
    std::uint32_t repeat = 1;  // cycles

    std::uint32_t simulated = 3;  // executions by the detailed level; further ones take the last one's time
    double fence = 1.5;           // see fences_of()
    bool synchronise = true;      // the host waits for each iteration
    node::IssueMode mode = node::IssueMode::launch;
    std::string host{};  // of models/hosts; empty: that of the machine
    node::Jitter jitter{};
    std::uint64_t seed = 1;

    std::string over{};               // path of the one value that changes from case to case; empty: none
    std::vector<CaseValues> cases{};  // empty: one, of the file as it is
    std::string items{};              // of an iteration: a number, or the path of one
    double tolerance = 0.01;          // how much slower than its baseline a figure may be
    std::vector<CaseLimit> limits{};

    [[nodiscard]] std::uint64_t iterations() const {
        return std::uint64_t{repeat} * (std::uint64_t{wait} + warm_up + active);
    }
};

/// Lets the cases be those of a path's values.
void set_values(BenchmarkPlan& plan, const std::string& path, const std::vector<std::string>& values);

/// Reads [benchmark] of a file; the defaults if there is none. Throws UserError with file and line.
[[nodiscard]] BenchmarkPlan read_plan(const TomlFile& file);

/// The number of items of an iteration in `file`, whose values are those of a case. Throws UserError if the
/// path leads to no number.
[[nodiscard]] double items_of(const BenchmarkPlan& plan, const TomlFile& file);

}  // namespace ascendsim::benchmark
