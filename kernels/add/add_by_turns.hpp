// SPDX-License-Identifier: Apache-2.0
// The addition of add.cpp with one flag for the three buffers of a tile.
#pragma once

#include "kernels/add/add_share.hpp"

/// Fills a tile's buffers again once its sum has been written, not once it has been taken: with one set of buffers
/// nothing overlaps. Easy to write, and what the vendor's sample did when its times were taken (asc-devkit,
/// add_high_performance of 2026-04-20).
template <typename T>
class AddByTurns : private AddShare<T> {
public:
    __aicore__ inline AddByTurns(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling)
        : AddShare<T>(x, y, z, tiling) {}

    __aicore__ inline void Process() {
        const uint32_t bytes = this->tiling.tile * sizeof(T);
        const uint32_t buffers = this->tiling.buffers;
        pipe.InitBuffer(bufX, buffers * bytes);
        pipe.InitBuffer(beforeY, this->tiling.spacer_y);
        pipe.InitBuffer(bufY, buffers * bytes);
        pipe.InitBuffer(beforeZ, this->tiling.spacer_z);
        pipe.InitBuffer(bufZ, buffers * bytes);
        for (uint32_t turn = 0; turn < buffers; ++turn) {
            SetFlag<HardEvent::MTE3_MTE2>(Event(turn));
        }
        uint32_t turn = 0;
        for (uint64_t at = 0; at < this->length; at += this->tiling.tile) {
            Tile(at, this->CountAt(at), turn);
            turn = turn + 1 == buffers ? 0 : turn + 1;
        }
        for (uint32_t left = 0; left < buffers; ++left) {
            WaitFlag<HardEvent::MTE3_MTE2>(Event(left));
        }
    }

private:
    __aicore__ inline event_t Event(uint32_t turn) const { return turn == 0 ? EVENT_ID0 : EVENT_ID1; }

    __aicore__ inline void Tile(uint64_t at, uint32_t count, uint32_t turn) {
        const uint32_t bytes = this->tiling.tile * sizeof(T);
        LocalTensor<T> x = bufX.template GetWithOffset<T>(this->tiling.tile, turn * bytes);
        LocalTensor<T> y = bufY.template GetWithOffset<T>(this->tiling.tile, turn * bytes);
        LocalTensor<T> z = bufZ.template GetWithOffset<T>(this->tiling.tile, turn * bytes);
        WaitFlag<HardEvent::MTE3_MTE2>(Event(turn));
        this->Fetch(x, this->xGm[at], count);  // (count) GM -> UB
        this->Fetch(y, this->yGm[at], count);  // (count) GM -> UB
        SetFlag<HardEvent::MTE2_V>(Event(turn));
        WaitFlag<HardEvent::MTE2_V>(Event(turn));
        Add(z, x, y, count);  // (count)
        SetFlag<HardEvent::V_MTE3>(Event(turn));
        WaitFlag<HardEvent::V_MTE3>(Event(turn));
        this->Store(this->zGm[at], z, count);  // (count) UB -> GM
        SetFlag<HardEvent::MTE3_MTE2>(Event(turn));
    }

    TPipe pipe;
    TBuf<TPosition::VECCALC> bufX, bufY, bufZ;  // (buffers, tile)
    TBuf<TPosition::VECCALC> beforeY, beforeZ;
};
