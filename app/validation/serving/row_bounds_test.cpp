// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"

namespace ascendsim::validation {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Qwen3-8B has 36 layers of 4096 x (4096 + 2 x 1024 + 4096) + 3 x 4096 x 12288 parameters, that is 6.946e9,
/// beside its two tables.
serving::ServeConfig qwen3_8b(const std::string& more = {}) {
    const toolchain::Installation installation = toolchain::Installation::find();
    return serving::parse_serving("[serve]\nmodel = \"qwen3_8b\"\nnode = \"atlas800t_a3\"\n" + more +
                                      "[requests]\nprompt = 4096\noutput = 16\n",
                                  "row.toml",
                                  installation);
}

std::string bound(ServedMetric metric, double value, const char* unit, const serving::ServeConfig& config) {
    const SystemRow row{.value = value, .unit = unit};
    ServedCase served;
    served.metric = metric;
    return beyond_the_machine(row, served, config);
}

TEST(RowBounds, RefuseAPromptThatTheCubesCannotMultiply) {
    const serving::ServeConfig one = qwen3_8b();
    // 2 x 4096 x 6.946e9 operations: 56.9e12, at the peak of a die
    const double least_ms = 56.9e12 / (peak_fp16_tflops(one.chip) * 1e9);
    EXPECT_THAT(bound(ServedMetric::ttft, 0.98 * least_ms, "ms", one), HasSubstr("4096 tokens x 6.95e9"));
    EXPECT_THAT(bound(ServedMetric::ttft, 1.02 * least_ms, "ms", one), IsEmpty());
    EXPECT_THAT(bound(ServedMetric::ttft, 0.00098 * least_ms, "s", one), HasSubstr("cubes' peak"));
    EXPECT_THAT(bound(ServedMetric::e2e, 0.1, "ms", one), IsEmpty());
    const serving::ServeConfig two = qwen3_8b("[layout]\ntensor = 2\n");
    EXPECT_THAT(bound(ServedMetric::ttft, 0.52 * least_ms, "ms", two), IsEmpty());
    const serving::ServeConfig staged = qwen3_8b("[layout]\npipeline = 2\n");
    EXPECT_THAT(bound(ServedMetric::ttft, 0.52 * least_ms, "ms", staged), IsEmpty());
    EXPECT_THAT(bound(ServedMetric::ttft, 0.48 * least_ms, "ms", staged), HasSubstr("3.47e9"));
}

TEST(RowBounds, RefuseAStepThatHbmCannotRead) {
    const serving::ServeConfig one = qwen3_8b();
    const double behind_l2 = 2 * 6.946e9 - static_cast<double>(one.chip.l2.bytes);
    const double least_ms = behind_l2 / (one.chip.hbm.gb_per_s * 1e6);
    EXPECT_THAT(bound(ServedMetric::tpot, 0.99 * least_ms, "ms", one), HasSubstr("for 1 token at most"));
    EXPECT_THAT(bound(ServedMetric::tpot, 1.01 * least_ms, "ms", one), IsEmpty());
    // three drafted tokens and one, if all are accepted
    const serving::ServeConfig drafts = qwen3_8b("[speculation]\ndrafted = 3\nacceptance = 0.5\n");
    EXPECT_THAT(bound(ServedMetric::tpot, 0.26 * least_ms, "ms", drafts), IsEmpty());
    EXPECT_THAT(bound(ServedMetric::tpot, 0.24 * least_ms, "ms", drafts), HasSubstr("for 4 tokens at most"));
}

}  // namespace
}  // namespace ascendsim::validation
