// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/ascendc/testing/intrinsics_test.hpp"

extern "C" void intrinsic_calls(std::uint8_t* x, std::uint8_t* y, std::uint8_t* out);
extern "C" void list_calls(std::uint8_t* list, std::uint8_t* out);
extern "C" void turn_calls(std::uint8_t* flags);
extern "C" void unavailable_calls();
extern "C" void function_calls(std::uint8_t* x);

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t row = 64;

class Intrinsics : public IntrinsicsTest {};

TEST_F(Intrinsics, DoWhatTheCallsOfTheirMeaningDo) {
    auto* x = tensor<float>("x", row);
    auto* y = tensor<float>("y", row);
    auto* out = tensor<float>("out", 15 * row);
    for (std::uint32_t i = 0; i < row; ++i) {
        x[i] = static_cast<float>((i * 37) % row) * 0.25F - 4.0F;  // all different, -4 to 11.75
        y[i] = static_cast<float>(i + 1);
    }
    // In the buffer: rows of three values of y, filled up with the padding value.
    const auto padded = [&](std::uint32_t i) { return i % 8 < 3 ? y[i / 8 * 3 + i % 8] : -1.0F; };
    const float sum = std::accumulate(x, x + row, 0.0F);
    PlainCore core{chip, memory, CoreKind::aiv};
    intrinsic_calls(reinterpret_cast<std::uint8_t*>(x),
                    reinterpret_cast<std::uint8_t*>(y),
                    reinterpret_cast<std::uint8_t*>(out));
    std::uint32_t next = 0;
    const auto expect = [&](const char* what, const std::function<float(std::uint32_t)>& value) {
        for (std::uint32_t i = 0; i < row; ++i) {
            ASSERT_EQ(out[next * row + i], value(i)) << what << " at " << i;
        }
        ++next;
    };
    expect("vadd", [&](auto i) { return x[i] + padded(i); });
    expect("vmuls", [&](auto i) { return x[i] * 3.0F; });
    expect("vabs, 16 lanes", [&](auto i) { return i < 16 ? std::abs(x[i]) : 0.0F; });
    expect("vmla", [&](auto i) { return 1.0F + x[i] * padded(i); });
    expect("vcmpvs_gt, vsel", [&](auto i) { return x[i] > 5.0F ? x[i] : padded(i); });
    expect("vgather", [&](auto) { return x[2]; });  // 8 bytes on
    expect("vcadd", [&](auto i) { return i == 0 ? sum : 0.0F; });
    expect("vcgmax", [&](auto i) { return i < 8 ? *std::max_element(x + 8 * i, x + 8 * i + 8) : 0.0F; });
    expect("ReduceRepeat", [&](auto i) { return i == 0 ? sum : 0.0F; });
    expect("ReduceDataBlock",
           [&](auto i) { return i < 8 ? *std::min_element(x + 8 * i, x + 8 * i + 8) : 0.0F; });
    expect("GetPhyAddr", [&](auto) { return 4.0F + 0x800; });
    expect("vcadd to the register", [&](auto) { return sum; });
    expect("vconv_f322s32f", [&](auto i) { return std::floor(x[i]); });
    expect("scalar functions", [&](auto) { return 67.0F; });
    expect("copy_data_align64", [&](auto) { return x[0] + x[1] + x[2]; });
}

TEST_F(Intrinsics, ReadAListOfTensors) {
    auto* first = tensor<std::int32_t>("first", 1);
    auto* second = tensor<std::int32_t>("second", 1);
    *first = 11;
    *second = 22;
    // Shapes (5) and (2, 3); the pointers start behind six words, at byte 48.
    const std::uint64_t words[]{48,
                                1,
                                5,
                                2 | std::uint64_t{1} << 32U,
                                2,
                                3,
                                reinterpret_cast<std::uint64_t>(first),
                                reinterpret_cast<std::uint64_t>(second)};
    auto* list = tensor<std::uint64_t>("list", 8);
    std::ranges::copy(words, list);
    auto* out = tensor<std::uint64_t>("out", 7);
    PlainCore core{chip, memory, CoreKind::aiv};
    list_calls(reinterpret_cast<std::uint8_t*>(list), reinterpret_cast<std::uint8_t*>(out));
    const std::uint64_t expected[]{2, 1, 5, 11, 2, 3, 22};
    EXPECT_TRUE(std::ranges::equal(expected, expected + 7, out, out + 7));
}

TEST_F(Intrinsics, CountTheTurnsOfABlock) {
    auto* flags = tensor<std::int32_t>("flags", 8);
    flags[0] = 77;  // the workspace need not be cleared
    PlainCore core{chip, memory, CoreKind::aiv};
    turn_calls(reinterpret_cast<std::uint8_t*>(flags));
    EXPECT_EQ(flags[0], 2);
}

TEST_F(Intrinsics, AreCallsThatKernelsPassAsTemplateArguments) {
    auto* x = tensor<float>("x", 8);
    for (std::uint32_t i = 0; i < 8; ++i) {
        x[i] = static_cast<float>(i);
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    function_calls(reinterpret_cast<std::uint8_t*>(x));
    for (std::uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(x[i], static_cast<float>(4 * i * i + 2));
    }
    // A plain call keeps its line; the others have none.
    const auto& ops = core.ops();
    const auto calls = std::ranges::count_if(
        ops, [](const TimedOp& op) { return op.info->name == "vadds" && op.site.line > 0; });
    EXPECT_EQ(calls, 1);
}

TEST_F(Intrinsics, NameACallThatIsDeclaredOnlyWithItsLine) {
    PlainCore core{chip, memory, CoreKind::aiv};
    try {
        unavailable_calls();
        FAIL() << "it returned";
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("ProposalExtract"), std::string::npos) << text;
        EXPECT_NE(text.find("line 159"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace ascendsim::isa
