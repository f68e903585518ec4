// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/program.hpp"

namespace ascendsim::networks::loops {

/// A product and a number added to it, as one instruction where a factor is not needed behind it: FusedMulAdd
/// computes in the place of a factor.
[[nodiscard]] Program with_multiply_adds(Program program);

}  // namespace ascendsim::networks::loops
