// SPDX-License-Identifier: Apache-2.0
#include "models/isa/sync/unit_flag.hpp"

#include <string>

#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {
namespace {

struct UnitFlagTest : testing::Test {
    ChipSpec chip;
    GlobalMemory memory{1U << 20U};
    PlainCore core{chip, memory, CoreKind::aic};

    void mmad(std::uint8_t unit_flag, std::uint32_t result = 0) {
        before_unit_mmad(result, unit_flag, {});
        after_unit_mmad(result, unit_flag, {});
    }

    void fixpipe(std::uint8_t unit_flag, std::uint32_t result = 0) {
        before_unit_fixpipe(result, unit_flag, {});
        after_unit_fixpipe(result, unit_flag, {});
    }

    /// "S8" for each set by the cube of flag 8, "w8" for each wait of fixpipe, "s8" and "W8" the other way.
    std::string order() {
        std::string text;
        for (const TimedOp& op : core.ops()) {
            const bool set = op.kind == OpKind::set_flag;
            const bool forth = static_cast<Pipe>(op.a) == Pipe::cube;
            text += (set ? (forth ? "S" : "s") : (forth ? "w" : "W")) + std::to_string(op.id) + " ";
        }
        return text;
    }
};

TEST_F(UnitFlagTest, AResultGoesForthAndItsPlaceBack) {
    mmad(2);
    mmad(2);
    mmad(3);
    fixpipe(2);
    fixpipe(3);
    mmad(3);
    fixpipe(3);
    EXPECT_EQ(order(), "S8 w8 s8 W8 S8 w8 s8 ");
}

TEST_F(UnitFlagTest, TheHalvesOfL0cAreHandedOverApart) {
    const std::uint32_t half = chip.buffers.l0c / 2;
    mmad(3, 0);
    mmad(3, half);
    fixpipe(3, 0);
    mmad(3, 0);
    fixpipe(3, half);
    EXPECT_EQ(order(), "S8 S9 w8 s8 W8 S8 w9 s9 ");
}

TEST_F(UnitFlagTest, WithoutItNothingIsOrdered) {
    mmad(0);
    fixpipe(0);
    EXPECT_EQ(order(), "");
}

}  // namespace
}  // namespace ascendsim::isa
