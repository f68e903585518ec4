// SPDX-License-Identifier: Apache-2.0
// Rounding to integral values, their rests, signs and limits.
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };

inline constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;

struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};

inline constexpr FmodConfig DEFAULT_FMOD_CONFIG{};

namespace adv {

inline constexpr auto floor_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.cast(y, x, RoundMode::CAST_FLOOR);
};

inline constexpr auto ceil_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.cast(y, x, RoundMode::CAST_CEIL);
};

inline constexpr auto trunc_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.cast(y, x, RoundMode::CAST_TRUNC);
};

// To nearest, ties to even: the documentation of Round says to nearest and leaves ties open.
inline constexpr auto round_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.cast(y, x, RoundMode::CAST_RINT);
};

inline constexpr auto frac_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats*) {
    v.cast(y, x, RoundMode::CAST_TRUNC);
    v.sub(y, x, y);
};

inline constexpr auto sign_steps = [](const FloatSteps& v, const Floats& y, const Floats& x, Floats* t) {
    v.fill(t[1], 1.0F);
    v.compare(t[0], x, CMPMODE::GT, 0.0F);
    v.select(y, t[0], t[1], 0.0F);
    v.fill(t[1], -1.0F);
    v.compare(t[0], x, CMPMODE::LT, 0.0F);
    v.select(y, t[0], t[1], y);
};

}  // namespace adv

/// The largest integer that is not above src.
ASCENDSIM_UNARY_FUNCTION(Floor, 0, true, floor_steps)

/// The smallest integer that is not below src.
ASCENDSIM_UNARY_FUNCTION(Ceil, 0, true, ceil_steps)

/// src without its fraction.
ASCENDSIM_UNARY_FUNCTION(Trunc, 0, true, trunc_steps)

/// The nearest integer.
ASCENDSIM_UNARY_FUNCTION(Round, 0, true, round_steps)

/// src - Trunc(src).
ASCENDSIM_UNARY_FUNCTION(Frac, 0, false, frac_steps)

/// 1, 0 or -1; 0 of NaN.
ASCENDSIM_UNARY_FUNCTION(Sign, 2, false, sign_steps)

namespace adv {
/// y = a - trunc(a / b) b
inline constexpr auto fmod_steps =
    [](const FloatSteps& v, const Floats& y, const Floats& a, const Floats& b, Floats*) {
        v.div(y, a, b);
        v.cast(y, y, RoundMode::CAST_TRUNC);
        v.mul(y, y, b);
        v.sub(y, a, y);
    };
}  // namespace adv

/// The rest of src0 / src1, with the sign of src0. The quotient is rounded, so its size times 2^-24 of src1
/// is lost.
template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
inline void Fmod(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src0,
                 const LocalTensor<T>& src1,
                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                 adv::Count count = {},
                 Site site = Site::here()) {
    adv::Binary<0, T>(
        dst, src0, src1, {"Fmod", sharedTmpBuffer, site}, count.Of(src0), adv::fmod_steps, site);
}

template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
inline void Fmod(const LocalTensor<T>& dst,
                 const LocalTensor<T>& src0,
                 const LocalTensor<T>& src1,
                 adv::Count count = {},
                 Site site = Site::here()) {
    adv::Binary<0, T>(dst, src0, src1, {"Fmod", site}, count.Of(src0), adv::fmod_steps, site);
}

/// Values above `scalar` become `scalar`.
template <typename T, bool isReuseSource = false>
inline void ClampMax(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LocalTensor<uint8_t>&,
                     const std::type_identity_t<T> scalar,
                     const uint32_t calCount,
                     Site site = Site::here()) {
    Mins(dst, src, scalar, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
}

template <typename T, bool isReuseSource = false>
inline void ClampMax(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const std::type_identity_t<T> scalar,
                     const uint32_t calCount,
                     Site site = Site::here()) {
    Mins(dst, src, scalar, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
}

/// Values below `scalar` become `scalar`.
template <typename T, bool isReuseSource = false>
inline void ClampMin(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const LocalTensor<uint8_t>&,
                     const std::type_identity_t<T> scalar,
                     const uint32_t calCount,
                     Site site = Site::here()) {
    Maxs(dst, src, scalar, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
}

template <typename T, bool isReuseSource = false>
inline void ClampMin(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const std::type_identity_t<T> scalar,
                     const uint32_t calCount,
                     Site site = Site::here()) {
    Maxs(dst, src, scalar, static_cast<int32_t>(calCount), site);
    PipeBarrier<PIPE_V>(site);
}

}  // namespace AscendC
