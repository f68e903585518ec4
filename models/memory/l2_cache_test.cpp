// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l2_cache.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

constexpr std::uint64_t memory = 1ULL << 34;

L2Spec small() {
    L2Spec spec;
    spec.bytes = 64 * 512;  // 4 sets of 16 ways
    return spec;
}

isa::Transfer read(std::uint64_t offset, std::uint32_t bytes) {
    return {.offset = offset, .row_bytes = bytes, .route = isa::Route::gm_to_ub};
}

isa::Transfer write(std::uint64_t offset, std::uint32_t bytes) {
    return {.offset = offset, .row_bytes = bytes, .route = isa::Route::ub_to_gm};
}

}  // namespace

TEST(L2Cache, FirstReadMissesSecondHits) {
    L2Cache cache{small(), memory};
    EXPECT_EQ(cache.access(read(0, 4096), 0, 0).miss_bytes, 4096U);
    EXPECT_EQ(cache.access(read(0, 4096), 0, 1000).hit_bytes, 4096U);
}

TEST(L2Cache, OnlyTouchedSectorsArrive) {
    L2Cache cache{small(), memory};
    EXPECT_EQ(cache.access(read(0, 128), 0, 0).miss_bytes, 128U);
    const L2Outcome whole = cache.access(read(0, 512), 0, 1);
    EXPECT_EQ(whole.hit_bytes, 128U);
    EXPECT_EQ(whole.miss_bytes, 384U);
}

TEST(L2Cache, StreamLargerThanCapacityNeverHits) {
    L2Cache cache{small(), memory};
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(cache.access(read(0, 2 * 64 * 512), 0, 0).hit_bytes, 0U);
    }
}

TEST(L2Cache, WritesAreAbsorbedAndWrittenBackOnEviction) {
    L2Cache cache{small(), memory};
    const L2Outcome first = cache.access(write(0, 64 * 512), 0, 0);
    EXPECT_EQ(first.hit_bytes, 64U * 512U);
    EXPECT_EQ(first.miss_bytes + first.written_back, 0U);
    EXPECT_EQ(cache.dirty_bytes(), 64U * 512U);
    EXPECT_EQ(cache.access(read(64 * 512, 64 * 512), 0, 0).written_back, 64U * 512U);
}

TEST(L2Cache, AtomicWriteReadsWhatItMissed) {
    L2Cache cache{small(), memory};
    isa::Transfer add = write(0, 512);
    add.atomic = true;
    EXPECT_EQ(cache.access(add, 0, 0).miss_bytes, 512U);
    EXPECT_EQ(cache.access(add, 0, 1).hit_bytes, 512U);
}

TEST(L2Cache, CountsOtherCoresOnOneLine) {
    L2Cache cache{small(), memory};
    EXPECT_EQ(cache.access(read(0, 512), 0, 0).shared_requests, 0U);
    EXPECT_EQ(cache.access(read(0, 512), 1, 1).shared_requests, 1U);
    EXPECT_EQ(cache.access(read(0, 512), 2, 2).shared_requests, 2U);
    EXPECT_EQ(cache.access(read(0, 512), 3, 5000).shared_requests, 0U);  // long after
}

TEST(L2Cache, LinesThatAskNotToBeKeptLeaveFirst) {
    L2Cache cache{small(), memory};
    isa::Transfer passing = read(0, 512);
    passing.bypass_l2 = true;
    (void)cache.access(read(4 * 512, 15 * 4 * 512), 0, 0);  // 15 lines of set 0 among others
    (void)cache.access(passing, 0, 1);
    (void)cache.access(read(16 * 4 * 512, 512), 0, 2);  // needs room in set 0
    EXPECT_EQ(cache.access(read(4 * 512, 15 * 4 * 512), 0, 3).miss_bytes, 0U);
}

TEST(L2Cache, WarmRangeHits) {
    L2Cache cache{small(), memory};
    cache.warm(512, 1024);
    EXPECT_EQ(cache.access(read(512, 1024), 0, 0).hit_bytes, 1024U);
}

TEST(L2Cache, SliceOfAMatrixStaysWholeWhateverItsRows) {
    // Rows of 4 lines, as many as there are sets: slices one line wide would all fall into one set.
    L2Cache cache{small(), memory};
    const isa::Transfer slice{.row_pitch = 4 * 512, .row_bytes = 512, .rows = 32};  // half of the capacity
    EXPECT_EQ(cache.access(slice, 0, 0).miss_bytes, 32U * 512);
    EXPECT_EQ(cache.access(slice, 0, 1000).hit_bytes, 32U * 512);
}

TEST(L2Cache, UsedMakesNewLinesWriteOldOnesBack) {
    L2Cache cache{small(), memory};
    cache.use();
    EXPECT_EQ(cache.dirty_bytes(), small().bytes / 4);
    EXPECT_EQ(cache.access(read(0, 64 * 512), 0, 0).written_back, 16U * 512);  // everything leaves
}

TEST(L2Cache, WithoutCapacityEverythingPasses) {
    L2Spec none = small();
    none.bytes = 0;
    L2Cache cache{none, memory};
    EXPECT_EQ(cache.access(read(0, 512), 0, 0).miss_bytes, 512U);
    EXPECT_EQ(cache.access(write(0, 512), 0, 0).bypassed_bytes, 512U);
}

}  // namespace ascendsim
