// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

TEST(MatmulLeakyRelu, BlockByBlockWithTails) {
    // 500 and 120 are no multiples of 64, 250 none of a fractal.
    const KernelRun run =
        run_kernel("matmul_leaky_relu", {{"m", "500"}, {"n", "120"}, {"k", "250"}, {"blocks", "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(MatmulLeakyRelu, OnEveryCoreWithMoreBlocksThanOne) {
    const KernelRun run =
        run_kernel("matmul_leaky_relu", {{"m", "1024"}, {"n", "512"}, {"k", "128"}, {"base_m", "32"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(MatmulLeakyRelu, AllBlocksAheadIntoAWorkspace) {
    const KernelRun run = run_kernel(
        "matmul_leaky_relu", {{"form", "async"}, {"m", "500"}, {"n", "120"}, {"k", "250"}, {"blocks", "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(MatmulLeakyRelu, TwoObjectsOneAfterTheOther) {
    const KernelRun run = run_kernel(
        "matmul_leaky_relu", {{"form", "chain"}, {"m", "300"}, {"n", "128"}, {"k", "200"}, {"blocks", "3"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

std::uint64_t cycles(const Settings& settings) {
    return testing::in_child([&settings] {
        return run_kernel("matmul_leaky_relu", settings, {.chip = "910b1", .functional = false})
            .totals.cycles;
    });
}

TEST(MatmulLeakyRelu, TimingOnlyTakesTheSameCycles) {
    const Settings settings{{"m", "256"}, {"n", "128"}, {"k", "128"}, {"blocks", "2"}};
    const std::uint64_t timing = cycles(settings);
    EXPECT_EQ(run_kernel("matmul_leaky_relu", settings, {.chip = "910b1"}).totals.cycles, timing);
}

TEST(MatmulLeakyRelu, AskingAheadOverlapsTheCubeAndTheVectorCores) {
    // Eight blocks a vector core: asked for one by one, the cube core waits while they are worked on.
    const Settings one_by_one{
        {"m", "1024"}, {"n", "256"}, {"k", "512"}, {"blocks", "4"}, {"base_m", "64"}, {"base_n", "64"}};
    Settings ahead = one_by_one;
    ahead.emplace_back("form", "async");
    EXPECT_GT(cycles(one_by_one), cycles(ahead) * 11 / 10);
}

}  // namespace
}  // namespace ascendsim
