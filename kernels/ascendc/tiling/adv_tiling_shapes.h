// SPDX-License-Identifier: Apache-2.0
// Host helpers of gradients of norms, matrix reductions, broadcasts, padding, transposes, choices and
// weights.
#pragma once

#include "kernels/ascendc/ascendc/adv/reduce_pattern.h"
#include "kernels/ascendc/tiling/adv_tiling_rows.h"

namespace AscendC {

template <class Shape>
inline void GetLayerNormGradMaxMinTmpSize(
    const Shape& srcShape, uint32_t, bool, uint32_t& maxValue, uint32_t& minValue) {
    adv::RowSpaceOf(srcShape, 4, 3, 4, maxValue, minValue);
}

template <class Shape>
inline void GetLayerNormGradNDTilingInfo(
    const Shape srcShape, uint32_t, uint32_t, bool, LayerNormGradTiling& tiling) {
    adv::NormShape(srcShape, srcShape, tiling);
}

template <class Shape>
inline void GetLayerNormGradBetaMaxMinTmpSize(
    const Shape& srcShape, uint32_t, bool, uint32_t& maxValue, uint32_t& minValue) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    minValue = 16U * width + 32U;  // two sums, a product, a widened row
    maxValue = 8U * width * (rows + 1U) + 32U;
}

template <class Shape>
inline void GetLayerNormGradBetaNDTilingInfo(
    const Shape srcShape, uint32_t, uint32_t, bool, LayerNormGradBetaTiling& tiling) {
    adv::NormShape(srcShape, srcShape, tiling);
}

template <class Shape>
inline bool GetBatchNormMaxMinTmpSize(const Shape& srcShape,
                                      const Shape&,
                                      uint32_t,
                                      bool,
                                      uint32_t& maxValue,
                                      uint32_t& minValue,
                                      bool = false) {
    const auto batch = static_cast<uint32_t>(srcShape.GetDim(0));
    const auto width = static_cast<uint32_t>(srcShape.GetShapeSize() / srcShape.GetDim(0));
    const uint32_t values = 72U * ((batch + 7U) / 8U * 8U) + 64U;
    minValue = 16U * width + values;
    maxValue = 8U * width * (batch + 1U) + values;
    return true;
}

/// The shape is [B, S, H]; rows are its batches.
template <class Shape>
inline bool GetBatchNormNDTilingInfo(const Shape& srcShape,
                                     const Shape& originSrcShape,
                                     uint32_t,
                                     uint32_t,
                                     bool,
                                     BatchNormTiling& tiling,
                                     bool = false) {
    tiling.originalBLength = static_cast<uint32_t>(originSrcShape.GetDim(0));
    tiling.bLength = static_cast<uint32_t>(srcShape.GetDim(0));
    tiling.meanVarSize = tiling.shCurLength =
        static_cast<uint32_t>(srcShape.GetShapeSize() / srcShape.GetDim(0));
    return true;
}

template <class Shape>
inline void GetGroupNormMaxMinTmpSize(
    const Shape& srcShape, uint32_t, bool, uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue) {
    const auto channels = static_cast<uint32_t>(srcShape.GetDim(1));
    const auto plane = static_cast<uint32_t>(srcShape.GetDim(2) * srcShape.GetDim(3));
    const uint32_t width = (plane + 15U) / 16U * 16U;
    const uint32_t values = 80U * ((channels + 7U) / 8U * 8U) + 64U;
    minValue = adv::RowBytes(channels / groupNum, width, 3, 3) + values;
    maxValue = adv::RowBytes(channels * static_cast<uint32_t>(srcShape.GetDim(0)), width, 3, 3) + values;
}

/// The shape is [N, C, H, W].
template <class Shape>
inline void GetGroupNormNDTilingInfo(
    const Shape& srcShape, uint32_t, uint32_t typeSize, bool, uint32_t groupNum, GroupNormTiling& tiling) {
    tiling.n = static_cast<uint32_t>(srcShape.GetDim(0));
    tiling.c = static_cast<uint32_t>(srcShape.GetDim(1));
    tiling.g = groupNum;
    tiling.hw = static_cast<uint32_t>(srcShape.GetDim(2) * srcShape.GetDim(3));
    const uint32_t block = 32U / typeSize;
    tiling.hwAlignSize = (tiling.hw + block - 1) / block * block;
}

// Get<Name>MaxMinTmpSize of the reductions by pattern: half of the rows, or what rows need.
#define ASCENDSIM_REDUCTION_SPACE(Name)                                                                 \
    template <class Shape, class DataType, class Pattern>                                               \
    inline void Get##Name##MaxMinTmpSize(                                                               \
        const Shape& srcShape, DataType, Pattern, bool, bool, uint32_t& maxValue, uint32_t& minValue) { \
        adv::RowSpaceOf(srcShape, 2, 1, 0, maxValue, minValue);                                         \
        const auto half_of_all = static_cast<uint32_t>(srcShape.GetShapeSize()) * 2U + 1024U;           \
        minValue = minValue < half_of_all ? half_of_all : minValue;                                     \
        maxValue = maxValue < minValue ? minValue : maxValue;                                           \
    }

ASCENDSIM_REDUCTION_SPACE(ReduceSum)
ASCENDSIM_REDUCTION_SPACE(ReduceMean)
ASCENDSIM_REDUCTION_SPACE(ReduceMax)
ASCENDSIM_REDUCTION_SPACE(ReduceMin)
ASCENDSIM_REDUCTION_SPACE(ReduceProd)
ASCENDSIM_REDUCTION_SPACE(ReduceAny)
ASCENDSIM_REDUCTION_SPACE(ReduceAll)

#undef ASCENDSIM_REDUCTION_SPACE

inline void GetSumMaxMinTmpSize(uint32_t n, uint32_t, bool, uint32_t& maxSize, uint32_t& minSize) {
    const uint32_t width = (n + 15U) / 16U * 16U;
    minSize = adv::RowBytes(8, width, 2, 1);
    maxSize = 4U * minSize;
}

inline void GetMeanMaxMinTmpSize(uint32_t n, uint32_t, uint32_t, bool, uint32_t& maxSize, uint32_t& minSize) {
    GetSumMaxMinTmpSize(n, 4, false, maxSize, minSize);
}

template <class Shape>
inline void GetCumSumMaxMinTmpSize(
    const Shape& srcShape, uint32_t, bool isLastAxis, bool, uint32_t& maxValue, uint32_t& minValue) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    // Sixteen rows twice, or a running sum and a row.
    const uint32_t round = (width + 15U) / 16U * 16U;
    minValue = maxValue = (isLastAxis ? 128U : 8U) * round;
    if (isLastAxis) {
        maxValue = (rows + 15U) / 16U * minValue;
    }
}

template <class Platform, class Shape>
inline void GetBroadCastMaxMinTmpSize(const Platform&,
                                      const Shape&,
                                      const Shape& dstShape,
                                      uint32_t typeSize,
                                      bool,
                                      uint32_t& maxValue,
                                      uint32_t& minValue) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(dstShape, rows, width);
    const uint32_t bytes = (width * typeSize + 31U) / 32U * 32U;
    const uint32_t widened = typeSize == 1 ? 4U * rows * width : 0U;
    minValue = 8U * (32U + bytes) + widened;
    maxValue = (rows + 7U) / 8U * 8U * (32U + bytes) + widened;
}

template <class Shape>
inline void GetPadMaxMinTmpSize(const Shape& srcShape, uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    minValue = maxValue = 4U * ((width + 31U) / 32U * 32U);
}

template <class Shape>
inline void PadTilingFunc(
    const Shape srcShape, const Shape oriSrcShape, uint32_t, uint32_t, PadTiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(oriSrcShape, rows, width);
    tiling.srcOriWidth = width;
    adv::RowsOf(srcShape, rows, width);
    tiling.srcHeight = rows;
    tiling.srcWidth = width;
}

template <class Platform, class Shape>
inline void GetUnPadMaxMinTmpSize(
    const Platform&, const Shape&, uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

template <class Shape>
inline void UnPadTilingFunc(const Shape srcShape, uint32_t, uint32_t, UnPadTiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    tiling.srcHeight = rows;
    tiling.srcWidth = width;
}

/// TRANSPOSE_ND2ND_ONLY works without temporary space.
template <class Shape>
inline void GetConfusionTransposeMaxMinTmpSize(
    const Shape&, uint32_t, uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

template <class Shape>
inline void GetConfusionTransposeTilingInfo(
    const Shape& srcShape, uint32_t, uint32_t, uint32_t, ConfusionTransposeTiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    tiling.param1 = width;
    tiling.param2 = rows;
}

template <class Shape>
inline void GetConfusionTransposeOnlyTilingInfo(const Shape& srcShape,
                                                uint32_t,
                                                uint32_t,
                                                ConfusionTransposeTiling& tiling) {
    GetConfusionTransposeTilingInfo(srcShape, 0, 0, 0, tiling);
}

template <class Shape>
inline void GetTransposeMaxMinTmpSize(const Shape& srcShape,
                                      uint32_t typeSize,
                                      uint32_t transposeType,
                                      uint32_t& maxValue,
                                      uint32_t& minValue) {
    GetConfusionTransposeMaxMinTmpSize(srcShape, typeSize, transposeType, maxValue, minValue);
}

template <class Shape>
inline void GetTransposeTilingInfo(
    const Shape& srcShape, uint32_t, uint32_t, uint32_t, ConfusionTransposeTiling& tiling) {
    GetConfusionTransposeTilingInfo(srcShape, 0, 0, 0, tiling);
}

template <class Shape>
inline uint32_t GetDropOutMinTmpSize(const Shape&, uint32_t, bool) {
    return 512;
}

template <class Shape>
inline uint32_t GetDropOutMaxTmpSize(const Shape& srcShape, uint32_t, bool) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    return 8U * ((rows * width + 63U) / 64U * 64U);
}

/// Room for 4096 elements of the mask as halves and for their bits, as many as the vendor's goes through at a
/// time; and for a mask that has longer rows than the values, without the rest of its rows.
template <class Shape>
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const Shape& src0Shape,
                                                 const Shape& src1Shape,
                                                 uint32_t,
                                                 const Shape& maskShape,
                                                 uint32_t maskTypeSize,
                                                 bool isReuseMask) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(src0Shape.GetShapeSize() > 1 ? src0Shape : src1Shape, rows, width);
    uint32_t mask_rows = 0;
    uint32_t mask_width = 0;
    adv::RowsOf(maskShape, mask_rows, mask_width);
    constexpr uint32_t most = 4096;
    constexpr uint32_t bits = 512;
    const uint32_t halves = ((rows * width < most ? rows * width : most) + 31U) / 32U * 64U;
    const uint32_t dense = mask_width != width && mask_width > 1 && !isReuseMask
                               ? (rows * width * maskTypeSize + 31U) / 32U * 32U
                               : 0U;
    return (halves + bits < 1024U ? 1024U : halves + bits) + dense;
}

template <class Shape>
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(
    const Shape&, const Shape&, uint32_t, const Shape& maskShape, uint32_t, bool) {
    return GetDropOutMaxTmpSize(maskShape, 4, false);
}

template <class Shape>
inline void GetSelectWithBytesMaskMaxMinTmpSize(const Shape& src0Shape,
                                                const Shape& src1Shape,
                                                uint32_t srcTypeSize,
                                                const Shape& maskShape,
                                                uint32_t maskTypeSize,
                                                bool isReuseMask,
                                                uint32_t& maxValue,
                                                uint32_t& minValue) {
    maxValue = GetSelectWithBytesMaskMaxTmpSize(
        src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
    minValue = GetSelectWithBytesMaskMinTmpSize(
        src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}

// The newer names of the three.
template <class... Arguments>
inline uint32_t GetSelectMinTmpSize(Arguments&&... arguments) {
    return GetSelectWithBytesMaskMinTmpSize(arguments...);
}

template <class... Arguments>
inline uint32_t GetSelectMaxTmpSize(Arguments&&... arguments) {
    return GetSelectWithBytesMaskMaxTmpSize(arguments...);
}

template <class... Arguments>
inline void GetSelectMaxMinTmpSize(Arguments&&... arguments) {
    GetSelectWithBytesMaskMaxMinTmpSize(arguments...);
}

}  // namespace AscendC
