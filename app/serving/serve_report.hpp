// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/serving/serve_figures.hpp"

namespace ascendsim::serving {

/// A served load with its figures.
struct ServeRun {
    ServeConfig config;
    ServedLoad load;
    ServeFigures figures;
};

/// The same load under another setting, or why it could not be served.
struct Variant {
    std::string setting;  // "scheduler.max_sequences=64"
    std::string what;     // in words
    ServeFigures figures;
    std::string problem;
};

/// Latencies, throughput, memory, and where the time goes.
[[nodiscard]] std::string serve_text(const ServeRun& run);

/// A line for each variant, beside the run as the file has it.
[[nodiscard]] std::string variants_text(const ServeRun& run, const std::vector<Variant>& variants);

/// `model`, `layout`, `figures` {ttft_ms, tpot_ms, e2e_ms, queued_ms: {mean, low, high, p50, p90, p99}, …},
/// `memory`, `parts_us`, `variants`.
[[nodiscard]] nlohmann::ordered_json serve_json(const ServeRun& run, const std::vector<Variant>& variants);

/// One line a request.
[[nodiscard]] std::string serve_csv(const ServeRun& run);

/// Steps of each replica, with sequences and blocks of the cache as counters, for Chrome's trace viewer.
[[nodiscard]] nlohmann::ordered_json serve_trace(const ServeRun& run);

}  // namespace ascendsim::serving
