// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include <nlohmann/json.hpp>

#include "app/networks/network_report.hpp"
#include "networks/compress/compress.hpp"

namespace ascendsim::report {

/// What "--quantise none|int8" and "--prune N|4:2" ask for. Throws UserError for other words.
[[nodiscard]] networks::Compression compression_of(const std::string& quantise, const std::string& prune);

/// Results of a network before it was made smaller and after: of each .npy in both folders, [{output,
/// relative_error, largest_error, cosine}]. Errors are by the root mean square of what it was, and the cosine
/// is of both as vectors.
[[nodiscard]] nlohmann::ordered_json precision_of(const std::filesystem::path& before,
                                                  const std::filesystem::path& after);

/// What it gained: `quantised`, `sparse` (products) and `pruned` (weights), `before` and `after` {time_us,
/// weight_bytes, hbm_bytes, flops}, `gain` of time, and `precision` if both were computed.
[[nodiscard]] nlohmann::ordered_json compression_json(const networks::CompressedNetwork& network,
                                                      const NetworkRun& before,
                                                      const NetworkRun& after,
                                                      const nlohmann::ordered_json& precision);

/// The same for people.
void print_compression(std::ostream& out, const nlohmann::ordered_json& compression);

}  // namespace ascendsim::report
