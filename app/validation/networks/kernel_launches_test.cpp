// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/kernel_launches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/validation/networks/networks_validation.hpp"
#include "app/validation/serving/single_launches.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {
namespace {

using testing::HasSubstr;

const toolchain::Installation& installed_for_launches() {
    static const toolchain::Installation installation = toolchain::Installation::find();
    return installation;
}

KernelSum mean_of(const std::vector<StatedLaunch>& launches) {
    return mean_of_launches(launches, {.chip = "910B3"}, installed_for_launches(), 2);
}

StatedLaunch launch(double count, const std::string& kernel, const std::string& shape) {
    return {.count = count, .kernel = kernel, .shape = shape, .dtype = "bf16", .notes = {}};
}

TEST(KernelLaunches, CountAsOftenAsTheyRan) {
    const double small = mean_of({launch(1, "SwiGlu", "16x512")}).us;
    const double large = mean_of({launch(1, "SwiGlu", "4096x4096")}).us;
    EXPECT_GT(large, small);
    const KernelSum both = mean_of({launch(3, "SwiGlu", "16x512"), launch(1, "SwiGlu", "4096x4096")});
    EXPECT_NEAR(both.us, (3 * small + large) / 4, 1e-9);
    ASSERT_EQ(both.parts.size(), 2U);
    EXPECT_THAT(both.parts[0], HasSubstr("SwiGlu 16x512: 3 of"));
}

TEST(KernelLaunches, AreRefusedByName) {
    try {
        static_cast<void>(mean_of({launch(1, "DispatchFFNCombine", "16x512")}));
        FAIL() << "nothing was refused";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("DispatchFFNCombine of 16x512"));
    }
    EXPECT_THROW(static_cast<void>(mean_of_launches(
                     {launch(1, "SwiGlu", "16x512")}, {.chip = "TPU"}, installed_for_launches(), 2)),
                 UserError);
}

TEST(KernelLaunches, AddUpWithoutThoseThatCannotRun) {
    const double one = mean_of({launch(1, "SwiGlu", "16x512")}).us;
    const LaunchesSum sum =
        sum_of_launches({launch(3, "SwiGlu", "16x512"), launch(2, "DispatchFFNCombine", "16x512")},
                        {.chip = "910B3"},
                        installed_for_launches(),
                        2);
    EXPECT_NEAR(sum.kernels.us, 3 * one, 1e-9);
    EXPECT_EQ(sum.kernels.parts.size(), 1U);
    EXPECT_THAT(sum.left_out, testing::ElementsAre("DispatchFFNCombine 16x512"));
}

TEST(KernelLaunches, OneByOneFindCoresWithoutTheKernel) {
    const SystemRow eager{.chip = "910B3", .software = "torch, eager", .workload = "decode"};
    const SystemRow graph{.chip = "910B3", .software = "torch, aclgraph", .workload = "decode"};
    EXPECT_TRUE(launched_one_by_one(eager));
    EXPECT_FALSE(launched_one_by_one(graph));
    EXPECT_TRUE(launched_one_by_one({.software = "aclgraph", .workload = "prefill"}));
    const std::vector<StatedLaunch> launches{launch(1, "SwiGlu", "4096x4096")};  // on all 40 vector cores
    const double apart = mean_of_launches(launches, eager, installed_for_launches(), 2).us -
                         mean_of_launches(launches, graph, installed_for_launches(), 2).us;
    EXPECT_NEAR(apart, 39 * first_task_us(installed_for_launches()), 0.5);
}

TEST(KernelLaunches, TakeTheTypeThatTheRowNames) {
    const StatedLaunch named = launch_in({.workload = "bf16 softmax", .shape = "64x1024", .notes = "mean"});
    EXPECT_EQ(named.dtype, "bf16");
    EXPECT_EQ(named.kernel, "bf16 softmax");
    EXPECT_EQ(named.shape, "64x1024");
    EXPECT_EQ(launch_in({.workload = "softmax", .shape = "64x1024"}).dtype, "fp16");
}

}  // namespace
}  // namespace ascendsim::validation
