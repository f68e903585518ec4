// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ascendsim::cli {

/// True if standard output belongs to the JSON, and nothing else may be printed there.
[[nodiscard]] inline bool json_alone(const std::string& place) {
    return place == "-";
}

/// Writes `json` where `--json` says: "-" is standard output, empty is nowhere. Throws UserError if it cannot be
/// written.
void write_json(const std::string& place, const nlohmann::ordered_json& json);

/// As --json takes it: text that is no UTF-8 is replaced, a newline ends it.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ascendsim::cli
