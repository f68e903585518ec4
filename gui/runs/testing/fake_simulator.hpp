// SPDX-License-Identifier: Apache-2.0
// A simulator of a few lines of shell, so that tests of the dashboard are quick and draw the same pixels
// whatever the real one says; it also crashes, hangs and complains on demand.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "gui/runs/workbench.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim::gui::fake {

struct SyntheticRun {
    std::uint32_t tiles = 8;
    std::uint32_t buffers = 1;
    std::uint32_t cores = 4;
};

/// Writes a run of vector cores that copy in, add and copy out, tile by tile, with one buffer or two.
inline void write_recording(const std::filesystem::path& file, const SyntheticRun& run) {
    record::Recorder recorder{file};
    recorder.metadata({{"scenario", "synthetic"},
                       {"title", "Synthetic add"},
                       {"mode", "timing"},
                       {"chip",
                        {{"name", "910b1"},
                         {"cores", {{"aic", 24}, {"aiv", 48}, {"clock_ghz", 1.85}, {"split", true}}},
                         {"buffers", {{"ub", 196608}}}}},
                       {"knobs", {{"buffers", run.buffers}}}});
    const std::uint32_t load = recorder.op("copy_gm_to_ubuf");
    const std::uint32_t add = recorder.op("vadd");
    const std::uint32_t store = recorder.op("copy_ubuf_to_gm");
    constexpr std::uint64_t copy_cycles = 200;
    constexpr std::uint64_t add_cycles = 80;
    constexpr std::uint32_t bytes = 16384;
    constexpr std::uint8_t ub = 1;
    std::uint64_t last = 0;
    for (std::uint32_t core = 0; core < run.cores; ++core) {
        const auto lane = [&](const char* pipe) {
            return recorder.lane({fmt::format("aiv{}", core), pipe, core, core / 2});
        };
        const std::uint32_t vector = lane("vector");
        const std::uint32_t mte2 = lane("mte2");
        const std::uint32_t mte3 = lane("mte3");
        std::uint64_t loaded = 100 + 7 * core;  // cycle
        std::uint64_t added = loaded;
        std::uint64_t stored = loaded;
        std::uint64_t freed = 0;
        for (std::uint32_t tile = 0; tile < run.tiles; ++tile) {
            const std::uint32_t offset = tile % run.buffers * bytes;
            const std::uint64_t earliest =
                run.buffers == 1 ? std::max(loaded, added) : std::max(loaded, freed);
            if (earliest > loaded) {
                recorder.span(mte2,
                              {.issue = loaded,
                               .start = loaded,
                               .end = earliest,
                               .complete = earliest,
                               .site = recorder.site("add.cpp", 40),
                               .reason = record::Reason::flag_buffer,
                               .culprit = {vector, recorder.spans(vector) - 1}});
            }
            loaded = earliest + copy_cycles;
            recorder.span(mte2,
                          {.issue = earliest,
                           .start = earliest,
                           .end = loaded,
                           .complete = loaded,
                           .op = load,
                           .site = recorder.site("add.cpp", 41),
                           .memory = ub,
                           .offset = offset,
                           .bytes = bytes,
                           .route = 0,
                           .requests = 32,
                           .hbm_read_bytes = bytes});
            if (loaded > added) {
                recorder.span(vector,
                              {.issue = added,
                               .start = added,
                               .end = loaded,
                               .complete = loaded,
                               .site = recorder.site("add.cpp", 50),
                               .reason = record::Reason::flag_data,
                               .culprit = {mte2, recorder.spans(mte2) - 1}});
            }
            freed = added;
            added = std::max(added, loaded) + add_cycles;
            recorder.span(vector,
                          {.issue = added - add_cycles,
                           .start = added - add_cycles,
                           .end = added,
                           .complete = added,
                           .op = add,
                           .site = recorder.site("add.cpp", 51),
                           .memory = ub,
                           .offset = 65536 + offset,
                           .bytes = bytes,
                           .work = bytes / 2});
            const std::uint64_t begin = std::max(stored, added);
            stored = begin + copy_cycles / 2;
            recorder.span(mte3,
                          {.issue = begin,
                           .start = begin,
                           .end = stored,
                           .complete = stored,
                           .op = store,
                           .site = recorder.site("add.cpp", 60),
                           .memory = ub,
                           .offset = 65536 + offset,
                           .bytes = bytes,
                           .route = 4,
                           .requests = 32,
                           .hbm_write_bytes = bytes});
        }
        recorder.buffer({.core_index = core,
                         .memory = ub,
                         .offset = 0,
                         .bytes = bytes * run.buffers,
                         .from = 50,
                         .to = stored,
                         .site = 0,
                         .label = "in"});
        last = std::max(last, stored);
    }
    recorder.finish({{"cycles", last + 100}});
}

/// A folder with the fake simulator, scenarios for it, and room for runs.
class FakeSimulator {
public:
    FakeSimulator() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path{::testing::TempDir()} /
                  fmt::format("fake_{}_{}_{}", info->test_suite_name(), info->name(), ::getpid());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        write("ascendsim", script);
        std::filesystem::permissions(folder_ / "ascendsim", std::filesystem::perms::owner_all);
        write("kernel.json", kernel);
        write("chip.json", chip);
        write("chips.txt", "910b1  Ascend 910B1\n310p3  Ascend 310P3\n");
        for (const std::uint32_t buffers : {1U, 2U}) {
            write_recording(folder_ / fmt::format("run{}.rec", buffers), {.buffers = buffers});
            const double cycles = buffers == 1 ? 2740 : 1960;
            write(fmt::format("run{}.json", buffers),
                  nlohmann::json{{"cycles", cycles},
                                 {"time_us", cycles / 1850},
                                 {"outcome", "complete"},
                                 {"pipes", {{"mte2", {{"utilization", 1600 / cycles}}}}}}
                      .dump());
        }
        for (const char* name : {"add", "crash", "hang", "wrong"}) {
            write(fmt::format("{}.toml", name), scenario);
        }
        write("lesson.toml", std::string{scenario} + std::string{lesson});
    }

    FakeSimulator(const FakeSimulator&) = delete;
    FakeSimulator& operator=(const FakeSimulator&) = delete;

    ~FakeSimulator() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string scenario_file(const std::string& name) const {
        return (folder_ / (name + ".toml")).string();
    }

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

    [[nodiscard]] WorkbenchOptions options() const {
        return {
            .program = folder_ / "ascendsim", .run_folder = folder_ / "runs", .loading = Loading::at_once};
    }

private:
    void write(const std::string& name, std::string_view text) const {
        std::ofstream{folder_ / name} << text;
    }

    static constexpr std::string_view script = R"(#!/bin/sh
here=$(dirname "$0")
buffers=1
case "$*" in *kernel.buffers=2*) buffers=2 ;; esac
case "$1" in
describe) cat "$here/$2.json" ;;
list) cat "$here/chips.txt" ;;
run)
    case "$2" in
    *hang*) sleep 60 ;;
    *wrong*) echo "ascendsim: wrong.toml:3: kernel.tile: must be even" >&2; exit 2 ;;
    *crash*) cp "$here/run1.rec" "$5"; kill -SEGV $$ ;;
    esac
    cp "$here/run$buffers.rec" "$5"
    cp "$here/run$buffers.json" "$7" ;;
esac
)";
    static constexpr std::string_view kernel = R"({"kernel": "add", "meaning": "z = x + y", "knobs": [
{"name": "shape", "default": [64, 64], "allowed": [], "min": 0, "max": 1e12, "unit": "elements", "meaning": "extents"},
{"name": "schedule", "default": "vector", "allowed": ["vector", "scalar"], "unit": "", "meaning": "who adds"},
{"name": "tile", "default": 4096, "allowed": [], "min": 0, "max": 1048576, "unit": "elements", "meaning": "elements in a buffer"},
{"name": "buffers", "default": 2, "allowed": [], "min": 1, "max": 2, "unit": "buffers", "meaning": "2 overlaps copies and additions"},
{"name": "spread", "default": true, "allowed": [], "unit": "", "meaning": "keep operands in different banks"}]})";
    static constexpr std::string_view chip = R"({"name": "910b1", "parameters": [
{"path": "cores.clock_ghz", "value": 1.85, "unit": "GHz", "min": 0.1, "max": 4.0, "tag": "V", "source": "S1", "meaning": "clock of all cores"},
{"path": "hbm.gb_per_s", "value": 1600.0, "unit": "GB/s", "min": 1, "max": 100000, "tag": "V", "source": "S1", "meaning": "bandwidth of the memory"}]})";
    static constexpr std::string_view scenario =
        "[scenario]\ntitle = \"Vector add\"\nkernel = \"add\"\nchip = \"910b1\"\n[kernel]\nbuffers = 1\n";
    static constexpr std::string_view lesson = R"(
[lesson]
title = "Two buffers"
summary = "s"
text = "One buffer makes the engines take turns.\n\nTwo let them overlap."
task = "Keep MTE2 busy."
hints = ["Look at the causes.", "Add a buffer."]
knobs = ["kernel.buffers"]
after = "They overlap now."
[[lesson.goals]]
path = "pipes.mte2.utilization"
min = 0.8
words = "MTE2 is busy for 80 % of the run"
[lesson.solution]
"kernel.buffers" = 2
)";

    std::filesystem::path folder_;
};

/// Calls `turn` until `done`, at most ten seconds.
inline bool turn_until(const std::function<void()>& turn, const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        turn();
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

}  // namespace ascendsim::gui::fake
