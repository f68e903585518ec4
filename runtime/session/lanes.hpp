// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "sim/record/recorder.hpp"

namespace ascendsim::runtime {

/// What each pipe of each kind of core did, summed over the cores that did anything: as
/// SessionOutcome::totals describes under `lanes`.
[[nodiscard]] nlohmann::json lanes_json(const record::Recorder& recorder);

}  // namespace ascendsim::runtime
