// SPDX-License-Identifier: Apache-2.0
// Broadcast of a column or a row to a matrix, and padding of rows.
#pragma once

#include "kernels/ascendc/ascendc/adv/rows.h"
#include "kernels/ascendc/ascendc/vector/vector_progression.h"
#include "kernels/ascendc/kernel_tiling/adv_tiling.h"

namespace AscendC {

struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};

struct UnPadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};

namespace adv {

/// dst = the first `kept` elements of each of `rows` rows of `stride` elements, without gaps.
template <typename T>
inline void Compact(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    uint32_t rows,
                    uint32_t stride,
                    uint32_t kept,
                    Site site) {
    uint64_t count = 0;
    const auto hop = static_cast<uint16_t>(stride * sizeof(T) / 32U);
    // Pattern 7 takes every element.
    GatherMask(dst, src, uint8_t{7}, true, kept, {1, static_cast<uint16_t>(rows), hop, 0}, count, site);
    ResetMask();
    PipeBarrier<PIPE_V>(site);
}

/// Fills `rows` rows of `width` elements, a multiple of a block, with the blocks of their values.
template <typename T>
inline void FillRows(
    const LocalTensor<T>& dst, const LocalTensor<T>& blocks, uint32_t rows, uint32_t width, Site site) {
    constexpr uint32_t lanes = 256U / sizeof(T);
    Cover<lanes>(rows, width, width, [&](const Stripe<lanes>& at) {
        Copy<T, false>(dst[at.row * width + at.column],
                       blocks[at.row * 32U / sizeof(T)],
                       uint64_t{0},
                       at.Times(),
                       CopyRepeatParams(1, 0, at.template Hop<T>(width), at.down ? 1 : 0),
                       site);
    });
    PipeBarrier<PIPE_V>(site);
}

/// dst[m, k] = src[m, 1]: blocks by Brcb, then copies; rows that are no whole blocks go through padded ones.
template <typename T>
inline void BroadcastColumn(const LocalTensor<T>& dst,
                            const LocalTensor<T>& src,
                            uint32_t m,
                            uint32_t k,
                            Scratch scratch,
                            Site site) {
    constexpr uint32_t block = 32U / sizeof(T);
    const uint32_t padded = (k + block - 1) / block * block;
    uint32_t group = m < 248 ? (m + 7U) / 8U * 8U : 248U;
    const auto bytes = [&](uint32_t rows) {
        return rows * (32U + (padded == k ? 0 : padded * static_cast<uint32_t>(sizeof(T))));
    };
    while (group > 8 && bytes(group) > scratch.Room()) {
        group -= 8;
    }
    const LocalTensor<T> blocks = scratch.template Take<T>(group * block);
    const LocalTensor<T> rows = padded == k ? LocalTensor<T>() : scratch.template Take<T>(group * padded);
    for (uint32_t at = 0; at < m; at += group) {
        const uint32_t n = m - at < group ? m - at : group;
        Brcb(blocks, src[at], static_cast<uint8_t>((n + 7U) / 8U), BrcbRepeatParams(1, 8), site);
        PipeBarrier<PIPE_V>(site);
        if (padded == k) {
            FillRows(dst[at * k], blocks, n, k, site);
        } else {
            FillRows(rows, blocks, n, padded, site);
            Compact(dst[at * k], rows, n, padded, k, site);
        }
    }
}

/// dst[m, k] = src[1, k]: copies whose source stays, or by doubling the rows that are there.
template <typename T>
inline void BroadcastRow(
    const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t m, uint32_t k, Site site) {
    constexpr uint32_t lanes = 256U / sizeof(T);
    if (k * sizeof(T) % 32U == 0) {
        Cover<lanes>(m, k, k, [&](const Stripe<lanes>& at) {
            Copy<T, false>(dst[at.row * k + at.column],
                           src[at.column],
                           uint64_t{0},
                           at.Times(),
                           CopyRepeatParams(1, 1, at.template Hop<T>(k), at.down ? 0 : 8),
                           site);
        });
        PipeBarrier<PIPE_V>(site);
        return;
    }
    DataCopy(dst, src, k, site);
    for (uint32_t done = 1; done < m; done *= 2) {
        PipeBarrier<PIPE_V>(site);
        DataCopy(dst[done * k], dst, (m - done < done ? m - done : done) * k, site);
    }
    PipeBarrier<PIPE_V>(site);
}

template <typename T, int32_t dim, int32_t axis>
inline void BroadcastCall(const LocalTensor<T>& dst,
                          const LocalTensor<T>& src,
                          const uint32_t* to,
                          const uint32_t* from,
                          Scratch scratch,
                          Site site) {
    static_assert(dim == 1 || dim == 2, "Broadcast has one or two dimensions");
    static_assert(axis == 0 || axis == 1, "the axis of Broadcast is 0 or 1");
    if constexpr (has_vector_unit) {
        const uint32_t m = dim == 1 ? 1 : to[0];
        const uint32_t k = to[dim - 1];
        const uint32_t elements = m * k;
        bool same = true;
        for (int32_t i = 0; i < dim; ++i) {
            same = same && to[i] == from[i];
        }
        constexpr bool row = dim == 2 && axis == 0;
        if constexpr (sizeof(T) == 1) {  // bytes as halves, which the instructions can spread
            const uint32_t source = row ? k : m;
            const LocalTensor<half> narrow = scratch.Take<half>((source + 15U) / 16U * 16U);
            const LocalTensor<half> wide = scratch.Take<half>(elements);
            Cast(narrow, src, RoundMode::CAST_NONE, same ? elements : source, site);
            PipeBarrier<PIPE_V>(site);
            BroadcastCall<half, dim, axis>(wide, narrow, to, from, scratch, site);
            Cast(dst, wide, RoundMode::CAST_NONE, elements, site);
            PipeBarrier<PIPE_V>(site);
        } else if (same) {
            DataCopy(dst, src, elements, site);
            PipeBarrier<PIPE_V>(site);
        } else if (row) {
            BroadcastRow(dst, src, m, k, site);
        } else {
            BroadcastColumn(dst, src, m, k, scratch, site);
        }
    }
}

/// Fills the marked elements of one block of every row.
template <typename T>
inline void PadBlocks(
    const LocalTensor<T>& dst, T value, uint64_t* marked, uint32_t rows, uint32_t stride, Site site) {
    if (marked[0] == 0) {
        return;
    }
    const uint32_t hop = stride * static_cast<uint32_t>(sizeof(T)) / 32U;
    const uint32_t most = hop <= most_repeats ? most_repeats : 1U;
    for (uint32_t row = 0; row < rows; row += most) {
        const uint32_t n = rows - row < most ? rows - row : most;
        const auto step = static_cast<uint8_t>(n == 1 ? 8U : hop);
        Duplicate(dst[row * stride], value, marked, static_cast<uint8_t>(n), 1, step, site);
    }
    PipeBarrier<PIPE_V>(site);
}

/// Rows of `width` dense elements with columns before and after them: gathers each row to its place, then
/// fills the rest.
template <typename T>
inline void PadCall(const LocalTensor<T>& dst,
                    const LocalTensor<T>& src,
                    const PadParams& pad,
                    const PadTiling& tiling,
                    Scratch scratch,
                    Site site) {
    if constexpr (has_vector_unit) {
        constexpr uint32_t block = 32U / sizeof(T);
        const bool aligned = tiling.srcWidth % block == 0;
        const uint32_t width = aligned ? tiling.srcWidth - pad.rightPad : tiling.srcWidth;
        const uint32_t out = (tiling.srcWidth + block - 1) / block * block;
        uint64_t first[2]{(uint64_t{1} << pad.leftPad) - 1, 0};
        const uint32_t used = (pad.leftPad + width) % block;
        const uint32_t last = used == 0 ? 0 : block - used < pad.rightPad ? block - used : pad.rightPad;
        uint64_t rest[2]{((uint64_t{1} << last) - 1) << used, 0};
        const T value = static_cast<T>(pad.padValue);
        if (aligned && pad.leftPad == 0) {  // rows stay where they are
            DataCopy(dst, src, tiling.srcHeight * out, site);
            PipeBarrier<PIPE_V>(site);
            PadBlocks(dst[out - block], value, rest, tiling.srcHeight, out, site);
            return;
        }
        const LocalTensor<int32_t> offsets = scratch.Take<int32_t>(out);
        ArithProgression(offsets,
                         -static_cast<int32_t>(pad.leftPad * sizeof(T)),
                         static_cast<int32_t>(sizeof(T)),
                         static_cast<int32_t>(out),
                         site);
        PipeBarrier<PIPE_V>(site);
        Maxs(offsets, offsets, 0, static_cast<int32_t>(out), site);
        PipeBarrier<PIPE_V>(site);
        Mins(
            offsets, offsets, static_cast<int32_t>((width - 1) * sizeof(T)), static_cast<int32_t>(out), site);
        PipeBarrier<PIPE_V>(site);
        for (uint32_t row = 0; row < tiling.srcHeight; ++row) {
            const LocalTensor<T> to = dst[row * out];
            Gather(to,
                   src,
                   offsets.template ReinterpretCast<uint32_t>(),
                   row * tiling.srcWidth * static_cast<uint32_t>(sizeof(T)),
                   out,
                   site);
        }
        PipeBarrier<PIPE_V>(site);
        PadBlocks(dst, value, first, tiling.srcHeight, out, site);
        PadBlocks(dst[out - block], value, rest, tiling.srcHeight, out, site);
    }
}

}  // namespace adv

/// dst of dstShape = src of srcShape, whose axis `axis` is 1.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim],
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      Site site = Site::here()) {
    adv::BroadcastCall<T, dim, axis>(
        dst, src, dstShape, srcShape, {"Broadcast", sharedTmpBuffer, site}, site);
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim],
                      Site site = Site::here()) {
    adv::BroadcastCall<T, dim, axis>(dst, src, dstShape, srcShape, {"Broadcast", site}, site);
}

/// The older spelling.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim],
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      Site site = Site::here()) {
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, sharedTmpBuffer, site);
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dst,
                      const LocalTensor<T>& src,
                      const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim],
                      Site site = Site::here()) {
    Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, site);
}

/// Rows that are no whole blocks become whole blocks; of rows that are, the last rightPad columns are
/// replaced.
template <typename T>
inline void Pad(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const PadParams& padParams,
                const LocalTensor<uint8_t>& sharedTmpBuffer,
                const PadTiling& tiling,
                Site site = Site::here()) {
    adv::PadCall(dst, src, padParams, tiling, {"Pad", sharedTmpBuffer, site}, site);
}

template <typename T>
inline void Pad(const LocalTensor<T>& dst,
                const LocalTensor<T>& src,
                const PadParams& padParams,
                const PadTiling& tiling,
                Site site = Site::here()) {
    adv::PadCall(dst, src, padParams, tiling, {"Pad", site}, site);
}

/// Drops the last rightPad columns of rows of whole blocks.
template <typename T>
inline void UnPad(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const UnPadParams& unPadParams,
                  const UnPadTiling& tiling,
                  Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        adv::Compact(
            dst, src, tiling.srcHeight, tiling.srcWidth, tiling.srcWidth - unPadParams.rightPad, site);
    }
}

template <typename T>
inline void UnPad(const LocalTensor<T>& dst,
                  const LocalTensor<T>& src,
                  const UnPadParams& unPadParams,
                  const LocalTensor<uint8_t>&,
                  const UnPadTiling& tiling,
                  Site site = Site::here()) {
    UnPad(dst, src, unPadParams, tiling, site);
}

}  // namespace AscendC
