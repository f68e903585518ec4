// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/testing/checker_fixture.hpp"

namespace ascendsim::sanitize {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(TwoCores, FindsTwoCoresWritingOneRange) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    second.resume();
    issue(Pipe::mte3, {global(true, 32, 64)});
    ASSERT_THAT(kinds(), ElementsAre("core_race"));
    EXPECT_EQ(checker.findings().front().later.buffer, "z");
    EXPECT_EQ(checker.findings().front().overlap_offset, 32U);
    EXPECT_EQ(checker.findings().front().overlap_bytes, 32U);
    EXPECT_EQ(checker.findings().front().earlier->core, "aiv0");
}

TEST_F(TwoCores, FindsAWriteToWhatAnotherCoreHasRead) {
    issue(Pipe::mte2, {global(false, 0, 64)});
    issue(Pipe::mte2, {global(false, 256, 64)});
    second.resume();
    issue(Pipe::mte3, {global(true, 96, 128)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte3, {global(true, 192, 128)});
    ASSERT_THAT(kinds(), ElementsAre("core_race"));
    EXPECT_EQ(checker.findings().front().earlier->line, 2U);
    EXPECT_EQ(checker.findings().front().overlap_offset, 256U);
}

TEST_F(TwoCores, LetsAtomicUpdatesMeetButNotAPlainRead) {
    issue(Pipe::mte3, {global(true, 0, 64, true)});
    second.resume();
    issue(Pipe::mte3, {global(true, 0, 64, true)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte2, {global(false, 0, 64)});
    // Its own update by mte3 is not ordered either.
    EXPECT_THAT(kinds(), testing::UnorderedElementsAre("core_race", "race"));
}

TEST_F(TwoCores, TakesSyncAllAsOrderBetweenAllPipesOfAllCores) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(TwoCores, OrdersOnlyWhatThePipeOfACrossCoreFlagHadDone) {
    issue(Pipe::mte3, {global(true, 0, 64)});
    issue(Pipe::mte2, {global(false, 64, 64)});
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    second.resume();
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    issue(Pipe::mte3, {global(true, 0, 64)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte3, {global(true, 64, 64)});
    EXPECT_THAT(kinds(), ElementsAre("core_race"));
}

TEST_F(TwoCores, NamesTheCoreOfARedundantBarrierOfAnEarlierLaunchWithMoreCores) {
    second.resume();
    issue(Pipe::vector, {ub(true, 0, 64)});
    barrier(Pipe::vector);
    barrier(Pipe::vector);
    const std::vector<isa::LaunchCore> only_first{{CoreKind::aiv, 0, 0}};
    checker.on_launch(only_first);
    ASSERT_THAT(kinds(), ElementsAre("redundant_barrier"));
    EXPECT_EQ(checker.findings().front().later.core, "aiv1");
    EXPECT_EQ(checker.findings().front().later.line, 3U);
}

TEST_F(TwoCores, ReportsACrossCoreFlagThatStaysUp) {
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    sync(isa::OpKind::cross_wait);
    second.resume();
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    EXPECT_THAT(kinds(), ElementsAre("set_never_waited"));
    EXPECT_THAT(checker.findings().front().message, testing::HasSubstr("aiv1"));
}

TEST_F(TwoCores, SeesStoresThatShareALineOrStayInACache) {
    const auto store = [&](std::uint64_t offset) {
        issue(Pipe::scalar, {global(true, offset, 4)}, isa::OpKind::scalar_work);
    };
    store(0);
    second.resume();
    store(60);
    core.resume();
    store(256);
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 256, 4)});
    EXPECT_THAT(kinds(), ElementsAre("cache_line_shared", "cache_not_cleaned"));
}

TEST_F(TwoCores, AcceptsStoresThatWereCleaned) {
    issue(Pipe::scalar, {global(true, 256, 4)}, isa::OpKind::scalar_work);
    checker.on_clean(gm + 256, false);
    sync(isa::OpKind::sync_all);
    second.resume();
    sync(isa::OpKind::sync_all);
    issue(Pipe::mte2, {global(false, 256, 4)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(TwoCores, ForgetsAccessesButNotContentsBetweenLaunches) {
    checker.declare_unwritten(gm, 4096);
    issue(Pipe::mte3, {global(true, 0, 64)});
    const std::vector<isa::LaunchCore> cores{{CoreKind::aiv, 0, 0}, {CoreKind::aiv, 1, 0}};
    checker.on_launch(cores);
    second.resume();
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte2, {global(false, 64, 64)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

}  // namespace
}  // namespace ascendsim::sanitize
