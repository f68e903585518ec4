// SPDX-License-Identifier: Apache-2.0
// What the recording says of who has which part of UB, held against the copies and the arithmetic of the same
// recording.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using record::Buffer;
using record::Recording;

const record::Lane& lane_of(const Recording& recording, std::string_view pipe) {
    const auto found = std::ranges::find_if(recording.lanes(), [&](const record::Lane& lane) {
        return lane.path.pipe() == pipe && lane.path.core() == "aiv0";
    });
    return *found;
}

/// Instructions of a pipe of core aiv0 that touch the start of `buffer` within its life.
std::size_t uses(const Recording& recording, const Buffer& buffer, std::string_view pipe) {
    const record::Lane& lane = lane_of(recording, pipe);
    std::size_t count = 0;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        count += lane.reason[i] == record::Reason::none && lane.bytes[i] != 0 &&
                         lane.offset[i] == buffer.offset && lane.start[i] >= buffer.from &&
                         lane.complete[i] <= buffer.to
                     ? 1U
                     : 0U;
    }
    return count;
}

// 4096 elements on one core in tiles of 1024: four times x and y are filled and read, z computed and stored.
TEST(BufferLife, EachTileOfAQueueIsFilledThenRead) {
    const record::testing::TemporaryFile file;
    const testing::KernelRun run =
        testing::run_kernel("add",
                            {{"shape", "4096"}, {"blocks", "1"}, {"tile", "1024"}, {"buffers", "2"}},
                            {.functional = false, .recording = file.path()});
    const Recording recording{file.path()};

    std::map<std::string, std::vector<Buffer>> lives;
    for (const Buffer& buffer : recording.buffers()) {
        EXPECT_EQ(buffer.memory, index(Memory::ub));
        EXPECT_LE(buffer.offset + buffer.bytes, run.chip.buffers.ub);
        EXPECT_LT(buffer.from, buffer.to);
        EXPECT_LE(buffer.to, run.totals.cycles);
        lives[std::string{recording.name(buffer.label)}].push_back(buffer);
    }
    constexpr std::size_t tiles = 4;
    EXPECT_EQ(lives["VECIN, mte2"].size(), 2 * tiles);
    EXPECT_EQ(lives["VECIN, vector"].size(), 2 * tiles);
    EXPECT_EQ(lives["VECOUT, vector"].size(), tiles);
    EXPECT_EQ(lives["VECOUT, mte3"].size(), tiles);
    for (const Buffer& buffer : lives["VECIN, mte2"]) {
        EXPECT_EQ(uses(recording, buffer, "mte2"), 1U) << buffer.from;
    }
    for (const Buffer& buffer : lives["VECOUT, vector"]) {
        EXPECT_EQ(uses(recording, buffer, "vector"), 1U) << buffer.from;
    }
    for (const Buffer& buffer : lives["VECOUT, mte3"]) {
        EXPECT_EQ(uses(recording, buffer, "mte3"), 1U) << buffer.from;
    }
}

TEST(BufferLife, NoTwoLivesShareAPlace) {
    const record::testing::TemporaryFile file;
    static_cast<void>(testing::run_kernel(
        "softmax", {{"shape", "64,512"}, {"blocks", "2"}}, {.functional = false, .recording = file.path()}));
    const Recording recording{file.path()};
    const std::vector<Buffer>& buffers = recording.buffers();
    ASSERT_FALSE(buffers.empty());
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Buffer& a = buffers[i];
            const Buffer& b = buffers[j];
            const bool place = a.core_index == b.core_index && a.memory == b.memory &&
                               a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
            EXPECT_FALSE(place && a.from < b.to && b.from < a.to) << i << " and " << j;
        }
    }
}

}  // namespace
}  // namespace ascendsim
