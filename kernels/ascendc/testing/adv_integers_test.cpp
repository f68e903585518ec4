// SPDX-License-Identifier: Apache-2.0
// The functions of the high-level API on integers against plain loops.
#include <algorithm>
#include <array>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/shape_call.hpp"
#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

TEST(AdvIntegers, BytesBroadcast) {
    Call call;
    auto* x = call.in<std::uint8_t>(0);
    std::iota(x, x + 8, std::uint8_t{3});
    call.go(200, 8, 96);
    for (std::uint32_t i = 0; i < 8 * 96; ++i) {
        ASSERT_EQ(call.out<std::uint8_t>(0)[i], 3 + i / 96);
    }
}

TEST(AdvIntegers, DequantisationScalesTheFirstColumnsOfRows) {
    const std::uint32_t m = 4;
    const std::uint32_t n = 24;
    const std::uint32_t counted = 20;
    for (std::uint32_t which : {201U, 202U, 203U}) {
        Call call;
        auto* x = call.in<std::int32_t>(0);
        for (std::uint32_t i = 0; i < m * n; ++i) {
            x[i] = static_cast<std::int32_t>(i) - 40;
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            const float scale = static_cast<float>(i % 4 + 1) * 0.5F;
            call.in<float>(3)[which == 202 ? 2 * i : i] = scale;
        }
        call.go(which, m, n, counted);
        for (std::uint32_t row = 0; row < m; ++row) {
            for (std::uint32_t c = 0; c < counted; ++c) {
                const float scale = which == 203 ? 0.25F : static_cast<float>(c % 4 + 1) * 0.5F;
                const float want = static_cast<float>(x[row * n + c]) * scale;  // exact in all three types
                const float got = which == 201   ? call.out<float>(0)[row * 24 + c]
                                  : which == 202 ? static_cast<float>(call.out<half>(0)[row * 32 + c])
                                                 : static_cast<float>(call.out<bfloat16>(0)[row * 32 + c]);
                ASSERT_EQ(got, want) << "case " << which << " row " << row << " column " << c;
            }
        }
    }
}

// The results of a call of AscendDequant, a row of results each round_up(n, 32 bytes), are 0 behind the
// counted columns.
template <class D>
void expect_dequantised(std::uint32_t which, std::uint32_t m, std::uint32_t n, std::uint32_t counted) {
    Call call;
    auto* x = call.in<std::int32_t>(0);
    for (std::uint32_t i = 0; i < m * n; ++i) {
        x[i] = static_cast<std::int32_t>(i % 61) - 30;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        const float scale = static_cast<float>(i % 4 + 1) * 0.5F;
        if (which == 216) {
            call.in<bfloat16>(3)[i] = bfloat16(scale);
        } else {
            call.in<float>(3)[i] = scale;
        }
    }
    call.go(which, m, n, counted);
    const std::uint32_t block = 32 / sizeof(D);
    const std::uint32_t stride = (n + block - 1) / block * block;
    for (std::uint32_t i = 0; i < m * stride; ++i) {
        const std::uint32_t c = i % stride;
        float want = c < counted
                         ? static_cast<float>(x[i / stride * n + c]) * static_cast<float>(c % 4 + 1) * 0.5F
                         : 0;
        if (which == 215 && c >= counted) {
            continue;  // the integers that were there
        }
        ASSERT_EQ(static_cast<float>(call.out<D>(0)[i]), want) << "case " << which << " at " << i;
    }
}

TEST(AdvIntegers, DequantisationWorksInPlaceAndOnRowsOfSeveralRepeats) {
    expect_dequantised<float>(215, 10, 72, 72);
    expect_dequantised<float>(215, 10, 72, 69);
    expect_dequantised<float>(201, 3, 200, 193);
    expect_dequantised<float>(201, 1, 13, 13);  // one row need not be aligned
    expect_dequantised<float>(201, 260, 8, 5);  // more rows than an instruction repeats
}

TEST(AdvIntegers, DequantisationTakesAsManyRowsAsFit) {
    expect_dequantised<bfloat16>(216, 13, 32, 30);  // 5 + 5 + 3 rows
    expect_dequantised<half>(217, 3, 168, 161);     // 64 + 64 + 33 columns of each
}

// Sum and product are each rounded to half. Rows of 64 with values for each column, or, transposed, of 144
// for each row.
TEST(AdvIntegers, WeightsWidenWithOffsetThenScale) {
    for (const auto& [which, m, n] : {std::array{204U, 3U, 64U}, {206U, 3U, 64U}, {218U, 5U, 144U}}) {
        Call call;
        auto* x = call.in<std::int8_t>(0);
        for (std::uint32_t i = 0; i < m * n; ++i) {
            x[i] = static_cast<std::int8_t>(i * 5 % 255 - 127);
        }
        for (std::uint32_t i = 0; i < 64; ++i) {
            call.in<half>(3)[i] = half(static_cast<float>(i % 7) * 0.3F);
            call.in<half>(4)[i] = half(static_cast<float>(i % 3 + 1) * 0.7F);
        }
        call.go(which, m, n);
        for (std::uint32_t i = 0; i < m * n; ++i) {
            const std::uint32_t channel = which == 218 ? i / n : i % n;
            const float offset = which == 206 ? 2.0F : static_cast<float>(call.in<half>(3)[channel]);
            const float scale = which == 206 ? 0.5F : static_cast<float>(call.in<half>(4)[channel]);
            const half sum{static_cast<float>(x[i]) + offset};
            ASSERT_EQ(static_cast<float>(call.out<half>(0)[i]),
                      static_cast<float>(half{static_cast<float>(sum) * scale}))
                << which << ' ' << i;
        }
    }
}

TEST(AdvIntegers, NibblesWidenByRowsWhenTransposed) {
    const std::uint32_t n = 5;
    const std::uint32_t k = 64;
    Call call;
    auto* x = call.in<std::uint8_t>(0);
    for (std::uint32_t i = 0; i < n * k / 2; ++i) {
        x[i] = static_cast<std::uint8_t>(i * 29 + 1);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
        call.in<bfloat16>(3)[i] = bfloat16(static_cast<float>(i + 1) * 0.5F);
    }
    call.go(205, n, k);
    for (std::uint32_t i = 0; i < n * k; ++i) {
        const int nibble = x[i / 2] >> (i % 2 == 0 ? 0 : 4) & 15;
        const int value = nibble < 8 ? nibble : nibble - 16;
        ASSERT_EQ(static_cast<float>(call.out<bfloat16>(0)[i]),
                  static_cast<float>(value) * static_cast<float>(i / k + 1) * 0.5F);
    }
}

TEST(AdvIntegers, ExclusiveOrAndItsSum) {
    for (std::uint32_t which : {207U, 208U}) {
        Call call;
        auto* a = call.in<std::int16_t>(0);
        auto* b = call.in<std::int16_t>(1);
        int sum = 0;
        for (std::uint32_t i = 0; i < 300; ++i) {
            a[i] = static_cast<std::int16_t>(i * 911 % 512);
            b[i] = static_cast<std::int16_t>(i * 337 % 300);
            sum += a[i] ^ b[i];
        }
        call.go(which, 3, 100);
        if (which == 208) {
            EXPECT_EQ(call.out<std::int16_t>(0)[0], std::min(sum, 32767));
            continue;
        }
        for (std::uint32_t i = 0; i < 300; ++i) {
            ASSERT_EQ(call.out<std::int16_t>(0)[i], a[i] ^ b[i]);
        }
    }
}

TEST(AdvIntegers, AnyAndAllOfBytes) {
    const std::uint32_t m = 6;
    const std::uint32_t n = 50;
    const std::uint32_t stride = 64;
    for (std::uint32_t which : {209U, 210U, 211U, 212U}) {
        Call call;
        auto* x = call.in<std::uint8_t>(2);
        for (std::uint32_t row = 0; row < m; ++row) {
            for (std::uint32_t c = 0; c < n; ++c) {
                x[row * stride + c] =
                    row == 0 || (row == 3 && c == 41) || (c == 7 && row != 2) || c == 9 ? 1 : 0;
            }
        }
        x[5 * stride + 9] = 0;
        call.go(which, m, n);
        const bool first = which >= 211;
        const bool any = which % 2 == 1;
        for (std::uint32_t i = 0; i < (first ? n : m); ++i) {
            bool want = !any;
            for (std::uint32_t j = 0; j < (first ? m : n); ++j) {
                const bool set = x[first ? j * stride + i : i * stride + j] != 0;
                want = any ? want || set : want && set;
            }
            ASSERT_EQ(call.out<std::uint8_t>(0)[i], want ? 1 : 0) << "case " << which << " at " << i;
        }
    }
}

TEST(AdvIntegers, PowersWrapAndVanishForNegativeExponents) {
    const std::uint32_t count = 100;
    const auto want = [](std::int32_t base, std::int32_t exponent) {
        if (exponent < 0 && std::abs(base) != 1) {
            return 0;
        }
        std::uint32_t power = 1;
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(std::abs(exponent)); ++i) {
            power *= static_cast<std::uint32_t>(base);
        }
        return static_cast<std::int32_t>(power);
    };
    for (std::uint32_t which : {213U, 214U}) {
        Call call;
        auto* x = call.in<std::int32_t>(0);
        auto* e = call.in<std::int32_t>(1);
        for (std::uint32_t i = 0; i < count; ++i) {
            x[i] = static_cast<std::int32_t>(i % 11) - 5;
            e[i] = static_cast<std::int32_t>(i % 37) - 3;  // -3 to 33: 5^33 leaves 32 bits
        }
        call.go(which, count, 7);
        for (std::uint32_t i = 0; i < count; ++i) {
            ASSERT_EQ(call.out<std::int32_t>(0)[i], want(x[i], which == 213 ? e[i] : 7))
                << x[i] << " to the power of " << e[i];
        }
    }
}

}  // namespace
}  // namespace ascendsim::isa
