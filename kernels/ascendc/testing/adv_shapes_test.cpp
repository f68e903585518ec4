// SPDX-License-Identifier: Apache-2.0
// Broadcast, padding, transposes, running sums, top-k, choices and 8-bit quantisation against plain loops.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/shape_call.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

template <class T>
class AdvShapes : public testing::Test {
protected:
    static constexpr std::uint32_t base = sizeof(T) == 4 ? 0 : 100;  // the case numbers of this type
    static constexpr std::uint32_t block = 32 / sizeof(T);
};

using Types = testing::Types<float, half>;
TYPED_TEST_SUITE(AdvShapes, Types);

TYPED_TEST(AdvShapes, BroadcastsRepeatAColumnARowOrANumber) {
    for (const std::uint32_t n : {16U, 13U, 150U}) {
        const std::uint32_t m = 11;
        Call call;
        const TypeParam* x = call.fill<TypeParam>(0);
        call.go(this->base + 0, m, n);
        for (std::uint32_t i = 0; i < m * n; ++i) {
            ASSERT_EQ(call.out<TypeParam>(0)[i], x[i / n]) << "column, n = " << n << " at " << i;
        }
    }
    Call row;
    const TypeParam* x = row.fill<TypeParam>(0);
    row.go(this->base + 1, 7, 48);
    for (std::uint32_t i = 0; i < 7 * 48; ++i) {
        ASSERT_EQ(row.out<TypeParam>(0)[i], x[i % 48]) << "row at " << i;
    }
    Call one;
    const TypeParam* value = one.fill<TypeParam>(0);
    one.go(this->base + 2, 1, 77);
    for (std::uint32_t i = 0; i < 77; ++i) {
        ASSERT_EQ(one.out<TypeParam>(0)[i], value[0]);
    }
}

TYPED_TEST(AdvShapes, PadPlacesRowsIntoWholeBlocks) {
    const std::uint32_t left = 1;
    const std::uint32_t n = 2 * this->block - 3;  // one column before, two after
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 3, 5, n, left);
    for (std::uint32_t row = 0; row < 5; ++row) {
        for (std::uint32_t c = 0; c < 2 * this->block; ++c) {
            const bool inside = c >= left && c < left + n;
            ASSERT_EQ(call.out<TypeParam>(0)[row * 2 * this->block + c],
                      inside ? x[row * n + c - left] : TypeParam(7.0F));
        }
    }
}

TYPED_TEST(AdvShapes, PadOfWholeBlocksReplacesTheLastColumns) {
    const std::uint32_t n = 2 * this->block;
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 3, 4, n, 0);
    for (std::uint32_t i = 0; i < 4 * n; ++i) {
        ASSERT_EQ(call.out<TypeParam>(0)[i], i % n < n - 2 ? x[i] : TypeParam(7.0F));
    }
}

TYPED_TEST(AdvShapes, UnpadDropsColumns) {
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 4, 9, 32, 5);
    for (std::uint32_t i = 0; i < 9 * 27; ++i) {
        ASSERT_EQ(call.out<TypeParam>(0)[i], x[i / 27 * 32 + i % 27]);
    }
}

TYPED_TEST(AdvShapes, TransposeSwapsRowsAndColumns) {
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 5, 32, 48);
    for (std::uint32_t i = 0; i < 32 * 48; ++i) {
        ASSERT_EQ(call.out<TypeParam>(0)[i], x[i % 32 * 48 + i / 32]);
    }
}

TYPED_TEST(AdvShapes, RowsThatEndWithinABlockAreTheKernelsFault) {
    // Strides of repeats count blocks of 32 bytes: a row and a half of them cannot be told.
    Call call;
    call.fill<TypeParam>(0);
    try {
        call.go(this->base + 6, 18, this->block + this->block / 2);
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string{error.what()}.find("whole blocks of 32 bytes"), std::string::npos)
            << error.what();
    }
}

TYPED_TEST(AdvShapes, RunningSumsGoAlongRowsOrDownThem) {
    const std::uint32_t m = 18;
    const std::uint32_t n =
        2 * this->block + this->block * (sizeof(TypeParam) == 4 ? 1 : 0);  // 24 floats, 32 halves
    Call along;
    Call down;
    const TypeParam* x = along.fill<TypeParam>(0);
    down.fill<TypeParam>(0);
    along.go(this->base + 6, m, n);
    down.go(this->base + 7, m, n);
    for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t c = 0; c < n; ++c) {
            // Multiples of 1/16 below 8: sums of up to 32 are exact in float, and rounded once to half.
            float a = 0;
            float d = 0;
            for (std::uint32_t i = 0; i <= c; ++i) {
                a += static_cast<float>(x[row * n + i]);
            }
            for (std::uint32_t i = 0; i <= row; ++i) {
                d += static_cast<float>(x[i * n + c]);
            }
            ASSERT_EQ(along.out<TypeParam>(0)[row * n + c], TypeParam(a));
            ASSERT_EQ(down.out<TypeParam>(0)[row * n + c], TypeParam(d));
            if (row == m - 1) {
                ASSERT_EQ(down.out<TypeParam>(1)[c], TypeParam(d));  // the last row again
            }
        }
    }
}

TYPED_TEST(AdvShapes, TopKOrdersValuesAndKeepsTheirIndices) {
    const std::uint32_t m = 3;
    const std::uint32_t n = 256;
    const std::uint32_t k = 13;
    for (const bool largest : {true, false}) {
        Call call;
        const TypeParam* x = call.fill<TypeParam>(0);
        for (std::uint32_t i = 0; i < n; ++i) {
            call.in<std::int32_t>(1)[i] = static_cast<std::int32_t>(1000 + i);  // given indices
        }
        call.in<std::uint8_t>(2)[1] = 1;  // row 1 is finished
        call.go(this->base + (largest ? 8 : 9), m, n, k);
        const std::uint32_t value_stride = (k + this->block - 1) / this->block * this->block;
        for (std::uint32_t row = 0; row < m; ++row) {
            std::vector<std::uint32_t> order(n);
            std::iota(order.begin(), order.end(), 0U);
            const auto at = [&](std::uint32_t i) { return static_cast<float>(x[row * n + i]); };
            std::ranges::stable_sort(order,
                                     [&](auto a, auto b) { return largest ? at(a) > at(b) : at(a) < at(b); });
            for (std::uint32_t i = 0; i < k; ++i) {
                ASSERT_EQ(static_cast<float>(call.out<TypeParam>(0)[row * value_stride + i]), at(order[i]));
                const auto index = call.out<std::int32_t>(1)[row * 16 + i];
                if (!largest && row == 1) {
                    ASSERT_EQ(index, static_cast<std::int32_t>(n) - 3);
                } else {
                    ASSERT_EQ(index, static_cast<std::int32_t>(order[i] + (largest ? 0 : 1000)))
                        << "row " << row << " rank " << i;
                }
            }
        }
    }
}

TYPED_TEST(AdvShapes, TopKOf32ColumnsIsDense) {
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 10, 5, 32, 3);
    for (std::uint32_t row = 0; row < 5; ++row) {
        std::vector<float> sorted(x + row * 32, x + row * 32 + 32);
        std::ranges::sort(sorted, std::greater{});
        for (std::uint32_t i = 0; i < 3; ++i) {
            ASSERT_EQ(static_cast<float>(call.out<TypeParam>(0)[row * 3 + i]), sorted[i]);
            ASSERT_EQ(static_cast<float>(
                          x[row * 32 + static_cast<std::uint32_t>(call.out<std::int32_t>(1)[row * 3 + i])]),
                      sorted[i]);
        }
    }
}

TYPED_TEST(AdvShapes, MasksOfBytesAndBitsChoose) {
    const std::uint32_t m = 4;
    const std::uint32_t n = 48;
    const std::uint32_t mask_width = 64;
    for (std::uint32_t which : {11U, 12U, 13U}) {
        Call call;
        const TypeParam* x = call.fill<TypeParam>(0);
        auto* mask = call.in<std::uint8_t>(2);
        for (std::uint32_t i = 0; i < m * mask_width; ++i) {
            mask[i] = i * 7 % 3 == 0 ? 1 : 0;
        }
        call.go(this->base + which, m, n);
        for (std::uint32_t i = 0; i < m * n; ++i) {
            const bool set = mask[i / n * mask_width + i % n] != 0;
            const float value = static_cast<float>(x[i]);
            const float want = which == 11   ? (set ? 9.0F : value)
                               : which == 12 ? (set ? value : 9.0F)
                               : set         ? 2 * value
                                             : 0.0F;
            ASSERT_EQ(static_cast<float>(call.out<TypeParam>(0)[i]), want) << "case " << which;
        }
    }
    Call bits;
    const TypeParam* x = bits.fill<TypeParam>(0);
    auto* mask = bits.in<std::uint8_t>(2);
    for (std::uint32_t i = 0; i < 256 * 2 / 8; ++i) {
        mask[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    bits.go(this->base + 14, 2, 256);
    for (std::uint32_t i = 0; i < 2 * 256; ++i) {
        const bool set = (mask[i / 8] >> i % 8 & 1U) != 0;
        ASSERT_EQ(static_cast<float>(bits.out<TypeParam>(0)[i]), set ? 2 * static_cast<float>(x[i]) : 0.0F);
    }
}

std::int8_t quantised(float x) {
    return static_cast<std::int8_t>(std::clamp(std::nearbyint(x), -128.0F, 127.0F));
}

TYPED_TEST(AdvShapes, QuantisationRoundsToEvenAndSaturates) {
    const std::uint32_t m = 3;
    const std::uint32_t n = 64;
    Call one;
    const TypeParam* x = one.fill<TypeParam>(0);
    one.go(this->base + 15, m, n);
    Call channels;
    channels.fill<TypeParam>(0);
    auto* scale = channels.in<TypeParam>(3);
    auto* offset = channels.in<TypeParam>(4);
    for (std::uint32_t i = 0; i < n; ++i) {
        scale[i] = static_cast<TypeParam>(static_cast<float>(i % 8) + 1.0F);
        offset[i] = static_cast<TypeParam>(static_cast<float>(i % 5) - 2.0F);
    }
    channels.go(this->base + 16, m, n);
    for (std::uint32_t i = 0; i < m * n; ++i) {
        // Products of multiples of 1/16 below 8 with small integers are exact in half.
        const float value = static_cast<float>(x[i]);
        ASSERT_EQ(one.out<std::int8_t>(0)[i], quantised(value * 20 + 3));
        ASSERT_EQ(channels.out<std::int8_t>(0)[i],
                  quantised(value * static_cast<float>(scale[i % n]) + static_cast<float>(offset[i % n])));
    }
}

TYPED_TEST(AdvShapes, AxpyAddsAProductInTheDestinationType) {
    Call call;
    const TypeParam* x = call.fill<TypeParam>(0);
    call.go(this->base + 17, 3, 50);
    for (std::uint32_t i = 0; i < 150; ++i) {
        ASSERT_EQ(call.out<float>(0)[i], 2.5F * static_cast<float>(x[i]));
    }
}

}  // namespace
}  // namespace ascendsim::isa
