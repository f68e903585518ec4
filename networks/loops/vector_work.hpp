// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/spec/chip_spec.hpp"
#include "networks/loops/program.hpp"

namespace ascendsim::networks::loops {

/// What the vector units have to do at the least, in operations of one cycle on 64 elements: each instruction
/// on whole tiles once, by its cycles for a repeat. Instructions on rows and columns are left out, and so is
/// what starting an instruction and conflicts of banks cost.
[[nodiscard]] double vector_work(const Program& program, const Space& space, const ChipSpec& chip);

}  // namespace ascendsim::networks::loops
