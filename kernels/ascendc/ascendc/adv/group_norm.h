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

/// Mean and variance of each column: each(step) calls step(first row, rows of x, rows to work in).
template <class Each>
inline void ColumnStatistics(
    const Floats& mean, const Floats& variance, uint32_t batch, uint32_t width, const Each& each, Site site) {
    const FloatSteps v(width, site);
    const float share = 1.0F / static_cast<float>(batch);
    v.fill(mean, 0.0F);
    each([&](uint32_t, const Rows& x, const Rows&) { AccumulateRows(mean, x, site); });
    v.muls(mean, mean, share);
    v.fill(variance, 0.0F);
    each([&](uint32_t, const Rows& x, const Rows& y) {
        ApplyRow(RowOp::sub, y, x, mean, site);
        FloatSteps(y.Elements(), site).mul(y.data, y.data, y.data);
        AccumulateRows(variance, y, site);
    });
    v.muls(variance, variance, share);
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
        constexpr uint32_t needs = std::is_same_v<T, float> ? 1 : 2;
        const uint32_t fit = scratch.Room() / (4U * needs * width);
        const uint32_t rows = fit == 0 ? 1U : fit < batch ? fit : batch;
        const Floats work = scratch.Take<float>(rows * width);
        const Floats wide = scratch.Take<float>(needs == 1 ? 0U : rows * width);
        const FloatSteps v(width, site);
        const auto each = [&](auto step) {
            for (uint32_t row = 0; row < batch; row += rows) {
                const uint32_t n = batch - row < rows ? batch - row : rows;
                const Rows x{RowAsFloat(call.src[row * width], wide, n * width, site), n, width, width};
                step(row, x, Rows{work, n, width, width});
            }
        };
        ColumnStatistics(mean, variance, batch, width, each, site);
        StoreRow(call.mean, mean, width, site);
        StoreRow(call.variance, variance, width, site);
        v.adds(variance, variance, call.epsilon);
        v.sqrt(variance, variance);
        each([&](uint32_t row, const Rows& x, const Rows& worked) {
            Rows y = worked;
            if constexpr (std::is_same_v<T, float>) {
                y.data = call.dst[row * width];
            }
            ApplyRow(RowOp::sub, y, x, mean, site);
            ApplyRow(RowOp::div, y, y, variance, site);
            ApplyBlocks(RowOp::mul, y, y, gammas[row * 8U], site);
            ApplyBlocks(RowOp::add, y, y, betas[row * 8U], site);
            if constexpr (!std::is_same_v<T, float>) {
                StoreRow(call.dst[row * width], work, y.Elements(), site);
            }
        });
    }
}

/// totals[group] = the sum of its `depth` values. Values of several groups may share a block, so a mask picks
/// them.
inline void SumGroups(const Floats& totals,
                      const Floats& values,
                      uint32_t groups,
                      uint32_t depth,
                      const Floats& fold,
                      Site site) {
    if (groups == 1) {
        ReduceLongRow(RowOp::add, totals, values, depth, fold, site);
        return;
    }
    for (uint32_t group = 0; group < groups; ++group) {
        const uint32_t first = group * depth / 8U * 8U;
        SetVectorMask<float>(0, ((uint64_t{1} << depth) - 1) << (group * depth - first));
        WholeReduceSum<float, false>(totals[group], values[first], 64, 1, 1, 1, 8, site);
    }
    ResetMask();
    PipeBarrier<PIPE_V>(site);
}

/// Rows of channels, `depth` for each group of some of a call's.
struct ChannelGroups {
    Rows rows;
    uint32_t groups;
    uint32_t depth;
    uint32_t first;     // group of the call
    uint32_t channels;  // of an image, before those of the next

    /// Each group as one row.
    [[nodiscard]] Rows Whole(const Floats& data) const {
        return {data, groups, depth * rows.stride, depth * rows.stride};
    }
};

/// d = a op the block of each channel.
inline void ApplyChannels(
    RowOp op, const ChannelGroups& some, const Floats& d, const Floats& a, const Floats& blocks, Site site) {
    const uint32_t stride = some.rows.stride;
    uint32_t channel = some.first * some.depth % some.channels;
    for (uint32_t row = 0; row < some.rows.rows; channel = 0) {
        const uint32_t left = some.rows.rows - row;
        const uint32_t n = some.channels - channel < left ? some.channels - channel : left;
        ApplyBlocks(op,
                    {d[row * stride], n, stride, stride},
                    {a[row * stride], n, stride, stride},
                    blocks[channel * 8U],
                    site);
        row += n;
    }
}

/// Normalises some groups; leaves their means and variances in the second and third values of `space`.
template <typename T>
inline void GroupNormGroups(const GroupCall<T>& call,
                            const ChannelGroups& some,
                            const Floats& gammas,
                            const Floats& betas,
                            const RowSpace& space,
                            Site site) {
    const Floats &sums = space.values[0], &mean = space.values[1], &variance = space.values[2];
    const FloatSteps each(some.groups, site);
    const float share = 1.0F / static_cast<float>(some.depth * some.rows.width);
    const uint32_t first_row = some.first * some.depth;
    const Rows x = LoadRows(call.src, some.rows, first_row, space.wide[1], site);
    const Floats& y = space.wide[0];
    Rows square = some.rows;
    square.data = space.wide[2];
    const auto totals = [&](const Floats& to, const Rows& rows) {
        ReduceRows(RowOp::add, sums, rows, space.fold, site);
        SumGroups(to, sums, some.groups, some.depth, space.fold, site);
        each.muls(to, to, share);
    };
    totals(mean, x);
    Spread(space.block, mean, some.groups, site);
    ApplyBlocks(RowOp::sub, some.Whole(y), some.Whole(x.data), space.block, site);
    FloatSteps(square.Elements(), site).mul(square.data, y, y);
    totals(variance, square);
    each.adds(sums, variance, call.epsilon);
    each.sqrt(sums, sums);
    Spread(space.block, sums, some.groups, site);
    ApplyBlocks(RowOp::div, some.Whole(y), some.Whole(y), space.block, site);
    ApplyChannels(RowOp::mul, some, y, y, gammas, site);
    const Rows result = WorkRows(call.dst, some.rows, first_row, y);
    ApplyChannels(RowOp::add, some, result.data, y, betas, site);
    StoreRows(call.dst, result, first_row, site);
}

/// Means and variances of groups, read and written by the scalar unit.
template <typename T>
inline void StoreGroups(const GroupCall<T>& call,
                        const ChannelGroups& some,
                        const RowSpace& space,
                        Site site) {
    const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
    SetFlag<HardEvent::V_S>(read, site);
    WaitFlag<HardEvent::V_S>(read, site);
    for (uint32_t i = 0; i < some.groups; ++i) {
        call.mean.SetValue(some.first + i, static_cast<T>(space.values[1].GetValue(i, site)), site);
        call.variance.SetValue(some.first + i, static_cast<T>(space.values[2].GetValue(i, site)), site);
    }
    const int32_t written = GetTPipePtr()->FetchEventID<HardEvent::S_V>();
    SetFlag<HardEvent::S_V>(written, site);
    WaitFlag<HardEvent::S_V>(written, site);
}

/// x[N, C, HW] in groups of C / groups channels: as many groups at a time as fit and an instruction can
/// repeat over.
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
        const Rows shape{{}, depth, tiling.hwAlignSize, tiling.hw};
        const uint32_t all = tiling.n * tiling.g;
        // A mask of 64 lanes picks a group's sums from wherever they begin in a block.
        uint32_t groups = depth > 57 ? 1U : all < 248U / depth ? all : 248U / depth;
        while (groups > 1 &&
               RowSpace::Bytes(groups * depth, shape.width, shape.stride, 3, 3) > scratch.Room()) {
            --groups;
        }
        const RowSpace space(scratch, groups * depth, shape.width, shape.stride, 3, 3);
        if (space.rows < groups * depth) {
            scratch.Refuse(depth * shape.stride * 12U);
        }
        for (uint32_t first = 0; first < all; first += groups) {
            ChannelGroups some{shape, all - first < groups ? all - first : groups, depth, first, channels};
            some.rows.rows = some.groups * depth;
            GroupNormGroups(call, some, gammas, betas, space, site);
            StoreGroups(call, some, space, site);
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
