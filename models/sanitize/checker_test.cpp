// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/checker.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "models/sanitize/testing/checker_fixture.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::sanitize {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(SanitizeChecker, AcceptsACopyAndAComputationOrderedByAFlag) {
    issue(Pipe::mte2, {global(false, 0, 256), ub(true, 0, 256)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 256), ub(true, 256, 256)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, NamesBothSidesOfARaceAndTheBytesTheyShare) {
    issue(Pipe::mte2, {global(false, 0, 256), ub(true, 0, 256)});
    issue(Pipe::vector, {ub(false, 128, 64), ub(true, 512, 64)});
    ASSERT_THAT(kinds(), ElementsAre("race"));
    const Finding& finding = checker.findings().front();
    EXPECT_EQ(finding.earlier->line, 1U);
    EXPECT_EQ(finding.earlier->pipe, Pipe::mte2);
    EXPECT_EQ(finding.earlier->access, "write");
    EXPECT_EQ(finding.later.line, 2U);
    EXPECT_EQ(finding.later.pipe, Pipe::vector);
    EXPECT_EQ(finding.later.core, "aiv0");
    EXPECT_EQ(finding.overlap_offset, 128U);
    EXPECT_EQ(finding.overlap_bytes, 64U);
    EXPECT_THAT(finding.hint,
                testing::HasSubstr("SetFlag<HardEvent::MTE2_V> behind copy of line 1 and "
                                   "WaitFlag<HardEvent::MTE2_V> before work of line 2"));
    const nlohmann::json json = to_json(finding);
    EXPECT_EQ(json["kind"], "race");
    EXPECT_EQ(json["earlier"]["line"], 1);
    EXPECT_EQ(json["overlap"]["bytes"], 64);
    EXPECT_THAT(to_text(checker.findings()), testing::HasSubstr("k.cpp:2: work on vector of aiv0"));
}

TEST_F(SanitizeChecker, FindsABufferOverwrittenWhileItIsStillRead) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    issue(Pipe::mte2, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), ElementsAre("race"));
}

TEST_F(SanitizeChecker, OrdersThroughAThirdPipe) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    set(Pipe::vector, Pipe::mte3);
    await(Pipe::vector, Pipe::mte3);
    issue(Pipe::mte3, {ub(false, 0, 64), global(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, ComparesStridedRowsAndNotTheirHull) {
    const auto rows = [](bool write, std::uint64_t offset) {
        return Access{
            .memory = Memory::ub, .write = write, .offset = offset, .row_bytes = 32, .rows = 8, .pitch = 64};
    };
    issue(Pipe::mte2, {rows(true, 0)});
    issue(Pipe::vector, {rows(true, 32)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, ComparesPlanesOfRows) {
    const Access planes{.memory = Memory::ub,
                        .write = true,
                        .offset = 0,
                        .row_bytes = 32,
                        .rows = 2,
                        .pitch = 256,
                        .planes = 2,
                        .plane_pitch = 64};
    issue(Pipe::mte2, {planes});               // 0, 256, 64, 320
    issue(Pipe::vector, {ub(true, 32, 32)});   // between
    issue(Pipe::vector, {ub(true, 320, 32)});  // the last row
    ASSERT_THAT(kinds(), ElementsAre("race"));
    EXPECT_EQ(checker.findings().front().later.line, 3U);
}

TEST_F(SanitizeChecker, WantsABarrierBetweenDependentVectorInstructions) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(false, 64, 64), ub(true, 128, 64)});
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, LetsAVectorInstructionOverwriteWhatTheOneBeforeRead) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 64), ub(true, 64, 64)});
    issue(Pipe::vector, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, WantsABarrierBetweenSmallAccumulationsOnly) {
    const auto mmad = [&](std::uint64_t offset, std::uint64_t fractals) {
        const Access c{.memory = Memory::l0c, .offset = offset, .row_bytes = fractals * 1024};
        Access write = c;
        write.write = true;
        issue(Pipe::cube, {c, write});
    };
    issue(Pipe::cube, {{.memory = Memory::l0c, .write = true, .offset = 0, .row_bytes = 64 * 1024}});
    barrier(Pipe::cube);
    mmad(0, 10);
    mmad(0, 10);
    EXPECT_THAT(checker.findings(), IsEmpty());
    mmad(32768, 9);
    mmad(32768, 9);
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, KnowsThatAScalarReadEndsBeforeTheNextIssue) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::scalar);
    await(Pipe::mte2, Pipe::scalar);
    issue(Pipe::scalar, {ub(false, 0, 4)}, isa::OpKind::scalar_work);
    issue(Pipe::vector, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, WantsAFlagBetweenAScalarWriteAndAPipe) {
    issue(Pipe::scalar, {ub(true, 0, 4)}, isa::OpKind::scalar_work);
    issue(Pipe::vector, {ub(false, 0, 4), ub(true, 64, 4)});
    EXPECT_THAT(kinds(), ElementsAre("race"));
}

TEST_F(SanitizeChecker, ReportsBytesNeverWrittenOnceForEachPairOfLines) {
    issue(Pipe::mte2, {ub(true, 0, 32)});
    set(Pipe::mte2, Pipe::mte3);
    await(Pipe::mte2, Pipe::mte3);
    for (int i = 0; i < 3; ++i) {
        line = 10;
        issue(Pipe::mte3, {ub(false, 0, 64)});
    }
    ASSERT_THAT(kinds(), ElementsAre("uninitialised_read"));
    EXPECT_EQ(checker.findings().front().overlap_offset, 32U);
    EXPECT_EQ(checker.findings().front().count, 3U);
}

TEST_F(SanitizeChecker, LetsAVectorInstructionReadTheRestOfARepeat) {
    issue(Pipe::mte2, {ub(true, 0, 288), ub(true, 1024, 288)});
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::mte2, Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 512)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::vector, {ub(false, 1024, 544)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, LeavesEmptyRepeatsToTheRunThatRepeatsThisOne) {
    checker.set_repeated();
    issue(Pipe::vector, {ub(true, 0, 288)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(false, 0, 1024)});
    EXPECT_THAT(kinds(), IsEmpty());
    ASSERT_EQ(checker.suspects().size(), 1);
    checker.confirm_wide();  // no: it was not repeated after all
    EXPECT_THAT(checker.findings().size(), 1);
}

TEST_F(SanitizeChecker, DoesNotTakeUnwrittenBytesForAddresses) {
    issue(Pipe::vector, {ub(true, 0, 192)});
    barrier(Pipe::vector);
    issue(Pipe::vector, {{.memory = Memory::ub, .row_bytes = 256, .addresses = true}});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, KnowsWhichLanesAMaskLeavesOut) {
    const Access even{.memory = Memory::ub,
                      .write = true,
                      .row_bytes = 256,
                      .rows = 2,
                      .pitch = 256,
                      .lane_bytes = 4,
                      .lanes = {0x5555'5555'5555'5555U, 0}};
    Access odd = even;
    odd.lanes = {0xAAAA'AAAA'AAAA'AAAAU, 0};
    issue(Pipe::vector, {even});
    issue(Pipe::vector, {odd});  // no lane of which is one of the others
    EXPECT_THAT(checker.findings(), IsEmpty());
    odd.write = false;
    issue(Pipe::vector, {odd});
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, AsksForABarrierBetweenCopiesToOnePlace) {
    issue(Pipe::mte3, {global(true, 0, 128)});
    issue(Pipe::mte3, {global(true, 128, 64)});  // behind it
    issue(Pipe::mte3, {global(true, 64, 128)});  // the same bytes again: no matter which is the last
    issue(Pipe::mte2, {ub(true, 0, 32)});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte3, {global(true, 96, 64)});
    memory.base()[gm + 100] = std::byte{1};
    issue(Pipe::mte2, {ub(true, 0, 32)});
    EXPECT_THAT(kinds(), ElementsAre("missing_barrier"));
}

TEST_F(SanitizeChecker, ComparesWhatACopyBroughtBeforeOthersWriteThere) {
    issue(Pipe::mte3, {global(true, 0, 128)});
    issue(Pipe::mte3, {global(true, 0, 128)});  // the same bytes again
    set(Pipe::mte3, Pipe::scalar);
    memory.base()[gm + 100] = std::byte{1};  // by a store that waited for both
    issue(Pipe::mte2, {ub(true, 0, 32)});
    EXPECT_THAT(checker.findings(), IsEmpty());
}

TEST_F(SanitizeChecker, AcceptsCopiesToOnePlaceWithABarrierAndSums) {
    issue(Pipe::mte3, {global(true, 0, 128)});
    barrier(Pipe::mte3);
    issue(Pipe::mte3, {global(true, 0, 128, true)});
    issue(Pipe::mte3, {global(true, 0, 128, true)});  // in any order
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, LetsTheCubeReadTheUnusedPartOfAFractal) {
    issue(Pipe::mte2, {{.memory = Memory::l1, .write = true, .offset = 0, .row_bytes = 256}});
    set(Pipe::mte2, Pipe::mte1);
    await(Pipe::mte2, Pipe::mte1);
    issue(Pipe::mte1, {{.memory = Memory::l1, .offset = 0, .row_bytes = 512}});
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte1, {{.memory = Memory::l1, .offset = 1024, .row_bytes = 512}});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, KnowsOutputsToBeEmptyUntilTheyAreWritten) {
    checker.declare_unwritten(gm, 4096);
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, LetsACopyBringTheRestOfABlock) {
    checker.declare_unwritten(gm, 4096);
    issue(Pipe::mte3, {global(true, 0, 4)});
    set(Pipe::mte3, Pipe::mte2);
    await(Pipe::mte3, Pipe::mte2);
    issue(Pipe::mte2, {global(false, 0, 32)});  // 28 bytes behind the value
    EXPECT_THAT(checker.findings(), IsEmpty());
    issue(Pipe::mte2, {global(false, 0, 64)});
    EXPECT_THAT(kinds(), ElementsAre("uninitialised_read"));
}

TEST_F(SanitizeChecker, JudgesFlagsSetTwiceNeverWaitedAndNeverSet) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    set(Pipe::mte2, Pipe::vector);
    await(Pipe::vector, Pipe::mte3, 3);
    EXPECT_THAT(kinds(), ElementsAre("double_set", "wait_never_set", "set_never_waited"));
}

TEST_F(SanitizeChecker, DoesNotCallAFlagUnwaitedWhenTheRunWasCutShort) {
    issue(Pipe::mte2, {ub(true, 0, 64)});
    set(Pipe::mte2, Pipe::vector);
    checker.on_fault(
        work_info, next(), "vector operand offset 5 is not a multiple of 32 bytes", Pipe::vector);
    EXPECT_THAT(kinds(false), ElementsAre("misaligned"));
}

TEST_F(SanitizeChecker, PricesFlagsAndBarriersThatNeverBringNews) {
    issue(Pipe::vector, {ub(true, 0, 64)});
    for (int i = 0; i < 2; ++i) {
        line = 10;
        barrier(Pipe::vector);
    }
    EXPECT_THAT(checker.findings(), IsEmpty());
    line = 20;
    barrier(Pipe::vector);
    ASSERT_THAT(kinds(), ElementsAre("redundant_barrier"));
    EXPECT_EQ(checker.findings().front().later.line, 21U);
    EXPECT_EQ(checker.findings().front().cost_cycles, chip.sync.barrier_cycles);
    EXPECT_FALSE(checker.any_error());
}

TEST_F(SanitizeChecker, DoesNotBlameFlagsSetAheadOfALoop) {
    set(Pipe::vector, Pipe::mte2);
    await(Pipe::vector, Pipe::mte2);
    issue(Pipe::mte2, {ub(true, 0, 64)});
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, DoesNotBlameAWaitThatOnlyEndsALoop) {
    const auto round = [&] {
        issue(Pipe::mte2, {ub(true, 0, 64)});
        set(Pipe::mte2, Pipe::vector);
    };
    round();
    await(Pipe::mte2, Pipe::vector);
    line = 0;
    round();
    barrier_all();
    await(Pipe::mte2, Pipe::vector);
    EXPECT_THAT(kinds(), IsEmpty());
}

TEST_F(SanitizeChecker, FollowsTheBuffersOfTheFramework) {
    using isa::BufferNotice;
    checker.on_buffer(BufferNotice::reserved, ub(true, 0, 64), {"k.cpp", 100});
    checker.on_buffer(BufferNotice::live, ub(true, 64, 64), {"k.cpp", 101});
    issue(Pipe::vector, {ub(true, 0, 64)});    // not taken yet
    issue(Pipe::vector, {ub(true, 256, 64)});  // nobody's
    issue(Pipe::vector, {ub(true, 96, 64)});   // from its buffer into nowhere
    checker.on_buffer(BufferNotice::live, ub(true, 128, 64), {"k.cpp", 102});
    barrier(Pipe::vector);
    issue(Pipe::vector, {ub(true, 96, 64)});  // from its buffer into the next
    EXPECT_THAT(kinds(),
                ElementsAre("use_after_free", "unallocated_use", "unallocated_use", "buffer_overrun"));
    EXPECT_EQ(checker.findings().back().overlap_offset, 128U);
}

// A kernel has many buffers in one memory: a line alone does not say which is meant.
TEST_F(SanitizeChecker, NamesABufferAsTheSourceDoes) {
    const process::TemporaryFolder folder;
    const std::string kernel = (folder.path() / "b.cpp").string();
    std::ofstream{kernel} << "void Init() {\n    pipe.InitBuffer(tmpBuf, 256);\n}\n";
    checker.on_buffer(isa::BufferNotice::live, ub(true, 0, 256), {kernel.c_str(), 2});
    checker.on_buffer(isa::BufferNotice::live, ub(true, 256, 256), {"k.cpp", 100});
    issue(Pipe::mte2, {global(false, 0, 256), ub(true, 0, 256)});
    issue(Pipe::vector, {ub(false, 0, 256), ub(true, 256, 256)});
    issue(Pipe::mte3, {ub(false, 256, 256), global(true, 256, 256)});
    ASSERT_THAT(kinds(), ElementsAre("race", "race"));
    EXPECT_EQ(checker.findings()[0].later.buffer, "ub (tmpBuf of b.cpp:2)");
    EXPECT_EQ(checker.findings()[1].later.buffer, "ub (buffer of line 100)");  // k.cpp is not there
}

}  // namespace
}  // namespace ascendsim::sanitize
