// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/cross_flags.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

/// Two groups of one cube core and two vector cores: 0 = aic, 1, 2 = aiv; 3 = aic, 4, 5 = aiv.
CrossFlags two_groups() {
    return CrossFlags{{{CoreKind::aic, 0},
                       {CoreKind::aiv, 0},
                       {CoreKind::aiv, 0},
                       {CoreKind::aic, 1},
                       {CoreKind::aiv, 1},
                       {CoreKind::aiv, 1}}};
}

Raise at(std::uint64_t time) {
    return {time, {0, time}};
}

}  // namespace

TEST(CrossFlags, CubeRaisesItsVectorCores) {
    CrossFlags flags = two_groups();
    EXPECT_EQ(flags.set(3, CrossFlags::mode_group, 5, at(10)), (std::vector<std::uint32_t>{4, 5}));
    EXPECT_EQ(flags.take(4, CrossFlags::mode_group, 5)->time, 10U);
    EXPECT_FALSE(flags.take(4, CrossFlags::mode_group, 5).has_value());
    EXPECT_FALSE(flags.take(1, CrossFlags::mode_group, 5).has_value());
}

TEST(CrossFlags, CubeWaitsForBothVectorCores) {
    CrossFlags flags = two_groups();
    EXPECT_TRUE(flags.set(1, CrossFlags::mode_group, 0, at(7)).empty());
    EXPECT_EQ(flags.set(2, CrossFlags::mode_group, 0, at(3)), (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(flags.take(0, CrossFlags::mode_group, 0)->time, 7U);
}

TEST(CrossFlags, ModeZeroMeetsAllOfOneKind) {
    CrossFlags flags = two_groups();
    EXPECT_TRUE(flags.set(1, 0, 2, at(1)).empty());
    EXPECT_TRUE(flags.set(2, 0, 2, at(2)).empty());
    EXPECT_TRUE(flags.set(4, 0, 2, at(9)).empty());
    EXPECT_EQ(flags.set(5, 0, 2, at(4)), (std::vector<std::uint32_t>{1, 2, 4, 5}));
    EXPECT_EQ(flags.take(2, 0, 2)->time, 9U);
}

TEST(CrossFlags, RoundsPairInOrderHoweverArrivalsInterleave) {
    CrossFlags flags = two_groups();
    (void)flags.set(1, CrossFlags::mode_group_vectors, 0, at(1));
    (void)flags.set(1, CrossFlags::mode_group_vectors, 0, at(20));
    (void)flags.set(2, CrossFlags::mode_group_vectors, 0, at(5));
    EXPECT_EQ(flags.raised(1, CrossFlags::mode_group_vectors, 0), 1U);
    (void)flags.set(2, CrossFlags::mode_group_vectors, 0, at(6));
    EXPECT_EQ(flags.take(1, CrossFlags::mode_group_vectors, 0)->time, 5U);
    EXPECT_EQ(flags.take(1, CrossFlags::mode_group_vectors, 0)->time, 20U);
}

TEST(CrossFlags, SyncAllWaitsForEverybody) {
    CrossFlags flags = two_groups();
    for (std::uint32_t core = 0; core < 5; ++core) {
        EXPECT_TRUE(flags.set(core, CrossFlags::mode_sync_all, 0, at(core)).empty());
    }
    EXPECT_EQ(flags.awaited(0, CrossFlags::mode_sync_all, 0), (std::vector<std::uint32_t>{5}));
    EXPECT_EQ(flags.set(5, CrossFlags::mode_sync_all, 0, at(1)).size(), 6U);
    EXPECT_EQ(flags.take(0, CrossFlags::mode_sync_all, 0)->time, 4U);
}

TEST(CrossFlags, MessageReachesTheCubeCoreOfItsGroupAlone) {
    CrossFlags flags{{{CoreKind::aic, 0}, {CoreKind::aiv, 0, 0}, {CoreKind::aiv, 0, 1}, {CoreKind::aic, 1}}};
    // Id 3 is a channel of vector core 1, which needs nobody else to arrive.
    EXPECT_EQ(flags.set(2, CrossFlags::mode_message, 3, at(9)), (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(flags.earliest(0, CrossFlags::mode_message, 3), 9U);
    EXPECT_FALSE(flags.earliest(0, CrossFlags::mode_message, 2).has_value());
    EXPECT_FALSE(flags.earliest(3, CrossFlags::mode_message, 3).has_value());
    EXPECT_EQ(flags.take(0, CrossFlags::mode_message, 3)->time, 9U);
    EXPECT_FALSE(flags.earliest(0, CrossFlags::mode_message, 3).has_value());
}

TEST(CrossFlags, AnswerReachesTheVectorCoreItsIdNames) {
    CrossFlags flags{{{CoreKind::aic, 0}, {CoreKind::aiv, 0, 0}, {CoreKind::aiv, 0, 1}}};
    EXPECT_EQ(flags.set(0, CrossFlags::mode_message, 5, at(4)), (std::vector<std::uint32_t>{2}));
    EXPECT_EQ(flags.raised(1, CrossFlags::mode_message, 5), 0U);
}

/// The groups of two_groups(), with counters up to 2.
CrossFlags counting_to_two() {
    return CrossFlags{{{CoreKind::aic, 0}, {CoreKind::aiv, 0}}, 2};
}

TEST(CrossFlags, ARaiseBeforeThePlaceItNeedsIsFreeOverflows) {
    CrossFlags flags = counting_to_two();
    for (const std::uint64_t time : {10U, 11U, 12U}) {
        flags.set(0, CrossFlags::mode_group, 5, at(time), {"k.cpp", 7});
    }
    EXPECT_FALSE(flags.overflow().has_value()) << "when the wait comes is not known yet";
    EXPECT_TRUE(flags.take(1, CrossFlags::mode_group, 5, 20).has_value());
    ASSERT_TRUE(flags.overflow().has_value());
    EXPECT_EQ(flags.overflow()->setter, 0U);
    EXPECT_EQ(flags.overflow()->waiter, 1U);
    EXPECT_EQ(flags.overflow()->id, 5U);
    EXPECT_EQ(flags.overflow()->time, 12U);
    EXPECT_EQ(flags.overflow()->site.line, 7U);
}

TEST(CrossFlags, AWaitThatIsTimedBeforeTheRaiseIsComparedToo) {
    CrossFlags flags = counting_to_two();
    flags.set(0, CrossFlags::mode_group, 5, at(10));
    flags.set(0, CrossFlags::mode_group, 5, at(11));
    static_cast<void>(flags.take(1, CrossFlags::mode_group, 5, 12));
    static_cast<void>(flags.take(1, CrossFlags::mode_group, 5, 30));
    flags.set(0, CrossFlags::mode_group, 5, at(12));  // the first was taken at 12
    EXPECT_FALSE(flags.overflow().has_value());
    flags.set(0, CrossFlags::mode_group, 5, at(29));  // the second at 30
    ASSERT_TRUE(flags.overflow().has_value());
    EXPECT_EQ(flags.overflow()->time, 29U);
}

TEST(CrossFlags, RaisesThatAreNeverTakenOverflowAtTheEnd) {
    CrossFlags flags = counting_to_two();
    flags.set(0, CrossFlags::mode_group, 5, at(10));
    flags.set(0, CrossFlags::mode_group, 5, at(11));
    flags.finish();
    EXPECT_FALSE(flags.overflow().has_value());
    flags.set(0, CrossFlags::mode_group, 5, at(12));
    flags.finish();
    ASSERT_TRUE(flags.overflow().has_value());
    EXPECT_EQ(flags.overflow()->time, 12U);
}

TEST(CrossFlags, MessagesAndSyncAllAreNotCounted) {
    CrossFlags flags = counting_to_two();
    for (const std::uint64_t time : {1U, 2U, 3U}) {
        flags.set(0, CrossFlags::mode_message, 0, at(time));
        flags.set(0, CrossFlags::mode_sync_all, 0, at(time));
        flags.set(1, CrossFlags::mode_sync_all, 0, at(time));
    }
    flags.finish();
    EXPECT_FALSE(flags.overflow().has_value());
}

}  // namespace ascendsim
