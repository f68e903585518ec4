// SPDX-License-Identifier: Apache-2.0
// One value for each row, spread over the row's columns: many rows with one instruction, or row by row.
#pragma once

#include "kernel_operator.h"

/// full (rows, pitch): row r filled with block r of `blocks`, which holds 32 B of its value.
template <typename C>
__aicore__ inline void EltSpreadBlocks(const AscendC::LocalTensor<C>& full,
                                       const AscendC::LocalTensor<C>& blocks,
                                       uint32_t rows,
                                       uint32_t pitch) {
    constexpr uint32_t lanes = 256 / sizeof(C);
    constexpr uint32_t block = 32 / sizeof(C);
    const uint32_t chunks = (pitch + lanes - 1) / lanes;
    if (chunks <= rows) {
        for (uint32_t c = 0; c < chunks; ++c) {
            const uint32_t n = pitch - c * lanes < lanes ? pitch - c * lanes : lanes;
            AscendC::Copy(full[c * lanes],
                          blocks,
                          uint64_t{n},
                          static_cast<uint8_t>(rows),
                          AscendC::CopyRepeatParams(1, 0, pitch / block, 1));
        }
        return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < chunks; c += 255) {
            const uint32_t repeats = pitch / lanes - c < 255 ? pitch / lanes - c : 255;
            if (repeats > 0) {
                AscendC::Copy(full[r * pitch + c * lanes],
                              blocks[r * block],
                              uint64_t{lanes},
                              static_cast<uint8_t>(repeats),
                              AscendC::CopyRepeatParams(1, 0, 8, 0));
            }
        }
        if (pitch % lanes > 0) {
            AscendC::Copy(full[r * pitch + pitch / lanes * lanes],
                          blocks[r * block],
                          uint64_t{pitch % lanes},
                          uint8_t{1},
                          AscendC::CopyRepeatParams(1, 0, 8, 0));
        }
    }
}

/// The same row by row: the scalar unit reads a row's value and fills the row with it. `ready` is a flag from
/// the vector unit, or what comes before it, to the scalar unit.
template <typename C>
__aicore__ inline void EltSpreadValues(const AscendC::LocalTensor<C>& full,
                                       const AscendC::LocalTensor<C>& values,
                                       uint32_t rows,
                                       uint32_t width,
                                       uint32_t pitch,
                                       AscendC::TEventID ready) {
    AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
    constexpr uint32_t lanes = 256 / sizeof(C);
    const uint32_t rest = width % lanes;
    for (uint32_t r = 0; r < rows; ++r) {
        const C value = values.GetValue(r);
        for (uint32_t c = 0; c < width / lanes; c += 255) {
            const uint32_t repeats = width / lanes - c < 255 ? width / lanes - c : 255;
            AscendC::Duplicate(
                full[r * pitch + c * lanes], value, uint64_t{lanes}, static_cast<uint8_t>(repeats), 1, 8);
        }
        if (rest != 0) {
            AscendC::Duplicate(full[r * pitch + width - rest], value, uint64_t{rest}, 1, 1, 8);
        }
    }
}
