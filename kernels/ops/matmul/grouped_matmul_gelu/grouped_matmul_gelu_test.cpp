// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

// An empty group, one of a row, tails of 128 rows, of 256 columns and of 512 deep.
const Settings uneven{
    {"m", "201"}, {"n", "416"}, {"k", "544"}, {"group_ends", "70, 70, 71, 201"}, {"blocks", "3"}};

Settings with(Settings settings, const char* name, const char* value) {
    settings.emplace_back(name, value);
    return settings;
}

TEST(GroupedMatmulGelu, TwoVectorCoresFourSlots) {
    const KernelRun run = run_kernel("grouped_matmul_gelu", uneven);
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(GroupedMatmulGelu, OneVectorCoreOneSlot) {
    const KernelRun run = run_kernel("grouped_matmul_gelu", with(with(uneven, "slots", "1"), "vectors", "1"));
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(GroupedMatmulGelu, SlotsAndVectorCoresShortenIt) {
    const Settings whole{{"m", "256"}, {"n", "2048"}, {"k", "512"}, {"blocks", "2"}};
    const auto cycles = [&whole](const char* vectors, const char* slots) {
        const Settings settings = with(with(whole, "vectors", vectors), "slots", slots);
        return testing::in_child([&settings] {
            return run_kernel("grouped_matmul_gelu", settings, {.chip = "910b1", .functional = false})
                .totals.cycles;
        });
    };
    EXPECT_LT(cycles("2", "1"), cycles("1", "1"));
    EXPECT_LT(cycles("2", "4"), cycles("2", "1"));
}

}  // namespace
}  // namespace ascendsim
