// SPDX-License-Identifier: Apache-2.0
// Each operator once for each element type: those of one type share a kernel, with an output for each.
#include <gtest/gtest.h>

#include "networks/loops/testing/loop_run.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;
using testing::KernelRun;
using testing::LoopBuilder;

struct Use {
    Op op;
    std::vector<double> constants;
};

const host::Shape ragged{3, 67};

std::vector<Use> plain(std::initializer_list<Op> ops) {
    std::vector<Use> uses;
    for (const Op op : ops) {
        uses.push_back({op, {}});
    }
    return uses;
}

/// One loop with an output for each operator, of x or of x and y.
Loop each_of(const std::vector<Use>& uses, std::size_t operands, DataType type, bool truth = false) {
    LoopBuilder b;
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < operands; ++i) {
        inputs.push_back(b.input(ragged, type));
    }
    std::vector<std::size_t> outputs;
    for (const Use& use : uses) {
        outputs.push_back(b.step(use.op, inputs, ragged, truth ? DataType::boolean : type, use.constants));
    }
    return b.outputs(outputs);
}

void expect_clean_run(const Loop& loop, const std::string& chip = "910b3") {
    const KernelRun run = testing::run_loop(loop, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
}

const std::vector<Use> arithmetic = plain({Op::copy,
                                           Op::neg,
                                           Op::abs,
                                           Op::sign,
                                           Op::square,
                                           Op::sqrt,
                                           Op::rsqrt,
                                           Op::reciprocal,
                                           Op::exp,
                                           Op::ln,
                                           Op::log1p,
                                           Op::exp_minus_one,
                                           Op::floor,
                                           Op::ceil,
                                           Op::round,
                                           Op::trunc});
const std::vector<Use> trigonometric = plain({Op::sin,
                                              Op::cos,
                                              Op::tan,
                                              Op::asin,
                                              Op::acos,
                                              Op::atan,
                                              Op::sinh,
                                              Op::cosh,
                                              Op::asinh,
                                              Op::atanh,
                                              Op::erf,
                                              Op::tanh});
const std::vector<Use> activations{{Op::sigmoid, {}},
                                   {Op::silu, {}},
                                   {Op::softplus, {}},
                                   {Op::softsign, {}},
                                   {Op::mish, {}},
                                   {Op::gelu_tanh, {}},
                                   {Op::gelu_erf, {}},
                                   {Op::relu, {}},
                                   {Op::leaky_relu, {0.1}},
                                   {Op::elu, {1.5}},
                                   {Op::hard_sigmoid, {0.2, 0.5}},
                                   {Op::hard_swish, {}},
                                   {Op::clip, {0.3, 0.7}},
                                   {Op::scale, {2, -1}},
                                   {Op::power, {3}},
                                   {Op::power, {-1.5}}};
const std::vector<Use> pairs = plain({Op::add, Op::sub, Op::mul, Op::div, Op::maximum, Op::minimum, Op::pow});
const std::vector<Use> whole_pairs =
    plain({Op::add, Op::sub, Op::mul, Op::maximum, Op::minimum, Op::bit_and, Op::bit_or, Op::bit_xor});
const std::vector<Use> comparisons =
    plain({Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equal, Op::not_equal});

class LoopTypes : public ::testing::TestWithParam<DataType> {};

std::string type_of(const ::testing::TestParamInfo<DataType>& info) {
    return std::string{isa::name(info.param)};
}

}  // namespace

TEST_P(LoopTypes, DoArithmetic) {
    expect_clean_run(each_of(arithmetic, 1, GetParam()));
}

TEST_P(LoopTypes, DoTrigonometry) {
    expect_clean_run(each_of(trigonometric, 1, GetParam()));
}

TEST_P(LoopTypes, DoActivations) {
    expect_clean_run(each_of(activations, 1, GetParam()));
}

TEST_P(LoopTypes, DoPairs) {
    expect_clean_run(each_of(pairs, 2, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Floats,
                         LoopTypes,
                         ::testing::Values(DataType::half, DataType::bfloat16, DataType::float32),
                         type_of);

class LoopIntegers : public ::testing::TestWithParam<DataType> {};

TEST_P(LoopIntegers, DoPairs) {
    expect_clean_run(each_of(whole_pairs, 2, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Integers,
                         LoopIntegers,
                         ::testing::Values(DataType::int8, DataType::uint8, DataType::int16, DataType::int32),
                         type_of);

class LoopComparisons : public ::testing::TestWithParam<DataType> {};

TEST_P(LoopComparisons, AnswerYesOrNo) {
    expect_clean_run(each_of(comparisons, 2, GetParam(), true));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    LoopComparisons,
    ::testing::Values(DataType::half, DataType::float32, DataType::int8, DataType::int32),
    type_of);

TEST(LoopOperators, DivideIntegers) {
    LoopBuilder b;
    const std::size_t x = b.input({300}, DataType::int32);
    const std::size_t y = b.input({300}, DataType::int32);
    // Up to 2^31 / 9: beyond what floats hold.
    const std::size_t big = b.step(Op::scale, {x}, {300}, DataType::int32, {238609293, -1073741823});
    const std::size_t divisor = b.step(Op::scale, {y}, {300}, DataType::int32, {-2, 7});  // odd, never 0
    std::vector<std::size_t> outputs;
    for (const Op op : {Op::div, Op::mod, Op::fmod}) {
        outputs.push_back(b.step(op, {big, divisor}, {300}, DataType::int32));
    }
    expect_clean_run(b.outputs(outputs));
}

TEST(LoopOperators, ChooseAndCombineTruthValues) {
    LoopBuilder b;
    const std::size_t p = b.input({5, 33}, DataType::boolean);
    const std::size_t q = b.input({5, 1}, DataType::boolean);
    const std::size_t x = b.input({5, 33});
    const std::size_t y = b.input({33});
    std::vector<std::size_t> outputs;
    for (const Op op : {Op::logical_and, Op::logical_or, Op::logical_xor}) {
        outputs.push_back(b.step(op, {p, q}, {5, 33}, DataType::boolean));
    }
    outputs.push_back(b.step(Op::logical_not, {p}, {5, 33}, DataType::boolean));
    outputs.push_back(b.step(Op::where, {q, x, y}, {5, 33}));
    outputs.push_back(b.step(Op::where, {p, x, y}, {5, 33}));
    outputs.push_back(b.step(Op::is_nan, {x}, {5, 33}, DataType::boolean));
    outputs.push_back(b.step(Op::is_inf, {x}, {5, 33}, DataType::boolean, {1, 1}));
    expect_clean_run(b.outputs(outputs));
}

TEST(LoopOperators, CastBetweenTypes) {
    LoopBuilder b;
    const std::size_t x = b.input({100});
    const std::size_t i = b.input({100}, DataType::int32);
    const std::size_t l = b.input({100}, DataType::int64);
    const std::size_t wide = b.step(Op::scale, {x}, {100}, DataType::float32, {300, -150});
    std::vector<std::size_t> outputs;
    for (const DataType type : {DataType::half, DataType::int32, DataType::int8, DataType::boolean}) {
        outputs.push_back(b.step(Op::cast, {wide}, {100}, type));
    }
    for (const DataType type : {DataType::float32, DataType::int64, DataType::uint8, DataType::boolean}) {
        outputs.push_back(b.step(Op::cast, {i}, {100}, type));
    }
    outputs.push_back(b.step(Op::cast, {l}, {100}, DataType::float32));
    expect_clean_run(b.outputs(outputs));
}

TEST(LoopOperators, ReduceAllAxes) {
    LoopBuilder b;
    const std::size_t x = b.input({7, 11, 130});
    std::vector<std::size_t> outputs;
    for (const Op op : {Op::reduce_sum, Op::reduce_mean, Op::reduce_max, Op::reduce_min}) {
        outputs.push_back(b.step(op, {x}, {1, 1, 1}));
    }
    expect_clean_run(b.outputs(outputs));
}

TEST(LoopOperators, ReduceOuterAndInnerAxes) {  // as batch normalisation does
    LoopBuilder b;
    const std::size_t x = b.input({4, 6, 5, 9}, DataType::half);
    const std::size_t gamma = b.input({6, 1, 1}, DataType::half);
    const host::Shape kept{1, 6, 1, 1};
    const std::size_t mean = b.step(Op::reduce_mean, {x}, kept, DataType::float32, {}, {0, 2, 3});
    const std::size_t centred = b.step(Op::sub, {x, mean}, {4, 6, 5, 9});
    const std::size_t scaled = b.step(Op::mul, {centred, gamma}, {4, 6, 5, 9}, DataType::half);
    expect_clean_run(b.outputs({scaled, mean}));
}

TEST(LoopOperators, RepeatRowsAndColumnsOfEachType) {
    LoopBuilder b;
    std::vector<std::size_t> inputs;
    const std::vector<DataType> types{DataType::half, DataType::int8, DataType::boolean, DataType::int32};
    for (const DataType type : types) {
        inputs.push_back(b.input({1, 200}, type));
        inputs.push_back(b.input({8, 1}, type));
    }
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::size_t wide = b.step(Op::broadcast, {inputs[i]}, {8, 200}, types[i / 2]);
        outputs.push_back(b.step(Op::copy, {wide}, {8, 200}, types[i / 2]));
    }
    expect_clean_run(b.outputs(outputs));
}

TEST(LoopOperators, ReadPartsOfAnInput) {  // SwiGLU's gate
    LoopBuilder b;
    const std::size_t packed = b.input({20, 2 * 48}, DataType::half);
    const std::size_t gate = b.step(Op::slice, {packed}, {20, 48}, DataType::half, {0, 1, 0, 1});
    const std::size_t up = b.step(Op::slice, {packed}, {20, 48}, DataType::half, {0, 1, 48, 1});
    const std::size_t silu = b.step(Op::silu, {gate}, {20, 48}, DataType::half);
    expect_clean_run(b.outputs({b.step(Op::mul, {silu, up}, {20, 48}, DataType::half)}));
}

TEST(LoopOperators, ReadTransposedAndReshapedInputs) {
    LoopBuilder b;
    const std::size_t packed = b.input({20, 48}, DataType::half);
    const std::size_t x = b.input({5, 4, 48}, DataType::half);
    const std::size_t swapped = b.step(Op::transpose, {x}, {4, 5, 48}, DataType::half, {}, {1, 0, 2});
    const std::size_t cut = b.step(Op::reshape, {packed}, {4, 5, 48}, DataType::half);
    expect_clean_run(b.outputs({b.step(Op::add, {swapped, cut}, {4, 5, 48}, DataType::half)}));
}

TEST(LoopOperators, RunOnCoupledChips) {
    expect_clean_run(each_of(activations, 1, DataType::half), "310p3");
}

TEST(LoopOperators, NormaliseOnCoupledChips) {
    LoopBuilder b;
    const std::size_t x = b.input({40, 256}, DataType::half);
    const std::size_t square = b.step(Op::square, {x}, {40, 256}, DataType::half);
    const std::size_t mean = b.step(Op::reduce_mean, {square}, {40, 1}, DataType::half, {}, {1});
    const std::size_t inverse = b.step(Op::rsqrt, {mean}, {40, 1}, DataType::half);
    expect_clean_run(b.outputs({b.step(Op::mul, {x, inverse}, {40, 256}, DataType::half)}), "910a");
}

}  // namespace ascendsim::networks::loops
