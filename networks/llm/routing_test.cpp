// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/routing.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace ascendsim::networks::llm {
namespace {

std::uint64_t sum_of(const std::vector<std::uint64_t>& rows) {
    return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
}

TEST(Routing, DealsEvenlyWhereItIsForced) {
    // 64 tokens choose 8 of 256 experts, which 8 devices share: 64 rows on 32 experts
    const std::vector<std::uint64_t> rows =
        busiest_device({.tokens = 64, .experts = 256, .chosen = 8, .devices = 8, .routing = Routing::even});
    EXPECT_EQ(rows, std::vector<std::uint64_t>(32, 2));
}

TEST(Routing, GivesOneDeviceMoreThanItsShare) {
    // 256 tokens choose 8 of 256 experts: 16 rows a device of 128 on average. The most of 128 numbers about
    // Poisson-distributed with mean 16 is near 16 + sqrt(2 * 16 * ln 128) = 28.5.
    const Dealing dealing{.tokens = 256, .experts = 256, .chosen = 8, .devices = 128};
    EXPECT_NEAR(busiest_share(dealing), 28.5 / 16, 0.25);
    EXPECT_EQ(busiest_device(dealing), busiest_device(dealing));
}

TEST(Routing, EvensOutAsTokensGrow) {
    // 8192 rows a device of 8, deviation sqrt(8192) = 90: within three of them
    const Dealing dealing{.tokens = 8192, .experts = 128, .chosen = 8, .devices = 8};
    EXPECT_GT(busiest_share(dealing), 1.0);
    EXPECT_LT(busiest_share(dealing), 1 + 3 * 90.0 / 8192);
}

TEST(Routing, LeavesExpertsWithoutRowsAtFewTokens) {
    const std::vector<std::uint64_t> one = busiest_device({.tokens = 1, .experts = 128, .chosen = 8});
    EXPECT_EQ(one, std::vector<std::uint64_t>(8, 1));  // no token chooses an expert twice
    const std::vector<std::uint64_t> more = busiest_device({.tokens = 16, .experts = 128, .chosen = 8});
    EXPECT_EQ(sum_of(more), 128U);
    // of 128 experts, 128 (1 - (1 - 8 / 128)^16) = 82 have a row
    EXPECT_NEAR(static_cast<double>(more.size()), 82, 8);
}

}  // namespace
}  // namespace ascendsim::networks::llm
