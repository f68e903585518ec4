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

class VectorConvCases : public ::testing::TestWithParam<Settings> {};

TEST_P(VectorConvCases, AgreesWithTheDefinition) {
    const KernelRun run = run_kernel("vector_conv", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings depthwise(const char* shape, const char* channels, Settings more) {
    Settings settings{{"shape", shape}, {"outputs", channels}, {"groups", channels}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

Settings dense(const char* shape, const char* outputs, const char* groups, Settings more) {
    Settings settings{{"shape", shape}, {"outputs", outputs}, {"groups", groups}, {"bias", "true"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    VectorConvCases,
    ::testing::Values(
        depthwise("2,20,15,17", "20", {}),
        depthwise("1,33,14,14", "33", {{"strides", "2,2"}, {"dtype", "float32"}, {"bias", "true"}}),
        depthwise("1,18,20,9", "18", {{"window", "5,3"}, {"pads", "2,0,1,1"}, {"dtype", "bfloat16"}}),
        // two filters for each channel: sixteen lanes read eight planes
        Settings{{"shape", "1,10,9,9"}, {"outputs", "20"}, {"groups", "10"}, {"dtype", "float32"}},
        // weights of 40 channels come in two pieces: 288 / 9 = 32 channels in a buffer
        dense("1,40,9,11", "5", "1", {{"dtype", "float32"}}),
        dense("2,12,8,8", "24", "3", {{"dilations", "2,1"}, {"pads", "2,1,2,1"}}),
        dense("2,6,31", "7", "1", {{"window", "4"}, {"strides", "3"}, {"pads", "1,2"}, {"dtype", "float32"}}),
        dense("1,4,6,7,8",
              "6",
              "2",
              {{"window", "2,3,3"}, {"strides", "1,2,1"}, {"pads", "0,1,1,1,1,0"}, {"dtype", "float32"}}),
        dense("1,6,7,9",
              "10",
              "2",
              {{"transposed", "true"}, {"strides", "2,3"}, {"extra", "1,0"}, {"dtype", "float32"}}),
        dense("1,5,40", "3", "1", {{"transposed", "true"}, {"window", "3"}, {"pads", ""}}),
        dense("1,3,4,5,6",
              "2",
              "1",
              {{"transposed", "true"},
               {"window", "3,3,3"},
               {"strides", "2,1,2"},
               {"pads", "0,0,0,1,1,1"},
               {"dtype", "float32"}})));

TEST(VectorConv, TakesPlanesOfWholeBlocksOn310p) {
    const KernelRun run =
        run_kernel("vector_conv",
                   {{"shape", "1,20,12,16"}, {"outputs", "20"}, {"groups", "20"}, {"bias", "true"}},
                   {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(VectorConv, NeedsGroupsThatDivideTheChannels) {
    EXPECT_THROW(static_cast<void>(plan_kernel("vector_conv", {{"groups", "5"}})), UserError);
}

}  // namespace
}  // namespace ascendsim
