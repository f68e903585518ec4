// SPDX-License-Identifier: Apache-2.0
// SoftMax and its relatives. They come with T for all tensors, and with half data and float values per row.
#pragma once

#include "kernels/ascendc/ascendc/adv/softmax_rows.h"

namespace AscendC {

namespace adv {

template <bool fractal, const SoftmaxConfig& config, typename T, typename U>
inline void NormalisedSoftmax(const LocalTensor<T>& dst,
                              const LocalTensor<U>& sum,
                              const LocalTensor<U>& max,
                              const LocalTensor<T>& src,
                              const SoftMaxTiling& tiling,
                              const SoftMaxShapeInfo& shape,
                              Scratch scratch,
                              Site site) {
    SoftmaxCall<T, U> call;
    call.dst = &dst;
    call.src = &src;
    call.sum = &sum;
    call.max = &max;
    call.normalise = true;
    call.dense = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    Softmax(call, SoftmaxRows<fractal>(src, tiling, shape), scratch, site);
}

template <bool fractal, const SoftmaxConfig& config, typename T, typename U>
inline void GivenSoftmax(const LocalTensor<T>& dst,
                         const LocalTensor<U>& in_sum,
                         const LocalTensor<U>& in_max,
                         const LocalTensor<T>& src,
                         const SoftMaxTiling& tiling,
                         const SoftMaxShapeInfo& shape,
                         Scratch scratch,
                         Site site) {
    SoftmaxCall<T, U> call;
    call.dst = &dst;
    call.src = &src;
    call.in_sum = &in_sum;
    call.in_max = &in_max;
    call.given = true;
    call.normalise = true;
    call.dense = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    Softmax(call, SoftmaxRows<fractal>(src, tiling, shape), scratch, site);
}

template <bool fractal, typename T>
inline void LogSoftmax(const LocalTensor<T>& dst,
                       const LocalTensor<T>& sum,
                       const LocalTensor<T>& max,
                       const LocalTensor<T>& src,
                       const LogSoftMaxTiling& tiling,
                       const SoftMaxShapeInfo& shape,
                       Scratch scratch,
                       Site site) {
    SoftmaxCall<T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.sum = &sum;
    call.max = &max;
    call.normalise = true;
    call.log10 = true;
    Softmax(call, SoftmaxRows<fractal>(src, tiling, shape), scratch, site);
}

}  // namespace adv

/// e^(x - max) / sum per row, with sum and max.
template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst,
                    const LocalTensor<T>& sum,
                    const LocalTensor<T>& max,
                    const LocalTensor<T>& src,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::NormalisedSoftmax<isDataFormatNZ, config>(
        dst, sum, max, src, tiling, softmaxShapeInfo, {"SoftMax", site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst,
                    const LocalTensor<T>& sum,
                    const LocalTensor<T>& max,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::NormalisedSoftmax<isDataFormatNZ, config>(
        dst, sum, max, src, tiling, softmaxShapeInfo, {"SoftMax", sharedTmpBuffer, site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<half>& dst,
                    const LocalTensor<float>& sum,
                    const LocalTensor<float>& max,
                    const LocalTensor<half>& src,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::NormalisedSoftmax<isDataFormatNZ, config>(
        dst, sum, max, src, tiling, softmaxShapeInfo, {"SoftMax", site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<half>& dst,
                    const LocalTensor<float>& sum,
                    const LocalTensor<float>& max,
                    const LocalTensor<half>& src,
                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::NormalisedSoftmax<isDataFormatNZ, config>(
        dst, sum, max, src, tiling, softmaxShapeInfo, {"SoftMax", sharedTmpBuffer, site}, site);
}

/// The same without them.
template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::SoftmaxCall<T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.normalise = true;
    adv::Softmax(call, adv::SoftmaxRows(src, tiling, softmaxShapeInfo), {"SoftMax", site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    Site site = Site::here()) {
    adv::SoftmaxCall<T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.normalise = true;
    adv::Softmax(
        call, adv::SoftmaxRows(src, tiling, softmaxShapeInfo), {"SoftMax", sharedTmpBuffer, site}, site);
}

/// e^(x - inMax) / inSum per row.
template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T>& dst,
                          const LocalTensor<T>& inSum,
                          const LocalTensor<T>& inMax,
                          const LocalTensor<T>& src,
                          const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {},
                          Site site = Site::here()) {
    adv::GivenSoftmax<isDataFormatNZ, config>(
        dst, inSum, inMax, src, tiling, softmaxShapeInfo, {"SimpleSoftMax", site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T>& dst,
                          const LocalTensor<T>& inSum,
                          const LocalTensor<T>& inMax,
                          const LocalTensor<T>& src,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {},
                          Site site = Site::here()) {
    adv::GivenSoftmax<isDataFormatNZ, config>(
        dst, inSum, inMax, src, tiling, softmaxShapeInfo, {"SimpleSoftMax", sharedTmpBuffer, site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<half>& dst,
                          const LocalTensor<float>& inSum,
                          const LocalTensor<float>& inMax,
                          const LocalTensor<half>& src,
                          const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {},
                          Site site = Site::here()) {
    adv::GivenSoftmax<isDataFormatNZ, config>(
        dst, inSum, inMax, src, tiling, softmaxShapeInfo, {"SimpleSoftMax", site}, site);
}

template <typename T,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<half>& dst,
                          const LocalTensor<float>& inSum,
                          const LocalTensor<float>& inMax,
                          const LocalTensor<half>& src,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {},
                          Site site = Site::here()) {
    adv::GivenSoftmax<isDataFormatNZ, config>(
        dst, inSum, inMax, src, tiling, softmaxShapeInfo, {"SimpleSoftMax", sharedTmpBuffer, site}, site);
}

/// The decimal logarithm, as documented, of SoftMax.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(const LocalTensor<T>& dst,
                       const LocalTensor<T>& sum,
                       const LocalTensor<T>& max,
                       const LocalTensor<T>& src,
                       const LogSoftMaxTiling& tiling,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {},
                       Site site = Site::here()) {
    adv::LogSoftmax<isDataFormatNZ>(dst, sum, max, src, tiling, softmaxShapeInfo, {"LogSoftMax", site}, site);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(const LocalTensor<T>& dst,
                       const LocalTensor<T>& sum,
                       const LocalTensor<T>& max,
                       const LocalTensor<T>& src,
                       const LocalTensor<uint8_t>& sharedTmpBuffer,
                       const LogSoftMaxTiling& tiling,
                       const SoftMaxShapeInfo& softmaxShapeInfo = {},
                       Site site = Site::here()) {
    adv::LogSoftmax<isDataFormatNZ>(
        dst, sum, max, src, tiling, softmaxShapeInfo, {"LogSoftMax", sharedTmpBuffer, site}, site);
}

}  // namespace AscendC
