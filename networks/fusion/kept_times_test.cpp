// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/kept_times.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {
namespace {

/// Each call's tasks take 1, 2, 3 … us.
class KeptTimesOfCalls : public testing::Test {
protected:
    void SetUp() override {
        const std::filesystem::path cache =
            toolchain::Installation::find().libraries.parent_path() /
            (std::string{"kept_times_cache."} +
             testing::UnitTest::GetInstance()->current_test_info()->name());  // they run at the same time
        setenv("XDG_CACHE_HOME", cache.c_str(), 1);
        std::filesystem::remove_all(cache);
    }

    KeptTimes times() {
        return KeptTimes{
            "network", [this](const std::vector<Task>& tasks) {
                std::vector<TaskResult> results;
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                    results.push_back({.error = error_, .time_us = ++clock_, .key = std::to_string(clock_)});
                }
                return results;
            }};
    }

    static std::filesystem::path file() { return toolchain::made_cache_folder("plans") / "network.json"; }

    double clock_ = 0;
    std::string error_;
};

TEST_F(KeptTimesOfCalls, AreThoseOfTheRunBefore) {
    KeptTimes first = times();
    EXPECT_EQ(first({{}, {}})[1].time_us, 2);
    EXPECT_EQ(first({{}})[0].time_us, 3);
    first.keep();
    KeptTimes again = times();
    EXPECT_EQ(again({{}, {}})[1].time_us, 2);
    EXPECT_EQ(again({{}})[0].time_us, 3);
    EXPECT_EQ(again.simulated(), 0U);
    EXPECT_EQ(again({{}})[0].time_us, 4) << "nobody asked for it before";
    EXPECT_EQ(again.simulated(), 1U);
}

TEST_F(KeptTimesOfCalls, OfOtherQuestionsAreSimulatedFromThereOn) {
    KeptTimes first = times();
    (void)first({{}});
    (void)first({{}});
    first.keep();
    KeptTimes other = times();
    EXPECT_EQ(other({{}, {}}).size(), 2U);
    EXPECT_EQ(other({{}})[0].time_us, 5) << "what was kept followed another answer";
    EXPECT_EQ(other.simulated(), 2U);
}

TEST_F(KeptTimesOfCalls, AreWrittenAnewOnceDamaged) {
    KeptTimes first = times();
    (void)first({{}});
    first.keep();
    const auto bytes = std::filesystem::file_size(file());
    for (const std::uintmax_t left : {bytes - 1, std::uintmax_t{40}, std::uintmax_t{0}}) {
        std::filesystem::resize_file(file(), left);
        KeptTimes damaged = times();
        EXPECT_EQ(damaged({{}})[0].time_us, clock_);
        EXPECT_EQ(damaged.simulated(), 1U) << left;
        damaged.keep();
        KeptTimes again = times();
        EXPECT_EQ(again({{}})[0].time_us, clock_);
        EXPECT_EQ(again.simulated(), 0U) << left;
    }
}

TEST_F(KeptTimesOfCalls, AreNotKeptOfWhatFailed) {
    error_ = "no room";
    KeptTimes first = times();
    (void)first({{}});
    first.keep();
    EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST(GraphKey, DiffersWithAllThatDecisionsSee) {
    Graph graph{
        .name = "g",
        .opset = 17,
        .inputs = {{.name = "x", .shape = {std::string{"N"}}}},
        .outputs = {"y"},
        .constants = {{"c", constant(isa::DataType::float32, {1}, {2})}},
        .nodes = {{.name = "", .op = "Add", .inputs = {"x", "c"}, .outputs = {"y"}, .attributes = {}}}};
    const auto key = [&graph](std::uint64_t n) { return graph_key(graph, {{"x", {n}}}, Precision::half); };
    const std::string before = key(4);
    EXPECT_EQ(key(4), before);
    EXPECT_NE(key(5), before);
    EXPECT_NE(graph_key(graph, {{"x", {4}}}, Precision::as_stated), before);
    graph.constants["c"] = constant(isa::DataType::float32, {1}, {3});
    EXPECT_NE(key(4), before);
    graph.constants["c"] = constant(isa::DataType::float32, {1}, {2});
    graph.nodes[0].attributes["axis"] = std::int64_t{1};
    const std::string one = key(4);
    EXPECT_NE(one, before);
    graph.nodes[0].attributes["axis"] = std::vector<std::int64_t>{1};
    EXPECT_NE(key(4), one);
}

}  // namespace
}  // namespace ascendsim::networks
