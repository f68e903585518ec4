// SPDX-License-Identifier: Apache-2.0
// Findings name the cycles of what they found. Every expected time is added up beside it from the plain
// chip's costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/core/testing_programs.hpp"
#include "models/sanitize/checker.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::sanitize {
namespace {

using ascendsim::testing::plain_chip;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Work on 64 bytes of the unified buffer, as an instruction at `line` does it.
void touch(Pipe pipe, std::uint32_t line, bool write, std::uint32_t occupies, std::uint32_t latency = 0) {
    isa::CorePort& core = isa::CorePort::current();
    const isa::TimedOp op{.info = &ascendsim::testing::work_info,
                          .site = {"k.cpp", line},
                          .pipe = pipe,
                          .occupies = occupies,
                          .latency = latency};
    isa::Accesses accesses;
    const isa::Local where{Memory::ub, 0};
    write ? accesses.write(where, 64) : accesses.read(where, 64);
    core.observer()->on_issue(op, accesses);
    core.push(op);
}

struct Times {
    std::uint64_t earlier;
    std::uint64_t earlier_end;
    std::uint64_t later;
    std::uint64_t later_end;
    friend bool operator==(const Times&, const Times&) = default;
};

std::vector<Times> times_of(const std::vector<Finding>& findings) {
    std::vector<Times> all;
    for (const Finding& finding : findings) {
        all.push_back({finding.earlier->cycle.value(),
                       finding.earlier->end_cycle.value(),
                       finding.later.cycle.value(),
                       finding.later.end_cycle.value()});
    }
    return all;
}

/// Launches the programs one after the other and returns what was found.
std::vector<Finding> found_in(const std::vector<Program>& programs, std::uint32_t blocks = 1) {
    const ChipSpec chip = plain_chip();
    record::Recorder recorder{""};
    Checker checker{chip};
    Machine machine{chip, recorder, {.observer = &checker, .cold_code = false, .launch_overhead = false}};
    bool completed = true;
    try {
        machine.run([&](Machine& host) {
            for (const Program& program : programs) {
                host.launch(
                    {.name = "test", .kind = CoreUse::aiv, .blocks = blocks, .vector_program = program});
            }
        });
    } catch (const ProgramError&) {
        completed = false;
    }
    checker.finish(completed ? Checker::Ending::completed : Checker::Ending::stuck);
    return checker.findings();
}

TEST(CheckerTimes, BothSidesOfARaceHaveTheirCycles) {
    const std::vector<Finding> findings = found_in({[] {
        touch(Pipe::vector, 1, true, 100, 7);  // 0 to 107
        touch(Pipe::mte3, 2, false, 50);       // 0 to 50: nothing holds it
    }});
    EXPECT_THAT(times_of(findings), ElementsAre(Times{0, 107, 0, 50}));
    EXPECT_THAT(to_text(findings), HasSubstr("k.cpp:2: work on mte3 of aiv0 (block 0), cycles 0 to 50"));
    EXPECT_THAT(to_text(findings), HasSubstr("in this run they overlapped for 50 cycles"));
}

TEST(CheckerTimes, SayHowNearARaceWithoutEffectCame) {
    const std::vector<Finding> findings = found_in({[] {
        touch(Pipe::vector, 1, true, 100, 7);       // 0 to 107
        ascendsim::testing::work(Pipe::mte3, 200);  // 0 to 200, unseen by the checker
        touch(Pipe::mte3, 2, false, 50);            // 200 to 250
    }});
    EXPECT_THAT(times_of(findings), ElementsAre(Times{0, 107, 200, 250}));
    EXPECT_THAT(to_text(findings), HasSubstr("in this run 93 cycles lay between them, by luck"));
}

TEST(CheckerTimes, SayIfTheLaterOneWasDoneBefore) {
    const std::vector<Finding> findings = found_in({[] {
        ascendsim::testing::work(Pipe::vector, 200);  // 0 to 200, unseen by the checker
        touch(Pipe::vector, 1, true, 100);            // 200 to 300
        touch(Pipe::mte3, 2, false, 50);              // 0 to 50
    }});
    EXPECT_THAT(times_of(findings), ElementsAre(Times{200, 300, 0, 50}));
    EXPECT_THAT(to_text(findings), HasSubstr("was done 150 cycles before the other began"));
}

TEST(CheckerTimes, AreThoseOfTheirLaunch) {
    const std::vector<Finding> findings = found_in({[] {
                                                        touch(Pipe::vector, 1, true, 100);  // 0 to 100
                                                        touch(Pipe::mte3, 2, false, 50);    // 0 to 50
                                                    },
                                                    [] {
                                                        touch(Pipe::mte3, 3, true, 30);     // 100 to 130
                                                        touch(Pipe::vector, 4, false, 20);  // 100 to 120
                                                    }});
    EXPECT_THAT(times_of(findings), ElementsAre(Times{0, 100, 0, 50}, Times{100, 130, 100, 120}));
}

/// Copies of mte3 for 200 cycles on core 0 and for 50 on the others, unseen by the checker.
void keep_the_first_core_longer() {
    const bool first = isa::CorePort::current().identity().block == 0;
    ascendsim::testing::work(Pipe::mte3, first ? 200 : 50);
}

TEST(CheckerTimes, OfSeveralCoresTheFirstInSimulatedTimeIsNamed) {
    const std::vector<Finding> findings =
        found_in({[] {
                     keep_the_first_core_longer();
                     touch(Pipe::vector, 1, true, 100);  // 0 to 100
                     touch(Pipe::mte3, 2, false, 30);    // 200 to 230 on aiv0, 50 to 80 on aiv1 and aiv2
                 }},
                 3);
    EXPECT_THAT(times_of(findings), ElementsAre(Times{0, 100, 50, 80}));
    EXPECT_EQ(findings.front().later.core, "aiv1");  // the lower of two numbers at the same cycle
    EXPECT_EQ(findings.front().later.block, 1U);
    EXPECT_EQ(findings.front().earlier->core, "aiv1");
    EXPECT_EQ(findings.front().count, 3U);
}

TEST(CheckerTimes, AnEarlierLaunchIsFirstOnWhateverCore) {
    const Program racing = [] {
        touch(Pipe::vector, 1, true, 100);
        touch(Pipe::mte3, 2, false, 50);
    };
    const std::vector<Finding> findings = found_in({[&racing] {
                                                        if (isa::CorePort::current().identity().block == 1) {
                                                            racing();
                                                        }
                                                    },
                                                    racing},
                                                   2);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().later.core, "aiv1");
    EXPECT_EQ(findings.front().later.cycle, 0U);
    EXPECT_EQ(findings.front().count, 3U);  // one in the first launch, two in the second
}

TEST(CheckerTimes, OfARedundantBarrierTheFirstCoreInSimulatedTimeIsNamed) {
    const std::vector<Finding> findings =
        found_in({[] {
                     isa::CorePort& core = isa::CorePort::current();
                     touch(Pipe::mte3, 1, true, core.identity().block == 0 ? 200 : 50);
                     for (const std::uint32_t line : {2U, 3U}) {  // the second has nothing left to wait for
                         const isa::TimedOp barrier{.info = &ascendsim::testing::flag_info,
                                                    .site = {"k.cpp", line},
                                                    .kind = isa::OpKind::barrier,
                                                    .pipe = Pipe::mte3};
                         core.observer()->on_issue(barrier, {});
                         core.push(barrier);
                     }
                 }},
                 2);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().kind, Kind::redundant_barrier);
    EXPECT_EQ(findings.front().later.line, 3U);
    EXPECT_EQ(findings.front().later.core, "aiv1");  // its copy is done 150 cycles earlier
    EXPECT_EQ(findings.front().count, 2U);
}

TEST(CheckerTimes, OfAWaitThatNeverEndsOnlyTheBeginningIsKnown) {
    const std::vector<Finding> findings = found_in({[] {
        touch(Pipe::vector, 1, true, 100);
        isa::CorePort& core = isa::CorePort::current();
        const isa::TimedOp wait{.info = &ascendsim::testing::flag_info,
                                .site = {"k.cpp", 2},
                                .kind = isa::OpKind::wait_flag,
                                .pipe = Pipe::mte3,
                                .a = static_cast<std::uint8_t>(Pipe::vector),
                                .b = static_cast<std::uint8_t>(Pipe::mte3)};
        core.observer()->on_issue(wait, {});
        core.push(wait);  // handed over at once: nothing costs the scalar unit time
    }});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().kind, Kind::wait_never_set);
    EXPECT_EQ(findings.front().later.cycle, 0U);
    EXPECT_FALSE(findings.front().later.end_cycle);
    EXPECT_THAT(to_text(findings), HasSubstr("cycle 0 on"));
}

}  // namespace
}  // namespace ascendsim::sanitize
