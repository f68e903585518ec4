// SPDX-License-Identifier: Apache-2.0
// How much temporary space the high-level vector API wants, for host programs that reserve it. The figures
// are those of our own algorithms: nodes of 256 bytes at least, of the whole tensor at most. A shape is any
// type with GetShapeSize(), such as ge::Shape.
#pragma once

#include <cstdint>

#include "kernels/ascendc/graph/tensor.h"
#include "kernels/ascendc/graph/types.h"

namespace AscendC {

namespace adv {

/// A tensor of `elements` needs `nodes` tensors of floats beside it.
inline void NodeSpace(uint64_t elements, uint32_t nodes, uint32_t& most, uint32_t& least) {
    const uint64_t padded = (elements + 63U) / 64U * 256U;
    least = nodes * 256U;
    most = static_cast<uint32_t>(nodes * (padded < 256 ? 256 : padded));
}

/// Nodes for narrow types, which are widened: source and result.
inline constexpr uint32_t Widened(uint32_t nodes, uint32_t type_size) {
    return nodes + (type_size < 4 ? 2U : 1U);
}

/// Rows of `width` elements: what RowSpace takes for eight rows, and for all of them.
inline uint32_t RowBytes(uint32_t rows, uint32_t width, uint32_t values, uint32_t wide) {
    const uint32_t round = (rows + 7U) / 8U * 8U;
    const uint32_t fold = width > 64 ? 64U * rows : 8U;
    const uint32_t long_row = (width / 64U + width / 4096U + 31U) / 8U * 8U;
    return 4U * ((fold > long_row ? fold : long_row) + (8U + values) * round + wide * rows * width);
}

template <class Shape>
inline void RowsOf(const Shape& shape, uint32_t& rows, uint32_t& width) {
    const auto last = shape.GetDimNum() - 1;
    width = static_cast<uint32_t>(shape.GetDim(last));
    rows = width == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize() / width);
}

template <class Shape>
inline void RowSpaceOf(
    const Shape& shape, uint32_t values, uint32_t wide, uint32_t more, uint32_t& most, uint32_t& least) {
    uint32_t rows = 0;
    uint32_t width = 0;
    RowsOf(shape, rows, width);
    width = (width + 15U) / 16U * 16U;
    most = RowBytes(rows < 248 ? rows : 248, width, values, wide) + more * width;
    least = RowBytes(rows < 8 ? rows : 8, width, values, wide) + more * width;
}

}  // namespace adv

// Get<Name>MaxMinTmpSize and Get<Name>TmpBufferFactorSize of the elementwise functions, with the number of
// nodes that each keeps beside source and result.
#define ASCENDSIM_ELEMENTWISE_SPACE(Name, nodes)                                                  \
    template <class Shape>                                                                        \
    inline void Get##Name##MaxMinTmpSize(                                                         \
        const Shape& srcShape, uint32_t typeSize, bool, uint32_t& maxValue, uint32_t& minValue) { \
        adv::NodeSpace(static_cast<uint64_t>(srcShape.GetShapeSize()),                            \
                       adv::Widened(nodes, typeSize),                                             \
                       maxValue,                                                                  \
                       minValue);                                                                 \
    }                                                                                             \
    inline void Get##Name##TmpBufferFactorSize(                                                   \
        uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {                      \
        maxLiveNodeCount = adv::Widened(nodes, typeSize) * (typeSize < 4 ? 2U : 1U);              \
        extraBuf = 0;                                                                             \
    }

ASCENDSIM_ELEMENTWISE_SPACE(Acos, 4)
ASCENDSIM_ELEMENTWISE_SPACE(Acosh, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Asin, 4)
ASCENDSIM_ELEMENTWISE_SPACE(Asinh, 2)
ASCENDSIM_ELEMENTWISE_SPACE(Atan, 5)
ASCENDSIM_ELEMENTWISE_SPACE(Atanh, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Axpy, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Ceil, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Clamp, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Cos, 3)
ASCENDSIM_ELEMENTWISE_SPACE(Cosh, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Digamma, 5)
ASCENDSIM_ELEMENTWISE_SPACE(Erf, 2)
ASCENDSIM_ELEMENTWISE_SPACE(Erfc, 2)
ASCENDSIM_ELEMENTWISE_SPACE(Exp, 2)
ASCENDSIM_ELEMENTWISE_SPACE(Floor, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Fmod, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Frac, 0)
ASCENDSIM_ELEMENTWISE_SPACE(GeGLU, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Lgamma, 5)
ASCENDSIM_ELEMENTWISE_SPACE(Log, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Log2, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Log10, 0)
ASCENDSIM_ELEMENTWISE_SPACE(ReGlu, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Round, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Sigmoid, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Sign, 2)
ASCENDSIM_ELEMENTWISE_SPACE(Sin, 3)
ASCENDSIM_ELEMENTWISE_SPACE(Sinh, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Tan, 4)
ASCENDSIM_ELEMENTWISE_SPACE(Tanh, 1)
ASCENDSIM_ELEMENTWISE_SPACE(Trunc, 0)
ASCENDSIM_ELEMENTWISE_SPACE(Xor, 1)
ASCENDSIM_ELEMENTWISE_SPACE(DropOut, 1)
ASCENDSIM_ELEMENTWISE_SPACE(ReduceXorSum, 3)

#undef ASCENDSIM_ELEMENTWISE_SPACE

template <class Shape>
inline void GetPowerMaxMinTmpSize(const Shape& srcShape1,
                                  const Shape& srcShape2,
                                  bool typeIsInt,
                                  uint32_t typeSize,
                                  bool,
                                  uint32_t& maxValue,
                                  uint32_t& minValue) {
    const auto one = static_cast<uint64_t>(srcShape1.GetShapeSize());
    const auto other = static_cast<uint64_t>(srcShape2.GetShapeSize());
    constexpr uint32_t of_integers = 6;
    const uint32_t nodes = typeIsInt ? of_integers : adv::Widened(4, typeSize);
    adv::NodeSpace(one > other ? one : other, nodes, maxValue, minValue);
}

inline void GetPowerTmpBufferFactorSize(
    bool, bool, bool, uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
    maxLiveNodeCount = adv::Widened(4, typeSize) * (typeSize < 4 ? 2U : 1U);
    extraBuffer = 0;
}

template <class Shape>
inline void GetSwiGLUMaxMinTmpSize(
    const Shape& srcShape, uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue, bool) {
    adv::NodeSpace(
        static_cast<uint64_t>(srcShape.GetShapeSize()), adv::Widened(1, typeSize), maxValue, minValue);
}

template <class Shape>
inline void GetSiluTmpSize(
    const Shape& srcShape, uint32_t typeSize, bool, uint32_t& maxValue, uint32_t& minValue) {
    adv::NodeSpace(
        static_cast<uint64_t>(srcShape.GetShapeSize()), adv::Widened(0, typeSize), maxValue, minValue);
}

template <class Shape>
inline void GetSwishTmpSize(
    const Shape& srcShape, uint32_t typeSize, bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
    GetSiluTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}

template <class Shape>
inline void GetGeluMaxMinTmpSize(const Shape& srcShape,
                                 uint32_t typeSize,
                                 uint32_t& maxValue,
                                 uint32_t& minValue) {
    adv::NodeSpace(
        static_cast<uint64_t>(srcShape.GetShapeSize()), adv::Widened(2, typeSize), maxValue, minValue);
}

template <class Shape>
inline uint32_t GetGeluMaxTmpSize(const Shape& srcShape, uint32_t typeSize) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
    return most;
}

template <class Shape>
inline uint32_t GetGeluMinTmpSize(const Shape& srcShape, uint32_t typeSize) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
    return least;
}

template <class Shape>
inline void GetAscendQuantMaxMinTmpSize(const Shape& srcShape,
                                        uint32_t,
                                        uint32_t& maxValue,
                                        uint32_t& minValue) {
    adv::NodeSpace(static_cast<uint64_t>(srcShape.GetShapeSize()), 2, maxValue, minValue);
    minValue = maxValue < 1024 ? maxValue : 1024;
}

template <class Shape>
inline void GetAscendDequantMaxMinTmpSize(const Shape& srcShape,
                                          uint32_t,
                                          uint32_t& maxValue,
                                          uint32_t& minValue) {
    uint32_t rows = 0;
    uint32_t width = 0;
    adv::RowsOf(srcShape, rows, width);
    const uint32_t row = 4U * ((width + 63U) / 64U * 64U);
    minValue = 2U * row;  // the scales and a row of floats
    maxValue = (1U + rows) * row;
}

/// Of one row at least: scales and offsets of all channels as floats, side by side and, transposed, one to a
/// block; a value as half and as float for each element.
template <class Shape>
inline void GetAscendAntiQuantMaxMinTmpSize(const Shape& srcShape,
                                            const Shape& scaleShape,
                                            bool isTranspose,
                                            ge::DataType,
                                            ge::DataType,
                                            uint32_t& maxValue,
                                            uint32_t& minValue) {
    const auto at_least_one = [](int64_t value) { return static_cast<uint32_t>(value < 1 ? 1 : value); };
    const uint32_t elements = at_least_one(srcShape.GetShapeSize());
    const uint32_t n = at_least_one(scaleShape.GetShapeSize());
    const uint32_t channels = (n + 7U) / 8U * 8U;
    const uint32_t width = isTranspose ? (elements + n - 1) / n : n;
    const uint32_t fixed = 2U * 4U * (isTranspose ? 9U * channels : channels + 8U) + 256U;
    const uint32_t row = 6U * width + 4U;
    minValue = fixed + row;
    maxValue = fixed + (elements + width - 1) / width * row;
}

}  // namespace AscendC
