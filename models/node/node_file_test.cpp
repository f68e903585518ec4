// SPDX-License-Identifier: Apache-2.0
#include "models/node/node_file.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/call_sums.hpp"
#include "models/node/collectives.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/schedule.hpp"
#include "models/node/transfers.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::node {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

NodeSpec shipped(std::string_view name) {
    return open_node(name, ASCENDSIM_NODES).spec;
}

/// A file in a folder of this test's process, which goes with it.
std::filesystem::path written(const std::string& name, const std::string& text) {
    static const process::TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / name;
    std::ofstream{path} << text;
    return path;
}

TEST(NodeFile, ReadsEveryShippedNodeAndHost) {
    for (const std::string& name : list_machines(ASCENDSIM_NODES)) {
        const NodeSpec node = shipped(name);
        EXPECT_NO_THROW((void)open_host(node.host, ASCENDSIM_HOSTS)) << name;
        EXPECT_GT(host_copy_us(node, Direction::to_device, 1 << 20, true), 0) << name;
        EXPECT_THAT(describe_node(open_node(name, ASCENDSIM_NODES)), HasSubstr("copy.h2d_gb_per_s")) << name;
    }
}

TEST(NodeFile, TakesFromItsBaseWhatItDoesNotGive) {
    const NodeSpec two = shipped("atlas800t_a2_x2");
    EXPECT_EQ(two.size(), 16U);
    EXPECT_EQ(two.links.pair_gb_per_s, shipped("atlas800t_a2").links.pair_gb_per_s);
}

TEST(NodeFile, ReducesOverEveryNodeOfSeveralDevices) {
    for (const std::string& name : list_machines(ASCENDSIM_NODES)) {
        const NodeSpec node = shipped(name);
        Collective call{.bytes = 1 << 20, .ranks = {}};
        for (std::uint32_t i = 0; i < std::min(node.size(), 32U); ++i) {
            call.ranks.push_back(i);
        }
        if (node.size() > 1) {
            EXPECT_GT(collective_us(node, call), 0) << name;
        }
    }
}

TEST(NodeFile, NamesWhatIsWrong) {
    EXPECT_THAT([] { (void)shipped("atlas800t_a4"); },
                ThrowsMessage<UserError>(HasSubstr("no such node, did you mean 'atlas800t_a2'?")));
    const auto odd = written("odd.toml",
                             "base = \"atlas800t_a3\"\n[devices]\n"
                             "per_server = { value = 5, tag = \"I\", source = \"test\" }\n");
    EXPECT_THAT([&] { (void)open_node(odd.string(), ASCENDSIM_NODES); },
                ThrowsMessage<UserError>(HasSubstr("5 is no multiple of devices.dies_per_package, 2")));
    const auto ring = written("own.toml", "base = \"" + written("own.toml", "").string() + "\"\n");
    EXPECT_THAT([&] { (void)open_node(ring.string(), ASCENDSIM_NODES); },
                ThrowsMessage<UserError>(HasSubstr("the node is its own base")));
}

TEST(Transfers, WaitForTheIssuerWhereBlocksAreSmall) {
    // 8,192 blocks of 16 KiB, 11.9 us each (S20: 11.8 us of a communication domain).
    const NodeSpec node = shipped("atlas800t_a2");
    const BlockPath path{.path = &node.hccs_near.read_dd, .issuer = &node.hccs.domain};
    const double us = stream_us(node, {.path = path, .block_bytes = 16384, .total_bytes = 128 << 20});
    EXPECT_NEAR(us, 8192 * 11.9, 20);
}

TEST(Transfers, CostLatencyForEachBlockWithoutAWindow) {
    NodeSpec node = shipped("atlas800t_a2");
    node.hccs_near.read_dd = {.gb_per_s = 10, .latency_us = 2};
    BlockPath path{.path = &node.hccs_near.read_dd, .issuer = &node.hccs.device};
    const BlockStream stream{.path = path, .block_bytes = 10'000, .total_bytes = 1'000'000};
    EXPECT_NEAR(stream_us(node, stream), 100 * (2 + 1), 1e-3);
    IssuerSpec wide{.window = 8};
    BlockStream hidden = stream;
    hidden.path.issuer = &wide;
    EXPECT_NEAR(stream_us(node, hidden), 100 + 2, 2.5);  // the first latency and the bytes
}

TEST(Transfers, ShareTheLinkOfACardWithTwoChips) {
    const NodeSpec duo = shipped("atlas300i_duo");
    TaskGraph graph;
    Fabric fabric{duo, graph};
    for (std::uint32_t device = 0; device < 2; ++device) {
        graph.add(graph.add_lane({"copy engine"}),
                  host_copy(fabric, device, Direction::to_device, 64 << 20, true));
    }
    const double alone = host_copy_us(duo, Direction::to_device, 64 << 20, true);
    EXPECT_NEAR(microseconds(run(graph).length) / alone, 2, 0.01);
}

TEST(HostCalls, AreBoundByTheSlowerOfHostAndDevice) {
    const HostSpec host = open_host("kunpeng920", ASCENDSIM_HOSTS).spec;
    EXPECT_NEAR(call_us(host, IssueMode::eager, 5), host.eager_us, 0.1);
    EXPECT_NEAR(call_us(host, IssueMode::eager, 100), 100 + host.task_gap_us, 0.2);
    EXPECT_NEAR(call_us(host, IssueMode::graph, 5), 5 + host.graph_task_us, 0.1);
    EXPECT_NEAR(call_us(host, IssueMode::queue, 5), host.eager_us - host.queue_us, 0.2);
}

TEST(HostCalls, ComeToTheirSumInEveryMode) {
    const HostSpec host = open_host("kunpeng920", ASCENDSIM_HOSTS).spec;
    for (const IssueMode mode :
         {IssueMode::launch, IssueMode::eager, IssueMode::triton, IssueMode::queue, IssueMode::graph}) {
        for (const double kernel_us : {1.0, 10.0, 30.0, 100.0}) {
            CallSums sums;
            sums.add(host, mode, kernel_us);
            // the first of 300 calls goes through all lanes one after the other, which is less than 200 us
            EXPECT_NEAR(call_us(host, mode, kernel_us), sums.us(), 200.0 / 300)
                << static_cast<int>(mode) << " " << kernel_us;
        }
    }
}

TEST(HostCalls, HideBehindLongKernelsAmongShortOnes) {
    const HostSpec host = open_host("kunpeng920", ASCENDSIM_HOSTS).spec;
    CallSums sums;
    sums.add(host, IssueMode::eager, 1000);
    sums.add(host, IssueMode::eager, 1, 10);  // the host is through with these before the long one has ended
    EXPECT_NEAR(sums.us(), 1010 + 11 * host.task_gap_us, 1e-9);
}

}  // namespace
}  // namespace ascendsim::node
