// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/operators.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace ascendsim::networks {
namespace {

/// The shape with extents of 1 in front.
host::Shape aligned(const host::Shape& shape, std::size_t rank) {
    host::Shape result(rank - shape.size(), 1);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

/// How often each axis must be repeated to become `to`; empty if rows or columns alone are spread, so that
/// from the first axis to the last what is spread and what is not change over once at most.
host::Shape repeats_in_memory(const host::Shape& from, const host::Shape& to) {
    const host::Shape whole = aligned(from, to.size());
    host::Shape repeats(to.size(), 1);
    int changes = 0;
    std::optional<bool> before;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (to[i] == 1) {
            continue;
        }
        const bool spread = whole[i] == 1;
        repeats[i] = spread ? to[i] : 1;
        changes += before && *before != spread ? 1 : 0;
        before = spread;
    }
    return changes > 1 ? repeats : host::Shape{};
}

}  // namespace

const Tensor& Operator::input(std::size_t index) const {
    if (!has(index)) {
        throw Refused{"operand {} is missing", index};
    }
    return *inputs[index];
}

std::vector<std::int64_t> Operator::known(std::size_t index) const {
    const Tensor& tensor = input(index);
    if (!tensor.known()) {
        throw Refused{"operand {} ('{}') steers the operator and is only known when the network runs",
                      index,
                      node.inputs[index]};
    }
    std::vector<std::int64_t> values;
    for (const double value : *tensor.values) {
        constexpr double most = 9.0e18;  // below 2^63: "to the end" is stated so
        values.push_back(static_cast<std::int64_t>(std::clamp(value, -most, most)));
    }
    return values;
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

Task elementwise_task(std::string_view op,
                      const host::Shape& shape,
                      std::span<const Tensor* const> operands,
                      isa::DataType out) {
    Task task{.kernel = "elementwise", .knobs = {{"op", std::string{op}}, {"shape", shape}}};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string number = i == 0 ? "" : fmt::format("{}", i);
        if (i == 0 || operands[i]->type != operands[0]->type) {
            task.knobs.emplace_back("dtype" + number, type_word(operands[i]->type, true));
        }
        if (operands[i]->shape != shape) {
            task.knobs.emplace_back(fmt::format("shape{}", i), aligned(operands[i]->shape, shape.size()));
        }
    }
    if (out != operands[0]->type && out != isa::DataType::boolean) {
        task.knobs.emplace_back("out_dtype", type_word(out, true));
    }
    return task;
}

std::vector<Task> elementwise_tasks(std::string_view op,
                                    const host::Shape& shape,
                                    std::span<const Tensor* const> operands,
                                    isa::DataType out) {
    std::vector<Task> tasks;
    std::vector<Tensor> ready;
    for (const Tensor* operand : operands) {
        Tensor& tensor = ready.emplace_back(*operand);
        if (const host::Shape repeats = repeats_in_memory(tensor.shape, shape); !repeats.empty()) {
            tasks.push_back({.kernel = "rearrange",
                             .knobs = {{"kind", std::string{"tile"}},
                                       {"shape", aligned(tensor.shape, shape.size())},
                                       {"repeats", repeats},
                                       {"dtype", type_word(tensor.type, true)}}});
            tensor.shape = shape;
        }
    }
    std::vector<const Tensor*> taken;
    for (const Tensor& tensor : ready) {
        taken.push_back(&tensor);
    }
    tasks.push_back(elementwise_task(op, shape, taken, out));
    return tasks;
}

Lowered view(const Tensor& tensor, host::Shape shape) {
    Tensor result = tensor;
    result.shape = std::move(shape);
    if (result.count() != tensor.count()) {
        throw Refused{"{} cannot be seen as {}", tensor.text(), host::text(result.shape)};
    }
    return {.outputs = {std::move(result)}, .tasks = {}, .note = {}};
}

}  // namespace ascendsim::networks
