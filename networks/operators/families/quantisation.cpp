// SPDX-License-Identifier: Apache-2.0
// Between floats and bytes.
#include <algorithm>

#include "networks/operators/image_convolution.hpp"
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// A scale or zero point of the whole tensor, or of each element of an axis, so that it spreads over x.
Part spread_on(const Operator& with, const Part& part, const Tensor& x) {
    if (part.tensor.count() == 1) {
        return Steps::seen(part, {});
    }
    host::Shape shape(x.shape.size(), 1);
    shape[with.axis(with.node.integer("axis", 1), x.shape.size())] = part.tensor.count();
    return Steps::seen(part, shape);
}

Part in_range(Steps& steps, const Part& whole, DataType type) {
    const double low = type == DataType::uint8 ? 0 : -128;
    return steps.cast(steps.element(Op::clip, {whole}, {low, low + 255}), type);
}

Lowered quantize(const Operator& with) {
    Steps steps{with};
    const Part x = steps.cast(steps.operand(0), DataType::float32);
    const Part scale = spread_on(with, steps.operand(1), x.tensor);
    const DataType type = with.has(2) ? with.input(2).type : DataType::uint8;
    if (type != DataType::uint8 && type != DataType::int8) {
        throw Refused{"quantised to {}", isa::name(type)};
    }
    Part whole = steps.element(Op::round, {steps.element(Op::div, {x, scale})});
    if (with.has(2)) {
        const Part zero = spread_on(with, steps.cast(steps.operand(2), DataType::float32), x.tensor);
        whole = steps.element(Op::add, {whole, zero});
    }
    return steps.done({in_range(steps, whole, type)});
}

Lowered dequantize(const Operator& with) {
    Steps steps{with};
    Part x = steps.cast(steps.operand(0), DataType::float32);
    const Part scale = spread_on(with, steps.operand(1), x.tensor);
    if (with.has(2)) {
        const Part zero = spread_on(with, steps.cast(steps.operand(2), DataType::float32), x.tensor);
        x = steps.element(Op::sub, {x, zero});
    }
    return steps.done({steps.cast(steps.element(Op::mul, {x, scale}), scale.tensor.type)});
}

/// The scale and the zero point that span what x holds, zero among it.
Lowered dynamic_quantize(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Part flat = Steps::seen(x, {x.tensor.count()});
    const Part none = Steps::table(x.tensor.type, {}, {0});
    const Part low =
        Steps::seen(steps.element(Op::minimum, {steps.reduce(Op::reduce_min, flat, {0}), none}), {});
    const Part high =
        Steps::seen(steps.element(Op::maximum, {steps.reduce(Op::reduce_max, flat, {0}), none}), {});
    constexpr double steps_between = 255;
    const Part span = steps.element(Op::sub, {high, low});
    const Part scale = steps.element(Op::scale, {span}, {1 / steps_between, 0});
    const Part place = steps.element(Op::neg, {steps.element(Op::div, {low, scale})});
    const Part zero = in_range(steps, steps.element(Op::round, {place}), DataType::uint8);
    const Part whole = steps.element(Op::round, {steps.element(Op::div, {x, scale})});
    const Part moved = steps.element(Op::add, {whole, steps.cast(zero, x.tensor.type)});
    return steps.done({in_range(steps, moved, DataType::uint8), scale, zero});
}

/// Bytes less their zero point, as floats: whole numbers up to 2^24 stay exact.
Part centred(Steps& steps, std::size_t value, std::size_t zero, bool rows) {
    const Part x = steps.cast(steps.operand(value), DataType::float32);
    if (!steps.with().has(zero)) {
        return x;
    }
    Part point = steps.cast(steps.operand(zero), DataType::float32);
    if (point.tensor.count() == 1) {
        point = Steps::seen(point, {});
    } else if (rows && point.tensor.shape.size() == 1) {
        point = Steps::seen(point, {point.tensor.count(), 1});
    }
    return steps.element(Op::sub, {x, point});
}

Lowered matmul_integer(const Operator& with) {
    Steps steps{with};
    const Part a = centred(steps, 0, 2, true);
    const Part b = centred(steps, 1, 3, false);
    if (a.tensor.shape.size() != 2 || b.tensor.shape.size() != 2) {
        throw Refused{"a product of bytes of {} and {}", a.tensor.text(), b.tensor.text()};
    }
    return steps.done({steps.cast(steps.product(a, b), DataType::int32)},
                      "as a product of float32, in which these whole numbers are exact");
}

Lowered qlinear_matmul(const Operator& with) {
    Steps steps{with};
    const Part a = centred(steps, 0, 2, true);
    const Part b = centred(steps, 3, 5, false);
    for (const std::size_t scale : {1U, 4U, 6U, 7U}) {
        if (with.input(scale).count() != 1) {
            throw Refused{"a scale for each row or column"};
        }
    }
    Part c{};
    if (a.tensor.shape.size() == 2 && b.tensor.shape.size() == 2) {
        c = steps.product(a, b);
    } else if (a.tensor.shape.size() == b.tensor.shape.size() &&
               std::equal(a.tensor.shape.begin(), a.tensor.shape.end() - 2, b.tensor.shape.begin())) {
        c = steps.product(a, b);
    } else {
        throw Refused{"a product of bytes of {} and {}", a.tensor.text(), b.tensor.text()};
    }
    const Part scales =
        steps.element(Op::mul, {Steps::seen(steps.operand(1), {}), Steps::seen(steps.operand(4), {})});
    const Part factor = steps.element(Op::div, {scales, Steps::seen(steps.operand(6), {})});
    const Part whole = steps.element(Op::round, {steps.element(Op::mul, {c, factor})});
    const Part zero = Steps::seen(steps.cast(steps.operand(7), DataType::float32), {});
    return steps.done({in_range(steps, steps.element(Op::add, {whole, zero}), with.input(7).type)});
}

/// A number for each channel of results, spread over images of so many axes.
Part of_channels(Steps& steps, std::size_t index, std::size_t rank) {
    const Part part = steps.cast(steps.operand(index), DataType::float32);
    if (part.tensor.count() == 1) {
        return Steps::seen(part, {});
    }
    host::Shape shape(rank - 1, 1);
    shape[0] = part.tensor.count();
    return Steps::seen(part, shape);
}

/// Filters less their zero point, one for each of the results' channels or for all.
Part centred_filters(Steps& steps, std::size_t value, std::size_t zero) {
    const Part w = steps.cast(steps.operand(value), DataType::float32);
    if (!steps.with().has(zero)) {
        return w;
    }
    Part point = steps.cast(steps.operand(zero), DataType::float32);
    host::Shape shape(point.tensor.count() == 1 ? 0 : w.tensor.shape.size(), 1);
    if (!shape.empty()) {
        shape[0] = point.tensor.count();
    }
    return steps.element(Op::sub, {w, Steps::seen(point, shape)});
}

constexpr const char* exact_bytes = "as a convolution of float32, in which these whole numbers are exact";

Lowered conv_integer(const Operator& with) {
    Steps steps{with};
    const Part x = centred(steps, 0, 2, false);
    const Part y = convolved(steps, x, centred_filters(steps, 1, 3));
    return steps.done({steps.cast(y, DataType::int32)}, exact_bytes);
}

Lowered qlinear_conv(const Operator& with) {
    Steps steps{with};
    const Part x = centred(steps, 0, 2, false);
    Part y = convolved(steps, x, centred_filters(steps, 3, 5));
    const std::size_t rank = y.tensor.shape.size();
    if (with.has(8)) {
        y = steps.element(Op::add, {y, of_channels(steps, 8, rank)});
    }
    const Part scales = steps.element(Op::mul, {of_channels(steps, 1, rank), of_channels(steps, 4, rank)});
    const Part factor = steps.element(Op::div, {scales, of_channels(steps, 6, rank)});
    const Part whole = steps.element(Op::round, {steps.element(Op::mul, {y, factor})});
    const Part moved = steps.element(Op::add, {whole, of_channels(steps, 7, rank)});
    return steps.done({in_range(steps, moved, with.input(7).type)}, exact_bytes);
}

}  // namespace

Operators quantisation_operators() {
    return {{"QuantizeLinear", quantize},
            {"DequantizeLinear", dequantize},
            {"DynamicQuantizeLinear", dynamic_quantize},
            {"ConvInteger", conv_integer},
            {"QLinearConv", qlinear_conv},
            {"MatMulInteger", matmul_integer},
            {"QLinearMatMul", qlinear_matmul}};
}

}  // namespace ascendsim::networks
