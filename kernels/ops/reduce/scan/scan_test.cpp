// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

struct ScanCase {
    const char* rows;
    const char* columns;
    const char* blocks;
};

void PrintTo(const ScanCase& a, std::ostream* out) {
    *out << a.rows << " x " << a.columns << " on " << a.blocks;
}

class ScanShapes : public ::testing::TestWithParam<ScanCase> {};

TEST_P(ScanShapes, SumsEachRowFromTheLeft) {
    const auto [rows, columns, blocks] = GetParam();
    const KernelRun run = run_kernel("scan", {{"rows", rows}, {"columns", columns}, {"blocks", blocks}});
    EXPECT_TRUE(run.clean()) << run.report();
}

// Less than a chunk, a chunk and one column more, many chunks with a tail; more rows than a core takes at a
// time.
INSTANTIATE_TEST_SUITE_P(Scan,
                         ScanShapes,
                         ::testing::Values(ScanCase{"1", "1", "1"},
                                           ScanCase{"5", "37", "1"},
                                           ScanCase{"16", "64", "1"},
                                           ScanCase{"33", "65", "2"},
                                           ScanCase{"150", "200", "1"},
                                           ScanCase{"47", "1003", "0"}));

}  // namespace
}  // namespace ascendsim
