// SPDX-License-Identifier: Apache-2.0
// Gradients of LayerNorm.
#pragma once

#include "kernels/ascendc/ascendc/adv/group_norm.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

namespace adv {

template <typename T>
struct NormGradCall {
    const LocalTensor<T>& dx;
    const LocalTensor<T>& for_gamma;
    const LocalTensor<T>& dy;
    const LocalTensor<T>& x;
    const LocalTensor<T>& variance;
    const LocalTensor<T>& mean;
    const LocalTensor<T>& gamma;
    float epsilon;
};

/// With g = dy gamma, r = 1 / sqrt(variance + epsilon) and xhat = (x - mean) r, per row of width H:
/// dx = r (g - mean(g) - xhat mean(g xhat)). This is the documented sum of pd_var, pd_mean and pd_xl put
/// together: the deviations from the mean add up to 0.
template <typename T>
inline void NormGradGroup(const NormGradCall<T>& call,
                          const RowSpace& space,
                          const Rows& shape,
                          uint32_t first,
                          const Floats& gamma,
                          Site site) {
    const Floats &r = space.values[0], &a = space.values[1], &b = space.values[2], &spare = space.values[3];
    const FloatSteps v(shape.rows, site);
    const FloatSteps all(shape.Elements(), site);
    const float share = 1.0F / static_cast<float>(shape.width);
    Rows g = shape;
    g.data = space.wide[0];
    Rows xhat = shape;
    xhat.data = space.wide[1];
    Rows product = shape;
    product.data = space.wide[2];
    const auto spread = [&](const Floats& values) { Spread(space.block, values, shape.rows, site); };
    LoadValues(r, call.variance, first, shape.rows, true, spare, site);
    v.adds(r, r, call.epsilon);
    v.sqrt(r, r);
    v.reciprocal(r, r);
    LoadValues(a, call.mean, first, shape.rows, true, spare, site);
    const Rows x = LoadRows(call.x, shape, first, xhat.data, site);
    spread(a);
    ApplyBlocks(RowOp::sub, xhat.WithPadding(), x.WithPadding(), space.block, site);
    spread(r);
    ApplyBlocks(RowOp::mul, xhat.WithPadding(), xhat.WithPadding(), space.block, site);
    const Rows dy = LoadRows(call.dy, shape, first, g.data, site);
    ApplyRow(RowOp::mul, g.WithPadding(), dy.WithPadding(), gamma, site);
    StoreRow(call.for_gamma[first * shape.stride], xhat.data, shape.Elements(), site);
    all.mul(product.data, g.data, xhat.data);
    ReduceRows(RowOp::add, a, g, space.fold, site);
    ReduceRows(RowOp::add, b, product, space.fold, site);
    v.muls(a, a, share);
    v.muls(b, b, share);
    spread(b);
    ApplyBlocks(RowOp::mul, xhat.WithPadding(), xhat.WithPadding(), space.block, site);
    spread(a);
    ApplyBlocks(RowOp::sub, g.WithPadding(), g.WithPadding(), space.block, site);
    all.sub(g.data, g.data, xhat.data);
    spread(r);
    const Rows dx = WorkRows(call.dx, shape, first, g.data);
    ApplyBlocks(RowOp::mul, dx.WithPadding(), g.WithPadding(), space.block, site);
    StoreRows(call.dx, dx, first, site);
}

template <typename T>
inline void NormGrad(const NormGradCall<T>& call, const Rows& all, Scratch scratch, Site site) {
    if constexpr (has_vector_unit) {
        const Floats gamma = CommonRow(&call.gamma, scratch, all.stride, site);
        const RowSpace space(scratch, all.rows, all.width, all.stride, 4, 3);
        Rows shape = all;
        for (uint32_t first = 0; first < all.rows; first += space.rows) {
            shape.rows = all.rows - first < space.rows ? all.rows - first : space.rows;
            NormGradGroup(call, space, shape, first, gamma, site);
        }
    }
}

/// d gamma = the sum over rows of dy xhat, d beta = that of dy.
template <typename T>
inline void NormGradBeta(const LocalTensor<T>& d_gamma,
                         const LocalTensor<T>& d_beta,
                         const LocalTensor<T>& for_gamma,
                         const LocalTensor<T>& dy,
                         const Rows& all,
                         Scratch scratch,
                         Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t width = all.stride;
        const Floats gamma = scratch.Take<float>(width);
        const Floats beta = scratch.Take<float>(width);
        constexpr uint32_t needs = std::is_same_v<T, float> ? 1 : 2;
        const uint32_t fit = scratch.Room() / (4U * needs * width);
        const uint32_t share = fit == 0 ? 1U : fit < all.rows ? fit : all.rows;
        const Floats work = scratch.Take<float>(share * width);
        const Floats wide = scratch.Take<float>(needs == 1 ? 0U : share * width);
        const FloatSteps v(width, site);
        v.fill(gamma, 0.0F);
        v.fill(beta, 0.0F);
        for (uint32_t row = 0; row < all.rows; row += share) {
            const uint32_t rows = all.rows - row < share ? all.rows - row : share;
            const uint32_t n = rows * width;
            const Floats x = RowAsFloat(dy[row * width], work, n, site);
            AccumulateRows(beta, {x, rows, width, width}, site);
            FloatSteps(n, site).mul(work, x, RowAsFloat(for_gamma[row * width], wide, n, site));
            AccumulateRows(gamma, {work, rows, width, width}, site);
        }
        StoreRow(d_gamma, gamma, width, site);
        StoreRow(d_beta, beta, width, site);
    }
}

}  // namespace adv

/// The gradient of x, and xhat for LayerNormGradBeta.
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX,
                          const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy,
                          const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance,
                          const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma,
                          const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const T epsilon,
                          const LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {},
                          Site site = Site::here()) {
    const adv::NormGradCall<T> call{outputPdX,
                                    resForGamma,
                                    inputDy,
                                    inputX,
                                    inputVariance,
                                    inputMean,
                                    inputGamma,
                                    static_cast<float>(epsilon)};
    adv::NormGrad(call, adv::NormRows(tiling), {"LayerNormGrad", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX,
                          const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy,
                          const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance,
                          const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma,
                          const T epsilon,
                          const LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {},
                          Site site = Site::here()) {
    const adv::NormGradCall<T> call{outputPdX,
                                    resForGamma,
                                    inputDy,
                                    inputX,
                                    inputVariance,
                                    inputMean,
                                    inputGamma,
                                    static_cast<float>(epsilon)};
    adv::NormGrad(call, adv::NormRows(tiling), {"LayerNormGrad", site}, site);
}

/// The gradients of gamma and beta.
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                              const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma,
                              const LocalTensor<T>& inputDy,
                              const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const LayerNormGradBetaTiling& tiling,
                              Site site = Site::here()) {
    adv::NormGradBeta(outputPdGamma,
                      outputPdBeta,
                      resForGamma,
                      inputDy,
                      adv::NormRows(tiling),
                      {"LayerNormGradBeta", sharedTmpBuffer, site},
                      site);
}

template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma,
                              const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma,
                              const LocalTensor<T>& inputDy,
                              const LayerNormGradBetaTiling& tiling,
                              Site site = Site::here()) {
    adv::NormGradBeta(outputPdGamma,
                      outputPdBeta,
                      resForGamma,
                      inputDy,
                      adv::NormRows(tiling),
                      {"LayerNormGradBeta", site},
                      site);
}

}  // namespace AscendC
