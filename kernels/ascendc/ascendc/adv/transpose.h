// SPDX-License-Identifier: Apache-2.0
// Transposes of matrices in the unified buffer, and the running sums that need them.
#pragma once

#include "kernels/ascendc/ascendc/adv/row_values.h"
#include "kernels/ascendc/ascendc/vector/vector_sort.h"
#include "kernels/ascendc/kernel_tiling/adv_tiling.h"

namespace AscendC {

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};

inline constexpr CumSumConfig defaultCumSumConfig{};

struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

namespace adv {

/// dst[w, h] = src[h, w]. h is a multiple of 16, w of a block.
template <typename T>
inline void TransposeMatrix(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t h, uint32_t w, Site site) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                  "matrices of 16-bit and 32-bit elements can be transposed");
    constexpr uint32_t block = 32U / sizeof(T);
    constexpr uint32_t parts = 16U / block;  // blocks that 16 elements of a column fill
    const uint32_t repeats = h / 16U;
    TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(repeats);
    if (repeats > 1) {
        params.dstRepStride = static_cast<uint16_t>(parts);
        params.srcRepStride = static_cast<uint16_t>(16U * w / block);
    }
    for (uint32_t column = 0; column < w; column += block) {
        LocalTensor<T> to[16];
        LocalTensor<T> from[16];
        for (uint32_t i = 0; i < 16; ++i) {
            from[i] = src[i * w + column];
            to[i] = dst[(column + i / parts) * h + i % parts * block];
        }
        TransDataTo5HD(to, from, params, site);
    }
    PipeBarrier<PIPE_V>(site);
}

/// Sums down the rows, in float: dst[i] = src[0] + ... + src[i].
template <typename T>
inline void CumulateRows(const LocalTensor<T>& dst,
                         const LocalTensor<T>& src,
                         const CumSumInfo& info,
                         Scratch scratch,
                         Site site) {
    const FloatSteps v(info.inner, site);
    if constexpr (std::is_same_v<T, float>) {
        v.copy(dst, src);
        for (uint32_t i = 1; i < info.outter; ++i) {
            v.add(dst[i * info.inner], dst[(i - 1) * info.inner], src[i * info.inner]);
        }
    } else {
        const Floats sum = scratch.Take<float>(info.inner);
        const Floats next = scratch.Take<float>(info.inner);
        v.fill(sum, 0.0F);
        for (uint32_t i = 0; i < info.outter; ++i) {
            v.cast(next, src[i * info.inner]);
            v.add(sum, sum, next);
            Cast(dst[i * info.inner], sum, RoundMode::CAST_RINT, info.inner, site);
            PipeBarrier<PIPE_V>(site);
        }
    }
}

/// rows = n rows of `width` elements, as floats, at another distance.
template <typename T>
inline void LoadMatrix(
    const Floats& rows, uint32_t stride, const LocalTensor<T>& src, uint32_t width, uint32_t n, Site site) {
    if constexpr (std::is_same_v<T, float>) {
        ApplyNumber({rows, n, stride, width}, {src, n, width, width}, 1.0F, site);
    } else {
        CastRows(rows, stride, src, width, n, width, RoundMode::CAST_NONE, site);
    }
}

/// Sums along the rows: as many sixteens of rows as fit are transposed, summed down and transposed back.
template <typename T>
inline void CumulateColumns(const LocalTensor<T>& dst,
                            const LocalTensor<T>& src,
                            const CumSumInfo& info,
                            Scratch scratch,
                            Site site) {
    const uint32_t inner = (info.inner + 15U) / 16U * 16U;
    const uint32_t fit = scratch.Room() / (8U * 16U * inner) * 16U;
    const uint32_t all = (info.outter + 15U) / 16U * 16U;
    const uint32_t group = fit == 0 ? 16U : fit < all ? fit : all;
    const Floats rows = scratch.Take<float>(group * inner);
    const Floats columns = scratch.Take<float>(group * inner);
    for (uint32_t first = 0; first < info.outter; first += group) {
        const uint32_t n = info.outter - first < group ? info.outter - first : group;
        FloatSteps(group * inner, site).fill(rows, 0.0F);
        LoadMatrix(rows, inner, src[first * info.inner], info.inner, n, site);
        TransposeMatrix(columns, rows, group, inner, site);
        const FloatSteps column(group, site);
        for (uint32_t k = 1; k < info.inner; ++k) {
            column.add(columns[k * group], columns[(k - 1) * group], columns[k * group]);
        }
        TransposeMatrix(rows, columns, inner, group, site);
        const Rows sums{rows, n, inner, info.inner};
        if constexpr (std::is_same_v<T, float>) {
            ApplyNumber({dst[first * info.inner], n, info.inner, info.inner}, sums, 1.0F, site);
        } else {
            CastRows(
                dst[first * info.inner], info.inner, rows, inner, n, info.inner, RoundMode::CAST_RINT, site);
        }
    }
}

template <const CumSumConfig& config, typename T>
inline void CumulateCall(const LocalTensor<T>& dst,
                         const LocalTensor<T>& lastRow,
                         const LocalTensor<T>& src,
                         const CumSumInfo& info,
                         const Scratch& scratch,
                         Site site) {
    if constexpr (has_vector_unit) {
        if constexpr (config.isLastAxis) {
            CumulateColumns(dst, src, info, scratch, site);
        } else {
            CumulateRows(dst, src, info, scratch, site);
        }
        if constexpr (config.outputLastRow) {
            DataCopy(lastRow, dst[(info.outter - 1) * info.inner], info.inner, site);
            PipeBarrier<PIPE_V>(site);
        }
    }
}

template <typename T>
inline void TransposeCall(const LocalTensor<T>& dst,
                          const LocalTensor<T>& src,
                          TransposeType type,
                          const ConfusionTransposeTiling& tiling,
                          Site site) {
    if constexpr (has_vector_unit) {
        if (type != TransposeType::TRANSPOSE_ND2ND_ONLY) {
            ascendsim::isa::not_implemented("Transpose other than TRANSPOSE_ND2ND_ONLY", site);
        }
        TransposeMatrix(dst, src, tiling.param2, tiling.param1, site);
    }
}

}  // namespace adv

/// Running sums of [outter, inner] along the last axis or down the first, line by line in float.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(const LocalTensor<T>& dst,
                   const LocalTensor<T>& lastRow,
                   const LocalTensor<T>& src,
                   const LocalTensor<uint8_t>& sharedTmpBuffer,
                   const CumSumInfo& cumSumInfo,
                   Site site = Site::here()) {
    adv::CumulateCall<config>(dst, lastRow, src, cumSumInfo, {"CumSum", sharedTmpBuffer, site}, site);
}

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(const LocalTensor<T>& dst,
                   const LocalTensor<T>& lastRow,
                   const LocalTensor<T>& src,
                   const CumSumInfo& cumSumInfo,
                   Site site = Site::here()) {
    adv::CumulateCall<config>(dst, lastRow, src, cumSumInfo, {"CumSum", site}, site);
}

/// The transpose of a matrix whose height and width are multiples of 16.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>&,
                      TransposeType transposeType,
                      const ConfusionTransposeTiling& tiling,
                      Site site = Site::here()) {
    adv::TransposeCall(dst, src, transposeType, tiling, site);
}

template <typename T>
inline void Transpose(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      TransposeType transposeType,
                      const ConfusionTransposeTiling& tiling,
                      Site site = Site::here()) {
    adv::TransposeCall(dst, src, transposeType, tiling, site);
}

/// The older name of Transpose.
template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dst,
                               const LocalTensor<T>& src,
                               const LocalTensor<uint8_t>&,
                               TransposeType transposeType,
                               const ConfusionTransposeTiling& tiling,
                               Site site = Site::here()) {
    adv::TransposeCall(dst, src, transposeType, tiling, site);
}

template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dst,
                               const LocalTensor<T>& src,
                               TransposeType transposeType,
                               const ConfusionTransposeTiling& tiling,
                               Site site = Site::here()) {
    adv::TransposeCall(dst, src, transposeType, tiling, site);
}

}  // namespace AscendC
