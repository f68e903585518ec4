// SPDX-License-Identifier: Apache-2.0
// Welford's mean and variance in pieces.
#pragma once

#include "kernels/ascendc/ascendc/adv/row_values.h"

namespace AscendC {

struct WelfordUpdateConfig {
    bool isInplace = false;
};

struct WelfordUpdateParam {
    uint32_t rnLength = 1;
    uint32_t abLength = 0;
    uint32_t abComputeLength = 0;
    float nRec = 0;
};

struct WelfordFinalizeConfig {
    bool isCorrection = false;
};

struct WelfordFinalizePara {
    uint32_t rnLength = 1;
    uint32_t abLength = 0;
    uint32_t headCount = 0;
    uint32_t headCountLength = 0;
    uint32_t tailCount = 0;
    uint32_t tailCountLength = 0;
    float abRec = 0;
    float rRec = 0;
    float rRecWithCorrection = 0;
};

inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

namespace adv {

/// mean' = mean + (x - mean) / i, m' = m + (x - mean)(x - mean'), element by element. Behind abComputeLength,
/// results are their sources if `in_place`, and not written if not.
template <typename T>
inline void Welford(const Floats& out_mean,
                    const Floats& out_m,
                    const Floats& mean,
                    const Floats& m,
                    const LocalTensor<T>& x,
                    const WelfordUpdateParam& para,
                    bool in_place,
                    Scratch scratch,
                    Site site) {
    if constexpr (has_vector_unit) {
        constexpr bool narrow = !std::is_same_v<T, float>;
        const uint32_t count = para.abComputeLength;
        const uint32_t share = scratch.Share(narrow ? 3 : 2, count);
        const Floats old = scratch.Take<float>(share);
        const Floats part = scratch.Take<float>(share);
        const Floats wide = narrow ? scratch.Take<float>(share) : part;
        if (in_place && para.abLength > count) {
            const FloatSteps all(para.abLength, site);  // the rest may begin within a block
            all.copy(out_mean, mean);
            all.copy(out_m, m);
        }
        for (uint32_t at = 0; at < count; at += share) {
            const FloatSteps v(count - at < share ? count - at : share, site);
            Floats from = wide;
            if constexpr (narrow) {
                v.cast(wide, x[at]);
            } else {
                from = x[at];
            }
            v.sub(old, from, mean[at]);
            v.muls(part, old, para.nRec);
            v.add(out_mean[at], part, mean[at]);
            v.sub(part, from, out_mean[at]);
            v.mul(part, part, old);
            v.add(out_m[at], part, m[at]);
        }
    }
}

/// mean = sum(count_i mean_i) / n; variance = (sum(m_i) + sum(count_i (mean_i - mean)^2)) / n, or / (n - 1).
/// counts: of the head and the tail of the columns, or one per column.
inline void WelfordTotal(const Floats& out_mean,
                         const Floats& out_variance,
                         const Floats& mean,
                         const Floats& m,
                         const LocalTensor<int32_t>* counts,
                         const WelfordFinalizePara& para,
                         float variance_factor,
                         Scratch scratch,
                         Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t n = para.abLength;
        const Floats weight = scratch.Take<float>(n);
        const Floats part = scratch.Take<float>(n);
        const Floats fold = scratch.Take<float>(FoldSize(1, n));
        const Floats value = scratch.Take<float>(8);
        const Floats block = scratch.Take<float>(64);
        const FloatSteps v(n, site);
        const FloatSteps one(1, site);
        const Rows row{part, 1, n, n};
        if (counts != nullptr) {
            v.cast(weight, *counts);
        } else if (para.tailCountLength == 0) {
            v.fill(weight, static_cast<float>(para.headCount));
        } else {
            // Head and tail meet anywhere, so the head overwrites a vector full of the tail's count.
            v.fill(weight, static_cast<float>(para.tailCount));
            FloatSteps(para.headCountLength, site).fill(weight, static_cast<float>(para.headCount));
        }
        v.mul(part, mean, weight);
        v.muls(part, part, para.rRec);
        ReduceRows(RowOp::add, value, row, fold, site);
        one.copy(out_mean, value);
        Spread(block, value, 1, site);
        Rows centred = row;
        ApplyBlocks(RowOp::sub, centred, {mean, 1, n, n}, block, site);
        v.mul(part, part, part);
        v.mul(part, part, weight);
        v.add(part, part, m);
        v.muls(part, part, variance_factor);
        ReduceRows(RowOp::add, value, row, fold, site);
        one.copy(out_variance, value);
    }
}

}  // namespace adv

/// Takes in one more piece of [1, abLength].
template <typename T,
          typename U,
          bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean,
                          const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean,
                          const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const WelfordUpdateParam& para,
                          Site site = Site::here()) {
    const adv::Scratch scratch("WelfordUpdate", sharedTmpBuffer, site);
    adv::Welford(
        outputMean, outputVariance, inputMean, inputVariance, inputX, para, config.isInplace, scratch, site);
}

template <typename T,
          typename U,
          bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean,
                          const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean,
                          const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX,
                          const WelfordUpdateParam& para,
                          Site site = Site::here()) {
    const adv::Scratch scratch("WelfordUpdate", site);
    adv::Welford(
        outputMean, outputVariance, inputMean, inputVariance, inputX, para, config.isInplace, scratch, site);
}

/// Mean and variance of everything, from those of the columns.
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const WelfordFinalizePara& para,
                            Site site = Site::here()) {
    const float factor = config.isCorrection ? para.rRecWithCorrection : para.rRec;
    const adv::Scratch scratch("WelfordFinalize", sharedTmpBuffer, site);
    adv::WelfordTotal(
        outputMean, outputVariance, inputMean, inputVariance, nullptr, para, factor, scratch, site);
}

template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const WelfordFinalizePara& para,
                            Site site = Site::here()) {
    const float factor = config.isCorrection ? para.rRecWithCorrection : para.rRec;
    const adv::Scratch scratch("WelfordFinalize", sharedTmpBuffer, site);
    adv::WelfordTotal(
        outputMean, outputVariance, inputMean, inputVariance, &counts, para, factor, scratch, site);
}

template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const WelfordFinalizePara& para,
                            Site site = Site::here()) {
    const float factor = config.isCorrection ? para.rRecWithCorrection : para.rRec;
    const adv::Scratch scratch("WelfordFinalize", site);
    adv::WelfordTotal(
        outputMean, outputVariance, inputMean, inputVariance, nullptr, para, factor, scratch, site);
}

template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
inline void WelfordFinalize(const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean,
                            const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts,
                            const WelfordFinalizePara& para,
                            Site site = Site::here()) {
    const float factor = config.isCorrection ? para.rRecWithCorrection : para.rRec;
    const adv::Scratch scratch("WelfordFinalize", site);
    adv::WelfordTotal(
        outputMean, outputVariance, inputMean, inputVariance, &counts, para, factor, scratch, site);
}

}  // namespace AscendC
