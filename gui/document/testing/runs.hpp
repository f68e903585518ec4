// SPDX-License-Identifier: Apache-2.0
// Recordings made by hand, for tests and benchmarks of the dashboard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recorder.hpp"

namespace ascendsim::gui {

inline nlohmann::json round_chip() {
    return {{"name", "round"},
            {"cores", {{"aic", 2}, {"aiv", 4}, {"split", true}, {"clock_ghz", 1.0}}},
            {"cube", {{"m0", 16}, {"n0", 16}, {"k0_bytes", 32}, {"fp32_slowdown", 2}}},
            {"vector", {{"repeat_bytes", 256}}},
            {"buffers", {{"ub", 196608}, {"l1", 524288}}},
            {"port",
             {{"read_bytes_per_cycle", 64}, {"write_bytes_per_cycle", 64}, {"ub_write_bytes_per_cycle", 32}}},
            {"l2", {{"gb_per_s", 1000.0}}},
            {"hbm", {{"gb_per_s", 800.0}}}};
}

/// Writes a recording of a tiled vector kernel: every core loads, adds and stores `tiles` tiles through
/// `buffers` buffers, as fast as these allow; all times follow from that. With `lives`, it notes who has the
/// buffers when, as the kernel framework does.
class TiledRun {
public:
    TiledRun(const std::filesystem::path& file,
             std::uint32_t cores,
             std::uint64_t tiles,
             std::uint64_t buffers,
             bool lives = false,
             const std::string& title = "tiled add")
        : recorder_{file}, tiles_{tiles}, buffers_{buffers}, lives_{lives} {
        recorder_.metadata({{"title", title}, {"mode", "timing"}, {"chip", round_chip()}});
        for (std::uint32_t core = 0; core < cores; ++core) {
            for (const char* pipe : {"scalar", "vector", "mte2", "mte3"}) {
                recorder_.lane({{record::TrackKind::device, 0},
                                {record::TrackKind::group, core / 2},
                                {record::TrackKind::core, "aiv" + std::to_string(core)},
                                {record::TrackKind::pipe, pipe}});
            }
        }
        for (std::uint32_t core = 0; core < cores; ++core) {
            add_core(core);
        }
    }

    /// Ends the recording; returns its cycles.
    std::uint64_t finish() {
        recorder_.finish({{"cycles", last_ + 50}, {"cores_used", 1}});
        return last_ + 50;
    }

    record::Recorder& recorder() { return recorder_; }

private:
    static constexpr std::uint64_t load_cycles = 100;
    static constexpr std::uint64_t add_cycles = 60;
    static constexpr std::uint64_t store_cycles = 80;
    static constexpr std::uint32_t tile_bytes = 4096;

    record::SpanId put(std::uint32_t lane, record::Span span, const char* op, std::uint32_t line) {
        span.op = recorder_.op(op);
        span.site = recorder_.site("tiled.cpp", line);
        last_ = std::max(last_, span.complete);
        return {lane, recorder_.span(lane, span)};
    }

    void wait(
        std::uint32_t lane, std::uint64_t from, std::uint64_t to, record::Reason reason, record::SpanId on) {
        if (to > from) {
            put(lane,
                {.issue = from, .start = from, .end = to, .complete = to, .reason = reason, .culprit = on},
                "wait_flag",
                20);
        }
    }

    void note(std::uint32_t core,
              std::uint32_t offset,
              std::uint64_t from,
              std::uint64_t to,
              std::string_view label) {
        recorder_.buffer({.core_index = core,
                          .memory = 1,
                          .offset = offset,
                          .bytes = tile_bytes,
                          .from = from,
                          .to = to,
                          .site = recorder_.site("tiled.cpp", 10),
                          .label = label});
    }

    /// Where the instructions of a tile lie: what they read or write, when they start, when they were issued.
    struct Place {
        std::uint64_t tile;
        std::uint32_t offset;  // in UB
        std::uint64_t issue;
        std::uint64_t start;
    };

    record::SpanId put_load(std::uint32_t lane, const Place& at) {
        return put(lane,
                   {.issue = at.issue,
                    .start = at.start,
                    .end = at.start + load_cycles,
                    .complete = at.start + load_cycles + 30,
                    .memory = 1,
                    .offset = at.offset,
                    .bytes = tile_bytes,
                    .route = 0,
                    .limiter = record::Limiter::hbm_path,
                    .requests = 8,
                    .gm_offset = at.tile * tile_bytes,
                    .hbm_read_bytes = tile_bytes},
                   "copy_gm_to_ubuf",
                   12);
    }

    record::SpanId put_add(std::uint32_t lane, const Place& at) {
        return put(lane,
                   {.issue = at.issue,
                    .start = at.start,
                    .end = at.start + add_cycles,
                    .complete = at.start + add_cycles + 10,
                    .memory = 1,
                    .offset = at.offset,
                    .bytes = tile_bytes,
                    .work = 2048,
                    .conflict = at.tile % 4 == 0 ? 12U : 0U},
                   "vadd",
                   14);
    }

    record::SpanId put_store(std::uint32_t lane, const Place& at) {
        return put(lane,
                   {.issue = at.issue,
                    .start = at.start,
                    .end = at.start + store_cycles,
                    .complete = at.start + store_cycles + 20,
                    .memory = 1,
                    .offset = at.offset,
                    .bytes = tile_bytes,
                    .route = 4,
                    .limiter = record::Limiter::port,
                    .requests = 8,
                    .gm_offset = at.tile * tile_bytes,
                    .l2_hit_bytes = tile_bytes},
                   "copy_ubuf_to_gm",
                   17);
    }

    void add_core(std::uint32_t core) {
        const std::uint32_t scalar = core * 4;
        std::uint64_t load = 200 + core;
        std::uint64_t add = load + 40;
        std::uint64_t store = load + 50;
        put(scalar, {.issue = 100, .start = 100, .end = load, .complete = load}, "scalar", 8);
        std::vector<std::uint64_t> stored(tiles_);
        std::vector<record::SpanId> freed_by(tiles_);
        std::uint64_t loads = load + 20;
        for (std::uint64_t n = 0; n < tiles_; ++n) {
            const std::uint32_t offset = static_cast<std::uint32_t>(n % buffers_) * tile_bytes;
            if (n >= buffers_) {
                const std::uint64_t free = stored[n - buffers_];
                wait(scalar + 2, loads, free, record::Reason::flag_buffer, freed_by[n - buffers_]);
                loads = std::max(loads, free);
            }
            const record::SpanId copied = put_load(scalar + 2, {n, offset, load + n, loads});
            loads += load_cycles;
            const std::uint64_t there = loads + 30;
            wait(scalar + 1, add, there, record::Reason::flag_data, copied);
            add = std::max(add, there);
            const record::SpanId added = put_add(scalar + 1, {n, 98304 + offset, load + n, add});
            add += add_cycles;
            wait(scalar + 3, store, add + 10, record::Reason::flag_data, added);
            store = std::max(store, add + 10);
            freed_by[n] = put_store(scalar + 3, {n, 98304 + offset, load + n, store});
            store += store_cycles;
            stored[n] = store + 20;
            if (lives_) {
                note(core, offset, loads - load_cycles, there, "VECIN, mte2");
                note(core, offset, there, add + 10, "VECIN, vector");
                note(core, 98304 + offset, add - add_cycles, add + 10, "VECOUT, vector");
                note(core, 98304 + offset, add + 10, stored[n], "VECOUT, mte3");
            }
        }
        if (tiles_ > 0) {
            wait(scalar, load, store, record::Reason::barrier, freed_by.back());
        }
    }

    record::Recorder recorder_;
    std::uint64_t tiles_;
    std::uint64_t buffers_;
    bool lives_;
    std::uint64_t last_ = 0;
};

}  // namespace ascendsim::gui
