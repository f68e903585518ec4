// SPDX-License-Identifier: Apache-2.0
// Bitwise functions of the high-level API.
#pragma once

#include "kernels/ascendc/ascendc/adv/scratch.h"
#include "kernels/ascendc/ascendc/vector/reduce_tensor.h"
#include "kernels/ascendc/ascendc/vector/vector_binary.h"
#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_ternary.h"
#include "kernels/ascendc/ascendc/vector/vector_unary.h"

namespace AscendC {

namespace adv {

/// dst = (a | b) & ~(a & b), in chunks.
template <typename T>
inline void XorCall(const LocalTensor<T>& dst,
                    const LocalTensor<T>& a,
                    const LocalTensor<T>& b,
                    Scratch scratch,
                    uint32_t count,
                    Site site) {
    static_assert(sizeof(T) == 2, "Xor works on 16-bit integers");
    if constexpr (has_vector_unit) {
        const uint32_t share = 2 * scratch.Share(1, (count + 1) / 2);
        const LocalTensor<T> both = scratch.Take<T>(share);
        for (uint32_t at = 0; at < count; at += share) {
            const auto n = static_cast<int32_t>(count - at < share ? count - at : share);
            And(both, a[at], b[at], n, site);
            PipeBarrier<PIPE_V>(site);
            Not(both, both, n, site);
            PipeBarrier<PIPE_V>(site);
            Or(dst[at], a[at], b[at], n, site);
            PipeBarrier<PIPE_V>(site);
            And(dst[at], dst[at], both, n, site);
            PipeBarrier<PIPE_V>(site);
        }
    }
}

}  // namespace adv

/// Exclusive or, bit by bit.
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                const LocalTensor<uint8_t>& sharedTmpBuffer,
                adv::Count count = {},
                Site site = Site::here()) {
    adv::XorCall(dst, src0, src1, {"Xor", sharedTmpBuffer, site}, count.Of(src0), site);
}

template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dst,
                const LocalTensor<T>& src0,
                const LocalTensor<T>& src1,
                adv::Count count = {},
                Site site = Site::here()) {
    adv::XorCall(dst, src0, src1, {"Xor", site}, count.Of(src0), site);
}

namespace adv {

/// dst[0] = the sum of a ^ b, clamped to 16 bits: bits by Xor, then float sums, exact below 2^24.
inline void XorSumCall(const LocalTensor<int16_t>& dst,
                       const LocalTensor<int16_t>& a,
                       const LocalTensor<int16_t>& b,
                       Scratch scratch,
                       uint32_t count,
                       Site site) {
    if constexpr (has_vector_unit) {
        const auto total = scratch.Take<float>(8);
        const uint32_t share = scratch.Share(3, count);  // bits, their sum, and what Xor needs
        const auto bits = scratch.Take<int16_t>(share);
        const auto wide = scratch.Take<float>(share);
        Duplicate(total, 0.0F, 8, site);
        PipeBarrier<PIPE_V>(site);
        for (uint32_t at = 0; at < count; at += share) {
            const uint32_t n = count - at < share ? count - at : share;
            XorCall(bits, a[at], b[at], scratch, n, site);
            Cast(wide, bits, RoundMode::CAST_NONE, n, site);
            PipeBarrier<PIPE_V>(site);
            ReduceSum(wide, wide, wide, static_cast<int32_t>(n), site);
            PipeBarrier<PIPE_V>(site);
            Add(total, total, wide, 1, site);
            PipeBarrier<PIPE_V>(site);
        }
        Cast(dst, total, RoundMode::CAST_RINT, 1, site);
        PipeBarrier<PIPE_V>(site);
    }
}

}  // namespace adv

/// The sum of src0 ^ src1.
template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src0,
                         const LocalTensor<T>& src1,
                         const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const uint32_t calCount,
                         Site site = Site::here()) {
    adv::XorSumCall(dst, src0, src1, {"ReduceXorSum", sharedTmpBuffer, site}, calCount, site);
}

template <typename T, bool isReuseSource = false>
inline void ReduceXorSum(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src0,
                         const LocalTensor<T>& src1,
                         const uint32_t calCount,
                         Site site = Site::here()) {
    adv::XorSumCall(dst, src0, src1, {"ReduceXorSum", site}, calCount, site);
}

/// dst += scalar * src, by Muls and Add.
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dst,
                 const LocalTensor<U>& src,
                 const std::type_identity_t<U> scalar,
                 const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const uint32_t calCount,
                 Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        adv::Scratch scratch("Axpy", sharedTmpBuffer, site);
        constexpr bool widens = sizeof(U) < sizeof(T);
        const uint32_t share = scratch.Share(1, calCount);
        const LocalTensor<T> product = scratch.template Take<T>(share);
        for (uint32_t at = 0; at < calCount; at += share) {
            const auto n = static_cast<int32_t>(calCount - at < share ? calCount - at : share);
            if constexpr (widens) {
                Cast(product, src[at], RoundMode::CAST_NONE, static_cast<uint32_t>(n), site);
                PipeBarrier<PIPE_V>(site);
                Muls(product, product, static_cast<T>(scalar), n, site);
            } else {
                Muls(product, src[at], scalar, n, site);
            }
            PipeBarrier<PIPE_V>(site);
            Add(dst[at], dst[at], product, n, site);
            PipeBarrier<PIPE_V>(site);
        }
    }
}

}  // namespace AscendC
