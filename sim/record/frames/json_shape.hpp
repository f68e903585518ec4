// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "sim/record/format.hpp"

namespace ascendsim::record {

/// The JSON of a frame. A key that docs/recording.md names is what it says there, wherever it stands, so that
/// readers need not ask. Throws UserError, which names the key, for any other; for broken JSON; and for
/// brackets nested deeper than any recording of ours.
[[nodiscard]] nlohmann::json checked_json(FrameType type, std::span<const std::byte> payload);

}  // namespace ascendsim::record
