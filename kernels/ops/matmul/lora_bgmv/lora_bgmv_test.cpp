// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct LoraCase {
    const char* tokens;
    const char* hidden;
    const char* rank;
    const char* adapters;
};

void PrintTo(const LoraCase& a, std::ostream* out) {
    *out << a.tokens << " tokens, " << a.hidden << " x " << a.rank << ", " << a.adapters;
}

class LoraShapes : public ::testing::TestWithParam<LoraCase> {
protected:
    [[nodiscard]] static KernelRun run(const char* direction) {
        const auto [tokens, hidden, rank, adapters] = GetParam();
        return run_kernel("lora_bgmv",
                          {{"direction", direction},
                           {"tokens", tokens},
                           {"hidden", hidden},
                           {"rank", rank},
                           {"adapters", adapters},
                           {"scale", "0.5"}},
                          {.chip = "910b3"});
    }
};

TEST_P(LoraShapes, ShrinkGathersAndMultiplies) {
    const KernelRun result = run("shrink");
    EXPECT_TRUE(result.clean()) << result.report();
}

TEST_P(LoraShapes, ExpandAddsToWhatIsThere) {
    const KernelRun result = run("expand");
    EXPECT_TRUE(result.clean()) << result.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         LoraShapes,
                         ::testing::Values(LoraCase{"1", "128", "8", "1"},
                                           LoraCase{"9", "1152", "16", "3"},
                                           LoraCase{"50", "1024", "64", "2"}));

TEST(Lora, RefusesOtherRanks) {
    EXPECT_THROW(static_cast<void>(plan_kernel("lora_bgmv", {{"rank", "12"}}, "910b3")), UserError);
}

}  // namespace
}  // namespace ascendsim
