// SPDX-License-Identifier: Apache-2.0
// Scalar instructions of a template library that a kernel of ours does not spend.
//
// Published kernels on the high-level Matmul API compute addresses and tiling in every step of the cube. Ours keeps
// such values in registers; to run a published schedule at its own pace, the difference is spent here. It is no part of
// any result.
#pragma once

#include "kernel_operator.h"
#include "models/isa/synchronise.hpp"

namespace cube {

__aicore__ inline void SpendScalar(uint32_t cycles) {
    if (cycles != 0) {
        ascendsim::isa::scalar_work(cycles, AscendC::Site::here());
    }
}

}  // namespace cube
