// SPDX-License-Identifier: Apache-2.0
// Normalisations across rows: BatchNorm over the first axis, GroupNorm over groups of channels.
#pragma once

#include "kernels/ascendc/ascendc/adv/norm_rows.h"

namespace AscendC {

namespace adv {

/// Tensors of one data type, all of them needed.
template <typename T>
struct GroupCall {
    const LocalTensor<T>& dst;
    const LocalTensor<T>& mean;
    const LocalTensor<T>& variance;
    const LocalTensor<T>& src;
    const LocalTensor<T>& gamma;
    const LocalTensor<T>& beta;
    float epsilon;
};

/// A row of the caller in float: itself or widened.
template <typename T>
inline Floats RowAsFloat(const LocalTensor<T>& row, const Floats& wide, uint32_t n, Site site) {
    if constexpr (std::is_same_v<T, float>) {
        return row;
    } else {
        FloatSteps(n, site).cast(wide, row);
        return wide;
    }
}

template <typename T>
inline void StoreRow(const LocalTensor<T>& to, const Floats& from, uint32_t n, Site site) {
    if constexpr (std::is_same_v<T, float>) {
        FloatSteps(n, site).copy(to, from);
    } else {
        Cast(to, from, RoundMode::CAST_RINT, n, site);
        PipeBarrier<PIPE_V>(site);
    }
}

/// x[B, SH]: mean and variance of each column; gamma and beta per row.
template <typename T>
inline void BatchNormCall(
    const GroupCall<T>& call, uint32_t batch, uint32_t width, Scratch scratch, Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t round = (batch + 7U) / 8U * 8U;
        const Floats gamma = CommonRow(&call.gamma, scratch, round, site);
        const Floats beta = CommonRow(&call.beta, scratch, round, site);
        const Floats gammas = scratch.Take<float>(8U * round);
        const Floats betas = scratch.Take<float>(8U * round);
        Spread(gammas, gamma, batch, site);
        Spread(betas, beta, batch, site);
        const Floats mean = scratch.Take<float>(width);
        const Floats variance = scratch.Take<float>(width);
        const Floats work = scratch.Take<float>(width);
        const Floats wide = scratch.Take<float>(std::is_same_v<T, float> ? 8U : width);
        const FloatSteps v(width, site);
        const float share = 1.0F / static_cast<float>(batch);
        const auto each = [&](auto step) {
            for (uint32_t row = 0; row < batch; ++row) {
                step(row, RowAsFloat(call.src[row * width], wide, width, site));
            }
        };
        v.fill(mean, 0.0F);
        each([&](uint32_t, const Floats& x) { v.add(mean, mean, x); });
        v.muls(mean, mean, share);
        v.fill(variance, 0.0F);
        each([&](uint32_t, const Floats& x) {
            v.sub(work, x, mean);
            v.mul(work, work, work);
            v.add(variance, variance, work);
        });
        v.muls(variance, variance, share);
        StoreRow(call.mean, mean, width, site);
        StoreRow(call.variance, variance, width, site);
        v.adds(variance, variance, call.epsilon);
        v.sqrt(variance, variance);
        each([&](uint32_t row, const Floats& x) {
            const Rows one{work, 1, width, width};
            v.sub(work, x, mean);
            v.div(work, work, variance);
            ApplyBlocks(RowOp::mul, one, one, gammas[row * 8U], site);
            ApplyBlocks(RowOp::add, one, one, betas[row * 8U], site);
            StoreRow(call.dst[row * width], work, width, site);
        });
    }
}

/// The part of one group: rows are its channels.
template <typename T>
inline void GroupNormGroup(const GroupCall<T>& call,
                           const Rows& shape,
                           uint32_t first,
                           const Floats& gammas,
                           const Floats& betas,
                           const RowSpace& space,
                           const Floats& result,
                           Site site) {
    const Floats &sums = space.values[0], &value = space.values[1];
    const FloatSteps one(1, site);
    const float share = 1.0F / static_cast<float>(shape.rows * shape.width);
    const Rows x = LoadRows(call.src, shape, first, space.wide[1], site);
    Rows y = shape;
    y.data = space.wide[0];
    Rows square = shape;
    square.data = space.wide[2];
    const auto total = [&](const Rows& rows) {
        ReduceRows(RowOp::add, sums, rows, space.fold, site);
        ReduceLongRow(RowOp::add, value, sums, shape.rows, space.fold, site);
        one.muls(value, value, share);
    };
    total(x);
    one.copy(result, value);
    Spread(space.block, value, 1, site);
    ApplyBlocks(RowOp::sub, y.WithPadding(), x.WithPadding(), space.block, site, 0);
    FloatSteps(y.Elements(), site).mul(square.data, y.data, y.data);
    total(square);
    one.copy(result[8], value);
    one.adds(value, value, call.epsilon);
    one.sqrt(value, value);
    Spread(space.block, value, 1, site);
    ApplyBlocks(RowOp::div, y.WithPadding(), y.WithPadding(), space.block, site, 0);
    ApplyBlocks(RowOp::mul, y.WithPadding(), y.WithPadding(), gammas, site);
    ApplyBlocks(RowOp::add, y.WithPadding(), y.WithPadding(), betas, site);
    StoreRow(call.dst[first * shape.stride], y.data, y.Elements(), site);
}

/// x[N, C, HW] in groups of C / groups channels. Each group is worked on as a whole.
template <typename T>
inline void GroupNormCall(const GroupCall<T>& call,
                          const GroupNormTiling& tiling,
                          Scratch scratch,
                          Site site) {
    if constexpr (has_vector_unit) {
        const uint32_t channels = tiling.c;
        const uint32_t depth = channels / tiling.g;
        const uint32_t round = (channels + 7U) / 8U * 8U;
        const Floats gamma = CommonRow(&call.gamma, scratch, round, site);
        const Floats beta = CommonRow(&call.beta, scratch, round, site);
        const Floats gammas = scratch.Take<float>(8U * round);
        const Floats betas = scratch.Take<float>(8U * round);
        Spread(gammas, gamma, channels, site);
        Spread(betas, beta, channels, site);
        const Floats result = scratch.Take<float>(16);
        const Rows shape{{}, depth, tiling.hwAlignSize, tiling.hw};
        const RowSpace space(scratch, depth, shape.width, shape.stride, 2, 3);
        if (space.rows < depth) {
            scratch.Refuse(depth * shape.stride * 12U);
        }
        const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
        for (uint32_t group = 0; group < tiling.n * tiling.g; ++group) {
            const uint32_t in_image = group % tiling.g;
            GroupNormGroup(call,
                           shape,
                           group * depth,
                           gammas[in_image * depth * 8U],
                           betas[in_image * depth * 8U],
                           space,
                           result,
                           site);
            SetFlag<HardEvent::V_S>(read, site);
            WaitFlag<HardEvent::V_S>(read, site);
            call.mean.SetValue(group, static_cast<T>(result.GetValue(0, site)), site);
            call.variance.SetValue(group, static_cast<T>(result.GetValue(8, site)), site);
            const int32_t written = GetTPipePtr()->FetchEventID<HardEvent::S_V>();
            SetFlag<HardEvent::S_V>(written, site);
            WaitFlag<HardEvent::S_V>(written, site);
        }
    }
}

}  // namespace adv

/// Normalises x[B, S, H] over B; gamma and beta of B elements.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const T epsilon,
                      const BatchNormTiling& tiling,
                      Site site = Site::here()) {
    const adv::GroupCall<T> call{
        output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon)};
    adv::BatchNormCall(
        call, tiling.originalBLength, tiling.meanVarSize, {"BatchNorm", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const T epsilon,
                      const BatchNormTiling& tiling,
                      Site site = Site::here()) {
    const adv::GroupCall<T> call{
        output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon)};
    adv::BatchNormCall(call, tiling.originalBLength, tiling.meanVarSize, {"BatchNorm", site}, site);
}

/// Normalises x[N, C, H, W] over groups of channels; gamma and beta of C elements.
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const T epsilon,
                      const GroupNormTiling& tiling,
                      Site site = Site::here()) {
    const adv::GroupCall<T> call{
        output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon)};
    adv::GroupNormCall(call, tiling, {"GroupNorm", sharedTmpBuffer, site}, site);
}

template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output,
                      const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance,
                      const LocalTensor<T>& inputX,
                      const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta,
                      const T epsilon,
                      const GroupNormTiling& tiling,
                      Site site = Site::here()) {
    const adv::GroupCall<T> call{
        output, outputMean, outputVariance, inputX, gamma, beta, static_cast<float>(epsilon)};
    adv::GroupNormCall(call, tiling, {"GroupNorm", site}, site);
}

}  // namespace AscendC
