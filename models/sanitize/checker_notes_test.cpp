// SPDX-License-Identifier: Apache-2.0
// What is said without failing a run, and what is not said of a run that an error ended.
#include <nlohmann/json.hpp>

#include "models/sanitize/testing/checker_fixture.hpp"

namespace ascendsim::sanitize {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SanitizeChecker, NotesOnceAPlaceThatACountWasRounded) {
    for (int i = 0; i < 3; ++i) {
        checker.on_rounded({"k.cpp", 7}, Pipe::mte3, 100, 96);
    }
    checker.on_rounded({"k.cpp", 8}, Pipe::mte2, 16, 0);
    EXPECT_THAT(kinds(), ElementsAre("rounded_count", "rounded_count"));
    EXPECT_FALSE(checker.any_error());
    const Finding& first = checker.findings().front();
    EXPECT_EQ(first.message, "DataCopy of 100 bytes moves 96: it copies whole blocks of 32");
    EXPECT_EQ(first.count, 3U);
    EXPECT_EQ(first.later.line, 7U);
    EXPECT_EQ(first.later.pipe, Pipe::mte3);
    EXPECT_EQ(to_json(first)["severity"], "note");
    EXPECT_THAT(checker.findings().back().message, HasSubstr("moves nothing"));
}

TEST_F(SanitizeChecker, GoesOnBehindWhatReachesBeyondAnEnd) {
    checker.on_beyond(copy_info,
                      {"k.cpp", 9},
                      "reads bytes [32, 128) of global-memory buffer 'x', which has 64 bytes",
                      Pipe::mte2);
    EXPECT_TRUE(checker.any_error());
    checker.on_beyond(copy_info,
                      {"k.cpp", 4},
                      "position B2 (l0b): 131072 bytes requested, which can never fit",
                      Pipe::scalar);
    EXPECT_THAT(kinds(), ElementsAre("out_of_range", "oversized"));
    for (const Finding& finding : checker.findings()) {
        EXPECT_FALSE(finding.stops);
        EXPECT_THAT(finding.hint, HasSubstr("he run goes on, as on the chip"));
    }
    EXPECT_EQ(to_json(checker.findings().back())["severity"], "note");
}

TEST_F(SanitizeChecker, TellsWhatADocumentForbidsAndAChipDoes) {
    checker.on_beyond(copy_info, {"k.cpp", 9}, "flag 8: each pair of pipes has flags 0 to 7", Pipe::vector);
    checker.on_beyond(copy_info, {"k.cpp", 4}, "the queue is empty; EnQue comes first", Pipe::scalar);
    EXPECT_THAT(kinds(), ElementsAre("illegal", "illegal"));
    EXPECT_TRUE(checker.any_error());
    EXPECT_THAT(checker.findings().front().hint, HasSubstr("documented flags"));
    EXPECT_THAT(checker.findings().back().hint, HasSubstr("as on the chip, with the tensor"));
}

TEST_F(SanitizeChecker, KnowsOutputsThatNobodyWrote) {
    checker.declare_unwritten(gm, 256);
    EXPECT_TRUE(checker.unwritten(gm, 256));
    issue(Pipe::mte3, {global(true, 224, 32)});
    EXPECT_FALSE(checker.unwritten(gm, 256));
    EXPECT_TRUE(checker.unwritten(gm, 224));
}

TEST_F(SanitizeChecker, NamesAnOutputThatNobodyWroteWithoutAnInstruction) {
    checker.note_unwritten("z", 256);
    EXPECT_THAT(kinds(), ElementsAre("never_written"));
    EXPECT_TRUE(checker.any_error());
    EXPECT_THAT(to_text(checker.findings()),
                testing::StartsWith("never_written: output 'z' was never written: its 256 bytes"));
    EXPECT_EQ(to_json(checker.findings().front())["later"]["buffer"], "z");
}

TEST_F(SanitizeChecker, NamesThePartOfAnOutputThatNobodyWrote) {
    checker.declare_unwritten(gm, 256);
    issue(Pipe::mte3, {global(true, 0, 192)});
    issue(Pipe::mte3, {global(true, 224, 16)});
    auto runs = checker.unwritten_runs(gm, 256);
    EXPECT_THAT(runs, ElementsAre(std::pair{gm + 192, gm + 224}, std::pair{gm + 240, gm + 256}));
    for (auto& [begin, end] : runs) {
        begin -= gm;
        end -= gm;
    }
    checker.note_partly_unwritten("z", 256, runs, gm);
    checker.note_partly_unwritten("y", 256, {}, gm);
    ASSERT_THAT(kinds(), ElementsAre("never_written"));
    EXPECT_TRUE(checker.any_error());
    EXPECT_THAT(checker.findings().front().message, HasSubstr("'z': 48 of its 256 bytes were never written"));
    EXPECT_EQ(checker.findings().front().later.pipe, Pipe::mte3);  // who wrote up to there
    EXPECT_EQ(checker.findings().front().later.offset, 192);
    EXPECT_THAT(to_text(checker.findings()), HasSubstr(", leaves z [192, 224)"));
}

TEST_F(SanitizeChecker, TakesTheRestOfAnOutputsLastBlockForPadding) {
    const auto kinds_of = [this](std::uint64_t bytes, std::uint64_t written, std::uint64_t end) {
        const std::array<std::pair<std::uint64_t, std::uint64_t>, 1> runs{{{written, end}}};
        const std::size_t before = checker.findings().size();
        checker.note_partly_unwritten("z", bytes, runs, gm);
        return checker.findings().size() - before;
    };
    EXPECT_EQ(kinds_of(256, 228, 256), 0U);  // 57 floats in eight blocks of 32 B
    EXPECT_EQ(kinds_of(256, 224, 256), 1U);  // a whole block
    EXPECT_EQ(kinds_of(252, 228, 252), 1U);  // nobody rounded these 63 floats up: the copy's tail is missing
    EXPECT_EQ(kinds_of(256, 32, 60), 1U);    // in the midst
}

TEST_F(SanitizeChecker, PutsAFaultOnThePipeOfItsInstruction) {
    checker.on_fault(copy_info, {"k.cpp", 9}, "ub offset 33 is not a multiple of 32 bytes", Pipe::mte2);
    checker.finish(Checker::Ending::failed);
    ASSERT_EQ(checker.findings().size(), 1U);
    EXPECT_EQ(checker.findings().front().later.pipe, Pipe::mte2);
    EXPECT_EQ(to_json(checker.findings().front())["stops"], true);
}

TEST_F(SanitizeChecker, BlamesNoWaitForASetThatAnErrorKeptFromComing) {
    await(Pipe::mte2, Pipe::vector);
    checker.finish(Checker::Ending::failed);
    EXPECT_THAT(checker.findings(), IsEmpty());
}

TEST_F(SanitizeChecker, NamesTheWaitThatADeadlockStandsAt) {
    await(Pipe::mte2, Pipe::vector);
    checker.finish(Checker::Ending::stuck);
    ASSERT_EQ(checker.findings().size(), 1U);
    EXPECT_EQ(checker.findings().front().kind, Kind::wait_never_set);
    EXPECT_TRUE(checker.findings().front().stops);
}

TEST_F(TwoCores, NameTheFlagThatIsUpWhereAnotherIsWaitedFor) {
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);
    checker.on_issue(
        {.info = &flag_info, .site = next(), .kind = isa::OpKind::cross_wait, .pipe = Pipe::scalar, .id = 4},
        {});
    second.resume();
    sync(isa::OpKind::cross_set, 0, Pipe::mte3);  // flag 0 is up now on both
    ASSERT_THAT(kinds(false), ElementsAre("wait_never_set"));
    EXPECT_THAT(checker.findings().front().hint,
                HasSubstr("Flag 0 is up and nobody waits for it: k.cpp:1 sets it."));
}

TEST_F(SanitizeChecker, SaysBehindWhatLiesABufferThatWasReadWithoutAContent) {
    const std::uint64_t other = memory.offset_of(memory.allocate("out", 64));
    checker.declare_unwritten(other, 64);
    issue(Pipe::mte2, {{.memory = Memory::gm, .offset = other, .row_bytes = 64}});
    ASSERT_THAT(kinds(), ElementsAre("uninitialised_read"));
    EXPECT_THAT(checker.findings().front().hint, HasSubstr("it lies behind 'z' in memory, whose 4096 bytes"));
}

TEST_F(SanitizeChecker, SaysBehindWhatLiesTheBufferThatAFaultNames) {
    memory.allocate("b", 64);
    memory.allocate("c", 64);
    checker.on_fault(copy_info,
                     {"k.cpp", 9},
                     "reads bytes [32, 128) of global-memory buffer 'c', which has 64 bytes",
                     Pipe::mte2);
    checker.finish(Checker::Ending::failed);
    ASSERT_EQ(checker.findings().size(), 1U);
    EXPECT_EQ(checker.findings().front().kind, Kind::out_of_range);
    EXPECT_THAT(
        checker.findings().front().hint,
        HasSubstr("If 'c' is not meant: it lies behind 'b' and 'z' in memory, one of which may be overrun."));
}

TEST_F(SanitizeChecker, NamesTheKernelsLineForWhatACallOfTheFrameworkIssues) {
    core.set_framework_folder("frame/work");
    const auto inside = [this](const char* file, std::uint32_t number, bool write) {
        isa::Accesses accesses;
        write ? accesses.write(ub(true, 0, 64)) : accesses.read(ub(false, 0, 64));
        checker.on_issue(
            {.info = &copy_info, .site = {file, number}, .pipe = write ? Pipe::mte2 : Pipe::vector},
            accesses);
    };
    {
        const isa::CallScope call{{"k.cpp", 30}};
        const isa::CallScope inner{{"k.cpp", 99}};  // the outermost call counts
        inside("at/frame/work/matmul/engine.h", 120, true);
    }
    inside("k.cpp", 31, false);
    ASSERT_THAT(kinds(), ElementsAre("race"));
    EXPECT_EQ(checker.findings().front().earlier->file, "k.cpp");
    EXPECT_EQ(checker.findings().front().earlier->line, 30U);
    EXPECT_EQ(checker.findings().front().later.line, 31U);
}

TEST_F(SanitizeChecker, KeepsTheLineOfACallbackWithinACallOfTheFramework) {
    core.set_framework_folder("frame/work");
    const isa::CallScope call{{"k.cpp", 30}};
    EXPECT_EQ(core.kernel_line({"k.cpp", 12}).line, 12U);
    EXPECT_EQ(core.kernel_line({"x/frame/work/matmul/engine.h", 12}).line, 30U);
    EXPECT_EQ(core.kernel_line({"x/frame/workshop/k.cpp", 12}).line, 12U);
    core.set_framework_folder({});
    EXPECT_EQ(core.kernel_line({"x/frame/work/matmul/engine.h", 12}).line, 12U);
}

}  // namespace
}  // namespace ascendsim::sanitize
