// SPDX-License-Identifier: Apache-2.0
// Simulated times of generated kernels at [4096, 4096] on 910B3: against the traffic that memory takes at
// least, and against the shipped kernels of the same operators.
#include <gtest/gtest.h>

#include "kernels/testing/child_run.hpp"
#include "networks/loops/testing/loop_run.hpp"
#include "networks/loops/testing/shared_loops.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;
using testing::KernelRun;
using testing::Settings;

const host::Shape large{4096, 4096};

/// Cycles of a run in a process of its own.
std::uint64_t generated_cycles(const Loop& loop) {
    return testing::in_child(
        [&loop] { return testing::run_loop(loop, {.functional = false}).totals.cycles; });
}

std::uint64_t shipped_cycles(const std::string& kernel, const Settings& settings) {
    return testing::in_child(
        [&] { return testing::run_kernel(kernel, settings, {.functional = false}).totals.cycles; });
}

/// The share of the time that moving all inputs and outputs once through HBM takes; what stays in L2 makes it
/// more than the efficiency of the report, which does not count that.
double efficiency(const Loop& loop, std::uint64_t cycles) {
    const ChipSpec chip = load_chip("910b3", toolchain::Installation::find().chips());
    const double bytes = static_cast<double>(generate(loop, chip).plan.work.gm_bytes);
    const double seconds = static_cast<double>(cycles) / (chip.cores.clock_ghz * 1e9);
    return bytes / (chip.hbm.gb_per_s * 1e9) / seconds;
}

void expect_fast(const Loop& loop) {
    const std::uint64_t cycles = generated_cycles(loop);
    EXPECT_GT(efficiency(loop, cycles), 0.85) << cycles << " cycles";
}

void expect_no_slower(const Loop& loop, const std::string& kernel, const Settings& settings = {}) {
    Settings all = settings;
    all.emplace_back("shape", "4096,4096");
    const std::uint64_t ours = generated_cycles(loop);
    const std::uint64_t theirs = shipped_cycles(kernel, all);
    EXPECT_LE(static_cast<double>(ours), 1.1 * static_cast<double>(theirs))
        << ours << " cycles, " << kernel << " takes " << theirs << "; efficiency " << efficiency(loop, ours);
}

}  // namespace

TEST(LoopSpeed, OfASumIsThatOfMemory) {
    expect_fast(testing::sum_loop(large, large, large, DataType::half));
}

TEST(LoopSpeed, OfAGateIsThatOfMemory) {
    expect_fast(testing::gate_loop(large, DataType::half));
}

TEST(LoopSpeed, OfGeluIsThatOfTheShippedKernel) {
    expect_no_slower(testing::gelu_loop(large, DataType::half), "gelu");
}

TEST(LoopSpeed, OfSoftmaxIsThatOfTheShippedKernel) {
    expect_no_slower(testing::softmax_loop(large, 1, DataType::half), "softmax");
}

TEST(LoopSpeed, OfLayerNormIsThatOfTheShippedKernel) {
    expect_no_slower(testing::layer_norm_loop(large, DataType::half, true), "layer_norm_gelu");
}

TEST(LoopSpeed, OfRmsNormIsThatOfTheShippedKernel) {
    expect_no_slower(testing::rms_norm_loop(large, DataType::half, false), "rms_norm");
}

TEST(LoopSpeed, OfASumWithRmsNormIsThatOfMemory) {
    expect_fast(testing::rms_norm_loop(large, DataType::half, true));
}

}  // namespace ascendsim::networks::loops
