// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

    std::uint32_t lane(const std::string& core, const std::string& pipe, std::uint32_t core_index = 0) {
        return recorder_.lane({.core = core, .pipe = pipe, .core_index = core_index, .group = core_index});
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
