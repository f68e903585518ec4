// SPDX-License-Identifier: Apache-2.0
// Slots of a workspace through which the cube core and the vector cores of a group hand pieces to each other:
// the maker of a piece fills the next slot and raises ready_flag; who has read it raises free_flag. Slots are
// taken in turn, so that the maker waits for free_flag only from the piece on that comes to a slot again.
#pragma once

#include "kernels/shared/cube_sizes.h"

namespace cube {

constexpr uint16_t ready_flag = 0;  // the next piece is in its slot
constexpr uint16_t free_flag = 1;   // the slot of the oldest piece was read

/// Where piece `number` of a core group's lies: the first of its `slot_size` elements, rows without gaps.
__aicore__ inline uint64_t SlotOffset(uint32_t group, uint32_t slots, uint32_t number, uint32_t slot_size) {
    return (uint64_t{group} * slots + number % slots) * slot_size;
}

/// Takes what was raised for the last slots and nobody waited for, by the pipe that waits for the others.
template <pipe_t pipe>
__aicore__ inline void TakeLastSlots(uint32_t slots, uint32_t pieces) {
    for (uint32_t i = 0; i < Smaller(slots, pieces); ++i) {
        AscendC::CrossCoreWaitFlag<2, pipe>(free_flag);
    }
}

}  // namespace cube
