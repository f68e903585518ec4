// SPDX-License-Identifier: Apache-2.0
// What long_scan.cpp takes by value besides its addresses.
#pragma once

#include <cstdint>

namespace long_scan {

struct Tiling {
    uint64_t length;   // elements
    uint64_t part;     // elements summed between two meetings of all cores, whole tiles
    uint32_t side;     // of the triangle of ones; a cube core's tile has side rows of side elements
    uint32_t tile;     // elements a vector core takes at a time, whole rows
    uint32_t groups;   // of one cube core and its vector cores
    uint32_t vectors;  // vector cores of a group
};

/// Most elements a vector core takes at a time: four buffers of them, of 4 B, fill two thirds of its unified
/// buffer.
inline constexpr uint32_t most_vector_tile = 8192;

}  // namespace long_scan
