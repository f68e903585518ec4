// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "app/analysis/machine/recorded_plots.hpp"
#include "app/benchmark/benchmark_report.hpp"

namespace ascendsim::benchmark {

/// Throughput over the values, percentiles of each case, and the share of iterations below each time.
[[nodiscard]] std::vector<analysis::RecordedPlot> benchmark_plots(const Benchmark& benchmark);

/// Writes a benchmark as a recording, a cycle being a nanosecond: a track of iterations of each case, one
/// after the other, with the device's part below. benchmark_plots() and figures stand in the metadata. Throws
/// UserError if it cannot be written.
void write_benchmark_recording(const std::filesystem::path& file, const Benchmark& benchmark);

/// A case's place on the axis of the plot: its value, if that is a number, else its items.
[[nodiscard]] double place_of(const Case& one);
/// The variant that a case belongs to: its values without the last, which is that of `over`.
[[nodiscard]] std::string series_of(const Benchmark& benchmark, const Case& one);

}  // namespace ascendsim::benchmark
