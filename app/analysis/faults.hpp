// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// True if something stopped the run: its figures are of what ran until then.
[[nodiscard]] bool failed(const RunSummary& summary);

/// Outputs whose numbers are outside their tolerance, a sentence each: "z: 3 of 64 elements are wrong (atol
/// 0.001, rtol 0.001), the first at 5: got -inf, expected 2". `numerics` as in a run's totals or JSON.
[[nodiscard]] std::vector<std::string> wrong_outputs(const nlohmann::json& numerics);

/// Hazards that are errors; flags and barriers that only cost time are none.
[[nodiscard]] std::size_t count_hazards(const nlohmann::json& hazards);

/// The findings of a severity: "error", "note" (it may be right) or "waste" (it only costs time).
[[nodiscard]] std::vector<const nlohmann::json*> hazards_of(const RunSummary& summary,
                                                            std::string_view severity);

/// Everything that makes a run's result worthless on the chip, a sentence each: its failure, its hazards, its
/// wrong numbers. Empty for a good run.
[[nodiscard]] std::vector<std::string> faults_of(const RunSummary& summary);

/// The same of a run's JSON; `error` and `outcome` as `run --json` writes them.
[[nodiscard]] std::vector<std::string> faults_of(const nlohmann::json& run);

}  // namespace ascendsim::analysis
