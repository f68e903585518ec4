// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/benchmark/benchmark_recording.hpp"
#include "app/benchmark/benchmark_report.hpp"
#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::benchmark {
namespace {

using node::Jitter;
using node::JitteredHost;
using testing::DoubleEq;
using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::filesystem::path models = std::filesystem::path{ASCENDSIM_ROOT} / "models";

BenchmarkPlan plan_of(const std::string& text) {
    return read_plan(TomlFile::parse("[benchmark]\n" + text, "bench.toml"));
}

node::HostSpec kunpeng() {
    return node::open_host("kunpeng920", models / "hosts").spec;
}

/// A benchmark whose one case took these times.
Benchmark benchmark_of(const std::vector<double>& times) {
    Benchmark benchmark{.name = "b", .title = "b", .machine = "m", .plan = {}, .cases = {}, .notes = {}};
    Case& one = benchmark.cases.emplace_back();
    one.label = "b-1";
    one.items = 4;
    for (std::size_t i = 0; i < times.size(); ++i) {
        one.iterations.push_back(
            {.number = static_cast<std::uint32_t>(i), .us = times[i], .device_us = times[i] / 2});
    }
    one.iteration = statistics_of(times, 1.5);
    one.device = statistics_of(times, 0);
    return benchmark;
}

TEST(BenchmarkRecording, HasIterationsAndPercentiles) {
    const record::testing::TemporaryFile file;
    write_benchmark_recording(file.path(), benchmark_of({10, 12, 11}));
    const record::Recording recording{file.path()};
    EXPECT_EQ(recording.cycles(), 33'000U);
    const auto iterations = recording.find(record::TrackPath::parse("case:1/stream:iterations"));
    ASSERT_TRUE(iterations.has_value());
    EXPECT_EQ(recording.lane(*iterations).start[2], 22'000U);
    const std::vector<analysis::RecordedPlot> plots = analysis::plots_of(recording);
    ASSERT_EQ(plots.size(), 2U) << "no values, no throughput over them";
    EXPECT_EQ(plots[0].bars[0].name, "b-1, P50");
    EXPECT_DOUBLE_EQ(plots[0].bars[0].value, 11);
    EXPECT_NEAR(plots[1].series[0].points[1].second, 66.7, 0.1);
}

TEST(Statistics, FindsPercentilesBetweenSamplesInProportion) {
    // As numpy.percentile([1, 2, 3, 4], [0, 50, 90, 100]) has them.
    const std::vector<double> samples{1, 2, 3, 4};
    EXPECT_DOUBLE_EQ(percentile(samples, 0), 1);
    EXPECT_DOUBLE_EQ(percentile(samples, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(percentile(samples, 0.9), 3.7);
    EXPECT_DOUBLE_EQ(percentile(samples, 1), 4);
    EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
}

TEST(Statistics, LeavesOutWhatLiesBeyondTheFences) {
    // Quartiles 11 and 13: fences at 11 - 1.5 * 2 and 13 + 1.5 * 2.
    const Statistics of = statistics_of({10, 11, 12, 13, 100}, 1.5);
    EXPECT_EQ(of.count, 5U);
    EXPECT_EQ(of.outliers, 1U);
    EXPECT_DOUBLE_EQ(of.mean, 11.5);
    EXPECT_DOUBLE_EQ(of.std, std::sqrt(5.0 / 3));  // squares of 1.5, 0.5, 0.5, 1.5 over 3
    EXPECT_DOUBLE_EQ(of.max, 13);
    EXPECT_DOUBLE_EQ(of.p99_of_all, 13 + 0.96 * 87);
    EXPECT_EQ(statistics_of({10, 11, 12, 13, 100}, 0).outliers, 0U);
}

TEST(Statistics, EqualSamplesHaveNoDeviation) {
    const Statistics of = statistics_of(std::vector<double>(7, 0.1), 1.5);
    EXPECT_EQ(of.std, 0);
    EXPECT_EQ(of.mean, 0.1);
    EXPECT_EQ(of.p99, 0.1);
    EXPECT_EQ(statistics_of({}, 1.5).count, 0U);
}

TEST(JitterOfHosts, KeepsTheMeanAndHasTheSpreadItStates) {
    constexpr int draws = 40'000;
    for (const auto shape : {Jitter::Shape::normal,
                             Jitter::Shape::lognormal,
                             Jitter::Shape::exponential,
                             Jitter::Shape::uniform}) {
        JitteredHost host{{.shape = shape, .spread = 0.2}, 7};
        std::vector<double> times;
        for (int i = 0; i < draws; ++i) {
            times.push_back(host(50));
        }
        const Statistics of = statistics_of(times, 0);
        // Five standard errors of a mean, 10 / sqrt(40,000) each; the deviation to 5 %.
        EXPECT_NEAR(of.mean, 50, 0.25) << static_cast<int>(shape);
        EXPECT_NEAR(of.std, 10, 0.5) << static_cast<int>(shape);
        EXPECT_GE(of.min, 0);
    }
}

TEST(JitterOfHosts, StallsAsOftenAsItStates) {
    JitteredHost host{{.stall_chance = 0.1, .stall_us = 1000}, 3};
    int stalls = 0;
    for (int i = 0; i < 10'000; ++i) {
        stalls += host(5) > 5 ? 1 : 0;
    }
    EXPECT_NEAR(stalls, 1000, 150);  // five standard deviations of 30
    EXPECT_EQ(host(0), 0) << "what takes no time is no call";
}

TEST(Iterations, LastFromTheCallToTheHostsGoingOn) {
    // 5 us of the call, 8 us on the stream, the kernel, 10 us until the host goes on (kunpeng920).
    const auto iterations = iterate(plan_of("warm_up = 1\nactive = 3\n"), kunpeng(), {90, 70, 60});
    ASSERT_EQ(iterations.size(), 3U);
    EXPECT_DOUBLE_EQ(iterations[0].us, 5 + 8 + 70 + 10);  // the first one, of 90 us, is warm-up
    EXPECT_DOUBLE_EQ(iterations[1].us, 5 + 8 + 60 + 10);
    EXPECT_DOUBLE_EQ(iterations[2].us, 5 + 8 + 60 + 10);
    EXPECT_DOUBLE_EQ(iterations[2].device_us, 60);
}

TEST(Iterations, OverlapWithTheCallsWhereNobodyWaits) {
    const auto iterations =
        iterate(plan_of("warm_up = 1\nactive = 2\nrepeat = 2\nsynchronise = false\n"), kunpeng(), {60});
    ASSERT_EQ(iterations.size(), 4U);
    for (const Iteration& one : iterations) {
        EXPECT_DOUBLE_EQ(one.us, 8 + 60);  // the stream sets the pace
    }
    EXPECT_EQ(iterations[3].cycle, 1U);
    EXPECT_EQ(iterations[3].number, 1U);
}

TEST(Iterations, AreTheSameForTheSameSeed) {
    const std::string text = "active = 50\n[benchmark.jitter]\ndistribution = \"lognormal\"\nspread = 0.3\n";
    BenchmarkPlan plan = plan_of(text);
    const auto times = [&] {
        std::vector<double> all;
        for (const Iteration& one : iterate(plan, kunpeng(), {20})) {
            all.push_back(one.us);
        }
        return all;
    };
    const std::vector<double> first = times();
    EXPECT_EQ(first, times());
    EXPECT_GT(statistics_of(first, 0).std, 0);
    plan.seed = 2;
    EXPECT_NE(first, times());
}

TEST(Iterations, OfAStepTakeTheStepsTime) {
    const TomlFile file = TomlFile::parse(
        "[step]\nnode = \"atlas800t_a2\"\nranks = 1\n[[task]]\nname = \"a\"\nus = 100\nmode = \"launch\"\n",
        "step.toml");
    const steps::StepProgram program =
        steps::read_step(file, {.nodes = models / "nodes", .hosts = models / "hosts"});
    const auto iterations = iterate(plan_of("active = 2\n"), program);
    ASSERT_EQ(iterations.size(), 2U);
    EXPECT_DOUBLE_EQ(iterations[1].us, 5 + 8 + 100);
    EXPECT_DOUBLE_EQ(iterations[1].device_us, 100);
}

TEST(BenchmarkPlan, CountsItemsByNumberAndByPath) {
    const TomlFile file = TomlFile::parse(
        "[kernel]\nshape = [16, 256]\nbatch = 8\n[[args]]\nname = \"n\"\nvalue = 3\n", "x.toml");
    EXPECT_DOUBLE_EQ(items_of({.items = "12.5"}, file), 12.5);
    EXPECT_DOUBLE_EQ(items_of({.items = "kernel.batch"}, file), 8);
    EXPECT_DOUBLE_EQ(items_of({.items = "kernel.shape[0]"}, file), 16);
    EXPECT_DOUBLE_EQ(items_of({.items = "args.n.value"}, file), 3);
    EXPECT_DOUBLE_EQ(items_of({}, file), 1);
    for (const char* wrong : {"kernel.rows", "kernel.shape[2]", "kernel.shape", "-1", "kernel.shape[x]"}) {
        EXPECT_THAT([&] { (void)items_of({.items = wrong}, file); },
                    ThrowsMessage<UserError>(HasSubstr("must be a positive number")))
            << wrong;
    }
}

TEST(BenchmarkPlan, ReadsCasesThatSetSeveralValues) {
    const BenchmarkPlan plan = plan_of(
        "[[benchmark.case]]\nname = \"wide\"\nset = { \"kernel.shape\" = [1, 64], \"kernel.groups\" = 64 "
        "}\n");
    ASSERT_EQ(plan.cases.size(), 1U);
    EXPECT_EQ(plan.cases[0].name, "wide");
    ASSERT_EQ(plan.cases[0].set.size(), 2U);  // on one line: by their names
    EXPECT_EQ(plan.cases[0].set[0].path, "kernel.groups");
    EXPECT_EQ(plan.cases[0].set[1].value, "[1, 64]");
    const BenchmarkPlan over = plan_of("over = \"kernel.batch\"\nvalues = [1, 2]\n");
    EXPECT_EQ(over.cases[1].set[0].value, "2");
}

TEST(BenchmarkPlan, RefusesWhatCannotBe) {
    const auto reading = [](const std::string& text) { return [text] { (void)plan_of(text); }; };
    EXPECT_THAT(reading("active = 0\n"), ThrowsMessage<UserError>(HasSubstr("bench.toml:2")));
    EXPECT_THAT(reading("actve = 2\n"), ThrowsMessage<UserError>(HasSubstr("active")));
    EXPECT_THAT(reading("over = \"kernel.batch\"\n"), ThrowsMessage<UserError>(HasSubstr("go together")));
    EXPECT_THAT(reading("active = 1000000\nrepeat = 2\n"), ThrowsMessage<UserError>(HasSubstr("iterations")));
    EXPECT_THAT(reading("[benchmark.jitter]\nspread = 0.5\n"),
                ThrowsMessage<UserError>(HasSubstr("needs a distribution")));
    EXPECT_THAT(reading("[benchmark.jitter]\ndistribution = \"uniform\"\nspread = 0.9\n"),
                ThrowsMessage<UserError>(HasSubstr("spread")));
    EXPECT_THAT(reading("[benchmark.expect]\n\"iteration_us.p99\" = 3\n"),
                ThrowsMessage<UserError>(HasSubstr("needs a table")));
}

TEST(BenchmarkReport, ComparesWithItsBaseline) {
    const Benchmark before = benchmark_of({10, 10, 10, 10});
    EXPECT_THAT(changes_of(baseline_of(before), before), Each(testing::Field(&Change::worse, false)));
    const Benchmark slower = benchmark_of({10.5, 10.5, 10.5, 10.5});
    std::size_t worse = 0;
    for (const Change& change : changes_of(baseline_of(before), slower)) {
        EXPECT_NEAR(change.relative(), change.path == "items_per_s" ? 10 / 10.5 - 1 : 0.05, 1e-12);
        worse += change.worse ? 1 : 0;
    }
    EXPECT_EQ(worse, 6U);
    for (const Change& change : changes_of(baseline_of(slower), before)) {
        EXPECT_FALSE(change.worse) << "faster is never worse: " << change.path;
    }
}

TEST(BenchmarkReport, KeepsBaselinesAsText) {
    const std::filesystem::path file =
        std::filesystem::path{testing::TempDir()} / "benchmark_report_baseline.json";
    std::ofstream{file} << text_of(baseline_of(benchmark_of({10, 12, 14})));
    EXPECT_EQ(read_benchmark_baseline(file), baseline_of(benchmark_of({10, 12, 14})));
    std::ofstream{file} << R"({"cases": {"b-1": {"iteration_us.mean": "fast"}}})";
    EXPECT_THAT([&] { (void)read_benchmark_baseline(file); },
                ThrowsMessage<UserError>(HasSubstr("cases.b-1.iteration_us.mean: must be a number")));
    std::ofstream{file} << "[";
    EXPECT_THAT([&] { (void)read_benchmark_baseline(file); },
                ThrowsMessage<UserError>(HasSubstr("is no baseline")));
    std::filesystem::remove(file);
    EXPECT_EQ(read_benchmark_baseline(file), std::nullopt);
}

TEST(BenchmarkReport, SaysWhichLimitsAreBroken) {
    Benchmark benchmark = benchmark_of({10, 10, 10});
    benchmark.plan =
        plan_of("[benchmark.expect]\n\"iteration_us.p99\" = { max = 9 }\nitems_per_s = { min = 1 }\n");
    const std::vector<LimitState> broken = broken_limits(benchmark);
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_THAT(broken[0].sentence, HasSubstr("iteration_us.p99 (bench.toml:3): 10, at most 9 expected"));
}

TEST(BenchmarkReport, WritesAllItsForms) {
    Benchmark benchmark = benchmark_of({10, 10, 10, 10, 50});
    benchmark.plan.over = "kernel.batch";
    benchmark.cases[0].values = {{"kernel.batch", "4"}};
    EXPECT_DOUBLE_EQ(benchmark.cases[0].items_per_s(), 4 / 10e-6);
    EXPECT_THAT(benchmark_csv(benchmark), HasSubstr("b-1,4,5,1,10,0,10,10,10,10,10,48.4,"));
    EXPECT_THAT(samples_csv(benchmark), HasSubstr("b-1,0,4,50,25,1\n"));
    EXPECT_THAT(benchmark_html(benchmark, {}, {}), HasSubstr("Throughput over kernel.batch"));
    EXPECT_EQ(to_json(benchmark, {}, {})["cases"][0]["iteration_us"]["outliers"], 1);
    EXPECT_THAT(benchmark_text(benchmark, {}, {}, {}), HasSubstr("b-1"));
}

}  // namespace
}  // namespace ascendsim::benchmark
