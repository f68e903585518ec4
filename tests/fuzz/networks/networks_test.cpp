// SPDX-License-Identifier: Apache-2.0
// Some random networks and damaged files; `fuzz_networks` runs as many as one likes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fuzz/networks/damaged_files.hpp"
#include "tests/fuzz/networks/network_campaign.hpp"
#include "tests/fuzz/networks/random_network.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::fuzz {
namespace {

TEST(NetworkFuzz, JoinedNetworksComputeWhatTheyDidApart) {
    const NetworkOutcome outcome = run_networks(1, 4, "910b3", 4);
    EXPECT_THAT(outcome.differences, testing::IsEmpty());
    EXPECT_EQ(outcome.networks, 4U);
    EXPECT_GT(outcome.joined, 2U);
    EXPECT_GT(outcome.compared, 1000U);
}

TEST(NetworkFuzz, TheSameSeedIsTheSameNetwork) {
    const RandomNetwork one = random_network(7);
    const RandomNetwork other = random_network(7);
    ASSERT_EQ(one.graph.nodes.size(), other.graph.nodes.size());
    for (std::size_t i = 0; i < one.graph.nodes.size(); ++i) {
        EXPECT_EQ(one.graph.nodes[i].op, other.graph.nodes[i].op);
    }
    EXPECT_EQ(one.elements, other.elements);
}

TEST(NetworkFuzz, DamagedFilesEndInASentence) {
    const auto files =
        network_files({toolchain::Installation::find().scenarios() / "networks" / "decisions"});
    const DamagedOutcome outcome = run_damaged(files, 100, 1);
    EXPECT_EQ(outcome.files, 100U);
    EXPECT_THAT(outcome.crashes, testing::IsEmpty());
    EXPECT_GT(outcome.refused, 5U);
}

}  // namespace
}  // namespace ascendsim::fuzz
