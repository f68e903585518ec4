// SPDX-License-Identifier: Apache-2.0
// IBSet and IBWait: a block tells another through a flag in global memory. Each event has one 32-byte flag
// for each block; a set waits until the flag is down, a wait takes it down again.
#pragma once

#include "kernels/ascendc/ascendc/block_turns.h"

namespace AscendC {

/// Polls flag `eventID` of block `blockIdx` until it is `expected`, then writes `next`.
inline void ExchangeBlockFlag(const GlobalTensor<int32_t>& gmWorkspace,
                              int32_t blockIdx,
                              int32_t eventID,
                              int32_t expected,
                              int32_t next,
                              Site site) {
    const auto index = static_cast<uint32_t>(GetBlockNum() * eventID + blockIdx);
    while (ReadFlag(gmWorkspace, index, site) != expected) {
    }
    WriteFlag(gmWorkspace, index, next, site);
}

/// Raises flag `eventID` of block `blockIdx`, after everything this core has issued.
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace,
                  const LocalTensor<int32_t>&,
                  int32_t blockIdx,
                  int32_t eventID,
                  Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ascendsim::isa::barrier_all(site);
        ExchangeBlockFlag(gmWorkspace, blockIdx, eventID, 0, 1, site);
    }
}

/// Waits for IBSet with the same block and event.
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace,
                   const LocalTensor<int32_t>&,
                   int32_t blockIdx,
                   int32_t eventID,
                   Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        ExchangeBlockFlag(gmWorkspace, blockIdx, eventID, 1, 0, site);
        ascendsim::isa::barrier_all(site);
    }
}

}  // namespace AscendC
