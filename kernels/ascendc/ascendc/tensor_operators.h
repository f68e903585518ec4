// SPDX-License-Identifier: Apache-2.0
// Whole tensors in expressions: `dst = src0 + src1`, documented with the calls that they stand for. An
// arithmetic one works on all elements of dst, a comparison on all of its sources and leaves one bit for
// each.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_binary.h"
#include "kernels/ascendc/ascendc/vector/vector_compare.h"

namespace AscendC {

#define ASCENDSIM_LANE_OPERATION(name, op)                                                                  \
    struct TensorOperation##name {                                                                          \
        template <typename T>                                                                               \
        static void Store(const LocalTensor<T>& dst, const TensorExpression<TensorOperation##name, T>& e) { \
            const auto count = CountShape(static_cast<int32_t>(dst.GetSize()));                             \
            BinaryCall(LaneOp::op, dst, e.left, e.right, count, BinaryRepeatParams(), e.site);              \
        }                                                                                                   \
    };
#define ASCENDSIM_COMPARE_OPERATION(name, mode)                                                             \
    struct TensorOperation##name {                                                                          \
        template <typename T, typename U>                                                                   \
        static void Store(const LocalTensor<T>& dst, const TensorExpression<TensorOperation##name, U>& e) { \
            Compare(dst, e.left, e.right, CMPMODE::mode, e.left.GetSize(), e.site);                         \
        }                                                                                                   \
    };

ASCENDSIM_LANE_OPERATION(Add, add)
ASCENDSIM_LANE_OPERATION(Sub, sub)
ASCENDSIM_LANE_OPERATION(Mul, mul)
ASCENDSIM_LANE_OPERATION(Div, div)
ASCENDSIM_LANE_OPERATION(And, bit_and)
ASCENDSIM_LANE_OPERATION(Or, bit_or)
ASCENDSIM_COMPARE_OPERATION(Less, LT)
ASCENDSIM_COMPARE_OPERATION(Greater, GT)
ASCENDSIM_COMPARE_OPERATION(LessEqual, LE)
ASCENDSIM_COMPARE_OPERATION(GreaterEqual, GE)
ASCENDSIM_COMPARE_OPERATION(Equal, EQ)
ASCENDSIM_COMPARE_OPERATION(NotEqual, NE)

}  // namespace AscendC

#undef ASCENDSIM_LANE_OPERATION
#undef ASCENDSIM_COMPARE_OPERATION
