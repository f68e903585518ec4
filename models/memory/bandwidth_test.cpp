// SPDX-License-Identifier: Apache-2.0
#include "models/memory/bandwidth.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

Flow flow(double cap, double l2, double hbm, double requests = 0) {
    Flow f;
    f.cap = cap;
    f.demand = {l2, hbm, requests};
    return f;
}

}  // namespace

TEST(BandwidthShare, FlowsAloneTakeTheirCap) {
    Flow a = flow(10, 1, 0);
    std::vector<Flow*> flows{&a};
    BandwidthShare{{100, 100, 100}}.divide(flows);
    EXPECT_DOUBLE_EQ(a.rate, 10);
    EXPECT_EQ(a.held_by, shared_count);
}

TEST(BandwidthShare, EqualFlowsShareEqually) {
    Flow a = flow(80, 1, 0);
    Flow b = flow(80, 1, 0);
    std::vector<Flow*> flows{&a, &b};
    BandwidthShare{{100, 100, 100}}.divide(flows);
    EXPECT_DOUBLE_EQ(a.rate, 50);
    EXPECT_DOUBLE_EQ(b.rate, 50);
    EXPECT_EQ(a.held_by, static_cast<std::uint32_t>(Shared::l2));
}

TEST(BandwidthShare, WhatASlowFlowLeavesGoesToTheOthers) {
    Flow slow = flow(10, 1, 0);
    Flow a = flow(80, 1, 0);
    Flow b = flow(80, 1, 0);
    std::vector<Flow*> flows{&slow, &a, &b};
    BandwidthShare{{100, 100, 100}}.divide(flows);
    EXPECT_DOUBLE_EQ(slow.rate, 10);
    EXPECT_DOUBLE_EQ(a.rate, 45);
}

TEST(BandwidthShare, MissesAreHeldByMemoryHitsTakeTheRestOfL2) {
    Flow miss = flow(80, 1, 1);
    Flow hit = flow(80, 1, 0);
    std::vector<Flow*> flows{&miss, &hit};
    BandwidthShare{{100, 30, 100}}.divide(flows);
    EXPECT_DOUBLE_EQ(miss.rate, 30);
    EXPECT_EQ(miss.held_by, static_cast<std::uint32_t>(Shared::hbm));
    EXPECT_DOUBLE_EQ(hit.rate, 70);
    EXPECT_EQ(hit.held_by, static_cast<std::uint32_t>(Shared::l2));
}

TEST(BandwidthShare, AWriteStandsBehindReadsThatWaitForMemory) {
    Flow miss = flow(80, 1, 1);
    Flow write = flow(80, 1, 1e-9);
    write.hbm_share = 1.5;
    std::vector<Flow*> flows{&miss, &write};
    BandwidthShare{{200, 30, 100}}.divide(flows);
    EXPECT_NEAR(miss.rate, 30, 1e-6);
    EXPECT_NEAR(write.rate, 45, 1e-6);
    EXPECT_EQ(write.held_by, static_cast<std::uint32_t>(Shared::hbm));
    BandwidthShare{{200, 90, 100}}.divide(flows);  // memory keeps up: nobody stands in the way
    EXPECT_DOUBLE_EQ(write.rate, 80);
}

TEST(BandwidthShare, L2GivesAndTakesAtTheSameTime) {
    Flow read = flow(80, 1, 0);
    Flow write = flow(80, 0, 0);
    write.demand[static_cast<std::size_t>(Shared::l2_writes)] = 1;
    std::vector<Flow*> flows{&read, &write};
    BandwidthShare{{60, 100, 100, 70, 100}}.divide(flows);
    EXPECT_DOUBLE_EQ(read.rate, 60);
    EXPECT_DOUBLE_EQ(write.rate, 70);
    EXPECT_EQ(write.held_by, static_cast<std::uint32_t>(Shared::l2_writes));
}

TEST(BandwidthShare, SmallRequestsUseUpTheRequestRate) {
    Flow small = flow(80, 1, 0, 1.0 / 128);  // 128 B requests
    std::vector<Flow*> flows{&small};
    BandwidthShare{{1000, 1000, 0.25}}.divide(flows);
    EXPECT_DOUBLE_EQ(small.rate, 32);  // 0.25 requests/cycle x 128 B
    EXPECT_EQ(small.held_by, static_cast<std::uint32_t>(Shared::requests));
}

TEST(BandwidthShare, NeverGivesOutMoreThanThereIs) {
    std::vector<Flow> flows;
    for (int i = 0; i < 72; ++i) {
        flows.push_back(flow(5.0 + 3 * i, 1, i % 3 == 0 ? 1 : 0.25, (1 + i % 4) / 512.0));
    }
    std::vector<Flow*> pointers;
    for (Flow& f : flows) {
        pointers.push_back(&f);
    }
    const std::array<double, shared_count> capacity{2540, 826, 7.2, 2540, 7.2};
    BandwidthShare{capacity}.divide(pointers);
    for (std::size_t r = 0; r < shared_count; ++r) {
        double used = 0;
        for (const Flow& f : flows) {
            used += f.demand[r] * f.rate;
            EXPECT_GT(f.rate, 0);
        }
        EXPECT_LE(used, capacity[r] * (1 + 1e-9));
    }
}

}  // namespace ascendsim
