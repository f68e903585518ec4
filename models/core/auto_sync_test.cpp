// SPDX-License-Identifier: Apache-2.0
#include "models/core/auto_sync.hpp"

#include <gmock/gmock.h>

#include "models/core/testing_programs.hpp"
#include "models/isa/sync/inserted.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/port/observed_push.hpp"
#include "models/port/testing/plain_core.hpp"

namespace ascendsim {
namespace {

using isa::Accesses;
using isa::BufferNotice;
using isa::Local;
using isa::OpKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr isa::OpInfo tensor_op_info{"op", "Test instruction."};

/// One instruction of `pipe` that reads and writes 64 bytes of UB at these offsets.
void touch_ub(Pipe pipe,
              const std::vector<std::uint32_t>& reads,
              const std::vector<std::uint32_t>& writes,
              std::uint32_t line = 1) {
    Accesses accesses;
    for (const std::uint32_t offset : reads) {
        accesses.read(Local{Memory::ub, offset}, 64);
    }
    for (const std::uint32_t offset : writes) {
        accesses.write(Local{Memory::ub, offset}, 64);
    }
    isa::push_observed({.info = &tensor_op_info,
                        .site = {"test.cpp", line},
                        .kind = pipe == Pipe::scalar ? OpKind::scalar_work : OpKind::compute,
                        .pipe = pipe,
                        .occupies = pipe == Pipe::scalar ? 0U : 10U,
                        .latency = pipe == Pipe::scalar ? 0U : 5U},
                       accesses);
}

class AutoSyncTest : public ::testing::Test {
protected:
    ChipSpec chip;
    isa::GlobalMemory memory{1U << 20U};
    isa::PlainCore core{chip, memory, CoreKind::aiv};
    AutoSync sync{nullptr};

    void SetUp() override { core.set_observer(&sync); }

    /// "op" for each instruction, "barrier" and "vector>scalar" for what was inserted before it.
    std::vector<std::string> order() {
        std::vector<std::string> result;
        for (const isa::TimedOp& op : core.ops()) {
            if (op.info == &isa::inserted_barrier_info) {
                result.emplace_back(op.pipe == Pipe::vector ? "barrier" : "barrier of another pipe");
            } else if (op.info == &isa::inserted_wait_info) {
                result.push_back(std::string{name(static_cast<Pipe>(op.a))} + ">" +
                                 std::string{name(static_cast<Pipe>(op.b))});
            } else if (op.info != &isa::inserted_set_info) {
                result.emplace_back(op.info->name);
            }
        }
        return result;
    }
};

/// The example of the documentation (asc-devkit 9.1, Automatic Synchronization Overview): an instruction that
/// writes a tensor, GetValue, another instruction on the tensor, SetValue in a loop.
TEST_F(AutoSyncTest, InsertsWhatTheDocumentedExampleShows) {
    touch_ub(Pipe::vector, {}, {0});
    touch_ub(Pipe::scalar, {0}, {});
    touch_ub(Pipe::vector, {}, {0});
    touch_ub(Pipe::scalar, {}, {0});
    touch_ub(Pipe::scalar, {}, {0});
    EXPECT_THAT(
        order(),
        ElementsAre(
            "op", "vector>scalar", "op", "barrier", "scalar>vector", "op", "vector>scalar", "op", "op"));
}

TEST_F(AutoSyncTest, LeavesIndependentInstructionsAlone) {
    touch_ub(Pipe::vector, {0}, {64});
    touch_ub(Pipe::vector, {0}, {128});  // reads what the first one reads
    touch_ub(Pipe::vector, {192}, {256});
    touch_ub(Pipe::scalar, {320}, {384});
    EXPECT_THAT(order(), ElementsAre("op", "op", "op", "op"));
}

TEST_F(AutoSyncTest, OneBarrierServesAllInstructionsBeforeIt) {
    touch_ub(Pipe::vector, {}, {0});
    touch_ub(Pipe::vector, {}, {64});
    touch_ub(Pipe::vector, {0}, {128});
    touch_ub(Pipe::vector, {64}, {192});  // its writer stands before the barrier, too
    EXPECT_THAT(order(), ElementsAre("op", "op", "barrier", "op", "op"));
}

TEST_F(AutoSyncTest, OrdersTheScalarUnitWithCopiesBothWays) {
    touch_ub(Pipe::mte2, {}, {0});
    touch_ub(Pipe::scalar, {0}, {});
    touch_ub(Pipe::mte2, {}, {0});
    touch_ub(Pipe::scalar, {}, {64});
    touch_ub(Pipe::mte3, {64}, {});
    touch_ub(Pipe::scalar, {}, {64});
    EXPECT_THAT(
        order(),
        ElementsAre(
            "op", "mte2>scalar", "op", "scalar>mte2", "op", "op", "scalar>mte3", "op", "mte3>scalar", "op"));
}

TEST_F(AutoSyncTest, LeavesCopiesAndVectorWorkToQueues) {
    touch_ub(Pipe::mte2, {}, {0});
    touch_ub(Pipe::vector, {0}, {64});
    touch_ub(Pipe::mte3, {64}, {});
    touch_ub(Pipe::mte2, {}, {0});  // overlaps the first copy
    touch_ub(Pipe::mte3, {64}, {});
    EXPECT_THAT(order(), ElementsAre("op", "op", "op", "op", "op"));
}

TEST_F(AutoSyncTest, TellsOrderThatTheChipKeepsFromTrueDependence) {
    touch_ub(Pipe::vector, {0}, {64});
    touch_ub(Pipe::vector, {128}, {0});  // writes what was read
    touch_ub(Pipe::vector, {0}, {192});  // reads what was written
    std::vector<bool> spare;
    for (const isa::TimedOp& op : core.ops()) {
        if (isa::is_inserted(op.info)) {
            spare.push_back(isa::is_spare(op));
        }
    }
    EXPECT_THAT(spare, ElementsAre(true, false));
}

TEST_F(AutoSyncTest, TheKernelsOwnBarrierServesAndIsCountedAsRepeated) {
    touch_ub(Pipe::vector, {}, {0});
    isa::pipe_barrier(Pipe::vector, {"test.cpp", 2});
    touch_ub(Pipe::vector, {0}, {64});
    EXPECT_THAT(order(), ElementsAre("op", "pipe_barrier", "op"));
    EXPECT_EQ(sync.repeated(), 1U);
}

TEST_F(AutoSyncTest, TheKernelsOwnFlagServesForWhatStandsBeforeItsSet) {
    touch_ub(Pipe::vector, {}, {0});
    isa::set_flag(Pipe::vector, Pipe::scalar, 3, {"test.cpp", 2});
    touch_ub(Pipe::vector, {}, {64});
    isa::wait_flag(Pipe::vector, Pipe::scalar, 3, {"test.cpp", 3});
    touch_ub(Pipe::scalar, {0}, {});
    touch_ub(Pipe::scalar, {64}, {});
    EXPECT_THAT(order(), ElementsAre("op", "set_flag", "op", "wait_flag", "op", "vector>scalar", "op"));
}

TEST_F(AutoSyncTest, SeesEachByteOfABlock) {
    const auto touch = [](std::uint32_t offset, bool write) {
        Accesses accesses;
        write ? accesses.write(Local{Memory::ub, offset}, 4) : accesses.read(Local{Memory::ub, offset}, 4);
        isa::push_observed({.info = &tensor_op_info, .site = {"test.cpp", 1}, .pipe = Pipe::vector},
                           accesses);
    };
    touch(0, true);
    touch(4, true);
    touch(8, false);
    touch(4, false);
    EXPECT_THAT(order(), ElementsAre("op", "op", "op", "barrier", "op"));
}

TEST_F(AutoSyncTest, SeesTheRowsOfAnAccessAndNotTheGaps) {
    const auto touch = [](std::uint64_t offset, std::uint64_t bytes, std::uint64_t rows, bool write) {
        Accesses accesses;
        const isa::Access access{
            .memory = Memory::ub, .offset = offset, .row_bytes = bytes, .rows = rows, .pitch = 256};
        write ? accesses.write(access) : accesses.read(access);
        isa::push_observed({.info = &tensor_op_info, .site = {"test.cpp", 1}, .pipe = Pipe::vector},
                           accesses);
    };
    touch(0, 64, 16, true);     // [0, 64), [256, 320) … over several pages
    touch(64, 192, 16, false);  // between them
    touch(3840, 32, 1, false);  // in the last one
    EXPECT_THAT(order(), ElementsAre("op", "op", "barrier", "op"));
}

TEST_F(AutoSyncTest, OrdersStoresToGlobalMemoryBeforeTheScalarUnitReadsThem) {
    const auto store = [](std::uint64_t offset) {
        Accesses accesses;
        accesses.write(isa::Access{.memory = Memory::gm, .offset = offset, .row_bytes = 64});
        isa::push_observed({.info = &tensor_op_info, .site = {"test.cpp", 1}, .pipe = Pipe::mte3}, accesses);
    };
    const auto load = [](std::uint64_t offset) {
        Accesses accesses;
        accesses.read(isa::Access{.memory = Memory::gm, .offset = offset, .row_bytes = 4});
        isa::push_observed({.info = &tensor_op_info,
                            .site = {"test.cpp", 1},
                            .kind = OpKind::scalar_work,
                            .pipe = Pipe::scalar},
                           accesses);
    };
    store(0);
    load(4096);
    load(32);
    store(4096);
    EXPECT_THAT(order(), ElementsAre("op", "op", "mte3>scalar", "op", "scalar>mte3", "op"));
}

TEST_F(AutoSyncTest, LeavesInstructionsOnPlainPointersAlone) {
    touch_ub(Pipe::vector, {}, {0});
    core.notice(BufferNotice::pointer, {Memory::ub, 0}, 64, {"test.cpp", 2});
    touch_ub(Pipe::vector, {0}, {64});
    touch_ub(Pipe::vector, {0}, {128});  // a tensor again
    EXPECT_THAT(order(), ElementsAre("op", "op", "barrier", "op"));
}

TEST_F(AutoSyncTest, NamesTheInstructionBeforeWhereAnAccessHasNoPlace) {
    touch_ub(Pipe::vector, {}, {0}, 7);
    touch_ub(Pipe::scalar, {0}, {}, 0);
    EXPECT_EQ(core.ops()[1].info, &isa::inserted_set_info);
    EXPECT_EQ(core.ops()[1].site.line, 7U);
}

TEST_F(AutoSyncTest, ABlockOwesNothingToTheOneBefore) {
    touch_ub(Pipe::vector, {}, {0});
    sync.on_begin();
    touch_ub(Pipe::vector, {0}, {64});
    EXPECT_THAT(order(), ElementsAre("op", "op"));
}

/// What a run of `program` on one core came to.
struct SyncOutcome {
    std::uint64_t cycles = 0;
    std::vector<InsertedSync> inserted;
};

SyncOutcome run_with(CoreUse kind, bool auto_sync, const Program& program) {
    const ChipSpec chip = testing::plain_chip();
    record::Recorder recorder{""};
    Machine machine{chip, recorder, {.auto_sync = auto_sync, .cold_code = false, .launch_overhead = false}};
    SyncOutcome outcome;
    machine.run([&](Machine& m) {
        outcome.cycles = m.launch({.name = "test",
                                   .kind = kind,
                                   .blocks = 1,
                                   .vector_program = kind == CoreUse::aiv ? program : Program{},
                                   .cube_program = kind == CoreUse::aic ? program : Program{}})
                             .cores_end;
    });
    outcome.inserted = machine.totals().inserted;
    return outcome;
}

void two_dependent_instructions() {
    touch_ub(Pipe::vector, {}, {0}, 7);
    touch_ub(Pipe::vector, {0}, {64}, 8);
}

TEST(AutoSyncMachine, DependentInstructionsOverlapWithoutIt) {
    const SyncOutcome without = run_with(CoreUse::aiv, false, two_dependent_instructions);
    EXPECT_EQ(without.cycles, 25U);  // 10 + 10 + latency 5
    EXPECT_THAT(without.inserted, IsEmpty());
}

TEST(AutoSyncMachine, AnInsertedBarrierTakesItsTime) {
    const SyncOutcome with = run_with(CoreUse::aiv, true, two_dependent_instructions);
    EXPECT_EQ(with.cycles, 30U);  // the second one starts at 15, when the first is complete
    ASSERT_EQ(with.inserted.size(), 1U);
    EXPECT_EQ(with.inserted[0].line, 8U);
    EXPECT_EQ(with.inserted[0].count, 1U);
    EXPECT_EQ(with.inserted[0].cycles, 5U);  // from 10 to 15
}

TEST(AutoSyncMachine, AnInsertedFlagMakesTheScalarUnitWait) {
    const SyncOutcome with = run_with(CoreUse::aiv, true, [] {
        touch_ub(Pipe::vector, {}, {0}, 7);
        touch_ub(Pipe::scalar, {0}, {}, 8);
        touch_ub(Pipe::vector, {}, {128}, 9);  // independent, but issued behind the scalar unit's wait
    });
    EXPECT_EQ(with.cycles, 30U);  // without the wait, 25
    ASSERT_EQ(with.inserted.size(), 1U);
    EXPECT_EQ(with.inserted[0].source, Pipe::vector);
    EXPECT_EQ(with.inserted[0].destination, Pipe::scalar);
    EXPECT_EQ(with.inserted[0].cycles, 15U);  // from 0 to 15
}

/// MTE3 stores what the scalar unit then reads from global memory.
void store_and_read() {
    Accesses stored;
    stored.write(isa::Access{.memory = Memory::gm, .offset = 0, .row_bytes = 64});
    isa::push_observed({.info = &tensor_op_info, .site = {"test.cpp", 1}, .pipe = Pipe::mte3}, stored);
    Accesses read;
    read.read(isa::Access{.memory = Memory::gm, .offset = 0, .row_bytes = 4});
    isa::push_observed(
        {.info = &tensor_op_info, .site = {"test.cpp", 2}, .kind = OpKind::scalar_work, .pipe = Pipe::scalar},
        read);
}

TEST(AutoSyncMachine, AFlagIsInsertedOnVectorCores) {
    EXPECT_EQ(run_with(CoreUse::aiv, true, store_and_read).inserted.size(), 1U);
}

TEST(AutoSyncMachine, NothingIsInsertedOnCubeCores) {
    EXPECT_THAT(run_with(CoreUse::aic, true, store_and_read).inserted, IsEmpty());
}

}  // namespace
}  // namespace ascendsim
