// SPDX-License-Identifier: Apache-2.0
// What copies and code from memory cost a core, added up by hand.
#include <gtest/gtest.h>

#include "models/core/machine.hpp"
#include "models/core/testing_programs.hpp"

namespace ascendsim {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): test vocabulary

TEST(MachineMemory, CopyTakesLatencyAndBytesOverItsSlowestLimit) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.port.hbm_bytes_per_cycle = 37;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    LaunchOutcome cold;
    LaunchOutcome warm;
    machine.run([&](Machine& m) {
        const Launch launch{.name = "copy",
                            .vector_program = [] { copy(Pipe::mte2, isa::Route::gm_to_ub, 0, 37 * 1024); }};
        cold = m.launch(launch);
        warm = m.launch(launch);
    });
    // Cold: 37 B/cycle past L2, then 347 cycles until the last byte is there. 37888 / 37 = 1024.
    EXPECT_EQ(cold.cores_end - cold.first_core, 1024U + 347U);
    // Warm: 64 outstanding requests of 512 B each 241 cycles are 135.9 B/cycle, the port takes 128. 37888 /
    // 128 = 296.
    EXPECT_EQ(warm.cores_end - warm.first_core, 296U + 241U);
}

void copy_rows(Pipe pipe, const isa::Transfer& transfer) {
    isa::CorePort::current().push(
        isa::TimedOp{.info = &copy_info, .site = here, .kind = isa::OpKind::transfer, .pipe = pipe},
        transfer);
}

TEST(MachineMemory, RequestsGoOutAtOnceUntilAsManyAreUnderWayAsAllowed) {
    record::Recorder recorder{""};
    Machine machine{plain_chip(), recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    std::vector<std::uint64_t> times;
    machine.run([&](Machine& m) {
        for (const std::uint32_t copies : {2U, 1U, 2U}) {  // the first brings all into L2
            const LaunchOutcome outcome = m.launch(
                {.name = "rows", .vector_program = [copies] {
                     for (std::uint32_t i = 0; i < copies; ++i) {  // 128 requests each
                         copy_rows(Pipe::mte2,
                                   {.offset = i * 65536ULL, .row_pitch = 512, .row_bytes = 128, .rows = 128});
                     }
                 }});
            times.push_back(outcome.cores_end - outcome.first_core);
        }
    });
    // 64 requests at the port's one a cycle, the other 64 as those come back, 64 each 241 cycles; the last
    // takes 241.
    EXPECT_EQ(times[1], 64U + 241U + 241U);
    // The second copy finds 64 of the first under way: twice 64 more, each when one has come back.
    EXPECT_EQ(times[2], times[1] + 2 * 241U);
}

TEST(MachineMemory, RowsOfAResultAtOddPlacesAreHandledOneByOne) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.port.burst_cycles = 50;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    std::vector<std::uint64_t> times;
    machine.run([&](Machine& m) {
        for (const std::uint64_t offset : {0U, 32U, 34U}) {  // a block of 32 B starts there, or not
            const LaunchOutcome outcome = m.launch({.name = "rows", .vector_program = [offset] {
                                                        copy_rows(Pipe::mte3,
                                                                  {.offset = offset,
                                                                   .row_pitch = 1024,
                                                                   .row_bytes = 512,
                                                                   .rows = 10,
                                                                   .route = isa::Route::l0c_to_gm_nz2nd});
                                                    }});
            times.push_back(outcome.cores_end - outcome.first_core);
        }
    });
    EXPECT_LT(times[0], 10U * 50U);
    EXPECT_LT(times[1], 10U * 50U);
    EXPECT_GE(times[2], 10U * 50U + 96U);  // and the way to L2
}

TEST(MachineMemory, ColdStackIsFetchedLineByLineAndOnce) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.icache.bytes = 32768;  // a core that holds its code holds its stack, too
    Machine machine{chip, recorder, {.launch_overhead = false}};
    LaunchOutcome cold;
    LaunchOutcome held;
    machine.run([&](Machine& m) {
        const Launch launch{.name = "stack",
                            .vector_program = [] { isa::CorePort::current().touch_stack(2, here); }};
        cold = m.launch(launch);
        held = m.launch(launch);
    });
    EXPECT_GE(cold.cores_end - cold.first_core,
              2U * 347U);  // one after the other from memory, 347 cycles away
    EXPECT_EQ(held.cores_end, held.first_core);
}

TEST(MachineMemory, ManyCoresShareMemoryBandwidth) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.hbm.efficiency = 1;
    chip.hbm.gb_per_s = 185;  // 100 B/cycle at 1.85 GHz for 10 cores: 10 B/cycle each
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    LaunchOutcome outcome;
    machine.run([&](Machine& m) {
        outcome = m.launch({.name = "copy", .blocks = 10, .vector_program = [] {
                                const std::uint64_t block = isa::CorePort::current().identity().block;
                                copy(Pipe::mte2, isa::Route::gm_to_ub, block * 51200, 51200);
                            }});
    });
    EXPECT_EQ(outcome.cores_end, 5120U + 347U);
}

TEST(MachineMemory, ReadsWaitLongerTheBusierMemoryHasBeen) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.hbm.efficiency = 1;
    chip.hbm.gb_per_s = 185;  // 100 B/cycle at 1.85 GHz for 10 cores: 10 B/cycle each
    chip.hbm.queue_cycles = 100;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    LaunchOutcome outcome;
    machine.run([&](Machine& m) {
        outcome = m.launch({.name = "copy", .blocks = 10, .vector_program = [] {
                                const std::uint64_t block = isa::CorePort::current().identity().block;
                                copy(Pipe::mte2, isa::Route::gm_to_ub, block * 102400, 51200);
                                copy(Pipe::mte2, isa::Route::gm_to_ub, block * 102400 + 51200, 51200);
                            }});
    });
    // The second copies go out after 5120 cycles, when the load of the last 2000 is 1 - e^-2.56 = 0.9227:
    // they wait 100 * 0.9227 / 0.0773 = 1193.6 cycles more than the 347, though at 10 B/cycle as the first.
    // Requests are whole lines.
    EXPECT_EQ(outcome.cores_end, 2 * 5120U + 347U + 1193U);
}

TEST(MachineMemory, SmallRequestsPastL2TakeTheBandwidthOfLargerOnes) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.hbm.efficiency = 1;
    chip.hbm.gb_per_s = 37;  // 20 B/cycle at 1.85 GHz
    chip.hbm.least_read_bytes = 200;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 1 << 20);
    std::vector<std::uint64_t> times;
    machine.run([&](Machine& m) {
        for (const bool past : {true, false}) {
            const LaunchOutcome outcome =
                m.launch({.name = "rows", .vector_program = [past] {
                              // 100 rows of 128 B, a request each
                              isa::CorePort::current().push(isa::TimedOp{.info = &copy_info,
                                                                         .site = here,
                                                                         .kind = isa::OpKind::transfer,
                                                                         .pipe = Pipe::mte2},
                                                            isa::Transfer{.offset = past ? 0U : 512U * 512U,
                                                                          .row_pitch = 1024,
                                                                          .row_bytes = 128,
                                                                          .rows = 100,
                                                                          .bypass_l2 = past});
                          }});
            times.push_back(outcome.cores_end - outcome.first_core);
        }
    });
    EXPECT_EQ(times[0], 100U * 200U / 20U + 347U);
    EXPECT_EQ(times[1], 100U * 128U / 20U + 347U);
}

// 1 MiB written fills L2; reading 512 KiB of something else pushes 512 KiB out. Memory takes 20 B/cycle.
std::uint64_t cycles_when_l2_is_dirty(std::uint64_t write_back, bool reads = true, double turn_cycles = 0) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.hbm.efficiency = 1;
    chip.hbm.gb_per_s = 37;
    chip.l2.bytes = 1 << 20;
    chip.l2.write_back_bytes = write_back;
    chip.hbm.turn_cycles = turn_cycles;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    machine.memory().allocate("x", 4 << 20);
    LaunchOutcome outcome;
    machine.run([&](Machine& m) {
        m.launch(
            {.name = "write", .vector_program = [] { copy(Pipe::mte3, isa::Route::ub_to_gm, 0, 1 << 20); }});
        outcome = m.launch({.name = "other", .vector_program = [reads] {
                                copy(reads ? Pipe::mte2 : Pipe::mte3,
                                     reads ? isa::Route::gm_to_ub : isa::Route::ub_to_gm,
                                     2 << 20,
                                     1 << 19);
                            }});
    });
    return outcome.cores_end - outcome.first_core;
}

TEST(MachineMemory, DirtyLinesLeaveWithoutHoldingTheReaderUp) {
    EXPECT_EQ(cycles_when_l2_is_dirty(1 << 20), (1U << 19U) / 20U + 1U + 347U);  // rounded up
}

TEST(MachineMemory, WithoutRoomOnTheirWayOutTheReaderWaitsForThem) {
    EXPECT_EQ(cycles_when_l2_is_dirty(0), (1U << 20U) / 20U + 1U + 347U);
}

TEST(MachineMemory, MemoryTurnsFromReadingToWritingForEachLinePushedOut) {
    // 1024 lines leave while as many bytes are read
    EXPECT_EQ(cycles_when_l2_is_dirty(0, true, 2), (1U << 20U) / 20U + 1U + 1024U * 2U + 347U);
}

TEST(MachineMemory, MemoryThatOnlyWritesDoesNotTurn) {
    const std::uint64_t cycles = cycles_when_l2_is_dirty(0, false, 2);
    EXPECT_GT(cycles, (1U << 19U) / 20U);
    EXPECT_LT(cycles, (1U << 19U) / 20U + 1024U);  // it would take twice that to turn for 1024 lines
}

TEST(MachineMemory, ABlockReadsItsArgumentsBeforeAnythingElse) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.scalar.dcache_line = 64;
    chip.scalar.dcache_hit_cycles = 4;
    Machine machine{chip, recorder, {.cold_code = false, .launch_overhead = false}};
    std::uint64_t cycles = 0;
    machine.run([&](Machine& m) {
        const LaunchOutcome outcome = m.launch(
            {.name = "one", .vector_program = [] { work(Pipe::vector, 100); }, .argument_bytes = 64});
        cycles = outcome.cores_end - outcome.first_core;
    });
    // One line: 4 cycles to ask; its 64 B are part of a request, so the whole L2 line of 512 B comes past L2
    // at 45.6 B/cycle: 12 cycles; 347 until the data are there.
    EXPECT_EQ(cycles, 4U + 12U + 347U + 100U);
}

TEST(MachineMemory, ColdCodeIsFetchedOnce) {
    record::Recorder recorder{""};
    ChipSpec chip = plain_chip();
    chip.icache = {.bytes = 1024, .fill_bytes = 512, .call_bytes = 512, .flag_bytes = 32};
    Machine machine{chip, recorder, {.launch_overhead = false}};
    std::vector<std::uint64_t> times;
    machine.run([&](Machine& m) {
        for (int i = 0; i < 2; ++i) {
            const LaunchOutcome outcome = m.launch({.name = "calls", .vector_program = [] {
                                                        for (int n = 0; n < 10; ++n) {
                                                            work(Pipe::vector, 100);
                                                        }
                                                    }});
            times.push_back(outcome.cores_end - outcome.first_core);
        }
    });
    // The loop's one call is 512 B: four requests of 128 B a cycle past L2 at 45.6 B/cycle are 12 cycles, and
    // the last byte is there 347 cycles later. The second launch finds it.
    EXPECT_EQ(times[0], 12U + 347U + 1000U);
    EXPECT_EQ(times[1], 1000U);
}

}  // namespace
}  // namespace ascendsim
