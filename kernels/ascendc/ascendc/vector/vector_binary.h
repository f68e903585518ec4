// SPDX-License-Identifier: Apache-2.0
// The vector operations that work lane by lane: two sources.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"

namespace AscendC {

template <typename T>
inline void Add(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::add, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Add(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::add, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Sub(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::sub, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Sub(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::sub, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Mul(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::mul, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Mul(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::mul, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

/// How a division rounds. Ours is the correctly rounded quotient in every mode, as near as any of them.
enum class DivAlgo {
    INTRINSIC = 0,
    DIFF_COMPENSATION,
    PRECISION_1ULP_FTZ_TRUE,
    PRECISION_0ULP_FTZ_TRUE,
    PRECISION_0ULP_FTZ_FALSE,
    PRECISION_1ULP_FTZ_FALSE
};

struct DivConfig {
    DivAlgo algo = DivAlgo::INTRINSIC;
};

inline constexpr DivConfig DEFAULT_DIV_CONFIG{};

template <typename T, const DivConfig& config>
inline void Div(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::div, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T>
inline void Div(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::div, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Div(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::div, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Max(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::max, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Max(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::max, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Min(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::min, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Min(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::min, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void And(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const int32_t& count,
                Site site = Site::here()) {
    BinaryCall(LaneOp::bit_and, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void And(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                Mask mask,
                const RepeatTimes repeatTimes,
                const BinaryRepeatParams& params,
                Site site = Site::here()) {
    BinaryCall(LaneOp::bit_and, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void Or(const LocalTensor<T>& dst,
               const LocalTensor<T>& src0,
               const LocalTensor<T>& src1,
               const int32_t& count,
               Site site = Site::here()) {
    BinaryCall(LaneOp::bit_or, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void Or(const LocalTensor<T>& dst,
               const LocalTensor<T>& src0,
               const LocalTensor<T>& src1,
               Mask mask,
               const RepeatTimes repeatTimes,
               const BinaryRepeatParams& params,
               Site site = Site::here()) {
    BinaryCall(LaneOp::bit_or, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void AddRelu(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    const int32_t& count,
                    Site site = Site::here()) {
    BinaryCall(LaneOp::add_relu, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void AddRelu(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    Mask mask,
                    const RepeatTimes repeatTimes,
                    const BinaryRepeatParams& params,
                    Site site = Site::here()) {
    BinaryCall(LaneOp::add_relu, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

template <typename T>
inline void SubRelu(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    const int32_t& count,
                    Site site = Site::here()) {
    BinaryCall(LaneOp::sub_relu, dst, src0, src1, CountShape(count), BinaryRepeatParams(), site);
}

template <typename T, bool isSetMask = true, LaneMask Mask>
inline void SubRelu(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1,
                    Mask mask,
                    const RepeatTimes repeatTimes,
                    const BinaryRepeatParams& params,
                    Site site = Site::here()) {
    BinaryCall(LaneOp::sub_relu, dst, src0, src1, MaskShape<isSetMask>(mask, repeatTimes), params, site);
}

}  // namespace AscendC
