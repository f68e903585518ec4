// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

struct TransposeCase {
    const char* shape;
    const char* perm;
    const char* type;
    const char* schedule = "overlapped";
};

void PrintTo(const TransposeCase& a, std::ostream* out) {
    *out << a.shape << " by " << a.perm << ' ' << a.type << ' ' << a.schedule;
}

class TransposeShapes : public ::testing::TestWithParam<TransposeCase> {};

TEST_P(TransposeShapes, PutsEveryElementInItsPlace) {
    const auto [shape, perm, type, schedule] = GetParam();
    const KernelRun run =
        run_kernel("transpose", {{"shape", shape}, {"perm", perm}, {"dtype", type}, {"schedule", schedule}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    TransposeShapes,
    ::testing::Values(TransposeCase{"131,77", "1,0", "float16"},
                      TransposeCase{"131,77", "1,0", "float32"},
                      TransposeCase{"9,20,33", "2,0,1", "int32"},
                      TransposeCase{"3,7,5,11,13", "4,3,2,1,0", "float16"},
                      TransposeCase{"4,6,8,32", "0,2,1,3", "float16"},
                      TransposeCase{"2,9,7,5", "0,2,1,3", "float32"},
                      TransposeCase{"64,3", "1,0", "bfloat16"},
                      // sixteen rows at most: stripes
                      TransposeCase{"3,16,9000", "0,2,1", "float16"},
                      TransposeCase{"2,11,4100", "0,2,1", "float32"},
                      TransposeCase{"16,4097", "1,0", "bfloat16"},
                      TransposeCase{"3,16,4,9", "0,2,3,1", "int16"},
                      // whole blocks, rows one by one, axes taken together, rows that stay rows
                      TransposeCase{"144,208", "1,0", "float16", "library"},
                      TransposeCase{"131,147", "1,0", "float32", "library"},
                      TransposeCase{"3,7,5,11,13", "4,3,2,1,0", "float16", "library"},
                      TransposeCase{"2,51,150", "2,1,0", "float16", "library"},
                      TransposeCase{"4,6,8,32", "0,2,1,3", "float16", "library"},
                      TransposeCase{"2,9,7,19", "0,2,1,3", "float32", "library"},
                      TransposeCase{"64,3", "1,0", "bfloat16", "library"},
                      // short sides, whose runs lie behind each other
                      TransposeCase{"2003,2", "1,0", "float16", "library"},
                      TransposeCase{"3,1501", "1,0", "float32", "library"}));

}  // namespace
}  // namespace ascendsim
