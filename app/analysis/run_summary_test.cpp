// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/run_summary.hpp"

#include <gtest/gtest.h>

#include "app/analysis/line_costs.hpp"
#include "app/analysis/quotes.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using testing::SmallRun;

// One core: 40 cycles of loading 4096 B (half of it from HBM), then 60 of cube work of 2^20
// multiply-accumulates; a second core that stands still.
record::Recording two_cores(SmallRun& run) {
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    const auto scalar = run.lane("aic0", "scalar");
    const auto load = run.lane("aic0", "mte2");
    const auto cube = run.lane("aic0", "cube");
    const auto idle = run.lane("aic1", "cube", 1);
    run.add(scalar, {.start = 0, .end = 10, .reason = Reason::launch});
    run.busy(scalar, 10, 10, 20, "scalar", 3);
    run.add(load, {.start = 0, .end = 10, .reason = Reason::launch});
    const auto copy = run.add(load,
                              {.issue = 10,
                               .start = 10,
                               .end = 50,
                               .bytes = 4096,
                               .route = 1,
                               .limiter = record::Limiter::hbm_path,
                               .requests = 8,
                               .l2_hit_bytes = 2048,
                               .hbm_read_bytes = 2048},
                              "copy",
                              5);
    run.add(cube, {.start = 0, .end = 10, .reason = Reason::launch});
    run.wait(cube, 10, 50, Reason::flag_data, copy);
    run.add(cube, {.issue = 10, .start = 50, .end = 110, .work = 1U << 20U, .conflict = 7}, "mmad", 6);
    run.add(idle, {.start = 0, .end = 120, .reason = Reason::unused});
    run.recorder().event(
        {{"kind", "launch"}, {"start", 0}, {"first_core", 10}, {"cores_end", 110}, {"end", 120}});
    return run.finish(120, {{"numerics", {{"checked", true}, {"passed", true}}}});
}

TEST(RunSummary, AddsUpPipesOverTheCoresThatUsedThem) {
    SmallRun run;
    const RunSummary summary = summarise(two_cores(run));

    EXPECT_EQ(summary.cores_used, 1U);
    EXPECT_DOUBLE_EQ(summary.time_us, 0.12);
    ASSERT_NE(summary.find("cube"), nullptr);
    const PipeUse& cube = *summary.find("cube");
    EXPECT_EQ(cube.lanes, 1U);
    EXPECT_EQ(cube.cycles.busy(), 60U);
    EXPECT_DOUBLE_EQ(cube.utilization(), 0.5);
    EXPECT_EQ(cube.conflict_cycles, 7U);
    EXPECT_EQ(cube.cycles.total(), 120U);
    EXPECT_EQ(summary.main_pipe, "cube");
    EXPECT_DOUBLE_EQ(summary.bubble_fraction(), 0.5);
    EXPECT_EQ(summary.launch_cycles, 20U);
    for (const PipeUse& use : summary.pipes) {
        EXPECT_EQ(use.cycles.total(), 120U) << use.pipe;
    }
}

TEST(RunSummary, NamesWhatEachBubbleWaitedForMost) {
    SmallRun run;
    const record::Recording recording = two_cores(run);
    const RunSummary summary = summarise(recording);

    ASSERT_EQ(summary.bubbles.size(), 3U);  // data, launch, tail
    EXPECT_EQ(summary.bubbles[0].reason, Reason::flag_data);
    EXPECT_EQ(summary.bubbles[0].cycles, 40U);
    EXPECT_EQ(recording.name(summary.bubbles[0].top.op), "copy");
    EXPECT_EQ(recording.site(summary.bubbles[0].top.site).line, 5U);
    EXPECT_EQ(summary.bubbles[0].top.pipe, "mte2");
}

TEST(RunSummary, CountsTrafficByRoute) {
    SmallRun run;
    const RunSummary summary = summarise(two_cores(run));

    ASSERT_EQ(summary.traffic.routes.size(), 1U);
    const RouteTraffic& route = summary.traffic.routes[0];
    EXPECT_EQ(route.name, "gm_to_l1");
    EXPECT_DOUBLE_EQ(route.active_rate(), 4096.0 / 40);
    EXPECT_EQ(route.limiter(), record::Limiter::hbm_path);
    EXPECT_DOUBLE_EQ(summary.traffic.l2_hit_rate(), 0.5);
    EXPECT_DOUBLE_EQ(summary.achieved_gbps(), 4096 / 0.12 / 1e3);
}

TEST(RunSummary, DerivesBoundsFromTheRecordedChip) {
    SmallRun run;
    const RunSummary summary = summarise(two_cores(run));

    // 2 x 2^20 flop on two cubes of 2 x 16 x 16 x 16 flop a cycle at 1 GHz: 128 cycles; 4096 B at 1000 GB/s;
    // 2048 B at 100 GB/s.
    EXPECT_DOUBLE_EQ(summary.bounds.compute_us, 0.128);
    EXPECT_DOUBLE_EQ(summary.bounds.memory_us, 0.02048);
    EXPECT_EQ(summary.bounds.limiter, "cube");
    EXPECT_DOUBLE_EQ(summary.bounds.speed_of_light_us(), 0.128);
}

TEST(RunSummary, PrefersTheWorkTheKernelStates) {
    const nlohmann::json metadata{
        {"work", {{"cube_flops", 100.0}, {"cube_type", "int8"}, {"vector_flops", 5.0}, {"gm_bytes", 77.0}}}};
    const Work work = work_of(metadata, 1e9, 1e9);

    EXPECT_EQ(work.cube_flops, 100);
    EXPECT_EQ(work.cube_type, "int8");
    EXPECT_EQ(work.vector_flops, 5);
    EXPECT_EQ(work.gm_bytes, 77);
}

TEST(RunSummary, KnowsTheRatesOfElementTypes) {
    const ChipNumbers chip{{{"chip", SmallRun::chip()}}};
    EXPECT_EQ(chip.cube_work_per_cycle("float16"), 4096);
    EXPECT_EQ(chip.cube_work_per_cycle("int8"), 8192);
    EXPECT_EQ(chip.cube_work_per_cycle("float32"), 1024);  // 8 deep, at half the rate
    EXPECT_EQ(chip.vector_work_per_cycle("float32"), 64);
}

TEST(RunSummary, JsonHoldsEveryFieldOfTheContract) {
    SmallRun run;
    const nlohmann::ordered_json json = to_json(summarise(two_cores(run)));

    for (const char* path : {"/scenario",
                             "/chip",
                             "/mode",
                             "/cycles",
                             "/time_us",
                             "/clock_ghz",
                             "/cores_used",
                             "/pipes/cube/busy_cycles",
                             "/pipes/cube/utilization",
                             "/waits/flag_data",
                             "/bubbles/fraction",
                             "/memory/gm_read_bytes",
                             "/memory/gm_write_bytes",
                             "/memory/l2_hit_rate",
                             "/memory/hbm_read_bytes",
                             "/memory/hbm_write_bytes",
                             "/memory/achieved_gbps",
                             "/flops",
                             "/tflops",
                             "/bounds/compute_us",
                             "/bounds/memory_us",
                             "/bounds/speed_of_light_us",
                             "/bounds/efficiency",
                             "/numerics/checked",
                             "/numerics/max_abs_error",
                             "/numerics/max_rel_error",
                             "/numerics/passed",
                             "/hazards",
                             "/simulator/instructions",
                             "/simulator/wall_s",
                             "/simulator/instructions_per_s",
                             "/simulator/peak_rss_mb"}) {
        EXPECT_TRUE(json.contains(nlohmann::ordered_json::json_pointer{path})) << path;
    }
    EXPECT_EQ(json["waits"]["flag_data"], 40);
    EXPECT_EQ(json["numerics"]["passed"], true);
}

TEST(RunSummary, CountsALineOnceForEachPipe) {
    SmallRun run;
    const auto scalar = run.lane("aiv0", "scalar");
    const auto store = run.lane("aiv0", "mte3");
    run.busy(scalar, 0, 0, 90, "copy_ubuf_to_gm", 7);  // the scalar unit held up by a full queue
    run.busy(store, 90, 90, 120, "copy_ubuf_to_gm", 7);
    run.busy(store, 90, 120, 150, "copy_ubuf_to_gm", 7);
    const RunSummary summary = summarise(run.finish(150));
    ASSERT_EQ(summary.lines.size(), 2U);
    EXPECT_EQ(summary.lines[0].pipe, "scalar");
    EXPECT_EQ(summary.lines[0].count, 1U);
    EXPECT_EQ(summary.lines[1].pipe, "mte3");
    EXPECT_EQ(summary.lines[1].count, 2U);
    EXPECT_EQ(summary.lines[1].busy_cycles, 60U);
}

TEST(RunSummary, HasNoVerdictOnNumbersThatNobodyChecked) {
    SmallRun run;
    run.busy(run.lane("aiv0", "vector"), 0, 0, 10);
    run.recorder().event({{"kind", "failure"}, {"message", "deadlock"}});
    const auto json =
        to_json(summarise(run.finish(10, {{"numerics", {{"checked", false}, {"passed", true}}}})));
    EXPECT_TRUE(json["numerics"]["passed"].is_null());
    EXPECT_EQ(json["complete"], false);
}

// 0 reads as a run that wastes all of its time; of a part of a run nobody knows.
TEST(RunSummary, HasNoEfficiencyOfARunThatDidNotEnd) {
    SmallRun whole;
    EXPECT_TRUE(to_json(summarise(two_cores(whole)))["bounds"]["efficiency"].is_number());
    SmallRun part;
    part.recorder().event({{"kind", "failure"}, {"message", "deadlock"}});
    EXPECT_TRUE(to_json(summarise(two_cores(part)))["bounds"]["efficiency"].is_null());
    SmallRun cut;
    RunSummary summary = summarise(two_cores(cut));
    summary.complete = false;  // as of a recording whose end is missing
    EXPECT_TRUE(to_json(summary)["bounds"]["efficiency"].is_null());
}

TEST(RunSummary, KeepsPipesOfDifferentCoresApart) {
    SmallRun run;
    run.busy(run.lane("aic0", "mte2", 0), 0, 0, 90);
    run.busy(run.lane("aic0", "cube", 0), 0, 0, 50);
    run.busy(run.lane("aiv0", "mte2", 1), 0, 0, 10);
    run.busy(run.lane("aiv1", "mte2", 2), 0, 0, 20);
    const RunSummary summary = summarise(run.finish(100));

    EXPECT_EQ(summary.main_pipe, "aic_mte2");
    EXPECT_DOUBLE_EQ(summary.find("aic_mte2")->utilization(), 0.9);
    EXPECT_DOUBLE_EQ(summary.find("aiv_mte2")->utilization(), 0.15);
    EXPECT_DOUBLE_EQ(summary.find("mte2")->utilization(), 0.4);
    EXPECT_EQ(summary.find("cube")->cores, "aic");
    EXPECT_EQ(summary.bubbles.at(0).cycles, 10U);  // the tail of aic0 alone
    const nlohmann::ordered_json json = to_json(summary);
    EXPECT_EQ(json["pipes"]["mte2"]["busy_cycles"], 120);
    EXPECT_EQ(json["pipes"]["aic_mte2"]["busy_cycles"], 90);
    EXPECT_EQ(json["waits"]["tail"], 10 + 50 + 90 + 80);
}

TEST(RunSummary, IsAboutTheExecutionsReported) {
    SmallRun run;
    run.recorder().metadata({{"chip", SmallRun::chip()}});
    const auto cube = run.lane("aic0", "cube");
    for (std::uint64_t i = 0; i < 3; ++i) {  // a warm-up and two executions of 100 cycles
        run.add(
            cube, {.issue = i * 100, .start = i * 100, .end = i * 100 + 60 + i * 10, .work = 8192}, "mmad");
    }
    const auto execution = [](int start, bool warm_up) {
        return nlohmann::json{{"start", start}, {"end", start + 100}, {"warm_up", warm_up}};
    };
    const RunSummary summary = summarise(run.finish(
        300, {{"executions", {execution(0, true), execution(100, false), execution(200, false)}}}));

    EXPECT_EQ(summary.cycles, 100U);
    EXPECT_EQ(summary.executions, 2U);
    EXPECT_EQ(summary.find("cube")->cycles.busy(), 70U + 80U);
    EXPECT_EQ(summary.find("cube")->cycles.total(), 200U);
    EXPECT_DOUBLE_EQ(summary.flops, 2 * 8192);
    EXPECT_DOUBLE_EQ(summary.bounds.compute_us, 0.001);  // 8192 multiply-accumulates at 2 x 4096 a cycle
}

TEST(RunSummary, OfAnEmptyRecordingIsAllZero) {
    SmallRun run;
    const RunSummary summary = summarise(run.finish(0));
    EXPECT_EQ(summary.bubble_fraction(), 0);
    EXPECT_EQ(summary.bounds.efficiency(summary.time_us), 0);
    EXPECT_FALSE(to_json(summary).dump().empty());
}

nlohmann::json hazards_at(const char* file, unsigned line) {
    return nlohmann::json::array({{{"kind", "race"}, {"later", {{"file", file}, {"line", line}}}}});
}

const nlohmann::json two_lines{
    {"sources", {{"/home/me/add.cpp", "DataCopy(x, gm, n);\n    Add(z, x, y, n);\n"}}}};

TEST(Quotes, GiveAHazardItsLine) {
    nlohmann::json hazards = hazards_at("add.cpp", 2);
    quote_sources(hazards, two_lines);
    EXPECT_EQ(hazards[0]["later"]["code"], "Add(z, x, y, n);");
}

TEST(Quotes, LeaveWhatNoSourceHolds) {
    for (nlohmann::json hazards : {hazards_at("add.cpp", 3), hazards_at("mul.cpp", 1)}) {
        quote_sources(hazards, two_lines);
        EXPECT_FALSE(hazards[0]["later"].contains("code"));
    }
}

// `annotate` of a run of k/flag.cpp had "no text here": the compiler calls that file flag.cpp.
TEST(Quotes, FindTheTextOfAKernelInAFolder) {
    EXPECT_EQ(source_named(two_lines, "add.cpp"), &two_lines["sources"]["/home/me/add.cpp"]);
    EXPECT_EQ(source_named(two_lines, "mul.cpp"), nullptr);
    EXPECT_EQ(source_named({{"sources", {{"add.cpp", 3}}}}, "add.cpp"), nullptr);
    EXPECT_EQ(source_named(nullptr, "add.cpp"), nullptr);
}

TEST(SourceLines, AreThoseOfAKernelInAFolder) {
    SmallRun run;
    run.recorder().metadata({{"sources", {{"k/flag.cpp", "one\ntwo\n"}}}});
    const record::Recording recording = run.finish(10);
    EXPECT_EQ(source_lines(recording, "flag.cpp", "/nowhere"), (std::vector<std::string>{"one", "two"}));
}

TEST(Quotes, LeaveFilesOfTheSameName) {
    nlohmann::json hazards = hazards_at("add.cpp", 1);
    quote_sources(hazards, {{"sources", {{"a/add.cpp", "one"}, {"b/add.cpp", "two"}}}});
    EXPECT_FALSE(hazards[0]["later"].contains("code"));
}

}  // namespace

}  // namespace ascendsim::analysis
