// SPDX-License-Identifier: Apache-2.0
// Gradients of softmax, and the correction of its results.
#pragma once

#include "kernels/ascendc/ascendc/adv/softmax_rows.h"

namespace AscendC {

namespace adv {

/// dst = (grad - d) src with d the sum of grad src per row; with `front` dst = d in blocks.
template <typename T>
inline void SoftmaxGradient(const LocalTensor<T>& dst,
                            const LocalTensor<T>& grad,
                            const LocalTensor<T>& src,
                            bool front,
                            const Rows& all,
                            Scratch scratch,
                            Site site) {
    if constexpr (has_vector_unit) {
        const RowSpace space(scratch,
                             all.rows,
                             all.width,
                             all.stride,
                             2,
                             std::is_same_v<T, float> && all.fractal_rows == 0 ? 1 : 3);
        Rows shape = all;
        for (uint32_t first = 0; first < all.rows; first += space.rows) {
            shape.rows = all.rows - first < space.rows ? all.rows - first : space.rows;
            const Rows g = LoadRows(grad, shape, first, space.wide[1], site);
            const Rows x = LoadRows(src, shape, first, space.wide[2], site);
            Rows product = shape;
            product.data = space.wide[0];
            const FloatSteps v(shape.Elements(), site);
            v.mul(product.data, g.data, x.data);
            ReduceRows(RowOp::add, space.values[0], product, space.fold, site);
            if (front) {
                StoreValues(
                    dst, space.values[0], first, shape.rows, false, space.block, space.values[1], site);
                continue;
            }
            Spread(space.block, space.values[0], shape.rows, site);
            ApplyBlocks(RowOp::sub, product.WithPadding(), g.WithPadding(), space.block, site);
            const Rows y = WorkRows(dst, shape, first, product.data);
            v.mul(y.data, product.data, x.data);
            StoreRows(dst, y, first, site);
        }
    }
}

}  // namespace adv

/// (grad - sum(grad src)) src per row; with isFront the sums alone, a 32-byte block each.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dst,
                        const LocalTensor<T>& grad,
                        const LocalTensor<T>& src,
                        const SoftMaxTiling& tiling,
                        bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {},
                        Site site = Site::here()) {
    const adv::Rows rows = adv::SoftmaxRows<isDataFormatNZ>(src, tiling, softmaxShapeInfo);
    adv::SoftmaxGradient(dst, grad, src, isFront, rows, {"SoftmaxGrad", site}, site);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dst,
                        const LocalTensor<T>& grad,
                        const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const SoftMaxTiling& tiling,
                        bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {},
                        Site site = Site::here()) {
    const adv::Rows rows = adv::SoftmaxRows<isDataFormatNZ>(src, tiling, softmaxShapeInfo);
    adv::SoftmaxGradient(dst, grad, src, isFront, rows, {"SoftmaxGrad", sharedTmpBuffer, site}, site);
}

/// sum(grad src) per row, a 32-byte block each.
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dst,
                             const LocalTensor<T>& grad,
                             const LocalTensor<T>& src,
                             const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {},
                             Site site = Site::here()) {
    SoftmaxGrad<T, false, isDataFormatNZ>(dst, grad, src, tiling, true, softmaxShapeInfo, site);
}

template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dst,
                             const LocalTensor<T>& grad,
                             const LocalTensor<T>& src,
                             const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {},
                             Site site = Site::here()) {
    SoftmaxGrad<T, false, isDataFormatNZ>(
        dst, grad, src, sharedTmpBuffer, tiling, true, softmaxShapeInfo, site);
}

/// Fills the rows whose maximum has the bits `from` with `to`; says whether there were any. The maxima are
/// read by the scalar unit: one per 32-byte block, or with stepSizeMode one per element.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes,
                             const LocalTensor<T2>& maxTensor,
                             const uint32_t from,
                             const T1 to,
                             const SoftMaxShapeInfo& softmaxShapeInfo,
                             Site site = Site::here()) {
    bool found = false;
    if constexpr (has_vector_unit) {
        constexpr uint32_t step = stepSizeMode == 0 ? adv::per_block<T2> : 1U;
        const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
        SetFlag<HardEvent::V_S>(read, site);
        WaitFlag<HardEvent::V_S>(read, site);
        for (uint32_t row = 0; row < softmaxShapeInfo.srcM; ++row) {
            const T2 value = maxTensor.GetValue(row * step, site);
            uint32_t bits = 0;
            __builtin_memcpy(&bits, static_cast<const void*>(&value), sizeof(T2));
            if (bits != from) {
                continue;
            }
            found = true;
            const uint32_t k = softmaxShapeInfo.srcK;
            if constexpr (isDataFormatNZ) {  // 16 columns of all rows after each other
                Duplicate(softMaxRes[row * 16U],
                          to,
                          uint64_t{16},
                          static_cast<uint8_t>(k / 16U),
                          1,
                          static_cast<uint8_t>(softmaxShapeInfo.srcM * 16U * sizeof(T1) / 32U),
                          site);
            } else {
                Duplicate(softMaxRes[row * k], to, static_cast<int32_t>(k), site);
            }
        }
        PipeBarrier<PIPE_V>(site);
    }
    return found;
}

}  // namespace AscendC
