// SPDX-License-Identifier: Apache-2.0
// What reports say of the synchronisation that the vendor's compiler inserts by itself.
#pragma once

#include <string>
#include <vector>

#include "app/analysis/run_summary.hpp"

namespace ascendsim::report {

/// "auto-sync on: op_kernel/CMakeLists.txt: add_ops_compile_options"; empty for kernels that come with the
/// simulator.
[[nodiscard]] std::string auto_sync_setting(const analysis::RunSummary& summary);

/// Sentences about what was inserted; none if nothing was.
[[nodiscard]] std::vector<std::string> inserted_sentences(const analysis::RunSummary& summary);

/// "barrier of vector", "flag from vector to scalar".
[[nodiscard]] std::string inserted_words(const analysis::InsertedAt& place);

/// Where synchronisation is not inserted and nobody says so: how many of the hazards it would order. Empty if
/// none, or if the setting is stated.
[[nodiscard]] std::string auto_sync_hint(const analysis::RunSummary& summary);

}  // namespace ascendsim::report
