// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/elementwise.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "models/isa/testing/vector_bench.hpp"
#include "models/isa/vector/vector_mask.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t a_offset = 32768;
constexpr std::uint32_t b_offset = 98304;
constexpr Site here{"test", 1};

class Lanes : public VectorBench {
protected:
    template <class T>
    using Reference = std::function<double(double dst, double a, double b, double scalar)>;

    /// Random masks, strides and counts of one operation against its definition, element by element.
    template <class T>
    void check(LaneOp op, DataType type, const Reference<T>& reference, double tolerance = 0) {
        constexpr std::uint32_t lanes_per_repeat = 256 / sizeof(T);
        for (int trial = 0; trial < 60; ++trial) {
            fill_small<T>();
            LaneCall call;
            call.shape = random_shape(lanes_per_repeat);
            call.dst = random_operand(0, type, true);
            call.a = random_operand(a_offset, type, false);
            call.b = random_operand(b_offset, type, false);
            if (trial % 4 == 0) {  // the dense case, which takes a path of its own
                call.dst = {0, 1, 8, type};
                call.a = {trial % 8 == 0 ? 0 : a_offset, 1, 8, type};
                call.b = {b_offset, 1, 8, type};
            }
            const T scalar = static_cast<T>(3.0F);
            call.scalar = ScalarBits{scalar};
            const auto before = snapshot();
            lanes(op, call, here);
            compare<T>(call, before, reference, tolerance);
            ASSERT_FALSE(HasFatalFailure()) << "trial " << trial;
        }
    }

    template <class T>
    void compare(const LaneCall& call,
                 const std::vector<std::byte>& before,
                 const Reference<T>& reference,
                 double tolerance) {
        constexpr std::uint32_t lanes_per_repeat = 256 / sizeof(T);
        auto expected = before;
        for (std::uint32_t r = 0; r < call.shape.repeat_count(lanes_per_repeat); ++r) {
            for (std::uint32_t lane = 0; lane < lanes_per_repeat; ++lane) {
                if (!call.shape.active(r, lane, lanes_per_repeat)) {
                    continue;
                }
                const std::uint32_t to = lane_offset(call.dst, r, lane);
                const T value =
                    static_cast<T>(reference(static_cast<double>(in<T>(before, to)),
                                             static_cast<double>(in<T>(before, lane_offset(call.a, r, lane))),
                                             static_cast<double>(in<T>(before, lane_offset(call.b, r, lane))),
                                             3.0));
                std::memcpy(expected.data() + to, static_cast<const void*>(&value), sizeof(T));
            }
        }
        for (std::uint32_t offset = 0; offset < expected.size(); offset += sizeof(T)) {
            const auto got = static_cast<double>(at<T>(offset));
            const auto want = static_cast<double>(in<T>(expected, offset));
            ASSERT_LE(std::fabs(got - want), tolerance * std::fabs(want)) << "at byte " << offset;
        }
    }

    template <class T>
    void check_arithmetic(DataType type) {
        check<T>(LaneOp::add, type, [](double, double a, double b, double) { return a + b; });
        check<T>(LaneOp::sub, type, [](double, double a, double b, double) { return a - b; });
        check<T>(LaneOp::mul, type, [](double, double a, double b, double) { return a * b; });
        check<T>(LaneOp::max, type, [](double, double a, double b, double) { return std::max(a, b); });
        check<T>(LaneOp::min, type, [](double, double a, double b, double) { return std::min(a, b); });
        check<T>(LaneOp::adds, type, [](double, double a, double, double s) { return a + s; });
        check<T>(LaneOp::muls, type, [](double, double a, double, double s) { return a * s; });
        check<T>(LaneOp::maxs, type, [](double, double a, double, double s) { return std::max(a, s); });
        check<T>(LaneOp::mins, type, [](double, double a, double, double s) { return std::min(a, s); });
        check<T>(LaneOp::abs, type, [](double, double a, double, double) { return std::fabs(a); });
        check<T>(LaneOp::relu, type, [](double, double a, double, double) { return std::max(a, 0.0); });
        check<T>(LaneOp::copy, type, [](double, double a, double, double) { return a; });
        check<T>(LaneOp::duplicate, type, [](double, double, double, double s) { return s; });
        check<T>(LaneOp::mul_add_dst, type, [](double d, double a, double b, double) {
            return static_cast<double>(static_cast<T>(a * b)) + d;
        });
    }
};

TEST_F(Lanes, ComputeHalvesAsDefined) {
    check_arithmetic<half>(DataType::half);
}

TEST_F(Lanes, ComputeFloatsAsDefined) {
    check_arithmetic<float>(DataType::float32);
}

TEST_F(Lanes, Compute16BitIntegersAsDefined) {
    check_arithmetic<std::int16_t>(DataType::int16);
}

TEST_F(Lanes, Compute32BitIntegersAsDefined) {
    check_arithmetic<std::int32_t>(DataType::int32);
}

TEST_F(Lanes, ComputeTheFloatOnlyFunctions) {
    constexpr double last_places = 4e-7;  // two units of fp32
    check<float>(
        LaneOp::div,
        DataType::float32,
        [](double, double a, double b, double) { return a / b; },
        last_places);
    check<float>(
        LaneOp::exp,
        DataType::float32,
        [](double, double a, double, double) { return std::exp(a); },
        last_places);
    check<float>(
        LaneOp::ln,
        DataType::float32,
        [](double, double a, double, double) { return std::log(a); },
        last_places);
    check<float>(
        LaneOp::sqrt,
        DataType::float32,
        [](double, double a, double, double) { return std::sqrt(a); },
        last_places);
    check<float>(
        LaneOp::rsqrt,
        DataType::float32,
        [](double, double a, double, double) { return 1 / std::sqrt(a); },
        last_places);
    check<float>(
        LaneOp::reciprocal,
        DataType::float32,
        [](double, double a, double, double) { return 1 / a; },
        last_places);
    check<float>(LaneOp::leaky_relu, DataType::float32, [](double, double a, double, double) { return a; });
    check<float>(
        LaneOp::axpy, DataType::float32, [](double d, double a, double, double s) { return a * s + d; });
    check<float>(LaneOp::fused_mul_add, DataType::float32, [](double d, double a, double b, double) {
        return a * d + b;
    });
}

TEST_F(Lanes, ComputeTheIntegerOnlyFunctions) {
    using I = std::int32_t;
    const auto i = [](double x) { return static_cast<I>(x); };
    check<I>(
        LaneOp::bit_and, DataType::int32, [i](double, double a, double b, double) { return i(a) & i(b); });
    check<I>(
        LaneOp::bit_or, DataType::int32, [i](double, double a, double b, double) { return i(a) | i(b); });
    check<I>(LaneOp::bit_not, DataType::int32, [i](double, double a, double, double) { return ~i(a); });
    check<I>(LaneOp::shift_left, DataType::int32, [i](double, double a, double, double) { return i(a) * 8; });
    check<I>(
        LaneOp::shift_right, DataType::int32, [i](double, double a, double, double) { return i(a) >> 3; });
    check<I>(LaneOp::shift_right_round, DataType::int32, [i](double, double a, double, double) {
        return (i(a) >> 3) + ((i(a) >> 2) & 1);
    });
}

TEST_F(Lanes, RoundTheProductOfAxpyToHalf) {
    // 3 * (1 + 2^-10) lies between two halves, 3 + 2^-9 and 3 + 2^-8, and goes to the even one.
    const half factor{1.0F + 1.0F / 1024};
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(2 * i, half{-3.0F});
        put(a_offset + 2 * i, factor);
    }
    const VectorShape shape = VectorShape::of_lanes(128, 1);
    lanes(LaneOp::axpy,
          {{0, 1, 8, DataType::half}, {a_offset, 1, 8, DataType::half}, {}, ScalarBits{half{3.0F}}, shape},
          here);
    EXPECT_EQ(static_cast<float>(at<half>(0)), 1.0F / 256);
    EXPECT_EQ(static_cast<float>(at<half>(254)), 1.0F / 256);
}

TEST_F(Lanes, RoundTheProductOfFusedMultiplyAddsToHalf) {
    // As above, with the destination as the factor of 3 and -3 added.
    for (const LaneOp op : {LaneOp::fused_mul_add, LaneOp::fused_mul_add_relu}) {
        for (std::uint32_t i = 0; i < 128; ++i) {
            put(2 * i, half{1.0F + 1.0F / 1024});
            put(a_offset + 2 * i, half{3.0F});
            put(b_offset + 2 * i, half{-3.0F});
        }
        lanes(op,
              {{0, 1, 8, DataType::half},
               {a_offset, 1, 8, DataType::half},
               {b_offset, 1, 8, DataType::half},
               {},
               VectorShape::of_lanes(128, 1)},
              here);
        EXPECT_EQ(static_cast<float>(at<half>(0)), 1.0F / 256);
        EXPECT_EQ(static_cast<float>(at<half>(254)), 1.0F / 256);
    }
}

TEST_F(Lanes, CopyAsManyElementsInEachRepeatAsTheCounterSays) {
    // Rows of 8 blocks become rows of 2: of each the first 20 of 16 elements a block; then of two rows 140.
    for (const std::uint32_t count : {20U, 140U}) {
        for (std::uint32_t i = 0; i < 1024; ++i) {
            put(a_offset + 2 * i, static_cast<std::int16_t>(i));
            put(2 * i, std::int16_t{-1});
        }
        const std::uint16_t to = count == 20 ? 2 : 16;
        copy_lanes({0, 1, to, DataType::int16},
                   {a_offset, 1, 8, DataType::int16},
                   VectorShape::of_count(count),
                   2,
                   here);
        for (std::uint32_t i = 0; i < count; ++i) {
            ASSERT_EQ(at<std::int16_t>(2 * i), static_cast<std::int16_t>(i));
            ASSERT_EQ(at<std::int16_t>(2 * (i + to * 16U)), static_cast<std::int16_t>(i + 128));
        }
        EXPECT_EQ(at<std::int16_t>(2 * count), -1);
    }
}

TEST_F(Lanes, AccumulateOverRepeatsThatShareADestination) {
    // dst = dst + src with a destination repeat stride of 0 adds up the repeats.
    for (std::uint32_t i = 0; i < 4 * 64; ++i) {
        put(a_offset + 4 * i, static_cast<float>(i));
    }
    std::memset(ub(), 0, 256);
    const VectorOperand sum{0, 1, 0, DataType::float32};
    lanes(
        LaneOp::add, {sum, sum, {a_offset, 1, 8, DataType::float32}, {}, VectorShape::of_lanes(64, 4)}, here);
    for (std::uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(at<float>(4 * i), static_cast<float>(4 * i + 64 * (0 + 1 + 2 + 3)));
    }
}

TEST_F(Lanes, ReadARepeatBeforeWritingIt) {
    // The destination lies one block behind the source: each repeat reads all of its blocks first.
    for (std::uint32_t i = 0; i < 128; ++i) {
        put(4 * i, static_cast<float>(i));
    }
    lanes(LaneOp::adds,
          {{32, 1, 8, DataType::float32},
           {0, 1, 8, DataType::float32},
           {},
           ScalarBits{1.0F},
           VectorShape::of_count(64)},
          here);
    for (std::uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(at<float>(32 + 4 * i), static_cast<float>(i) + 1.0F);
    }
}

TEST_F(Lanes, RefuseAMisalignedOperandAndAnUndefinedType) {
    const VectorOperand good{0, 1, 8, DataType::float32};
    const VectorOperand odd{4, 1, 8, DataType::float32};
    EXPECT_THROW(lanes(LaneOp::add, {good, odd, good, {}, VectorShape::of_count(8)}, here),
                 std::runtime_error);
    const VectorOperand bytes{0, 1, 8, DataType::int8};
    EXPECT_THROW(lanes(LaneOp::add, {bytes, bytes, bytes, {}, VectorShape::of_count(8)}, here),
                 std::runtime_error);
    const VectorOperand last{chip.buffers.ub - 32, 1, 8, DataType::float32};
    EXPECT_THROW(lanes(LaneOp::add, {last, good, good, {}, VectorShape::of_count(9)}, here),
                 std::runtime_error);
    EXPECT_NO_THROW(lanes(LaneOp::add, {last, good, good, {}, VectorShape::of_count(8)}, here));
}

TEST_F(Lanes, RefuseMoreLanesAndRepeatsThanThereAre) {
    VectorShape shape = shape_of_lanes(128, 1);  // a repeat of floats has 64
    const LaneCall call{
        .dst = {.offset = 0}, .a = {.offset = a_offset}, .b = {}, .scalar = {}, .shape = shape};
    EXPECT_ANY_THROW(lanes(LaneOp::abs, call, here));
    VectorOperand half{.offset = 0, .type = DataType::half};
    EXPECT_NO_THROW(
        lanes(LaneOp::abs, {.dst = half, .a = half, .b = {}, .scalar = {}, .shape = shape}, here));
    const std::uint64_t bits[2] = {1, 1};  // lanes 0 and 64
    shape = shape_of_bits(bits, 1);
    EXPECT_ANY_THROW(
        lanes(LaneOp::abs,
              {.dst = {.offset = 0}, .a = {.offset = a_offset}, .b = {}, .scalar = {}, .shape = shape},
              here));
    EXPECT_NO_THROW(
        lanes(LaneOp::abs, {.dst = half, .a = half, .b = {}, .scalar = {}, .shape = shape}, here));
    shape = shape_of_lanes(64, 256);
    EXPECT_ANY_THROW(
        lanes(LaneOp::abs, {.dst = half, .a = half, .b = {}, .scalar = {}, .shape = shape}, here));
}

TEST_F(Lanes, TellOperandsThatOverlapInPart) {
    struct Watcher final : AccessObserver {
        void on_issue(const TimedOp&, const Accesses&) override {}

        void on_beyond(const OpInfo&, Site, std::string_view, Pipe) override { ++told; }

        int told = 0;
    };

    Watcher watcher;
    core.set_observer(&watcher);
    const auto told = [&](LaneOp op, const LaneCall& call) {
        watcher.told = 0;
        lanes(op, call, here);
        return watcher.told;
    };
    const VectorShape repeats = VectorShape::of_lanes(64, 4);  // of 256 B
    const auto shifted = [&](std::uint32_t dst, std::uint32_t src) {
        return told(LaneOp::abs,
                    {.dst = {.offset = dst}, .a = {.offset = src}, .b = {}, .scalar = {}, .shape = repeats});
    };
    EXPECT_EQ(shifted(0, 0), 0);
    EXPECT_EQ(shifted(0, 1024), 0);
    EXPECT_EQ(shifted(0, 256), 0);  // each repeat reads before the next one writes there
    EXPECT_EQ(shifted(256, 0), 1);  // each repeat reads what the one before has written
    EXPECT_EQ(shifted(32, 0), 1);
    EXPECT_EQ(shifted(0, 32), 1);
    // Sums in one place, by source 1, and not by source 0.
    const VectorOperand sum{.offset = 0, .repeat_stride = 0};
    const VectorOperand values{.offset = a_offset};
    EXPECT_EQ(told(LaneOp::add, {.dst = sum, .a = values, .b = sum, .scalar = {}, .shape = repeats}), 0);
    EXPECT_EQ(told(LaneOp::add, {.dst = sum, .a = sum, .b = values, .scalar = {}, .shape = repeats}), 1);
    // Widening in place is not judged.
    core.set_observer(nullptr);
}

TEST_F(Lanes, TakeTheCyclesMeasuredOn910b) {
    // Add, fp32, 64 repeats: hardware.md 3.5. Cycles = occupies + latency.
    const std::uint32_t bank = 16 * 4096;
    const auto cycles = [&](std::uint32_t dst, std::uint32_t a, std::uint32_t b) {
        lanes(LaneOp::add,
              {{dst, 1, 8, DataType::float32},
               {a, 1, 8, DataType::float32},
               {b, 1, 8, DataType::float32},
               {},
               VectorShape::of_lanes(64, 64)},
              here);
        return core.ops().back();
    };
    const TimedOp none = cycles(2 * bank, 0, bank + 256);
    EXPECT_EQ(none.occupies, 64U);
    EXPECT_EQ(none.conflict, 0U);
    const TimedOp reads = cycles(2 * bank, 0, bank);  // both sources in the same groups
    EXPECT_EQ(reads.occupies, 128U);
    EXPECT_EQ(reads.conflict, 64U);
    const TimedOp write =
        cycles(16384, 0, 32768 + 256);  // the write meets a read in every repeat: measured 115
    EXPECT_NEAR(write.occupies, 115, 115 * 0.03);
    EXPECT_EQ(none.work, 4096U);
    EXPECT_EQ(none.bytes, 16384U);
}

TEST_F(Lanes, DoNotHideFillingAndEmptyingBehindANewMask) {
    const VectorOperand x{0, 1, 8, DataType::float32};
    const VectorOperand y{65536 + 256, 1, 8, DataType::float32};
    const VectorOperand z{2 * 65536, 1, 8, DataType::float32};
    const auto add = [&](bool sets_mask) {
        lanes(LaneOp::add, {z, x, y, {}, shape_of_lanes(64, 64, sets_mask)}, here);
        return core.ops().back();
    };
    const double fill = chip.vector.simple.head + chip.vector.simple.tail;
    const TimedOp first = add(true);
    EXPECT_EQ(first.occupies, 64U + static_cast<std::uint32_t>(fill));
    EXPECT_EQ(first.latency, 0U);
    const TimedOp next = add(false);
    EXPECT_EQ(next.occupies, 64U);
    EXPECT_EQ(next.latency, static_cast<std::uint32_t>(fill));
}

TEST_F(Lanes, TakeAtLeastTheFloorOfThePipe) {
    const VectorOperand x{0, 1, 8, DataType::float32};
    lanes(LaneOp::abs, {x, x, {}, {}, VectorShape::of_count(1)}, here);
    EXPECT_EQ(core.ops().back().occupies, static_cast<std::uint32_t>(chip.vector.min_cycles));
}

}  // namespace
}  // namespace ascendsim::isa
