// SPDX-License-Identifier: Apache-2.0
// What the softmax family shares: per row e^(x - max) and its sum, with running maximum and sum for attention
// in pieces.
#pragma once

#include "kernels/ascendc/ascendc/adv/row_values.h"
#include "kernels/ascendc/kernel_tiling/adv_tiling.h"

namespace AscendC {

/// Rows and columns with padding and without; all 0: as the tiling or the tensor's shape say.
struct SoftMaxShapeInfo {
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

namespace adv {

/// What a call of the family reads and writes; a null pointer is a result that is not asked for.
template <typename T, typename U>
struct SoftmaxCall {
    const LocalTensor<T>* dst = nullptr;
    const LocalTensor<T>* src = nullptr;
    const LocalTensor<U>* sum = nullptr;
    const LocalTensor<U>* max = nullptr;
    const LocalTensor<T>* exp_max = nullptr;
    const LocalTensor<U>* reduce_max = nullptr;
    const LocalTensor<U>* in_sum = nullptr;
    const LocalTensor<U>* in_max = nullptr;
    bool update = false;     // continue from in_sum and in_max
    bool given = false;      // use in_sum and in_max as they are
    bool normalise = false;  // divide by the sum
    bool scale_out = false;  // exp_max is to rescale normalised results: times in_sum / sum
    bool log10 = false;
    bool dense = false;  // values per row without broadcasting
};

/// The rows of a call, from its shape, the config, the tensor or the tiling, in this order; of tensors in NZ
/// order if `fractal`.
template <bool fractal = false, typename T, class Tiling>
inline Rows SoftmaxRows(const LocalTensor<T>& src, const Tiling& tiling, const SoftMaxShapeInfo& info) {
    Rows rows;
    const ShapeInfo shape = src.GetShapeInfo();
    if (info.srcM != 0) {
        rows.rows = info.srcM;
        rows.stride = info.srcK;
        rows.width = info.oriSrcK == 0 ? info.srcK : info.oriSrcK;
    } else if (shape.shapeDim >= 2) {
        rows.rows = 1;
        for (uint8_t i = 0; i + 1 < shape.shapeDim; ++i) {
            rows.rows *= shape.shape[i];
        }
        rows.stride = rows.width = shape.shape[shape.shapeDim - 1];
        if (shape.originalShapeDim == shape.shapeDim) {
            rows.width = shape.originalShape[shape.shapeDim - 1];
        }
    } else {
        rows.rows = tiling.srcM;
        rows.stride = rows.width = tiling.srcK;
    }
    rows.fractal_rows = fractal ? rows.rows : 0;
    return rows;
}

/// Per group of rows, with m, s and e the values of maximum, sum and e^(old maximum - new maximum).
template <typename T, typename U>
inline void SoftmaxGroup(
    const SoftmaxCall<T, U>& call, const RowSpace& space, const Rows& shape, uint32_t first, Site site) {
    const Floats &m = space.values[0], &s = space.values[1], &e = space.values[2], &old = space.values[3],
                 &spare = space.values[4];
    const FloatSteps v(shape.rows, site);
    const auto load = [&](const Floats& values, const LocalTensor<U>& from) {
        LoadValues(values, from, first, shape.rows, call.dense, spare, site);
    };
    const auto store = [&](const auto* to, const Floats& values) {
        if (to != nullptr) {
            StoreValues(*to, values, first, shape.rows, call.dense, space.block, spare, site);
        }
    };
    const Rows x = LoadRows(*call.src, shape, first, space.wide[0], site);
    const Rows y = WorkRows(*call.dst, shape, first, space.wide[0]);
    // Padding columns take part in all but the reductions, so that rows stay dense.
    const Rows all_y = y.WithPadding();
    if (call.given) {
        load(m, *call.in_max);
        load(s, *call.in_sum);
    } else {
        ReduceRows(RowOp::max, m, x, space.fold, site);
    }
    if (call.update) {
        store(call.reduce_max, m);
        load(old, *call.in_max);
        v.max(m, m, old);
        v.sub(e, old, m);
        v.exp(e, e);
    }
    Spread(space.block, m, shape.rows, site);
    ApplyBlocks(RowOp::sub, all_y, x.WithPadding(), space.block, site);
    FloatSteps(y.Elements(), site).exp(y.data, y.data);
    if (!call.given) {
        ReduceRows(RowOp::add, s, y, space.fold, site);
    }
    if (call.update) {
        load(old, *call.in_sum);
        v.mul(old, old, e);
        v.add(s, s, old);
        if (call.scale_out) {
            v.div(e, old, s);
        }
        store(call.exp_max, e);
    }
    store(call.max, m);
    store(call.sum, s);
    if (call.normalise) {
        Spread(space.block, s, shape.rows, site);
        ApplyBlocks(RowOp::div, all_y, all_y, space.block, site);
    }
    if (call.log10) {
        const FloatSteps all(y.Elements(), site);
        all.ln(y.data, y.data);
        all.muls(y.data, y.data, 0.4342944819032518F);
    }
    StoreRows(*call.dst, y, first, site);
}

template <typename T, typename U>
inline void Softmax(const SoftmaxCall<T, U>& call, const Rows& all, Scratch scratch, Site site) {
    if constexpr (has_vector_unit) {
        const RowSpace space(scratch,
                             all.rows,
                             all.width,
                             all.stride,
                             5,
                             std::is_same_v<T, float> && all.fractal_rows == 0 ? 0 : 1);
        Rows shape = all;
        for (uint32_t first = 0; first < all.rows; first += space.rows) {
            shape.rows = all.rows - first < space.rows ? all.rows - first : space.rows;
            SoftmaxGroup(call, space, shape, first, site);
        }
    }
}

}  // namespace adv

}  // namespace AscendC
