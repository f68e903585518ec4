// SPDX-License-Identifier: Apache-2.0
// Products of bytes that stand for products by weights (networks/compress).
#include "networks/compress/compress.hpp"
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// Each row by its largest magnitude, over 127: the bytes, and a scale for each row.
Lowered quantise_rows(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape shape = x.tensor.shape;
    const host::Shape rows{x.tensor.count() / shape.back(), shape.back()};
    host::Shape of_rows = shape;
    of_rows.back() = 1;
    std::vector<Part> made;
    if (steps.copies_bytes()) {
        made = steps.run({.kernel = "row_norm",
                          .knobs = {{"shape", rows},
                                    {"kind", std::string{"none"}},
                                    {"quant", std::string{"int8"}},
                                    {"dtype", type_word(x.tensor.type)}}},
                         {Steps::seen(x, rows)},
                         {{.type = DataType::int8, .shape = rows, .values = {}},
                          {.type = DataType::float32, .shape = {rows[0]}, .values = {}}});
    } else {
        constexpr double largest = 127;
        constexpr double least = 0x1p-14;  // of float16, full precision: rows of zeros have a scale, too
        constexpr double most_half = 65504;
        const Part seen = Steps::seen(x, rows);
        const Part most = steps.element(Op::clip,
                                        {steps.reduce(Op::reduce_max, steps.element(Op::abs, {seen}), {1})},
                                        {least, most_half});
        const Part scale = steps.element(Op::scale, {most}, {1 / largest, 0});
        const Part whole = steps.element(Op::round, {steps.element(Op::div, {seen, scale})});
        made = {steps.cast(whole, DataType::int8), scale};
    }
    Lowered lowered = steps.done({Steps::seen(made[0], shape), Steps::seen(made[1], of_rows)});
    lowered.keeps_types = true;
    return lowered;
}

/// Sums of bytes of m rows and n columns, which left the cube as float16, times the scales of both.
Part scaled(Steps& steps, const Part& sums, std::uint64_t m, std::uint64_t n) {
    const std::vector<Part> parts{
        sums, Steps::seen(steps.operand(1), {m, 1}), Steps::seen(steps.operand(3), {1, n})};
    LoopOf loop{parts};
    const auto wide = [&](std::size_t value, const host::Shape& shape) {
        return parts[value].tensor.type == DataType::float32
                   ? value
                   : loop.step(Op::cast, {value}, shape, DataType::float32);
    };
    const std::size_t by_row =
        loop.step(Op::mul, {wide(0, {m, n}), wide(1, {m, 1})}, {m, n}, DataType::float32);
    std::size_t y = loop.step(Op::mul, {by_row, wide(2, {1, n})}, {m, n}, DataType::float32);
    if (steps.with().half) {
        y = loop.step(Op::cast, {y}, {m, n}, DataType::half);
    }
    return steps.run(loop.outputs({y}), parts)[0];
}

std::int64_t number(std::uint64_t count) {
    return static_cast<std::int64_t>(count);
}

/// (m, k) by (k, n) of bytes.
Lowered byte_product(const Operator& with) {
    Steps steps{with};
    const host::Shape& x = with.input(0).shape;
    const bool turned = with.node.integer("transB", 0) != 0;
    const std::uint64_t k = x.back();
    const std::uint64_t m = with.input(0).count() / k;
    const std::uint64_t n = with.input(2).shape[turned ? 0 : 1];
    const Part sums = steps.run({.kernel = "matmul",
                                 .knobs = {{"m", number(m)},
                                           {"n", number(n)},
                                           {"k", number(k)},
                                           {"dtype", std::string{"int8"}},
                                           {"out_dtype", std::string{"float16"}},
                                           {"scale", 1 / static_cast<double>(sum_divisor(k))},
                                           {"transpose_b", turned}}},
                                {Steps::seen(steps.operand(0), {m, k}), steps.operand(2)},
                                {{.type = DataType::half, .shape = {m, n}, .values = {}}})[0];
    host::Shape shape = x;
    shape.back() = n;
    return steps.done({Steps::seen(scaled(steps, sums, m, n), shape)});
}

/// The same of weights of which two in four are kept, with what says which.
Lowered sparse_product(const Operator& with) {
    Steps steps{with};
    const host::Shape& x = with.input(0).shape;
    const std::uint64_t k = x.back();
    const std::uint64_t m = with.input(0).count() / k;
    const std::uint64_t n = with.input(3).count();
    const Part sums = steps.run({.kernel = "sparse_matmul",
                                 .knobs = {{"m", number(m)},
                                           {"n", number(n)},
                                           {"k", number(k)},
                                           {"scale", 1 / static_cast<double>(sum_divisor(k))}}},
                                {Steps::seen(steps.operand(0), {m, k}), steps.operand(2), steps.operand(4)},
                                {{.type = DataType::half, .shape = {m, n}, .values = {}}})[0];
    host::Shape shape = x;
    shape.back() = n;
    return steps.done({Steps::seen(scaled(steps, sums, m, n), shape)});
}

}  // namespace

Operators compressed_operators() {
    return {
        {"QuantiseRows", quantise_rows}, {"ByteProduct", byte_product}, {"SparseProduct", sparse_product}};
}

}  // namespace ascendsim::networks
