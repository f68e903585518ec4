// SPDX-License-Identifier: Apache-2.0
// Fusion weighs the conversions of layouts that it saves or asks for.
#include "networks/fusion/conversions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "networks/fusion/testing/graph_fusion_fixture.hpp"

namespace ascendsim::networks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConversionsTest : public GraphFusionTest {
protected:
    /// Two convolutions of x, each before one of its own, of `channels` between them in float16: blocks hold
    /// 16. A convolution takes 30 us, each other kernel 10.
    GraphFusion beside(std::uint64_t channels) {
        times_["conv2d"] = 30;
        input("x", {1, 16, 32, 32});
        std::vector<std::string> ends;
        for (const std::string name : {"a", "b"}) {
            add("Conv", {"x", weight("w" + name, {channels, 16, 1, 1})}, name);
            ends.push_back(add("Conv", {name, weight("v" + name, {16, channels, 1, 1})}, "end_" + name));
        }
        return fused(ends, {.weights = {.latency = 1, .throughput = 0, .memory = 0}});
    }
};

TEST_F(ConversionsTest, PartsOfWholeBlocksNeedNone) {
    const GraphFusion fusion = beside(16);
    ASSERT_EQ(fusion.decisions.size(), 1U);
    // 30 + 30 us apart, 30 + 10 us with a split.
    EXPECT_TRUE(fusion.decisions[0].taken);
    EXPECT_EQ(fusion.decisions[0].apart.time_us, 60);
    EXPECT_EQ(fusion.decisions[0].fused.time_us, 40);
    EXPECT_THAT(kinds(fusion), ElementsAre("Conv", "Split", "Conv", "Conv"));
}

TEST_F(ConversionsTest, PartsOfBlocksCostMoreThanTheySave) {
    const GraphFusion fusion = beside(8);
    ASSERT_EQ(fusion.decisions.size(), 1U);
    // Beside the 40 us: a transposition out of blocks, and for each part zeros to fill a block up with and a
    // transposition back.
    EXPECT_EQ(fusion.decisions[0].fused.time_us, 90);
    EXPECT_EQ(fusion.decisions[0].fused_conversions_us, 50);
    EXPECT_EQ(fusion.decisions[0].apart_conversions_us, 0);
    EXPECT_EQ(fusion.decisions[0].code, "slower");
    EXPECT_THAT(fusion.decisions[0].text, HasSubstr("50.00 us of them convert layouts around it"));
    EXPECT_THAT(kinds(fusion), ElementsAre("Conv", "Conv", "Conv", "Conv"));
}

}  // namespace
}  // namespace ascendsim::networks
