// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class RearrangeCases : public ::testing::TestWithParam<Settings> {};

TEST_P(RearrangeCases, PutsEveryElementInItsPlace) {
    const KernelRun run = run_kernel("rearrange", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* kind, const char* dtype, const char* shape, Settings more = {}) {
    Settings settings{{"kind", kind}, {"dtype", dtype}, {"shape", shape}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    RearrangeCases,
    ::testing::Values(
        of("concat", "float16", "37,100", {{"axis", "1"}, {"parts", "33,3,64"}}),
        of("concat", "float32", "100,33", {{"axis", "0"}, {"parts", "1,98,1"}}),
        of("concat", "int64", "9,5,16", {{"axis", "1"}, {"parts", "2,3"}}),
        of("split", "bfloat16", "37,96", {{"axis", "1"}, {"parts", "32,32,32"}}),
        of("split", "int8", "64,7,33", {{"axis", "1"}, {"parts", "5,2"}}),
        of("slice", "float32", "40,70", {{"begin", "3,5"}, {"out", "30,64"}}),
        of("slice", "float16", "40,700", {{"begin", "1,0"}, {"out", "13,234"}, {"step", "3,3"}}),
        of("slice", "float32", "4,50,9", {{"begin", "0,1,2"}, {"out", "2,25,6"}, {"step", "2,2,1"}}),
        of("pad", "float16", "30,45", {{"begin", "1,3"}, {"out", "33,50"}}),
        of("pad", "int32", "3,7,20", {{"begin", "0,1,0"}, {"out", "3,9,24"}}),
        of("tile", "float32", "5,40", {{"repeats", "3,2"}}),
        of("tile", "float16", "1,64", {{"repeats", "200,1"}}),
        of("slice",
           "float32",
           "40,70",
           {{"begin", "39,69"}, {"out", "20,20"}, {"step", "2,3"}, {"flip", "0,1"}}),
        of("flip", "float32", "21,33", {{"flip", "0"}}),
        of("flip", "float16", "3,40000"),
        of("flip", "float32", "21,33", {{"flip", "0,1"}})));

class RearrangeOn310p : public ::testing::TestWithParam<Settings> {};

TEST_P(RearrangeOn310p, PutsWholeBlocksInTheirPlace) {
    const KernelRun run = run_kernel("rearrange", GetParam(), {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    RearrangeOn310p,
    ::testing::Values(of("concat", "float16", "3,48,49", {{"axis", "1"}, {"parts", "32,16"}}),
                      of("split", "float32", "20,64", {{"axis", "1"}, {"parts", "24,40"}}),
                      of("slice", "float16", "9,70", {{"begin", "1,5"}, {"out", "8,48"}}),
                      of("pad", "float16", "10,32", {{"begin", "1,16"}, {"out", "12,64"}}),
                      of("tile", "float32", "1,64", {{"repeats", "70,1"}})));

TEST(Rearrange, RefusesRowsBetweenBlocksOn310p) {
    EXPECT_THROW(static_cast<void>(testing::plan_kernel(
                     "rearrange", of("slice", "float16", "9,70", {{"out", "9,33"}}), "310p3")),
                 UserError);
}

TEST(Rearrange, SaysWhichPartsDoNotFit) {
    try {
        static_cast<void>(testing::plan_kernel(
            "rearrange", of("split", "float32", "8,9", {{"axis", "1"}, {"parts", "4,4"}})));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("parts"));
    }
}

}  // namespace
}  // namespace ascendsim
