// SPDX-License-Identifier: Apache-2.0
#include "networks/parallel/share_attempt.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

/// The first part of an axis.
Tensor first_part(const Tensor& tensor, std::size_t axis, std::uint64_t parts) {
    Tensor part = tensor;
    part.shape.at(axis) /= parts;
    if (!tensor.known()) {
        return part;
    }
    const host::Shape behind{tensor.shape.begin() + static_cast<std::ptrdiff_t>(axis), tensor.shape.end()};
    const std::uint64_t row = host::elements(behind);
    std::vector<double> values;
    for (std::uint64_t begin = 0; begin < tensor.count(); begin += row) {
        const auto from = tensor.values->begin() + static_cast<std::ptrdiff_t>(begin);
        values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(row / parts));
    }
    part.values = std::make_shared<const std::vector<double>>(std::move(values));
    return part;
}

}  // namespace

ShareAttempt::ShareAttempt(const Graph& graph,
                           const std::map<std::string, host::Shape, std::less<>>& shapes,
                           const Tensors& tensors,
                           const LayerSharing& sharing,
                           const std::set<std::string>& whole)
    : graph_{graph}, tensors_{tensors}, sharing_{sharing}, whole_{whole} {
    result_.graph = graph;
    result_.graph.nodes.clear();
    result_.shapes = shapes;
    for (const Input& input : graph.inputs) {
        if (is_weight(input.name) && is_real(input.type)) {
            weights_.insert(input.name);
        }
    }
    for (const auto& [name, tensor] : graph.constants) {
        if (is_real(tensor.type) && tensor.count() > 1) {
            weights_.insert(name);
        }
    }
    learned_ = weights_;
}

SharedLayers ShareAttempt::run() {
    begin_slabs();
    for (const Node& node : graph_.nodes) {
        const bool learns = std::ranges::any_of(
            node.inputs, [this](const std::string& input) { return learned_.contains(input); });
        if (learns) {
            learned_.insert(node.outputs.begin(), node.outputs.end());
        }
        take(node);
    }
    finish();
    return std::move(result_);
}

const Cut* ShareAttempt::cut_of(std::string_view tensor) const {
    const auto found = cuts_.find(tensor);
    return found == cuts_.end() ? nullptr : &found->second;
}

const host::Shape& ShareAttempt::shape(std::string_view tensor) const {
    return tensors_.find(tensor)->second.shape;
}

bool ShareAttempt::is_own_weight(std::string_view tensor) const {
    return weights_.contains(tensor) && !whole_.contains(std::string{tensor});
}

std::string ShareAttempt::here(const std::string& tensor) const {
    const auto found = renamed_.find(tensor);
    return found == renamed_.end() ? tensor : found->second;
}

void ShareAttempt::refuse(const Node& node) const {
    MustStayWhole conflict{.weights = {}, .where = node.title()};
    for (const std::string& input : node.inputs) {
        if (const Cut* cut = cut_of(input)) {
            conflict.weights.insert(cut->weights.begin(), cut->weights.end());
        }
    }
    throw MustStayWhole{std::move(conflict)};
}

void ShareAttempt::add(std::string op,
                       const std::string& input,
                       const std::string& output,
                       std::map<std::string, Attribute, std::less<>> attributes) {
    result_.graph.nodes.push_back({.name = output,
                                   .op = std::move(op),
                                   .inputs = {input},
                                   .outputs = {output},
                                   .attributes = std::move(attributes)});
}

/// A whole tensor that work on strips takes: each device has a part of its gradient.
std::string ShareAttempt::entered(const std::string& tensor) {
    if (!learned_.contains(tensor)) {
        return here(tensor);
    }
    if (weights_.contains(tensor)) {
        used_whole_.insert(tensor);
    }
    const std::string copy = tensor + "/entered";
    if (made_.insert(copy).second) {
        add("ShareCopy", here(tensor), copy, {{"devices", std::int64_t{ways()}}});
    }
    return copy;
}

std::string ShareAttempt::sent(const std::string& tensor) {
    const std::string there = tensor + "/sent";
    if (made_.insert(there).second) {
        add("ExpertSend", here(tensor), there, {{"experts", std::int64_t{sharing_.experts}}});
    }
    return there;
}

std::string ShareAttempt::returned(const std::string& tensor) {
    const std::string back = tensor + "/returned";
    if (made_.insert(back).second) {
        add("ExpertReturn", tensor, back, {{"experts", std::int64_t{sharing_.experts}}});
        renamed_[tensor] = back;
    }
    return back;
}

/// Of slabs no weight has a part: each device has all of them.
void ShareAttempt::cut_weight(const std::string& weight, std::size_t axis, const Cut& cut) {
    const std::uint64_t parts = cut.experts ? sharing_.experts : sharing_.tensor;
    const auto found = strips_.find(weight);
    const bool other =
        found != strips_.end() && (found->second.axis != axis || found->second.experts != cut.experts);
    if (sharing_.slabs > 1 || other || !weights_.contains(weight) || shape(weight).at(axis) % parts != 0) {
        throw MustStayWhole{cut.weights};
    }
    strips_.try_emplace(weight, Cut{axis, cut.experts, cut.weights});
}

std::string ShareAttempt::integers(const std::string& name, const std::vector<std::int64_t>& values) {
    result_.graph.constants[name] =
        constant(isa::DataType::int64, {values.size()}, {values.begin(), values.end()});
    return name;
}

std::vector<std::int64_t> ShareAttempt::list(const Node& node,
                                             std::string_view attribute,
                                             std::size_t index) const {
    if (node.has(attribute) || node.inputs.size() <= index || node.inputs[index].empty()) {
        return node.integers(attribute, {});
    }
    const Tensor& tensor = tensors_.find(node.inputs[index])->second;
    if (!tensor.known()) {
        refuse(node);
    }
    std::vector<std::int64_t> values;
    for (const double value : *tensor.values) {
        values.push_back(static_cast<std::int64_t>(value));
    }
    return values;
}

/// As it is, on whole tensors.
void ShareAttempt::copy(const Node& node) {
    Node same = node;
    for (std::string& input : same.inputs) {
        if (weights_.contains(input)) {
            used_whole_.insert(input);
        }
        input = here(input);
    }
    result_.graph.nodes.push_back(std::move(same));
}

/// The node on a part of its operands; its results are cut so. `whole_operands` are needed whole.
void ShareAttempt::pass(Node node, const std::set<std::size_t>& whole_operands, Cut cut) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (whole_operands.contains(i) && !node.inputs[i].empty()) {
            node.inputs[i] = cut.experts ? here(node.inputs[i]) : entered(node.inputs[i]);
        }
    }
    for (const std::string& output : node.outputs) {
        cuts_[output] = cut;
    }
    result_.graph.nodes.push_back(std::move(node));
}

/// The sum of what each device's strip gave; a bias is added once, behind it.
void ShareAttempt::sum_of_strips(Node node, const std::string& bias) {
    const std::string y = node.outputs.at(0);
    const host::Shape& whole = shape(y);
    node.outputs = {y + "/strip"};
    const std::string strip = node.outputs[0];
    const bool of_channels = node.op == "Conv";
    result_.graph.nodes.push_back(std::move(node));
    const std::string sum = bias.empty() ? y : y + "/sum";
    add("ShareSum", strip, sum, {{"devices", std::int64_t{sharing_.tensor}}});
    if (bias.empty()) {
        return;
    }
    used_whole_.insert(bias);
    std::string behind = bias;
    if (of_channels && whole.size() > 2) {
        std::vector<std::int64_t> along(whole.size() - 1, 1);
        along[0] = -1;
        behind = y + "/bias";
        result_.graph.nodes.push_back({.name = behind,
                                       .op = "Reshape",
                                       .inputs = {bias, integers(behind + "/shape", along)},
                                       .outputs = {behind},
                                       .attributes = {}});
    }
    result_.graph.nodes.push_back(
        {.name = y, .op = "Add", .inputs = {sum, behind}, .outputs = {y}, .attributes = {}});
}

void ShareAttempt::take(const Node& node) {
    Node with = node;
    bool cut = false;
    for (std::string& input : with.inputs) {
        const Cut* of = cut_of(input);
        cut = cut || (of != nullptr && !of->experts);
    }
    if (to_experts(with)) {
        return;
    }
    for (const std::string& input : with.inputs) {
        if (const Cut* of = cut_of(input); of != nullptr && of->experts) {
            static_cast<void>(returned(input));
        }
    }
    if (!cut) {
        if (!begin_strip(with)) {
            copy(with);
        }
        return;
    }
    static const std::map<std::string, Rule, std::less<>> all = rules();
    const auto rule = all.find(with.op);
    if (rule == all.end() || !with.branches.empty()) {
        refuse(with);
    }
    (this->*rule->second)(with);
}

/// Inputs that are images or volumes come in slabs along their first axis.
void ShareAttempt::begin_slabs() {
    if (sharing_.slabs < 2) {
        return;
    }
    constexpr std::size_t first_axis = 2;
    for (Input& input : result_.graph.inputs) {
        host::Shape& own = result_.shapes[input.name];
        if (weights_.contains(input.name) || own.size() < first_axis + 2) {
            continue;
        }
        if (own[first_axis] % sharing_.slabs != 0) {
            throw MustStayWhole{
                {}, "input '" + input.name + "' has " + std::to_string(own[first_axis]) + " slices"};
        }
        own[first_axis] /= sharing_.slabs;
        input.shape = {own.begin(), own.end()};
        cuts_[input.name] = Cut{first_axis, false, {}};
    }
    if (cuts_.empty()) {
        throw MustStayWhole{{}, "no input is an image or a volume [batch, channels, ...]"};
    }
}

/// A product by whole rows whose columns the devices share.
bool ShareAttempt::begin_strip(const Node& node) {
    const bool matrix = node.op == "MatMul" || node.op == "Gemm";
    const bool image = node.op == "Conv" && node.integer("group", 1) == 1;
    if (sharing_.tensor < 2 || (!matrix && !image) || node.inputs.size() < 2 ||
        !is_own_weight(node.inputs[1]) || node.integer("transA", 0) != 0) {
        return false;
    }
    const host::Shape& weight = shape(node.inputs[1]);
    const bool first_axis = image || (node.op == "Gemm" && node.integer("transB", 0) != 0);
    const std::size_t axis = first_axis ? 0 : weight.size() - 1;
    if ((matrix && weight.size() != 2) || weight[axis] % sharing_.tensor != 0) {
        return false;
    }
    const host::Shape& y = shape(node.outputs[0]);
    Cut cut{image ? std::size_t{1} : y.size() - 1, false, {node.inputs[1]}};
    cut_weight(node.inputs[1], axis, cut);
    Node strip = node;
    if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
        const host::Shape& bias = shape(node.inputs[2]);
        if (bias.empty() || bias.back() != weight[axis]) {
            throw MustStayWhole{cut.weights};
        }
        cut_weight(node.inputs[2], bias.size() - 1, cut);
    }
    pass(std::move(strip), {0}, std::move(cut));
    return true;
}

/// Products by a batch of experts' weights, and what lies between them.
bool ShareAttempt::to_experts(const Node& node) {
    if (sharing_.experts < 2) {
        return false;
    }
    const auto of_experts = [this](const std::string& input) {
        const Cut* cut = cut_of(input);
        return cut != nullptr && cut->experts;
    };
    const auto weights = [this](const std::string& input) {
        return is_own_weight(input) && shape(input).size() == 3 && shape(input)[0] % sharing_.experts == 0;
    };
    const bool there = std::ranges::any_of(node.inputs, of_experts);
    const bool product = node.op == "MatMul" && node.inputs.size() == 2 && weights(node.inputs[1]);
    const std::map<std::string, Rule, std::less<>> all = rules();
    const auto rule = all.find(node.op);
    const bool between = there && rule != all.end() && rule->second == &ShareAttempt::elements;
    if (!product && !between) {
        return false;
    }
    Cut cut{0, true, {}};
    Node moved = node;
    for (std::string& input : moved.inputs) {
        if (of_experts(input)) {
            const std::set<std::string>& from = cut_of(input)->weights;
            cut.weights.insert(from.begin(), from.end());
        } else if (weights(input)) {
            cut.weights.insert(input);
            cut_weight(input, 0, cut);
        } else if (product && shape(input).size() == 3 && shape(input)[0] == shape(moved.inputs[1])[0]) {
            input = sent(input);
        } else if (product || host::elements(shape(input)) != 1) {
            return false;  // a whole tensor among those of the experts: they come back for it
        }
    }
    pass(std::move(moved), {}, std::move(cut));
    return true;
}

/// Weights and constants get their parts; results that are cut are gathered.
void ShareAttempt::finish() {
    for (const auto& [weight, cut] : strips_) {
        if (used_whole_.contains(weight)) {
            MustStayWhole conflict{cut.weights};
            throw conflict;
        }
        const std::uint64_t parts = cut.experts ? sharing_.experts : sharing_.tensor;
        if (const auto found = result_.graph.constants.find(weight); found != result_.graph.constants.end()) {
            found->second = first_part(found->second, cut.axis, parts);
        } else {
            result_.shapes[weight].at(cut.axis) /= parts;
            const host::Shape& part = result_.shapes[weight];
            for (Input& input : result_.graph.inputs) {
                if (input.name == weight) {
                    input.shape = {part.begin(), part.end()};
                }
            }
        }
        if (cut.experts) {
            result_.experts.insert(weight);
        } else {
            result_.strips[weight] = cut.axis;
        }
    }
    for (std::string& output : result_.graph.outputs) {
        const Cut* cut = cut_of(output);
        if (cut == nullptr || sharing_.slabs > 1) {
            continue;
        }
        if (cut->experts) {
            output = returned(output);
            continue;
        }
        if (sharing_.whole_results) {
            throw MustStayWhole{cut->weights};
        }
        const std::string whole = output + "/gathered";
        add("ShareGather",
            output,
            whole,
            {{"devices", std::int64_t{sharing_.tensor}}, {"axis", static_cast<std::int64_t>(cut->axis)}});
        output = whole;
    }
}

}  // namespace ascendsim::networks
