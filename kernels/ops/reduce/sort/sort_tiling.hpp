// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct SortTiling {
    uint64_t rows;
    uint32_t width;
    uint32_t piece;   // elements that are sorted in the unified buffer, whole runs of 32
    uint32_t pieces;  // of a row
    uint32_t lists;   // that are merged at a time, until two are left: 2 to 4
    uint32_t parts;   // in which these two are merged
    uint32_t window;  // pairs of each of them in the unified buffer
    uint32_t rising;  // 1: the smallest first
};
