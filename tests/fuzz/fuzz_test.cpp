// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/fuzz/campaign.hpp"
#include "tests/fuzz/interpret.hpp"

namespace fuzz {
namespace {

TEST(Fuzz, RandomProgramsFollowTheDocumentation) {
    const Outcome outcome = run_campaign(2000, 20'000'000);
    for (const std::string& difference : outcome.differences) {
        ADD_FAILURE() << difference;
    }
    EXPECT_EQ(outcome.programs, 2000U);
    EXPECT_LT(outcome.unchecked, outcome.instructions / 5);  // else the check says little
    for (std::size_t op = 0; op < outcome.checked.size(); ++op) {
        EXPECT_GE(outcome.checked[op], 20U) << "operation " << op;
    }
}

TEST(Fuzz, AWrongResultIsNoticed) {
    // A high bit of the first result of three sums.
    std::uint64_t changed = 0;
    const Outcome outcome = run_campaign(100, 1, [&](const Instruction& i, Image& image) {
        if (i.op == Op::add && changed < 3) {
            image[i.dst + size_of(i.type) - 1] ^= 0x40;
            ++changed;
        }
    });
    EXPECT_EQ(changed, 3U);
    EXPECT_EQ(outcome.differences.size(), 3U);
}

TEST(Fuzz, AWriteBesideTheResultIsNoticed) {
    bool changed = false;
    const Outcome outcome = run_campaign(20, 2, [&](const Instruction& i, Image& image) {
        if (!changed && i.op <= Op::sub_relu) {
            image[i.dst < image_bytes / 2 ? image_bytes - 1 : 0] ^= 0x40;
            changed = true;
        }
    });
    EXPECT_EQ(outcome.differences.size(), 1U);
}

TEST(Fuzz, TheInterpreterRoundsHalvesToEven) {
    // Between 2048 and 4096 halves are 2 apart: 2049 lies in the middle of 2048 and 2050, 2051 of 2050 and
    // 2052.
    EXPECT_EQ(to_half(2049), 2048);
    EXPECT_EQ(to_half(2051), 2052);
    EXPECT_EQ(to_half(2049, Round::ceil), 2050);
    EXPECT_EQ(to_half(-2049, Round::floor), -2050);
    EXPECT_EQ(to_half(2049, Round::away), 2050);
    EXPECT_EQ(to_half(2049, Round::trunc), 2048);
    EXPECT_EQ(to_half(2048.5, Round::odd), 2050);
    EXPECT_EQ(to_half(65520), HUGE_VAL);
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        EXPECT_EQ(encode_half(decode_half(static_cast<std::uint16_t>(bits))), bits);
    }
}

TEST(Fuzz, TheInterpreterTakesTheLanesOfAMask) {
    Image image{};
    Instruction twice;  // of bits 0 and 2 of one repeat
    twice.op = Op::duplicate;
    twice.form = Form::bits;
    twice.mask[0] = 5;
    twice.scalar = 7;
    interpret(twice, image);
    EXPECT_EQ(image[0], 7);
    EXPECT_EQ(image[4], 0);
    EXPECT_EQ(image[8], 7);
}

}  // namespace
}  // namespace fuzz
