// SPDX-License-Identifier: Apache-2.0
// What the programs of add.cpp have in common: which elements a core adds, and how they come and go.
#pragma once

#include "kernel_operator.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/library_cost.h"

using namespace AscendC;

struct AddTiling {
    uint64_t total;      // elements
    uint64_t share;      // elements of one core; the last core has what is left
    uint32_t tile;       // elements in a buffer
    uint32_t copy;       // elements of one copy; a tile is filled by tile / copy of them
    uint32_t buffers;    // 2: copies and additions overlap
    uint32_t spacer_y;   // bytes before the buffers of y: what an addition reads lies in different banks
    uint32_t spacer_z;   // bytes before the buffers of z: nor does it write where it reads
    uint32_t bypass_l2;  // 1: x and y are read past L2; 2: z is written past it too
};

/// What a core works on, and how it comes and goes.
template <typename T>
class AddShare {
public:
    __aicore__ inline AddShare(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling& tiling) : tiling(tiling) {
        const uint64_t begin = tiling.share * GetBlockIdx();
        length = begin >= tiling.total                 ? 0
                 : tiling.total - begin < tiling.share ? tiling.total - begin
                                                       : tiling.share;
        xGm.SetGlobalBuffer((__gm__ T*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ T*)y + begin, length);
        zGm.SetGlobalBuffer((__gm__ T*)z + begin, length);
        if (tiling.bypass_l2 != 0) {
            xGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
            yGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
        if (tiling.bypass_l2 == 2) {
            zGm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        }
    }

protected:
    __aicore__ inline uint32_t CountAt(uint64_t at) const {
        return static_cast<uint32_t>(length - at < tiling.tile ? length - at : tiling.tile);
    }

    /// The vendor's sample knows the size of its copies while it is compiled (asc-devkit,
    /// add_high_performance).
    KERNEL_FOLDED __aicore__ inline void Fetch(const LocalTensor<T>& to,
                                               const GlobalTensor<T>& from,
                                               uint32_t count) const {
        if (count <= tiling.copy) {
            CopyElementsIn(to, from, count);
            return;
        }
        for (uint32_t at = 0; at < count; at += tiling.copy) {
            CopyElementsIn(to[at], from[at], count - at < tiling.copy ? count - at : tiling.copy);
        }
    }

    KERNEL_FOLDED __aicore__ inline void Store(const GlobalTensor<T>& to,
                                               const LocalTensor<T>& from,
                                               uint32_t count) const {
        if (count <= tiling.copy) {
            CopyElementsOut(to, from, count);
            return;
        }
        for (uint32_t at = 0; at < count; at += tiling.copy) {
            CopyElementsOut(to[at], from[at], count - at < tiling.copy ? count - at : tiling.copy);
        }
    }

    AddTiling tiling;
    uint64_t length;
    GlobalTensor<T> xGm, yGm, zGm;  // (length)
};
