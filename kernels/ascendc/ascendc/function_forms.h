// SPDX-License-Identifier: Apache-2.0
// The calls again with exactly the parameters that are documented, so that a kernel can pass them as template
// arguments: `Compute<half, Mul>`, where Compute wants void(const LocalTensor<T>&, ...). A plain call takes
// the form with the call site: what these return follows from the type that a template argument has, and a
// call has none to deduce it from.
#pragma once

#include <concepts>

#include "kernels/ascendc/ascendc/vector/vector_binary.h"
#include "kernels/ascendc/ascendc/vector/vector_scalar.h"
#include "kernels/ascendc/ascendc/vector/vector_unary.h"

#define ASCENDSIM_UNARY_FORMS(name)                                                                  \
    template <typename T, std::same_as<void> Result>                                                 \
    inline Result name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) { \
        name<T>(dst, src, count, Site{});                                                            \
    }                                                                                                \
    template <typename T, bool isSetMask = true, LaneMask Mask, std::same_as<void> Result>           \
    inline Result name(const LocalTensor<T>& dst,                                                    \
                       const LocalTensor<T>& src,                                                    \
                       Mask mask,                                                                    \
                       const uint8_t repeatTimes,                                                    \
                       const UnaryRepeatParams& params) {                                            \
        name<T, isSetMask>(dst, src, mask, repeatTimes, params, Site{});                             \
    }
#define ASCENDSIM_BINARY_FORMS(name)                                                       \
    template <typename T, std::same_as<void> Result>                                       \
    inline Result name(const LocalTensor<T>& dst,                                          \
                       const LocalTensor<T>& src0,                                         \
                       const LocalTensor<T>& src1,                                         \
                       const int32_t& count) {                                             \
        name<T>(dst, src0, src1, count, Site{});                                           \
    }                                                                                      \
    template <typename T, bool isSetMask = true, LaneMask Mask, std::same_as<void> Result> \
    inline Result name(const LocalTensor<T>& dst,                                          \
                       const LocalTensor<T>& src0,                                         \
                       const LocalTensor<T>& src1,                                         \
                       Mask mask,                                                          \
                       const uint8_t repeatTimes,                                          \
                       const BinaryRepeatParams& params) {                                 \
        name<T, isSetMask>(dst, src0, src1, mask, repeatTimes, params, Site{});            \
    }
#define ASCENDSIM_SCALAR_FORMS(name)                               \
    template <typename T, std::same_as<void> Result>               \
    inline Result name(const LocalTensor<T>& dst,                  \
                       const LocalTensor<T>& src,                  \
                       const std::type_identity_t<T>& scalarValue, \
                       const int32_t& count) {                     \
        name<T>(dst, src, scalarValue, count, Site{});             \
    }

namespace AscendC {

ASCENDSIM_UNARY_FORMS(Abs)
ASCENDSIM_UNARY_FORMS(Exp)
ASCENDSIM_UNARY_FORMS(Ln)
ASCENDSIM_UNARY_FORMS(Sqrt)
ASCENDSIM_UNARY_FORMS(Rsqrt)
ASCENDSIM_UNARY_FORMS(Reciprocal)
ASCENDSIM_UNARY_FORMS(Relu)
ASCENDSIM_UNARY_FORMS(Not)

ASCENDSIM_BINARY_FORMS(Add)
ASCENDSIM_BINARY_FORMS(Sub)
ASCENDSIM_BINARY_FORMS(Mul)
ASCENDSIM_BINARY_FORMS(Div)
ASCENDSIM_BINARY_FORMS(Max)
ASCENDSIM_BINARY_FORMS(Min)
ASCENDSIM_BINARY_FORMS(And)
ASCENDSIM_BINARY_FORMS(Or)

ASCENDSIM_SCALAR_FORMS(Adds)
ASCENDSIM_SCALAR_FORMS(Muls)
ASCENDSIM_SCALAR_FORMS(Maxs)
ASCENDSIM_SCALAR_FORMS(Mins)

}  // namespace AscendC

#undef ASCENDSIM_UNARY_FORMS
#undef ASCENDSIM_BINARY_FORMS
#undef ASCENDSIM_SCALAR_FORMS
