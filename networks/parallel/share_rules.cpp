// SPDX-License-Identifier: Apache-2.0
// What operators do with operands of which each device has a part.
#include <algorithm>
#include <numeric>

#include "networks/parallel/share_attempt.hpp"

namespace ascendsim::networks {
namespace {

std::size_t counted(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace

std::map<std::string, ShareAttempt::Rule, std::less<>> ShareAttempt::rules() {
    std::map<std::string, Rule, std::less<>> all{{"MatMul", &ShareAttempt::product},
                                                 {"Gemm", &ShareAttempt::product},
                                                 {"Conv", &ShareAttempt::convolution},
                                                 {"ConvTranspose", &ShareAttempt::transposed_convolution},
                                                 {"BatchNormalization", &ShareAttempt::batch_norm},
                                                 {"MaxPool", &ShareAttempt::pool},
                                                 {"AveragePool", &ShareAttempt::pool},
                                                 {"GlobalAveragePool", &ShareAttempt::pool},
                                                 {"GlobalMaxPool", &ShareAttempt::pool},
                                                 {"Softmax", &ShareAttempt::rows},
                                                 {"LogSoftmax", &ShareAttempt::rows},
                                                 {"LayerNormalization", &ShareAttempt::rows},
                                                 {"RMSNormalization", &ShareAttempt::rows},
                                                 {"ReduceMean", &ShareAttempt::reduction},
                                                 {"ReduceSum", &ShareAttempt::reduction},
                                                 {"ReduceMax", &ShareAttempt::reduction},
                                                 {"Transpose", &ShareAttempt::transposed},
                                                 {"Reshape", &ShareAttempt::viewed},
                                                 {"Flatten", &ShareAttempt::viewed},
                                                 {"Squeeze", &ShareAttempt::viewed},
                                                 {"Unsqueeze", &ShareAttempt::viewed},
                                                 {"Split", &ShareAttempt::parts},
                                                 {"Concat", &ShareAttempt::joined}};
    for (const char* op :
         {"Relu", "Gelu",    "Erf",   "Tanh",      "Sigmoid",     "Exp",      "Sqrt",       "Neg",
          "Abs",  "Cast",    "Log",   "Identity",  "LeakyRelu",   "Softplus", "Reciprocal", "Elu",
          "Selu", "Clip",    "Swish", "HardSwish", "HardSigmoid", "Softsign", "Add",        "Sub",
          "Mul",  "Div",     "Pow",   "Max",       "Min",         "Sum",      "PRelu",      "Where",
          "Mod",  "Dropout", "Mish",  "Sin",       "Cos"}) {
        all[op] = &ShareAttempt::elements;
    }
    return all;
}

/// Element by element, spread as NumPy does: axes are counted from the last.
void ShareAttempt::elements(const Node& node) {
    const std::size_t rank = shape(node.outputs[0]).size();
    Cut cut;
    bool found = false;
    for (const std::string& input : node.inputs) {
        if (const Cut* of = input.empty() ? nullptr : cut_of(input)) {
            const std::size_t axis = of->axis + rank - shape(input).size();
            if (found && axis != cut.axis) {
                refuse(node);
            }
            cut.axis = axis;
            cut.weights.insert(of->weights.begin(), of->weights.end());
            found = true;
        }
    }
    std::set<std::size_t> whole;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const std::string& input = node.inputs[i];
        if (input.empty() || cut_of(input) != nullptr) {
            continue;
        }
        const host::Shape& own = shape(input);
        const std::size_t missing = rank - own.size();
        if (cut.axis < missing || own[cut.axis - missing] == 1) {
            whole.insert(i);
        } else if (weights_.contains(input)) {
            cut_weight(input, cut.axis - missing, cut);
        } else {
            refuse(node);
        }
    }
    pass(node, whole, cut);
}

void ShareAttempt::product(const Node& node) {
    const Cut* left = cut_of(node.inputs[0]);
    const Cut* right = cut_of(node.inputs[1]);
    const host::Shape& a = shape(node.inputs[0]);
    const host::Shape& b = shape(node.inputs[1]);
    const bool turned = node.integer("transB", 0) != 0;
    if (node.integer("transA", 0) != 0 || left == nullptr || a.size() < 2 || b.size() < 2) {
        refuse(node);
    }
    const bool depth = left->axis + 1 == a.size();
    const bool biased = node.inputs.size() > 2 && !node.inputs[2].empty();
    if (right == nullptr && depth && b.size() == 2 && weights_.contains(node.inputs[1])) {
        cut_weight(node.inputs[1], turned ? 1 : 0, *left);
        Node strip = node;
        strip.inputs.resize(2);
        if (biased && node.real("beta", 1) != 1) {
            refuse(node);
        }
        sum_of_strips(std::move(strip), biased ? node.inputs[2] : std::string{});
        return;
    }
    if (right == nullptr && !depth && b.size() == 2 && !biased) {  // each device has other rows
        pass(node, {1}, *left);
        return;
    }
    // Batches of matrices of which each device has others.
    const std::size_t rank = shape(node.outputs[0]).size();
    const bool same = right != nullptr && left->axis + rank - a.size() == right->axis + rank - b.size() &&
                      left->axis + 2 < a.size();
    if (!same) {
        refuse(node);
    }
    Cut cut = *left;
    cut.axis += rank - a.size();
    cut.weights.insert(right->weights.begin(), right->weights.end());
    pass(node, {}, std::move(cut));
}

/// Images whose channels are cut: filters by their inputs, results are summed.
void ShareAttempt::convolution(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    if (cut != nullptr && cut->axis > 1 && sharing_.slabs > 1) {
        slab_convolution(node, Cut{*cut});
        return;
    }
    if (cut == nullptr || cut->axis != 1 || node.integer("group", 1) != 1) {
        refuse(node);
    }
    cut_weight(node.inputs[1], 1, *cut);
    Node strip = node;
    strip.inputs.resize(2);
    const bool biased = node.inputs.size() > 2 && !node.inputs[2].empty();
    sum_of_strips(std::move(strip), biased ? node.inputs[2] : std::string{});
}

/// Slices of the neighbours before and behind, as far as windows reach; no padding there.
void ShareAttempt::slab_convolution(const Node& node, const Cut& cut) {
    const std::size_t axis = cut.axis - 2;
    const std::size_t axes = shape(node.inputs[0]).size() - 2;
    const auto of_axis = [&](std::string_view attribute, std::int64_t otherwise) {
        return node.integers(attribute, std::vector<std::int64_t>(axes, otherwise)).at(axis);
    };
    const auto extent = [&](const std::string& tensor) {
        return static_cast<std::int64_t>(shape(tensor)[cut.axis] / sharing_.slabs);
    };
    std::vector<std::int64_t> pads = node.integers("pads", std::vector<std::int64_t>(2 * axes, 0));
    const std::int64_t stride = of_axis("strides", 1);
    const auto taps = static_cast<std::int64_t>(shape(node.inputs[1])[cut.axis]);
    const std::int64_t window = (taps - 1) * of_axis("dilations", 1) + 1;
    const std::int64_t in = extent(node.inputs[0]);
    const std::int64_t out = extent(node.outputs[0]);
    if (node.has("auto_pad") || shape(node.outputs[0])[cut.axis] % sharing_.slabs != 0 ||
        out * stride != in) {
        refuse(node);
    }
    const std::int64_t before = pads.at(axis);
    const std::int64_t behind = std::max<std::int64_t>(0, (out - 1) * stride + window - in - before);
    if (before > in || behind > in) {
        refuse(node);  // windows reach beyond the neighbours
    }
    Node slab = node;
    if (before + behind > 0) {
        const std::string wide = node.outputs[0] + "/halo";
        result_.graph.nodes.push_back(
            {.name = wide,
             .op = "ShareHalo",
             .inputs = {node.inputs[0]},
             .outputs = {wide},
             .attributes = {
                 {"axis", static_cast<std::int64_t>(cut.axis)}, {"before", before}, {"behind", behind}}});
        slab.inputs[0] = wide;
        pads[axis] = 0;
        pads[axes + axis] = 0;
        slab.attributes["pads"] = pads;
    }
    pass(std::move(slab), {1, 2}, cut);
}

/// Of slabs, if windows do not overlap along the axis.
void ShareAttempt::transposed_convolution(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    if (cut == nullptr || cut->axis < 2 || sharing_.slabs == 1) {
        refuse(node);
    }
    const std::size_t axis = cut->axis - 2;
    const std::size_t axes = shape(node.inputs[0]).size() - 2;
    const std::vector<std::int64_t> pads = node.integers("pads", std::vector<std::int64_t>(2 * axes, 0));
    const auto taps = static_cast<std::int64_t>(shape(node.inputs[1])[cut->axis]);
    const std::int64_t stride = node.integers("strides", std::vector<std::int64_t>(axes, 1)).at(axis);
    const bool more = node.has("auto_pad") || node.has("output_shape") || node.has("output_padding");
    if (more || taps != stride || pads.at(axis) != 0 || pads.at(axes + axis) != 0) {
        refuse(node);
    }
    pass(node, {1, 2}, Cut{*cut});
}

void ShareAttempt::batch_norm(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    if (cut != nullptr && cut->axis > 1) {
        pass(node, {1, 2, 3, 4}, Cut{*cut});
        return;
    }
    if (cut == nullptr || cut->axis != 1) {
        refuse(node);
    }
    const Cut own = *cut;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        cut_weight(node.inputs[i], 0, own);
    }
    pass(node, {}, own);
}

void ShareAttempt::pool(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    if (cut == nullptr || (cut->axis > 1 && sharing_.slabs == 1)) {
        refuse(node);
    }
    if (cut->axis > 1) {  // windows side by side, each within a slab
        const std::size_t axis = cut->axis - 2;
        const std::size_t axes = shape(node.inputs[0]).size() - 2;
        const std::vector<std::int64_t> taps =
            node.integers("kernel_shape", std::vector<std::int64_t>(axes, 0));
        const std::vector<std::int64_t> strides =
            node.integers("strides", std::vector<std::int64_t>(axes, 1));
        const std::vector<std::int64_t> pads = node.integers("pads", std::vector<std::int64_t>(2 * axes, 0));
        const auto slices = static_cast<std::int64_t>(shape(node.inputs[0])[cut->axis] / sharing_.slabs);
        if (taps.at(axis) == 0 || taps[axis] != strides.at(axis) || pads.at(axis) != 0 ||
            pads.at(axes + axis) != 0 || slices % taps[axis] != 0) {
            refuse(node);
        }
    }
    pass(node, {}, Cut{*cut});
}

/// Over rows that each device has whole.
void ShareAttempt::rows(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    const bool one_axis = node.op == "Softmax" || node.op == "LogSoftmax";
    if (cut == nullptr) {
        refuse(node);
    }
    const std::size_t axis = counted(node.integer("axis", -1), shape(node.inputs[0]).size());
    const bool apart = one_axis && graph_.opset >= 13 ? cut->axis != axis : cut->axis < axis;
    if (!apart) {
        refuse(node);
    }
    std::set<std::size_t> whole;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        whole.insert(i);
    }
    pass(node, whole, Cut{*cut});
}

void ShareAttempt::reduction(const Node& node) {
    const Cut* cut = cut_of(node.inputs[0]);
    const std::size_t rank = shape(node.inputs[0]).size();
    std::size_t before = 0;
    const std::vector<std::int64_t> axes = list(node, "axes", 1);
    if (cut == nullptr || axes.empty()) {
        refuse(node);
    }
    for (const std::int64_t axis : axes) {
        if (counted(axis, rank) == cut->axis) {
            refuse(node);
        }
        before += counted(axis, rank) < cut->axis ? 1U : 0U;
    }
    Cut own = *cut;
    own.axis -= node.integer("keepdims", 1) != 0 ? 0 : before;
    pass(node, {}, std::move(own));
}

void ShareAttempt::transposed(const Node& node) {
    Cut cut = *cut_of(node.inputs[0]);
    std::vector<std::int64_t> order(shape(node.inputs[0]).size());
    std::iota(order.rbegin(), order.rend(), 0);
    order = node.integers("perm", order);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (counted(order[i], order.size()) == cut_of(node.inputs[0])->axis) {
            cut.axis = i;
        }
    }
    pass(node, {}, std::move(cut));
}

/// The same elements in another shape: the axis that begins at the same element is cut.
void ShareAttempt::viewed(const Node& node) {
    const Cut* of = cut_of(node.inputs[0]);
    if (of == nullptr) {
        refuse(node);
    }
    Cut cut = *of;
    const host::Shape& from = shape(node.inputs[0]);
    const host::Shape& to = shape(node.outputs[0]);
    const std::uint64_t before =
        host::elements({from.begin(), from.begin() + static_cast<std::ptrdiff_t>(cut.axis)});
    std::uint64_t passed = 1;
    std::size_t axis = 0;
    while (axis < to.size() && (passed < before || to[axis] == 1)) {
        passed *= to[axis++];
    }
    if (axis == to.size() || passed != before || to[axis] % ways() != 0) {
        refuse(node);
    }
    cut.axis = axis;
    Node seen = node;
    if (node.op == "Reshape") {
        std::vector<std::int64_t> part{to.begin(), to.end()};
        part[axis] /= ways();
        seen.attributes.erase("shape");
        seen.inputs = {node.inputs[0], integers(node.outputs[0] + "/part", part)};
    }
    pass(std::move(seen), {}, std::move(cut));
}

/// Parts of the axis that is cut: each device has its share of every part, as its strip of the weights has.
void ShareAttempt::parts(const Node& node) {
    const Cut cut = *cut_of(node.inputs[0]);
    const host::Shape& whole = shape(node.inputs[0]);
    const std::size_t axis = counted(node.integer("axis", 0), whole.size());
    Node split = node;
    if (axis == cut.axis) {
        std::vector<std::int64_t> sizes;
        for (const std::string& output : node.outputs) {
            const std::uint64_t size = shape(output)[axis];
            if (size % ways() != 0) {
                refuse(node);
            }
            sizes.push_back(static_cast<std::int64_t>(size / ways()));
        }
        split.attributes.erase("num_outputs");
        if (split.attributes.erase("split") != 0) {
            split.attributes["split"] = sizes;
        } else {
            split.inputs = {node.inputs[0], integers(node.outputs[0] + "/parts", sizes)};
        }
    }
    pass(std::move(split), {}, cut);
}

void ShareAttempt::joined(const Node& node) {
    const std::size_t axis = counted(node.integer("axis", 0), shape(node.outputs[0]).size());
    Cut cut;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Cut* of = cut_of(node.inputs[i]);
        if (of == nullptr || of->axis == axis || (i > 0 && of->axis != cut.axis)) {
            refuse(node);
        }
        cut.axis = of->axis;
        cut.weights.insert(of->weights.begin(), of->weights.end());
    }
    pass(node, {}, std::move(cut));
}

}  // namespace ascendsim::networks
