// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/network_figures.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/comparison/compare.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {
namespace {

/// Two operators in a row, the first of which stands for two of the file.
NetworkFigures small_network() {
    NetworkFigures figures{.name = "net", .chip = "910b3", .time_us = 10, .core_us = 7, .kernels = 2};
    figures.kinds = {{.kind = "Gemm", .count = 1, .kernels = 1, .time_us = 8},
                     {.kind = "Relu", .count = 1, .kernels = 1, .time_us = 2}};
    figures.graph.nodes = {
        {.name = "fc", .kind = "Gemm", .time_us = 8, .span = 0, .width = 100, .height = 40},
        {.name = "act", .kind = "Relu", .time_us = 2, .span = 1}};
    figures.graph.edges = {{.from = 0, .to = 1, .points = {{0, 0}, {0, 10}, {0, 20}, {0, 30}}}};
    figures.graph.time_us = 10;
    figures.before = figures.graph;
    figures.before->time_us = 12.5;
    figures.before->nodes[0].part_of = 0;
    figures.before->nodes[1].part_of = 0;
    figures.before->frames = {{.stands = 0, .low = {-1, -2}, .high = {3, 4}}};
    return figures;
}

TEST(NetworkFigures, AreReadAsTheyWereWritten) {
    const nlohmann::json written = to_json(small_network());
    EXPECT_EQ(to_json(network_from_json(written)), written);
}

TEST(NetworkFigures, SayWhereTheTimeGoes) {
    // 8 of 10 us; 3 of 10 us without a core at work; 10 instead of 12.5 us.
    EXPECT_EQ(verdict(small_network()),
              "Gemm takes 80.0 % of the time, in 1 of 2 kernels; launches take 30.0 %; fusion saves 20.0 %");
    EXPECT_EQ(verdict(NetworkFigures{}), "No operator of this network takes time");
}

TEST(NetworkFigures, LeaveOutWhatDoesNotFit) {
    nlohmann::json damaged = to_json(small_network());
    damaged["time_us"] = "long";
    damaged["kernels"] = -4;
    damaged["graph"]["nodes"][0]["x"] = 1e300;
    damaged["graph"]["nodes"][0]["name"] = nlohmann::json::array({1});
    damaged["graph"]["edges"] = nlohmann::json::array({{{"from", 0}, {"to", 2}}, {{"from", 1}}, 7, nullptr});
    damaged["before"]["nodes"][0]["part_of"] = 99;
    damaged["before"]["frames"] = nlohmann::json::array({{{"stands", 2}}, {{"stands", -1}}});
    const NetworkFigures figures = network_from_json(damaged);
    EXPECT_EQ(figures.time_us, 0);
    EXPECT_EQ(figures.kernels, 0U);
    EXPECT_TRUE(std::isfinite(figures.graph.nodes[0].centre.x));
    EXPECT_EQ(figures.graph.nodes[0].name, "");
    EXPECT_TRUE(figures.graph.edges.empty());
    EXPECT_FALSE(figures.before->nodes[0].part_of.has_value());
    EXPECT_TRUE(figures.before->frames.empty());
    EXPECT_TRUE(network_from_json(nlohmann::json{3}).graph.nodes.size() <= 1);
}

TEST(NetworkFigures, AreExplainedAsANetworkAndNotAsAKernel) {
    testing::SmallRun run;
    run.recorder().metadata({{"network", to_json(small_network())}, {"chip", testing::SmallRun::chip()}});
    run.busy(run.lane("aic0", "cube"), 0, 0, 900, "mmad", 4);
    const Explanation all = explain(run.finish(1000));
    EXPECT_EQ(all.verdict, verdict(small_network()));
    ASSERT_TRUE(all.network.has_value());
    EXPECT_TRUE(all.advice.empty());
    EXPECT_TRUE(all.path.roots.empty());
    EXPECT_TRUE(all.summary.bounds.all.empty());
}

/// A recording of `cycles` on one pipe, of a network if there are figures.
void record_cycles(const std::filesystem::path& file, const NetworkFigures* figures, std::uint64_t cycles) {
    record::Recorder recorder{file};
    recorder.metadata({{"chip", testing::SmallRun::chip()}});
    if (figures != nullptr) {
        recorder.metadata({{"network", to_json(*figures)}});
    }
    const std::uint32_t lane =
        recorder.lane({{record::TrackKind::core, "aic0"}, {record::TrackKind::pipe, "cube"}});
    recorder.span(lane, {.end = cycles, .complete = cycles, .op = recorder.op("mmad")});
    recorder.finish({{"cycles", cycles}});
}

TEST(NetworkFigures, AreComparedByKindsOfOperators) {
    const record::testing::TemporaryFile a{".a"};
    const record::testing::TemporaryFile b{".b"};
    const record::testing::TemporaryFile kernel{".kernel"};
    const NetworkFigures before = small_network();
    NetworkFigures after = before;
    after.kinds[0].time_us = 5.5;  // 2.5 us less
    record_cycles(a.path(), &before, 10'000);
    record_cycles(b.path(), &after, 7'500);
    record_cycles(kernel.path(), nullptr, 7'500);
    const record::Recording one{a.path()};
    EXPECT_EQ(compare(one, record::Recording{b.path()}).verdict,
              "B is 25.00 % faster than A: Gemm takes 2.50 us less");
    EXPECT_EQ(compare(one, record::Recording{kernel.path()}).verdict,
              "No comparison of speed: A is a network and B is not");
}

}  // namespace
}  // namespace ascendsim::analysis
