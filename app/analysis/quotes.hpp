// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// Gives `later` and `earlier` of each hazard the line of source that they name, as `code`, where the
/// recording's `sources` hold it: the line says which tensors an operation is about.
void quote_sources(nlohmann::json& hazards, const nlohmann::json& metadata);

}  // namespace ascendsim::analysis
