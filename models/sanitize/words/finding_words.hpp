// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/sanitize/finding.hpp"
#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {

/// The name a kernel gives the flag from one pipe to another: "MTE2_V".
[[nodiscard]] std::string event_name(std::uint8_t from, std::uint8_t to);

/// One sentence about what `later` did, in conflict with `earlier` if not null. `range` names the bytes.
[[nodiscard]] std::string message_of(Kind kind,
                                     const Touch& later,
                                     const Touch* earlier,
                                     const std::string& range);

/// What to do about it.
[[nodiscard]] std::string hint_of(Kind kind, const Touch& later, const Touch* earlier);

}  // namespace ascendsim::sanitize
