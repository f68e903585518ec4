// SPDX-License-Identifier: Apache-2.0
#include "networks/training/training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "networks/operators/steps.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/wide_ranges.hpp"
#include "networks/training/backward.hpp"
#include "networks/training/recurrence.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using Shapes = std::map<std::string, host::Shape, std::less<>>;
using isa::DataType;

/// The operand with which each kind of operator's weights begin.
const std::map<std::string, std::size_t, std::less<>>& first_weights() {
    static const std::map<std::string, std::size_t, std::less<>> places{{"Conv", 1},
                                                                        {"ConvTranspose", 1},
                                                                        {"Gemm", 1},
                                                                        {"MatMul", 0},
                                                                        {"LayerNormalization", 1},
                                                                        {"BatchNormTraining", 1},
                                                                        {"Gather", 0},
                                                                        {"Add", 0},
                                                                        {"Mul", 0},
                                                                        {"LSTM", 1},
                                                                        {"PRelu", 1}};
    return places;
}

/// Constants that operators take as weights become inputs, which nothing folds.
void open_weights(Graph& graph, Shapes& shapes, std::vector<std::string>& parameters) {
    std::set<std::string, std::less<>> chosen;
    for (const Node& node : graph.nodes) {
        const auto place = first_weights().find(node.op);
        for (std::size_t i = place == first_weights().end() ? node.inputs.size() : place->second;
             i < node.inputs.size();
             ++i) {
            const auto found = graph.constants.find(node.inputs[i]);
            if (found != graph.constants.end() && is_real(found->second.type) && found->second.count() > 1) {
                chosen.insert(node.inputs[i]);
            }
        }
    }
    for (const std::string& name : chosen) {
        const Tensor& tensor = graph.constants.at(name);
        graph.inputs.push_back(
            {.name = name, .type = tensor.type, .shape = {tensor.shape.begin(), tensor.shape.end()}});
        shapes[name] = tensor.shape;
        parameters.push_back(name);
        graph.constants.erase(name);
    }
}

/// A batch norm takes its own batch's statistics, and keeps them for its gradient.
void train_norms(Graph& graph) {
    for (Node& node : graph.nodes) {
        if (node.op == "BatchNormalization") {
            const std::string y = node.outputs.at(0);
            node.op = "BatchNormTraining";
            node.inputs.resize(std::min<std::size_t>(node.inputs.size(), 3));
            node.outputs = {y, y + "/mean", y + "/inverse"};
        }
    }
}

/// The step while it is written.
class StepWriter {
public:
    StepWriter(const Graph& graph,
               const Shapes& shapes,
               const Lowering& lowering,
               const TrainingOptions& options)
        : lowering_{lowering}, options_{options} {
        step_.graph = graph;
        step_.shapes = shapes;
        train_norms(step_.graph);
        if (std::ranges::any_of(graph.nodes, [](const Node& node) { return node.op == "LSTM"; })) {
            unroll_recurrences(step_.graph, plan_network(step_.graph, shapes, lowering).tensors);
        }
        for (const Input& input : graph.inputs) {
            if (is_weight(input.name) && is_real(input.type)) {
                step_.parameters.push_back(input.name);
            }
        }
        open_weights(step_.graph, step_.shapes, step_.parameters);
        // What the forward pass has in float32 its gradients have, too: that of a cast has its operand's
        // type.
        step_.graph = with_wide_ranges(std::move(step_.graph), step_.shapes, lowering_);
        if (step_.parameters.empty()) {
            throw UserError{
                "the network has no weights to train: inputs 'weights_…', or constants that a "
                "product, convolution or norm takes"};
        }
    }

    TrainingGraph write() {
        const std::size_t forward = step_.graph.nodes.size();
        const NetworkPlan plan = plan_network(step_.graph, step_.shapes, lowering_);
        refuse_what_cannot_run(plan);
        Backward backward{step_.graph, plan.tensors, step_.parameters};
        add_scalar("loss_scale", 1024);  // as far as float16 may go with a mean over a small batch
        const std::vector<std::string> outputs = std::exchange(step_.graph.outputs, {});
        for (const std::string& output : outputs) {
            if (backward.wanted(output)) {
                add_loss(backward, output, outputs.size() > 1);
            }
        }
        if (step_.losses.empty()) {
            throw UserError{"no output of the network depends on its weights"};
        }
        differentiate(backward, forward);
        for (const std::string& parameter : step_.parameters) {
            step_.gradients.push_back(backward.gradient_of(parameter));
            if (!step_.gradients.back().empty()) {
                add_update(parameter, step_.gradients.back());
            }
        }
        return std::move(step_);
    }

private:
    static void refuse_what_cannot_run(const NetworkPlan& plan) {
        std::string text;
        for (const PlannedNode& node : plan.nodes) {
            if (!node.refusal.empty() && text.empty()) {
                text = fmt::format("{} '{}' cannot run: {}", node.op, node.outputs.at(0), node.refusal);
            }
        }
        if (!text.empty()) {
            throw UserError{"{}", text};
        }
    }

    std::string add_input(std::string name, DataType type, const host::Shape& shape, bool keeps) {
        step_.shapes[name] = shape;
        step_.graph.inputs.push_back(
            {.name = name, .type = type, .shape = {shape.begin(), shape.end()}, .keeps_type = keeps});
        return name;
    }

    std::string add_scalar(const std::string& name, double value) {
        if (step_.scalars.try_emplace(name, value).second) {
            add_input(name, DataType::float32, {1}, true);
        }
        return name;
    }

    void add_loss(Backward& backward, const std::string& output, bool several) {
        const host::Shape shape = backward.shape(output);
        const bool classes = shape.size() == 2 && shape[1] > 1;
        const Loss loss = options_.loss != Loss::automatic ? options_.loss
                          : classes                        ? Loss::cross_entropy
                                                           : Loss::mean_square;
        const std::string suffix = several ? "/" + output : "";
        if (loss == Loss::cross_entropy) {
            add_cross_entropy(backward, output, shape, suffix);
        } else if (loss == Loss::mean_square) {
            add_mean_square(backward, output, shape, suffix);
        } else {
            add_sum(backward, output, shape, suffix);
        }
        step_.graph.outputs.push_back(step_.losses.back());
    }

    void add_node(std::string op,
                  std::vector<std::string> inputs,
                  const std::string& output,
                  Backward::Attributes attributes = {}) {
        step_.graph.nodes.push_back({.name = output,
                                     .op = std::move(op),
                                     .inputs = std::move(inputs),
                                     .outputs = {output},
                                     .attributes = std::move(attributes)});
    }

    void add_cross_entropy(Backward& backward,
                           const std::string& output,
                           const host::Shape& shape,
                           const std::string& suffix) {
        if (shape.size() < 2 || shape.back() < 2) {
            throw UserError{"--loss cross_entropy: output '{}' is {}, and needs classes on its last axis",
                            output,
                            host::text(shape)};
        }
        const host::Shape rows{host::elements({shape.begin(), shape.end() - 1}), shape.back()};
        const std::string labels = add_input("labels" + suffix, DataType::int64, {rows[0]}, true);
        const std::string loss = "loss" + suffix;
        std::string scores = output;
        if (shape != rows) {
            scores = loss + "/rows";
            add_node("Reshape", {output}, scores, {{"shape", as_integers(rows)}});
        }
        add_node("SoftmaxCrossEntropyLoss", {scores, labels}, loss);
        const std::string gradient = backward.add("SoftmaxCrossEntropyGrad", {scores, labels, "loss_scale"});
        backward.give(output, shape == rows ? gradient : backward.seen(gradient, shape));
        step_.losses.push_back(loss);
    }

    void add_mean_square(Backward& backward,
                         const std::string& output,
                         const host::Shape& shape,
                         const std::string& suffix) {
        const std::string target = add_input("target" + suffix, backward.tensor(output).type, shape, true);
        const std::string loss = "loss" + suffix;
        add_node("Sub", {output, target}, loss + "/difference");
        add_node("Mul", {loss + "/difference", loss + "/difference"}, loss + "/square");
        std::vector<std::int64_t> axes(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        add_node("ReduceMean", {loss + "/square"}, loss, {{"axes", axes}, {"keepdims", std::int64_t{0}}});
        const double factor = 2 / static_cast<double>(host::elements(shape));
        backward.give(output,
                      backward.add("ScaleBy", {loss + "/difference", "loss_scale"}, {{"factor", factor}}));
        step_.losses.push_back(loss);
    }

    void add_sum(Backward& backward,
                 const std::string& output,
                 const host::Shape& shape,
                 const std::string& suffix) {
        std::string loss = output;
        if (host::elements(shape) != 1) {
            loss = "loss" + suffix;
            std::vector<std::int64_t> axes(shape.size());
            std::iota(axes.begin(), axes.end(), 0);
            add_node("ReduceSum", {output}, loss, {{"axes", axes}, {"keepdims", std::int64_t{0}}});
        }
        const std::string scale = backward.add("CastLike", {"loss_scale", output});
        backward.give(
            output,
            backward.add("Expand", {backward.seen(scale, {}), backward.integers(as_integers(shape))}));
        step_.losses.push_back(loss);
    }

    /// From the last node to the first, with every operator that has no gradient.
    void differentiate(Backward& backward, std::size_t forward) {
        const Gradients gradients = all_gradients();
        std::vector<std::string> names;
        for (const auto& [name, gradient] : gradients) {
            names.push_back(name);
        }
        std::map<std::string, std::size_t> refused;
        for (std::size_t i = forward; i-- > 0;) {
            const Node node = step_.graph.nodes[i];  // nodes are added behind it
            const bool reached = std::ranges::any_of(
                node.outputs, [&](const std::string& name) { return !backward.gradient_of(name).empty(); });
            const bool depends = std::ranges::any_of(
                node.inputs, [&](const std::string& name) { return backward.wanted(name); });
            if (!reached || !depends) {
                continue;
            }
            const auto found = gradients.find(node.op);
            if (found == gradients.end()) {
                ++refused[fmt::format("{}: no gradient is known{}", node.op, nearest_hint(node.op, names))];
                forget(backward, node);
                continue;
            }
            try {
                backward.begin(node);
                found->second({.backward = backward, .node = node, .opset = step_.graph.opset});
            } catch (const Refused& error) {
                ++refused[fmt::format("{} '{}': {}", node.op, node.outputs[0], error.what())];
                forget(backward, node);
            }
        }
        if (!refused.empty()) {
            throw UserError{"the network cannot be trained:\n  {}", sentences(refused)};
        }
    }

    /// Operands of a refused node get a gradient of sorts, so that those before them are looked at, too.
    static void forget(Backward& backward, const Node& node) {
        backward.begin(node);
        for (const std::string& input : node.inputs) {
            if (backward.wanted(input)) {
                backward.give(input, input);
            }
        }
    }

    static std::string sentences(const std::map<std::string, std::size_t>& refused) {
        std::vector<std::string> lines;
        for (const auto& [text, count] : refused) {
            lines.push_back(count == 1 ? text : fmt::format("{} x {}", count, text));
        }
        return fmt::format("{}", fmt::join(lines, "\n  "));
    }

    /// The optimiser of one parameter: float32 beside weights that are held as float16.
    void add_update(const std::string& parameter, const std::string& gradient) {
        const host::Shape& shape = step_.shapes.at(parameter);
        const bool copies = lowering_.precision == Precision::half;
        const std::string weights =
            copies ? add_input("master/" + parameter, DataType::float32, shape, true) : parameter;
        const std::string base{optimiser_prefix};
        std::vector<std::string> inputs{weights, gradient, add_scalar("gradient_factor", 1.0 / 1024)};
        std::vector<std::string> states{"moment"};
        Backward::Attributes attributes{{"copies", std::int64_t{copies}},
                                        {"weight_decay", options_.weight_decay},
                                        {"learning_rate", options_.learning_rate}};
        if (options_.optimiser == Optimiser::sgd) {
            attributes["momentum"] = options_.momentum;
            inputs.push_back(add_scalar("step_size", options_.learning_rate));
        } else {
            attributes["beta1"] = options_.beta1;
            attributes["beta2"] = options_.beta2;
            attributes["epsilon"] = options_.epsilon;
            attributes["decoupled"] = std::int64_t{options_.optimiser == Optimiser::adamw};
            inputs.push_back(add_scalar("step_size", options_.learning_rate / (1 - options_.beta1)));
            inputs.push_back(add_scalar("variance_factor", 1 / std::sqrt(1 - options_.beta2)));
            states.emplace_back("variance");
        }
        std::vector<std::string> outputs{base + weights};
        for (const std::string& state : states) {
            inputs.push_back(add_input(state + "/" + parameter, DataType::float32, shape, true));
            outputs.push_back(base + inputs.back());
        }
        if (copies) {
            outputs.push_back(base + parameter);
        }
        step_.graph.outputs.insert(step_.graph.outputs.end(), outputs.begin(), outputs.end());
        step_.graph.nodes.push_back(
            {.name = outputs[0],
             .op = options_.optimiser == Optimiser::sgd ? "ApplyMomentum" : "ApplyAdam",
             .inputs = std::move(inputs),
             .outputs = std::move(outputs),
             .attributes = std::move(attributes)});
    }

    const Lowering& lowering_;
    const TrainingOptions& options_;
    TrainingGraph step_;
};

}  // namespace

StepPhase phase_of(std::string_view tensor) {
    return tensor.starts_with(backward_prefix)    ? StepPhase::backward
           : tensor.starts_with(optimiser_prefix) ? StepPhase::optimiser
                                                  : StepPhase::forward;
}

std::string_view name(StepPhase phase) {
    return phase == StepPhase::forward ? "forward" : phase == StepPhase::backward ? "backward" : "optimiser";
}

std::string_view name(Optimiser optimiser) {
    return optimiser == Optimiser::sgd ? "sgd" : optimiser == Optimiser::adam ? "adam" : "adamw";
}

TrainingGraph training_graph(const Graph& graph,
                             const Shapes& shapes,
                             const Lowering& lowering,
                             const TrainingOptions& options) {
    // The branch that runs has gradients; the If itself has none.
    return StepWriter{with_known_control_flow(graph, shapes, lowering), shapes, lowering, options}.write();
}

double stated_flops(const PlannedNode& node, const Tensors& tensors) {
    const auto shape = [&](std::size_t index) -> const host::Shape& {
        return tensors.at(node.inputs.at(index)).shape;
    };
    const auto count = [](const host::Shape& of) { return static_cast<double>(host::elements(of)); };
    if (node.results.empty() || node.tasks.empty()) {
        return 0;
    }
    const double results = count(node.results[0].shape);
    // Of two operands and a product: each pair of outer extents once, and what is summed over.
    if (node.op == "MatMul" || node.op == "Gemm" || node.op == "BatchMatMul") {
        const host::Shape& a = shape(0);
        const host::Shape& y = node.results[0].shape;
        const double rows = y.size() < 2 ? 1 : static_cast<double>(y[y.size() - 2]);
        const double depth =
            count({a.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(a.size(), 2)), a.end()}) /
            rows;
        return 2 * results * depth;
    }
    const auto of_filters = [&](const host::Shape& w) { return count({w.begin() + 1, w.end()}); };
    if (node.op == "Conv") {
        return 2 * results * of_filters(shape(1));
    }
    if (node.op == "ConvTranspose") {
        return 2 * count(shape(0)) * of_filters(shape(1));
    }
    if (node.op == "ConvFilterGrad") {
        return 2 * count(shape(0)) * of_filters(node.results[0].shape);
    }
    return 0;
}

}  // namespace ascendsim::networks
