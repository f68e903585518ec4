// SPDX-License-Identifier: Apache-2.0
#include "networks/training/backward.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "networks/operators/steps.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {

std::vector<std::int64_t> as_integers(const host::Shape& shape) {
    return {shape.begin(), shape.end()};
}

Backward::Backward(Graph& graph, const Tensors& tensors, const std::vector<std::string>& parameters)
    : graph_{graph}, tensors_{tensors}, wanted_{parameters.begin(), parameters.end()} {
    for (const Node& node : graph.nodes) {
        const bool depends = std::ranges::any_of(
            node.inputs, [this](const std::string& input) { return wanted_.contains(input); });
        for (const std::string& output : node.outputs) {
            const auto found = tensors.find(output);
            if (depends && found != tensors.end() && is_real(found->second.type)) {
                wanted_.insert(output);
            }
        }
    }
}

const Tensor& Backward::tensor(std::string_view name) const {
    const auto found = tensors_.find(name);
    check(found != tensors_.end(), "no tensor '{}' in the forward pass", name);
    return found->second;
}

std::string Backward::gradient_of(std::string_view name) const {
    const auto found = gradients_.find(name);
    return found == gradients_.end() ? std::string{} : found->second;
}

std::string Backward::fresh(std::string_view word) {
    return fmt::format("{}{}/{}_{}", backward_prefix, place_, word, next_++);
}

std::vector<std::string> Backward::add_many(std::string op,
                                            std::vector<std::string> inputs,
                                            std::size_t results,
                                            Attributes attributes) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results; ++i) {
        names.push_back(fresh(op));
    }
    graph_.nodes.push_back({.name = names.at(0),
                            .op = std::move(op),
                            .inputs = std::move(inputs),
                            .outputs = names,
                            .attributes = std::move(attributes)});
    return names;
}

std::string Backward::add(std::string op, std::vector<std::string> inputs, Attributes attributes) {
    return add_many(std::move(op), std::move(inputs), 1, std::move(attributes)).front();
}

void Backward::give(const std::string& tensor, const std::string& gradient) {
    if (!wanted(tensor)) {
        return;
    }
    const auto [place, first] = gradients_.try_emplace(tensor, gradient);
    if (!first) {
        place->second = add("Add", {place->second, gradient});
    }
}

void Backward::give_spread(const std::string& tensor, const std::string& gradient, const host::Shape& from) {
    if (!wanted(tensor)) {
        return;
    }
    const host::Shape& to = shape(tensor);
    const std::size_t before = from.size() - to.size();
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != 1 && (i < before || to[i - before] == 1)) {
            axes.push_back(static_cast<std::int64_t>(i));
        }
    }
    const std::string sums =
        axes.empty() ? gradient
                     : add("ReduceSum", {gradient}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
    give(tensor, from == to ? sums : seen(sums, to));
}

std::string Backward::integers(const std::vector<std::int64_t>& values) {
    const std::string name = fresh("integers");
    graph_.constants[name] = constant(isa::DataType::int64, {values.size()}, {values.begin(), values.end()});
    return name;
}

std::string Backward::number(double value, std::string_view tensor) {
    const std::string name = fresh("number");
    Tensor number = constant(isa::DataType::float32, {}, {value});
    number.wide = this->tensor(tensor).wide;
    graph_.constants[name] = std::move(number);
    return name;
}

std::string Backward::seen(const std::string& tensor, const host::Shape& shape) {
    return add("Reshape", {tensor}, {{"shape", as_integers(shape)}});
}

std::string Backward::scaled(const std::string& tensor, double factor) {
    return factor == 1 ? tensor : add("Scale", {tensor}, {{"factor", factor}});
}

std::vector<std::int64_t> Differentiated::list(std::string_view attribute, std::size_t index) const {
    if (!has(index)) {
        return node.integers(attribute, {});
    }
    const Tensor& tensor = backward.tensor(input(index));
    const auto& values = tensor.known() ? tensor.values : tensor.given;
    if (values == nullptr) {
        throw Refused{"'{}' is only known when the network runs", input(index)};
    }
    std::vector<std::int64_t> result;
    for (const double value : *values) {
        constexpr double most = 9.0e18;  // below 2^63
        result.push_back(static_cast<std::int64_t>(std::clamp(value, -most, most)));
    }
    return result;
}

std::size_t Differentiated::axis(std::int64_t axis, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        throw Refused{"axis {} of a tensor of {} axes", axis, rank};
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

}  // namespace ascendsim::networks
