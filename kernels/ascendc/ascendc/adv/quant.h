// SPDX-License-Identifier: Apache-2.0
// Quantisation to 8 bits: round(src scale + offset), computed in half as documented.
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"

namespace AscendC {

struct AscendQuantConfig {
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};

inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

namespace adv {

/// A scale or an offset: one number for all elements, or a tensor that repeats every `count` of them.
template <typename T>
struct QuantSide {
    const LocalTensor<T>* tensor = nullptr;
    float number = 0;
};

template <typename T>
inline LocalTensor<half> AsHalf(const QuantSide<T>& side, uint32_t count, Scratch& scratch, Site site) {
    if (side.tensor == nullptr) {
        return {};
    }
    if constexpr (std::is_same_v<T, half>) {
        return *side.tensor;
    } else {
        const LocalTensor<half> narrow = scratch.Take<half>(count);
        Cast(narrow, *side.tensor, RoundMode::CAST_NONE, count, site);
        PipeBarrier<PIPE_V>(site);
        return narrow;
    }
}

/// Pieces of `period` elements at most: all that one application of the tensors covers, or what fits.
template <typename T>
inline void Quantise(const LocalTensor<int8_t>& dst,
                     const LocalTensor<T>& src,
                     const QuantSide<T>& scale,
                     const QuantSide<T>& offset,
                     uint32_t period,
                     uint32_t count,
                     Scratch scratch,
                     Site site) {
    if constexpr (has_vector_unit) {
        const LocalTensor<half> scales = AsHalf(scale, period, scratch, site);
        const LocalTensor<half> offsets = AsHalf(offset, period, scratch, site);
        // Whole blocks of results, so that every piece of dst is aligned.
        uint32_t share = scratch.Share(1, (period + 1) / 2) * 2U;
        share = share < period ? share / 32U * 32U : share;
        if (share == 0) {
            scratch.Refuse(64);
        }
        const LocalTensor<half> work = scratch.Take<half>(share);
        for (uint32_t start = 0; start < count; start += period) {
            const uint32_t end = count - start < period ? count - start : period;
            for (uint32_t at = 0; at < end; at += share) {
                const uint32_t n = end - at < share ? end - at : share;
                const Steps<half> v(n, site);
                LocalTensor<half> x;
                if constexpr (std::is_same_v<T, half>) {
                    x = src[start + at];
                } else {
                    v.cast(work, src[start + at]);
                    x = work;
                }
                scale.tensor != nullptr ? v.mul(work, x, scales[at]) : v.muls(work, x, scale.number);
                offset.tensor != nullptr ? v.add(work, work, offsets[at]) : v.adds(work, work, offset.number);
                Cast(dst[start + at], work, RoundMode::CAST_RINT, n, site);
                PipeBarrier<PIPE_V>(site);
            }
        }
    }
}

}  // namespace adv

/// One scale and one offset.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const float scale,
                        const float offset,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{nullptr, static_cast<float>(scale)};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, calCount, calCount, {"AscendQuant", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const float scale,
                        const float offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{nullptr, static_cast<float>(scale)};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(
        dst, src, by, plus, src.GetSize(), src.GetSize(), {"AscendQuant", sharedTmpBuffer, site}, site);
}

/// A scale per channel.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const LocalTensor<T>& scale,
                        const std::type_identity_t<T> offset,
                        const uint32_t scaleCount,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, scaleCount, calCount, {"AscendQuant", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const LocalTensor<T>& scale,
                        const std::type_identity_t<T> offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(
        dst, src, by, plus, scale.GetSize(), src.GetSize(), {"AscendQuant", sharedTmpBuffer, site}, site);
}

/// A scale and an offset per channel.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const LocalTensor<T>& scale,
                        const LocalTensor<T>& offset,
                        const uint32_t scaleCount,
                        const uint32_t,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{&offset, 0.0F};
    adv::Quantise(dst, src, by, plus, scaleCount, calCount, {"AscendQuant", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const LocalTensor<T>& scale,
                        const LocalTensor<T>& offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{&offset, 0.0F};
    adv::Quantise(
        dst, src, by, plus, scale.GetSize(), src.GetSize(), {"AscendQuant", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const float scale,
                        const float offset,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{nullptr, static_cast<float>(scale)};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, calCount, calCount, {"AscendQuant", site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const float scale,
                        const float offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{nullptr, static_cast<float>(scale)};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, src.GetSize(), src.GetSize(), {"AscendQuant", site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<T>& scale,
                        const std::type_identity_t<T> offset,
                        const uint32_t scaleCount,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, scaleCount, calCount, {"AscendQuant", site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<T>& scale,
                        const std::type_identity_t<T> offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{nullptr, static_cast<float>(offset)};
    adv::Quantise(dst, src, by, plus, scale.GetSize(), src.GetSize(), {"AscendQuant", site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<T>& scale,
                        const LocalTensor<T>& offset,
                        const uint32_t scaleCount,
                        const uint32_t,
                        const uint32_t calCount,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{&offset, 0.0F};
    adv::Quantise(dst, src, by, plus, scaleCount, calCount, {"AscendQuant", site}, site);
}

template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dst,
                        const LocalTensor<T>& src,
                        const LocalTensor<T>& scale,
                        const LocalTensor<T>& offset,
                        Site site = Site::here()) {
    const adv::QuantSide<T> by{&scale, 0.0F};
    const adv::QuantSide<T> plus{&offset, 0.0F};
    adv::Quantise(dst, src, by, plus, scale.GetSize(), src.GetSize(), {"AscendQuant", site}, site);
}

}  // namespace AscendC
