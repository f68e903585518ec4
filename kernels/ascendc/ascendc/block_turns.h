// SPDX-License-Identifier: Apache-2.0
// Vector cores that take turns, through a workspace in global memory: 32 B for each block.
#pragma once

#include "kernels/ascendc/ascendc/system.h"

namespace AscendC {

inline constexpr uint32_t words_of_flag = 8;  // int32_t in 32 B

inline int32_t ReadFlag(const GlobalTensor<int32_t>& flags, uint32_t index, Site site) {
    const __gm__ int32_t* word = flags.GetPhyAddr(uint64_t{index} * words_of_flag);
    ascendsim::isa::CorePort::current().clean_data_cache(word, false);
    ascendsim::isa::scalar_gm_access(word, sizeof(int32_t), false, site);
    return *word;
}

inline void WriteFlag(const GlobalTensor<int32_t>& flags, uint32_t index, int32_t value, Site site) {
    __gm__ int32_t* word = flags.GetPhyAddr(uint64_t{index} * words_of_flag);
    ascendsim::isa::scalar_gm_access(word, sizeof(int32_t), true, site);
    *word = value;
    ascendsim::isa::CorePort::current().clean_data_cache(word, false);
}

/// Waits for the blocks below `usedCores` alone, which must be all that call it, through their flags in a
/// workspace that was zero at first: each adds one to its own and waits until the others have caught up.
inline void SyncSomeBlocks(const GlobalTensor<int32_t>& gmWorkspace, uint32_t usedCores, Site site) {
    const auto block = static_cast<uint32_t>(GetBlockIdx());
    ascendsim::isa::barrier_all(site);
    const int32_t turn = ReadFlag(gmWorkspace, block, site) + 1;
    WriteFlag(gmWorkspace, block, turn, site);
    for (uint32_t other = 0; other < usedCores; ++other) {
        while (ReadFlag(gmWorkspace, other, site) < turn) {
        }
    }
    ascendsim::isa::barrier_all(site);
}

/// The form that polls global memory: each core adds one to its word of a workspace that was zero at first.
/// For all blocks the chip's counters give the same order.
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace,
                    const LocalTensor<int32_t>&,
                    const int32_t usedCores = 0,
                    Site site = Site::here()) {
    if (has_vector_unit && isAIVOnly && usedCores > 0 && usedCores < GetBlockNum() * GetTaskRation()) {
        SyncSomeBlocks(gmWorkspace, static_cast<uint32_t>(usedCores), site);
        return;
    }
    if constexpr (has_vector_unit) {
        ascendsim::isa::need_written(
            gmWorkspace.GetPhyAddr(static_cast<uint64_t>(GetBlockIdx()) * words_of_flag),
            sizeof(int32_t),
            site);
    }
    ascendsim::isa::sync_all(!isAIVOnly, site);
}

/// Prepares the workspace of WaitPreBlock and NotifyNextBlock, a flag for each block: the turns it has had.
/// Every block calls it; none goes on before all have.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace,
                                          LocalTensor<int32_t>&,
                                          Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        WriteFlag(gmWorkspace, static_cast<uint32_t>(GetBlockIdx()), 0, site);
        ascendsim::isa::sync_all(false, site);
    }
}

/// Waits for this block's turn: behind the block before it, or behind the last block's turn before.
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace,
                         LocalTensor<int32_t>&,
                         Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        const auto block = static_cast<uint32_t>(GetBlockIdx());
        const auto last = static_cast<uint32_t>(GetBlockNum()) - 1;
        const int32_t turn = ReadFlag(gmWorkspace, block, site);
        const int32_t needed = block == 0 ? turn : turn + 1;
        while (ReadFlag(gmWorkspace, block == 0 ? last : block - 1, site) < needed) {
        }
        ascendsim::isa::barrier_all(site);
    }
}

/// Ends this block's turn.
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace,
                            LocalTensor<int32_t>&,
                            Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::barrier_all(site);
        const auto block = static_cast<uint32_t>(GetBlockIdx());
        WriteFlag(gmWorkspace, block, ReadFlag(gmWorkspace, block, site) + 1, site);
    }
}

}  // namespace AscendC
