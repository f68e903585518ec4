// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class IndexElementsCases : public ::testing::TestWithParam<Settings> {};

TEST_P(IndexElementsCases, FollowTheIndex) {
    const KernelRun run = run_kernel("index_elements", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* kind, const char* dtype, const char* shape, const char* index, const char* axis) {
    return {{"kind", kind}, {"dtype", dtype}, {"shape", shape}, {"index", index}, {"axis", axis}};
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         IndexElementsCases,
                         ::testing::Values(of("gather", "float32", "100,77", "50,77", "0"),
                                           of("gather", "float16", "9,60,128", "4,60,128", "1"),
                                           of("gather", "float32", "4,25,249", "4,12,249", "2"),
                                           of("gather", "float16", "50,333", "50,40", "1"),
                                           of("scatter", "float32", "100,77", "50,77", "0"),
                                           of("scatter", "float16", "50,333", "50,40", "1"),
                                           of("scatter_add", "float32", "6,40,33", "6,90,33", "1")));

Settings one_by_one(const char* dtype, const char* shape, const char* index, const char* axis) {
    Settings settings = of("gather", dtype, shape, index, axis);
    settings.push_back({"schedule", "scalar"});
    return settings;
}

INSTANTIATE_TEST_SUITE_P(ByTheScalarUnit,
                         IndexElementsCases,
                         ::testing::Values(one_by_one("float32", "4,25,249", "4,12,249", "2"),
                                           one_by_one("float16", "9,60,33", "4,20,33", "1")));

}  // namespace
}  // namespace ascendsim
