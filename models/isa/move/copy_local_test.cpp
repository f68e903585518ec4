// SPDX-License-Identifier: Apache-2.0
#include "models/isa/move/copy_local.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {
namespace {

constexpr Site here{"test", 1};

/// A coupled core with the rates of 310P3.
class CopyLocalTest : public testing::Test {
protected:
    CopyLocalTest() {
        chip_.name = "310p3";
        chip_.coupled = {.l1_ub_bytes_per_cycle = 128, .ub_l1_bytes_per_cycle = 256};
    }

    /// Cycles that copying 32 KiB holds its pipe, the gap between copies left out.
    std::uint32_t cycles(Memory from, Memory to, Pipe pipe) {
        PlainCore core{chip_, memory_, CoreKind::coupled};
        std::memset(core.local(from).data(), 7, bytes);
        copy_local({.dst = {to, 0}, .src = {from, 0}, .row_bytes = bytes}, here);
        EXPECT_EQ(std::memcmp(core.local(from).data(), core.local(to).data(), bytes), 0);
        EXPECT_EQ(core.ops().back().pipe, pipe);
        return core.ops().back().occupies - chip_.mte1.gap_cycles;
    }

    static constexpr std::uint32_t bytes = 32768;
    ChipSpec chip_;
    GlobalMemory memory_{1U << 20U};
};

TEST_F(CopyLocalTest, EachWayOfACoupledCoreHasItsOwnRate) {
    EXPECT_EQ(cycles(Memory::l1, Memory::ub, Pipe::mte1), bytes / 128);
    EXPECT_EQ(cycles(Memory::ub, Memory::l1, Pipe::mte3), bytes / 256);
}

TEST_F(CopyLocalTest, AChipWithoutThePathSaysSo) {
    chip_.coupled.ub_l1_bytes_per_cycle = 0;
    const PlainCore core{chip_, memory_, CoreKind::coupled};
    try {
        copy_local({.dst = {Memory::l1, 0}, .src = {Memory::ub, 0}, .row_bytes = 32}, here);
        FAIL() << "copied";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("chip 310p3 has no path from ub to l1"));
    }
}

}  // namespace
}  // namespace ascendsim::isa
