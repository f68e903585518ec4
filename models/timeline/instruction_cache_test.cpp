// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/instruction_cache.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

constexpr isa::OpInfo add{"vadd", ""};
constexpr isa::OpInfo flag{"set_flag", ""};

isa::TimedOp call(std::uint32_t line, const isa::OpInfo& info = add) {
    return {.info = &info,
            .site = {"k.cpp", line},
            .kind = &info == &flag ? isa::OpKind::set_flag : isa::OpKind::compute};
}

// 1024 B of cache in units of 256 B; a call is 128 B long, a flag 64 B.
constexpr InstructionCacheSpec small{.bytes = 1024, .fill_bytes = 256, .call_bytes = 128, .flag_bytes = 64};

TEST(CodeLayout, PlacesFollowEachOtherInTheOrderTheyAreMet) {
    CodeLayout layout{small};
    EXPECT_EQ(layout.unit_of(call(10)), 0U);        // bytes 0 to 127
    EXPECT_EQ(layout.unit_of(call(11)), 0U);        // 128 to 255
    EXPECT_EQ(layout.unit_of(call(12, flag)), 1U);  // 256 to 319
    EXPECT_EQ(layout.unit_of(call(13)), 1U);        // 320 to 447
    EXPECT_EQ(layout.unit_of(call(14)), 2U);        // 448 to 575 ends in the third
    EXPECT_EQ(layout.unit_of(call(10)), 0U);        // known
    EXPECT_EQ(layout.unit_of(call(10, flag)), 2U);  // another instruction of that line: 576 to 639
}

TEST(InstructionCache, HoldsWhatWasFilled) {
    CodeLayout layout{small};
    InstructionCache cache{small, layout};
    EXPECT_FALSE(cache.holds(cache.unit_of(call(1))));
    EXPECT_EQ(cache.missing(), 0U);
    cache.fill();
    EXPECT_TRUE(cache.holds(cache.unit_of(call(1))));
    EXPECT_TRUE(cache.holds(cache.unit_of(call(2))));  // ends in the same unit
    EXPECT_FALSE(cache.holds(cache.unit_of(call(3))));
    EXPECT_EQ(cache.missing(), 1U);
}

TEST(InstructionCache, TheLeastRecentlyUsedUnitLeaves) {
    CodeLayout layout{small};
    InstructionCache cache{small, layout};
    // Two calls a unit; four units fit.
    const auto use = [&](std::uint32_t unit) {
        const bool held = cache.holds(cache.unit_of(call(2 * unit)));
        if (!held) {
            cache.fill();
        }
        return held;
    };
    for (std::uint32_t line = 0; line < 10; ++line) {
        layout.unit_of(call(line));
    }
    for (std::uint32_t unit = 0; unit < 4; ++unit) {
        EXPECT_FALSE(use(unit));
    }
    EXPECT_TRUE(use(0));   // now 1 is the oldest
    EXPECT_FALSE(use(4));  // and leaves
    EXPECT_TRUE(use(0));
    EXPECT_FALSE(use(1));
}

TEST(InstructionCache, CoresOfAKindShareTheLayout) {
    CodeLayout layout{small};
    InstructionCache one{small, layout};
    InstructionCache other{small, layout};
    EXPECT_FALSE(one.holds(one.unit_of(call(5))));
    EXPECT_FALSE(other.holds(other.unit_of(call(6))));
    EXPECT_EQ(other.missing(), 0U);  // 128 to 255: behind what the first core met
}

}  // namespace
}  // namespace ascendsim
