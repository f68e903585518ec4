// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

struct InstructionCase {
    const char* op;
    const char* type;
};

void PrintTo(const InstructionCase& c, std::ostream* out) {
    *out << c.op << ' ' << c.type;
}

class Instructions : public ::testing::TestWithParam<InstructionCase> {};

TEST_P(Instructions, ComputeWhatTheySay) {
    const auto [op, type] = GetParam();
    const KernelRun run =
        run_kernel("instruction", {{"op", op}, {"dtype", type}, {"repeats", "4"}, {"calls", "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         Instructions,
                         ::testing::Values(InstructionCase{"add", "float32"},
                                           InstructionCase{"sub", "float16"},
                                           InstructionCase{"mul", "int32"},
                                           InstructionCase{"max", "int16"},
                                           InstructionCase{"div", "float32"},
                                           InstructionCase{"exp", "float32"},
                                           InstructionCase{"rsqrt", "float32"},
                                           InstructionCase{"adds", "float16"},
                                           InstructionCase{"muls", "float32"},
                                           InstructionCase{"duplicate", "float32"},
                                           InstructionCase{"copy", "float16"},
                                           InstructionCase{"tree_sum", "float32"},
                                           InstructionCase{"whole_whole", "float32"},
                                           InstructionCase{"block_block_block", "float32"},
                                           InstructionCase{"block_whole", "float32"}));

class CubeInstructions : public ::testing::TestWithParam<const char*> {};

TEST_P(CubeInstructions, LeaveTheProductAsItIs) {
    const KernelRun run = run_kernel(
        "instruction", {{"op", GetParam()}, {"calls", "2"}, {"m", "33"}, {"k", "64"}, {"n", "48"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         CubeInstructions,
                         ::testing::Values("mmad", "load_l0a", "load_l0b", "fixpipe"));

// Of instructions back to back.
std::uint64_t cycles_of(Settings settings) {
    settings.emplace_back("barrier", "false");
    return testing::in_child([&] {
        return run_kernel("instruction", settings, {.chip = "910b1", .functional = false}).totals.cycles;
    });
}

TEST(Instruction, EachFurtherCallTakesItsRepeats) {
    const std::uint64_t some = cycles_of({{"op", "adds"}, {"calls", "100"}});
    const std::uint64_t more = cycles_of({{"op", "adds"}, {"calls", "200"}});
    EXPECT_GE(more - some, 100U * 64U);   // a repeat a cycle
    EXPECT_LE(more - some, 100U * 100U);  // and a head and a tail of 24 measured
}

// Measured on 910B1: 88 cycles a call without conflicts, 154 when both reads share their banks.
TEST(Instruction, ReadsOfOneBankTakeTurns) {
    const std::uint64_t apart = cycles_of({{"op", "add"}, {"calls", "100"}});
    const std::uint64_t together = cycles_of({{"op", "add"}, {"calls", "100"}, {"src1", "16384"}});
    EXPECT_GT(together - apart, 100U * 50U);
}

TEST(Instruction, SaysThatOperandsDoNotFit) {
    try {
        static_cast<void>(plan_kernel("instruction", {{"dst", "196608"}}));
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("the unified buffer"));
    }
}

}  // namespace
}  // namespace ascendsim
