// SPDX-License-Identifier: Apache-2.0
#include "sim/record/track_path.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"
#include "sim/record/core_numbers.hpp"

namespace ascendsim::record {

namespace {

const TrackPath mte2_of_aiv3{{TrackKind::node, 0},
                             {TrackKind::device, 1},
                             {TrackKind::group, 1},
                             {TrackKind::core, "aiv3"},
                             {TrackKind::pipe, "mte2"}};

TEST(TrackPath, AnswersWhatALaneOfACoreIs) {
    EXPECT_EQ(mte2_of_aiv3.kind(), TrackKind::pipe);
    EXPECT_TRUE(mte2_of_aiv3.on_core());
    EXPECT_EQ(mte2_of_aiv3.core(), "aiv3");
    EXPECT_EQ(mte2_of_aiv3.pipe(), "mte2");
    EXPECT_EQ(mte2_of_aiv3.number(TrackKind::device), 1U);
    EXPECT_EQ(mte2_of_aiv3.number(TrackKind::group), 1U);
    EXPECT_EQ(mte2_of_aiv3.number(TrackKind::stream), std::nullopt);
    EXPECT_FALSE(mte2_of_aiv3.has(TrackKind::stream));
    EXPECT_EQ(mte2_of_aiv3.core_path().text(), "node0/device1/group1/aiv3");
    EXPECT_EQ(mte2_of_aiv3.place(), "aiv3");
    EXPECT_EQ(mte2_of_aiv3.leaf(), "mte2");
    EXPECT_EQ(mte2_of_aiv3.title(), "aiv3 mte2");
}

TEST(TrackPath, AnswersWhatATrackOutsideOfCoresIs) {
    const TrackPath track{{TrackKind::device, 0}, {TrackKind::stream, 2}};
    EXPECT_EQ(track.kind(), TrackKind::stream);
    EXPECT_FALSE(track.on_core());
    EXPECT_TRUE(track.has(TrackKind::device));
    EXPECT_EQ(track.core(), "");
    EXPECT_EQ(track.pipe(), "");
    EXPECT_TRUE(track.core_path().empty());
    EXPECT_EQ(track.place(), "device0");
    EXPECT_EQ(track.leaf(), "stream2");
    EXPECT_EQ(track.title(), "device0/stream2");
    EXPECT_EQ(TrackPath::parse("core:node0/pipe:host").leaf(), "host");
    const TrackPath alone{TrackKind::power};
    EXPECT_EQ(alone.place(), "power");
    EXPECT_EQ(alone.leaf(), "power");
}

TEST(TrackPath, ReadsTheTextItWrites) {
    const std::vector<TrackPath> paths{mte2_of_aiv3,
                                       {TrackKind::host, {TrackKind::thread, 0}},
                                       {{TrackKind::device, 0}, {TrackKind::stream, 4'000'000'000U}},
                                       {{TrackKind::link, "pcie0"}},
                                       {TrackKind::power, {TrackKind::power, "hbm"}},
                                       // Names that look like something else.
                                       {{TrackKind::core, "node0"}, {TrackKind::pipe, "host"}},
                                       {{TrackKind::core, "core2"}, {TrackKind::pipe, "a:b"}},
                                       {{TrackKind::core, "device007"}, {TrackKind::thread, "7"}},
                                       {{TrackKind::other, "rack:4"}, {TrackKind::node, 3}}};
    for (const TrackPath& path : paths) {
        EXPECT_EQ(TrackPath::parse(path.text()), path) << path.text();
    }
    EXPECT_EQ(mte2_of_aiv3.text(), "node0/device1/group1/aiv3/mte2");
    EXPECT_EQ(paths[3].text(), "link:pcie0");
    EXPECT_EQ(paths[5].text(), "core:node0/pipe:host");
}

TEST(TrackPath, ReadsTheKindsOfAText) {
    EXPECT_EQ(TrackPath::parse("device0/core2/vector"),
              (TrackPath{{TrackKind::device, 0}, {TrackKind::core, "core2"}, {TrackKind::pipe, "vector"}}));
    EXPECT_EQ(TrackPath::parse("host/thread0"), (TrackPath{TrackKind::host, {TrackKind::thread, 0}}));
    EXPECT_EQ(TrackPath::parse("link0"), (TrackPath{{TrackKind::link, 0}}));
    EXPECT_EQ(TrackPath::parse("node4294967296").core(), "node4294967296");  // no 32-bit number
}

TEST(TrackPath, KeepsAKindItDoesNotKnow) {
    const TrackPath path = TrackPath::parse("node0/rack:4/shelf:top");
    EXPECT_EQ(path.kind(), TrackKind::other);
    EXPECT_FALSE(path.on_core());
    EXPECT_EQ(path.text(), "node0/rack:4/shelf:top");
    EXPECT_EQ(path.place(), "node0/rack:4");
}

TEST(TrackPath, RefusesWhatIsNoPath) {
    for (const std::string_view text : {"",
                                        "/",
                                        "device0/",
                                        "link:",
                                        "rack:",
                                        "aiv0/vector/mte2",   // two pipes
                                        "aiv0/core:aiv1",     // two cores
                                        "pipe:mte2",          // of no core
                                        "aiv0/mte2/stream0",  // below a pipe
                                        "a\nb",
                                        "node0/node1/node2/node3/node4/node5/node6/node7/node8"}) {
        EXPECT_THROW(static_cast<void>(TrackPath::parse(text)), UserError) << text;
    }
    EXPECT_THROW(static_cast<void>(TrackPath::parse(std::string(256, 'a'))), UserError);
    EXPECT_THROW((TrackPath{{TrackKind::core, "a/b"}}), InternalError);
    EXPECT_THROW((TrackPath{{TrackKind::core, 3}}), InternalError);
    EXPECT_THROW((TrackPath{{TrackKind::other, "link:0"}}), InternalError);
    EXPECT_THROW(static_cast<void>(TrackPath{{TrackKind::device, 0}} / TrackSegment{TrackKind::pipe, "mte2"}),
                 InternalError);
}

TEST(TrackPath, EndsOrRefusesAnyText) {
    constexpr unsigned seed = 5;
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    constexpr std::string_view letters{"/::0019ahost device"};
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 24, ' ');
        std::ranges::generate(text, [&] { return letters[random() % letters.size()]; });
        try {
            const TrackPath path = TrackPath::parse(text);
            EXPECT_EQ(TrackPath::parse(path.text()), path) << text;
        } catch (const UserError&) {
        }
    }
}

TEST(TrackPath, OrdersCoresAsAMachineHasThem) {
    std::vector<std::string> cores;
    for (const char* const text : {"device0/group10/aic10",
                                   "device0/group2/aiv5",
                                   "device0/group2/aic2",
                                   "device1/group0/aic0",
                                   "host/thread0",
                                   "device0/group2/aiv4",
                                   "device0/stream0"}) {
        cores.emplace_back(text);
    }
    std::ranges::sort(cores, {}, TrackPath::parse);
    EXPECT_THAT(cores,
                ::testing::ElementsAre("device0/group2/aic2",
                                       "device0/group2/aiv4",
                                       "device0/group2/aiv5",
                                       "device0/group10/aic10",
                                       "device0/stream0",
                                       "device1/group0/aic0",
                                       "host/thread0"));
    EXPECT_LT(TrackPath::parse("aiv2"), TrackPath::parse("aiv10"));
    EXPECT_NE(TrackPath::parse("aiv2"), TrackPath::parse("aiv02"));
    EXPECT_TRUE(TrackPath::parse("aiv2") < TrackPath::parse("aiv02") ||
                TrackPath::parse("aiv02") < TrackPath::parse("aiv2"));
}

TEST(TrackPath, IsTheSameTrackInAnotherGroup) {
    EXPECT_TRUE(same_track(TrackPath::parse("device0/group3/aiv3/mte2"),
                           TrackPath::parse("device0/group1/aiv3/mte2")));
    EXPECT_TRUE(
        same_track(TrackPath::parse("device0/group3/aiv3/mte2"), TrackPath::parse("device0/aiv3/mte2")));
    EXPECT_FALSE(same_track(TrackPath::parse("device0/aiv3/mte2"), TrackPath::parse("device1/aiv3/mte2")));
    EXPECT_FALSE(same_track(TrackPath::parse("device0/aiv3/mte2"), TrackPath::parse("device0/aiv3")));
}

TEST(TrackPath, NumbersCoresInTheOrderOfTheirFirstLanes) {
    CoreNumbers numbers;
    EXPECT_EQ(numbers.of(TrackPath::parse("device0/aiv1/mte2")), 0U);
    EXPECT_EQ(numbers.of(TrackPath::parse("host/thread0")), std::nullopt);
    EXPECT_EQ(numbers.of(TrackPath::parse("device1/aiv1/mte2")), 1U);
    EXPECT_EQ(numbers.of(TrackPath::parse("device0/aiv1/vector")), 0U);
    EXPECT_EQ(numbers.of(TrackPath::parse("device0/aiv0/vector")), 2U);
}

}  // namespace

}  // namespace ascendsim::record
