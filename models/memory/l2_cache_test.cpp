// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l2_cache.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

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

/// The rules of L2Cache, line by line and with every way of a set looked at: what the quicker walk must agree
/// with.
class PlainCache {
public:
    explicit PlainCache(const L2Spec& spec) : spec_{spec}, sets_(spec.bytes / spec.line / spec.ways) {}

    L2Outcome access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now) {
        L2Outcome outcome;
        const std::uint64_t sector = spec_.line / 4;
        for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
            for (std::uint64_t row = 0; row < transfer.rows; ++row) {
                const std::uint64_t start =
                    transfer.offset + plane * transfer.plane_pitch + row * transfer.row_pitch;
                const std::uint64_t last = (start + transfer.row_bytes - 1) / sector;
                for (std::uint64_t line = start / spec_.line; line <= last / 4; ++line) {
                    unsigned sectors = 0;
                    for (unsigned i = 0; i < 4; ++i) {
                        sectors |= line * 4 + i >= start / sector && line * 4 + i <= last ? 1U << i : 0U;
                    }
                    touch(line, sectors, transfer, core, now, outcome);
                }
            }
        }
        return outcome;
    }

private:
    struct Way {
        std::uint64_t line;
        std::int64_t time;
        unsigned valid = 0;
        unsigned dirty = 0;
        std::uint32_t user = 0;
        std::uint32_t sharers = 0;
    };

    void touch(std::uint64_t number,
               unsigned sectors,
               const isa::Transfer& transfer,
               std::uint32_t core,
               std::uint64_t now,
               L2Outcome& outcome) {
        constexpr std::uint64_t skew = 3;  // the odd number at 0.618 of 4 sets
        std::vector<Way>& set = sets_[(number + number / sets_.size() * skew) % sets_.size()];
        auto way = std::ranges::find(set, number, &Way::line);
        const bool fresh = way == set.end();
        if (transfer.bypass_l2 && !isa::is_write(transfer.route)) {
            const auto hits = static_cast<unsigned>(std::popcount(fresh ? 0U : sectors & way->valid));
            outcome.hit_bytes += hits * spec_.line / 4;
            outcome.miss_bytes += (static_cast<unsigned>(std::popcount(sectors)) - hits) * spec_.line / 4;
            return;
        }
        if (fresh && set.size() == spec_.ways) {
            const auto oldest = std::ranges::min_element(set, {}, &Way::time);
            outcome.written_back += static_cast<unsigned>(std::popcount(oldest->dirty)) * spec_.line / 4;
            set.erase(oldest);
        }
        if (fresh) {
            way = set.insert(set.end(), Way{.line = number, .time = 0, .user = core});
        } else if (way->user != core && static_cast<std::int64_t>(now) - way->time < spec_.read_latency) {
            outcome.shared_requests += ++way->sharers;
        } else {
            way->sharers = 0;
        }
        const bool write = isa::is_write(transfer.route);
        const unsigned hits = !write || transfer.atomic ? sectors & way->valid : sectors;
        outcome.hit_bytes += static_cast<unsigned>(std::popcount(hits)) * spec_.line / 4;
        outcome.miss_bytes += static_cast<unsigned>(std::popcount(sectors ^ hits)) * spec_.line / 4;
        way->dirty |= write ? sectors : 0U;
        way->valid |= sectors;
        way->user = core;
        way->time = static_cast<std::int64_t>(now) - (transfer.bypass_l2 ? 0x7fffffff : 0);
    }

    L2Spec spec_;
    std::vector<std::vector<Way>> sets_;
};

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

TEST(L2Cache, WhoHitsALineOnItsWayWaitsForTheRestOfTheWay) {
    L2Cache cache{small(), memory, 0, 400};  // 400 cycles from memory
    EXPECT_EQ(cache.access(read(0, 128), 0, 1000).awaited_bytes, 0.0);
    const L2Outcome soon = cache.access(read(0, 128), 1, 1100);
    EXPECT_EQ(soon.hit_bytes, 128U);
    EXPECT_EQ(soon.awaited_bytes, 128 * 0.75);  // 300 of 400 cycles still to come
    EXPECT_EQ(cache.access(read(0, 128), 2, 1300).awaited_bytes,
              128 * 0.25);  // counted from the miss, not the last use
    EXPECT_EQ(cache.access(read(0, 128), 3, 1400).awaited_bytes, 0.0);
    EXPECT_EQ(cache.access(write(0, 128), 0, 1401).awaited_bytes, 0.0);
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

TEST(L2Cache, ReadsThatPassLeaveNothingBehind) {
    L2Cache cache{small(), memory};
    isa::Transfer passing = read(0, 512);
    passing.bypass_l2 = true;
    EXPECT_EQ(cache.access(passing, 0, 0).miss_bytes, 512U);
    EXPECT_EQ(cache.access(passing, 1, 1).miss_bytes, 512U);
    (void)cache.access(write(0, 128), 0, 2);
    const L2Outcome mixed = cache.access(passing, 0, 3);  // what L2 holds is newer than memory
    EXPECT_EQ(mixed.hit_bytes, 128U);
    EXPECT_EQ(mixed.miss_bytes, 384U);
}

TEST(L2Cache, CountsOtherCoresThatReadPastIt) {
    L2Cache cache{small(), memory};
    isa::Transfer passing = read(0, 512);
    passing.bypass_l2 = true;
    EXPECT_EQ(cache.access(passing, 0, 1).passing_in_step, 0U);
    EXPECT_EQ(cache.access(passing, 1, 2).passing_in_step, 4U);  // four sectors another core is at
    EXPECT_EQ(cache.access(passing, 2, 3).passing_in_step, 4U);
    EXPECT_EQ(cache.access(passing, 2, 5000).passing_in_step, 0U);
    EXPECT_EQ(cache.access(read(0, 512), 3, 5001).miss_bytes, 512U);  // still nothing is in L2
}

TEST(L2Cache, CoresMeetAtLinesThatPassWhileTheFirstIsUnderWay) {
    L2Cache cache{small(), memory, 2.0};
    isa::Transfer passing = read(0, 1024);  // two lines, 2048 cycles
    passing.bypass_l2 = true;
    EXPECT_EQ(cache.access(passing, 0, 1).passing_in_step, 0U);
    EXPECT_EQ(cache.access(passing, 1, 2001).passing_in_step, 8U);  // eight sectors another core is at
    EXPECT_EQ(cache.access(passing, 2, 2001 + 2048 + small().read_latency).passing_in_step, 0U);
}

TEST(L2Cache, WhoIsFollowedIsInStepToo) {
    L2Cache cache{small(), memory};
    isa::Transfer passing = read(0, 512);
    passing.bypass_l2 = true;
    isa::Transfer next = read(4096, 512);
    next.bypass_l2 = true;
    cache.access(passing, 0, 1);
    cache.access(passing, 1, 100);
    EXPECT_EQ(cache.access(next, 0, 200).passing_in_step, 4U);  // core 1 is at the lines core 0 has left
    isa::Transfer third = read(8192, 512);
    third.bypass_l2 = true;
    EXPECT_EQ(cache.access(third, 0, 300).passing_in_step, 0U);  // nobody came after core 0
}

TEST(L2Cache, TellsWritesOfNewLinesFromOthers) {
    L2Cache cache{small(), memory};
    EXPECT_EQ(cache.access(write(0, 1024), 0, 0).allocated_bytes, 1024U);
    EXPECT_EQ(cache.access(write(0, 1024), 0, 1).allocated_bytes, 0U);
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
    cache.use(4);
    EXPECT_EQ(cache.dirty_bytes(), small().bytes / 4);
    EXPECT_EQ(cache.access(read(0, 64 * 512), 0, 0).written_back, 16U * 512);  // everything leaves
    cache.clear();
    cache.use(1);
    EXPECT_EQ(cache.access(read(0, 64 * 512), 0, 0).written_back, 64U * 512);
}

TEST(L2Cache, WhatAnEarlierRunWroteIsThereAndLeavesByMemory) {
    L2Cache cache{small(), memory};
    cache.warm(0, 16 * 512, true);
    EXPECT_EQ(cache.dirty_bytes(), 16U * 512);
    EXPECT_EQ(cache.access(read(0, 16 * 512), 0, 0).hit_bytes, 16U * 512);
    EXPECT_EQ(cache.access(read(64 * 512, 64 * 512), 0, 1).written_back, 16U * 512);  // everything leaves
}

TEST(L2Cache, WithoutCapacityEverythingPasses) {
    L2Spec none = small();
    none.bytes = 0;
    L2Cache cache{none, memory};
    EXPECT_EQ(cache.access(read(0, 512), 0, 0).miss_bytes, 512U);
    EXPECT_EQ(cache.access(write(0, 512), 0, 0).bypassed_bytes, 512U);
}

TEST(L2Cache, AgreesWithALookAtEveryWay) {
    constexpr unsigned seed = 8;
    std::mt19937 random{seed};
    const auto up_to = [&](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % (limit + 1));
    };
    L2Cache cache{small(), memory};
    PlainCache plain{small()};
    std::uint64_t now = 0;
    std::uint64_t written_back = 0;
    for (int round = 0; round < 20'000; ++round) {
        const isa::Transfer transfer{.offset = up_to(300) * 128,
                                     .row_pitch = up_to(2) == 0 ? 2048U : 512U + up_to(300) * 4,
                                     .plane_pitch = 40'000,
                                     .row_bytes = 1 + 2 * up_to(450),  // odd: never the pitch
                                     .rows = 1 + up_to(4),
                                     .planes = 1 + up_to(1),
                                     .route = up_to(2) == 0 ? isa::Route::ub_to_gm : isa::Route::gm_to_ub,
                                     .atomic = up_to(9) == 0,
                                     .bypass_l2 = up_to(7) == 0};
        const std::uint32_t core = up_to(3);
        now += up_to(200);  // several in one cycle, and bursts within the sharing window
        const L2Outcome outcome = cache.access(transfer, core, now);
        const L2Outcome expected = plain.access(transfer, core, now);
        ASSERT_EQ(outcome.hit_bytes, expected.hit_bytes) << round;
        ASSERT_EQ(outcome.miss_bytes, expected.miss_bytes) << round;
        ASSERT_EQ(outcome.written_back, expected.written_back) << round;
        ASSERT_EQ(outcome.shared_requests, expected.shared_requests) << round;
        written_back += outcome.written_back;
    }
    EXPECT_GT(written_back, 1'000'000U);  // it was about evictions
}

}  // namespace ascendsim
