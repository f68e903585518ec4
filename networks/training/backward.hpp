// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "networks/graph/graph.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Names of tensors that the backward pass and the optimiser make begin so.
inline constexpr std::string_view backward_prefix = "backward/";
inline constexpr std::string_view optimiser_prefix = "optimiser/";

/// The backward pass of a network while it is written: nodes behind those of the forward pass.
class Backward {
public:
    using Attributes = std::map<std::string, Attribute, std::less<>>;

    /// `tensors` are those of the forward pass, as they are held. Only what depends on one of `parameters`
    /// has a gradient.
    Backward(Graph& graph, const Tensors& tensors, const std::vector<std::string>& parameters);

    /// A tensor of the forward pass.
    [[nodiscard]] const Tensor& tensor(std::string_view name) const;

    [[nodiscard]] const host::Shape& shape(std::string_view name) const { return tensor(name).shape; }

    /// True if the tensor's gradient is wanted: a parameter depends on it.
    [[nodiscard]] bool wanted(std::string_view name) const { return wanted_.contains(name); }

    /// The gradient that the tensor has so far; empty if it has none.
    [[nodiscard]] std::string gradient_of(std::string_view name) const;

    /// Names what follows after the node of the forward pass whose gradients it makes.
    void begin(const Node& node) { place_ = node.outputs.at(0); }

    /// Adds a node with one result, and returns the result's name.
    std::string add(std::string op, std::vector<std::string> inputs, Attributes attributes = {});
    /// The same with several results.
    std::vector<std::string> add_many(std::string op,
                                      std::vector<std::string> inputs,
                                      std::size_t results,
                                      Attributes attributes = {});
    /// A gradient of the tensor, which is added to what it has. Nothing if none is wanted.
    void give(const std::string& tensor, const std::string& gradient);
    /// The same of a gradient in an extent that the tensor was spread to: it is summed over what is spread.
    void give_spread(const std::string& tensor, const std::string& gradient, const host::Shape& shape);

    /// A constant of whole numbers.
    std::string integers(const std::vector<std::int64_t>& values);
    /// A constant of one real number, held as the tensor of the forward pass is, beside whose gradient it
    /// stands.
    std::string number(double value, std::string_view tensor);
    /// The same elements in another shape.
    std::string seen(const std::string& tensor, const host::Shape& shape);
    /// factor x.
    std::string scaled(const std::string& tensor, double factor);

private:
    std::string fresh(std::string_view word);

    Graph& graph_;
    const Tensors& tensors_;
    std::set<std::string, std::less<>> wanted_;
    std::map<std::string, std::string, std::less<>> gradients_;
    std::string place_ = "loss";  // until the first node
    std::size_t next_ = 0;
};

/// A node of the forward pass whose operands are to get their gradients, of the gradients of its results.
struct Differentiated {
    Backward& backward;
    const Node& node;
    std::int64_t opset = 0;

    [[nodiscard]] const std::string& input(std::size_t index) const { return node.inputs.at(index); }

    [[nodiscard]] const std::string& output(std::size_t index = 0) const { return node.outputs.at(index); }

    [[nodiscard]] bool has(std::size_t index) const {
        return index < node.inputs.size() && !node.inputs[index].empty();
    }

    [[nodiscard]] bool wanted(std::size_t index) const { return has(index) && backward.wanted(input(index)); }

    [[nodiscard]] const host::Shape& shape(std::size_t index) const { return backward.shape(input(index)); }

    /// The gradient of a result, which must have one.
    [[nodiscard]] std::string gradient(std::size_t index = 0) const {
        return backward.gradient_of(output(index));
    }

    /// The elements of an operand that steers the operator, or of the attribute in older opsets.
    [[nodiscard]] std::vector<std::int64_t> list(std::string_view attribute, std::size_t index) const;
    /// `axis`, counted from the first, of a tensor of `rank` axes.
    [[nodiscard]] static std::size_t axis(std::int64_t axis, std::size_t rank);
};

/// Gives the operands of a node their gradients. Throws Refused with the reason if it cannot.
using Gradient = std::function<void(const Differentiated&)>;
using Gradients = std::map<std::string, Gradient, std::less<>>;

/// All gradients by the names of their operators, gathered while building.
[[nodiscard]] Gradients all_gradients();

/// A shape as the attribute of a node holds it.
[[nodiscard]] std::vector<std::int64_t> as_integers(const host::Shape& shape);

}  // namespace ascendsim::networks
