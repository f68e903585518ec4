// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lane_totals.hpp"

#include <filesystem>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/record/recorder.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {
namespace {

// Every third span a wait, every fourth a transfer; one in a thousand lasts longer than 32 bits can say.
std::vector<Span> some_spans(std::size_t count) {
    std::mt19937 engine{17};
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    std::vector<Span> spans;
    std::uint64_t now = 5'000'000'000;
    for (std::size_t i = 0; i < count; ++i) {
        Span span{.start = now + random() % 10};
        span.end = span.start + (i % 1000 == 999 ? std::uint64_t{1} << 33U : random() % 300);
        span.issue = span.start;
        span.complete = span.end;
        span.reason = i % 3 == 0 ? Reason::flag_data : Reason::none;
        span.inside = i % 6 == 0;
        span.bytes = random() % 100000;
        span.conflict = random() % 4;
        if (i % 4 == 0) {
            span.route = 1;
            span.l2_hit_bytes = random() % 1000;
            span.hbm_read_bytes = random() % 1000;
            span.hbm_write_bytes = random() % 1000;
        }
        now = span.end;
        spans.push_back(span);
    }
    return spans;
}

TEST(LaneTotals, AddUpWhatALaneDidWithAndWithoutAFile) {
    const std::vector<Span> spans = some_spans(10000);  // three chunks
    LaneTotals expected{.first = spans.front().start, .last = spans.back().end};
    for (const Span& span : spans) {
        const bool transfer = span.route != Span::route_none;
        expected.busy_cycles += span.reason == Reason::none ? span.end - span.start : 0;
        if (span.reason == Reason::none || span.inside) {
            expected.active_cycles += span.end - span.start;  // none of these outlasts its pipe
            expected.active_until = span.complete;
        }
        expected.conflict_cycles += span.conflict;
        expected.moved_bytes += transfer ? span.bytes : 0;
        expected.l2_hit_bytes += transfer ? span.l2_hit_bytes : 0;
        expected.hbm_read_bytes += transfer ? span.hbm_read_bytes : 0;
        expected.hbm_write_bytes += transfer ? span.hbm_write_bytes : 0;
    }
    const testing::TemporaryFile file;
    for (const std::filesystem::path& path : {std::filesystem::path{}, file.path()}) {
        Recorder recorder{path};
        recorder.lane(TrackPath::parse("aic0/mte2"));
        for (const Span& span : spans) {
            recorder.span(0, span);
        }
        recorder.finish({});
        EXPECT_EQ(recorder.totals(0), expected) << path;
        EXPECT_EQ(recorder.path(0).core(), "aic0");
    }
}

TEST(LaneTotals, CountAnInstructionAsActiveUntilItCompletes) {
    Recorder recorder{{}};
    recorder.lane(TrackPath::parse("aic0/fixpipe"));
    recorder.span(0, {.issue = 10, .start = 10, .end = 14, .complete = 30});
    recorder.span(0, {.issue = 14, .start = 14, .end = 20, .complete = 40});  // meets the one before
    recorder.span(0, {.issue = 50, .start = 50, .end = 60, .complete = 60, .reason = Reason::flag_data});
    recorder.span(
        0,
        {.issue = 70, .start = 70, .end = 75, .complete = 75, .reason = Reason::flag_data, .inside = true});
    recorder.finish({});
    EXPECT_EQ(recorder.totals(0).busy_cycles, 4U + 6U);
    EXPECT_EQ(recorder.totals(0).active_cycles, (40U - 10U) + 5U);
}

TEST(LaneTotals, CountFromWhereTheSumsBegin) {
    Recorder recorder{{}};
    recorder.lane(TrackPath::parse("aic0/mte2"));
    recorder.span(
        0,
        {.issue = 10, .start = 10, .end = 14, .complete = 14, .bytes = 64, .route = 1, .l2_hit_bytes = 64});
    recorder.sums_from(20);
    recorder.span(
        0,
        {.issue = 30, .start = 30, .end = 37, .complete = 37, .bytes = 32, .route = 1, .l2_hit_bytes = 32});
    recorder.finish({});
    EXPECT_EQ(recorder.totals(0).busy_cycles, 7U);
    EXPECT_EQ(recorder.totals(0).moved_bytes, 32U);
    EXPECT_EQ(recorder.totals(0).l2_hit_bytes, 32U);
    EXPECT_EQ(recorder.totals(0).first, 20U);
    EXPECT_EQ(recorder.totals(0).last, 37U);
}

}  // namespace
}  // namespace ascendsim::record
