// SPDX-License-Identifier: Apache-2.0
// The vector cores' program of weight_quant_matmul.cpp: each widens half the rows of a piece.
//
//   W --mte2--> UB int8 --> half, + offset --> (bfloat16: float), * scale --> T --mte3--> workspace
//
// int8 and offsets of up to 8 bits are exact in half.
#pragma once

#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_steps.h"

namespace weight_quant {

template <typename T>
class VectorProgram {
public:
    __aicore__ inline VectorProgram(
        GM_ADDR w, GM_ADDR scale, GM_ADDR offset, GM_ADDR workspace, const Tiling& tiling)
        : t_(tiling) {
        w_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(w));
        scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale));
        offset_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(offset));
        workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(workspace));
        const uint32_t most = t_.depth / 2 * t_.base_n;
        uint32_t at = 0;
        for (uint32_t i = 0; i < 2; ++i) {
            narrow_[i] = Take<int8_t>(at, most);
            wide_[i] = Take<T>(at, most);
        }
        sums_ = Take<float>(at, most);
        scales_ = Take<float>(at, t_.base_n);
        offsets_ = Take<float>(at, t_.base_n);
        half_scales_ = Take<half>(at, t_.base_n);
        half_offsets_ = Take<half>(at, t_.base_n);
    }

    __aicore__ inline void Run() {
        for (int32_t i = 0; i < 2; ++i) {
            SetFlag<HardEvent::V_MTE2>(i);
            SetFlag<HardEvent::MTE3_V>(i);
        }
        // A copy of columns need not fill its last block, which is computed with.
        Duplicate(scales_, 0.0F, static_cast<int32_t>(t_.base_n));
        Duplicate(offsets_, 0.0F, static_cast<int32_t>(t_.base_n));
        SetFlag<HardEvent::V_MTE2>(columns_event);
        const auto group = static_cast<uint32_t>(GetBlockIdx()) / 2;
        pieces_ = 0;
        ForPieces(t_, group, static_cast<uint32_t>(GetBlockNum()), [this, group](const Piece& piece) {
            Widen(group, piece);
        });
        cube::TakeLastSlots<PIPE_MTE3>(t_.slots, pieces_);
        for (int32_t i = 0; i < 2; ++i) {
            WaitFlag<HardEvent::V_MTE2>(i);
            WaitFlag<HardEvent::MTE3_V>(i);
        }
        WaitFlag<HardEvent::V_MTE2>(columns_event);
    }

private:
    static constexpr int32_t columns_event = 2;  // scales and offsets

    template <typename U>
    __aicore__ inline static LocalTensor<U> Take(uint32_t& at, uint32_t elements) {
        LocalTensor<U> tensor(TPosition::VECCALC, at, elements);
        at += cube::CeilTo(elements * static_cast<uint32_t>(sizeof(U)), 32);
        return tensor;
    }

    __aicore__ inline void Widen(uint32_t group, const Piece& piece) {
        const uint32_t half_rows = cube::Parts(piece.depth, 2);
        const uint32_t first = GetSubBlockIdx() == 0 ? 0 : half_rows;
        const uint32_t rows = GetSubBlockIdx() == 0 ? half_rows : piece.depth - half_rows;
        const uint32_t pitch = Pitch(piece);
        const auto i = static_cast<int32_t>(piece.number % 2);
        if (piece.first) {
            CopyColumns(piece);
        }
        if (piece.number >= t_.slots) {
            CrossCoreWaitFlag<2, PIPE_MTE3>(cube::free_flag);
        }
        if (rows > 0) {
            WaitFlag<HardEvent::V_MTE2>(i);
            DataCopyPad(
                narrow_[i],
                w_[uint64_t{piece.k + first} * t_.n + piece.column],
                DataCopyExtParams(static_cast<uint16_t>(rows), piece.columns, t_.n - piece.columns, 0, 0),
                // (rows, pitch) in UB
                DataCopyPadExtParams<int8_t>(true, 0, static_cast<uint8_t>(pitch - piece.columns), 0));
            SetFlag<HardEvent::MTE2_V>(i);
            WaitFlag<HardEvent::MTE2_V>(i);
            WaitFlag<HardEvent::MTE3_V>(i);
            Convert(i, rows, pitch);
            SetFlag<HardEvent::V_MTE2>(i);
            SetFlag<HardEvent::V_MTE3>(i);
            WaitFlag<HardEvent::V_MTE3>(i);
            // Rows follow each other in the workspace, without a gap.
            DataCopy(
                workspace_[SlotOffset(t_, group, piece) + uint64_t{first} * pitch], wide_[i], rows * pitch);
            SetFlag<HardEvent::MTE3_V>(i);
        }
        CrossCoreSetFlag<2, PIPE_MTE3>(cube::ready_flag);
        ++pieces_;
    }

    __aicore__ inline void CopyColumns(const Piece& piece) {
        WaitFlag<HardEvent::V_MTE2>(columns_event);
        const DataCopyExtParams row(1, piece.columns * static_cast<uint32_t>(sizeof(float)), 0, 0, 0);
        DataCopyPad(scales_, scale_[piece.column], row, DataCopyPadExtParams<float>());
        DataCopyPad(offsets_, offset_[piece.column], row, DataCopyPadExtParams<float>());
        SetFlag<HardEvent::MTE2_V>(columns_event);
        WaitFlag<HardEvent::MTE2_V>(columns_event);
        const auto pitch = static_cast<int32_t>(Pitch(piece));
        Cast(half_scales_, scales_, RoundMode::CAST_RINT, pitch);
        Cast(half_offsets_, offsets_, RoundMode::CAST_RINT, pitch);
        PipeBarrier<PIPE_V>();
        SetFlag<HardEvent::V_MTE2>(columns_event);
    }

    __aicore__ inline void Convert(int32_t i, uint32_t rows, uint32_t columns) {
        const auto count = static_cast<int32_t>(rows * columns);
        const LocalTensor<half> halves = wide_[i].template ReinterpretCast<half>();
        Cast(halves, narrow_[i], RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        Along(halves, half_offsets_, rows, columns, [](const auto&... operands) { Add(operands...); });
        PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<T, half>) {
            Along(halves, half_scales_, rows, columns, [](const auto&... operands) { Mul(operands...); });
            return;
        }
        Cast(sums_, halves, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        Along(sums_, scales_, rows, columns, [](const auto&... operands) { Mul(operands...); });
        PipeBarrier<PIPE_V>();
        Cast(wide_[i], sums_, RoundMode::CAST_RINT, count);
    }

    // work(row, value of the column) for all rows at a time, a repeat's columns after the other.
    template <typename U, typename Work>
    __aicore__ inline static void Along(const LocalTensor<U>& on,
                                        const LocalTensor<U>& values,
                                        uint32_t rows,
                                        uint32_t columns,
                                        const Work& work) {
        constexpr uint32_t lanes = 256 / sizeof(U);
        const auto pitch = static_cast<uint8_t>(columns * sizeof(U) / 32);
        const BinaryRepeatParams along(1, 1, 1, pitch, pitch, 0);
        for (uint32_t at = 0; at < columns; at += lanes) {
            const uint64_t mask = cube::Smaller(lanes, columns - at);
            work(on[at], on[at], values[at], mask, static_cast<uint8_t>(rows), along);
        }
    }

    Tiling t_;
    GlobalTensor<int8_t> w_;
    GlobalTensor<float> scale_;
    GlobalTensor<float> offset_;
    GlobalTensor<T> workspace_;
    LocalTensor<int8_t> narrow_[2];
    LocalTensor<T> wide_[2];
    LocalTensor<float> sums_;
    LocalTensor<float> scales_;
    LocalTensor<float> offsets_;
    LocalTensor<half> half_scales_;
    LocalTensor<half> half_offsets_;
    uint32_t pieces_ = 0;
};

}  // namespace weight_quant
