// SPDX-License-Identifier: Apache-2.0
// The bias of a cube kernel's columns, one tile ahead of where it is needed.
//
//   split cores     GM --mte2--> L1 --mte1--> bias table, where Mmad begins a tile's sums
//   coupled cores   GM --mte2--> UB, where the vector unit adds it to results on their way out
#pragma once

#include "kernels/shared/cube_sizes.h"

namespace cube {

using namespace AscendC;

/// On split cores. B is the type in memory: half, float or int32; Sum that of L0C. The flags of the L1 buffer
/// beside which it lies say when it has arrived and when it may be overwritten.
template <typename B, typename Sum>
class TableBias {
public:
    /// `l1` is the byte of L1 behind the operands, of room for two rows of `most` columns.
    __aicore__ inline void Init(GM_ADDR bias, uint32_t l1, uint32_t most) {
        bias_.SetGlobalBuffer(reinterpret_cast<__gm__ B*>(bias));
        const uint32_t row = CeilTo(most * static_cast<uint32_t>(sizeof(B)), unit);
        for (uint32_t i = 0; i < 2; ++i) {
            rows_[i] = LocalTensor<B>(TPosition::C1, l1 + i * row, row / sizeof(B));
        }
        table_ = LocalTensor<Sum>(TPosition::C2, 0, table_bytes / sizeof(Sum));
    }

    __aicore__ inline void RaiseFree() { SetFlag<HardEvent::M_MTE1>(table_read); }

    __aicore__ inline void TakeFree() { WaitFlag<HardEvent::M_MTE1>(table_read); }

    /// `columns` from `first` on to L1. One row as NZ is the row itself, and nothing behind its end is read.
    __aicore__ inline void Load(uint32_t buffer, uint64_t first, uint32_t columns) {
        const auto count = static_cast<uint16_t>(columns);
        DataCopy(rows_[buffer], bias_[first], Nd2NzParams(1, 1, count, 0, count, 1, 1, 0));
    }

    /// On to the table, once the Mmad that last began from it has.
    __aicore__ inline void Fill(uint32_t buffer, uint32_t columns) {
        WaitFlag<HardEvent::M_MTE1>(table_read);
        const uint32_t blocks = Parts(columns * static_cast<uint32_t>(sizeof(B)), unit);
        DataCopy(table_, rows_[buffer], DataCopyParams(1, static_cast<uint16_t>(blocks), 0, 0));
    }

    [[nodiscard]] __aicore__ inline const LocalTensor<Sum>& Table() const { return table_; }

    /// Behind the Mmad that begins from the table.
    __aicore__ inline void Began() { SetFlag<HardEvent::M_MTE1>(table_read); }

private:
    static constexpr int32_t table_read = 2;       // 0 and 1 are L0's
    static constexpr uint32_t unit = 64;           // bytes of a block of the table
    static constexpr uint32_t table_bytes = 1024;  // 256 columns

    GlobalTensor<B> bias_;
    LocalTensor<B> rows_[2];
    LocalTensor<Sum> table_;
};

/// On coupled cores. T is the type of the results.
template <typename T>
class RowBias {
public:
    /// `ub` is a byte of the unified buffer, of room for two rows of `most` columns.
    __aicore__ inline void Init(GM_ADDR bias, uint32_t ub, uint32_t most) {
        bias_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bias));
        const uint32_t row = CeilTo(most * static_cast<uint32_t>(sizeof(T)), 32);
        for (uint32_t i = 0; i < 2; ++i) {
            rows_[i] = LocalTensor<T>(TPosition::VECIN, ub + i * row, row / sizeof(T));
        }
    }

    __aicore__ inline void RaiseFree() {
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::V_MTE2>(1);
    }

    __aicore__ inline void TakeFree() {
        WaitFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::V_MTE2>(1);
    }

    /// `columns` from `first` on, whole blocks of 32 bytes.
    __aicore__ inline void Load(uint64_t first, uint32_t columns) {
        WaitFlag<HardEvent::V_MTE2>(in_);
        DataCopy(rows_[in_], bias_[first], columns);
        SetFlag<HardEvent::MTE2_V>(in_);
        in_ = 1 - in_;
    }

    /// The row of the tile whose results leave now.
    [[nodiscard]] __aicore__ inline const LocalTensor<T>& Begin() {
        WaitFlag<HardEvent::MTE2_V>(out_);
        return rows_[out_];
    }

    __aicore__ inline void End() {
        SetFlag<HardEvent::V_MTE2>(out_);
        out_ = 1 - out_;
    }

private:
    GlobalTensor<T> bias_;
    LocalTensor<T> rows_[2];
    int32_t in_ = 0;
    int32_t out_ = 0;
};

}  // namespace cube
