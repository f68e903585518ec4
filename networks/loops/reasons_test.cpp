// SPDX-License-Identifier: Apache-2.0
// Reasons why a loop becomes no kernel, by loops that have them.
#include "networks/loops/reasons.hpp"

#include <gtest/gtest.h>

#include "networks/loops/testing/shared_loops.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;
using testing::LoopBuilder;

/// The code that generate() refuses with; empty if it does not.
std::string refusal_of(const Loop& loop, const char* chip = "910b3") {
    try {
        static_cast<void>(generate(loop, load_chip(chip, toolchain::Installation::find().chips())));
        return {};
    } catch (const CannotGenerate& error) {
        return std::string{name(error.reason())};
    }
}

Loop one_step(Op op,
              const host::Shape& from,
              const host::Shape& to,
              std::vector<std::size_t> axes = {},
              DataType type = DataType::float32) {
    LoopBuilder b;
    const std::size_t x = b.input(from, type);
    return b.outputs({b.step(op, {x}, to, type, {}, std::move(axes))});
}

TEST(LoopReasons, NameLoopsThatMakeNoSense) {
    EXPECT_EQ(refusal_of(one_step(Op::reshape, {4, 6}, {5, 5})), "malformed");
    EXPECT_EQ(refusal_of(one_step(Op::abs, {4, 6}, {4, 7})), "malformed");
    EXPECT_EQ(refusal_of({}), "empty");
    EXPECT_EQ(refusal_of(one_step(Op::abs, {4, 0}, {4, 0})), "empty");
}

TEST(LoopReasons, NameElementsThatNoVectorUnitTakes) {
    EXPECT_EQ(refusal_of(one_step(Op::abs, {4, 6}, {4, 6}, {}, DataType::float64)), "element_type");
    EXPECT_EQ(refusal_of(one_step(Op::abs, {4, 64}, {4, 64}, {}, DataType::bfloat16), "310p3"), "chip_type");
    EXPECT_EQ(refusal_of(one_step(Op::tanh, {4, 6}, {4, 6}, {}, DataType::int64)), "operator_type");
}

TEST(LoopReasons, NameReductionsThatDoNotGoTogether) {
    LoopBuilder apart;
    const std::size_t x = apart.input({8, 64});
    const std::size_t rows = apart.step(Op::reduce_sum, {x}, {8, 1}, DataType::float32, {}, {1});
    const std::size_t columns = apart.step(Op::reduce_sum, {x}, {1, 64}, DataType::float32, {}, {0});
    EXPECT_EQ(refusal_of(apart.outputs({rows, columns})), "reduced_axes");
}

TEST(LoopReasons, NameReductionsOfWhatWasReduced) {
    LoopBuilder b;
    const std::size_t x = b.input({8, 64});
    const std::size_t sum = b.step(Op::reduce_sum, {x}, {8, 1}, DataType::float32, {}, {1});
    const std::size_t one = b.step(Op::constant, {}, {8, 64}, DataType::float32, {1});
    const std::size_t wide = b.step(Op::add, {sum, one}, {8, 64});   // the same all along a row
    const std::size_t beside = b.step(Op::add, {x, wide}, {8, 64});  // so that its columns are those of x
    const std::size_t again = b.step(Op::reduce_max, {wide}, {8, 1}, DataType::float32, {}, {1});
    EXPECT_EQ(refusal_of(b.outputs({beside, again})), "reduced_twice");
}

TEST(LoopReasons, NameViewsThatHaveNoPlaceInATile) {
    LoopBuilder part;
    const std::size_t x = part.input({8, 64});
    const std::size_t a = part.step(Op::abs, {x}, {8, 64});
    const std::size_t slice = part.step(Op::slice, {a}, {4, 64}, DataType::float32, {0, 1, 0, 1});
    EXPECT_EQ(refusal_of(part.outputs({part.step(Op::neg, {slice}, {4, 64})})), "view_of_result");

    LoopBuilder turned;  // a row of the result is a column of the input
    const std::size_t y = turned.input({64, 32});
    const std::size_t t = turned.step(Op::transpose, {y}, {32, 64}, DataType::float32, {}, {1, 0});
    EXPECT_EQ(refusal_of(turned.outputs({turned.step(Op::abs, {t}, {32, 64})})), "inner_stride");

    LoopBuilder cut;
    const std::size_t z = cut.input({6, 10});
    const std::size_t other = cut.input({4, 15});
    const std::size_t b = cut.step(Op::abs, {z}, {6, 10});
    const std::size_t c = cut.step(Op::reshape, {b}, {4, 15});
    EXPECT_EQ(refusal_of(cut.outputs({cut.step(Op::add, {c, other}, {4, 15})})), "overlapping_reshape");
}

TEST(LoopReasons, NameOutputsThatManyTilesWouldWrite) {
    LoopBuilder b;
    const std::size_t x = b.input({8, 64});
    const std::size_t row = b.input({1, 64});
    const std::size_t small = b.step(Op::abs, {row}, {1, 64});
    const std::size_t all = b.step(Op::add, {x, small}, {8, 64});
    EXPECT_EQ(refusal_of(b.outputs({all, small})), "partial_output");
}

TEST(LoopReasons, NameLimitsOfAKernel) {
    LoopBuilder many;
    std::size_t sum = many.input({64});
    for (std::size_t i = 1; i < 24; ++i) {
        static_cast<void>(many.input({64}));
    }
    for (std::size_t i = 1; i < 24; ++i) {
        sum = many.step(Op::add, {sum, i}, {64});
    }
    EXPECT_EQ(refusal_of(many.outputs({sum})), "too_many_tensors");  // 24 inputs and an output of 24 in all

    LoopBuilder axes;  // each second axis is spread: none can be merged
    const host::Shape whole{2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 64};
    host::Shape spread = whole;
    for (std::size_t i = 0; i < spread.size(); i += 2) {
        spread[i] = 1;
    }
    const std::size_t x = axes.input(whole);
    const std::size_t y = axes.input(spread);
    EXPECT_EQ(refusal_of(axes.outputs({axes.step(Op::add, {x, y}, whole)})), "too_many_axes");

    EXPECT_EQ(refusal_of(one_step(Op::abs, {3, 1ULL << 40U}, {3, 1ULL << 40U})), "too_large");
}

TEST(LoopReasons, NameRowsThatAChipCannotCopy) {
    LoopBuilder b;  // rows of 100 B, not of whole blocks of 32
    const std::size_t x = b.input({8, 25});
    const std::size_t row = b.input({25});
    const Loop loop = b.outputs({b.step(Op::add, {x, row}, {8, 25})});
    EXPECT_EQ(refusal_of(loop, "310p3"), "ragged_rows");
    EXPECT_EQ(refusal_of(loop), "");
}

TEST(LoopReasons, NameTilesThatDoNotFitTheUnifiedBuffer) {
    // Reduced over rows: all 248 rows of a tile of 64 columns, for each of some values alive at once.
    LoopBuilder b;
    const host::Shape shape{200, 64};
    const std::size_t x = b.input(shape);
    std::vector<std::size_t> values;
    for (const Op op : {Op::exp, Op::abs, Op::square, Op::sin, Op::cos, Op::tanh, Op::sigmoid, Op::relu}) {
        values.push_back(b.step(op, {x}, shape));
    }
    std::vector<std::size_t> outputs;
    for (const std::size_t value : values) {
        const std::size_t sum = b.step(Op::reduce_sum, {value}, {1, 64}, DataType::float32, {}, {0});
        outputs.push_back(b.step(Op::sub, {value, sum}, shape));
    }
    ChipSpec small = load_chip("910b3", toolchain::Installation::find().chips());
    small.buffers.ub = 8192;
    try {
        static_cast<void>(generate(b.outputs(outputs), small));
        FAIL() << "fits 8 KiB";
    } catch (const CannotGenerate& error) {
        EXPECT_EQ(name(error.reason()), "buffer_too_small");
        EXPECT_NE(std::string{error.what()}.find("8 KiB"), std::string::npos);
    }
}

}  // namespace
}  // namespace ascendsim::networks::loops
