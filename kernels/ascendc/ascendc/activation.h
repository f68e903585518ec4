// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API made of a few vector instructions each.
#pragma once

#include "kernels/ascendc/ascendc/sync.h"
#include "kernels/ascendc/ascendc/vector_binary.h"
#include "kernels/ascendc/ascendc/vector_cast.h"
#include "kernels/ascendc/ascendc/vector_scalar.h"
#include "kernels/ascendc/ascendc/vector_unary.h"

namespace AscendC {

/// 1 / (1 + e^-x); dst may be src.
template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const uint32_t calCount,
                    Site site = Site::here()) {
    const auto n = static_cast<int32_t>(calCount);
    Muls(dst, src, T(-1.0F), n, site);
    PipeBarrier<PIPE_V>(site);
    Exp(dst, dst, n, site);
    PipeBarrier<PIPE_V>(site);
    Adds(dst, dst, T(1.0F), n, site);
    PipeBarrier<PIPE_V>(site);
    Reciprocal(dst, dst, n, site);
    PipeBarrier<PIPE_V>(site);
}

template <typename T, bool isReuseSource = false>
inline void Sigmoid(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = Site::here()) {
    Sigmoid<T, isReuseSource>(dst, src, src.GetSize(), site);
}

template <typename T, bool isReuseSource = false, typename U>
inline void Sigmoid(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<U>&,
                    const uint32_t calCount,
                    Site site = Site::here()) {
    Sigmoid<T, isReuseSource>(dst, src, calCount, site);
}

/// x / (1 + e^-x); dst and src must differ.
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 uint32_t dataSize,
                 Site site = Site::here()) {
    Sigmoid<T>(dst, src, dataSize, site);
    Mul(dst, dst, src, static_cast<int32_t>(dataSize), site);
    PipeBarrier<PIPE_V>(site);
}

/// Natural logarithm, and those of base 2 and 10.
template <typename T, bool isReuseSource = false>
inline void Log(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                uint32_t calCount,
                Site site = Site::here()) {
    Ln(dst, src, static_cast<int32_t>(calCount), site);
}

template <typename T, bool isReuseSource = false>
inline void Log(const LocalTensor<T>& dst, const LocalTensor<T>& src, Site site = Site::here()) {
    Log<T, isReuseSource>(dst, src, src.GetSize(), site);
}

template <typename T, bool isReuseSource = false>
inline void Log2(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 uint32_t calCount,
                 Site site = Site::here()) {
    Ln(dst, src, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
    Muls(dst, dst, T(1.4426950408889634F), static_cast<int32_t>(calCount), site);
}

template <typename T, bool isReuseSource = false>
inline void Log10(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  uint32_t calCount,
                  Site site = Site::here()) {
    Ln(dst, src, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
    Muls(dst, dst, T(0.4342944819032518F), static_cast<int32_t>(calCount), site);
}

/// Rounding to integral values, of float.
template <typename T, bool isReuseSource = false>
inline void Floor(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const uint32_t calCount,
                  Site site = Site::here()) {
    static_assert(std::is_same_v<T, float>, "Floor is implemented for float");
    Cast(dst, src, RoundMode::CAST_FLOOR, calCount, site);
}

template <typename T, bool isReuseSource = false>
inline void Ceil(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 const uint32_t calCount,
                 Site site = Site::here()) {
    static_assert(std::is_same_v<T, float>, "Ceil is implemented for float");
    Cast(dst, src, RoundMode::CAST_CEIL, calCount, site);
}

template <typename T, bool isReuseSource = false>
inline void Round(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const uint32_t calCount,
                  Site site = Site::here()) {
    static_assert(std::is_same_v<T, float>, "Round is implemented for float");
    Cast(dst, src, RoundMode::CAST_RINT, calCount, site);
}

template <typename T, bool isReuseSource = false>
inline void Trunc(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const uint32_t calCount,
                  Site site = Site::here()) {
    static_assert(std::is_same_v<T, float>, "Trunc is implemented for float");
    Cast(dst, src, RoundMode::CAST_TRUNC, calCount, site);
}

}  // namespace AscendC
