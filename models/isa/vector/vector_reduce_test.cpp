// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_reduce.hpp"

#include <gtest/gtest.h>

#include "models/isa/testing/vector_bench.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t dst_offset = 131072;
constexpr std::uint32_t work_offset = 163840;
constexpr Site here{"test", 1};

using Reduce = VectorBench;

TEST_F(Reduce, SumsEachRepeatOfItsActiveLanes) {
    for (int trial = 0; trial < 50; ++trial) {
        fill_small<float>();
        const VectorOperand src = random_operand(0, DataType::float32, false);
        const VectorShape shape = random_shape(64);
        reduce_repeats_sum({dst_offset, 4}, src, shape, here);
        for (std::uint32_t r = 0; r < shape.repeat_count(64); ++r) {
            float sum = 0;  // of small integers: exact in any order
            for (std::uint32_t lane = 0; lane < 64; ++lane) {
                sum += shape.active(r, lane, 64) ? at<float>(lane_offset(src, r, lane)) : 0.0F;
            }
            ASSERT_EQ(at<float>(dst_offset + 4 * r), sum) << "trial " << trial << " repeat " << r;
        }
    }
}

TEST_F(Reduce, AddsHalvesAsATreeThatRoundsEachSum) {
    // 2048 + 1 is 2048 in half; as neighbours first, the ones add up to 2 before they meet it.
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(2 * i, half{0.0F});
    }
    put(0, half{2048.0F});
    put(4, half{1.0F});
    put(6, half{1.0F});
    reduce_repeats_sum({dst_offset, 2}, {0, 1, 8, DataType::half}, VectorShape::of_lanes(128, 1), here);
    EXPECT_EQ(float{at<half>(dst_offset)}, 2050.0F);
    put(2, half{1.0F});  // now 2048 and 1 are a pair, which rounds the 1 away
    put(6, half{0.0F});
    reduce_repeats_sum({dst_offset, 2}, {0, 1, 8, DataType::half}, VectorShape::of_lanes(128, 1), here);
    EXPECT_EQ(float{at<half>(dst_offset)}, 2048.0F);
}

TEST_F(Reduce, FindsTheFirstExtremeInEachForm) {
    for (std::uint32_t i = 0; i < 64; ++i) {
        put(4 * i, i == 20 || i == 40 ? 9.0F : 1.0F);
    }
    const VectorOperand src{0, 1, 8, DataType::float32};
    const VectorShape shape = VectorShape::of_lanes(64, 1);
    reduce_repeats_extreme(Reduction::max, ExtremeForm::value_index, {dst_offset, 8}, src, shape, here);
    EXPECT_EQ(at<float>(dst_offset), 9.0F);
    EXPECT_EQ(at<std::uint32_t>(dst_offset + 4), 20U);
    reduce_repeats_extreme(Reduction::max, ExtremeForm::index_value, {dst_offset, 8}, src, shape, here);
    EXPECT_EQ(at<std::uint32_t>(dst_offset), 20U);
    EXPECT_EQ(at<float>(dst_offset + 4), 9.0F);
    reduce_repeats_extreme(Reduction::min, ExtremeForm::only_index, {dst_offset, 4}, src, shape, here);
    EXPECT_EQ(at<std::uint32_t>(dst_offset), 0U);
}

TEST_F(Reduce, ReducesBlocksAndPairs) {
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(4 * i, static_cast<float>(i));
    }
    const VectorOperand src{0, 1, 8, DataType::float32};
    reduce_blocks(Reduction::sum, {dst_offset, 32}, src, VectorShape::of_lanes(64, 2), here);
    for (std::uint32_t b = 0; b < 16; ++b) {
        EXPECT_EQ(at<float>(dst_offset + 4 * b), static_cast<float>(8 * (8 * b) + 28)) << b;
    }
    reduce_blocks(Reduction::max, {dst_offset, 32}, src, VectorShape::of_lanes(64, 2), here);
    EXPECT_EQ(at<float>(dst_offset + 4 * 15), 127.0F);
    reduce_pairs({dst_offset, 128}, src, VectorShape::of_lanes(64, 2), here);
    for (std::uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(at<float>(dst_offset + 4 * i), static_cast<float>(4 * i + 1)) << i;
    }
}

TEST_F(Reduce, BringsAWholeTensorToOneValue) {
    for (const std::uint32_t n : {1U, 63U, 64U, 65U, 1000U, 5000U}) {
        fill_small<float>();
        float sum = 0;
        std::uint32_t largest = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            sum += at<float>(4 * i);
            largest = at<float>(4 * i) > at<float>(4 * largest) ? i : largest;
        }
        const float most = at<float>(4 * largest);
        const VectorOperand src{0, 1, 8, DataType::float32};
        reduce_tensor({Reduction::sum, dst_offset, src, work_offset, false, VectorShape::of_count(n)}, here);
        EXPECT_EQ(at<float>(dst_offset), sum) << n;
        reduce_tensor({Reduction::max, dst_offset, src, work_offset, false, VectorShape::of_count(n)}, here);
        EXPECT_EQ(at<float>(dst_offset), most) << n;
        reduce_tensor({Reduction::max, dst_offset, src, work_offset, true, VectorShape::of_count(n)}, here);
        EXPECT_EQ(at<float>(dst_offset), most) << n;
        EXPECT_EQ(at<std::uint32_t>(dst_offset + 4), largest) << n;
    }
}

}  // namespace
}  // namespace ascendsim::isa
