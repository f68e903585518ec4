// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recording.hpp"

#include <cstring>
#include <random>
#include <tuple>

#include <gmock/gmock.h>

#include "sim/base/error.hpp"
#include "sim/record/format.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::record {

namespace {

using testing::TemporaryFile;

auto fields_of(const Span& s) {
    return std::tuple{
        s.issue,  s.start,   s.end,      s.complete,  s.op,           s.site,           s.reason,
        s.memory, s.offset,  s.bytes,    s.work,      s.conflict,     s.culprit.lane,   s.culprit.index,
        s.route,  s.limiter, s.requests, s.gm_offset, s.l2_hit_bytes, s.hbm_read_bytes, s.hbm_write_bytes};
}

// Lanes of spans whose every field takes small, large and absent values.
std::vector<std::vector<Span>> random_lanes(unsigned seed, std::size_t lanes, std::size_t spans) {
    std::mt19937_64 random{seed};
    const auto up_to = [&](std::uint64_t limit) { return random() % (limit + 1); };
    const auto any32 = [&] { return static_cast<std::uint32_t>(random() >> up_to(63)); };
    std::vector<std::vector<Span>> result(lanes);
    for (auto& lane : result) {
        std::uint64_t now = 0;
        for (std::size_t i = 0; i < spans; ++i) {
            Span s;
            s.start = now + (up_to(3) == 0 ? up_to(1000) : 0);
            s.end = s.start + (up_to(999) == 0 ? std::uint64_t{1} << 33U : up_to(300));
            s.complete = s.end + up_to(70000);
            s.issue = s.start - std::min(s.start, up_to(500));
            s.op = static_cast<std::uint32_t>(up_to(7));
            s.site = static_cast<std::uint32_t>(up_to(40));
            s.reason = static_cast<Reason>(up_to(reason_count - 1));
            s.memory = static_cast<std::uint8_t>(up_to(7));
            s.offset = any32();
            s.bytes = any32();
            s.work = any32();
            s.conflict = static_cast<std::uint32_t>(up_to(3));
            if (up_to(2) == 0) {
                s.culprit = {static_cast<std::uint32_t>(up_to(lanes - 1)), up_to(spans - 1)};
            }
            if (up_to(3) == 0) {
                s.route = static_cast<std::uint8_t>(up_to(9));
                s.limiter = static_cast<Limiter>(up_to(8));
                s.requests = any32();
                s.gm_offset = random() >> up_to(63);
                s.l2_hit_bytes = any32();
                s.hbm_read_bytes = any32();
                s.hbm_write_bytes = any32();
            }
            now = s.end;
            lane.push_back(s);
        }
    }
    return result;
}

void record(const std::filesystem::path& file, const std::vector<std::vector<Span>>& lanes) {
    Recorder recorder{file};
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        recorder.lane({{TrackKind::device, 0},
                       {TrackKind::group, 7},
                       {TrackKind::core, "aic" + std::to_string(i / 2)},
                       {TrackKind::pipe, i % 2 == 0 ? "cube" : "mte2"}});
    }
    for (std::size_t at = 0; at < lanes[0].size(); at += 1000) {
        for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
            for (std::size_t i = at; i < std::min(at + 1000, lanes[lane].size()); ++i) {
                recorder.span(lane, lanes[lane][i]);
            }
        }
    }
    recorder.finish({{"cycles", 5}});
}

TEST(Recording, ReturnsEveryFieldOfEverySpan) {
    constexpr unsigned seed = 11;
    SCOPED_TRACE(seed);
    const auto lanes = random_lanes(seed, 5, 10'000);
    const TemporaryFile file;
    record(file.path(), lanes);

    const Recording recording{file.path()};

    ASSERT_EQ(recording.lanes().size(), lanes.size());
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        ASSERT_EQ(recording.lane(lane).size(), lanes[lane].size());
        for (std::size_t i = 0; i < lanes[lane].size(); ++i) {
            ASSERT_EQ(fields_of(recording.span({lane, i})), fields_of(lanes[lane][i])) << lane << " " << i;
        }
    }
    EXPECT_TRUE(recording.complete());
    EXPECT_EQ(recording.lane(3).path.text(), "device0/group7/aic1/mte2");
    EXPECT_EQ(recording.lane(3).core_index, 1);
}

TEST(Recording, IsTheSameBytesForTheSameInput) {
    const auto lanes = random_lanes(3, 3, 9000);
    const TemporaryFile first{".first"};
    const TemporaryFile second{".second"};

    record(first.path(), lanes);
    record(second.path(), lanes);

    EXPECT_EQ(first.contents(), second.contents());
}

TEST(Recording, KeepsNamesPlacesMetadataEventsAndTotals) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.metadata({{"scenario", "one"}, {"chip", {{"name", "910b1"}}}});
    recorder.metadata({{"scenario", "two"}});
    const std::string text = "vadd";
    EXPECT_EQ(recorder.op("mmad"), 1U);
    EXPECT_EQ(recorder.op(text), 2U);
    EXPECT_EQ(recorder.op("mmad"), 1U);
    EXPECT_EQ(recorder.site("kernel.cpp", 8), 1U);
    EXPECT_EQ(recorder.site("kernel.cpp", 9), 2U);
    EXPECT_EQ(recorder.site("kernel.cpp", 8), 1U);
    recorder.event({{"kind", "race"}});
    recorder.finish({{"cycles", 12}});

    const Recording recording{file.path()};

    EXPECT_EQ(recording.name(2), "vadd");
    EXPECT_EQ(recording.site(2), (SourceLine{"kernel.cpp", 9}));
    EXPECT_EQ(recording.site(0), SourceLine{});
    EXPECT_EQ(recording.metadata().at("scenario"), "two");
    EXPECT_EQ(recording.metadata().at("chip").at("name"), "910b1");
    EXPECT_EQ(recording.events().at(0).at("kind"), "race");
    EXPECT_EQ(recording.cycles(), 12U);
}

TEST(Recording, APlaceHasASecondNumberForWhatIsSummedApart) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    const std::uint32_t own = recorder.site("kernel.cpp", 8);
    const std::uint32_t apart = recorder.site("kernel.cpp", 8, true);
    EXPECT_NE(apart, own);
    EXPECT_EQ(recorder.site("kernel.cpp", 8), own);
    EXPECT_EQ(recorder.site("kernel.cpp", 8, true), apart);
    recorder.finish({});
    const Recording recording{file.path()};
    EXPECT_EQ(recording.site(own), recording.site(apart));
}

TEST(Recording, ANameAtAReusedAddressIsAnotherName) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    std::string text = "aaaa";
    const std::uint32_t first = recorder.op(text);
    text = "bbbb";

    EXPECT_NE(recorder.op(text), first);
}

TEST(Recording, EndsABufferThatWasNotedAlive) {
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.buffer({.core_index = 1, .memory = 2, .offset = 64, .bytes = 32, .from = 5, .label = "queue"});
    recorder.flush();
    Recording recording{file.path()};
    ASSERT_EQ(recording.buffers().size(), 1U);
    EXPECT_EQ(recording.buffers()[0].to, 0U);

    recorder.buffer(
        {.core_index = 1, .memory = 2, .offset = 64, .bytes = 32, .from = 5, .to = 9, .label = "queue"});
    recorder.flush();
    recording.refresh();

    ASSERT_EQ(recording.buffers().size(), 1U);
    EXPECT_EQ(recording.buffers()[0].to, 9U);
    EXPECT_EQ(recording.name(recording.buffers()[0].label), "queue");
}

TEST(Recording, OfALaneThatFillsNoChunkIsSent) {
    const auto lanes = random_lanes(5, 1, 4);
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.lane(TrackPath::parse("aiv0/vector"));
    for (std::size_t i = 0; i < 3; ++i) {
        recorder.span(0, lanes[0][i]);
    }
    recorder.send();
    EXPECT_EQ(recorder.spans(0), 3U);  // indices go on
    recorder.span(0, lanes[0][3]);
    recorder.finish({{"cycles", 1}});
    const Recording recording{file.path()};
    ASSERT_EQ(recording.span_count(), 4U);
    EXPECT_EQ(fields_of(recording.span({0, 1})), fields_of(lanes[0][1]));
    EXPECT_EQ(fields_of(recording.span({0, 3})), fields_of(lanes[0][3]));
}

TEST(Recording, GrowsWhileItIsRead) {
    const auto lanes = random_lanes(5, 1, 9000);
    const TemporaryFile file;
    Recorder recorder{file.path()};
    recorder.lane(TrackPath::parse("aiv0/vector"));
    recorder.flush();
    Recording recording{file.path()};
    EXPECT_FALSE(recording.complete());
    EXPECT_FALSE(recording.refresh());

    for (std::size_t i = 0; i < 9000; ++i) {
        recorder.span(0, lanes[0][i]);
        if (i % 1700 == 0) {
            recorder.flush();
            EXPECT_TRUE(recording.refresh());
            EXPECT_EQ(recording.span_count(), i + 1);
            EXPECT_EQ(fields_of(recording.span({0, i})), fields_of(lanes[0][i]));
        }
    }
    recorder.finish({{"cycles", 1}});

    EXPECT_TRUE(recording.refresh());
    EXPECT_EQ(recording.span_count(), 9000U);
    EXPECT_TRUE(recording.complete());
}

TEST(Recording, LeavesOutATornTailOfAnyLength) {
    const TemporaryFile file;
    record(file.path(), random_lanes(7, 2, 40));
    const std::string whole = file.contents();
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7) {
        file.write(whole.substr(0, bytes));
        Recording recording{file.path()};
        EXPECT_FALSE(recording.complete()) << bytes;
        file.write(whole);
        EXPECT_TRUE(recording.refresh());
        EXPECT_TRUE(recording.complete());
        EXPECT_EQ(recording.span_count(), 80U);
    }
}

TEST(Recording, SurvivesARecorderThatIsNeverFinished) {
    const TemporaryFile file;
    {
        Recorder recorder{file.path()};
        recorder.lane(TrackPath::parse("aiv0/vector"));
        recorder.span(0, {.start = 4, .end = 9, .complete = 11});
    }
    const Recording recording{file.path()};
    EXPECT_EQ(recording.span_count(), 1U);
    EXPECT_EQ(recording.cycles(), 11U);
    EXPECT_FALSE(recording.complete());
}

TEST(Recording, SaysWhatIsWrongWithOtherFiles) {
    const TemporaryFile file;
    EXPECT_THROW(Recording{file.path()}, UserError);
    file.write("[kernel]\nname = 'x'\n");
    EXPECT_THAT([&] { Recording{file.path()}; },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("is not a recording")));
    record(file.path(), random_lanes(7, 2, 40));
    for (const char version : {char{1}, char{99}}) {  // an older and a newer one
        std::string bytes = file.contents();
        bytes[file_magic.size()] = version;
        file.write(bytes);
        const std::string sentence = "is a recording of format " + std::to_string(int{version}) +
                                     ", this program reads 2; record it again";
        EXPECT_THAT([&] { Recording{file.path()}; },
                    ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(sentence)));
    }
}

// Tracks that are of no core stand beside those that are; what nobody knows yet is kept.
TEST(Recording, KeepsTracksOutsideOfCores) {
    const TemporaryFile file;
    const std::vector<std::string> texts{"host/thread0",
                                         "node0/device0/group0/aic0/cube",
                                         "device0/stream2",
                                         "link:pcie0",
                                         "node0/device1/group0/aic0/cube",
                                         "power",
                                         "rack:4"};
    {
        Recorder recorder{file.path()};
        for (std::uint32_t lane = 0; lane < texts.size(); ++lane) {
            EXPECT_EQ(recorder.lane(TrackPath::parse(texts[lane])), lane);
            recorder.span(lane, {.start = 10 + lane, .end = 20 + lane, .complete = 20 + lane});
        }
        EXPECT_EQ(recorder.path(3).text(), "link:pcie0");
        EXPECT_EQ(recorder.core_index(4), 1U);
        EXPECT_EQ(recorder.core_index(0), std::nullopt);
        recorder.finish({{"cycles", 100}});
    }
    const Recording recording{file.path()};
    ASSERT_EQ(recording.lanes().size(), texts.size());
    for (std::uint32_t lane = 0; lane < texts.size(); ++lane) {
        EXPECT_EQ(recording.lane(lane).path.text(), texts[lane]);
        EXPECT_EQ(recording.launch_end(lane), 10 + lane);
    }
    EXPECT_EQ(recording.lane(1).core_index, 0U);
    EXPECT_EQ(recording.lane(4).core_index, 1U);
    EXPECT_EQ(recording.lane(6).core_index, std::nullopt);
    EXPECT_EQ(recording.find(TrackPath::parse("node0/device1/aic0/cube")), 4U);
    EXPECT_EQ(recording.find(TrackPath::parse("device1/aic0/cube")), std::nullopt);
}

TEST(Recording, RefusesALaneThatIsNoTrack) {
    const TemporaryFile file;
    {
        Recorder recorder{file.path()};
        recorder.lane(TrackPath::parse("aiv0/vector"));
        EXPECT_THROW(recorder.lane({}), InternalError);
    }
    std::string bytes = file.contents();
    const std::size_t at = bytes.find("aiv0/vector");
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, 4, "////");
    FrameHeader header;
    std::memcpy(&header, bytes.data() + file_header_bytes, sizeof(header));
    const std::span payload{bytes.data() + file_header_bytes + sizeof(header), header.length};
    header.checksum = checksum(std::as_bytes(payload));
    std::memcpy(bytes.data() + file_header_bytes, &header, sizeof(header));
    file.write(bytes);
    EXPECT_THAT([&] { Recording{file.path()}; },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("is no track")));
}

TEST(Recording, NoticesEveryFlippedByteOfAPayload) {
    const TemporaryFile file;
    record(file.path(), random_lanes(9, 2, 200));
    const std::string whole = file.contents();
    std::size_t at = file_header_bytes;
    while (at < whole.size()) {
        FrameHeader header;
        std::memcpy(&header, whole.data() + at, sizeof(header));
        for (std::size_t i = 0; i < header.length; i += 29) {
            std::string bytes = whole;
            bytes[at + sizeof(header) + i] ^= 0x10;
            file.write(bytes);
            EXPECT_THROW(Recording{file.path()}, UserError);
        }
        at += sizeof(header) + header.length;
    }
}

// Damage with a checksum that fits must end in UserError or a readable recording, never in a crash.
TEST(Recording, StandsDamageThatTheChecksumDoesNotSee) {
    constexpr unsigned seed = 21;
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    const TemporaryFile file;
    record(file.path(), random_lanes(9, 2, 60));
    const std::string whole = file.contents();
    for (int round = 0; round < 300; ++round) {
        std::string bytes = whole;
        for (std::size_t at = file_header_bytes; at < bytes.size();) {
            FrameHeader header;
            std::memcpy(&header, bytes.data() + at, sizeof(header));
            char* const payload = bytes.data() + at + sizeof(header);
            if (random() % 4 == 0) {
                payload[random() % header.length] = static_cast<char>(random());
            }
            header.checksum = checksum(std::as_bytes(std::span{payload, header.length}));
            std::memcpy(bytes.data() + at, &header, sizeof(header));
            at += sizeof(header) + header.length;
        }
        file.write(bytes);
        try {
            const Recording recording{file.path()};
            EXPECT_LE(recording.span_count(), 120U);
        } catch (const UserError&) {
        }
    }
}

}  // namespace

}  // namespace ascendsim::record
