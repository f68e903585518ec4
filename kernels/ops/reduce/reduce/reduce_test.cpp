// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

struct ReduceCase {
    const char* shape;
    const char* first;
    const char* axes;
    const char* op;
    const char* type;
    const char* lists = "0";
};

void PrintTo(const ReduceCase& a, std::ostream* out) {
    *out << a.op << " of " << a.shape << " from " << a.first << ' ' << a.type;
}

class ReduceShapes : public ::testing::TestWithParam<ReduceCase> {};

TEST_P(ReduceShapes, AgreeWithTheFold) {
    const auto [shape, first, axes, op, type, lists] = GetParam();
    const KernelRun run = run_kernel("reduce",
                                     {{"shape", shape},
                                      {"first", first},
                                      {"axes", axes},
                                      {"op", op},
                                      {"dtype", type},
                                      {"lists", lists},
                                      {"blocks", *lists == '0' ? "0" : "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    ReduceShapes,
    ::testing::Values(ReduceCase{"12288", "0", "0", "sum", "float32"},
                      ReduceCase{"70001", "0", "0", "norm", "float16"},
                      ReduceCase{"5", "0", "0", "max", "bfloat16"},
                      ReduceCase{"67,131", "1", "1", "sum", "float32"},
                      ReduceCase{"67,131", "1", "1", "max", "float16"},
                      ReduceCase{"3,70000", "1", "1", "mean", "float16"},
                      ReduceCase{"129,24", "1", "1", "min", "float32"},
                      ReduceCase{"200,333", "0", "1", "sum", "float32"},
                      ReduceCase{"3,77,130", "1", "1", "sum_abs", "bfloat16"},
                      ReduceCase{"2,5,7,9", "1", "2", "max", "float16"},
                      // foreach norm's order: two pieces of 21952 elements for each of two cores
                      ReduceCase{"80001", "0", "0", "norm", "float16", "64"},
                      ReduceCase{"80001", "0", "0", "sum_abs", "float32", "64"}));

}  // namespace
}  // namespace ascendsim
