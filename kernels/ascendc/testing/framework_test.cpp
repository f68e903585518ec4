// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "models/numbers/half.hpp"
#include "models/port/testing/plain_core.hpp"

extern "C" void add_custom(std::uint8_t* x, std::uint8_t* y, std::uint8_t* z, std::uint32_t n);

namespace ascendsim::isa {
namespace {

struct VectorAdd : testing::Test {
    ChipSpec chip;
    GlobalMemory memory{1U << 26U};

    half* tensor(const char* name, std::size_t n) {
        return reinterpret_cast<half*>(memory.allocate(name, n * 2));
    }
};

TEST_F(VectorAdd, ComputesAndUsesFlagsInPairs) {
    constexpr std::uint32_t n = 4 * 2048;
    half* x = tensor("x", n);
    half* y = tensor("y", n);
    half* z = tensor("z", n);
    for (std::uint32_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i % 100);
        y[i] = static_cast<float>(i % 7) * 0.5F;
    }
    PlainCore core{chip, memory, CoreKind::aiv};
    add_custom(reinterpret_cast<std::uint8_t*>(x),
               reinterpret_cast<std::uint8_t*>(y),
               reinterpret_cast<std::uint8_t*>(z),
               n);
    for (std::uint32_t i = 0; i < n; ++i) {
        ASSERT_EQ(float{z[i]}, 2.0F * (static_cast<float>(i % 100) + static_cast<float>(i % 7) * 0.5F)) << i;
    }
    const auto& ops = core.ops();
    const auto sets = std::ranges::count(ops, OpKind::set_flag, &TimedOp::kind);
    const auto waits = std::ranges::count(ops, OpKind::wait_flag, &TimedOp::kind);
    EXPECT_EQ(sets, 4 * 6);  // per tile: three EnQue and three FreeTensor
    EXPECT_EQ(waits, sets);
    EXPECT_EQ(std::ranges::count(ops, OpKind::transfer, &TimedOp::kind), 4 * 3);
    const auto last =
        std::find_if(ops.rbegin(), ops.rend(), [](const TimedOp& op) { return op.kind != OpKind::buffer; });
    ASSERT_NE(last, ops.rend());
    EXPECT_EQ(last->kind, OpKind::barrier_all);  // news of buffers may follow
}

TEST_F(VectorAdd, NamesThePositionAndSizesWhenTheBufferIsFull) {
    chip.buffers.ub = 16384;
    half* x = tensor("x", 2048);
    PlainCore core{chip, memory, CoreKind::aiv};
    core.set_strict(true);
    auto* bytes = reinterpret_cast<std::uint8_t*>(x);
    try {
        add_custom(bytes, bytes, bytes, 2048);
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(
            std::string{error.what()}.find("position VECOUT (ub): 8192 bytes requested, 16384 of 16384"),
            std::string::npos)
            << error.what();
    }
}

TEST_F(VectorAdd, GoesOnWithoutRoomUntilSomethingUsesIt) {
    chip.buffers.ub = 16384;
    half* x = tensor("x", 2048);
    PlainCore core{chip, memory, CoreKind::aiv};
    auto* bytes = reinterpret_cast<std::uint8_t*>(x);
    try {
        add_custom(bytes, bytes, bytes, 2048);
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("but ub has 16384 bytes on this core; InitBuffer at "), std::string::npos)
            << text;
        EXPECT_NE(text.find("asked for more than there is"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace ascendsim::isa
