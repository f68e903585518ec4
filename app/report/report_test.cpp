// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "app/analysis/testing/small_run.hpp"
#include "app/report/chrome_trace.hpp"
#include "app/report/csv_export.hpp"
#include "app/report/svg_timeline.hpp"
#include "app/report/text_report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {

namespace {

using analysis::testing::SmallRun;
using record::Reason;
using ::testing::HasSubstr;
using ::testing::Not;

// A cube core: a copy of 4096 B over 40 cycles, then an mmad of 60 that waited for it; 120 cycles in all.
record::Recording cube_run(SmallRun& run) {
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    const auto scalar = run.lane("aic0", "scalar");
    const auto load = run.lane("aic0", "mte2");
    const auto cube = run.lane("aic0", "cube");
    run.busy(scalar, 10, 10, 110, "scalar", 3);
    const auto copy = run.add(load,
                              {.issue = 10,
                               .start = 10,
                               .end = 50,
                               .memory = 2,
                               .bytes = 4096,
                               .route = 1,
                               .limiter = record::Limiter::hbm_path,
                               .requests = 8,
                               .l2_hit_bytes = 1024,
                               .hbm_read_bytes = 3072},
                              "copy_gm_to_l1",
                              5);
    run.wait(cube, 10, 50, Reason::flag_data, copy);
    run.add(cube, {.issue = 10, .start = 50, .end = 110, .work = 1U << 20U}, "mmad", 6);
    run.recorder().event(
        {{"kind", "hazard"}, {"hazard", {{"text", "mte2 and cube race at l1\n  first here"}}}});
    return run.finish(
        120,
        {{"arithmetic_cycles", 37},
         {"numerics",
          {{"checked", true}, {"passed", true}, {"max_abs_error", 0.25}, {"max_rel_error", 1e-3}}}});
}

std::string text_of(const record::Recording& recording, const Style& style) {
    std::ostringstream out;
    print_report(out, analysis::summarise(recording), recording, style);
    return out.str();
}

TEST(TextReport, TellsWhereTheProfilerCountsMore) {
    SmallRun run;
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    const auto load = run.lane("aiv0", "mte2");
    const auto store = run.lane("aiv0", "mte3");
    // A copy that holds its pipe for 20 cycles and has arrived after 90; one that is complete at its end.
    run.add(load, {.issue = 0, .start = 0, .end = 20, .complete = 90}, "copy_gm_to_ub");
    run.add(store, {.issue = 0, .start = 0, .end = 100}, "copy_ub_to_gm");
    const record::Recording recording = run.finish(100);
    const analysis::RunSummary summary = analysis::summarise(recording);
    EXPECT_EQ(summary.find("mte2")->active_cycles, 90);
    EXPECT_DOUBLE_EQ(summary.profiler_us(*summary.find("mte2")).value_or(0), 0.09);  // at 1 GHz
    EXPECT_DOUBLE_EQ(analysis::to_json(summary)["pipes"]["mte2"]["profiler_us"].get<double>(), 0.09);
    Style wide;
    wide.width = 300;  // no sentence is broken
    const std::string text = text_of(recording, wide);
    EXPECT_THAT(text, HasSubstr("waits within it: mte2 90 ns (20 ns here)"));
    EXPECT_THAT(text, Not(HasSubstr("mte3 100 ns (")));
}

/// A load of 64 KiB from HBM by a run of one such buffer.
record::Recording cold_run(SmallRun& run, const char* l2, bool warmed_up) {
    nlohmann::json chip = SmallRun::chip();
    chip["l2"]["bytes"] = 1U << 20U;
    run.recorder().metadata(
        {{"scenario", "small"},
         {"mode", "timing"},
         {"chip", chip},
         {"l2", l2},
         {"buffers", nlohmann::json::array({{{"name", "x"}, {"role", "input"}, {"bytes", 65536}}})}});
    const auto load = run.lane("aiv0", "mte2");
    run.add(load,
            {.issue = 0,
             .start = 20,
             .end = 100,
             .memory = 1,
             .bytes = 65536,
             .route = 0,
             .requests = 128,
             .hbm_read_bytes = 65536},
            "copy_gm_to_ub");
    nlohmann::json executions = nlohmann::json::array();
    if (warmed_up) {
        executions.push_back({{"start", 0}, {"end", 10}, {"warm_up", true}});
    }
    executions.push_back({{"start", warmed_up ? 10 : 0}, {"end", 100}, {"warm_up", false}});
    return run.finish(100, {{"executions", executions}});
}

TEST(TextReport, SaysThatL2WasColdWhereItCouldHaveHeldAll) {
    const auto told = [](const char* l2, bool warmed_up) {
        SmallRun run;
        const record::Recording recording = cold_run(run, l2, warmed_up);
        const nlohmann::ordered_json json = analysis::to_json(analysis::summarise(recording));
        const bool line =
            text_of(recording, {}).find("L2 cold at start; run.warm_up = 1") != std::string::npos;
        return std::pair{json["memory"]["l2_at_start"].get<std::string>(), line};
    };
    EXPECT_EQ(told("cold", false), (std::pair{std::string{"cold"}, true}));
    EXPECT_EQ(told("cold", true), (std::pair{std::string{"warmed_up"}, false}));
    EXPECT_EQ(told("warm", false), (std::pair{std::string{"warm"}, false}));
}

TEST(TextReport, TellsTheRunInPlainText) {
    SmallRun run;
    const std::string text = text_of(cube_run(run), {});

    EXPECT_THAT(text, HasSubstr("120 ns"));
    EXPECT_THAT(text, HasSubstr("limited by cube"));
    EXPECT_THAT(text, HasSubstr("Bubbles of cube: 50.0 % of its time"));
    EXPECT_THAT(text, HasSubstr("33.3 %  waiting for data"));
    EXPECT_THAT(text, HasSubstr("100 % for copy_gm_to_l1 at kernel.cpp:5 on mte2"));
    // Of the 100 cycles in which the scalar unit was busy; and what stands for the waits is said in words.
    EXPECT_THAT(text, HasSubstr("  scalar: 37.0 % of its busy cycles are the kernel's own arithmetic"));
    EXPECT_THAT(text, HasSubstr("waiting for data: a flag from a pipe upstream: "));
    EXPECT_THAT(text, HasSubstr("102.4 B/cycle"));
    EXPECT_THAT(text, HasSubstr("the core's path to HBM"));
    EXPECT_THAT(text, HasSubstr("largest error 0.25 absolute, 0.001 relative"));
    EXPECT_THAT(text, HasSubstr("Hazards: 1\n  mte2 and cube race at l1\n    first here\n"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(TextReport, KeepsToTheWidth) {
    SmallRun run;
    const record::Recording recording = cube_run(run);
    for (const std::size_t width : {80U, 100U, 140U}) {
        std::istringstream lines{text_of(recording, {.colour = true, .width = width})};
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns(line), width) << line;
        }
    }
}

TEST(TextReport, OfARunThatDidNotEndSaysSo) {
    const record::testing::TemporaryFile file;
    record::Recorder recorder{file.path()};
    recorder.lane(record::TrackPath::parse("aiv0/vector"));
    recorder.span(0, {.start = 0, .end = 5, .complete = 5});
    recorder.flush();
    EXPECT_THAT(text_of(record::Recording{file.path()}, {}), HasSubstr("The run did not end"));
}

TEST(Style, BarsAreAsLongAsTheirShare) {
    EXPECT_EQ(bar(0, 4), "····");
    EXPECT_EQ(bar(1, 4), "████");
    EXPECT_EQ(bar(0.5, 4), "██··");
    EXPECT_EQ(bar(0.53125, 4), "██▏·");
    EXPECT_EQ(columns(bar(0.33, 20)), 20U);
}

TEST(Style, CutsLongTextsInTheMiddle) {
    EXPECT_EQ(left("abcdefghijkl", 7), "ab…ijkl");
    EXPECT_EQ(right("ab", 4), "  ab");
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(figure_text(154337280), "154,337,280");
    EXPECT_EQ(figure_text(-1100160), "-1,100,160");
    EXPECT_EQ(figure_text(0.123456789), "0.123457");
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");
    EXPECT_EQ(time_text(0.5), "500 ns");
    EXPECT_EQ(time_text(1234.5), "1.234 ms");
}

nlohmann::json trace_of(const record::Recording& recording,
                        const TraceOptions& options,
                        TraceResult* result = nullptr) {
    std::ostringstream out;
    const TraceResult written = write_chrome_trace(out, recording, options);
    if (result != nullptr) {
        *result = written;
    }
    return nlohmann::json::parse(out.str());
}

TEST(ChromeTrace, HasAProcessForEachCoreAndAThreadForEachPipe) {
    SmallRun run;
    const nlohmann::json trace = trace_of(cube_run(run), {});

    std::map<std::string, int> phases;
    std::set<std::string> threads;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        ++phases[event.at("ph").get<std::string>()];
        if (event["name"] == "thread_name") {
            threads.insert(event["args"]["name"].get<std::string>());
        }
        if (event["name"] == "mmad") {
            EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 0.05);
            EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 0.06);
            EXPECT_EQ(event["args"]["source"], "kernel.cpp:6");
        }
    }
    EXPECT_EQ(phases["X"], 4);
    EXPECT_EQ(phases["s"], 1);
    EXPECT_EQ(phases["f"], 1);
    EXPECT_GT(phases["C"], 0);
    EXPECT_EQ(threads, (std::set<std::string>{"scalar", "mte2", "cube"}));
}

TEST(ChromeTrace, ListsTracksOutsideOfCoresBehindThem) {
    SmallRun run;
    run.other_tracks(120);
    const nlohmann::json trace = trace_of(cube_run(run), {});

    std::map<std::size_t, std::string> processes;
    std::set<std::pair<std::size_t, std::string>> threads;
    std::size_t spans = 0;
    double hbm = 0;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        const auto process = event.at("pid").get<std::size_t>();
        if (event["name"] == "process_name") {
            processes[process] = event["args"]["name"].get<std::string>();
        } else if (event["name"] == "thread_name") {
            threads.emplace(process, event["args"]["name"].get<std::string>());
        } else if (event["ph"] == "C" && event["name"] == "HBM read") {
            hbm = std::max(hbm, event["args"]["GB/s"].get<double>());
        }
        spans += event["ph"] == "X" && process > 9 ? 1U : 0U;
    }
    // Eight lanes: the core is 0, the counters are 9, what is outside of cores comes behind.
    const std::map<std::size_t, std::string> expected{{0, "aic0"},
                                                      {9, "memory, GB/s"},
                                                      {10, "host"},
                                                      {11, "device0"},
                                                      {12, "link:pcie0"},
                                                      {13, "power"},
                                                      {14, "rack:4"}};
    EXPECT_EQ(processes, expected);
    EXPECT_TRUE(threads.contains({10, "thread0"}));
    EXPECT_TRUE(threads.contains({11, "stream2"}));
    EXPECT_EQ(spans, 10U);
    EXPECT_LT(hbm, 100);  // of the core's 3072 B alone: 77 a cycle
}

TEST(TextReport, DoesNotSpeakOfTracksOutsideOfCores) {
    SmallRun alone;
    SmallRun among;
    among.other_tracks(120);
    EXPECT_EQ(text_of(cube_run(among), {}), text_of(cube_run(alone), {}));
}

TEST(SvgTimeline, DrawsTracksOutsideOfCoresUnderTheirPaths) {
    SmallRun run;
    run.other_tracks(120);
    const record::Recording recording = cube_run(run);
    EXPECT_EQ(shown_lanes(recording, 0).size(), 8U);
    const std::string picture = svg_timeline(recording);
    EXPECT_THAT(picture, HasSubstr(">host/thread0<"));
    EXPECT_THAT(picture, HasSubstr(">link:pcie0<"));
    EXPECT_THAT(picture, HasSubstr(">aic0 mte2<"));
}

TEST(ChromeTrace, CountersHoldAllBytes) {
    SmallRun run;
    const nlohmann::json trace = trace_of(cube_run(run), {.counter_points = 120});

    double bytes = 0;  // one point a cycle of 1 ns: GB/s are bytes a cycle, kept until the next point
    double value = 0;
    double since = 0;
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        if (event["ph"] == "C" && event["name"] == "HBM read") {
            const double now = event["ts"].get<double>() * 1000;
            bytes += value * (now - since);
            value = event["args"]["GB/s"].get<double>();
            since = now;
        }
    }
    EXPECT_NEAR(bytes, 3072, 0.5);
}

TEST(ChromeTrace, CountersStandTheGreatestTimeThatARecordingCanSay) {
    SmallRun run;
    const auto lane = run.lane("aiv0", "vector");
    run.busy(lane, 0, 0, 9);
    const nlohmann::json trace = trace_of(run.finish(std::numeric_limits<std::uint64_t>::max()), {});
    EXPECT_FALSE(trace.at("traceEvents").empty());
}

TEST(ChromeTrace, LeavesOutTheShortestAndSaysHowMany) {
    SmallRun run;
    const auto lane = run.lane("aiv0", "vector");
    for (std::uint64_t i = 0; i < 100; ++i) {
        run.busy(lane, i * 10, i * 10, i * 10 + (i % 10 == 0 ? 9 : 2));
    }
    TraceResult result;
    const nlohmann::json trace = trace_of(run.finish(1000), {.most_spans = 20}, &result);
    EXPECT_EQ(result.spans, 10U);
    EXPECT_EQ(result.left_out, 90U);
    EXPECT_EQ(trace["otherData"]["spans_left_out"], 90);
}

TEST(ChromeTrace, KeepsToItsWindow) {
    SmallRun run;
    const auto lane = run.lane("aiv0", "vector");
    for (std::uint64_t i = 0; i < 100; ++i) {
        run.busy(lane, i * 10, i * 10, i * 10 + 8);
    }
    TraceResult result;
    (void)trace_of(run.finish(1000), {.from = 95, .to = 131}, &result);
    EXPECT_EQ(result.spans, 5U);  // from 90, 100, 110, 120, 130
}

std::vector<std::map<std::string, std::string>> csv(const std::filesystem::path& path) {
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells;
        std::istringstream in{line};
        for (std::string cell; std::getline(in, cell, ',');) {
            cells.push_back(cell);
        }
        return cells;
    };
    std::ifstream file{path};
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = split(line);
        EXPECT_EQ(cells.size(), names.size()) << path << ": " << line;
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i) {
            row[names[i]] = cells[i];
        }
    }
    return rows;
}

TEST(CsvExport, WritesTheProfilersTables) {
    SmallRun run;
    const record::Recording recording = cube_run(run);
    const record::testing::TemporaryFile folder{".csv"};

    const auto files = write_csv(folder.path(), recording, analysis::summarise(recording));

    EXPECT_EQ(files.size(), 9U);
    const auto pipes = csv(folder.path() / "PipeUtilization.csv");
    ASSERT_EQ(pipes.size(), 1U);
    EXPECT_EQ(pipes[0].at("sub_block_id"), "cube0");
    EXPECT_EQ(pipes[0].at("aic_total_cycles"), "100");  // from the first instruction at 10 to the last at 110
    EXPECT_EQ(pipes[0].at("aic_cube_ratio"), "0.600000");
    EXPECT_EQ(pipes[0].at("aic_mte2_time(us)"), "0.040000");
    EXPECT_EQ(pipes[0].at("aiv_vec_ratio"), "NA");
    const auto memory = csv(folder.path() / "Memory.csv");
    EXPECT_EQ(memory[0].at("GM_to_L1_datas(KB)"), "4.000000");
    EXPECT_EQ(memory[0].at("aic_main_mem_read_bw(GB/s)"), "40.960000");  // 4096 B in 100 ns
    const auto cache = csv(folder.path() / "L2Cache.csv");
    EXPECT_EQ(cache[0].at("aic_r0_read_cache_hit"), "2");
    EXPECT_EQ(cache[0].at("aic_read_hit_rate(%)"), "25.000000");
    const auto conflicts = csv(folder.path() / "ResourceConflictRatio.csv");
    EXPECT_EQ(conflicts[0].at("aic_cube_wait_ratio"), "0.400000");
    // All that is not active: 40 of mte2's 100 cycles are.
    EXPECT_EQ(pipes[0].at("aic_mte2_ratio"), "0.400000");
    EXPECT_EQ(conflicts[0].at("aic_mte2_wait_ratio"), "0.600000");
    EXPECT_EQ(cache[0].at("aic_r0_read_cache_miss_allocate"), "6");  // 25 % of 2 and 6 are hits
    const auto tasks = csv(folder.path() / "op_summary.csv");
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_EQ(tasks[0].at("Task Duration(us)"), "0.120");
    EXPECT_EQ(tasks[0].at("aic_mac_ratio"), "0.600");
    EXPECT_EQ(tasks[0].at("cube_utilization(%)"), "41.667");  // one of two cores for 100 of 120 cycles
    std::filesystem::remove_all(folder.path());
}

TEST(CsvExport, TellsOfTheUnifiedBufferWhatIsRecorded) {
    SmallRun run;
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    run.busy(run.lane("aiv0", "scalar"), 0, 0, 100, "scalar", 3);
    run.add(run.lane("aiv0", "vector"),
            {.issue = 0, .start = 0, .end = 60, .memory = 1, .bytes = 2048, .work = 1024},
            "vadd",
            4);
    run.busy(run.lane("aiv1", "scalar"), 0, 0, 100, "scalar", 3);
    run.add(run.lane("aiv1", "vector"),
            {.issue = 0, .start = 0, .end = 60, .memory = 1, .bytes = 2048, .work = 1024},
            "vconv",
            4);
    const record::Recording recording = run.finish(100);
    const record::testing::TemporaryFile folder{".csv"};
    (void)write_csv(folder.path(), recording, analysis::summarise(recording));

    const auto buffer = csv(folder.path() / "MemoryUB.csv");
    ASSERT_EQ(buffer.size(), 2U);
    // 2048 B in 100 ns, and two operands of them: 20.48e9 and 40.96e9 / 2^30.
    EXPECT_EQ(buffer[0].at("aiv_ub_write_bw_vector(GB/s)"), "19.073486");
    EXPECT_EQ(buffer[0].at("aiv_ub_read_bw_vector(GB/s)"), "38.146973");
    EXPECT_EQ(buffer[1].at("aiv_ub_write_bw_vector(GB/s)"), "19.073486");
    EXPECT_EQ(buffer[1].at("aiv_ub_read_bw_vector(GB/s)"), "NA");  // a cast's source has another type
    for (const char* column : {"aiv_ub_read_bw_scalar(GB/s)", "aiv_ub_write_bw_scalar(GB/s)"}) {
        EXPECT_EQ(buffer[0].at(column), "NA") << column;  // a span has no such bytes: docs/reports.md
    }
    std::filesystem::remove_all(folder.path());
}

TEST(CsvExport, CountsAnInstructionUntilItsResultIsThere) {
    SmallRun run;
    run.recorder().metadata({{"scenario", "small"}, {"mode", "timing"}, {"chip", SmallRun::chip()}});
    run.busy(run.lane("aiv0", "scalar"), 0, 0, 100, "scalar", 3);
    const auto mte2 = run.lane("aiv0", "mte2");
    run.add(mte2, {.issue = 0, .start = 0, .end = 10, .complete = 40}, "copy_gm_to_ubuf", 4);
    run.add(mte2, {.issue = 0, .start = 10, .end = 20, .complete = 50}, "copy_gm_to_ubuf", 4);
    run.add(mte2,
            {.issue = 0, .start = 60, .end = 65, .complete = 65, .reason = record::Reason::flag_data},
            "wait_flag",
            5);
    run.add(mte2,
            {.issue = 0,
             .start = 65,
             .end = 70,
             .complete = 70,
             .reason = record::Reason::flag_data,
             .inside = true},
            "wait_flag",
            5);
    const record::Recording recording = run.finish(100);
    const record::testing::TemporaryFile folder{".csv"};
    (void)write_csv(folder.path(), recording, analysis::summarise(recording));

    const auto pipes = csv(folder.path() / "PipeUtilization.csv");
    ASSERT_EQ(pipes.size(), 1U);
    // [0, 50) of two copies, the latter on its way; not the wait, but the one within an instruction
    EXPECT_EQ(pipes[0].at("aiv_mte2_ratio"), "0.550000");
    EXPECT_EQ(pipes[0].at("aiv_mte2_time(us)"), "0.055000");
    std::filesystem::remove_all(folder.path());
}

TEST(CsvExport, SaysWhereItCannotWrite) {
    SmallRun run;
    const record::Recording recording = cube_run(run);
    EXPECT_THROW((void)write_csv("/proc/nowhere", recording, analysis::summarise(recording)), UserError);
}

}  // namespace

}  // namespace ascendsim::report
