// SPDX-License-Identifier: Apache-2.0
// The addition of add.cpp with buffers and flags set by hand instead of queues.
#pragma once

#include "kernels/ops/elementwise/add/add_share.h"

/// When the inputs of a tile may be overwritten by those of a later one.
enum class Refill {
    taken,    // once they have been added
    written,  // once their sum has been written: one flag less, and with one set of buffers nothing overlaps.
              // What the vendor's sample did when its times were taken (asc-devkit, add_high_performance of
              // 2026-04-20)
};

template <typename T, Refill refill>
class AddByHand : private AddShare<T> {
public:
    __aicore__ inline AddByHand(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling)
        : AddShare<T>(x, y, z, tiling) {
        const uint32_t bytes = tiling.tile * static_cast<uint32_t>(sizeof(T));
        const uint32_t behind_x = tiling.buffers * bytes + tiling.spacer_y;
        const uint32_t behind_y = behind_x + tiling.buffers * bytes + tiling.spacer_z;
        for (uint32_t turn = 0; turn < tiling.buffers; ++turn) {
            sets[turn].x = LocalTensor<T>(TPosition::VECCALC, turn * bytes, tiling.tile);
            sets[turn].y = LocalTensor<T>(TPosition::VECCALC, behind_x + turn * bytes, tiling.tile);
            sets[turn].z = LocalTensor<T>(TPosition::VECCALC, behind_y + turn * bytes, tiling.tile);
        }
    }

    __aicore__ inline void Process() {
        const uint32_t last = this->tiling.buffers - 1;
        for (uint32_t turn = 0; turn <= last; ++turn) {
            SetFlag<input_free>(turn);
            if constexpr (refill == Refill::taken) {
                SetFlag<HardEvent::MTE3_V>(turn);
            }
        }
        uint32_t turn = 0;
        for (uint64_t at = 0; at < this->length; at += this->tiling.tile) {
            Tile(at, this->CountAt(at), sets[turn], turn);
            turn = turn == last ? 0 : turn + 1;
        }
        for (uint32_t left = 0; left <= last; ++left) {
            WaitFlag<input_free>(left);
            if constexpr (refill == Refill::taken) {
                WaitFlag<HardEvent::MTE3_V>(left);
            }
        }
    }

private:
    static constexpr HardEvent input_free =
        refill == Refill::taken ? HardEvent::V_MTE2 : HardEvent::MTE3_MTE2;

    struct Buffers {
        LocalTensor<T> x, y, z;  // (tile)
    };

    /// The flags of a set of buffers have its number as their id.
    __aicore__ inline void Tile(uint64_t at, uint32_t count, const Buffers& set, int32_t id) const {
        WaitFlag<input_free>(id);
        this->Fetch(set.x, this->xGm[at], count);  // (count) GM -> UB
        this->Fetch(set.y, this->yGm[at], count);  // (count) GM -> UB
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        if constexpr (refill == Refill::taken) {
            WaitFlag<HardEvent::MTE3_V>(id);
        }
        Add(set.z, set.x, set.y, count);  // (count)
        if constexpr (refill == Refill::taken) {
            SetFlag<input_free>(id);
        }
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
        this->Store(this->zGm[at], set.z, count);  // (count) UB -> GM
        if constexpr (refill == Refill::taken) {
            SetFlag<HardEvent::MTE3_V>(id);
        } else {
            SetFlag<input_free>(id);
        }
    }

    Buffers sets[2];
};
