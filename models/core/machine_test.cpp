// SPDX-License-Identifier: Apache-2.0
// Every expected time is added up beside it from the plain chip's costs.
#include "models/core/machine.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/core/testing_programs.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/port/mailbox.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

TEST(Machine, PipesRunInParallel) {
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                work(Pipe::vector, 100);
                                work(Pipe::mte3, 60);
                            }),
              100U);
}

TEST(Machine, OnePipeRunsInOrderAndOverlapsLatency) {
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                work(Pipe::vector, 10, 5);
                                work(Pipe::vector, 10, 5);  // starts at 10, not 15
                            }),
              25U);
}

TEST(Machine, BarrierWaitsForLatency) {
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                work(Pipe::vector, 10, 5);
                                barrier(Pipe::vector);  // until 15
                                work(Pipe::vector, 10, 5);
                            }),
              30U);
}

TEST(Machine, FlagOrdersTwoPipes) {
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                work(Pipe::vector, 100, 7);
                                set(Pipe::vector, Pipe::mte3);
                                await(Pipe::vector, Pipe::mte3);  // until 107
                                work(Pipe::mte3, 50);
                            }),
              157U);
}

TEST(Machine, WaitMayBeIssuedBeforeItsSet) {
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                await(Pipe::vector, Pipe::mte3);
                                work(Pipe::mte3, 50);
                                work(Pipe::vector, 100);
                                set(Pipe::vector, Pipe::mte3);
                            }),
              150U);
}

namespace {

/// Eight rounds of 100 cycles of vector work and 60 cycles of store, over `buffers` buffers.
std::uint64_t pipeline_cycles(std::uint32_t buffers) {
    return vector_cycles(plain_chip(), 1, [buffers] {
        for (std::uint32_t i = 0; i < buffers; ++i) {
            set(Pipe::mte3, Pipe::vector, i);
        }
        for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t slot = i % buffers;
            await(Pipe::mte3, Pipe::vector, slot);
            work(Pipe::vector, 100);
            set(Pipe::vector, Pipe::mte3, slot);
            await(Pipe::vector, Pipe::mte3, slot);
            work(Pipe::mte3, 60);
            set(Pipe::mte3, Pipe::vector, slot);
        }
    });
}

}  // namespace

TEST(Machine, OneBufferMakesPipesTakeTurns) {
    EXPECT_EQ(pipeline_cycles(1), 8U * 160U);
}

TEST(Machine, TwoBuffersHideTheShorterPipe) {
    EXPECT_EQ(pipeline_cycles(2), 8U * 100U + 60U);
}

TEST(Machine, FullQueueHoldsTheScalarUnit) {
    ChipSpec chip = plain_chip();
    chip.scalar.queue_depth_other = 2;
    record::Recorder recorder{""};
    // Entries leave the queue when they start: at 0, 100, 200, ... The 4th finds room when the 2nd starts, at
    // 100; the store behind it is issued then and ends at 101.
    const LaunchOutcome outcome = run_vector(
        chip,
        1,
        [] {
            for (int i = 0; i < 4; ++i) {
                work(Pipe::vector, 100);
            }
            work(Pipe::mte3, 1);
            EXPECT_EQ(isa::CorePort::current().system_cycle(here), 101U);
        },
        recorder);
    EXPECT_EQ(outcome.cores_end, 400U);
}

TEST(Machine, IndependentCoresTakeTheTimeOfOne) {
    const Program program = [] {
        for (int i = 0; i < 10; ++i) {
            work(Pipe::vector, 10 + static_cast<std::uint32_t>(i));
        }
    };
    EXPECT_EQ(vector_cycles(plain_chip(), 1, program), 145U);
}

TEST(Machine, FortyEightIndependentCoresTakeTheTimeOfOne) {
    EXPECT_EQ(vector_cycles(plain_chip(), 48, [] { work(Pipe::vector, 145); }), 145U);
}

TEST(Machine, MoreBlocksThanCoresRunInWaves) {
    ChipSpec chip = plain_chip();
    chip.launch.block_cycles = 7;
    EXPECT_EQ(vector_cycles(chip, 96, [] { work(Pipe::vector, 100); }), 207U);
}

/// Until its first core begins, a launch of `blocks` cube cores with their vector cores takes so long, in us.
double mixed_head_us(std::uint32_t blocks) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.launch = {
        .head_us = 0, .per_core_us = 0, .mix_extra_us = 1, .mix_share_us = 4, .idle_us = 0, .tail_us = 0};
    Machine machine{chip, recorder, {.cold_code = false}};
    double head = 0;
    machine.run([&](Machine& m) {
        const LaunchOutcome outcome = m.launch({.name = "mixed",
                                                .kind = CoreUse::mix_1_2,
                                                .blocks = blocks,
                                                .vector_program = [] { work(Pipe::vector, 1); },
                                                .cube_program = [] { work(Pipe::cube, 1); }});
        head = static_cast<double>(outcome.first_core - outcome.start) / chip.cores.clock_ghz / 1000;
    });
    return head;
}

TEST(Machine, AMixedLaunchPaysForTheShareOfCoresItStarts) {
    EXPECT_NEAR(mixed_head_us(plain_chip().cores.aic), 1 + 4, 0.01);
}

TEST(Machine, AMixedLaunchOfFewCoresPaysForThese) {
    EXPECT_NEAR(mixed_head_us(plain_chip().cores.aic / 4), 1 + 4.0 / 4, 0.01);
}

TEST(Machine, ALaunchThatFindsTheDeviceIdleStartsLater) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.launch = {.head_us = 1, .per_core_us = 0, .mix_extra_us = 0, .idle_us = 2, .tail_us = 0};
    Machine machine{chip, recorder, {.cold_code = false, .from_idle = true}};
    std::uint64_t head = 0;
    machine.run([&](Machine& m) {
        const LaunchOutcome outcome =
            m.launch({.name = "one", .vector_program = [] { work(Pipe::vector, 1); }});
        head = outcome.first_core - outcome.start;
    });
    EXPECT_EQ(head, 5550U);  // 3 us at 1.85 GHz
}

TEST(Machine, DeadlockNamesWhoWaitsForWhat) {
    try {
        vector_cycles(plain_chip(), 1, [] {
            await(Pipe::mte2, Pipe::vector, 3);
            work(Pipe::vector, 1);
        });
        FAIL() << "the run ended";
    } catch (const ProgramError& error) {
        EXPECT_NE(std::string{error.what()}.find("aiv0"), std::string::npos) << error.what();
        EXPECT_NE(std::string{error.what()}.find("waits for flag 3 from mte2"), std::string::npos)
            << error.what();
    }
}

TEST(Machine, DeadlockNamesASetThatIsNotReached) {
    try {
        vector_cycles(plain_chip(), 1, [] {
            await(Pipe::mte2, Pipe::vector, 3);  // never set
            set(Pipe::vector, Pipe::mte3, 1);
            await(Pipe::vector, Pipe::mte3, 1);
            work(Pipe::mte3, 1);
        });
        FAIL() << "the run ended";
    } catch (const ProgramError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("flag 3 from mte2, which nothing sets"), std::string::npos) << text;
        EXPECT_NE(text.find("flag 1 from vector, whose flag at test.cpp:1 stands behind another wait"),
                  std::string::npos)
            << text;
    }
}

TEST(Machine, WaitsTakeSetsOfAFlagInTurn) {
    // Stores end at 100 and 200; the vector unit works from 100 to 110 and from 200 to 210.
    EXPECT_EQ(vector_cycles(plain_chip(),
                            1,
                            [] {
                                work(Pipe::mte3, 100);
                                set(Pipe::mte3, Pipe::vector);
                                work(Pipe::mte3, 100);
                                set(Pipe::mte3, Pipe::vector);
                                await(Pipe::mte3, Pipe::vector);
                                work(Pipe::vector, 10);
                                await(Pipe::mte3, Pipe::vector);
                                work(Pipe::vector, 10);
                            }),
              210U);
}

TEST(Machine, EndlessIssueIsStoppedByItsLimit) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.limits = {.instructions = 100000}}};
    EXPECT_THROW(machine.run([&](Machine& m) {
        m.launch({.name = "endless", .vector_program = [] {
                      for (;;) {
                          work(Pipe::vector, 1);
                      }
                  }});
    }),
                 ProgramError);
}

TEST(Machine, TheLimitIsOfOneBlockNotOfAllThatACoreRuns) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {.limits = {.instructions = 100000}, .cold_code = false}};
    machine.run([&](Machine& m) {
        for (int i = 0; i < 3; ++i) {
            m.launch({.name = "long", .vector_program = [] {
                          for (int n = 0; n < 60000; ++n) {
                              work(Pipe::vector, 1);
                          }
                      }});
        }
    });
    EXPECT_EQ(machine.totals().instructions, 3U * 60000U);
}

TEST(Machine, CubeAndVectorCoresMeetThroughFlags) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.sync.cross_flag_latency = 20;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    LaunchOutcome outcome;
    machine.run([&](Machine& m) {
        outcome = m.launch({.name = "mixed",
                            .kind = CoreUse::mix_1_2,
                            .blocks = 2,
                            .vector_program =
                                [] {
                                    cross_await(Pipe::vector, 1);
                                    work(Pipe::vector,
                                         isa::CorePort::current().identity().sub_block == 0 ? 30 : 40);
                                    cross_set(Pipe::vector, 2, 2);
                                },
                            .cube_program =
                                [] {
                                    work(Pipe::cube, 100);
                                    cross_set(Pipe::cube, 2, 1);
                                    cross_await(Pipe::cube, 2);
                                    work(Pipe::cube, 5);
                                }});
    });
    EXPECT_EQ(outcome.cores_end, 100U + 20U + 40U + 20U + 5U);
    EXPECT_EQ(outcome.cores, 6U);
}

TEST(Machine, CubeCoreServesTheEarlierMessageFirst) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.sync.cross_flag_latency = 20;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    LaunchOutcome outcome;
    std::vector<std::uint32_t> order;
    machine.run([&](Machine& m) {
        outcome = m.launch({.name = "messages",
                            .kind = CoreUse::mix_1_2,
                            .blocks = 1,
                            .vector_program =
                                [] {
                                    // Vector core 0 works for 300 cycles before it asks, vector core 1 for
                                    // 100.
                                    isa::scalar_work(
                                        isa::CorePort::current().identity().sub_block == 0 ? 300 : 100, here);
                                    isa::post_message(here);
                                    isa::await_answer(Pipe::scalar, isa::first_answer, here);
                                },
                            .cube_program =
                                [&order] {
                                    std::uint32_t gone = 0;
                                    while (const auto sub = isa::receive_message(gone, here)) {
                                        order.push_back(*sub);
                                        work(Pipe::cube, 50);
                                        isa::answer_message(Pipe::cube, *sub, isa::first_answer, here);
                                    }
                                }});
    });
    EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 0}));
    // The later request: 300, 20 there, 50 of work, 20 back; and 20 until the cube core knows that this was
    // all.
    EXPECT_EQ(outcome.cores_end, 300U + 20 + 50 + 20 + 20);
    // Looking for messages is work in the eyes of a profiler, until the last has gone; the vector cores' wait
    // for an answer is none.
    recorder.finish(nlohmann::json::object());
    std::uint32_t found = 0;
    for (std::uint32_t lane = 0; lane < recorder.lane_count(); ++lane) {
        const record::TrackPath& path = recorder.path(lane);
        const record::LaneTotals& totals = recorder.totals(lane);
        if (path.pipe() == "scalar" && path.core() == "aic0") {
            EXPECT_EQ(totals.active_cycles, outcome.cores_end);
            EXPECT_LT(totals.busy_cycles, 100U);
            ++found;
        } else if (path.pipe() == "scalar" && path.core() == "aiv0") {
            EXPECT_LT(totals.active_cycles, 320U);
            ++found;
        }
    }
    EXPECT_EQ(found, 2U);
}

TEST(Machine, LaunchHeadGrowsWithCores) {
    const ChipSpec chip = plain_chip();
    record::Recorder recorder{""};
    Machine machine{chip, recorder, {}};
    LaunchOutcome one;
    LaunchOutcome all;
    machine.run([&](Machine& m) {
        const auto nothing = [] { work(Pipe::vector, 1); };
        one = m.launch({.name = "one", .vector_program = nothing});
        all = m.launch({.name = "all", .blocks = 48, .vector_program = nothing});
    });
    EXPECT_EQ(one.first_core - one.start, 2405U);  // 1.3 us x 1.85 GHz
    EXPECT_EQ(all.first_core - all.start, 6753U);  // (1.3 + 47 x 0.05) us x 1.85 GHz = 6752.5
}

TEST(Machine, PollingProgramLetsTheOtherRun) {
    record::Recorder recorder{""};
    const ChipSpec chip = plain_chip();
    Machine machine{chip, recorder, {}};
    auto* flag = reinterpret_cast<std::uint32_t*>(machine.memory().allocate("flag", 64));
    machine.run([&](Machine& m) {
        m.launch({.name = "poll", .blocks = 2, .vector_program = [flag] {
                      isa::CorePort& core = isa::CorePort::current();
                      if (core.identity().block == 1) {
                          *flag = 1;
                          return;
                      }
                      while (*flag == 0) {
                          core.yield();
                      }
                  }});
    });
    EXPECT_EQ(*flag, 1U);
}

}  // namespace ascendsim
