// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/mmad.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "models/isa/testing/cube_fixture.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

class MmadTest : public CubeFixture {
protected:
    // Index of A's element (row, k) in Zz order, B's (k, column) in Zn order, C's (row, column) in Nz order.
    static std::size_t zz(std::uint32_t row, std::uint32_t k, std::uint32_t k0, std::uint32_t depth_blocks) {
        return ((row / 16 * depth_blocks + k / k0) * 16 + row % 16) * k0 + k % k0;
    }

    static std::size_t zn(std::uint32_t k,
                          std::uint32_t column,
                          std::uint32_t k0,
                          std::uint32_t column_blocks) {
        return ((k / k0 * column_blocks + column / 16) * 16 + column % 16) * k0 + k % k0;
    }

    static std::size_t nz(std::uint32_t row, std::uint32_t column, std::uint32_t m) {
        return (column / 16 * ceil_div(m, 16U) * 16 + row) * 16 + column % 16;
    }

    template <class T, class Make>
    void fill(Memory memory, std::size_t count, Make make) {
        for (std::size_t i = 0; i < count; ++i) {
            put<T>(local(memory), i, make());
        }
    }

    // Issues `mmad` on operands of T and compares with sums in the order of k.
    template <class T>
    void expect_float_sums(const Mmad& mmad) {
        const std::uint32_t k0 = 32 / sizeof(T);
        const std::uint32_t depth = mmad.depth_fractals();
        const std::uint32_t columns = ceil_div(mmad.n, 16U);
        const std::size_t cells = std::size_t{ceil_div(mmad.m, 16U)} * 16 * columns * 16;
        std::vector<float> before(cells);
        std::memcpy(before.data(), local(Memory::l0c, mmad.c), cells * sizeof(float));
        issue(mmad, Site::here());
        for (std::uint32_t row = 0; row < mmad.m; ++row) {
            for (std::uint32_t column = 0; column < mmad.n; ++column) {
                float sum = mmad.start == Mmad::Start::l0c ? before[nz(row, column, mmad.m)] : 0.0F;
                sum = mmad.start == Mmad::Start::bias_table
                          ? get<float>(local(Memory::bias_table, mmad.bias), column)
                          : sum;
                for (std::uint32_t k = 0; k < mmad.k; ++k) {
                    const std::size_t at = mmad.m == 1 ? k : zz(row, k, k0, depth);
                    const float a = static_cast<float>(get<T>(local(Memory::l0a, mmad.a), at));
                    const float b =
                        static_cast<float>(get<T>(local(Memory::l0b, mmad.b), zn(k, column, k0, columns)));
                    const volatile float product =
                        (mmad.hf32 ? round_to_hf32(a) : a) * (mmad.hf32 ? round_to_hf32(b) : b);
                    sum += product;
                }
                ASSERT_EQ(sum, get<float>(local(Memory::l0c, mmad.c), nz(row, column, mmad.m)))
                    << "row " << row << " column " << column;
            }
        }
    }

    float real() { return std::uniform_real_distribution<float>{-2.0F, 2.0F}(random_); }
};

TEST_F(MmadTest, HalfSumsEveryStartValueAndRaggedSize) {
    for (int trial = 0; trial < 20; ++trial) {
        fill<half>(Memory::l0a, 32768, [&] { return half{real()}; });
        fill<half>(Memory::l0b, 32768, [&] { return half{real()}; });
        fill<float>(Memory::l0c, 32768, [&] { return real(); });
        fill<float>(Memory::bias_table, 256, [&] { return real(); });
        Mmad mmad{.c = 1024,
                  .a = 512,
                  .b = 1024,
                  .bias = 64,
                  .m = random(1, 96),
                  .n = random(1, 96),
                  .k = random(1, 130)};
        mmad.start = static_cast<Mmad::Start>(trial % 3);
        SCOPED_TRACE(testing::Message() << mmad.m << " x " << mmad.n << " x " << mmad.k);
        expect_float_sums<half>(mmad);
    }
}

TEST_F(MmadTest, OneRowReadsAAsAPlainVector) {
    fill<half>(Memory::l0a, 1000, [&] { return half{real()}; });
    fill<half>(Memory::l0b, 32768, [&] { return half{real()}; });
    expect_float_sums<half>({.m = 1, .n = 33, .k = 321});
}

TEST_F(MmadTest, Bfloat16AndFloatSums) {
    fill<bfloat16>(Memory::l0a, 32768, [&] { return bfloat16{real()}; });
    fill<bfloat16>(Memory::l0b, 32768, [&] { return bfloat16{real()}; });
    expect_float_sums<bfloat16>(
        {.m = 37, .n = 50, .k = 71, .a_type = DataType::bfloat16, .b_type = DataType::bfloat16});
    fill<float>(Memory::l0a, 16384, [&] { return real(); });
    fill<float>(Memory::l0b, 16384, [&] { return real(); });
    Mmad mmad{.m = 35, .n = 18, .k = 20, .a_type = DataType::float32, .b_type = DataType::float32};
    expect_float_sums<float>(mmad);
    mmad.hf32 = true;
    expect_float_sums<float>(mmad);
    mmad.k_align16 = true;  // 20 values of k occupy four fractals of 8 instead of three
    EXPECT_EQ(mmad.depth_fractals(), 4U);
    expect_float_sums<float>(mmad);
}

TEST_F(MmadTest, IntegersAreExactAndAccumulate) {
    fill<std::int8_t>(Memory::l0a, 65536, [&] { return static_cast<std::int8_t>(random_()); });
    fill<std::int8_t>(Memory::l0b, 65536, [&] { return static_cast<std::int8_t>(random_()); });
    fill<std::int32_t>(Memory::l0c, 32768, [&] { return static_cast<std::int32_t>(random_()); });
    const Mmad mmad{.m = 34,
                    .n = 40,
                    .k = 999,
                    .a_type = DataType::int8,
                    .b_type = DataType::int8,
                    .c_type = DataType::int32,
                    .start = Mmad::Start::l0c};
    std::vector<std::uint32_t> before(32768);
    std::memcpy(before.data(), local(Memory::l0c), 131072);
    issue(mmad, Site::here());
    for (std::uint32_t row = 0; row < mmad.m; ++row) {
        for (std::uint32_t column = 0; column < mmad.n; ++column) {
            std::uint32_t sum = before[nz(row, column, mmad.m)];
            for (std::uint32_t k = 0; k < mmad.k; ++k) {
                const int a = get<std::int8_t>(local(Memory::l0a), zz(row, k, 32, 32));
                const int b = get<std::int8_t>(local(Memory::l0b), zn(k, column, 32, 3));
                sum += static_cast<std::uint32_t>(a * b);
            }
            ASSERT_EQ(sum, get<std::uint32_t>(local(Memory::l0c), nz(row, column, mmad.m)));
        }
    }
}

TEST_F(MmadTest, Int4TakesTheLowNibbleFirst) {
    std::memset(local(Memory::l0a), 0, 512);
    std::memset(local(Memory::l0b), 0, 512);
    put<std::uint8_t>(local(Memory::l0a), 0, 0x7F);  // row 0: k 0 is -1, k 1 is 7
    put<std::uint8_t>(local(Memory::l0b), 0, 0x83);  // column 0: k 0 is 3, k 1 is -8
    issue(Mmad{.m = 16,
               .n = 16,
               .k = 64,
               .a_type = DataType::int4,
               .b_type = DataType::int4,
               .c_type = DataType::int32},
          Site::here());
    EXPECT_EQ(get<std::int32_t>(local(Memory::l0c), 0), -1 * 3 + 7 * -8);
}

TEST_F(MmadTest, StepsFollowTheManual) {
    // 128 x 64 x 256 (m, k, n) in fp16: 8 * 4 * 16 steps; int8 halves k's, fp32 quadruples, HF32 doubles
    // them.
    const std::uint32_t gap = chip_.cube.gap_cycles;
    const TimedOp op = issued(Mmad{.m = 128, .n = 256, .k = 64});
    EXPECT_EQ(op.occupies, 512U + gap);
    EXPECT_EQ(op.latency, chip_.cube.head_cycles);
    EXPECT_EQ(op.work, 128U * 64 * 256);
    EXPECT_EQ(op.pipe, Pipe::cube);
    core_.set_functional(false);
    EXPECT_EQ(issued(Mmad{.m = 128,
                          .n = 128,
                          .k = 64,
                          .a_type = DataType::int8,
                          .b_type = DataType::int8,
                          .c_type = DataType::int32})
                  .occupies,
              128U + gap);
    Mmad single{.m = 64, .n = 64, .k = 64, .a_type = DataType::float32, .b_type = DataType::float32};
    EXPECT_EQ(issued(single).occupies, 4U * 4 * 16 + gap);
    single.hf32 = true;
    EXPECT_EQ(issued(single).occupies, 4U * 4 * 8 + gap);
    EXPECT_EQ(issued(Mmad{.m = 17, .n = 1, .k = 17}).occupies, 2U * 1 * 2 + gap);
}

TEST_F(MmadTest, FaultsNamePlaceAndRule) {
    EXPECT_THAT(failure(Mmad{.c = 64, .m = 16, .n = 16, .k = 16}), testing::HasSubstr("multiple of 1024"));
    EXPECT_THAT(failure(Mmad{.a = 32, .m = 16, .n = 16, .k = 16}), testing::HasSubstr("multiple of 512"));
    EXPECT_THAT(failure(Mmad{.m = 4096, .n = 16, .k = 16}), testing::HasSubstr("at most 4095"));
    EXPECT_THAT(failure(Mmad{.m = 512, .n = 16, .k = 80}), testing::HasSubstr("l0a has 65536 bytes"));
    EXPECT_THAT(failure(Mmad{.m = 256, .n = 256, .k = 16}), testing::HasSubstr("l0c has 131072 bytes"));
}

TEST_F(MmadTest, NothingHappensWhereASizeIsZero) {
    put<float>(local(Memory::l0c), 0, 5.0F);
    const TimedOp op = issued(Mmad{.m = 0, .n = 16, .k = 16});
    EXPECT_EQ(get<float>(local(Memory::l0c), 0), 5.0F);
    EXPECT_GE(op.occupies, chip_.cube.head_cycles);
}

TEST(RoundToHf32, KeepsElevenBitsToNearestEven) {
    EXPECT_EQ(round_to_hf32(1.0F), 1.0F);
    const float step = std::ldexp(1.0F, -11);
    EXPECT_EQ(round_to_hf32(1.0F + step / 2), 1.0F);                 // tie to even
    EXPECT_EQ(round_to_hf32(1.0F + 3 * step / 2), 1.0F + 2 * step);  // tie to even
    EXPECT_EQ(round_to_hf32(1.0F + step * 0.51F), 1.0F + step);
    EXPECT_TRUE(std::isnan(round_to_hf32(NAN)));
    EXPECT_TRUE(std::isinf(round_to_hf32(INFINITY)));
}

}  // namespace
}  // namespace ascendsim::isa
