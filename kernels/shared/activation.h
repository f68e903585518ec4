// SPDX-License-Identifier: Apache-2.0
// Activations of elements in the unified buffer, behind a cube kernel's sums.
#pragma once

#include "kernels/shared/epilogue_tiling.hpp"
#include "kernels/shared/gelu.h"

namespace epilogue {

using namespace AscendC;

constexpr uint32_t chunk = 2048;              // elements that are computed in float at a time
constexpr uint32_t chunk_pitch = chunk + 64;  // from one scratch array to the next: other banks
constexpr uint32_t scratch_floats = 5 * chunk_pitch;

/// y = 1 / (1 + exp(-x)), or x / (1 + exp(-x)) if `weighted`.
__aicore__ inline void Logistic(const LocalTensor<float>& y,
                                const LocalTensor<float>& x,
                                const LocalTensor<float>& t,
                                bool weighted,
                                int32_t count) {
    Muls(t, x, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Exp(t, t, count);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 1.0f, count);
    if (!weighted) {
        Duplicate(y, 1.0f, count);
    }
    PipeBarrier<PIPE_V>();
    Div(y, weighted ? x : y, t, count);
}

/// y = (exp(2x) - 1) / (exp(2x) + 1), x kept within +-15, where tanh is +-1.
__aicore__ inline void Tangent(const LocalTensor<float>& y,
                               const LocalTensor<float>& x,
                               const LocalTensor<float>& t,
                               int32_t count) {
    Mins(t, x, 15.0f, count);
    PipeBarrier<PIPE_V>();
    Maxs(t, t, -15.0f, count);
    PipeBarrier<PIPE_V>();
    Muls(t, t, 2.0f, count);
    PipeBarrier<PIPE_V>();
    Exp(t, t, count);
    PipeBarrier<PIPE_V>();
    Adds(y, t, -1.0f, count);
    Adds(t, t, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Div(y, y, t, count);
}

/// y = x max(0, min(1, x / 6 + 1/2)).
__aicore__ inline void HardSwish(const LocalTensor<float>& y,
                                 const LocalTensor<float>& x,
                                 const LocalTensor<float>& t,
                                 int32_t count) {
    Muls(t, x, 1.0f / 6.0f, count);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 0.5f, count);
    PipeBarrier<PIPE_V>();
    Maxs(t, t, 0.0f, count);
    PipeBarrier<PIPE_V>();
    Mins(t, t, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Mul(y, x, t, count);
}

/// A curve in float; `x` may be overwritten, `y` may be `x`. `scratch` holds four arrays.
__aicore__ inline void Curve(const LocalTensor<float>& y,
                             const LocalTensor<float>& x,
                             const LocalTensor<float>& scratch,
                             uint32_t activation,
                             int32_t count) {
    switch (activation) {
        case sigmoid:
            Logistic(y, x, scratch, false, count);
            return;
        case silu:
            Logistic(y, x, scratch, true, count);
            return;
        case tanh:
            Tangent(y, x, scratch, count);
            return;
        case hard_swish:
            HardSwish(y, x, scratch, count);
            return;
        case gelu_tanh:
            GeluTanh(y, x, scratch, count);
            return;
        default:
            GeluErf(y, x, scratch, chunk_pitch, count);
    }
}

/// True for what is computed in the type of the elements.
constexpr bool Straight(uint32_t activation) {
    return activation == relu || activation == leaky_relu || activation == clip;
}

template <typename T>
__aicore__ inline void ApplyStraight(const LocalTensor<T>& y,
                                     const LocalTensor<T>& x,
                                     const Epilogue& with,
                                     int32_t count) {
    if (with.activation == relu) {
        Relu(y, x, count);
    } else if constexpr (!std::is_same_v<T, int32_t>) {
        if (with.activation == leaky_relu) {
            LeakyRelu(y, x, static_cast<T>(with.low), count);
        } else {
            Maxs(y, x, static_cast<T>(with.low), count);
            PipeBarrier<PIPE_V>();
            Mins(y, y, static_cast<T>(with.high), count);
        }
    }
}

/// A chunk by way of float, for elements of 16 bits.
template <typename T>
__aicore__ inline void ApplyWide(const LocalTensor<T>& y,
                                 const LocalTensor<T>& x,
                                 const LocalTensor<float>& scratch,
                                 const Epilogue& with,
                                 int32_t count) {
    const LocalTensor<float> wide = scratch[4 * chunk_pitch];
    Cast(wide, x, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    if (Straight(with.activation)) {
        ApplyStraight(wide, wide, with, count);
    } else {
        Curve(wide, wide, scratch, with.activation, count);
    }
    PipeBarrier<PIPE_V>();
    Cast(y, wide, RoundMode::CAST_RINT, count);
}

/// y = f(x) for `count` elements, a multiple of 32 bytes; `y` may be `x`, which is overwritten where it is
/// float. `scratch` holds `scratch_floats`.
template <typename T>
__aicore__ inline void Activate(const LocalTensor<T>& y,
                                const LocalTensor<T>& x,
                                const LocalTensor<float>& scratch,
                                const Epilogue& with,
                                uint32_t count) {
    if constexpr (!std::is_same_v<T, bfloat16_t>) {
        if (Straight(with.activation)) {
            ApplyStraight(y, x, with, static_cast<int32_t>(count));
            return;
        }
    }
    for (uint32_t at = 0; at < count; at += chunk) {
        const auto part = static_cast<int32_t>(count - at < chunk ? count - at : chunk);
        if constexpr (std::is_same_v<T, float>) {
            Curve(y[at], x[at], scratch, with.activation, part);
        } else if constexpr (!std::is_same_v<T, int32_t>) {
            ApplyWide(y[at], x[at], scratch, with, part);
        }
        PipeBarrier<PIPE_V>();  // the next chunk takes the scratch
    }
}

}  // namespace epilogue
