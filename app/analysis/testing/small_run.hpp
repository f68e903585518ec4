// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::analysis::testing {

/// A recording made by hand: lanes and spans of a test, read back as a tool would.
class SmallRun {
public:
    SmallRun() : recorder_{file_.path()} {}

    std::uint32_t lane(const std::string& core, const std::string& pipe, std::uint32_t group = 0) {
        return recorder_.lane({{record::TrackKind::device, 0},
                               {record::TrackKind::group, group},
                               {record::TrackKind::core, core},
                               {record::TrackKind::pipe, pipe}});
    }

    /// Adds tracks outside of cores, busy over [0, cycles) and with transfers and source lines like those of
    /// cores: a thread of the host, a stream, a link, the power, and one of a kind nobody knows yet.
    void other_tracks(std::uint64_t cycles) {
        for (const char* const path : {"host/thread0", "device0/stream2", "link:pcie0", "power", "rack:4"}) {
            const std::uint32_t lane = recorder_.lane(record::TrackPath::parse(path));
            wait(lane, 1, cycles / 2, record::Reason::flag_data, {lane, 1});
            add(lane,
                {.start = cycles / 2,
                 .end = cycles,
                 .memory = 1,
                 .bytes = 1'000'000,
                 .work = 1'000'000,
                 .route = 1,
                 .limiter = record::Limiter::port,
                 .requests = 3,
                 .l2_hit_bytes = 500'000,
                 .hbm_read_bytes = 500'000},
                "elsewhere",
                40);
        }
    }

    /// Appends a span that is complete at its end.
    record::SpanId add(std::uint32_t lane,
                       record::Span span,
                       const char* op = "work",
                       std::uint32_t line = 1) {
        span.op = recorder_.op(op);
        span.site = recorder_.site("kernel.cpp", line);
        span.complete = span.complete == 0 ? span.end : span.complete;
        return {lane, recorder_.span(lane, span)};
    }

    /// A stretch of work, handed over at `issue`.
    record::SpanId busy(std::uint32_t lane,
                        std::uint64_t issue,
                        std::uint64_t start,
                        std::uint64_t end,
                        const char* op = "work",
                        std::uint32_t line = 1) {
        return add(lane, {.issue = issue, .start = start, .end = end}, op, line);
    }

    record::SpanId wait(std::uint32_t lane,
                        std::uint64_t start,
                        std::uint64_t end,
                        record::Reason reason,
                        record::SpanId culprit,
                        const char* op = "wait_flag",
                        std::uint32_t line = 9) {
        return add(lane,
                   {.issue = start, .start = start, .end = end, .reason = reason, .culprit = culprit},
                   op,
                   line);
    }

    record::Recorder& recorder() { return recorder_; }

    [[nodiscard]] const std::filesystem::path& file() const { return file_.path(); }

    /// Ends the run and reads it.
    record::Recording finish(std::uint64_t cycles, nlohmann::json totals = nlohmann::json::object()) {
        totals["cycles"] = cycles;
        recorder_.finish(totals);
        return record::Recording{file_.path()};
    }

    /// What a run that was ended from outside leaves: everything but the totals.
    record::Recording interrupted() {
        recorder_.flush();
        return record::Recording{file_.path()};
    }

    /// A chip of round numbers: 1 GHz, 2 cores, 100 GB/s of HBM, 1000 GB/s of L2.
    static nlohmann::json chip() {
        return {
            {"name", "round"},
            {"cores", {{"aic", 2}, {"aiv", 4}, {"split", true}, {"clock_ghz", 1.0}}},
            {"cube", {{"m0", 16}, {"n0", 16}, {"k0_bytes", 32}, {"fp32_slowdown", 2}}},
            {"vector", {{"repeat_bytes", 256}}},
            {"mte1", {{"l0a_bytes_per_cycle", 256}, {"l0b_bytes_per_cycle", 128}}},
            {"port",
             {{"read_bytes_per_cycle", 64}, {"write_bytes_per_cycle", 64}, {"ub_write_bytes_per_cycle", 32}}},
            {"l2", {{"gb_per_s", 1000.0}}},
            {"hbm", {{"gb_per_s", 100.0}}}};
    }

private:
    record::testing::TemporaryFile file_;
    record::Recorder recorder_;
};

}  // namespace ascendsim::analysis::testing
