// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lanes/lane_spans.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/record/occupancy.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {

namespace {

using testing::TemporaryFile;

// Span i of a lane lasts 3 cycles behind a gap of i % 2; every third is a wait, every fifth a transfer.
std::uint64_t start_of(std::uint64_t i) {
    return i * 3 + (i + 1) / 2;
}

Span span_of(std::uint32_t lane, std::uint64_t i) {
    Span span{.issue = start_of(i), .start = start_of(i), .end = start_of(i) + 3};
    span.complete = span.end + i % 7;
    span.site = static_cast<std::uint32_t>(i % 11);
    span.work = static_cast<std::uint32_t>(i * 13 + lane);
    if (i % 3 == 0) {
        span.reason = Reason::flag_data;
        span.culprit = {1 - lane % 2, i / 2};
    }
    if (i % 5 == 0) {
        span.route = 1;
        span.requests = static_cast<std::uint32_t>(i);
        span.gm_offset = i * 4096;
    }
    return span;
}

void write(const std::filesystem::path& file, std::uint32_t lanes, std::uint64_t spans) {
    Recorder recorder{file};
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        recorder.lane(TrackPath::parse("aiv" + std::to_string(lane) + "/vector"));
    }
    for (std::uint64_t i = 0; i < spans; ++i) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            recorder.span(lane, span_of(lane, i));
        }
        if (i % 3333 == 0) {
            recorder.flush();  // chunks that are not full
        }
    }
    recorder.finish({{"cycles", start_of(spans)}});
}

bool is_as_written(const Recording& recording, std::uint32_t lane, std::size_t i) {
    const Span read = recording.lane(lane).span(i);
    const Span written = span_of(lane, i);
    return read.start == written.start && read.end == written.end && read.complete == written.complete &&
           read.work == written.work && read.reason == written.reason && read.site == written.site &&
           read.culprit.lane == written.culprit.lane && read.culprit.index == written.culprit.index &&
           read.route == written.route && read.requests == written.requests &&
           read.gm_offset == written.gm_offset;
}

// 40 lanes of 60 chunks of some 70 KB are four times of what a thread keeps.
constexpr std::uint32_t many_lanes = 40;
constexpr std::uint64_t many_spans = 60'000;

TEST(LaneSpans, AreReadFromAnywhereThoughFewStayDecoded) {
    const TemporaryFile file;
    write(file.path(), many_lanes, many_spans);
    const Recording recording{file.path()};
    for (std::uint64_t n = 0; n < 20'000; ++n) {
        const auto lane = static_cast<std::uint32_t>(n * 7 % many_lanes);
        const std::size_t i = n * 104'729 % many_spans;
        ASSERT_TRUE(is_as_written(recording, lane, i)) << lane << " " << i;
    }
}

TEST(LaneSpans, AreReadBySeveralThreadsAtOnce) {
    const TemporaryFile file;
    write(file.path(), 4, 20'000);
    const Recording recording{file.path()};
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < 20'000; i += 3) {
                wrong[t] += is_as_written(recording, static_cast<std::uint32_t>(i % 4), i) ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(LaneSpans, OfARecordingThatIsGoneAreNotTakenForAnothers) {
    for (const std::uint64_t spans : {2000U, 3000U, 2500U}) {
        const TemporaryFile file;
        write(file.path(), 2, spans);
        const Recording recording{file.path()};
        ASSERT_EQ(recording.lane(1).size(), spans);
        for (std::size_t i = 0; i < spans; i += 17) {
            ASSERT_TRUE(is_as_written(recording, 1, i));
        }
    }
}

TEST(LaneSpans, FindSpansByTimeAsASearchThroughAllDoes) {
    const TemporaryFile file;
    write(file.path(), 2, 5000);
    const Recording recording{file.path()};
    const Lane& lane = recording.lane(0);
    for (std::uint64_t cycle = 0; cycle < start_of(5000) + 10; cycle += 7) {
        std::size_t ending = 0;
        std::size_t starting = 0;
        while (ending < 5000 && start_of(ending) + 3 <= cycle) {
            ++ending;
        }
        while (starting < 5000 && start_of(starting) < cycle) {
            ++starting;
        }
        ASSERT_EQ(lane.first_ending_after(cycle), ending) << cycle;
        ASSERT_EQ(lane.first_starting_from(cycle), starting) << cycle;
    }
    for (std::size_t i = 0; i <= 5000; ++i) {
        ASSERT_EQ(lane.first_transfer_from(i), (i + 4) / 5) << i;  // spans 0, 5, 10 … are transfers
    }
}

TEST(LaneSpans, TellWhetherThereAreMoreThanACountWithoutBeingCounted) {
    const TemporaryFile file;
    write(file.path(), 2, 5000);
    const Recording recording{file.path()};
    const Lane& lane = recording.lane(0);
    const std::uint64_t end = start_of(5000);
    for (std::uint64_t from = 0; from < end + 20; from += 1009) {
        for (std::uint64_t to = 0; to < end + 20; to += 777) {
            const std::size_t ending = lane.first_ending_after(from);
            const std::size_t starting = lane.first_starting_from(to);
            const std::size_t count = starting > ending && to > from ? starting - ending : 0;
            for (const std::size_t limit :
                 {std::size_t{0}, count / 2, count - std::min<std::size_t>(count, 1), count}) {
                ASSERT_EQ(lane.has_more_than(limit, from, to), count > limit) << from << " " << to;
            }
        }
    }
}

TEST(LaneSpans, AreFoundByTimeNearTheLastOneAndFarFromIt) {
    const TemporaryFile file;
    write(file.path(), 2, 5000);
    const Recording recording{file.path()};
    for (const std::uint64_t stride : {1U, 3U, 997U, 2503U, 4999U}) {  // on, back and far
        for (std::uint64_t n = 0; n < 5000; ++n) {
            const std::uint64_t i = n * stride % 5000;
            const Lane& lane = recording.lane(static_cast<std::uint32_t>(n % 2));
            ASSERT_EQ(lane.first_ending_after(start_of(i) + 2), i) << stride;
            ASSERT_EQ(lane.first_ending_after(start_of(i) + 3), i + 1) << stride;
        }
    }
}

TEST(LaneSpans, AddUpToWhatAPassOverThemDoes) {
    const TemporaryFile file;
    write(file.path(), 1, 9000);
    const Recording recording{file.path()};
    for (const auto& [from, to] : {std::pair<std::uint64_t, std::uint64_t>{0, 40'000},
                                   {1, 31'499},
                                   {3'584, 7'168},
                                   {5'000, 5'001},
                                   {20'000, 31'000}}) {
        Occupancy sum;
        for_each_stretch(recording, 0, from, to, [&](const Stretch& stretch) {
            sum.add(stretch.reason, stretch.end - stretch.start);
        });
        EXPECT_EQ(occupancy(recording, 0, from, to), sum) << from << " " << to;
    }
}

}  // namespace

}  // namespace ascendsim::record
