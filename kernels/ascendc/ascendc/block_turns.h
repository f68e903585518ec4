// SPDX-License-Identifier: Apache-2.0
// Vector cores that take turns, through a workspace in global memory: 32 B for each block.
#pragma once

#include "kernels/ascendc/ascendc/system.h"

namespace AscendC {

inline constexpr uint32_t words_of_flag = 8;  // int32_t in 32 B

inline int32_t ReadFlag(const GlobalTensor<int32_t>& flags, uint32_t index, Site site) {
    const int32_t* word = flags.GetPhyAddr(uint64_t{index} * words_of_flag);
    ascendsim::isa::CorePort::current().clean_data_cache(word, false);
    ascendsim::isa::scalar_gm_access(word, sizeof(int32_t), false, site);
    return *word;
}

inline void WriteFlag(const GlobalTensor<int32_t>& flags, uint32_t index, int32_t value, Site site) {
    int32_t* word = flags.GetPhyAddr(uint64_t{index} * words_of_flag);
    ascendsim::isa::scalar_gm_access(word, sizeof(int32_t), true, site);
    *word = value;
    ascendsim::isa::CorePort::current().clean_data_cache(word, false);
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
