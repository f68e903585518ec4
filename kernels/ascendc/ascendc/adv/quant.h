// SPDX-License-Identifier: Apache-2.0
// Quantisation to 8 bits: round(src scale + offset), computed in half as documented.
#pragma once

#include "kernels/ascendc/ascendc/adv/rows.h"

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

/// work = x times the scale plus the offset, of `rows` rows of `width` elements that lie dense.
template <typename T>
inline void ScaleRows(const LocalTensor<half>& work,
                      const LocalTensor<half>& x,
                      const QuantSide<T>& scale,
                      const LocalTensor<half>& scales,
                      const QuantSide<T>& offset,
                      const LocalTensor<half>& offsets,
                      uint32_t rows,
                      uint32_t width,
                      Site site) {
    const Steps<half> all(rows * width, site);
    const auto each = [&](auto step) {
        CheckRowStarts<half>(rows, width, site);
        Cover<128>(rows, width, width, [&](const Stripe<128>& at) {
            const uint8_t hop = at.Hop<half>(width);
            step(at.row * width + at.column,
                 at.column,
                 at.Times(),
                 BinaryRepeatParams(1, 1, 1, hop, hop, at.down ? 0 : 8));
        });
        PipeBarrier<PIPE_V>(site);
    };
    if (scale.tensor == nullptr) {
        all.muls(work, x, scale.number);
    } else {
        each([&](uint32_t at, uint32_t column, uint8_t times, const BinaryRepeatParams& strides) {
            Mul<half, false>(work[at], x[at], scales[column], uint64_t{0}, times, strides, site);
        });
    }
    if (offset.tensor == nullptr) {
        all.adds(work, work, offset.number);
    } else {
        each([&](uint32_t at, uint32_t column, uint8_t times, const BinaryRepeatParams& strides) {
            Add<half, false>(work[at], work[at], offsets[column], uint64_t{0}, times, strides, site);
        });
    }
}

/// Rows of `period` elements, the reach of one application of the tensors: as many as fit at a time, or
/// pieces of one.
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
        // Whole blocks of halves, so that every row is aligned, and of results where the rows do not go at
        // once.
        const uint32_t all = (count + period - 1) / period;
        const uint32_t fit = scratch.Room() / 2U / period;
        const bool at_once = all <= fit && period % 16U == 0;
        const uint32_t rows = at_once ? all : period % 32U == 0 && fit > 0 ? fit : 1U;
        uint32_t share = scratch.Share(1, (period + 1) / 2) * 2U;
        share = share < period ? share / 32U * 32U : period;
        if (share == 0) {
            scratch.Refuse(64);
        }
        const LocalTensor<half> work = scratch.Take<half>(rows * share);
        for (uint32_t start = 0; start < count; start += rows * period) {
            const uint32_t end = count - start < rows * period ? count - start : rows * period;
            for (uint32_t at = 0; at < (rows > 1 ? 1 : end); at += share) {
                const uint32_t n = rows > 1 ? end : end - at < share ? end - at : share;
                LocalTensor<half> x = work;
                if constexpr (std::is_same_v<T, half>) {
                    x = src[start + at];
                } else {
                    Steps<half>(n, site).cast(work, src[start + at]);
                }
                const uint32_t whole = rows > 1 ? n / period : 1;
                const uint32_t width = rows > 1 ? period : n;
                ScaleRows(work, x, scale, scales[at], offset, offsets[at], whole, width, site);
                if (whole * width < n) {  // the last row is not a whole one
                    const uint32_t done = whole * width;
                    ScaleRows(work[done], x[done], scale, scales, offset, offsets, 1, n - done, site);
                }
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
