// SPDX-License-Identifier: Apache-2.0
#include "models/port/global_memory.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::isa {
namespace {

TEST(GlobalMemory, WhatLiesBesideAFreedBufferStays) {
    GlobalMemory memory{1U << 20U};
    // 600 bytes take 1,536 with the gap, so buffers share pages; 10,000 cover whole ones too.
    std::vector<std::byte*> buffers;
    for (const std::uint64_t bytes : {600U, 600U, 10'000U, 600U, 600U}) {
        buffers.push_back(memory.allocate("b", bytes));
        std::fill_n(buffers.back(), bytes, std::byte{7});
    }
    memory.release(buffers[0]);
    memory.release(buffers[2]);
    for (const std::size_t kept : {1U, 3U, 4U}) {
        EXPECT_EQ(std::count(buffers[kept], buffers[kept] + 600, std::byte{7}), 600) << "buffer " << kept;
    }
    EXPECT_FALSE(
        memory.contains({.memory = Memory::gm, .offset = memory.offset_of(buffers[2]), .row_bytes = 32}));
}

}  // namespace
}  // namespace ascendsim::isa
