// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/stream_races.hpp"

#include <gmock/gmock.h>

namespace ascendsim::sanitize {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t one = 1;  // lanes of two streams; the host's is 0
constexpr std::uint32_t two = 2;

class StreamRacesTest : public ::testing::Test {
protected:
    isa::GlobalMemory memory{1 << 20};
    StreamRaces races;
    std::uint64_t next = 0;

    StreamRacesTest() { memory.allocate("x", 4096); }

    /// One access of one work.
    void work(std::uint32_t lane,
              std::uint64_t number,
              StreamClock clock,
              const isa::Access& access,
              std::uint32_t line) {
        const std::uint64_t id = next++;
        races.begin(id, {.what = "work", .lane = lane, .number = number, .clock = std::move(clock)});
        races.touch(id, access, {.op = "copy", .file = "a.cpp", .line = line});
        races.end(id, memory);
    }
};

isa::Access access(bool write, std::uint64_t offset, std::uint64_t size, bool atomic = false) {
    return {.memory = Memory::gm, .write = write, .atomic = atomic, .offset = offset, .row_bytes = size};
}

TEST_F(StreamRacesTest, NamesTheSharedBytesOfWorksWithoutOrder) {
    work(one, 1, {0, 1, 0}, access(true, 0, 100), 10);
    work(two, 1, {0, 0, 1}, access(false, 50, 100), 20);
    ASSERT_EQ(races.findings().size(), 1U);
    const Finding& finding = races.findings()[0];
    EXPECT_EQ(finding.kind, Kind::stream_race);
    EXPECT_EQ(finding.later.line, 20U);
    EXPECT_EQ(finding.earlier->line, 10U);
    EXPECT_EQ(finding.overlap_offset, 50U);
    EXPECT_EQ(finding.overlap_bytes, 50U);
    EXPECT_THAT(finding.message, HasSubstr("reads x [50, 100)"));
}

TEST_F(StreamRacesTest, AcceptsWhatAnEventOrders) {
    work(one, 1, {0, 1, 0}, access(true, 0, 100), 10);
    work(two, 1, {0, 1, 1}, access(false, 0, 100), 20);  // behind the first
    work(one, 2, {0, 2, 1}, access(true, 0, 100), 30);   // behind both
    EXPECT_TRUE(races.findings().empty());
}

TEST_F(StreamRacesTest, AcceptsReadsAndAtomicUpdatesAndOtherBytes) {
    work(one, 1, {0, 1, 0}, access(false, 0, 100), 10);
    work(two, 1, {0, 0, 1}, access(false, 0, 100), 20);
    work(one, 2, {0, 2, 0}, access(true, 200, 100, true), 30);
    work(two, 2, {0, 0, 2}, access(true, 200, 100, true), 40);
    work(one, 3, {0, 3, 0}, access(true, 400, 100), 50);
    work(two, 3, {0, 0, 3}, access(true, 500, 100), 60);
    EXPECT_TRUE(races.findings().empty());
}

TEST_F(StreamRacesTest, RemembersAReadBehindALaterOne) {
    work(one, 1, {0, 1, 0}, access(false, 0, 100), 10);
    work(one, 2, {0, 2, 0}, access(false, 0, 100), 20);
    work(two, 1, {0, 1, 1}, access(true, 0, 100), 30);  // behind the first read only
    ASSERT_EQ(races.findings().size(), 1U);
    EXPECT_EQ(races.findings()[0].earlier->line, 20U);
}

TEST_F(StreamRacesTest, SeesRowsApart) {
    isa::Access columns = access(true, 0, 16);
    columns.rows = 8;
    columns.pitch = 32;
    work(one, 1, {0, 1, 0}, columns, 10);
    columns.offset = 16;
    work(two, 1, {0, 0, 1}, columns, 20);
    EXPECT_TRUE(races.findings().empty());
    work(two, 2, {0, 0, 2}, access(true, 24, 16), 30);  // the last 8 are the second row of the first
    ASSERT_EQ(races.findings().size(), 1U);
    EXPECT_EQ(races.findings()[0].overlap_offset, 32U);
    EXPECT_EQ(races.findings()[0].overlap_bytes, 8U);
}

TEST_F(StreamRacesTest, JoinsTheTilesOfOneLine) {
    races.begin(0, {.what = "kernel", .lane = one, .number = 1, .clock = {0, 1}});
    for (const std::uint64_t tile : {3U, 0U, 2U, 1U, 2U}) {
        races.touch(0, access(true, tile * 64, 64), {.op = "copy", .file = "a.cpp", .line = 10});
    }
    races.end(0, memory);
    next = 1;
    work(two, 1, {0, 0, 1}, access(false, 0, 256), 20);
    ASSERT_EQ(races.findings().size(), 1U);
    EXPECT_EQ(races.findings()[0].overlap_bytes, 256U);
    EXPECT_EQ(races.findings()[0].count, 1U);
}

TEST_F(StreamRacesTest, ForgetsMemoryThatIsGivenAway) {
    work(one, 1, {0, 1, 0}, access(true, 0, 100), 10);
    races.forget(0, 100);
    work(two, 1, {0, 0, 1}, access(true, 0, 100), 20);
    EXPECT_TRUE(races.findings().empty());
}

}  // namespace
}  // namespace ascendsim::sanitize
