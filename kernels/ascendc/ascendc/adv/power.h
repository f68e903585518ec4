// SPDX-License-Identifier: Apache-2.0
// Powers.
#pragma once

#include <limits>

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

enum class PowerAlgo { INTRINSIC = 0, DOUBLE_FLOAT_TECH };

struct PowerConfig {
    PowerAlgo algo = PowerAlgo::INTRINSIC;
};

inline constexpr PowerConfig defaultPowerConfig{};

namespace adv {

/// |a|^b by e^(b ln|a|); then 1 where b is 0, and the sign, or NaN, of a negative a.
inline constexpr auto power_steps =
    [](const FloatSteps& v, const Floats& y, const Floats& a, const Floats& b, Floats* t) {
        v.abs(y, a);
        v.ln(y, y);
        v.mul(y, y, b);
        v.exp(y, y);
        v.fill(t[0], 1.0F);
        v.compare(t[1], b, CMPMODE::EQ, 0.0F);
        v.select(y, t[1], t[0], y);
        // 1 - 2 (b - 2 floor(b / 2)) is 1 for even, -1 for odd b.
        v.muls(t[0], b, 0.5F);
        v.cast(t[0], t[0], RoundMode::CAST_FLOOR);
        v.muls(t[0], t[0], -2.0F);
        v.add(t[0], t[0], b);
        v.muls(t[0], t[0], -2.0F);
        v.adds(t[0], t[0], 1.0F);
        v.cast(t[2], b, RoundMode::CAST_FLOOR);
        v.compare(t[1], b, CMPMODE::EQ, t[2]);
        v.select(t[0], t[1], t[0], std::numeric_limits<float>::quiet_NaN());
        v.mul(t[0], t[0], y);
        v.compare(t[1], a, CMPMODE::LT, 0.0F);
        v.select(y, t[1], t[0], y);
    };

template <typename T>
inline void PowerCall(const LocalTensor<T>& dst,
                      const Side<T>& base,
                      const Side<T>& exponent,
                      const Scratch& scratch,
                      uint32_t count,
                      Site site) {
    if constexpr (std::is_integral_v<T>) {
        ascendsim::isa::not_implemented("Power of integers", site);
    } else {
        Binary<3, T>(dst, base, exponent, scratch, count, power_steps, site);
    }
}

}  // namespace adv

/// src0 to the power of src1, to |src1 ln src0| units of 2^-23.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", sharedTmpBuffer, site}, count.Of(src0), site);
}

/// src0 to the power of src1, to |src1 ln src0| units of 2^-23.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const LocalTensor<T>& src1,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", site}, count.Of(src0), site);
}

/// A tensor to the power of a number.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const std::type_identity_t<T>& src1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", sharedTmpBuffer, site}, count.Of(src0), site);
}

/// A tensor to the power of a number.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src0,
                  const std::type_identity_t<T>& src1,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", site}, count.Of(src0), site);
}

/// A number to the power of a tensor.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const std::type_identity_t<T>& src0,
                  const LocalTensor<T>& src1,
                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", sharedTmpBuffer, site}, count.Of(src1), site);
}

/// A number to the power of a tensor.
template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
inline void Power(const LocalTensor<T>& dst,
                  const std::type_identity_t<T>& src0,
                  const LocalTensor<T>& src1,
                  adv::Count count = {},
                  Site site = Site::here()) {
    adv::PowerCall<T>(dst, src0, src1, {"Power", site}, count.Of(src1), site);
}

}  // namespace AscendC
