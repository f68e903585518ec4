// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/benchmark/benchmark_run.hpp"
#include "app/report/style.hpp"

namespace ascendsim::benchmark {

/// Figures of an earlier benchmark: by case, then by their paths in its JSON.
using BenchmarkBaseline = std::map<std::string, std::map<std::string, double>>;

/// A figure beside that of the baseline.
struct Change {
    std::string label;  // of the case
    std::string path;
    double before = 0;
    double now = 0;
    bool worse = false;  // by more than the tolerance

    [[nodiscard]] double relative() const { return before != 0 ? (now - before) / before : 0; }
};

/// What a limit of [benchmark.expect] found.
struct LimitState {
    std::string label;
    std::string sentence;  // why it does not hold
};

/// `benchmark`, `title`, `machine`, `schedule`, `jitter`, `cases` (`label`, `values`, `items`, `iteration_us`
/// and `device_us` with count, outliers, mean, std, min, p50, p90, p99, max, p99_of_all; `items_per_s`,
/// `error`), `changes`, `limits`.
[[nodiscard]] nlohmann::ordered_json to_json(const Benchmark& benchmark,
                                             const std::vector<Change>& changes,
                                             const std::vector<LimitState>& broken);
/// The table for people, and what changed.
[[nodiscard]] std::string benchmark_text(const Benchmark& benchmark,
                                         const std::vector<Change>& changes,
                                         const std::vector<LimitState>& broken,
                                         const report::Style& style);
/// A row a case.
[[nodiscard]] std::string benchmark_csv(const Benchmark& benchmark);
/// A row an iteration.
[[nodiscard]] std::string samples_csv(const Benchmark& benchmark);
/// A page: throughput over the values or items, percentiles, iterations over time.
[[nodiscard]] std::string benchmark_html(const Benchmark& benchmark,
                                         const std::vector<Change>& changes,
                                         const std::vector<LimitState>& broken);

[[nodiscard]] BenchmarkBaseline baseline_of(const Benchmark& benchmark);
/// The baseline as a file holds it. Throws UserError for a file that is none; nothing if there is no file.
[[nodiscard]] std::optional<BenchmarkBaseline> read_benchmark_baseline(const std::filesystem::path& file);
[[nodiscard]] std::string text_of(const BenchmarkBaseline& baseline);

/// Figures of both, in the order of the cases. A time that grew or a rate that fell beyond the plan's
/// tolerance is worse.
[[nodiscard]] std::vector<Change> changes_of(const BenchmarkBaseline& before, const Benchmark& now);

/// Limits that do not hold.
[[nodiscard]] std::vector<LimitState> broken_limits(const Benchmark& benchmark);

}  // namespace ascendsim::benchmark
