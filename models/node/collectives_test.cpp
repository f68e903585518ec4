// SPDX-License-Identifier: Apache-2.0
#include "models/node/collectives.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/schedule.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t megabyte = 1'000'000;

/// Four devices in full mesh, 10 GB/s between each two, 1 us a step.
NodeSpec mesh_of_four() {
    NodeSpec node;
    node.name = "mesh";
    node.devices.per_server = 4;
    node.links.pair_gb_per_s = 10;
    node.collective.step_us = 1;
    return node;
}

/// Four devices with a port of 10 GB/s each.
NodeSpec switched_four() {
    NodeSpec node = mesh_of_four();
    node.name = "switched";
    node.links = {.port_gb_per_s = 10};
    return node;
}

Collective call(CollectiveKind kind, std::uint64_t bytes, std::uint32_t ranks = 4) {
    Collective result{.kind = kind, .bytes = bytes, .ranks = std::vector<std::uint32_t>(ranks)};
    std::iota(result.ranks.begin(), result.ranks.end(), 0U);
    return result;
}

TEST(Collectives, GatherOverAllLinksOfAMeshAtATime) {
    // 1 MB to each of three peers, each over a link of its own: 100 us, and one step.
    EXPECT_NEAR(collective_us(mesh_of_four(), call(CollectiveKind::all_gather, megabyte)), 101, 1e-3);
}

TEST(Collectives, GatherInARingStepByStep) {
    // Three steps of 1 MB at 10 GB/s.
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::all_gather, megabyte)), 303, 1e-3);
}

TEST(Collectives, ReduceInTwoHalves) {
    // A quarter of 4 MB to each peer, twice.
    EXPECT_NEAR(collective_us(mesh_of_four(), call(CollectiveKind::all_reduce, 4 * megabyte)), 202, 1e-3);
    // Three steps of a quarter, twice.
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::all_reduce, 4 * megabyte)), 606, 1e-3);
}

TEST(Collectives, ReduceSlowerWhereTheDestinationAdds) {
    NodeSpec node = mesh_of_four();
    node.collective.reduce_step_us = 2;
    node.collective.reduce_gb_per_s = 5;
    EXPECT_NEAR(collective_us(node, call(CollectiveKind::reduce_scatter, megabyte)), 203, 1e-3);
}

TEST(Collectives, ExchangeThroughSharedPorts) {
    // Each rank sends three quarters of 4 MB through its port of 10 GB/s.
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::all_to_all, 4 * megabyte)), 301, 1e-3);
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::send_receive, megabyte, 2)), 101, 1e-3);
}

TEST(Collectives, GiveAndTakeOneRanksWhole) {
    // 1 MB to each of three peers, each over a link of its own; of a port one after the other.
    EXPECT_NEAR(collective_us(mesh_of_four(), call(CollectiveKind::scatter, megabyte)), 101, 1e-3);
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::scatter, megabyte)), 301, 1e-3);
    // A quarter of 4 MB to each peer, and the three of the others to the root.
    EXPECT_NEAR(collective_us(mesh_of_four(), call(CollectiveKind::reduce, 4 * megabyte)), 202, 1e-3);
    // Three steps of a quarter, and three quarters through the root's port.
    EXPECT_NEAR(collective_us(switched_four(), call(CollectiveKind::reduce, 4 * megabyte)), 303 + 301, 1e-3);
}

TEST(Collectives, TakeTheDirectProtocolWhereSmall) {
    NodeSpec node = switched_four();
    node.collective.direct_us = 0.5;
    node.collective.direct_gb_per_s = 6;
    node.collective.direct_bytes = 1000;
    EXPECT_EQ(algorithm_of(node, call(CollectiveKind::all_gather, 1000)), Algorithm::direct);
    EXPECT_EQ(algorithm_of(node, call(CollectiveKind::all_gather, 1001)), Algorithm::ring);
    // 1,000 B to each peer at 2 GB/s.
    EXPECT_NEAR(collective_us(node, call(CollectiveKind::all_gather, 1000)), 1.0, 1e-3);
}

TEST(Collectives, HalveAndDoubleBetweenServers) {
    NodeSpec node = mesh_of_four();
    node.devices.servers = 4;
    node.links.nic_gb_per_s = 1;
    node.collective.server_step_us = 5;
    // In the server: 4 MB to each peer at 10 GB/s, twice. Between: each rank has 4 MB, of which half and a
    // quarter pass at 1 GB/s in two steps, and back.
    const double within = 2 * (1 + 400);
    const double between = 2 * (2 * 5 + 2000 + 1000);
    EXPECT_NEAR(
        collective_us(node, call(CollectiveKind::all_reduce, 16 * megabyte, 16)), within + between, 1e-2);
}

TEST(Collectives, WaitForTheLastRank) {
    const NodeSpec node = mesh_of_four();
    TaskGraph graph;
    Fabric fabric{node, graph};
    const TaskId late = graph.add(graph.add_lane({"stream"}), {.name = "kernel", .us = 50});
    std::vector<std::vector<TaskId>> after(4);
    after[2] = {late};
    const std::vector<TaskId> results =
        add_collective(fabric, call(CollectiveKind::all_gather, megabyte), after);
    const Schedule schedule = run(graph);
    EXPECT_NEAR(microseconds(schedule.end[index(results[0])]), 151, 1e-3);
}

TEST(Collectives, ShareLinksWithOthers) {
    const NodeSpec node = mesh_of_four();
    TaskGraph graph;
    Fabric fabric{node, graph};
    graph.add(graph.add_lane({"copy engine"}),
              {.name = "copy", .kind = TaskKind::copy, .flow = {100 * megabyte, fabric.route(0, 1)}});
    const std::vector<TaskId> results = add_collective(fabric, call(CollectiveKind::all_gather, megabyte));
    // One of the links is shared by two: its 1 MB takes twice as long.
    EXPECT_NEAR(microseconds(run(graph).end[index(results[1])]), 201, 1e-3);
}

TEST(Collectives, RefuseCallsThatCannotBe) {
    const NodeSpec node = mesh_of_four();
    const auto time = [&](Collective wrong) { return [&node, wrong] { (void)collective_us(node, wrong); }; };
    Collective outside = call(CollectiveKind::all_reduce, 8);
    outside.ranks[3] = 4;
    EXPECT_THAT(time(outside), ThrowsMessage<UserError>("device 4: mesh has devices 0 to 3"));
    Collective twice = call(CollectiveKind::all_reduce, 8);
    twice.ranks[3] = 0;
    EXPECT_THAT(time(twice), ThrowsMessage<UserError>("all_reduce: device 0 is named twice"));
    EXPECT_THAT(time(call(CollectiveKind::broadcast, 8, 1)),
                ThrowsMessage<UserError>(HasSubstr("needs two")));
    EXPECT_THAT(time(call(CollectiveKind::broadcast, 0)), ThrowsMessage<UserError>(HasSubstr("0 B")));
}

}  // namespace
}  // namespace ascendsim::node
