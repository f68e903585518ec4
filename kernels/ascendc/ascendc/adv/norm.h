// SPDX-License-Identifier: Apache-2.0
// Normalisations of rows: LayerNorm in both forms, RmsNorm, DeepNorm, Normalize.
#pragma once

#include "kernels/ascendc/ascendc/adv/norm_rows.h"
#include "kernels/ascendc/ascendc/adv/reduce_pattern.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};

struct LayerNormPara {
    uint32_t aLength = 0;
    uint32_t rLength = 0;
    uint32_t rLengthWithPadding = 0;
};

inline constexpr LayerNormConfig LNCFG_NORM{};
inline constexpr LayerNormConfig LNCFG_NOBETA{true, false, false, true};
inline constexpr LayerNormConfig LNCFG_NOGAMMA{false, true, false, true};
inline constexpr LayerNormConfig LNCFG_ONLYOUTPUT{false, false, true, true};

constexpr LayerNormConfig GetLayerNormNormalConfig() {
    return {};
}

struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};

struct NormalizePara {
    uint32_t aLength = 0;
    uint32_t rLength = 0;
    uint32_t rLengthWithPadding = 0;
};

inline constexpr NormalizeConfig NLCFG_NORM{};
inline constexpr NormalizeConfig NLCFG_NOBETA{ReducePattern::AR, -1, true, false, false};
inline constexpr NormalizeConfig NLCFG_NOGAMMA{ReducePattern::AR, -1, false, true, false};
inline constexpr NormalizeConfig NLCFG_ONLYOUTPUT{ReducePattern::AR, -1, false, false, true};

/// Rows of [B, S, H] with one mean and variance each, [B, S].
template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const T epsilon,
                      const LayerNormTiling& tiling,
                      Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = &gamma;
    call.beta = &beta;
    call.mean = &outputMean;
    call.variance = &outputVariance;
    call.epsilon = static_cast<float>(epsilon);
    adv::Norm(call, adv::NormRows(tiling), {"LayerNorm", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const T epsilon,
                      const LayerNormTiling& tiling,
                      Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = &gamma;
    call.beta = &beta;
    call.mean = &outputMean;
    call.variance = &outputVariance;
    call.epsilon = static_cast<float>(epsilon);
    adv::Norm(call, adv::NormRows(tiling), {"LayerNorm", site}, site);
}

/// Rows of [A, R] with mean, and reciprocal of the deviation or variance, [A].
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output,
                      const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta,
                      const float epsilon,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const LayerNormPara& para,
                      const LayerNormSeparateTiling&,
                      Site site = Site::here()) {
    adv::NormCall<T, U, float> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = config.isNoGamma ? nullptr : &gamma;
    call.beta = config.isNoBeta ? nullptr : &beta;
    call.mean = config.isOnlyOutput ? nullptr : &outputMean;
    (config.isOutputRstd ? call.rstd : call.variance) = config.isOnlyOutput ? nullptr : &outputRstd;
    call.epsilon = epsilon;
    const adv::Rows rows{{}, para.aLength, para.rLengthWithPadding, para.rLength};
    adv::Norm(call, rows, {"LayerNorm", sharedTmpBuffer, site}, site);
}

template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output,
                      const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta,
                      const float epsilon,
                      const LayerNormPara& para,
                      const LayerNormSeparateTiling&,
                      Site site = Site::here()) {
    adv::NormCall<T, U, float> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = config.isNoGamma ? nullptr : &gamma;
    call.beta = config.isNoBeta ? nullptr : &beta;
    call.mean = config.isOnlyOutput ? nullptr : &outputMean;
    (config.isOutputRstd ? call.rstd : call.variance) = config.isOnlyOutput ? nullptr : &outputRstd;
    call.epsilon = epsilon;
    const adv::Rows rows{{}, para.aLength, para.rLengthWithPadding, para.rLength};
    adv::Norm(call, rows, {"LayerNorm", site}, site);
}

/// x / sqrt(mean(x^2) + epsilon) gamma per row of [B, S, H].
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<T>& gamma,
                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const T epsilon,
                    const RmsNormTiling& tiling,
                    Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.gamma = &gamma;
    call.epsilon = static_cast<float>(epsilon);
    call.subtract_mean = false;
    adv::Norm(call, adv::NormRows(tiling), {"RmsNorm", sharedTmpBuffer, site}, site);
}

template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const LocalTensor<T>& gamma,
                    const T epsilon,
                    const RmsNormTiling& tiling,
                    Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.gamma = &gamma;
    call.epsilon = static_cast<float>(epsilon);
    call.subtract_mean = false;
    adv::Norm(call, adv::NormRows(tiling), {"RmsNorm", site}, site);
}

/// LayerNorm(alpha src + gx).
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dst,
                     const LocalTensor<T>& mean,
                     const LocalTensor<T>& rstd,
                     const LocalTensor<T>& src,
                     const LocalTensor<T>& gx,
                     const LocalTensor<T>& beta,
                     const LocalTensor<T>& gamma,
                     const LocalTensor<uint8_t>& sharedTmpBuffer,
                     const T alpha,
                     const T epsilon,
                     const DeepNormTiling& tiling,
                     Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.residual = &gx;
    call.gamma = &gamma;
    call.beta = &beta;
    call.mean = &mean;
    call.rstd = &rstd;
    call.alpha = static_cast<float>(alpha);
    call.epsilon = static_cast<float>(epsilon);
    adv::Norm(call, adv::NormRows(tiling), {"DeepNorm", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dst,
                     const LocalTensor<T>& mean,
                     const LocalTensor<T>& rstd,
                     const LocalTensor<T>& src,
                     const LocalTensor<T>& gx,
                     const LocalTensor<T>& beta,
                     const LocalTensor<T>& gamma,
                     const T alpha,
                     const T epsilon,
                     const DeepNormTiling& tiling,
                     Site site = Site::here()) {
    adv::NormCall<T, T, T> call;
    call.dst = &dst;
    call.src = &src;
    call.residual = &gx;
    call.gamma = &gamma;
    call.beta = &beta;
    call.mean = &mean;
    call.rstd = &rstd;
    call.alpha = static_cast<float>(alpha);
    call.epsilon = static_cast<float>(epsilon);
    adv::Norm(call, adv::NormRows(tiling), {"DeepNorm", site}, site);
}

/// LayerNorm of [A, R] with mean and variance given.
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output,
                      const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean,
                      const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const float epsilon,
                      const NormalizePara& para,
                      Site site = Site::here()) {
    adv::NormCall<T, U, float> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = config.isNoGamma ? nullptr : &gamma;
    call.beta = config.isNoBeta ? nullptr : &beta;
    call.given_mean = &inputMean;
    call.given_variance = &inputVariance;
    call.rstd = config.isOnlyOutput ? nullptr : &outputRstd;
    call.epsilon = epsilon;
    const adv::Rows rows{{}, para.aLength, para.rLengthWithPadding, para.rLength};
    adv::Norm(call, rows, {"Normalize", sharedTmpBuffer, site}, site);
}

template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output,
                      const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean,
                      const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta,
                      const float epsilon,
                      const NormalizePara& para,
                      Site site = Site::here()) {
    adv::NormCall<T, U, float> call;
    call.dst = &output;
    call.src = &inputX;
    call.gamma = config.isNoGamma ? nullptr : &gamma;
    call.beta = config.isNoBeta ? nullptr : &beta;
    call.given_mean = &inputMean;
    call.given_variance = &inputVariance;
    call.rstd = config.isOnlyOutput ? nullptr : &outputRstd;
    call.epsilon = epsilon;
    const adv::Rows rows{{}, para.aLength, para.rLengthWithPadding, para.rLength};
    adv::Norm(call, rows, {"Normalize", site}, site);
}

}  // namespace AscendC
