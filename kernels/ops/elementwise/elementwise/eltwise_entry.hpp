// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/ops/elementwise/elementwise/eltwise_tiling.h"

namespace ascendsim::host {

/// What an element-wise operation is: its name, operands, what it needs, and its result in double.
struct EltEntry {
    std::string_view name;
    EltOp op;
    std::uint8_t inputs;
    std::uint8_t outputs;
    std::uint8_t scratch;                                 // tiles in the compute type
    bool half_too;                                        // worked on in half where the operands are halves
    bool whole_too;                                       // and in whole numbers
    bool positive;                                        // operands above 0 only
    double operations;                                    // elementary ones on an element
    double (*formula)(const double* x, const double* p);  // of the first result
    void (*step)(const double* x, const double* p, double* y) = nullptr;  // of several results
};

}  // namespace ascendsim::host
