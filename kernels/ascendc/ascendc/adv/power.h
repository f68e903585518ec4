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

/// Integer powers by squaring, modulo 2^32, one round for each bit of the exponents; of a negative exponent
/// 0, unless the base is 1 or -1 (as a rounded quotient would be; public documents leave it open).
class IntegerPower {
public:
    IntegerPower(Scratch& scratch, uint32_t count, Site site) : site_(site) {
        constexpr uint32_t nodes = 6;
        share = scratch.Share(nodes, count);
        for (LocalTensor<int32_t>* node : {&base, &exponent, &power_, &rest_, &odd_, &result_}) {
            *node = scratch.Take<int32_t>(share);
        }
    }

    /// dst = base ^ exponent, the first `n`.
    void Run(const LocalTensor<int32_t>& dst, uint32_t n) {
        n_ = static_cast<int32_t>(n);
        Muls(power_, base, 1, n_, site_);
        Muls(rest_, exponent, 1, n_, site_);
        Duplicate(result_, 1, n_, site_);
        Barrier();
        constexpr int bits = 32;
        for (int bit = 0; bit < bits; ++bit) {
            Round(bit + 1 < bits);
        }
        // 0 where the exponent is negative, then back where the base is 1 or -1.
        Shift(rest_, exponent, bits - 1);
        Muls(rest_, rest_, -1, n_, site_);
        Barrier();
        Adds(rest_, rest_, 1, n_, site_);
        Muls(power_, base, -1, n_, site_);
        Barrier();
        Mul(rest_, rest_, result_, n_, site_);
        Max(power_, power_, base, n_, site_);
        Barrier();
        CompareScalar(odd_.ReinterpretCast<uint8_t>(), power_, 1, CMPMODE::EQ, n, site_);
        Barrier();
        Select(dst.ReinterpretCast<float>(),
               odd_.ReinterpretCast<uint8_t>(),
               result_.ReinterpretCast<float>(),
               rest_.ReinterpretCast<float>(),
               SELMODE::VSEL_TENSOR_TENSOR_MODE,
               n,
               site_);
        Barrier();
    }

    uint32_t share = 0;
    LocalTensor<int32_t> base;
    LocalTensor<int32_t> exponent;

private:
    /// result *= 1 + (power - 1) (rest mod 2); rest /= 2; power *= power
    void Round(bool more) {
        Shift(odd_, rest_, 1);
        Muls(odd_, odd_, -2, n_, site_);
        Barrier();
        Add(odd_, odd_, rest_, n_, site_);
        Adds(power_, power_, -1, n_, site_);
        Barrier();
        Mul(odd_, odd_, power_, n_, site_);
        Adds(power_, power_, 1, n_, site_);
        Barrier();
        Adds(odd_, odd_, 1, n_, site_);
        Barrier();
        Mul(result_, result_, odd_, n_, site_);
        if (more) {
            Shift(rest_, rest_, 1);
            Mul(power_, power_, power_, n_, site_);
        }
        Barrier();
    }

    /// d = a >> bits, without the sign.
    void Shift(const LocalTensor<int32_t>& d, const LocalTensor<int32_t>& a, int bits) {
        ShiftRight(d.ReinterpretCast<uint32_t>(),
                   a.ReinterpretCast<uint32_t>(),
                   static_cast<uint32_t>(bits),
                   n_,
                   site_);
        Barrier();
    }

    void Barrier() const { PipeBarrier<PIPE_V>(site_); }

    Site site_;
    int32_t n_ = 0;
    LocalTensor<int32_t> power_;
    LocalTensor<int32_t> rest_;
    LocalTensor<int32_t> odd_;
    LocalTensor<int32_t> result_;
};

inline void PowerOfIntegers(const LocalTensor<int32_t>& dst,
                            const Side<int32_t>& base,
                            const Side<int32_t>& exponent,
                            Scratch scratch,
                            uint32_t count,
                            Site site) {
    if constexpr (has_vector_unit) {
        IntegerPower power(scratch, count, site);
        for (uint32_t at = 0; at < count; at += power.share) {
            const uint32_t n = count - at < power.share ? count - at : power.share;
            const auto take = [&](const LocalTensor<int32_t>& into, const Side<int32_t>& side) {
                if (side.is_scalar) {
                    Duplicate(into, side.value, static_cast<int32_t>(n), site);
                } else {
                    Muls(into, side.tensor[at], 1, static_cast<int32_t>(n), site);
                }
                PipeBarrier<PIPE_V>(site);
            };
            take(power.base, base);
            take(power.exponent, exponent);
            power.Run(dst[at], n);
        }
    }
}

template <typename T>
inline void PowerCall(const LocalTensor<T>& dst,
                      const Side<T>& base,
                      const Side<T>& exponent,
                      const Scratch& scratch,
                      uint32_t count,
                      Site site) {
    if constexpr (std::is_same_v<T, int32_t>) {
        PowerOfIntegers(dst, base, exponent, scratch, count, site);
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
