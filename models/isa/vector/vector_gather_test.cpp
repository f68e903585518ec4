// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_gather.hpp"

#include <array>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "models/isa/testing/vector_bench.hpp"
#include "models/isa/vector/vector_cast.hpp"
#include "models/isa/vector/vector_compare.hpp"
#include "models/isa/vector/vector_sort.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t dst_offset = 65536;
constexpr std::uint32_t b_offset = 32768;
constexpr std::uint32_t c_offset = 98304;
constexpr Site here{"test", 1};

using VectorData = VectorBench;

TEST_F(VectorData, GathersAndScattersByByteOffsets) {
    fill_small<float>();
    constexpr std::uint32_t n = 100;
    for (std::uint32_t i = 0; i < n; ++i) {
        put(b_offset + 4 * i, 4 * ((i * 37) % n));
    }
    vector_gather({dst_offset, 1, 8, DataType::float32}, 0, b_offset, VectorShape::of_count(n), here);
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(at<float>(dst_offset + 4 * i), at<float>(4 * ((i * 37) % n)));
    }
    vector_scatter({dst_offset, 1, 8, DataType::float32}, c_offset, b_offset, VectorShape::of_count(n), here);
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(at<float>(c_offset + 4 * i), at<float>(4 * i));
    }
    put(b_offset, 6U);  // no multiple of 4
    EXPECT_THROW(
        vector_gather({dst_offset, 1, 8, DataType::float32}, 0, b_offset, VectorShape::of_count(1), here),
        std::runtime_error);
    put(b_offset, 0xFFFFFF00U);
    EXPECT_THROW(
        vector_gather({dst_offset, 1, 8, DataType::float32}, 0, b_offset, VectorShape::of_count(1), here),
        std::runtime_error);
}

// As rotary embeddings of ops-transformer do (rotate_interleaved_split_bs.h): neighbours change places.
TEST_F(VectorData, GathersInPlaceByWholeRepeats) {
    fill_small<float>();
    constexpr std::uint32_t n = 100;
    std::vector<float> before;
    for (std::uint32_t i = 0; i < n; ++i) {
        before.push_back(at<float>(4 * i));
        put(b_offset + 4 * i, 4 * (i ^ 1U));
    }
    vector_gather({0, 1, 8, DataType::float32}, 0, b_offset, VectorShape::of_count(n), here);
    for (std::uint32_t i = 0; i < n; ++i) {
        EXPECT_EQ(at<float>(4 * i), before[i ^ 1U]) << i;
    }
}

TEST_F(VectorData, SpreadsElementsOverBlocks) {
    fill_small<half>();
    vector_broadcast_blocks({dst_offset, 1, 8, DataType::half}, 0, 2, here);
    for (std::uint32_t i = 0; i < 16 * 16; ++i) {
        EXPECT_EQ(at<half>(dst_offset + 2 * i), at<half>(2 * (i / 16))) << i;
    }
}

TEST_F(VectorData, CompactsByEachBuiltInPatternAndByBits) {
    fill_small<float>();
    const auto keeps = [](std::uint32_t pattern, std::uint32_t i) {
        return pattern == 7 || (pattern < 3 ? i % 2 == pattern - 1 : i % 4 == pattern - 3);
    };
    for (std::uint8_t pattern = 1; pattern <= 7; ++pattern) {
        GatherMaskCall call{
            .dst = dst_offset, .src = {0, 1, 8, DataType::float32}, .pattern = pattern, .repeats = 2};
        const std::uint64_t kept = vector_gather_mask(call, here);
        std::uint32_t next = 0;
        for (std::uint32_t i = 0; i < 128; ++i) {
            if (keeps(pattern, i % 64)) {
                EXPECT_EQ(at<float>(dst_offset + 4 * next++), at<float>(4 * i));
            }
        }
        EXPECT_EQ(kept, next);
    }
    put<std::uint64_t>(b_offset, 0x8000000000000005U);
    GatherMaskCall call{
        .dst = dst_offset, .src = {0, 1, 8, DataType::float32}, .bits = b_offset, .repeats = 1};
    EXPECT_EQ(vector_gather_mask(call, here), 3U);
    EXPECT_EQ(at<float>(dst_offset + 8), at<float>(4 * 63));
}

TEST_F(VectorData, ComparesToBitsAndSelectsByThem) {
    for (int trial = 0; trial < 40; ++trial) {
        fill_small<float>();
        const VectorShape shape = VectorShape::of_count(1 + below(500));
        const VectorOperand a{0, 1, 8, DataType::float32};
        const TensorOrScalar b{{b_offset, 1, 8, DataType::float32}, ScalarBits{32.0F}, trial % 2 == 0};
        vector_compare(c_offset, a, b, Comparison::lt, shape, here);
        vector_select({dst_offset, 1, 8, DataType::float32}, {c_offset, false, false}, a, b, shape, here);
        for (std::uint32_t i = 0; i < shape.count; ++i) {
            const float other = b.is_scalar ? 32.0F : at<float>(b_offset + 4 * i);
            const bool less = at<float>(4 * i) < other;
            ASSERT_EQ((std::to_integer<unsigned>(at<std::byte>(c_offset + i / 8)) >> (i % 8)) & 1U,
                      less ? 1U : 0U)
                << i;
            ASSERT_EQ(at<float>(dst_offset + 4 * i), less ? at<float>(4 * i) : other) << i;
        }
    }
}

TEST_F(VectorData, SelectsByTheCompareMaskRegisterInEveryRepeat) {
    fill_small<float>();
    const VectorOperand a{0, 1, 8, DataType::float32};
    const TensorOrScalar b{{b_offset, 1, 8, DataType::float32}, {}, false};
    vector_compare_to_register(a, b, Comparison::ge, VectorShape::of_lanes(64, 1), here);
    vector_select(
        {dst_offset, 1, 8, DataType::float32}, {0, true, false}, a, b, VectorShape::of_lanes(64, 3), here);
    for (std::uint32_t i = 0; i < 3 * 64; ++i) {
        const std::uint32_t lane = 4 * (i % 64);
        const bool first = at<float>(lane) >= at<float>(b_offset + lane);
        EXPECT_EQ(at<float>(dst_offset + 4 * i), first ? at<float>(4 * i) : at<float>(b_offset + 4 * i));
    }
}

TEST_F(VectorData, CastsWithStridesOfEitherSide) {
    for (std::uint32_t i = 0; i < 256; ++i) {
        put(4 * i, static_cast<float>(i) + 0.5F);
    }
    const VectorOperand src{0, 1, 8, DataType::float32};
    vector_cast({dst_offset, 1, 4, DataType::half}, src, RoundMode::rint, VectorShape::of_count(200), here);
    vector_cast({c_offset, 1, 8, DataType::int32}, src, RoundMode::rint, VectorShape::of_lanes(64, 3), here);
    for (std::uint32_t i = 0; i < 192; ++i) {
        EXPECT_EQ(float{at<half>(dst_offset + 2 * i)}, static_cast<float>(i) + 0.5F);
        EXPECT_EQ(at<std::int32_t>(c_offset + 4 * i),
                  static_cast<std::int32_t>(i + (i % 2)));  // ties to even
    }
    EXPECT_THROW(
        vector_cast(
            {dst_offset, 1, 8, DataType::uint64}, src, RoundMode::rint, VectorShape::of_count(8), here),
        std::runtime_error);
}

TEST_F(VectorData, CastsKeepLowBitsAsTheControlRegisterSays) {
    // 300 = 256 + 44; -11 = 245 - 256; 70000 = 65536 + 4464.
    constexpr std::array from{300.0F, -11.0F, 7.0F, std::numeric_limits<float>::infinity()};
    for (std::uint32_t i = 0; i < from.size(); ++i) {
        put(2 * i, half{from[i]});
        put(b_offset + 4 * i, std::int32_t{i == 0 ? 70000 : -1});
    }
    const auto cast_all = [] {
        vector_cast({dst_offset, 1, 4, DataType::uint8},
                    {0, 1, 8, DataType::half},
                    RoundMode::trunc,
                    VectorShape::of_count(4),
                    here);
        vector_cast({c_offset, 1, 4, DataType::int16},
                    {b_offset, 1, 8, DataType::int32},
                    RoundMode::none,
                    VectorShape::of_count(4),
                    here);
    };
    const auto bytes = [this] {
        std::vector<int> all;
        for (std::uint32_t i = 0; i < 4; ++i) {
            all.push_back(at<std::uint8_t>(dst_offset + i));
        }
        all.push_back(at<std::int16_t>(c_offset));
        return all;
    };
    cast_all();
    EXPECT_EQ(bytes(), (std::vector{255, 0, 7, 255, 32767}));
    core.registers().set_control(control_low_bits, true);
    cast_all();
    EXPECT_EQ(bytes(), (std::vector{44, 245, 7, 0, 4464}));
}

TEST_F(VectorData, CastsPackedInt4BothWays) {
    for (std::uint32_t i = 0; i < 256; ++i) {
        put(2 * i, half{static_cast<float>(static_cast<int>(i % 16) - 8)});
    }
    vector_cast({b_offset, 1, 2, DataType::int4},
                {0, 1, 8, DataType::half},
                RoundMode::none,
                VectorShape::of_count(256),
                here);
    vector_cast({dst_offset, 1, 8, DataType::half},
                {b_offset, 1, 2, DataType::int4},
                RoundMode::none,
                VectorShape::of_count(256),
                here);
    for (std::uint32_t i = 0; i < 256; ++i) {
        ASSERT_EQ(at<half>(dst_offset + 2 * i), at<half>(2 * i)) << i;
    }
}

TEST_F(VectorData, TransposesEachWidth) {
    fill_small<std::uint32_t>();
    TransposeCall call;
    for (std::uint32_t i = 0; i < 16; ++i) {
        call.src[i] = 64 * i;
        call.dst[i] = dst_offset + 32 * i;
    }
    call.type = DataType::half;
    vector_transpose_rows(call, here);
    for (std::uint32_t i = 0; i < 16; ++i) {
        for (std::uint32_t j = 0; j < 16; ++j) {
            EXPECT_EQ(at<std::uint16_t>(dst_offset + 32 * j + 2 * i), at<std::uint16_t>(64 * i + 2 * j));
        }
    }
    call.type = DataType::float32;
    vector_transpose_rows(call, here);
    for (std::uint32_t i = 0; i < 16; ++i) {
        for (std::uint32_t j = 0; j < 8; ++j) {
            EXPECT_EQ(at<std::uint32_t>(dst_offset + 64 * j + 4 * i), at<std::uint32_t>(64 * i + 4 * j));
        }
    }
}

TEST_F(VectorData, SortsRunsAndMergesThem) {
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(4 * i, static_cast<float>((i * 53) % 128));
        put(b_offset + 4 * i, i);
    }
    vector_sort32(dst_offset, {0, 1, 8, DataType::float32}, b_offset, 4, here);
    MergeCall merge{.dst = c_offset, .lengths = {32, 32, 32, 32}, .valid = 15};
    for (std::uint32_t q = 0; q < 4; ++q) {
        merge.sources[q] = dst_offset + q * 256;
    }
    vector_merge(merge, here);
    for (std::uint32_t i = 0; i < 128; ++i) {
        EXPECT_EQ(at<float>(c_offset + 8 * i), static_cast<float>(127 - i));
        EXPECT_EQ((at<std::uint32_t>(c_offset + 8 * i + 4) * 53) % 128, 127 - i);
    }
    merge.stop_when_one_ends = true;
    merge.lengths = {1, 32, 32, 32};
    vector_merge(merge, here);
    EXPECT_EQ(merged_counts()[0], 1U);
    vector_extract({0, 1, 8, DataType::float32}, b_offset, c_offset, 1, here);
    EXPECT_EQ(at<float>(0), at<float>(c_offset));
    EXPECT_EQ(at<std::uint32_t>(b_offset + 4), at<std::uint32_t>(c_offset + 12));
}

TEST_F(VectorData, CountsUp) {
    vector_progression(
        {0, 1, 8, DataType::int32}, ScalarBits{5}, ScalarBits{3}, VectorShape::of_count(100), here);
    for (std::uint32_t i = 0; i < 100; ++i) {
        EXPECT_EQ(at<std::int32_t>(4 * i), static_cast<std::int32_t>(5 + 3 * i));
    }
}

}  // namespace
}  // namespace ascendsim::isa
