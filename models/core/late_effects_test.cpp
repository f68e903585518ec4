// SPDX-License-Identifier: Apache-2.0
#include "models/core/late_effects.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "models/core/testing_programs.hpp"
#include "models/isa/move/copy_gm_ub.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/isa/vector/elementwise.hpp"
#include "models/isa/vector/vector_mask.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t count = 8;
constexpr std::uint32_t bytes = count * sizeof(float);
constexpr std::uint32_t timings = 12;

isa::VectorOperand at(std::uint32_t offset) {
    return {.offset = offset, .type = isa::DataType::float32};
}

void add(std::uint32_t dst, std::uint32_t src, float value) {
    isa::lanes(isa::LaneOp::adds,
               {at(dst), at(src), {}, isa::ScalarBits{value}, isa::shape_of_count(count)},
               testing::here);
}

void hand_on(Pipe from, Pipe to) {
    isa::set_flag(from, to, 0, testing::here);
    isa::wait_flag(from, to, 0, testing::here);
}

void copy_in(std::uint32_t to, const void* from) {
    isa::copy_in({Memory::ub, to}, from, {.row_bytes = bytes}, testing::here);
}

void copy_out(const void* to, std::uint32_t from) {
    isa::copy_out(to, {Memory::ub, from}, {.row_bytes = bytes}, testing::here);
}

/// The first float of `y` after a program whose `x` holds ones, in timing `number`; UB starts as zeros.
float result_of(const std::function<void(std::byte* x, std::byte* y)>& program, std::uint32_t number) {
    static const ChipSpec chip = testing::plain_chip();
    record::Recorder recorder{""};
    Machine machine{chip,
                    recorder,
                    {.timing = {.seed = 1, .number = number}, .cold_code = false, .launch_overhead = false}};
    std::byte* x = machine.memory().allocate("x", 64 * bytes);
    std::byte* y = machine.memory().allocate("y", 64 * bytes);
    const std::vector<float> ones(std::size_t{64} * count, 1.0F);
    std::memcpy(x, ones.data(), ones.size() * sizeof(float));
    machine.run([&](Machine& m) {
        m.launch(
            {.name = "test", .kind = CoreUse::aiv, .blocks = 1, .vector_program = [&] { program(x, y); }});
    });
    float first = 0;
    std::memcpy(&first, y, sizeof first);
    return first;
}

// One simulation a process: each test looks at one timing, told by its parameter.
class LateEffects : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LateEffects, KeepWhatFlagsOrder) {
    const float result = result_of(
        [](std::byte* x, std::byte* y) {
            for (int i = 0; i < 40; ++i) {  // more than a queue holds
                copy_in(0, x);
                hand_on(Pipe::mte2, Pipe::vector);
                add(bytes, 0, 1.0F);
                isa::pipe_barrier(Pipe::vector, testing::here);
                add(bytes, bytes, 1.0F);
                hand_on(Pipe::vector, Pipe::mte2);
                hand_on(Pipe::vector, Pipe::mte3);
                copy_out(y, bytes);
                hand_on(Pipe::mte3, Pipe::vector);
            }
        },
        GetParam());
    EXPECT_EQ(result, 3.0F);
}

INSTANTIATE_TEST_SUITE_P(Timings, LateEffects, ::testing::Range(0U, timings));

// What a reader finds that does not wait for the copy before it: zeros, in some timings.
class LateCopies : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LateCopies, AreNotThereForWhoDoesNotWait) {
    const auto program = [](std::byte* x, std::byte* y) {
        copy_in(0, x);
        add(bytes, 0, 1.0F);
        hand_on(Pipe::vector, Pipe::mte3);
        copy_out(y, bytes);
    };
    // 2: MTE2 is late and the others are early; 0: in program order.
    EXPECT_EQ(result_of(program, GetParam()), GetParam() == 2 ? 1.0F : 2.0F);
}

INSTANTIATE_TEST_SUITE_P(Timings, LateCopies, ::testing::Values(0U, 2U));

class LateReads : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LateReads, FindWhatWasCopiedOverTheirSource) {
    const auto program = [](std::byte* x, std::byte* y) {
        copy_in(0, x);
        hand_on(Pipe::mte2, Pipe::vector);
        add(bytes, 0, 1.0F);
        copy_in(0, y);  // zeros, and nobody says that the ones have been read
        hand_on(Pipe::vector, Pipe::mte3);
        copy_out(y, bytes);
    };
    // 3: the vector unit is late.
    EXPECT_EQ(result_of(program, GetParam()), GetParam() == 3 ? 1.0F : 2.0F);
}

INSTANTIATE_TEST_SUITE_P(Timings, LateReads, ::testing::Values(0U, 3U));

class LateAtomics : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(LateAtomics, AddAsTheRegistersSaidWhenTheyWereIssued) {
    const auto program = [](std::byte* x, std::byte* y) {
        copy_in(0, x);
        hand_on(Pipe::mte2, Pipe::mte3);
        isa::Registers& registers = isa::CorePort::current().registers();
        registers.atomic = isa::AtomicMode::add;
        registers.atomic_type = static_cast<std::uint8_t>(isa::DataType::float32);
        copy_out(y, 0);
        copy_out(y, 0);
        registers.atomic = isa::AtomicMode::none;
    };
    EXPECT_EQ(result_of(program, GetParam()), 2.0F);
}

INSTANTIATE_TEST_SUITE_P(Timings, LateAtomics, ::testing::Values(0U, 1U, 4U));

}  // namespace
}  // namespace ascendsim
