// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/cube_copy.hpp"

#include <gmock/gmock.h>

#include "models/isa/cube/cube_tables.hpp"
#include "models/isa/testing/cube_fixture.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

class CubeCopyTest : public CubeFixture {
protected:
    CubeCopyTest() { scramble(input_, input_bytes); }

    static constexpr std::size_t input_bytes = 1U << 20U;
    std::byte* input_ = memory_.allocate("input", input_bytes);
};

TEST_F(CubeCopyTest, TurnsRowMajorMatricesIntoColumnsOfBlocks) {
    for (int trial = 0; trial < 40; ++trial) {
        const std::uint32_t size = 1U << random(0, 2);
        const std::uint32_t c0 = 32 / size;
        CopyNdToNz copy{.destination = 32 * random(0, 20),
                        .element_bytes = size,
                        .count = random(1, 3),
                        .rows = random(1, 40),
                        .columns = random(1, 90)};
        copy.source = memory_.offset_of(input_) + random(0, 50) * size;
        copy.source_row_pitch = copy.columns + random(0, 20);
        copy.source_matrix_pitch = copy.rows * copy.source_row_pitch + random(0, 9);
        copy.block_row_pitch = random(1, 2);
        copy.block_column_pitch = copy.rows * copy.block_row_pitch + random(0, 4);
        copy.matrix_pitch = ceil_div(copy.columns, c0) * copy.block_column_pitch * c0;
        const TimedOp op = issued(copy);
        for (std::uint32_t matrix = 0; matrix < copy.count; ++matrix) {
            for (std::uint32_t row = 0; row < copy.rows; ++row) {
                for (std::uint32_t column = 0; column < round_up(copy.columns, c0); ++column) {
                    const std::byte* from =
                        memory_.base() + copy.source +
                        (matrix * copy.source_matrix_pitch + row * copy.source_row_pitch + column) * size;
                    const std::byte* to =
                        local(Memory::l1, copy.destination) + matrix * copy.matrix_pitch * size +
                        (std::size_t{column / c0} * copy.block_column_pitch + row * copy.block_row_pitch) *
                            32 +
                        column % c0 * size;
                    const std::uint32_t zero = 0;
                    ASSERT_EQ(
                        std::memcmp(to,
                                    column < copy.columns ? from : reinterpret_cast<const std::byte*>(&zero),
                                    size),
                        0);
                }
            }
        }
        EXPECT_EQ(op.kind, OpKind::transfer);
        const Transfer& transfer = core_.transfer(op);
        EXPECT_EQ(transfer.bytes(), std::uint64_t{copy.count} * copy.rows * copy.columns * size);
        EXPECT_EQ(transfer.route, Route::gm_to_l1_nd2nz);
        EXPECT_EQ(transfer.offset, copy.source);
    }
}

TEST_F(CubeCopyTest, ReadsBeyondTheInputGoOnButNotBeyondL1) {
    CopyNdToNz copy{.source = memory_.offset_of(input_),
                    .rows = 1024,
                    .columns = 513,
                    .source_row_pitch = 513,
                    .block_column_pitch = 1024,
                    .block_row_pitch = 1};
    // 1024 * 513 halves are more than the input has, which is a finding alone, and than L1 has.
    EXPECT_THAT(failure(copy), testing::HasSubstr("l1 has 524288 bytes"));
    copy.columns = 512;
    copy.source_row_pitch = 512;
    EXPECT_THAT(failure(copy), testing::HasSubstr("l1 has 524288 bytes"));
}

TEST_F(CubeCopyTest, LoadsFractalsStraightIntoL0) {
    const TimedOp op = issued(CopyGmFractals{.destination = {Memory::l0b, 512},
                                             .source = memory_.offset_of(input_) + 1024,
                                             .rows = 3,
                                             .row_bytes = 512,
                                             .source_pitch = 2048,
                                             .destination_pitch = 1024});
    EXPECT_EQ(std::memcmp(local(Memory::l0b, 512 + 2 * 1024), input_ + 1024 + 2 * 2048, 512), 0);
    EXPECT_EQ(core_.transfer(op).route, Route::gm_to_l0);
    EXPECT_EQ(op.bytes, 1536U);
}

TEST_F(CubeCopyTest, BiasWidensOnItsWayToTheTable) {
    for (std::uint32_t i = 0; i < 16; ++i) {
        put<half>(local(Memory::l1, 64), i, half{static_cast<float>(i) - 7.5F});
    }
    const TimedOp op = issued(
        LoadTable{.destination = {Memory::bias_table, 128}, .source = 64, .row_bytes = 64, .widen = true});
    EXPECT_EQ(get<float>(local(Memory::bias_table, 128), 15), 7.5F);
    EXPECT_EQ(op.pipe, Pipe::mte1);
    EXPECT_EQ(op.occupies, 64U / 32 + chip_.mte1.gap_cycles);
    EXPECT_THAT(failure(LoadTable{.destination = {Memory::bias_table, 0}, .row_bytes = 2048}),
                testing::HasSubstr("bias_table has 1024 bytes"));
}

TEST_F(CubeCopyTest, FillsRunsAndLeavesTheGaps) {
    scramble(local(Memory::l1), 4096);
    const auto kept = get<std::uint64_t>(local(Memory::l1, 64), 0);
    const TimedOp op = issued(FillConstant{.destination = {Memory::l1, 0},
                                           .repeat = 2,
                                           .run_bytes = 64,
                                           .gap_bytes = 32,
                                           .pattern = 0x3C003C00});
    EXPECT_EQ(get<half>(local(Memory::l1, 96), 31), half{1.0F});
    EXPECT_EQ(get<std::uint64_t>(local(Memory::l1, 64), 0), kept);
    EXPECT_EQ(op.pipe, Pipe::mte2);
    EXPECT_EQ(issued(FillConstant{.destination = {Memory::l0a, 0}, .repeat = 1, .run_bytes = 512}).pipe,
              Pipe::mte1);
}

}  // namespace
}  // namespace ascendsim::isa
