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
    const char* scenario = "add";    ///< whose file, in the folder of the recording, made the run
    std::uint32_t most_buffers = 2;  ///< that the kernel takes
};

/// One vector core of a synthetic run: it copies in, adds and copies out, tile by tile.
class SyntheticCore {
public:
    static constexpr std::uint32_t bytes = 16384;  // of a tile
    static constexpr std::uint8_t ub = 1;

    SyntheticCore(record::Recorder& recorder, std::uint32_t core, std::uint32_t buffers)
        : recorder_{recorder},
          buffers_{buffers},
          vector_{lane("vector", core)},
          mte2_{lane("mte2", core)},
          mte3_{lane("mte3", core)},
          loaded_{100 + 7 * core},
          added_{loaded_},
          stored_{loaded_} {}

    void tile(std::uint32_t number) {
        const std::uint32_t offset = number % buffers_ * bytes;
        load(offset);
        add(65536 + offset);
        store(65536 + offset);
    }

    [[nodiscard]] std::uint64_t end() const { return stored_; }

private:
    static constexpr std::uint64_t copy_cycles = 200;
    static constexpr std::uint64_t add_cycles = 80;

    std::uint32_t lane(const char* pipe, std::uint32_t core) {
        return recorder_.lane({{record::TrackKind::device, 0},
                               {record::TrackKind::group, core / 2},
                               {record::TrackKind::core, fmt::format("aiv{}", core)},
                               {record::TrackKind::pipe, pipe}});
    }

    void wait(std::uint32_t lane,
              std::uint64_t from,
              std::uint64_t to,
              std::uint32_t line,
              record::Reason reason,
              std::uint32_t culprit) {
        if (to > from) {
            recorder_.span(lane,
                           {.issue = from,
                            .start = from,
                            .end = to,
                            .complete = to,
                            .site = recorder_.site("add.cpp", line),
                            .reason = reason,
                            .culprit = {culprit, recorder_.spans(culprit) - 1}});
        }
    }

    void load(std::uint32_t offset) {
        const std::uint64_t earliest = buffers_ == 1 ? std::max(loaded_, added_) : std::max(loaded_, freed_);
        wait(mte2_, loaded_, earliest, 40, record::Reason::flag_buffer, vector_);
        loaded_ = earliest + copy_cycles;
        recorder_.span(mte2_,
                       {.issue = earliest,
                        .start = earliest,
                        .end = loaded_,
                        .complete = loaded_,
                        .op = recorder_.op("copy_gm_to_ubuf"),
                        .site = recorder_.site("add.cpp", 41),
                        .memory = ub,
                        .offset = offset,
                        .bytes = bytes,
                        .route = 0,
                        .requests = 32,
                        .hbm_read_bytes = bytes});
    }

    void add(std::uint32_t offset) {
        wait(vector_, added_, loaded_, 50, record::Reason::flag_data, mte2_);
        freed_ = added_;
        added_ = std::max(added_, loaded_) + add_cycles;
        recorder_.span(vector_,
                       {.issue = added_ - add_cycles,
                        .start = added_ - add_cycles,
                        .end = added_,
                        .complete = added_,
                        .op = recorder_.op("vadd"),
                        .site = recorder_.site("add.cpp", 51),
                        .memory = ub,
                        .offset = offset,
                        .bytes = bytes,
                        .work = bytes / 2});
    }

    void store(std::uint32_t offset) {
        const std::uint64_t begin = std::max(stored_, added_);
        stored_ = begin + copy_cycles / 2;
        recorder_.span(mte3_,
                       {.issue = begin,
                        .start = begin,
                        .end = stored_,
                        .complete = stored_,
                        .op = recorder_.op("copy_ubuf_to_gm"),
                        .site = recorder_.site("add.cpp", 60),
                        .memory = ub,
                        .offset = offset,
                        .bytes = bytes,
                        .route = 4,
                        .requests = 32,
                        .hbm_write_bytes = bytes});
    }

    record::Recorder& recorder_;
    std::uint32_t buffers_;
    std::uint32_t vector_;  // lanes
    std::uint32_t mte2_;
    std::uint32_t mte3_;
    std::uint64_t loaded_;  // cycles at which the last tile was there, added and away
    std::uint64_t added_;
    std::uint64_t stored_;
    std::uint64_t freed_ = 0;  // cycle at which the tile before left its buffer
};

/// Writes a run of vector cores that copy in, add and copy out, tile by tile, with one buffer or two. Returns
/// its cycles.
inline std::uint64_t write_recording(const std::filesystem::path& file, const SyntheticRun& run) {
    record::Recorder recorder{file};
    recorder.metadata(
        {{"scenario", "synthetic"},
         {"title", "Synthetic add"},
         {"mode", "timing"},
         {"chip",
          {{"name", "910b1"},
           {"cores", {{"aic", 24}, {"aiv", 48}, {"clock_ghz", 1.85}, {"split", true}}},
           {"buffers", {{"ub", 196608}}}}},
         {"file", (file.parent_path() / fmt::format("{}.toml", run.scenario)).string()},
         {"knobs", {{"buffers", run.buffers}}},
         {"knob_ranges",
          {{"buffers", {{"min", 1}, {"max", run.most_buffers}, {"meaning", "of each queue"}}}}}});
    for (const char* op : {"copy_gm_to_ubuf", "vadd", "copy_ubuf_to_gm"}) {
        recorder.op(op);
    }
    std::uint64_t last = 0;
    for (std::uint32_t number = 0; number < run.cores; ++number) {
        SyntheticCore core{recorder, number, run.buffers};
        for (std::uint32_t tile = 0; tile < run.tiles; ++tile) {
            core.tile(tile);
        }
        recorder.buffer({.core_index = number,
                         .memory = SyntheticCore::ub,
                         .offset = 0,
                         .bytes = SyntheticCore::bytes * run.buffers,
                         .from = 50,
                         .to = core.end(),
                         .site = 0,
                         .label = "in"});
        last = std::max(last, core.end());
    }
    recorder.finish({{"cycles", last + 100}});
    return last + 100;
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
            write_run(fmt::format("run{}", buffers), {.buffers = buffers});
        }
        write_run("fickle", {.scenario = "fickle"});
        write_run("edited", {.scenario = "edited"});
        for (const char* name : {"add", "crash", "hang", "wrong", "fickle", "edited"}) {
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

    /// A scenario whose kernel takes up to four buffers; two are better than one. With three "roomy" is not,
    /// and "brittle" crashes the first time.
    void add_roomy(const char* name = "roomy") const {
        write_run(name, {.scenario = name, .most_buffers = 4});
        write(fmt::format("{}.toml", name), scenario);
    }

private:
    /// A recording and the figures beside it.
    void write_run(const std::string& name, const SyntheticRun& run) const {
        const auto cycles = static_cast<double>(write_recording(folder_ / (name + ".rec"), run));
        write(name + ".json",
              nlohmann::json{{"cycles", cycles},
                             {"time_us", cycles / 1850},
                             {"outcome", "complete"},
                             {"pipes", {{"mte2", {{"utilization", 1600 / cycles}}}}}}
                  .dump());
    }

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
step) cp "$here/run$buffers.rec" "$4"; cp "$here/run$buffers.json" "$6" ;;
run)
    case "${2##*/}" in
    *hang*) sleep 60 ;;
    *wrong*) echo "ascendsim: wrong.toml:3: kernel.tile: must be even" >&2; exit 2 ;;
    *crash*) cp "$here/run1.rec" "$5"; kill -SEGV $$ ;;
    *fickle*) # crashes with two buffers
        [ $buffers = 2 ] && kill -SEGV $$
        cp "$here/fickle.rec" "$5"; cp "$here/fickle.json" "$7"; exit ;;
    *roomy*) cp "$here/roomy.rec" "$5"; cp "$here/run$buffers.json" "$7"; exit ;;
    *brittle*)
        case "$*" in *kernel.buffers=3*) [ -e "$here/crashed" ] || { : >"$here/crashed"; kill -SEGV $$; } ;; esac
        cp "$here/brittle.rec" "$5"; cp "$here/run$buffers.json" "$7"; exit ;;
    *edited*) # another number of cycles from the second run on
        cp "$here/edited.rec" "$5"; cp "$here/edited.json" "$7"
        cp "$here/run2.json" "$here/edited.$$" # another run reads it meanwhile
        mv "$here/edited.$$" "$here/edited.json"; exit ;;
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
min = 0.75
words = "MTE2 is busy for 75 % of the run"
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
