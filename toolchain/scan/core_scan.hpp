// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "models/port/core_use.hpp"

namespace ascendsim::toolchain {

/// The kind of cores that a kernel's calls belong to: cube cores for Mmad and its copies, both for the Matmul
/// object or where vector calls stand beside; nothing if there is no cube work in `text`.
[[nodiscard]] std::optional<CoreUse> cores_by_calls(std::string_view text);

}  // namespace ascendsim::toolchain
