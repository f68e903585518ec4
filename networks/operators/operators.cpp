// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ascendsim::networks {
std::string kernel_name(const Task& task) {
    if (task.on_host) {
        return "AI CPU";
    }
    if (task.loop == nullptr) {
        return task.kernel;
    }
    std::string text = "generated";
    for (const loops::Step& step : task.loop->steps) {
        if (!loops::is_view(step.op) && step.op != loops::Op::constant) {
            text += fmt::format("_{}", loops::name(step.op));
        }
    }
    return text;
}

const Tensor& Operator::input(std::size_t index) const {
    if (!has(index)) {
        throw Refused{"operand {} is missing", index};
    }
    return *inputs[index];
}

const std::vector<double>& Operator::steering(std::size_t index) const {
    const Tensor& tensor = input(index);
    const auto& elements = tensor.known() ? tensor.values : tensor.given;
    if (elements == nullptr) {
        throw Steered{{index},
                      "operand {} ('{}') steers the operator and is only known when the network runs",
                      index,
                      node.inputs[index]};
    }
    return *elements;
}

void Operator::need(const std::vector<std::size_t>& operands, std::string_view reason) const {
    std::vector<std::size_t> missing;
    std::ranges::copy_if(operands, std::back_inserter(missing), [this](std::size_t index) {
        return has(index) && !inputs[index]->known() && inputs[index]->given == nullptr;
    });
    if (!missing.empty()) {
        throw Steered{missing, "{}", reason};
    }
}

std::vector<std::int64_t> Operator::known(std::size_t index) const {
    std::vector<std::int64_t> values;
    for (const double value : steering(index)) {
        constexpr double most = 9.0e18;  // below 2^63: "to the end" is stated so
        values.push_back(static_cast<std::int64_t>(std::clamp(value, -most, most)));
    }
    return values;
}

std::vector<std::int64_t> Operator::indices(std::size_t index) const {
    const Tensor& tensor = input(index);
    const bool there = tensor.known() || tensor.given != nullptr;
    return timing_only && !there ? std::vector<std::int64_t>(tensor.count(), 0) : known(index);
}

std::vector<std::int64_t> Operator::list(std::string_view name,
                                         std::size_t index,
                                         std::vector<std::int64_t> otherwise) const {
    if (has(index)) {
        return known(index);
    }
    return node.integers(name, std::move(otherwise));
}

std::size_t Operator::axis(std::int64_t axis, std::size_t rank) const {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        throw Refused{"axis {} of a tensor of {} axes", axis, rank};
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::string type_word(isa::DataType type, bool moves) {
    using D = isa::DataType;
    constexpr std::array computed{D::half, D::bfloat16, D::float32, D::int32, D::int16, D::int8};
    constexpr std::array moved{D::uint8, D::boolean, D::int64};
    if (std::ranges::find(computed, type) == computed.end() &&
        (!moves || std::ranges::find(moved, type) == moved.end())) {
        throw Refused{"no vector unit computes with {}", isa::name(type)};
    }
    return std::string{isa::name(type)};
}

Lowered view(const Tensor& tensor, host::Shape shape) {
    Tensor result = tensor;
    result.shape = std::move(shape);
    if (result.count() != tensor.count()) {
        throw Refused{"{} cannot be seen as {}", tensor.text(), host::text(result.shape)};
    }
    return {.outputs = {std::move(result)}, .tasks = {}, .note = {}, .made = {0}};
}

}  // namespace ascendsim::networks
