// SPDX-License-Identifier: Apache-2.0
#include "models/memory/request_shape.hpp"

#include <gtest/gtest.h>

namespace ascendsim {
namespace {

RequestShape row(std::uint64_t offset, std::uint32_t bytes, std::uint32_t max_request = 512) {
    return cut({.offset = offset, .row_bytes = bytes}, PortSpec{}, max_request, 512);
}

}  // namespace

// The expected counts are the rules of the vendor's alignment guide, worked out by hand.
TEST(RequestShape, AlignedRowIsCutGreedily) {
    EXPECT_EQ(row(0, 2048).requests, 4U);             // 512 x 4
    EXPECT_EQ(row(0, 512 + 256 + 128).requests, 3U);  // 512, 256, 128
    EXPECT_EQ(row(0, 512 + 384).requests, 3U);        // 512, 256, 128
    EXPECT_EQ(row(0, 1).padded_bytes, 128U);
}

TEST(RequestShape, MisalignedStartsReachAlignmentFirst) {
    EXPECT_EQ(row(128, 384 + 512).requests, 3U);  // 128, 256, 512
    EXPECT_EQ(row(256, 256 + 512).requests, 2U);  // 256, 512
    EXPECT_EQ(row(384, 128 + 512).requests, 2U);  // 128, 512
}

TEST(RequestShape, StartInsideASmallestRequestCostsOneMore) {
    EXPECT_EQ(row(0, 512).requests, 1U);
    EXPECT_EQ(row(32, 512).padded_bytes, 640U);
    EXPECT_EQ(row(32, 512).requests, 2U);  // [0,512), [512,640)
}

TEST(RequestShape, SmallerLargestRequestMakesMore) {
    EXPECT_EQ(row(0, 1024, 256).requests, 4U);
}

TEST(RequestShape, ContiguousRowsMerge) {
    const isa::Transfer merged{.row_pitch = 64, .row_bytes = 64, .rows = 16};
    EXPECT_EQ(cut(merged, PortSpec{}, 512, 512).requests, 2U);
    const isa::Transfer apart{.row_pitch = 128, .row_bytes = 64, .rows = 16};
    EXPECT_EQ(cut(apart, PortSpec{}, 512, 512).requests, 16U);
}

TEST(RequestShape, RowsAtAPitchOfWholeRequestsAreAlike) {
    const isa::Transfer tile{.row_pitch = 16384, .row_bytes = 512, .rows = 128};
    EXPECT_EQ(cut(tile, PortSpec{}, 512, 512).requests, 128U);
    EXPECT_EQ(cut(tile, PortSpec{}, 512, 512).padded_bytes, 65536U);
}

TEST(RequestShape, RaggedRowsFetchWholeLines) {
    EXPECT_EQ(row(128, 128).fetched_bytes, 128U);  // whole smallest requests: no more than they move
    EXPECT_EQ(row(2, 2048).fetched_bytes, 2560U);  // five lines
    EXPECT_EQ(row(0, 2050).fetched_bytes, 2560U);  // ends inside of a request of the fifth line
    EXPECT_EQ(row(514, 32).fetched_bytes, 512U);
    const isa::Transfer odd{.row_pitch = 24574, .row_bytes = 512, .rows = 2};
    EXPECT_EQ(cut(odd, PortSpec{}, 512, 512).fetched_bytes, 512U + 1024U);  // [0, 512) and [24574, 25086)
}

TEST(RequestShape, NothingCostsNothing) {
    EXPECT_EQ(row(77, 0).requests, 0U);
}

}  // namespace ascendsim
