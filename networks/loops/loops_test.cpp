// SPDX-License-Identifier: Apache-2.0
// Generated kernels on the simulated chip: numbers as in doubles, and nothing for the hazard checker to find.
#include <gtest/gtest.h>

#include "networks/loops/testing/loop_run.hpp"
#include "networks/loops/testing/shared_loops.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;
using testing::KernelRun;
using testing::run_loop;

void expect_clean(const Loop& loop, const std::string& chip = "910b3") {
    const KernelRun run = run_loop(loop, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
}

}  // namespace

TEST(Loops, AddsFlatTensors) {
    expect_clean(testing::sum_loop({3, 5001}, {3, 5001}, {3, 5001}, DataType::half));
}

TEST(Loops, AddsARow) {
    expect_clean(testing::sum_loop({37, 100}, {100}, {37, 100}, DataType::float32));
}

TEST(Loops, AddsAColumnToARow) {
    expect_clean(testing::sum_loop({37, 1}, {1, 100}, {37, 100}, DataType::half));
}

TEST(Loops, AddsAMiddleAxis) {
    expect_clean(testing::sum_loop({5, 7, 19}, {7, 1}, {5, 7, 19}, DataType::bfloat16));
}

TEST(Loops, AddsANumber) {
    expect_clean(testing::sum_loop({5, 7, 19}, {1}, {5, 7, 19}, DataType::int32));
}

TEST(Loops, NormalisesRows) {
    expect_clean(testing::layer_norm_loop({50, 301}, DataType::half, false));
}

TEST(Loops, NormalisesRowsLongerThanTheBuffer) {
    expect_clean(testing::layer_norm_loop({3, 40000}, DataType::float32, false));
}

TEST(Loops, TakesTheSoftmaxOfRows) {
    expect_clean(testing::softmax_loop({9, 4, 130}, 2, DataType::half));
}

TEST(Loops, TakesTheSoftmaxOfAMiddleAxis) {
    expect_clean(testing::softmax_loop({3, 70, 40}, 1, DataType::float32));
}

TEST(Loops, TakesTheSoftmaxOfLongColumns) {
    expect_clean(testing::softmax_loop({700, 33}, 0, DataType::float32));
}

}  // namespace ascendsim::networks::loops
