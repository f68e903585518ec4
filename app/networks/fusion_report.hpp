// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/fusion/decision.hpp"
#include "networks/fusion/search.hpp"

namespace ascendsim::report {

/// `fused` and `refused` decisions, equal ones counted; `not_joined` neighbours by kind and reason;
/// `gain_us`.
[[nodiscard]] nlohmann::ordered_json fusion_json(const std::vector<networks::Decision>& decisions,
                                                 const std::vector<networks::NotJoined>& not_joined);

/// `budget`, `simulations`, `left` (tilings that were not reached), `gain_us`, and `kernels` [{problem,
/// count, tried, before_us, after_us, tiling}], the longest first.
[[nodiscard]] nlohmann::ordered_json search_json(const networks::TilingSearch& search, std::size_t budget);

/// Prints what search_json() holds.
void print_search(std::ostream& out, const nlohmann::ordered_json& search, const Style& style);

/// Puts outputs whose numbers are too far off, of compare_fused(), among `wrong` with the reason. True if
/// there are any that were not among them.
bool note_wrong(const nlohmann::ordered_json& equality, std::map<std::string, std::string>& wrong);

/// Prints what fusion_json() holds as tables.
void print_fusion(std::ostream& out, const nlohmann::ordered_json& fusion, const Style& style);

/// Writes each generated kernel that was taken below `folder`, with a scenario that runs it:
/// <number>_<entry>/<entry>.cpp and .toml. Throws UserError if the folder cannot be written.
void write_fused_kernels(const std::vector<networks::Decision>& decisions,
                         const ChipSpec& chip,
                         const std::filesystem::path& folder);

}  // namespace ascendsim::report
