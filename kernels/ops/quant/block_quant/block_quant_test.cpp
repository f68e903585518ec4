// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct QuantCase {
    const char* rows;
    const char* width;
    const char* block;
    const char* type;
};

void PrintTo(const QuantCase& a, std::ostream* out) {
    *out << a.rows << " x " << a.width << " in " << a.block << ' ' << a.type;
}

class BlockQuantShapes : public ::testing::TestWithParam<QuantCase> {};

TEST_P(BlockQuantShapes, GivesBytesAndScales) {
    const auto [rows, width, block, type] = GetParam();
    const KernelRun result = run_kernel("block_quant",
                                        {{"rows", rows}, {"width", width}, {"block", block}, {"dtype", type}},
                                        {.chip = "910b3"});
    EXPECT_TRUE(result.clean()) << result.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         BlockQuantShapes,
                         ::testing::Values(QuantCase{"1", "32", "32", "float16"},
                                           QuantCase{"67", "1024", "128", "bfloat16"},
                                           QuantCase{"33", "2048", "1024", "float32"},
                                           QuantCase{"129", "192", "64", "float16"}));

TEST(BlockQuant, RefusesWidthsThatAreNotWholeBlocks) {
    EXPECT_THROW(static_cast<void>(plan_kernel("block_quant", {{"width", "100"}}, "910b3")), UserError);
}

}  // namespace
}  // namespace ascendsim
