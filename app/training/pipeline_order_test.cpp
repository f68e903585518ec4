// SPDX-License-Identifier: Apache-2.0
#include "app/training/pipeline_order.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ascendsim::training {
namespace {

/// "F0.1": forward, chunk 0, pass 1.
std::string text(const std::vector<PassUnit>& order) {
    std::string text;
    for (const PassUnit& unit : order) {
        text += fmt::format(
            "{}{}{}.{}", text.empty() ? "" : " ", unit.forward ? "F" : "B", unit.chunk, unit.pass);
    }
    return text;
}

TEST(PipelineOrder, WorksOneForwardOneBackward) {
    EXPECT_EQ(text(pipeline_order(0, 2, 1, 3)), "F0.0 F0.1 B0.0 F0.2 B0.1 B0.2");
    EXPECT_EQ(text(pipeline_order(1, 2, 1, 3)), "F0.0 B0.0 F0.1 B0.1 F0.2 B0.2");
    EXPECT_EQ(text(pipeline_order(0, 4, 1, 2)), "F0.0 F0.1 B0.0 B0.1");
}

// Narayanan et al. 2021, figure 4: two chunks on two devices go through passes 1 2 of chunk one, 1 2 of chunk
// two.
TEST(PipelineOrder, GoesThroughChunksInGroups) {
    EXPECT_EQ(text(pipeline_order(1, 2, 2, 4)),
              "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

TEST(PipelineOrder, HoldsWhatWaits) {
    EXPECT_EQ(most_waiting(pipeline_order(0, 4, 1, 8)), 4U);
    EXPECT_EQ(most_waiting(pipeline_order(3, 4, 1, 8)), 1U);
    EXPECT_EQ(most_waiting(pipeline_order(0, 4, 2, 8)), 11U);  // 2 x 3 + 4 ahead, and the one at work
}

}  // namespace
}  // namespace ascendsim::training
