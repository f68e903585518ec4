// SPDX-License-Identifier: Apache-2.0
#include "sim/record/occupancy.hpp"

#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/record/pyramid.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {

namespace {

using testing::TemporaryFile;

// Three cores of two lanes; spans of random length, waits and holes; the last lane is never used.
void record_random(const std::filesystem::path& file, unsigned seed, std::uint64_t& cycles) {
    std::mt19937_64 random{seed};
    Recorder recorder{file};
    cycles = 0;
    for (std::uint32_t lane = 0; lane < 6; ++lane) {
        recorder.lane(TrackPath::parse(fmt::format("aiv{}/pipe:{}", lane / 2, lane % 2)));
        std::uint64_t now = random() % 900;
        for (std::size_t i = 0; lane < 5 && i < 4000; ++i) {
            const std::uint64_t start = now + (random() % 3 == 0 ? random() % 50 : 0);
            now = start + random() % (random() % 200 == 0 ? 100'000 : 90);
            recorder.span(
                lane,
                {.start = start, .end = now, .complete = now, .reason = static_cast<Reason>(random() % 13)});
        }
        cycles = std::max(cycles, now);
    }
    cycles += 17;
    recorder.finish({{"cycles", cycles}});
}

TEST(Occupancy, NamesWhatLiesAroundSpans) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.lane(TrackPath::parse("aic0/scalar"));
    recorder.lane(TrackPath::parse("aic0/cube"));
    recorder.lane(TrackPath::parse("aic0/vector"));
    recorder.span(0, {.start = 10, .end = 12, .complete = 12});
    recorder.span(1, {.start = 20, .end = 30, .complete = 30});
    recorder.span(1, {.start = 30, .end = 34, .complete = 34, .reason = Reason::flag_data});
    recorder.span(1, {.start = 40, .end = 50, .complete = 50});
    recorder.finish({{"cycles", 60}});
    const Recording recording{file.path()};

    const Occupancy cube = occupancy(recording, 1);

    EXPECT_EQ(cube[Reason::launch], 10U);
    EXPECT_EQ(cube[Reason::issue], 10U + 6U);
    EXPECT_EQ(cube.busy(), 20U);
    EXPECT_EQ(cube[Reason::flag_data], 4U);
    EXPECT_EQ(cube[Reason::tail], 10U);
    EXPECT_EQ(cube.total(), 60U);
    EXPECT_EQ(occupancy(recording, 2)[Reason::unused], 60U);
    EXPECT_EQ(occupancy(recording, 1, 25, 42).total(), 17U);
    EXPECT_EQ(occupancy(recording, 1, 25, 42).busy(), 5U + 2U);
}

TEST(Occupancy, AddsUpToAnyWindowOfAnyLane) {
    constexpr unsigned seed = 31;
    SCOPED_TRACE(seed);
    const TemporaryFile file;
    std::uint64_t cycles = 0;
    record_random(file.path(), seed, cycles);
    const Recording recording{file.path()};
    std::mt19937_64 random{seed};

    for (std::uint32_t lane = 0; lane < recording.lanes().size(); ++lane) {
        EXPECT_EQ(occupancy(recording, lane).total(), cycles);
        for (int round = 0; round < 200; ++round) {
            const std::uint64_t a = random() % cycles;
            const std::uint64_t b = a + random() % (cycles - a);
            const std::uint64_t middle = a + (b - a) / 3;
            Occupancy halves = occupancy(recording, lane, a, middle);
            halves += occupancy(recording, lane, middle, b);
            EXPECT_EQ(occupancy(recording, lane, a, b), halves);
            EXPECT_EQ(halves.total(), b - a);
        }
    }
}

TEST(Pyramid, EveryBucketOfEveryLevelIsTheIntegral) {
    constexpr unsigned seed = 37;
    SCOPED_TRACE(seed);
    const TemporaryFile file;
    std::uint64_t cycles = 0;
    record_random(file.path(), seed, cycles);
    const Recording recording{file.path()};
    Pyramids pyramids{recording};

    for (std::uint32_t lane = 0; lane < recording.lanes().size(); ++lane) {
        const Pyramid& pyramid = pyramids.lane(lane);
        ASSERT_GT(pyramid.levels(), 3U);
        EXPECT_EQ(pyramid.buckets(pyramid.levels() - 1), 1U);
        for (std::size_t level = 0; level < pyramid.levels(); ++level) {
            const std::uint64_t size = pyramid.bucket(level);
            const std::size_t step = 1 + pyramid.buckets(level) / 500;
            for (std::size_t i = 0; i < pyramid.buckets(level); i += step) {
                ASSERT_EQ(pyramid.at(level, i), occupancy(recording, lane, i * size, (i + 1) * size))
                    << level << " " << i;
            }
        }
    }
}

// Levels that are not kept are made from the spans of the part that is asked for.
TEST(Pyramid, TakesAFractionOfItsSpans) {
    const TemporaryFile file;
    std::uint64_t now = 0;
    constexpr std::uint64_t spans = 100'000;
    {
        Recorder recorder{file.path()};
        recorder.lane(TrackPath::parse("aiv0/vector"));
        for (std::uint64_t i = 0; i < spans; ++i) {
            recorder.span(0, {.start = now + 20, .end = now + 100, .complete = now + 100});
            now += 100;
        }
        recorder.finish({{"cycles", now}});
    }
    const Recording recording{file.path()};
    const Pyramid pyramid{recording, 0};
    EXPECT_EQ(pyramid.bucket(0), 64U);
    // At most a bucket for four spans, of three reasons (launch, issue, busy) and four bytes each.
    EXPECT_LE(pyramid.kept_bytes(), spans / 4 * 3 * 4);
    for (const std::size_t bucket : {0U, 5U, 78'000U, 156'249U, 77'990U}) {
        EXPECT_EQ(pyramid.at(0, bucket), occupancy(recording, 0, bucket * 64, bucket * 64 + 64)) << bucket;
    }
}

// 30 of each 40 cycles are busy, so that buckets of 64 hold between 44 and 52 busy cycles.
TEST(Pyramid, CountsCyclesBeforeAMomentAlikeWithinABucket) {
    for (const std::uint64_t tail :
         {std::uint64_t{17}, std::uint64_t{5'000'000'000}}) {  // of 32 bits, and more
        const TemporaryFile file;
        constexpr std::uint64_t spans = 5'000;
        {
            Recorder recorder{file.path()};
            recorder.lane(TrackPath::parse("aiv0/vector"));
            for (std::uint64_t i = 0; i < spans; ++i) {
                recorder.span(0, {.start = 40 * i + 10, .end = 40 * i + 40, .complete = 40 * i + 40});
            }
            recorder.finish({{"cycles", 40 * spans + tail}});
        }
        const Recording recording{file.path()};
        const Pyramid pyramid{recording, 0};
        for (std::size_t level = 0; level < pyramid.levels(); level += 3) {
            const auto size = static_cast<double>(pyramid.bucket(level));
            const Pyramid::Buckets buckets = pyramid.read(level, 0, pyramid.buckets(level));
            for (const double share : {0.0, 0.003, 0.25, 0.6, 0.99, 1.0}) {
                const double cycle = share * static_cast<double>(pyramid.end());
                const auto bucket = static_cast<std::uint64_t>(cycle / size);
                const std::uint64_t begin = bucket * pyramid.bucket(level);
                const std::uint64_t end = std::min(begin + pyramid.bucket(level), pyramid.end());
                const Occupancy before = occupancy(recording, 0, 0, begin);
                const Occupancy within = occupancy(recording, 0, begin, end);
                const double part =
                    end > begin ? (cycle - static_cast<double>(begin)) / static_cast<double>(end - begin) : 0;
                for (const Reason reason : {Reason::none, Reason::issue, Reason::tail, Reason::flag_data}) {
                    EXPECT_NEAR(
                        buckets.before(buckets.moment(cycle), reason),
                        static_cast<double>(before[reason]) + part * static_cast<double>(within[reason]),
                        1e-5)
                        << level << " " << share;
                }
            }
        }
    }
}

TEST(Pyramid, FindsTheLevelOfAZoom) {
    const TemporaryFile file;
    std::uint64_t cycles = 0;
    record_random(file.path(), 1, cycles);
    const Recording recording{file.path()};
    const Pyramid pyramid{recording, 0};

    const std::uint64_t finest = pyramid.bucket(0);
    EXPECT_EQ(pyramid.level_for(finest - 1), pyramid.levels());
    EXPECT_EQ(pyramid.level_for(finest), 0U);
    EXPECT_EQ(pyramid.level_for(finest * 4 + 1), 2U);
    EXPECT_EQ(pyramid.level_for(~std::uint64_t{0}), pyramid.levels() - 1);
}

TEST(Pyramid, FollowsARecordingThatGrows) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.lane(TrackPath::parse("aiv0/vector"));
    recorder.span(0, {.start = 0, .end = 100, .complete = 100});
    recorder.flush();
    Recording recording{file.path()};
    Pyramids pyramids{recording};
    EXPECT_EQ(pyramids.lane(0).at(0, 1).busy(), 36U);

    recorder.span(0, {.start = 100, .end = 128, .complete = 128});
    recorder.flush();
    recording.refresh();

    EXPECT_EQ(pyramids.lane(0).at(0, 1).busy(), 64U);
}

}  // namespace

}  // namespace ascendsim::record
