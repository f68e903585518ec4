// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/load3d.hpp"

#include <gmock/gmock.h>

#include "models/isa/testing/cube_fixture.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

class Load3dTest : public CubeFixture {
protected:
    void SetUp() override { scramble(local(Memory::l1), chip_.buffers.l1); }

    // Value (row, column) of the unfolded matrix, straight from the definition of a convolution.
    template <class T>
    T unfolded(const Load3d& load, std::uint32_t row, std::uint32_t column) {
        constexpr std::uint32_t c0 = 32 / sizeof(T);
        const auto reach_w = (load.filter_w - 1) * load.dilation_w + 1;
        const auto reach_h = (load.filter_h - 1) * load.dilation_h + 1;
        const auto out_w = (load.width + load.pad[0] + load.pad[1] - reach_w) / load.stride_w + 1;
        const auto out_h = (load.height + load.pad[2] + load.pad[3] - reach_h) / load.stride_h + 1;
        const auto channel = column % c0;
        const auto kw = column / c0 % load.filter_w;
        const auto kh = column / c0 / load.filter_w % load.filter_h;
        const auto c1 = column / c0 / load.filter_w / load.filter_h;
        const auto y = static_cast<int>(row / out_w * load.stride_h + kh * load.dilation_h) -
                       static_cast<int>(load.pad[2]);
        const auto x = static_cast<int>(row % out_w * load.stride_w + kw * load.dilation_w) -
                       static_cast<int>(load.pad[0]);
        const bool outside =
            y < 0 || x < 0 || y >= static_cast<int>(load.height) || x >= static_cast<int>(load.width);
        if (outside || row >= out_w * out_h || c1 >= ceil_div(load.channels, c0)) {
            return get<T>(reinterpret_cast<const std::byte*>(&load.padding), 0);
        }
        const auto position =
            (c1 * load.height + static_cast<std::uint32_t>(y)) * load.width + static_cast<std::uint32_t>(x);
        return get<T>(local(Memory::l1, load.source), position * c0 + channel);
    }

    Load3d random_load(DataType type) {
        return {.destination = {Memory::l0a, 0},
                .source = 32 * random(0, 9),
                .type = type,
                .pad = {random(0, 2), random(0, 2), random(0, 2), random(0, 2)},
                .height = random(5, 9),
                .width = random(5, 9),
                .channels = random(1, 3) * 256 / bits(type),
                .k_extent = random(1, 3) * 16,
                .m_extent = random(1, 50),
                .k_start = random(0, 2) * 16,
                .m_start = random(0, 9),
                .stride_w = random(1, 3),
                .stride_h = random(1, 3),
                .filter_w = random(1, 3),
                .filter_h = random(1, 3),
                .dilation_w = random(1, 2),
                .dilation_h = random(1, 2),
                .padding = static_cast<std::uint32_t>(random_())};
    }
};

TEST_F(Load3dTest, UnfoldsIntoL0a) {
    for (int trial = 0; trial < 60; ++trial) {
        const Load3d load = random_load(DataType::half);
        issue(load, Site::here());
        const std::uint32_t blocks = ceil_div(load.k_extent, 16U);
        for (std::uint32_t row = 0; row < load.m_extent; ++row) {
            for (std::uint32_t column = 0; column < load.k_extent; ++column) {
                const std::size_t at = ((row / 16 * blocks + column / 16) * 16 + row % 16) * 16 + column % 16;
                ASSERT_EQ(get<std::uint16_t>(local(Memory::l0a), at),
                          unfolded<std::uint16_t>(load, load.m_start + row, load.k_start + column));
            }
        }
    }
}

TEST_F(Load3dTest, TransposesIntoL0aAndIntoL0b) {
    for (int trial = 0; trial < 40; ++trial) {
        Load3d load = random_load(DataType::float32);
        load.transpose = trial % 2 == 0;
        load.destination.memory = load.transpose ? Memory::l0a : Memory::l0b;
        issue(load, Site::here());
        const std::uint32_t depth_blocks = ceil_div(load.m_extent, 8U);
        const std::uint32_t row_blocks = ceil_div(load.k_extent, 16U);
        for (std::uint32_t m = 0; m < load.m_extent; ++m) {
            for (std::uint32_t k = 0; k < load.k_extent; ++k) {
                const std::size_t block =
                    load.transpose ? k / 16 * depth_blocks + m / 8 : m / 8 * row_blocks + k / 16;
                ASSERT_EQ(
                    get<std::uint32_t>(local(load.destination.memory), (block * 16 + k % 16) * 8 + m % 8),
                    unfolded<std::uint32_t>(load, load.m_start + m, load.k_start + k));
            }
        }
    }
}

TEST_F(Load3dTest, RatesFallAsTheManualTabulates) {
    // A 1 x 1 filter over one row of 64 positions: n = 1, full rate; with 8 positions to a row, n = 2: 512 /
    // (2 + 2).
    Load3d load{.destination = {Memory::l0a, 0},
                .height = 1,
                .width = 64,
                .channels = 64,
                .k_extent = 64,
                .m_extent = 64};
    const std::uint32_t gap = chip_.mte1.gap_cycles;
    EXPECT_EQ(issued(load).occupies, 8192U / 256 + gap);
    EXPECT_EQ(issued(load).latency, 50U);
    load.height = 8;
    load.width = 8;
    EXPECT_EQ(issued(load).occupies, 8192U / 128 + gap);
    load.destination.memory = Memory::l0b;  // 512 / (2 + 4)
    EXPECT_EQ(issued(load).occupies, 96U + gap);
    load.stride_w = 3;  // 512 / 18
    EXPECT_EQ(issued(load).occupies, 288U + gap);
}

TEST_F(Load3dTest, AFilterLargerThanTheMapIsRefused) {
    EXPECT_THAT(failure(Load3d{.destination = {Memory::l0a, 0},
                               .height = 2,
                               .width = 2,
                               .channels = 16,
                               .k_extent = 16,
                               .m_extent = 16,
                               .filter_w = 3}),
                testing::HasSubstr("does not fit"));
}

}  // namespace
}  // namespace ascendsim::isa
