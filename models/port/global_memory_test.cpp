// SPDX-License-Identifier: Apache-2.0
#include "models/port/global_memory.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

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

TEST(GlobalMemory, WhatOneSideWritesIntoSharedMemoryTheOtherReads) {
    constexpr std::uint64_t capacity = 1U << 20U;
    const int file = memfd_create("shared", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file, capacity), 0);
    GlobalMemory here{capacity};
    GlobalMemory there{capacity};
    here.share(file);
    there.share(file);
    std::byte* mine = here.allocate("x", 600);
    mine[599] = std::byte{7};
    const std::uint64_t offset = here.offset_of(mine);
    there.adopt("x", offset, 600);
    EXPECT_EQ(there.base()[offset + 599], std::byte{7});
    const auto touches = [&](std::uint64_t byte) {
        return there.contains({.memory = Memory::gm, .offset = offset + byte, .row_bytes = 1});
    };
    EXPECT_TRUE(touches(599));
    EXPECT_FALSE(touches(600));
    there.forget(offset);
    EXPECT_FALSE(touches(0));
    there.forget(offset);  // of nothing: no harm
    close(file);
}

TEST(GlobalMemory, SharedMemoryIsUsedAgain) {
    constexpr std::uint64_t capacity = 1U << 20U;
    const int file = memfd_create("shared", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file, capacity), 0);
    GlobalMemory memory{capacity};
    memory.share(file);
    std::byte* const first = memory.allocate("x", 400'000);
    for (int round = 0; round < 5; ++round) {  // 2 MB of 1
        std::byte* const again = memory.allocate("y", 400'000);
        EXPECT_GT(again, first);
        EXPECT_EQ(again[400], std::byte{0});  // as allocate() promises, in a page that its neighbour shares
        again[400] = std::byte{7};
        memory.release(again);
    }
    close(file);
}

}  // namespace
}  // namespace ascendsim::isa
