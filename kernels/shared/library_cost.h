// SPDX-License-Identifier: Apache-2.0
// Scalar instructions of a template library that a kernel of ours does not spend.
//
// Published kernels on the high-level Matmul API compute addresses and tiling in every step of the cube. Ours
// keeps such values in registers; to run a published schedule at its own pace, the difference is spent here.
// It is no part of any result.
#pragma once

#include "kernel_operator.h"
#include "models/isa/sync/synchronise.hpp"

/// Marks a function that decides by operands of the launch what a published kernel decides while it is
/// compiled, by template arguments: one kernel of ours stands for hundreds of instances. Its scalar work is
/// not counted (toolchain/scalar_steps), the operations it issues are.
#define KERNEL_FOLDED __attribute__((annotate("ascendsim.folded")))

namespace cube {

__aicore__ inline void SpendScalar(uint32_t cycles) {
    if (cycles != 0) {
        ascendsim::isa::scalar_instructions(cycles, AscendC::Site::here());
    }
}

}  // namespace cube
