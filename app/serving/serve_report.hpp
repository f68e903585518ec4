// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
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

/// "4 devices of …: tensor 4, replicas 1; half weights, graph mode".
[[nodiscard]] std::string layout_text(const ServeConfig& config);

/// Serves a file's load and returns its figures by name: p50_ms, p99_ms (of whole requests),
/// first_token_p99_ms, token_ms, requests_per_s, tokens_per_s, joules_a_token, copies.
[[nodiscard]] std::map<std::string, double> served_figures(const std::filesystem::path& file,
                                                           const Settings& settings,
                                                           const toolchain::Installation& installation,
                                                           std::size_t jobs);

/// Latencies, throughput, memory, and where the time goes.
[[nodiscard]] std::string serve_text(const ServeRun& run);

/// A line for each variant, beside the run as the file has it.
[[nodiscard]] std::string variants_text(const ServeRun& run, const std::vector<Variant>& variants);

/// A line for each rung of a ladder, each with what those before it changed; the first is the run as it is.
[[nodiscard]] std::string ladder_text(const ServeRun& run, const std::vector<Variant>& rungs);

/// `model`, `layout`, `figures` {ttft_ms, tpot_ms, e2e_ms, queued_ms: {mean, low, high, p50, p90, p99}, …},
/// `memory`, `parts_us`, `variants`.
[[nodiscard]] nlohmann::ordered_json serve_json(const ServeRun& run, const std::vector<Variant>& variants);

/// One line a request.
[[nodiscard]] std::string serve_csv(const ServeRun& run);

/// Steps of each replica, with sequences and blocks of the cache as counters, for Chrome's trace viewer.
[[nodiscard]] nlohmann::ordered_json serve_trace(const ServeRun& run);

}  // namespace ascendsim::serving
