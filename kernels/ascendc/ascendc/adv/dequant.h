// SPDX-License-Identifier: Apache-2.0
// From 32-bit sums to floats: src times a scale per column or one for all.
#pragma once

#include "kernels/ascendc/ascendc/adv/rows.h"
#include "kernels/ascendc/ascendc/vector/vector_gather.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
    uint32_t m = 0;
    uint32_t n = 0;
    uint32_t calCount = 0;
};

namespace adv {

template <class T>
inline constexpr bool is_local_tensor = false;

template <class T>
inline constexpr bool is_local_tensor<LocalTensor<T>> = true;

/// The scales as floats: of 64 bits, the low half of each.
template <typename S>
inline Floats ScalesAsFloat(const LocalTensor<S>& scale, uint32_t n, Scratch& scratch, Site site) {
    if constexpr (std::is_same_v<S, float>) {
        return scale;
    } else if constexpr (sizeof(S) == 8) {
        const Floats low = scratch.Take<float>(n);
        uint64_t count = 0;
        GatherMask(
            low, scale.template ReinterpretCast<float>(), uint8_t{1}, true, 2 * n, {1, 1, 8, 0}, count, site);
        ResetMask();
        PipeBarrier<PIPE_V>(site);
        return low;
    } else {
        const Floats wide = scratch.Take<float>(n);
        FloatSteps(n, site).cast(wide, scale);
        return wide;
    }
}

/// What a call multiplies by: a row, or one number.
struct DequantScale {
    Floats row;
    float number = 0;
    bool is_row = false;
};

/// to = the first `width` of every src_stride integers, as floats times the scale, through `work`, whose rows
/// lie work_stride apart.
template <typename D>
inline void DequantRows(const LocalTensor<D>& to,
                        uint32_t to_stride,
                        const LocalTensor<int32_t>& from,
                        uint32_t from_stride,
                        const Rows& work,
                        const DequantScale& scale,
                        Site site) {
    CastRows(work.data, work.stride, from, from_stride, work.rows, work.width, RoundMode::CAST_NONE, site);
    if (scale.is_row) {
        ApplyRow(RowOp::mul, work, work, scale.row, site);
    } else {
        ApplyNumber(work, work, scale.number, site);
    }
    if constexpr (!std::is_same_v<D, float>) {
        CastRows(to, to_stride, work.data, work.stride, work.rows, work.width, RoundMode::CAST_RINT, site);
    }
}

/// The first calCount of n columns of all rows, into rows padded to 32 bytes. Floats are worked on where they
/// end up, narrower results in as many rows of the temporary space as there are.
template <DeQuantMode mode, typename D, typename S>
inline void DequantCall(const LocalTensor<D>& dst,
                        const LocalTensor<int32_t>& src,
                        const LocalTensor<S>* scale,
                        float number,
                        DequantParams shape,
                        Scratch scratch,
                        Site site) {
    if constexpr (has_vector_unit) {
        constexpr uint32_t block = 32U / sizeof(D);
        if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && shape.m == 1 && shape.calCount % block == 0 &&
            shape.n % shape.calCount == 0) {
            shape = {shape.n / shape.calCount, shape.calCount, shape.calCount};
        }
        DequantScale by{{}, number, scale != nullptr};
        if (scale != nullptr) {
            by.row = ScalesAsFloat(*scale, shape.calCount, scratch, site);
        }
        const uint32_t stride = (shape.n + block - 1) / block * block;
        if constexpr (std::is_same_v<D, float>) {
            DequantRows(dst, stride, src, shape.n, {dst, shape.m, stride, shape.calCount}, by, site);
        } else {
            const uint32_t share = scratch.Share(1, shape.calCount);
            const uint32_t fit = scratch.Room() / (4U * share);
            const uint32_t rows = fit < shape.m ? fit : shape.m;
            const Floats work = scratch.Take<float>(rows * share);
            for (uint32_t row = 0; row < shape.m; row += rows) {
                for (uint32_t at = 0; at < shape.calCount; at += share) {
                    const uint32_t columns = shape.calCount - at < share ? shape.calCount - at : share;
                    const uint32_t count = shape.m - row < rows ? shape.m - row : rows;
                    const DequantScale part{by.is_row ? by.row[at] : by.row, by.number, by.is_row};
                    DequantRows(dst[row * stride + at],
                                stride,
                                src[row * shape.n + at],
                                shape.n,
                                {work, count, share, columns},
                                part,
                                site);
                }
            }
        }
    }
}

}  // namespace adv

/// A scale per column.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dst,
                          const LocalTensor<int32_t>& src,
                          const LocalTensor<scaleT>& deqScale,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const DequantParams params,
                          Site site = Site::here()) {
    adv::DequantCall<mode>(dst, src, &deqScale, 0.0F, params, {"AscendDequant", sharedTmpBuffer, site}, site);
}

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dst,
                          const LocalTensor<int32_t>& src,
                          const LocalTensor<scaleT>& deqScale,
                          const DequantParams params,
                          Site site = Site::here()) {
    adv::DequantCall<mode>(dst, src, &deqScale, 0.0F, params, {"AscendDequant", site}, site);
}

/// One scale.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>

requires(!adv::is_local_tensor<scaleT>) inline void AscendDequant(const LocalTensor<dstT>& dst,
                                                                  const LocalTensor<int32_t>& src,
                                                                  const scaleT deqScale,
                                                                  const LocalTensor<uint8_t>& sharedTmpBuffer,
                                                                  const DequantParams params,
                                                                  Site site = Site::here()) {
    const LocalTensor<float>* none = nullptr;
    adv::DequantCall<mode>(
        dst, src, none, static_cast<float>(deqScale), params, {"AscendDequant", sharedTmpBuffer, site}, site);
}

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>

requires(!adv::is_local_tensor<scaleT>) inline void AscendDequant(const LocalTensor<dstT>& dst,
                                                                  const LocalTensor<int32_t>& src,
                                                                  const scaleT deqScale,
                                                                  const DequantParams params,
                                                                  Site site = Site::here()) {
    const LocalTensor<float>* none = nullptr;
    adv::DequantCall<mode>(
        dst, src, none, static_cast<float>(deqScale), params, {"AscendDequant", site}, site);
}

/// Shapes from the tensors: rows of calCount columns.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dst,
                          const LocalTensor<int32_t>& src,
                          const LocalTensor<scaleT>& deqScale,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          adv::Count calCount = {},
                          Site site = Site::here()) {
    const uint32_t n = src.GetSize();
    const uint32_t columns = calCount.Of(deqScale);
    adv::DequantCall<mode>(
        dst, src, &deqScale, 0.0F, {1, n, columns}, {"AscendDequant", sharedTmpBuffer, site}, site);
}

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<dstT>& dst,
                          const LocalTensor<int32_t>& src,
                          const LocalTensor<scaleT>& deqScale,
                          adv::Count calCount = {},
                          Site site = Site::here()) {
    const uint32_t n = src.GetSize();
    const uint32_t columns = calCount.Of(deqScale);
    adv::DequantCall<mode>(dst, src, &deqScale, 0.0F, {1, n, columns}, {"AscendDequant", site}, site);
}

}  // namespace AscendC
