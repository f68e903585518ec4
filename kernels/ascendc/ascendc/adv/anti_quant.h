// SPDX-License-Identifier: Apache-2.0
// From 8-bit and 4-bit weights to floats: (src + offset) scale, per channel or for all.
#pragma once

#include "kernels/ascendc/ascendc/adv/norm_rows.h"

namespace AscendC {

struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

namespace adv {

/// Operands: tensors, or numbers where the tensors are null.
template <typename D>
struct AntiQuant {
    const LocalTensor<D>* offset = nullptr;
    const LocalTensor<D>* scale = nullptr;
    float offset_number = 0;
    float scale_number = 1;
};

/// Integers as floats, through half.
template <typename I>
inline void WidenIntegers(
    const Floats& wide, const LocalTensor<I>& src, const LocalTensor<half>& half_row, uint32_t n, Site site) {
    Cast(half_row, src, RoundMode::CAST_NONE, n, site);
    PipeBarrier<PIPE_V>(site);
    FloatSteps(n, site).cast(wide, half_row);
}

/// dst op= values[column] for all rows, which take whole blocks.
template <class Op>
inline void AlongColumns(const LocalTensor<half>& dst,
                         const LocalTensor<half>& values,
                         uint32_t rows,
                         uint32_t n,
                         const Op& op,
                         Site site) {
    constexpr uint32_t lanes = 128;
    constexpr uint32_t most = 255;  // rows of a call, and blocks from one to the next
    const uint32_t pitch = n / 16U;
    for (uint32_t row = 0; row < rows; row += most) {
        const uint32_t some = rows - row < most ? rows - row : most;
        for (uint32_t at = 0; at < n && pitch <= most; at += lanes) {
            const uint64_t mask = n - at < lanes ? n - at : lanes;
            const LocalTensor<half> on = dst[row * n + at];
            const auto step = static_cast<uint8_t>(pitch);
            op(on,
               on,
               values[at],
               mask,
               static_cast<uint8_t>(some),
               BinaryRepeatParams(1, 1, 1, step, step, 0),
               site);
        }
        for (uint32_t r = row; r < row + some && pitch > most; ++r) {
            op(dst[r * n], dst[r * n], values, static_cast<int32_t>(n), site);
        }
    }
    PipeBarrier<PIPE_V>(site);
}

/// dst op= values[row] for all columns, `blocks` holding each value 16 times.
template <class Op>
inline void AlongRows(const LocalTensor<half>& dst,
                      const LocalTensor<half>& blocks,
                      uint32_t rows,
                      uint32_t k,
                      const Op& op,
                      Site site) {
    constexpr uint32_t lanes = 128;
    const BinaryRepeatParams params(1, 1, 0, 8, 8, 0);
    for (uint32_t row = 0; row < rows; ++row) {
        const LocalTensor<half> on = dst[row * k];
        const LocalTensor<half> value = blocks[row * 16U];
        if (k >= lanes) {
            op(on, on, value, uint64_t{lanes}, static_cast<uint8_t>(k / lanes), params, site);
        }
        if (const uint32_t rest = k % lanes; rest != 0) {
            op(on[k - rest], on[k - rest], value, uint64_t{rest}, uint8_t{1}, params, site);
        }
    }
    PipeBarrier<PIPE_V>(site);
}

/// As AntiQuantCall, of half: computed in half [AscendAntiQuant in the API reference: cast, Add, Mul].
template <bool transposed, typename I>
inline void AntiQuantHalf(const LocalTensor<half>& dst,
                          const LocalTensor<I>& src,
                          const AntiQuant<half>& by,
                          uint32_t k,
                          Scratch scratch,
                          Site site) {
    const uint32_t elements = src.GetSize();
    const uint32_t n = elements / k;
    Cast(dst, src, RoundMode::CAST_NONE, elements, site);
    PipeBarrier<PIPE_V>(site);
    if (by.scale == nullptr) {
        const Steps<half> all(elements, site);
        all.adds(dst, dst, by.offset_number);
        all.muls(dst, dst, by.scale_number);
        return;
    }
    const auto apply = [&](const LocalTensor<half>& values, const auto& op) {
        if constexpr (transposed) {
            const uint32_t eights = (n + 7U) / 8U;
            const auto blocks = scratch.Take<half>(128U * eights);
            Brcb(blocks, values, static_cast<uint8_t>(eights), {1, 8}, site);
            PipeBarrier<PIPE_V>(site);
            AlongRows(dst, blocks, n, k, op, site);
        } else {
            AlongColumns(dst, values, k, n, op, site);
        }
    };
    if (by.offset != nullptr) {
        apply(*by.offset, [](const auto&... operands) { Add(operands...); });
    }
    apply(*by.scale, [](const auto&... operands) { Mul(operands...); });
}

/// src[k, n] with a row of scales and offsets, or, transposed, src[n, k] with one of each per row.
template <bool transposed, typename I, typename D>
inline void AntiQuantCall(const LocalTensor<D>& dst,
                          const LocalTensor<I>& src,
                          const AntiQuant<D>& by,
                          uint32_t k,
                          Scratch scratch,
                          Site site) {
    if constexpr (has_vector_unit && std::is_same_v<D, half>) {
        AntiQuantHalf<transposed>(dst, src, by, k, scratch, site);
    } else if constexpr (has_vector_unit) {
        const uint32_t elements = src.GetSize();
        const bool tensors = by.scale != nullptr;
        const uint32_t n = elements / k;
        const uint32_t width = transposed ? k : n;
        const uint32_t rows = elements / width;
        const uint32_t channels = (n + 7U) / 8U * 8U;
        const Floats scale = CommonRow(by.scale, scratch, channels, site);
        const Floats offset = CommonRow(by.offset, scratch, channels, site);
        const Floats block = scratch.Take<float>(transposed && tensors ? 8U * channels : 8U);
        const Floats offset_block =
            scratch.Take<float>(transposed && by.offset != nullptr ? 8U * channels : 8U);
        if (transposed && tensors) {
            Spread(block, scale, n, site);
            if (by.offset != nullptr) {
                Spread(offset_block, offset, n, site);
            }
        }
        const uint32_t fit = scratch.Room() / (6U * width + 4U);
        const uint32_t share = fit == 0 ? 1U : fit < rows ? fit : rows;
        const Floats wide = scratch.Take<float>(share * width);
        const auto narrow = scratch.Take<half>(share * width);
        for (uint32_t row = 0; row < rows; row += share) {
            const Rows some{wide, rows - row < share ? rows - row : share, width, width};
            const FloatSteps v(some.Elements(), site);
            WidenIntegers(wide, src[row * width], narrow, some.Elements(), site);
            if (!tensors) {
                v.adds(wide, wide, by.offset_number);
                v.muls(wide, wide, by.scale_number);
            } else if (transposed) {
                if (by.offset != nullptr) {
                    ApplyBlocks(RowOp::add, some, some, offset_block[row * 8U], site);
                }
                ApplyBlocks(RowOp::mul, some, some, block[row * 8U], site);
            } else {
                if (by.offset != nullptr) {
                    ApplyRow(RowOp::add, some, some, offset, site);
                }
                ApplyRow(RowOp::mul, some, some, scale, site);
            }
            Cast(dst[row * width], wide, RoundMode::CAST_RINT, some.Elements(), site);
            PipeBarrier<PIPE_V>(site);
        }
    }
}

}  // namespace adv

/// An offset and a scale per channel.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& offset,
                            const LocalTensor<OutputDataType>& scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.offset = &offset;
    by.scale = &scale;
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", sharedTmpBuffer, site}, site);
}

template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& offset,
                            const LocalTensor<OutputDataType>& scale,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.offset = &offset;
    by.scale = &scale;
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", site}, site);
}

/// A scale per channel.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.scale = &scale;
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", sharedTmpBuffer, site}, site);
}

template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& scale,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.scale = &scale;
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", site}, site);
}

/// One offset and one scale.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const OutputDataType offset,
                            const OutputDataType scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.offset_number = static_cast<float>(offset);
    by.scale_number = static_cast<float>(scale);
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", sharedTmpBuffer, site}, site);
}

template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const OutputDataType offset,
                            const OutputDataType scale,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.offset_number = static_cast<float>(offset);
    by.scale_number = static_cast<float>(scale);
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", site}, site);
}

/// One scale.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const OutputDataType scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.scale_number = static_cast<float>(scale);
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", sharedTmpBuffer, site}, site);
}

template <typename InputDataType, typename OutputDataType, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const OutputDataType scale,
                            const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {},
                            Site site = Site::here()) {
    adv::AntiQuant<OutputDataType> by;
    by.scale_number = static_cast<float>(scale);
    adv::AntiQuantCall<isTranspose>(dst, src, by, k, {"AscendAntiQuant", site}, site);
}

}  // namespace AscendC
