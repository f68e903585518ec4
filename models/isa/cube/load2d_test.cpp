// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/load2d.hpp"

#include <gmock/gmock.h>

#include "models/isa/testing/cube_fixture.hpp"

namespace ascendsim::isa {
namespace {

class Load2dTest : public CubeFixture {
protected:
    void SetUp() override { scramble(local(Memory::l1), chip_.buffers.l1); }

    [[nodiscard]] bool same(const std::byte* to, const std::byte* from) const {
        return std::memcmp(to, from, 512) == 0;
    }
};

TEST_F(Load2dTest, CopiesStridedFractals) {
    for (int trial = 0; trial < 20; ++trial) {
        const Load2d load{.destination = {Memory::l0b, 512 * random(0, 3)},
                          .source = 32 * random(0, 99),
                          .start = random(0, 9),
                          .repeat = random(1, 20),
                          .source_stride = random(0, 5),
                          .gap = random(0, 3)};
        issue(load, Site::here());
        for (std::uint32_t i = 0; i < load.repeat; ++i) {
            ASSERT_TRUE(same(local(Memory::l0b, load.destination.offset + i * (load.gap + 1) * 512),
                             local(Memory::l1, load.source + (load.start + i * load.source_stride) * 512)));
        }
    }
}

TEST_F(Load2dTest, GoesBackwardsInAddressModeOne) {
    issue(
        Load2d{
            .destination = {Memory::l0a, 0}, .start = 6, .repeat = 3, .source_stride = 2, .backwards = true},
        Site::here());
    EXPECT_TRUE(same(local(Memory::l0a, 0), local(Memory::l1, 6 * 512)));
    EXPECT_TRUE(same(local(Memory::l0a, 1024), local(Memory::l1, 2 * 512)));
    EXPECT_THAT(
        failure(Load2d{
            .destination = {Memory::l0a, 0}, .start = 1, .repeat = 3, .source_stride = 1, .backwards = true}),
        testing::HasSubstr("before its start"));
}

TEST_F(Load2dTest, TransposesSixteenBitFractals) {
    issue(Load2d{.destination = {Memory::l0a, 0}, .repeat = 2, .source_stride = 1, .transpose = true},
          Site::here());
    for (std::size_t row = 0; row < 16; ++row) {
        for (std::size_t column = 0; column < 16; ++column) {
            ASSERT_EQ(get<std::uint16_t>(local(Memory::l0a, 512), row * 16 + column),
                      get<std::uint16_t>(local(Memory::l1, 512), column * 16 + row));
        }
    }
}

TEST_F(Load2dTest, TransposesPairsOfEightBitFractals) {
    // Two 16 x 32 fractals, one below the other, are a 32 x 32 block; so are the two it becomes.
    issue(LoadTransposed{.destination = {Memory::l0b, 0},
                         .element_bits = 8,
                         .start = 1,
                         .repeat = 2,
                         .source_stride = 3,
                         .gap = 0,
                         .fractal_gap = 2},
          Site::here());
    for (std::size_t row = 0; row < 32; ++row) {
        for (std::size_t column = 0; column < 32; ++column) {
            const std::size_t second =
                row / 16 * 3 * 512 + row % 16 * 32 + column;  // fractals 0 and 3; second block at 1
            ASSERT_EQ(get<std::uint8_t>(local(Memory::l0b, 512), second),
                      get<std::uint8_t>(local(Memory::l1, 4 * 1024), column * 32 + row));
        }
    }
}

TEST_F(Load2dTest, TransposesPairsOfFloatFractalsSideBySide) {
    issue(LoadTransposed{.destination = {Memory::l0a, 0}, .element_bits = 32, .repeat = 1}, Site::here());
    const auto cell = [](std::size_t row, std::size_t column) {
        return column / 8 * 128 + row * 8 + column % 8;
    };
    for (std::size_t row = 0; row < 16; ++row) {
        for (std::size_t column = 0; column < 16; ++column) {
            ASSERT_EQ(get<std::uint32_t>(local(Memory::l0a), cell(row, column)),
                      get<std::uint32_t>(local(Memory::l1), cell(column, row)));
        }
    }
}

TEST_F(Load2dTest, TransposesFourBitBlocksTwiceToThemselves) {
    issue(LoadTransposed{.destination = {Memory::l0b, 0}, .element_bits = 4, .repeat = 1}, Site::here());
    const auto nibble = [](const std::byte* from, std::size_t row, std::size_t column) {
        return (get<std::uint8_t>(from, row * 32 + column / 2) >> (column % 2 * 4)) & 0xF;
    };
    for (std::size_t row = 0; row < 64; ++row) {
        for (std::size_t column = 0; column < 64; ++column) {
            ASSERT_EQ(nibble(local(Memory::l0b), row, column), nibble(local(Memory::l1), column, row));
        }
    }
}

TEST_F(Load2dTest, RatesAre256And128BytesACycle) {
    const std::uint32_t gap = chip_.mte1.gap_cycles;
    const TimedOp left = issued(Load2d{.destination = {Memory::l0a, 0}, .repeat = 32, .source_stride = 1});
    EXPECT_EQ(left.occupies, 32U * 512 / 256 + gap);
    EXPECT_EQ(left.latency, 28U);
    EXPECT_EQ(issued(Load2d{.destination = {Memory::l0b, 0}, .repeat = 32, .source_stride = 1}).occupies,
              32U * 512 / 128 + gap);
    EXPECT_EQ(issued(LoadTransposed{
                         .destination = {Memory::l0b, 0}, .element_bits = 8, .repeat = 4, .source_stride = 1})
                  .bytes,
              4U * 1024);
}

TEST_F(Load2dTest, FaultsNamePlaceAndRule) {
    EXPECT_THAT(failure(Load2d{.destination = {Memory::l0a, 256}, .repeat = 1}),
                testing::HasSubstr("multiple of 512"));
    EXPECT_THAT(failure(Load2d{.destination = {Memory::l0a, 0}, .repeat = 129, .source_stride = 1}),
                testing::HasSubstr("l0a has 65536 bytes"));
}

}  // namespace
}  // namespace ascendsim::isa
