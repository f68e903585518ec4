// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "models/port/core_use.hpp"

namespace ascendsim::toolchain {

/// The kind of cores that calls belong to: cube cores for Mmad and its copies, both for the Matmul
/// object or where vector calls stand beside; nothing if there is no cube work in `text`.
[[nodiscard]] std::optional<CoreUse> cores_by_calls(std::string_view text);

/// The same of kernel `entry` alone: of its body, and of the functions, classes, aliases and macros of `text`
/// that it comes to by their names. Of all of `text` if it does not define such a kernel.
[[nodiscard]] std::optional<CoreUse> cores_by_calls(std::string_view text, std::string_view entry);

}  // namespace ascendsim::toolchain
