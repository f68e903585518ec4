// SPDX-License-Identifier: Apache-2.0
// What the normalisations share: per row mean and variance, then (x - mean) / sqrt(variance + epsilon) gamma
// + beta.
#pragma once

#include "kernels/ascendc/ascendc/adv/row_values.h"
#include "kernels/ascendc/kernel_tiling/adv_tiling.h"

namespace AscendC::adv {

/// Operands of a normalisation; a null pointer is left out. T is the data's type, U that of gamma and beta, S
/// that of the values per row.
template <typename T, typename U, typename S>
struct NormCall {
    const LocalTensor<T>* dst = nullptr;
    const LocalTensor<T>* src = nullptr;
    const LocalTensor<T>* residual = nullptr;  // x = alpha src + residual
    const LocalTensor<U>* gamma = nullptr;
    const LocalTensor<U>* beta = nullptr;
    const LocalTensor<S>* mean = nullptr;
    const LocalTensor<S>* variance = nullptr;
    const LocalTensor<S>* rstd = nullptr;
    const LocalTensor<S>* given_mean = nullptr;  // instead of computing them
    const LocalTensor<S>* given_variance = nullptr;
    float epsilon = 0;
    float alpha = 1;
    bool subtract_mean = true;
};

/// gamma or beta as floats: itself, or widened once into `space`.
template <typename U>
inline Floats CommonRow(const LocalTensor<U>* row, Scratch& scratch, uint32_t width, Site site) {
    if (row == nullptr) {
        return {};
    }
    if constexpr (std::is_same_v<U, float>) {
        return *row;
    } else {
        const Floats wide = scratch.Take<float>(width);
        FloatSteps(width, site).cast(wide, *row);
        return wide;
    }
}

template <typename T, typename U, typename S>
inline void NormGroup(const NormCall<T, U, S>& call,
                      const RowSpace& space,
                      const Rows& shape,
                      uint32_t first,
                      const Floats& gamma,
                      const Floats& beta,
                      Site site) {
    const Floats &mean = space.values[0], &variance = space.values[1], &rstd = space.values[2],
                 &spare = space.values[3];
    const FloatSteps v(shape.rows, site);
    const FloatSteps all(shape.Elements(), site);
    const float share = 1.0F / static_cast<float>(shape.width);
    const auto store = [&](const LocalTensor<S>* to, const Floats& values) {
        if (to != nullptr) {
            StoreValues(*to, values, first, shape.rows, true, space.block, spare, site);
        }
    };
    Rows x = LoadRows(*call.src, shape, first, space.wide[1], site);
    Rows y = WorkRows(*call.dst, shape, first, space.wide[1]);
    Rows square = shape;
    square.data = space.wide[0];
    if (call.residual != nullptr) {
        const Rows other = LoadRows(*call.residual, shape, first, space.wide[0], site);
        all.muls(y.data, x.data, call.alpha);
        all.add(y.data, y.data, other.data);
        x = y;
    }
    if (call.subtract_mean) {
        if (call.given_mean != nullptr) {
            LoadValues(mean, *call.given_mean, first, shape.rows, true, spare, site);
        } else {
            ReduceRows(RowOp::add, mean, x, space.fold, site);
            v.muls(mean, mean, share);
        }
        Spread(space.block, mean, shape.rows, site);
        ApplyBlocks(RowOp::sub, y.WithPadding(), x.WithPadding(), space.block, site);
        x = y;
    }
    if (call.given_variance != nullptr) {
        LoadValues(variance, *call.given_variance, first, shape.rows, true, spare, site);
    } else {
        all.mul(square.data, x.data, x.data);
        ReduceRows(RowOp::add, variance, square, space.fold, site);
        v.muls(variance, variance, share);
    }
    v.adds(rstd, variance, call.epsilon);
    v.sqrt(rstd, rstd);
    v.reciprocal(rstd, rstd);
    Spread(space.block, rstd, shape.rows, site);
    ApplyBlocks(RowOp::mul, y.WithPadding(), x.WithPadding(), space.block, site);
    if (call.gamma != nullptr) {
        ApplyRow(RowOp::mul, y, y, gamma, site);
    }
    if (call.beta != nullptr) {
        ApplyRow(RowOp::add, y, y, beta, site);
    }
    StoreRows(*call.dst, y, first, site);
    store(call.mean, mean);
    store(call.variance, variance);
    store(call.rstd, rstd);
}

template <typename T, typename U, typename S>
inline void Norm(const NormCall<T, U, S>& call, const Rows& all, Scratch scratch, Site site) {
    if constexpr (has_vector_unit) {
        const Floats gamma = CommonRow(call.gamma, scratch, all.stride, site);
        const Floats beta = CommonRow(call.beta, scratch, all.stride, site);
        const RowSpace space(scratch, all.rows, all.width, all.stride, 4, std::is_same_v<T, float> ? 1 : 2);
        Rows shape = all;
        for (uint32_t first = 0; first < all.rows; first += space.rows) {
            shape.rows = all.rows - first < space.rows ? all.rows - first : space.rows;
            NormGroup(call, space, shape, first, gamma, beta, site);
        }
    }
}

/// Rows of B x S rows of H elements, of which the tiling's original length counts.
template <class Tiling>
inline Rows NormRows(const Tiling& tiling) {
    const uint32_t width = tiling.originalHLength == 0 ? tiling.hLength : tiling.originalHLength;
    return {{}, tiling.bLength * tiling.sLength, tiling.hLength, width};
}

}  // namespace AscendC::adv
