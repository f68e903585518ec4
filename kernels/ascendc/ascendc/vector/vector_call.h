// SPDX-License-Identifier: Apache-2.0
// What the calls of the vector API share: operands and masks.
#pragma once

#include <type_traits>

#include "kernels/ascendc/ascendc/params.h"
#include "kernels/ascendc/ascendc/system.h"
#include "models/isa/vector/elementwise.hpp"
#include "models/isa/vector/vector_mask.hpp"

namespace AscendC {

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
    ascendsim::isa::set_mask_bits(maskLow, maskHigh);
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len) {
    if (mode == MaskMode::COUNTER) {
        ascendsim::isa::set_mask_bits(static_cast<uint64_t>(len), 0);
    } else {
        ascendsim::isa::set_mask_lanes(static_cast<uint64_t>(len));
    }
}

inline void SetMaskCount() {
    ascendsim::isa::set_mask_mode(true);
}

inline void SetMaskNorm() {
    ascendsim::isa::set_mask_mode(false);
}

inline void SetMaskCountImpl() {
    SetMaskCount();
}

inline void SetMaskNormImpl() {
    SetMaskNorm();
}

inline void ResetMask() {
    ascendsim::isa::set_mask_bits(FULL_MASK, FULL_MASK);
}

/// An operand of a call that takes strides; without them the tensor is dense.
template <typename T>
inline ascendsim::isa::VectorOperand Operand(const LocalTensor<T>& tensor,
                                             uint16_t block_stride,
                                             uint16_t repeat_stride) {
    return {tensor.Start(), block_stride, repeat_stride, DataTypeOf<T>()};
}

/// A dense operand of a call that takes a count. `widest` is the size of the call's widest element: a repeat
/// holds as many elements of the narrower operands.
template <typename T>
inline ascendsim::isa::VectorOperand DenseOperand(const LocalTensor<T>& tensor, uint32_t widest = sizeof(T)) {
    return {tensor.Start(), 1, static_cast<uint16_t>(8U * sizeof(T) / widest), DataTypeOf<T>()};
}

using ascendsim::isa::LaneOp;

/// The repeats of an instruction, which the interface has as uint8_t. Kept as given: 300 would wrap to 44,
/// and that is told.
class RepeatTimes {
public:
    template <typename N>
    requires std::is_convertible_v<N, int64_t>

    constexpr RepeatTimes(N repeats) : value_(static_cast<uint32_t>(repeats)) {}

    constexpr operator uint32_t() const { return value_; }

private:
    uint32_t value_;
};

inline ascendsim::isa::VectorShape CountShape(int32_t count) {
    return ascendsim::isa::shape_of_count(count > 0 ? static_cast<uint32_t>(count) : 0);
}

/// How a call says which lanes of each repeat take part: how many from the first, or two words with a bit for
/// each.
template <typename Mask>
concept LaneMask = std::is_convertible_v<Mask, uint64_t> || std::is_same_v<Mask, uint64_t*> ||
    std::is_same_v<Mask, const uint64_t*>;

template <bool isSetMask, LaneMask Mask>
inline ascendsim::isa::VectorShape MaskShape(Mask mask, uint32_t repeats) {
    if constexpr (std::is_pointer_v<Mask>) {
        return ascendsim::isa::shape_of_bits(mask, repeats, isSetMask);
    } else {
        return ascendsim::isa::shape_of_lanes(static_cast<uint64_t>(mask), repeats, isSetMask);
    }
}

template <typename T>
inline void UnaryCall(LaneOp op,
                      const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const ascendsim::isa::VectorShape& shape,
                      const UnaryRepeatParams& params,
                      Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::lanes(op,
                              {Operand(dst, params.dstBlkStride, params.dstRepStride),
                               Operand(src, params.srcBlkStride, params.srcRepStride),
                               {},
                               {},
                               shape},
                              site);
    }
}

template <typename T>
inline void BinaryCall(LaneOp op,
                       const LocalTensor<T>& dst,
                       const LocalTensor<T>& src0,
                       const LocalTensor<T>& src1,
                       const ascendsim::isa::VectorShape& shape,
                       const BinaryRepeatParams& params,
                       Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::lanes(op,
                              {Operand(dst, params.dstBlkStride, params.dstRepStride),
                               Operand(src0, params.src0BlkStride, params.src0RepStride),
                               Operand(src1, params.src1BlkStride, params.src1RepStride),
                               {},
                               shape},
                              site);
    }
}

template <typename T, typename U>
inline void ScalarCall(LaneOp op,
                       const LocalTensor<T>& dst,
                       const LocalTensor<U>& src,
                       U scalar,
                       const ascendsim::isa::VectorShape& shape,
                       const UnaryRepeatParams& params,
                       Site site) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::lanes(op,
                              {Operand(dst, params.dstBlkStride, params.dstRepStride),
                               Operand(src, params.srcBlkStride, params.srcRepStride),
                               {},
                               ascendsim::isa::ScalarBits(scalar),
                               shape},
                              site);
    }
}

}  // namespace AscendC
