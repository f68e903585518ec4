// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/validation/family.hpp"

namespace ascendsim::validation {

/// True for copies, fills and broadcasts by the kernel's name.
[[nodiscard]] bool copies(const Row& row);

/// The run of a row of copies: tiles into UB or L1, a tensor copied, filled or spread, or one path of one
/// core.
[[nodiscard]] Adapted copy_case(const Row& row, const Context& context);

}  // namespace ascendsim::validation
