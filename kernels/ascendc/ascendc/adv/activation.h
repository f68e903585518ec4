// SPDX-License-Identifier: Apache-2.0
// Activation functions.
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

namespace adv {

/// x / (1 + e^(factor x))
template <typename T>
inline void divide_by_exponential(const Steps<T>& v,
                                  const LocalTensor<T>& y,
                                  const LocalTensor<T>& x,
                                  float factor) {
    v.muls(y, x, factor);
    v.exp(y, y);
    v.adds(y, y, 1.0F);
    v.div(y, x, y);
}

/// x / (1 + e^(-2 sqrt(2 / pi) (x + 0.044715 x^3))), the documented form of Gelu.
inline constexpr auto gelu_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.mul(y, x, x);
    v.muls(y, y, -0.0713548162726F);
    v.adds(y, y, -1.5957691216057F);
    v.mul(y, y, x);
    v.exp(y, y);
    v.adds(y, y, 1.0F);
    v.div(y, x, y);
};

inline constexpr auto faster_gelu_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    divide_by_exponential(v, y, x, -1.702F);
};

/// x (sgn(x) (0.5 - 0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2) + 0.5)
inline constexpr auto faster_gelu_v2_steps =
    [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
        v.abs(y, x);
        v.muls(y, y, 0.7071F);
        v.mins(y, y, 1.769F);
        v.adds(y, y, -1.769F);
        v.mul(y, y, y);
        v.muls(y, y, -0.1444F);
        v.adds(y, y, 0.5F);
        v.muls(t[0], y, -1.0F);
        v.compare(t[1], x, CMPMODE::LT, 0.0F);
        v.select(y, t[1], t[0], y);
        v.adds(y, y, 0.5F);
        v.mul(y, y, x);
    };

/// The same over `count` elements in the type of the tensors, which may not overlap: what Silu and Swish do,
/// whose interfaces have no temporary space.
template <typename T>
inline void gate_itself(
    const LocalTensor<T>& y, const LocalTensor<T>& x, uint32_t count, float factor, Site site) {
    if constexpr (has_vector_unit) {
        divide_by_exponential(Steps<T>(count, site), y, x, factor);
    }
}

/// 1 / (1 + e^-x)
inline constexpr auto sigmoid_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.muls(y, x, -1.0F);
    v.exp(y, y);
    v.adds(y, y, 1.0F);
    v.reciprocal(y, y);
};

inline constexpr auto reglu_steps =
    [](const FloatSteps& v, const Floats& y, const Floats& a, const Floats& b, Floats*) {
        v.relu(y, b);
        v.mul(y, y, a);
    };

inline constexpr auto geglu_steps =
    [](const FloatSteps& v, const Floats& y, const Floats& a, const Floats& b, Floats* t) {
        gelu_steps(v, y, b, t);
        v.mul(y, y, a);
    };

inline auto swiglu_steps(float beta) {
    return [beta](const FloatSteps& v, const Floats& y, const Floats& a, const Floats& b, Floats*) {
        divide_by_exponential(v, y, b, -beta);
        v.mul(y, y, a);
    };
}

}  // namespace adv

/// 1 / (1 + e^-x).
ASCENDSIM_UNARY_FUNCTION(Sigmoid, 0, true, sigmoid_steps)

/// x / (1 + e^-x), of halves in halves; `dst` and `src` may not overlap.
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src,
                 uint32_t dataSize,
                 Site site = Site::here()) {
    adv::gate_itself(dst, src, dataSize, -1.0F, site);
}

/// x / (1 + e^(-scalarValue x)), likewise.
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  uint32_t dataSize,
                  const std::type_identity_t<T> scalarValue,
                  Site site = Site::here()) {
    adv::gate_itself(dst, src, dataSize, -static_cast<float>(scalarValue), site);
}

/// Gelu in its tanh form.
ASCENDSIM_UNARY_FUNCTION(Gelu, 0, false, gelu_steps, bool highPerformance = false)

/// x / (1 + e^(-1.702 x)).
ASCENDSIM_UNARY_FUNCTION(FasterGelu, 0, false, faster_gelu_steps, bool highPerformance = false)

/// Gelu by a parabola.
ASCENDSIM_UNARY_FUNCTION(FasterGeluV2, 2, false, faster_gelu_v2_steps, bool highPerformance = false)

/// src0 Relu(src1).
template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::Binary<0, T>(
        dst, src0, src1, {"ReGlu", sharedTmpBuffer, site}, count.Of(src0), adv::reglu_steps, site);
}

template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::Binary<0, T>(dst, src0, src1, {"ReGlu", site}, count.Of(src0), adv::reglu_steps, site);
}

/// src0 Gelu(src1).
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::Binary<0, T>(
        dst, src0, src1, {"GeGLU", sharedTmpBuffer, site}, count.Of(src0), adv::geglu_steps, site);
}

template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::Binary<0, T>(dst, src0, src1, {"GeGLU", site}, count.Of(src0), adv::geglu_steps, site);
}

/// src0 Swish(src1), with scalarValue as the factor in the exponent.
template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1,
                   const float& scalarValue,
                   const LocalTensor<uint8_t>& sharedTmpBuffer,
                   adv::Count count = {},
                   Site site = Site::here()) {
    adv::Binary<0, T>(dst,
                      src0,
                      src1,
                      {"SwiGLU", sharedTmpBuffer, site},
                      count.Of(src0),
                      adv::swiglu_steps(scalarValue),
                      site);
}

template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T>& dst,
                   const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1,
                   const float& scalarValue,
                   adv::Count count = {},
                   Site site = Site::here()) {
    adv::Binary<0, T>(
        dst, src0, src1, {"SwiGLU", site}, count.Of(src0), adv::swiglu_steps(scalarValue), site);
}

}  // namespace AscendC
