// SPDX-License-Identifier: Apache-2.0
// Host helpers of the softmax family, the norms, reductions, sorts and changes of shape: temporary space and
// tilings.
#pragma once

#include "kernels/ascendc/kernel_tiling/adv_tiling.h"
#include "kernels/ascendc/tiling/adv_tiling_size.h"

namespace AscendC {

namespace adv {

/// The temporary space of SoftMax and its relatives: `most` or the least.
template <class Shape>
inline uint32_t SoftmaxSpace(const Shape& shape, uint32_t type_size, bool most, uint32_t wide) {
    uint32_t largest = 0;
    uint32_t least = 0;
    RowSpaceOf(shape, 5, type_size < 4 ? wide : 0, 0, largest, least);
    return most ? largest : least;
}

template <class Shape, class Tiling>
inline void SoftmaxShape(const Shape& shape, uint32_t type_size, Tiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    RowsOf(shape, rows, width);
    tiling.srcM = rows;
    tiling.srcK = width;
    tiling.srcSize = rows * width;
    tiling.outMaxM = rows;
    tiling.outMaxK = 32U / type_size;
    tiling.outMaxSize = rows * tiling.outMaxK;
    tiling.splitM = tiling.reduceM = rows;
    tiling.splitK = width;
    tiling.splitSize = rows * width;
    tiling.reduceK = tiling.outMaxK;
    tiling.reduceSize = tiling.outMaxSize;
    tiling.rangeM = 1;
}

}  // namespace adv

template <class Shape>
inline uint32_t GetSoftMaxMaxTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, true, 1);
}

template <class Shape>
inline uint32_t GetSoftMaxMinTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, false, 1);
}

template <class Shape>
inline void SoftMaxTilingFunc(const Shape& srcShape, uint32_t dataTypeSize, uint32_t, SoftMaxTiling& tiling) {
    adv::SoftmaxShape(srcShape, dataTypeSize, tiling);
}

template <class Shape>
inline uint32_t GetSoftMaxFlashMaxTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, true, 1);
}

template <class Shape>
inline uint32_t GetSoftMaxFlashMinTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, false, 1);
}

template <class Shape>
inline void SoftMaxFlashTilingFunc(
    const Shape& srcShape, uint32_t dataTypeSize, uint32_t, SoftMaxTiling& tiling, bool = false) {
    adv::SoftmaxShape(srcShape, dataTypeSize, tiling);
}

template <class Shape>
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(
    const Shape& srcShape, uint32_t dataTypeSize1, uint32_t, bool, bool = false, bool = false) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize1, true, 1);
}

template <class Shape>
inline uint32_t GetSoftMaxFlashV2MinTmpSize(
    const Shape& srcShape, uint32_t dataTypeSize1, uint32_t, bool, bool = false, bool = false) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize1, false, 1);
}

template <class Shape>
inline void SoftMaxFlashV2TilingFunc(const Shape& srcShape,
                                     uint32_t,
                                     uint32_t dataTypeSize2,
                                     uint32_t,
                                     SoftMaxTiling& tiling,
                                     bool,
                                     bool = false,
                                     bool = false) {
    adv::SoftmaxShape(srcShape, dataTypeSize2, tiling);
}

template <class Shape>
inline uint32_t GetSoftMaxGradMaxTmpSize(const Shape& srcShape, uint32_t, bool, bool) {
    return adv::SoftmaxSpace(srcShape, 2, true, 3);
}

/// Floats in ND need their products beside them and no more; NZ and half take what GetSoftMaxGradMaxTmpSize
/// says.
template <class Shape>
inline uint32_t GetSoftMaxGradMinTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool, bool) {
    return adv::SoftmaxSpace(srcShape, 2, false, dataTypeSize < 4 ? 3 : 1);
}

template <class Shape>
inline void SoftMaxGradTilingFunc(
    const Shape& srcShape, uint32_t dataTypeSize, uint32_t, SoftMaxTiling& tiling, bool = false) {
    adv::SoftmaxShape(srcShape, dataTypeSize, tiling);
}

template <class Shape>
inline uint32_t GetLogSoftMaxMaxTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, true, 1);
}

template <class Shape>
inline uint32_t GetLogSoftMaxMinTmpSize(const Shape& srcShape, uint32_t dataTypeSize, bool) {
    return adv::SoftmaxSpace(srcShape, dataTypeSize, false, 1);
}

template <class Shape>
inline void LogSoftMaxTilingFunc(const Shape& srcShape,
                                 uint32_t dataTypeSize,
                                 uint32_t,
                                 LogSoftMaxTiling& tiling) {
    adv::SoftmaxShape(srcShape, dataTypeSize, tiling);
}

/// Rows in groups of eight, columns in whole repeats below 2048, as documented.
inline bool IsBasicBlockInSoftMax(const SoftMaxTiling& tiling, uint32_t dataTypeSize = 2) {
    return tiling.srcM % 8 == 0 && tiling.srcK % 64 == 0 && tiling.srcK < 2048 &&
           tiling.srcK >= 256U / dataTypeSize;
}

template <class Shape>
inline void GetLayerNormMaxMinTmpSize(
    const Shape& srcShape, uint32_t typeSize, bool, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t wide = typeSize < 4 ? 2 : 1;
    adv::RowSpaceOf(srcShape, 4, wide, typeSize < 4 ? 8 : 0, maxValue, minValue);
}

template <class Shape>
inline void GetLayerNormMaxMinTmpSize(const Shape& srcShape,
                                      uint32_t typeSize,
                                      bool isReuseSource,
                                      bool,
                                      bool,
                                      uint32_t& maxValue,
                                      uint32_t& minValue) {
    GetLayerNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}

namespace adv {

template <class Shape, class Tiling>
inline void NormShape(const Shape& shape, const Shape& original, Tiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    RowsOf(shape, rows, width);
    tiling.bLength = 1;
    tiling.sLength = rows;
    tiling.hLength = width;
    RowsOf(original, rows, width);
    tiling.originalHLength = width;
}

}  // namespace adv

template <class Shape>
inline void GetLayerNormNDTilingInfo(
    const Shape& srcShape, uint32_t, uint32_t, bool, LayerNormTiling& tiling) {
    adv::NormShape(srcShape, srcShape, tiling);
}

/// The older spelling.
template <class Shape>
inline void GetLayerNormNDTillingInfo(
    const Shape& srcShape, uint32_t, uint32_t, bool, LayerNormTiling& tiling) {
    adv::NormShape(srcShape, srcShape, tiling);
}

template <class Shape>
inline void GetLayerNormNDTilingInfo(
    const Shape& srcShape, uint32_t, uint32_t, bool, bool, LayerNormSeparateTiling& tiling) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    tiling.aLength = rows;
    tiling.rLength = tiling.rLengthWithPadding = width;
}

template <class Shape>
inline bool GetRmsNormMaxMinTmpSize(
    const Shape& srcShape, uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue, bool = false) {
    GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
    return true;
}

template <class Shape>
inline bool GetRmsNormTilingInfo(
    const Shape& srcShape, const Shape& original, uint32_t, uint32_t, RmsNormTiling& tiling, bool = false) {
    adv::NormShape(srcShape, original, tiling);
    return true;
}

template <class Shape>
inline bool GetDeepNormMaxMinTmpSize(
    const Shape& srcShape, uint32_t typeSize, bool, bool, uint32_t& maxValue, uint32_t& minValue) {
    GetLayerNormMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
    return true;
}

template <class Shape>
inline bool GetDeepNormTilingInfo(const Shape& srcShape,
                                  const Shape& originSrcShape,
                                  uint32_t,
                                  uint32_t,
                                  bool,
                                  bool,
                                  DeepNormTiling& tiling) {
    adv::NormShape(srcShape, originSrcShape, tiling);
    return true;
}

template <class Shape>
inline void GetNormalizeMaxMinTmpSize(const Shape& srcShape,
                                      uint32_t typeSizeU,
                                      uint32_t typeSizeT,
                                      bool,
                                      bool,
                                      bool,
                                      uint32_t& maxValue,
                                      uint32_t& minValue) {
    const uint32_t smaller = typeSizeU < typeSizeT ? typeSizeU : typeSizeT;
    GetLayerNormMaxMinTmpSize(srcShape, smaller, false, maxValue, minValue);
}

template <class Shape>
inline void GetWelfordUpdateMaxMinTmpSize(
    const Shape& srcShape, uint32_t, uint32_t, bool, bool, uint32_t& maxValue, uint32_t& minValue) {
    adv::NodeSpace(static_cast<uint64_t>(srcShape.GetShapeSize()), 2, maxValue, minValue);
}

template <class Shape>
inline void GetWelfordFinalizeMaxMinTmpSize(
    const Shape& srcShape, uint32_t, bool, uint32_t& maxValue, uint32_t& minValue) {
    adv::NodeSpace(static_cast<uint64_t>(srcShape.GetShapeSize()), 2, maxValue, minValue);
    maxValue += 1024;
    minValue = maxValue;
}

/// Pairs of 8 bytes, twice, with negated values and counted indices.
inline bool GetTopKSpace(int32_t inner, uint32_t& maxValue, uint32_t& minValue) {
    minValue = maxValue = static_cast<uint32_t>(inner) * 24U;
    return true;
}

template <class Platform, class Mode>
inline bool GetTopKMaxMinTmpSize(const Platform&,
                                 int32_t inner,
                                 int32_t outter,
                                 bool,
                                 bool,
                                 Mode mode,
                                 bool,
                                 uint32_t,
                                 uint32_t& maxValue,
                                 uint32_t& minValue) {
    const bool small = static_cast<int>(mode) == 1;  // all rows at once
    return GetTopKSpace(small ? inner * outter : inner, maxValue, minValue);
}

template <class Platform, class Mode>
inline bool TopKTilingFunc(const Platform&,
                           int32_t inner,
                           int32_t outter,
                           int32_t k,
                           uint32_t,
                           bool,
                           Mode,
                           bool,
                           TopkTiling& tiling) {
    tiling.inner = static_cast<uint32_t>(inner);
    tiling.outter = static_cast<uint32_t>(outter);
    tiling.k = static_cast<uint32_t>(k);
    return true;
}

/// Pairs of 8 bytes, as the tensor that Sort merges through.
template <class Platform>
inline uint32_t GetSortTmpSize(const Platform&, uint32_t elemCount, uint32_t) {
    return elemCount * 8U;
}

/// A sort on these chips takes its scores as they are.
template <class Platform>
inline uint32_t GetConcatTmpSize(const Platform&, uint32_t, uint32_t) {
    return 0;
}

}  // namespace AscendC
