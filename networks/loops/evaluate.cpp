// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "networks/loops/elementary.hpp"
#include "networks/loops/loops.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

using Numbers = std::vector<double>;
using Strides = std::vector<std::uint64_t>;

struct Tensor {
    Value value;
    Numbers data;
};

Strides row_major(const host::Shape& shape) {
    Strides strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) {
        strides[d - 1] = strides[d] * shape[d];
    }
    return strides;
}

/// Strides of an operand along the axes of a larger shape: 0 where it is repeated.
Strides broadcast_strides(const host::Shape& from, const host::Shape& to) {
    const Strides own = row_major(from);
    Strides strides(to.size(), 0);
    for (std::size_t d = 0; d < from.size(); ++d) {
        const std::size_t at = to.size() - from.size() + d;
        strides[at] = from[d] == 1 ? 0 : own[d];
    }
    return strides;
}

/// Calls f(i, place) for each element i of `shape` in row-major order.
template <class F>
void walk(const host::Shape& shape, const Strides& strides, std::uint64_t offset, F&& f) {
    std::vector<std::uint64_t> index(shape.size(), 0);
    std::uint64_t place = offset;
    const std::uint64_t count = host::elements(shape);
    for (std::uint64_t i = 0; i < count; ++i) {
        f(i, place);
        for (std::size_t d = shape.size(); d-- > 0;) {
            place += strides[d];
            if (++index[d] < shape[d]) {
                break;
            }
            place -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

Numbers moved(const Tensor& from, const host::Shape& shape, const Strides& strides, std::uint64_t offset) {
    Numbers result(host::elements(shape));
    walk(shape, strides, offset, [&](std::uint64_t i, std::uint64_t place) { result[i] = from.data[place]; });
    return result;
}

Numbers view_of(const Step& step, const Tensor& from) {
    const Strides own = row_major(from.value.shape);
    Strides strides(step.result.shape.size(), 0);
    std::uint64_t offset = 0;
    switch (step.op) {
        case Op::reshape:
            return from.data;
        case Op::broadcast:
            return moved(from, step.result.shape, broadcast_strides(from.value.shape, step.result.shape), 0);
        case Op::transpose:
            for (std::size_t d = 0; d < strides.size(); ++d) {
                strides[d] = own[step.axes[d]];
            }
            return moved(from, step.result.shape, strides, 0);
        default:
            for (std::size_t d = 0; d < strides.size(); ++d) {
                offset += own[d] * static_cast<std::uint64_t>(step.constants[2 * d]);
                strides[d] = own[d] * static_cast<std::uint64_t>(step.constants[2 * d + 1]);
            }
            return moved(from, step.result.shape, strides, offset);
    }
}

double neutral(Op op) {
    switch (op) {
        case Op::reduce_max:
            return -std::numeric_limits<double>::infinity();
        case Op::reduce_min:
            return std::numeric_limits<double>::infinity();
        case Op::reduce_prod:
            return 1;
        default:
            return 0;
    }
}

double combined(Op op, double a, double b) {
    switch (op) {
        case Op::reduce_max:
            return std::isnan(a) || a > b ? a : b;
        case Op::reduce_min:
            return std::isnan(a) || a < b ? a : b;
        case Op::reduce_prod:
            return a * b;
        default:
            return a + b;
    }
}

Numbers reduced(const Step& step, const Tensor& from) {
    host::Shape kept = from.value.shape;
    for (std::size_t d = 0; d < kept.size(); ++d) {
        if (step.axes.empty() || std::ranges::find(step.axes, d) != step.axes.end()) {
            kept[d] = 1;
        }
    }
    Numbers result(host::elements(kept), neutral(step.op));
    const Strides strides = broadcast_strides(kept, from.value.shape);
    walk(from.value.shape, strides, 0, [&](std::uint64_t i, std::uint64_t place) {
        result[place] = combined(step.op, result[place], from.data[i]);
    });
    if (step.op == Op::reduce_mean) {
        const double count = static_cast<double>(from.data.size()) / static_cast<double>(result.size());
        std::ranges::for_each(result, [count](double& value) { value /= count; });
    }
    return result;
}

Numbers element_by_element(const Step& step, const std::vector<Tensor>& values) {
    Numbers result(host::elements(step.result.shape));
    std::vector<Numbers> operands;
    for (const std::size_t input : step.inputs) {
        const Tensor& from = values.at(input);
        operands.push_back(
            moved(from, step.result.shape, broadcast_strides(from.value.shape, step.result.shape), 0));
    }
    const isa::DataType operand_type =
        step.inputs.empty() ? step.result.type : values.at(step.inputs.back()).value.type;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Arguments arguments{.a = operands.empty() ? 0 : operands[0][i],
                                  .b = operands.size() < 2 ? 0 : operands[1][i],
                                  .c = operands.size() < 3 ? 0 : operands[2][i]};
        result[i] = in_type(apply(step, arguments, operand_type), step.result.type);
    }
    return result;
}

}  // namespace

std::vector<std::vector<double>> evaluate(const Loop& loop, std::span<const std::vector<double>> inputs) {
    check(inputs.size() == loop.inputs.size(), "{} inputs for {}", inputs.size(), loop.inputs.size());
    std::vector<Tensor> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check(inputs[i].size() == host::elements(loop.inputs[i].shape), "input {} has another size", i);
        values.push_back({loop.inputs[i], inputs[i]});
    }
    for (const Step& step : loop.steps) {
        Numbers data = is_view(step.op)        ? view_of(step, values.at(step.inputs.at(0)))
                       : is_reduction(step.op) ? reduced(step, values.at(step.inputs.at(0)))
                                               : element_by_element(step, values);
        values.push_back({step.result, std::move(data)});
    }
    std::vector<Numbers> outputs;
    for (const std::size_t output : loop.outputs) {
        outputs.push_back(values.at(output).data);
    }
    return outputs;
}

}  // namespace ascendsim::networks::loops
