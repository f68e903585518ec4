// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/session/run_request.hpp"

namespace ascendsim::runtime {

/// How many chips are made for a program, before it runs: one where its sources select device 0 and no other,
/// else one for each device of the node, as far as they are simulated.
[[nodiscard]] std::uint32_t chips_of(const HostProgram& program);

/// True if a source may select another device than number 0: an argument of aclrtSetDevice() or the like that
/// is neither 0 nor a name that is only ever given that value.
[[nodiscard]] bool selects_other_devices(std::string_view source);

}  // namespace ascendsim::runtime
