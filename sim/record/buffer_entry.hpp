// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ascendsim::record {

/// A buffer's life as it stands in the file.
struct BufferEntry {
    std::uint64_t from = 0;  // cycle
    std::uint64_t to = 0;    // cycle; 0 while alive
    std::uint32_t core_index = 0;
    std::uint32_t offset = 0;  // B
    std::uint32_t bytes = 0;
    std::uint32_t site = 0;
    std::uint32_t label = 0;  // number of a name
    std::uint32_t memory = 0;
};

static_assert(sizeof(BufferEntry) == 40);

}  // namespace ascendsim::record
