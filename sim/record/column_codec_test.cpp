// SPDX-License-Identifier: Apache-2.0
#include "sim/record/column_codec.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::record {

namespace {

std::size_t round_trip(const std::vector<std::uint32_t>& values) {
    std::vector<std::byte> bytes(encoded_bound(values.size()));
    ByteWriter to{bytes.data()};
    encode_column(values, to);
    EXPECT_LE(to.size(), bytes.size());
    std::vector<std::uint32_t> decoded(values.size());
    ByteReader from{{bytes.data(), to.size()}};
    decode_column(from, decoded);
    EXPECT_EQ(decoded, values);
    EXPECT_TRUE(from.rest().empty());
    return to.size();
}

TEST(ColumnCodec, StoresAConstantColumnAsItsValue) {
    EXPECT_EQ(round_trip(std::vector<std::uint32_t>(4000, 77)), 5U);
}

TEST(ColumnCodec, LeavesOutCommonTrailingZeros) {
    std::vector<std::uint32_t> values(1000);
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        values[i] = i % 200 << 11U;
    }
    EXPECT_EQ(round_trip(values), 1000U + 5U);
}

TEST(ColumnCodec, KeepsAFewLargeValuesApart) {
    std::vector<std::uint32_t> values(1000, 3);
    values[5] = 4;
    values[17] = 0xfffffff0U;
    values[900] = 70'000;
    EXPECT_EQ(round_trip(values), 1000U + 5U + 2 * 8U);
}

TEST(ColumnCodec, ReturnsAnyValues) {
    constexpr unsigned seed = 4;
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    for (int round = 0; round < 500; ++round) {
        std::vector<std::uint32_t> values(random() % 300);
        const auto bits = static_cast<unsigned>(33 + random() % 31);
        const auto shift = static_cast<unsigned>(random() % 32);
        for (std::uint32_t& value : values) {
            value = static_cast<std::uint32_t>(random() >> (random() % 50 == 0 ? 32 : bits)) << shift;
        }
        round_trip(values);
    }
}

TEST(ColumnCodec, ZigzagGoesBackAndForth) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63U}) {
        EXPECT_EQ(unzigzag(zigzag(value)), value);
    }
    EXPECT_EQ(zigzag(~std::uint64_t{0}), 1U);
}

}  // namespace

}  // namespace ascendsim::record
