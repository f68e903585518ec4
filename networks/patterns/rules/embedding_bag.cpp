// SPDX-License-Identifier: Apache-2.0
// A bag of embeddings, summed, and a linear layer: the layer can be applied to the table beforehand,
//   (sum_i T[w_i]) W + b = sum_i (T W)[w_i] + b
// No product is left while the network runs; rows of the table have the layer's width.
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

constexpr std::uint64_t most_products = std::uint64_t{1} << 31U;  // some seconds before the run

void check_bag(const PatternView& view, const Node& gemm, const std::string& table) {
    for (const std::string& name : {table, gemm.inputs[1]}) {
        if (!view.weight(name)) {
            throw NoMatch{
                "not_constant",
                "'{}' is computed while the network runs: the layer cannot become part of the table",
                name};
        }
    }
    if (gemm.integer("transA", 0) != 0 || gemm.real("alpha", 1) != 1 || gemm.real("beta", 1) != 1) {
        throw NoMatch{"other_scale", "{} scales or turns its operands", gemm.title()};
    }
}

/// T W: (rows, width) by (width, outputs), or (outputs, width) if turned.
Tensor applied(const PatternView& view, const std::string& table, const std::string& weights, bool turned) {
    const Tensor& t = *view.tensor(table);
    const Tensor& w = *view.tensor(weights);
    const std::uint64_t outputs = w.shape[turned ? 0 : 1];
    const std::uint64_t width = t.shape[1];
    const std::vector<double>* rows = view.elements(table);
    const std::vector<double>* columns = view.elements(weights);
    const host::Shape shape{t.shape[0], outputs};
    if (rows == nullptr || columns == nullptr) {
        return {.type = t.type, .shape = shape, .values = {}};
    }
    if (t.count() * outputs > most_products) {
        throw NoMatch{"too_large", "{} by {} is too much to multiply before the run", t.text(), w.text()};
    }
    std::vector<double> values(host::elements(shape), 0.0);
    for (std::uint64_t r = 0; r < shape[0]; ++r) {
        for (std::uint64_t i = 0; i < width; ++i) {
            const double x = (*rows)[r * width + i];
            for (std::uint64_t c = 0; c < outputs; ++c) {
                values[r * outputs + c] += x * (*columns)[turned ? c * width + i : i * outputs + c];
            }
        }
    }
    return constant(t.type, shape, std::move(values));
}

/// Nodes that act on the bag itself: the Gather that makes its rows and the sum over them.
struct Bag {
    std::size_t gather = 0;
    std::size_t sum = 0;
};

std::optional<Bag> bag_before(const PatternView& view, const std::string& x) {
    const std::size_t none = view.graph().nodes.size();
    const std::size_t sum = view.maker(x);
    if (sum == none || view.node(sum).op != "ReduceSum" || view.node(sum).integer("keepdims", 1) != 0) {
        return std::nullopt;
    }
    const std::size_t gather = view.maker(view.node(sum).inputs[0]);
    if (gather == none || view.node(gather).op != "Gather" || view.node(gather).integer("axis", 0) != 0) {
        return std::nullopt;
    }
    const Tensor* rows = view.tensor(view.node(gather).outputs[0]);
    const Tensor* table = view.tensor(view.node(gather).inputs[0]);
    const Tensor* made = view.tensor(x);
    const bool bag = rows != nullptr && table != nullptr && made != nullptr && rows->shape.size() == 3 &&
                     table->shape.size() == 2 && made->shape == host::Shape{rows->shape[0], rows->shape[2]};
    return bag ? std::optional{Bag{gather, sum}} : std::nullopt;
}

std::optional<Rewriting> bag_and_layer(const PatternView& view, std::size_t index) {
    const Node& gemm = view.node(index);
    const auto bag = gemm.op == "Gemm" ? bag_before(view, gemm.inputs[0]) : std::nullopt;
    if (!bag) {
        return std::nullopt;
    }
    const std::string& table = view.node(bag->gather).inputs[0];
    check_bag(view, gemm, table);
    const std::string& y = gemm.outputs[0];
    const bool biased = gemm.inputs.size() > 2 && !gemm.inputs[2].empty();
    Node gather = view.node(bag->gather);
    gather.inputs[0] = y + "_table";
    gather.outputs = {y + "_rows"};
    Node sum = view.node(bag->sum);
    sum.inputs[0] = gather.outputs[0];
    sum.outputs = {biased ? y + "_sums" : y};
    Rewriting rewriting{.nodes = {bag->gather, bag->sum, index}, .with = {gather, sum}};
    if (biased) {
        rewriting.with.push_back(replacing(view, y, "Add", {sum.outputs[0], gemm.inputs[2]}));
    }
    rewriting.constants[gather.inputs[0]] =
        applied(view, table, gemm.inputs[1], gemm.integer("transB", 0) != 0);
    return rewriting;
}

}  // namespace

Patterns embedding_bag_patterns() {
    return {{.name = "EmbeddingBag + Linear", .phase = Phase::fold, .rewrite = bag_and_layer}};
}

}  // namespace ascendsim::networks
