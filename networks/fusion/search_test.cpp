// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

using testing::SizeIs;

/// Two equal products and one generated kernel; products take 10 us, 6 with tiles of 64 by 128, and what is
/// generated 5 us.
class SearchTest : public testing::Test {
protected:
    SearchTest() {
        loops::Loop loop{.name = {},
                         .inputs = {{isa::DataType::half, {64, 512}}},
                         .steps = {{.op = loops::Op::abs,
                                    .inputs = {0},
                                    .result = {isa::DataType::half, {64, 512}},
                                    .axes = {},
                                    .constants = {},
                                    .label = {}}},
                         .outputs = {1}};
        const Task product{.kernel = "matmul", .knobs = {{"m", std::int64_t{256}}}};
        const Task generated{.kernel = {}, .knobs = {}, .loop = std::make_shared<const loops::Loop>(loop)};
        for (const Task& task : {product, generated, product}) {
            plan_.nodes.push_back({.name = {}, .op = "any"});
            plan_.nodes.back().tasks = {task};
        }
    }

    TilingSearch searched(std::size_t budget) {
        return search_tilings(
            plan_,
            chip_,
            [this](const std::vector<Task>& tasks) {
                std::vector<TaskResult> results;
                for (const Task& task : tasks) {
                    ++simulated_;
                    const std::pair<std::string, host::KnobValue> low{"base_m", std::int64_t{64}};
                    const bool fast = std::ranges::find(task.knobs, low) != task.knobs.end();
                    results.push_back({.time_us = task.loop != nullptr ? 5.0
                                                  : fast               ? 6.0
                                                                       : 10.0,
                                       .blocks = 8});
                }
                return results;
            },
            budget);
    }

    ChipSpec chip_ = load_chip("910b3", toolchain::Installation::find().chips());
    NetworkPlan plan_;
    std::size_t simulated_ = 0;
};

TEST_F(SearchTest, TakesTheFastestTilingForAllEqualKernels) {
    const TilingSearch search = searched(100);
    ASSERT_THAT(search.kernels, SizeIs(2));
    EXPECT_EQ(search.kernels[0].count, 2U);
    EXPECT_EQ(search.kernels[0].gain_us(), 8);  // twice 10 - 6
    EXPECT_EQ(search.kernels[0].tiling, "base_m = 64, base_n = 128");
    EXPECT_EQ(search.kernels[1].tiling, "");
    for (const std::size_t node : {0U, 2U}) {
        EXPECT_THAT(search.plan.nodes[node].tasks[0].knobs, SizeIs(3));
    }
    EXPECT_EQ(search.left, 0U);
}

TEST_F(SearchTest, StaysWithinTheBudget) {
    const TilingSearch search = searched(3);
    EXPECT_EQ(search.simulations, 3U);
    EXPECT_EQ(simulated_, 2U + 3U);  // each kernel as it is, and three others
    EXPECT_GT(search.left, 0U);
    EXPECT_EQ(search.kernels[0].tried, 3U);
}

TEST_F(SearchTest, GeneratedKernelsHaveOtherTilesOfTheSameSource) {
    const Task& task = plan_.nodes[1].tasks[0];
    const std::vector<Task> others = other_tilings(task, chip_, 8);
    ASSERT_FALSE(others.empty());
    for (const Task& other : others) {
        EXPECT_NE(task_key(other, chip_), task_key(task, chip_));
        EXPECT_EQ(loops::generate(*other.loop, chip_, other.tiling).source,
                  loops::generate(*task.loop, chip_).source);
    }
}

}  // namespace
}  // namespace ascendsim::networks
