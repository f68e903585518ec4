// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/sparse.hpp"

#include <gmock/gmock.h>

#include "models/isa/cube/load2d.hpp"
#include "models/isa/testing/cube_fixture.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

class SparseTest : public CubeFixture {
protected:
    // Puts the whole A (m, k) into L0A in Zz order, and weights of which two in four are kept into L1: those
    // kept as Zn fractals from byte 0 on, their indices from `index_at` on. `weights_` holds all of them,
    // zeros too.
    void arrange(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
        n_blocks_ = ceil_div(n, 16U);
        k_ = k;
        a_.assign(std::size_t{m} * k, 0);
        weights_.assign(std::size_t{k} * n, 0);
        scramble(local(Memory::l0a), chip_.buffers.l0a);
        scramble(local(Memory::l1), chip_.buffers.l1);
        for (std::uint32_t row = 0; row < m; ++row) {
            for (std::uint32_t at = 0; at < k; ++at) {
                a_[row * k + at] = static_cast<std::int8_t>(random_());
                put<std::int8_t>(local(Memory::l0a),
                                 ((row / 16 * ceil_div(k, 32U) + at / 32) * 16 + row % 16) * 32 + at % 32,
                                 a_[row * k + at]);
            }
        }
        for (std::uint32_t column = 0; column < n; ++column) {
            for (std::uint32_t group = 0; group < k; group += 4) {
                const std::uint32_t first = random(0, 2);
                const std::uint32_t second = random(first, 2);  // of elements 1 to 3
                keep(column, group / 2, group + first, first);
                keep(column, group / 2 + 1, group + second + 1, second);
            }
        }
    }

    // Kept weight number `at` of a column is the one at `place` of its k.
    void keep(std::uint32_t column, std::uint32_t at, std::uint32_t place, std::uint32_t index) {
        const auto value = static_cast<std::int8_t>(random_());
        weights_[column * k_ + place] = value;
        const std::size_t fractal = std::size_t{at / 32} * n_blocks_ + column / 16;
        put<std::int8_t>(local(Memory::l1), (fractal * 16 + column % 16) * 32 + at % 32, value);
        std::byte* packed = local(Memory::l1, index_at + (fractal * 16 + column % 16) * 8 + at % 32 / 4);
        const std::uint32_t shift = at % 4 * 2;
        *packed = (*packed & ~(std::byte{3} << shift)) | (static_cast<std::byte>(index) << shift);
    }

    void load(std::uint32_t fractals) {
        issue(LoadSparse{.destination = 1024, .source = 0, .index = index_at, .repeat = fractals},
              Site::here());
    }

    [[nodiscard]] Mmad product(std::uint32_t m, std::uint32_t n) const {
        return {.c = 1024,
                .b = 1024,
                .m = m,
                .n = n,
                .k = k_,
                .a_type = DataType::int8,
                .b_type = DataType::int8,
                .c_type = DataType::int32};
    }

    [[nodiscard]] std::int32_t result(std::uint32_t row, std::uint32_t column, std::uint32_t m) {
        return get<std::int32_t>(local(Memory::l0c, 1024),
                                 (column / 16 * ceil_div(m, 16U) * 16 + row) * 16 + column % 16);
    }

    [[nodiscard]] std::int32_t sum(std::uint32_t row, std::uint32_t column) const {
        std::int32_t total = 0;
        for (std::uint32_t at = 0; at < k_; ++at) {
            total += a_[row * k_ + at] * weights_[column * k_ + at];
        }
        return total;
    }

    static constexpr std::uint32_t index_at = 65536;
    std::uint32_t n_blocks_ = 0;
    std::uint32_t k_ = 0;
    std::vector<std::int8_t> a_;        // (m, k)
    std::vector<std::int8_t> weights_;  // (n, k)
};

TEST_F(SparseTest, IsTheProductWithTheWeightsAsTheyWere) {
    for (int trial = 0; trial < 10; ++trial) {
        const std::uint32_t m = random(1, 40);
        const std::uint32_t n = random(1, 50);
        const std::uint32_t k = random(1, 40) * 4;
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k);
        arrange(m, n, k);
        load(n_blocks_ * ceil_div(k, 64U));
        issue(MmadSparse{product(m, n)}, Site::here());
        for (std::uint32_t row = 0; row < m; ++row) {
            for (std::uint32_t column = 0; column < n; ++column) {
                ASSERT_EQ(result(row, column, m), sum(row, column)) << row << ", " << column;
            }
        }
    }
}

TEST_F(SparseTest, SumsStartFromZeroTheResultOrTheBias) {
    arrange(16, 16, 64);
    load(1);
    for (std::uint32_t column = 0; column < 16; ++column) {
        put<std::int32_t>(local(Memory::bias_table), column, static_cast<std::int32_t>(1000 * column));
    }
    Mmad mmad = product(16, 16);
    mmad.start = Mmad::Start::bias_table;
    issue(MmadSparse{mmad}, Site::here());
    EXPECT_EQ(result(3, 7, 16), 7000 + sum(3, 7));
    mmad.start = Mmad::Start::l0c;
    issue(MmadSparse{mmad}, Site::here());
    EXPECT_EQ(result(3, 7, 16), 7000 + 2 * sum(3, 7));
}

// Table of MmadWithSparse: of elements 0 to 3, which two the indices (first, second) choose.
TEST_F(SparseTest, ChoosesAsTheDocumentedTable) {
    struct Choice {
        std::uint32_t first, second, x, y;
    };

    for (const Choice choice : {Choice{2, 2, 2, 3},
                                Choice{1, 2, 1, 3},
                                Choice{0, 2, 0, 3},
                                Choice{1, 1, 1, 2},
                                Choice{0, 1, 0, 2},
                                Choice{0, 0, 0, 1}}) {
        k_ = 4;
        n_blocks_ = 1;
        weights_.assign(64, 0);
        for (std::uint32_t at = 0; at < 4; ++at) {
            put<std::int8_t>(local(Memory::l0a), at, static_cast<std::int8_t>(1U << at));
        }
        keep(0, 0, choice.x, choice.first);
        keep(0, 1, choice.y, choice.second);
        load(1);
        issue(MmadSparse{product(16, 1)}, Site::here());
        EXPECT_EQ(result(0, 0, 16),
                  weights_[choice.x] * (1 << choice.x) + weights_[choice.y] * (1 << choice.y))
            << choice.first << ", " << choice.second;
    }
}

TEST_F(SparseTest, TakesTheTimeOfAProductHalfAsDeep) {
    arrange(32, 32, 128);
    load(4);
    Mmad half = product(32, 32);
    const TimedOp sparse = issued(MmadSparse{half});
    half.k = 64;
    EXPECT_EQ(sparse.occupies, issued(half).occupies);
    // 4 fractals of weights and a quarter of that in indices, 128 bytes a cycle into L0B.
    const TimedOp loaded = issued(LoadSparse{.destination = 0, .index = index_at, .repeat = 4});
    EXPECT_EQ(loaded.occupies, chip_.mte1.gap_cycles + 4 * 640 / chip_.mte1.l0b_bytes_per_cycle);
}

TEST_F(SparseTest, RefusesOtherTypesAndOddPlaces) {
    arrange(16, 16, 64);
    Mmad mmad = product(16, 16);
    mmad.c_type = DataType::float32;
    EXPECT_THAT(failure(MmadSparse{mmad}), testing::HasSubstr("must be int8"));
    EXPECT_THAT(failure(LoadSparse{.destination = 32, .repeat = 1}), testing::HasSubstr("multiple of 512"));
    EXPECT_THAT(failure(LoadSparse{.index = 16, .repeat = 1}), testing::HasSubstr("multiple of 32"));
}

}  // namespace
}  // namespace ascendsim::isa
