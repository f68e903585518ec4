// SPDX-License-Identifier: Apache-2.0
// Reductions of a matrix by pattern, and sums and means of rows.
#pragma once

#include "kernels/ascendc/ascendc/adv/reduce_matrix.h"

namespace AscendC {

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};

struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner = 0;
    uint32_t n = 0;
};

namespace adv {

/// The mean over the axis that the pattern marks R.
template <typename pattern, typename T>
inline void ReduceToMeans(const LocalTensor<T>& dst,
                          const LocalTensor<T>& src,
                          const uint32_t* shape,
                          bool inner_pad,
                          bool reuse_source,
                          Scratch scratch,
                          Site site) {
    ReducePatternCall<Combination::sum, pattern>(dst, src, shape, inner_pad, reuse_source, scratch, site);
    const uint32_t results = pattern::reduces_first ? shape[1] : shape[0];
    const uint32_t reduced = pattern::reduces_first ? shape[0] : shape[1];
    Muls(dst, dst, static_cast<T>(1.0F / static_cast<float>(reduced)), static_cast<int32_t>(results), site);
    PipeBarrier<PIPE_V>(site);
}

/// The maximum or minimum of truth values: bytes (0 or 1) or floats.
template <Combination combination, typename pattern, typename T>
inline void ReduceTruth(const LocalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const uint32_t* shape,
                        bool inner_pad,
                        bool reuse_source,
                        Scratch scratch,
                        Site site) {
    if constexpr (sizeof(T) == 1) {
        ReduceBytes<combination, pattern>(dst.template ReinterpretCast<uint8_t>(),
                                          src.template ReinterpretCast<uint8_t>(),
                                          shape,
                                          inner_pad,
                                          scratch,
                                          site);
    } else {
        ReducePatternCall<combination, pattern>(dst, src, shape, inner_pad, reuse_source, scratch, site);
    }
}

}  // namespace adv

/// Sums over the axis that the pattern marks R, of [A, R] or [R, A].
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceSum(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::sum, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceSum", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceSum(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::sum, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceSum", site}, site);
}

/// Maxima, likewise.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMax(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::max, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMax", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMax(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::max, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMax", site}, site);
}

/// Minima, likewise.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMin(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::min, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMin", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMin(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::min, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMin", site}, site);
}

/// Products, likewise.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceProd(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                       const uint32_t srcShape[],
                       bool srcInnerPad,
                       Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::product, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceProd", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceProd(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const uint32_t srcShape[],
                       bool srcInnerPad,
                       Site site = Site::here()) {
    adv::ReducePatternCall<adv::Combination::product, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceProd", site}, site);
}

/// Means, likewise.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMean(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                       const uint32_t srcShape[],
                       bool srcInnerPad,
                       Site site = Site::here()) {
    adv::ReduceToMeans<pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMean", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceMean(const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const uint32_t srcShape[],
                       bool srcInnerPad,
                       Site site = Site::here()) {
    adv::ReduceToMeans<pattern>(dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceMean", site}, site);
}

/// True where any is, of bytes (0 or 1) or floats.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceAny(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReduceTruth<adv::Combination::max, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceAny", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceAny(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReduceTruth<adv::Combination::max, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceAny", site}, site);
}

/// True where all are.
template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceAll(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReduceTruth<adv::Combination::min, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceAll", sharedTmpBuffer, site}, site);
}

template <class T, class pattern, bool isReuseSource = false>
requires adv::IsReducePattern<pattern>

inline void ReduceAll(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t srcShape[],
                      bool srcInnerPad,
                      Site site = Site::here()) {
    adv::ReduceTruth<adv::Combination::min, pattern>(
        dst, src, srcShape, srcInnerPad, isReuseSource, {"ReduceAll", site}, site);
}

/// The sum of each row of [outter, inner], of which n elements count.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const LocalTensor<uint8_t>& sharedTmpBuffer,
                const SumParams& params,
                Site site = Site::here()) {
    const adv::Rows rows{{}, params.outter, params.inner, params.n};
    adv::ReduceLast(adv::RowOp::add, dst, src, rows, 1.0F, {"Sum", sharedTmpBuffer, site}, site);
}

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const SumParams& params,
                Site site = Site::here()) {
    const adv::Rows rows{{}, params.outter, params.inner, params.n};
    adv::ReduceLast(adv::RowOp::add, dst, src, rows, 1.0F, {"Sum", site}, site);
}

/// The mean of each row; always in float, so accType changes nothing.
template <typename T,
          typename accType = T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const MeanParams& params,
                 Site site = Site::here()) {
    const adv::Rows rows{{}, params.outter, params.inner, params.n};
    adv::ReduceLast(adv::RowOp::add,
                    dst,
                    src,
                    rows,
                    1.0F / static_cast<float>(params.n),
                    {"Mean", sharedTmpBuffer, site},
                    site);
}

template <typename T,
          typename accType = T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const MeanParams& params,
                 Site site = Site::here()) {
    const adv::Rows rows{{}, params.outter, params.inner, params.n};
    adv::ReduceLast(
        adv::RowOp::add, dst, src, rows, 1.0F / static_cast<float>(params.n), {"Mean", site}, site);
}

}  // namespace AscendC
