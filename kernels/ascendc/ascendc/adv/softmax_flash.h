// SPDX-License-Identifier: Apache-2.0
// Softmax in pieces, for attention.
#pragma once

#include "kernels/ascendc/ascendc/adv/softmax_rows.h"

namespace AscendC {

namespace adv {

/// What a piece reads and writes.
template <typename T, typename U>
inline SoftmaxCall<T, U> FlashCall(const LocalTensor<T>& dst,
                                   const LocalTensor<U>& sum,
                                   const LocalTensor<U>& max,
                                   const LocalTensor<T>& src,
                                   const LocalTensor<T>& exp_max,
                                   const LocalTensor<U>& in_sum,
                                   const LocalTensor<U>& in_max,
                                   bool update,
                                   const LocalTensor<std::type_identity_t<U>>* reduce_max = nullptr) {
    SoftmaxCall<T, U> call;
    call.dst = &dst;
    call.src = &src;
    call.sum = &sum;
    call.max = &max;
    call.exp_max = &exp_max;
    call.reduce_max = reduce_max;
    call.in_sum = &in_sum;
    call.in_max = &in_max;
    call.update = update;
    return call;
}

template <typename T, typename U>
inline void SoftmaxFlash(SoftmaxCall<T, U> call,
                         const SoftMaxTiling& tiling,
                         const SoftMaxShapeInfo& shape,
                         Scratch scratch,
                         Site site) {
    call.normalise = true;
    call.scale_out = true;
    Softmax(call, SoftmaxRows(*call.src, tiling, shape), scratch, site);
}

template <bool fractal, const SoftmaxConfig& config, typename T, typename U>
inline void SoftmaxFlashV2(SoftmaxCall<T, U> call,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& shape,
                           Scratch scratch,
                           Site site) {
    call.dense = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    Softmax(call, SoftmaxRows<fractal>(*call.src, tiling, shape), scratch, site);
}

}  // namespace adv

/// One piece of a softmax in pieces, each normalised; expMax rescales what came before.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dst,
                         const LocalTensor<T>& sum,
                         const LocalTensor<T>& max,
                         const LocalTensor<T>& src,
                         const LocalTensor<T>& expMax,
                         const LocalTensor<T>& inSum,
                         const LocalTensor<T>& inMax,
                         const SoftMaxTiling& tiling,
                         bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         Site site = Site::here()) {
    adv::SoftmaxFlash(adv::FlashCall(dst, sum, max, src, expMax, inSum, inMax, isUpdate),
                      tiling,
                      softmaxShapeInfo,
                      {"SoftmaxFlash", site},
                      site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dst,
                         const LocalTensor<T>& sum,
                         const LocalTensor<T>& max,
                         const LocalTensor<T>& src,
                         const LocalTensor<T>& expMax,
                         const LocalTensor<T>& inSum,
                         const LocalTensor<T>& inMax,
                         const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SoftMaxTiling& tiling,
                         bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         Site site = Site::here()) {
    adv::SoftmaxFlash(adv::FlashCall(dst, sum, max, src, expMax, inSum, inMax, isUpdate),
                      tiling,
                      softmaxShapeInfo,
                      {"SoftmaxFlash", sharedTmpBuffer, site},
                      site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dst,
                         const LocalTensor<float>& sum,
                         const LocalTensor<float>& max,
                         const LocalTensor<half>& src,
                         const LocalTensor<half>& expMax,
                         const LocalTensor<float>& inSum,
                         const LocalTensor<float>& inMax,
                         const SoftMaxTiling& tiling,
                         bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         Site site = Site::here()) {
    adv::SoftmaxFlash(adv::FlashCall(dst, sum, max, src, expMax, inSum, inMax, isUpdate),
                      tiling,
                      softmaxShapeInfo,
                      {"SoftmaxFlash", site},
                      site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<half>& dst,
                         const LocalTensor<float>& sum,
                         const LocalTensor<float>& max,
                         const LocalTensor<half>& src,
                         const LocalTensor<half>& expMax,
                         const LocalTensor<float>& inSum,
                         const LocalTensor<float>& inMax,
                         const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SoftMaxTiling& tiling,
                         bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {},
                         Site site = Site::here()) {
    adv::SoftmaxFlash(adv::FlashCall(dst, sum, max, src, expMax, inSum, inMax, isUpdate),
                      tiling,
                      softmaxShapeInfo,
                      {"SoftmaxFlash", sharedTmpBuffer, site},
                      site);
}

/// One piece of FlashAttention-2: not normalised, expMax = e^(inMax - max).
template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dst,
                           const LocalTensor<T>& expSum,
                           const LocalTensor<T>& max,
                           const LocalTensor<T>& src,
                           const LocalTensor<T>& expMax,
                           const LocalTensor<T>& inExpSum,
                           const LocalTensor<T>& inMax,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", site},
        site);
}

template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dst,
                           const LocalTensor<T>& expSum,
                           const LocalTensor<T>& max,
                           const LocalTensor<T>& src,
                           const LocalTensor<T>& expMax,
                           const LocalTensor<T>& inExpSum,
                           const LocalTensor<T>& inMax,
                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", sharedTmpBuffer, site},
        site);
}

template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dst,
                           const LocalTensor<float>& expSum,
                           const LocalTensor<float>& max,
                           const LocalTensor<half>& src,
                           const LocalTensor<half>& expMax,
                           const LocalTensor<float>& inExpSum,
                           const LocalTensor<float>& inMax,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", site},
        site);
}

template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<half>& dst,
                           const LocalTensor<float>& expSum,
                           const LocalTensor<float>& max,
                           const LocalTensor<half>& src,
                           const LocalTensor<half>& expMax,
                           const LocalTensor<float>& inExpSum,
                           const LocalTensor<float>& inMax,
                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", sharedTmpBuffer, site},
        site);
}

/// The form that also gives the maximum of this piece alone.
template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dst,
                           const LocalTensor<T>& outReduceMax,
                           const LocalTensor<T>& expSum,
                           const LocalTensor<T>& max,
                           const LocalTensor<T>& src,
                           const LocalTensor<T>& expMax,
                           const LocalTensor<T>& inExpSum,
                           const LocalTensor<T>& inMax,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate, &outReduceMax),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", site},
        site);
}

template <typename T,
          bool isUpdate = false,
          bool isReuseSource = false,
          bool isBasicBlock = false,
          bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV2(const LocalTensor<T>& dst,
                           const LocalTensor<T>& outReduceMax,
                           const LocalTensor<T>& expSum,
                           const LocalTensor<T>& max,
                           const LocalTensor<T>& src,
                           const LocalTensor<T>& expMax,
                           const LocalTensor<T>& inExpSum,
                           const LocalTensor<T>& inMax,
                           const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& softmaxShapeInfo = {},
                           Site site = Site::here()) {
    adv::SoftmaxFlashV2<isDataFormatNZ, config>(
        adv::FlashCall(dst, expSum, max, src, expMax, inExpSum, inMax, isUpdate, &outReduceMax),
        tiling,
        softmaxShapeInfo,
        {"SoftmaxFlashV2", sharedTmpBuffer, site},
        site);
}

/// The tiling of SoftmaxFlashV2 for a shape that is known in the kernel.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shapeInfo,
                                                 const uint32_t,
                                                 const uint32_t dataTypeSize2,
                                                 const uint32_t,
                                                 const bool = false,
                                                 const bool = false,
                                                 const bool = false,
                                                 const bool = false) {
    SoftMaxTiling tiling;
    tiling.srcM = tiling.splitM = tiling.reduceM = tiling.outMaxM = shapeInfo.srcM;
    tiling.srcK = tiling.splitK = shapeInfo.srcK;
    tiling.srcSize = tiling.splitSize = shapeInfo.srcM * shapeInfo.srcK;
    tiling.outMaxK = tiling.reduceK = 32U / dataTypeSize2;
    tiling.outMaxSize = tiling.reduceSize = tiling.outMaxK * shapeInfo.srcM;
    tiling.rangeM = 1;
    return tiling;
}

/// The same, by rows and columns.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM,
                                                     const uint32_t srcK,
                                                     const uint32_t dataTypeSize1,
                                                     const uint32_t dataTypeSize2,
                                                     const uint32_t localWorkSpaceSize,
                                                     const bool isUpdate = false,
                                                     const bool isBasicBlock = false,
                                                     const bool isDataFormatNZ = false,
                                                     const bool isFlashOutputBrc = false) {
    return SoftMaxFlashV2TilingFunc(SoftMaxShapeInfo{srcM, srcK, srcM, srcK},
                                    dataTypeSize1,
                                    dataTypeSize2,
                                    localWorkSpaceSize,
                                    isUpdate,
                                    isBasicBlock,
                                    isDataFormatNZ,
                                    isFlashOutputBrc);
}

}  // namespace AscendC
