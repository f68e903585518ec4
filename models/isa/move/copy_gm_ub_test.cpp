// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/copy_gm_ub.hpp"

#include <gtest/gtest.h>

#include "models/isa/sync/synchronise.hpp"
#include "models/isa/testing/vector_bench.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {
namespace {

constexpr Site here{"test", 1};

class Copy : public VectorBench {
protected:
    std::byte* filled(const char* name, std::uint32_t bytes) {
        std::byte* data = memory.allocate(name, bytes);
        for (std::uint32_t i = 0; i < bytes; ++i) {
            data[i] = static_cast<std::byte>(below(256));
        }
        return data;
    }
};

TEST_F(Copy, MovesRowsWithGapsAndDescribesThem) {
    const std::byte* gm = filled("x", 4096);
    copy_in(
        {Memory::ub, 64}, gm + 32, {.rows = 4, .row_bytes = 96, .gm_pitch = 160, .local_pitch = 128}, here);
    for (std::uint32_t row = 0; row < 4; ++row) {
        EXPECT_EQ(std::memcmp(ub() + 64 + 128 * row, gm + 32 + 160 * row, 96), 0) << row;
    }
    const TimedOp& op = core.ops().back();
    const Transfer& transfer = core.transfer(op);
    EXPECT_EQ(op.pipe, Pipe::mte2);
    EXPECT_EQ(op.bytes, 4U * 96);
    EXPECT_EQ(transfer.rows, 4U);
    EXPECT_EQ(transfer.row_pitch, 160U);
    EXPECT_EQ(transfer.offset, memory.offset_of(gm) + 32);
    EXPECT_EQ(transfer.route, Route::gm_to_ub);
}

TEST_F(Copy, PadsRowsOfBytes) {
    const std::byte* gm = filled("x", 4096);
    const CopyPadding padding{
        .left_bytes = 4, .right_bytes = 8, .element_bytes = 4, .pads = true, .value = 0xAABBCCDDU};
    copy_in_padded(
        {Memory::ub, 0}, gm, {.rows = 3, .row_bytes = 20, .gm_pitch = 21, .local_pitch = 64}, padding, here);
    for (std::uint32_t row = 0; row < 3; ++row) {
        EXPECT_EQ(at<std::uint32_t>(64 * row), 0xAABBCCDDU);
        EXPECT_EQ(std::memcmp(ub() + 64 * row + 4, gm + 21 * row, 20), 0);
        EXPECT_EQ(at<std::uint32_t>(64 * row + 24), 0xAABBCCDDU);
        EXPECT_EQ(at<std::uint32_t>(64 * row + 28), 0xAABBCCDDU);
    }
}

TEST_F(Copy, WritesOnlyTheBytesAskedFor) {
    std::byte* gm = filled("x", 256);
    const std::byte guard = gm[13];
    copy_out_bytes(
        gm, {Memory::ub, 0}, {.rows = 2, .row_bytes = 13, .gm_pitch = 20, .local_pitch = 32}, here);
    EXPECT_EQ(std::memcmp(gm, ub(), 13), 0);
    EXPECT_EQ(std::memcmp(gm + 20, ub() + 32, 13), 0);
    EXPECT_EQ(gm[13], guard);
    EXPECT_EQ(core.transfer(core.ops().back()).route, Route::ub_to_gm);
}

TEST_F(Copy, AddsWhereTheAtomicRegisterSaysSo) {
    auto* gm = reinterpret_cast<float*>(memory.allocate("sum", 64));
    for (std::uint32_t i = 0; i < 16; ++i) {
        gm[i] = 10.0F;
        put(4 * i, static_cast<float>(i));
    }
    core.registers().atomic = AtomicMode::add;
    core.registers().atomic_type = static_cast<std::uint8_t>(DataType::float32);
    copy_out(gm, {Memory::ub, 0}, {.rows = 1, .row_bytes = 64, .gm_pitch = 64, .local_pitch = 64}, here);
    EXPECT_EQ(gm[7], 17.0F);
    EXPECT_TRUE(core.transfer(core.ops().back()).atomic);
    core.registers().atomic = AtomicMode::max;
    copy_out(gm, {Memory::ub, 32}, {.rows = 1, .row_bytes = 32, .gm_pitch = 32, .local_pitch = 32}, here);
    EXPECT_EQ(gm[7], 17.0F);
    EXPECT_EQ(gm[0], 10.0F);
}

TEST_F(Copy, RefusesMisalignedBuffersAndForeignAddresses) {
    const std::byte* gm = filled("x", 64);
    const CopyShape shape{.rows = 1, .row_bytes = 32, .gm_pitch = 32, .local_pitch = 32};
    EXPECT_THROW(copy_in({Memory::ub, 16}, gm, shape, here), std::runtime_error);
    EXPECT_THROW(copy_in({Memory::ub, 0}, nullptr, shape, here), std::runtime_error);
    EXPECT_NO_THROW(copy_in({Memory::ub, 0}, gm + 33, shape, here));  // reads on, as the chip does: a finding
    EXPECT_THROW(copy_in({Memory::ub, chip.buffers.ub}, gm, shape, here), std::runtime_error);
}

TEST_F(Copy, RefusesMoreBlocksAndPaddingThanItsFieldsHold) {
    std::byte* gm = filled("x", 65536);
    CopyShape shape{.rows = 4095, .row_bytes = 4, .gm_pitch = 4, .local_pitch = 32};
    EXPECT_NO_THROW(copy_in_padded({Memory::ub, 0}, gm, shape, {.right_bytes = 28}, here));
    EXPECT_NO_THROW(copy_out_bytes(gm, {Memory::ub, 0}, shape, here));
    shape.rows = 4096;
    EXPECT_THROW(copy_in_padded({Memory::ub, 0}, gm, shape, {}, here), std::runtime_error);
    EXPECT_THROW(copy_out_bytes(gm, {Memory::ub, 0}, shape, here), std::runtime_error);
    shape.rows = 1;
    EXPECT_NO_THROW(copy_in_padded({Memory::ub, 0}, gm, shape, {.left_bytes = 32}, here));
    EXPECT_THROW(copy_in_padded({Memory::ub, 0}, gm, shape, {.left_bytes = 36}, here), std::runtime_error);
}

TEST_F(Copy, LeavesDataAloneInATimingRunUnlessItSteersTheKernel) {
    const std::byte* data = filled("x", 64);
    std::byte* tiling = memory.allocate("tiling", 64, true);
    tiling[0] = std::byte{42};
    std::memset(ub(), 0, 64);
    core.set_functional(false);
    const CopyShape shape{.rows = 1, .row_bytes = 32, .gm_pitch = 32, .local_pitch = 32};
    copy_in({Memory::ub, 0}, data, shape, here);
    copy_in({Memory::ub, 32}, tiling, shape, here);
    EXPECT_EQ(at<std::uint64_t>(0), 0U);
    EXPECT_EQ(at<std::byte>(32), std::byte{42});
}

TEST_F(Copy, SynchronisationNamesBothPipesAndChecksIds) {
    set_flag(Pipe::mte2, Pipe::vector, 3, here);
    EXPECT_EQ(core.ops().back().kind, OpKind::set_flag);
    EXPECT_EQ(core.ops().back().pipe, Pipe::mte2);
    wait_flag(Pipe::mte2, Pipe::vector, 3, here);
    EXPECT_EQ(core.ops().back().pipe, Pipe::vector);
    EXPECT_EQ(core.ops().back().id, 3U);
    set_flag(Pipe::mte2, Pipe::vector, chip.sync.flag_ids, here);  // published kernels do, and are told
    EXPECT_EQ(core.ops().back().id, chip.sync.flag_ids);
    EXPECT_THROW(set_flag(Pipe::mte2, Pipe::vector, 2 * chip.sync.flag_ids, here), std::runtime_error);
    EXPECT_THROW(set_flag(Pipe::cube, Pipe::fixpipe, chip.sync.flag_ids, here), std::runtime_error);
    EXPECT_THROW(cross_core_set(Pipe::mte3, 3, 0, here), std::runtime_error);
    EXPECT_THROW(cross_core_wait(Pipe::mte3, chip.sync.cross_flag_ids, here), std::runtime_error);
}

}  // namespace
}  // namespace ascendsim::isa
