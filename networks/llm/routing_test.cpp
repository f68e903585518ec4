// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/routing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace ascendsim::networks::llm {
namespace {

using Rows = std::vector<std::uint64_t>;

std::uint64_t sum_of(const Rows& rows) {
    return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
}

/// Rows of the busiest of so many devices on average over many draws, by another generator and another way to
/// choose: keys of all experts are drawn, and those with the smallest are chosen.
double reference_most(const Dealing& dealing, int draws) {
    std::minstd_rand engine{12345};
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
        Rows devices(dealing.devices, 0);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> keys(dealing.experts);
        for (std::uint64_t token = 0; token < dealing.tokens; ++token) {
            for (std::uint32_t expert = 0; expert < dealing.experts; ++expert) {
                keys[expert] = {static_cast<std::uint32_t>(engine()), expert};
            }
            std::ranges::nth_element(keys, keys.begin() + dealing.chosen - 1);
            for (std::uint32_t i = 0; i < dealing.chosen; ++i) {
                ++devices[keys[i].second / (dealing.experts / dealing.devices)];
            }
        }
        sum += static_cast<double>(*std::ranges::max_element(devices));
    }
    return sum / draws;
}

/// Tokens that choose eight experts, all equally likely.
Dealing drawn(std::uint64_t tokens, std::uint32_t experts, std::uint32_t devices) {
    return {.tokens = tokens, .experts = experts, .chosen = 8, .devices = devices, .routing = Routing::drawn};
}

TEST(Routing, DealsEvenlyWhereItIsForced) {
    // 64 tokens choose 8 of 256 experts, which 8 devices share: 64 rows on 32 experts
    EXPECT_EQ(
        busiest_device({.tokens = 64, .experts = 256, .chosen = 8, .devices = 8, .routing = Routing::even}),
        Rows(32, 2));
    // 3 tokens choose 2 of 8 experts on 2 devices: three rows on a device of four experts, and none has two
    EXPECT_EQ(
        busiest_device({.tokens = 3, .experts = 8, .chosen = 2, .devices = 2, .routing = Routing::even}),
        Rows(3, 1));
    const Dealing even{.tokens = 100, .experts = 64, .chosen = 4, .devices = 4, .routing = Routing::even};
    EXPECT_EQ(sum_of(busiest_device(even)), 100U);  // 400 rows on four devices
    EXPECT_DOUBLE_EQ(busiest_share(even), 1.0);
}

TEST(Routing, OneDeviceHasAllRows) {
    for (const std::uint64_t tokens : {1U, 7U, 100U, 5000U}) {
        const Dealing all{.tokens = tokens, .experts = 64, .chosen = 6};
        EXPECT_EQ(sum_of(busiest_device(all)), tokens * 6);
        EXPECT_DOUBLE_EQ(busiest_share(all), 1.0);
    }
}

TEST(Routing, BusiestDeviceHasWhatDrawsHaveOnAverage) {
    for (const Dealing& dealing : {drawn(256, 256, 128), drawn(64, 256, 16), drawn(512, 128, 8)}) {
        const double expected = reference_most(dealing, 60);
        const auto most = static_cast<double>(sum_of(busiest_device(dealing)));
        EXPECT_NEAR(most, expected, 0.06 * expected) << dealing.devices;
        const double mean =
            static_cast<double>(dealing.tokens) * dealing.chosen / static_cast<double>(dealing.devices);
        EXPECT_DOUBLE_EQ(busiest_share(dealing), most / mean);
    }
}

TEST(Routing, RowsGrowWithTokens) {
    // of as many draws: the first tokens choose the same experts whatever comes behind them
    for (const Routing routing : {Routing::drawn, Routing::trained}) {
        std::uint64_t before = 0;
        for (std::uint64_t tokens = 1; tokens <= 256; tokens += 5) {  // all drawn as often
            const Rows rows = busiest_device(
                {.tokens = tokens, .experts = 128, .chosen = 8, .devices = 16, .routing = routing});
            EXPECT_GE(sum_of(rows), before) << tokens;
            EXPECT_LE(rows.size(), 8U);
            EXPECT_LE(rows.front(), tokens);  // no token chooses an expert twice
            EXPECT_TRUE(std::ranges::is_sorted(rows, std::greater{}));
            before = sum_of(rows);
        }
    }
}

TEST(Routing, TrainedRoutersPreferSomeExperts) {
    // DeepSeek-R1 on 32 devices (NVIDIA/TensorRT-LLM, examples/wide_ep/ep_load_balancer/README.md): the
    // busiest has 2.56 times the mean of 1024 rows, on average over layers, of which the first shown has 1.50
    // times and the last but two 3.46.
    const auto share = [](std::uint64_t tokens, std::uint32_t devices) {
        return busiest_share({.tokens = tokens, .experts = 256, .chosen = 8, .devices = devices});
    };
    EXPECT_NEAR(share(4096, 32), 2.56, 0.15);
    EXPECT_NEAR(share(1U << 16U, 32), share(4096, 32), 0.05);  // popularity does not even out
    EXPECT_NEAR(share(4096, 8), 1.4, 0.1);                     // more experts on a device do
    EXPECT_DOUBLE_EQ(share(4096, 1), 1.0);
    // as many experts as are chosen: all are, by each token
    EXPECT_EQ(busiest_device({.tokens = 9, .experts = 4, .chosen = 4}), Rows(4, 9));
}

TEST(Routing, EvensOutAsTokensGrow) {
    // 8192 rows a device of 8, deviation sqrt(8192 * 7 / 8) = 85: the most of eight lies 1.4 of them above
    // the mean, as a rule within 0.5 and 3
    const Dealing dealing = drawn(8192, 128, 8);
    EXPECT_GT(busiest_share(dealing), 1 + 0.5 * 85.0 / 8192);
    EXPECT_LT(busiest_share(dealing), 1 + 3 * 85.0 / 8192);
}

TEST(Routing, LeavesExpertsWithoutRowsAtFewTokens) {
    EXPECT_EQ(busiest_device(drawn(1, 128, 1)), Rows(8, 1));
    const Rows more = busiest_device(drawn(16, 128, 1));
    EXPECT_EQ(sum_of(more), 128U);
    // of 128 experts, 128 (1 - (1 - 8 / 128)^16) = 82 have a row, with a deviation of about 4
    EXPECT_NEAR(static_cast<double>(more.size()), 82, 8);
}

}  // namespace
}  // namespace ascendsim::networks::llm
