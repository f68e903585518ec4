// SPDX-License-Identifier: Apache-2.0
// Focus + Conv: four images of every second row and column beside each other, and a convolution of them, are
// one convolution of the image itself, with filters twice as high and wide, at twice the stride:
//   sum W[o, p C + c, i, j] x[c, 2 (s u + i - a) + r, 2 (s v + j - b) + q], image p takes rows r and columns
//   q = sum W'[o, c, 2 i + r, 2 j + q] x[c, 2 s u - 2 a + 2 i + r, ...], W'[o, c, 2 i + r, 2 j + q] = W[o, p
//   C + c, i, j]
#include <algorithm>
#include <array>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

using Places = std::vector<std::int64_t>;

/// Which rows and columns of each image of a Focus.
struct FocusParts {
    std::string image;
    std::vector<std::pair<std::int64_t, std::int64_t>> of_part;  // first row and column
    std::set<std::size_t> nodes;
};

/// The elements of a Slice's operand, if they are known.
std::optional<Places> known_operand(const PatternView& view, const Node& slice, std::size_t index) {
    const Tensor* tensor = index < slice.inputs.size() ? view.tensor(slice.inputs[index]) : nullptr;
    if (tensor == nullptr || !tensor->known()) {
        return std::nullopt;
    }
    return Places{tensor->values->begin(), tensor->values->end()};
}

/// The first row and column of a Slice that takes every second of both to their ends.
std::optional<std::pair<std::int64_t, std::int64_t>> every_second(const PatternView& view,
                                                                  const Node& slice) {
    const auto starts = known_operand(view, slice, 1);
    const auto ends = known_operand(view, slice, 2);
    const auto axes = known_operand(view, slice, 3);
    const auto steps = known_operand(view, slice, 4);
    const Tensor* x = view.tensor(slice.inputs[0]);
    if (!starts || !ends || !axes || x == nullptr || x->shape.size() != 4 || *axes != Places{2, 3} ||
        steps != Places{2, 2}) {
        return std::nullopt;
    }
    for (const std::size_t i : {0U, 1U}) {
        if ((*starts)[i] < 0 || (*starts)[i] > 1 || (*ends)[i] < static_cast<std::int64_t>(x->shape[2 + i])) {
            return std::nullopt;
        }
    }
    return std::pair{(*starts)[0], (*starts)[1]};
}

/// A slice at a time, as one axis after the other is taken in steps: exports of PyTorch.
std::optional<std::pair<std::int64_t, std::int64_t>> every_second_apart(const PatternView& view,
                                                                        std::size_t index,
                                                                        FocusParts& focus,
                                                                        std::string& image) {
    std::array<std::optional<std::int64_t>, 2> first;
    std::string at = view.node(index).outputs[0];
    for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t maker = view.maker(at);
        if (maker == view.graph().nodes.size() || view.node(maker).op != "Slice") {
            return std::nullopt;
        }
        const Node& slice = view.node(maker);
        const auto starts = known_operand(view, slice, 1);
        const auto axes = known_operand(view, slice, 3);
        const auto ends = known_operand(view, slice, 2);
        const Tensor* x = view.tensor(slice.inputs[0]);
        if (!starts || !axes || !ends || x == nullptr || x->shape.size() != 4 || axes->size() != 1 ||
            ((*axes)[0] != 2 && (*axes)[0] != 3) || known_operand(view, slice, 4) != Places{2} ||
            (*starts)[0] < 0 || (*starts)[0] > 1 ||
            (*ends)[0] < static_cast<std::int64_t>(x->shape[static_cast<std::size_t>((*axes)[0])])) {
            return std::nullopt;
        }
        first.at(static_cast<std::size_t>((*axes)[0] - 2)) = (*starts)[0];
        focus.nodes.insert(maker);
        at = slice.inputs[0];
    }
    image = at;
    return first[0] && first[1] ? std::optional{std::pair{*first[0], *first[1]}} : std::nullopt;
}

/// The parts of a Concat of four images of every second row and column.
std::optional<FocusParts> focus_of(const PatternView& view, std::size_t concat) {
    const Node& node = view.node(concat);
    if (node.op != "Concat" || node.inputs.size() != 4 || node.integer("axis", 0) != 1) {
        return std::nullopt;
    }
    FocusParts focus{.image = {}, .of_part = {}, .nodes = {concat}};
    for (const std::string& input : node.inputs) {
        const std::size_t index = view.maker(input);
        if (index == view.graph().nodes.size() || view.node(index).op != "Slice") {
            return std::nullopt;
        }
        std::string image = view.node(index).inputs[0];
        auto first = every_second(view, view.node(index));
        if (first) {
            focus.nodes.insert(index);
        } else {
            first = every_second_apart(view, index, focus, image);
        }
        if (!first || (!focus.image.empty() && focus.image != image)) {
            return std::nullopt;
        }
        focus.image = image;
        focus.of_part.push_back(*first);
    }
    auto sorted = focus.of_part;
    std::ranges::sort(sorted);
    const bool all = std::ranges::adjacent_find(sorted) == sorted.end();
    return all ? std::optional{focus} : std::nullopt;
}

void check_focus(const PatternView& view, const Node& conv, const FocusParts& focus) {
    const Places ones{1, 1};
    if (conv.integer("group", 1) != 1 || conv.integers("dilations", ones) != ones ||
        conv.word("auto_pad", "NOTSET") != "NOTSET") {
        throw NoMatch{"other_form",
                      "{} has groups, dilations or padding by name: its filters do not spread over the image",
                      conv.title()};
    }
    if (!view.weight(conv.inputs[1])) {
        throw NoMatch{"not_constant",
                      "'{}' is computed while the network runs: filters are arranged before it does",
                      conv.inputs[1]};
    }
    const Tensor* image = view.tensor(focus.image);
    if (image->shape[2] % 2 != 0 || image->shape[3] % 2 != 0) {
        throw NoMatch{"other_shape", "rows or columns of {} are odd", image->text()};
    }
}

/// W' of W, (outputs, 4 channels, rows, columns) -> (outputs, channels, 2 rows, 2 columns).
Tensor spread_filters(const Tensor& w, const std::vector<double>* elements, const FocusParts& focus) {
    const std::uint64_t channels = w.shape[1] / 4;
    const host::Shape shape{w.shape[0], channels, 2 * w.shape[2], 2 * w.shape[3]};
    if (elements == nullptr) {
        return {.type = w.type, .shape = shape, .values = {}};
    }
    std::vector<double> values(elements->size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t column = i % w.shape[3];
        const std::uint64_t row = i / w.shape[3] % w.shape[2];
        const std::uint64_t channel = i / w.shape[3] / w.shape[2] % w.shape[1];
        const std::uint64_t out = i / w.shape[3] / w.shape[2] / w.shape[1];
        const auto [r, q] = focus.of_part[channel / channels];
        const std::uint64_t y = 2 * row + static_cast<std::uint64_t>(r);
        const std::uint64_t x = 2 * column + static_cast<std::uint64_t>(q);
        values[((out * channels + channel % channels) * shape[2] + y) * shape[3] + x] = (*elements)[i];
    }
    return constant(w.type, shape, std::move(values));
}

std::optional<Rewriting> focus_conv(const PatternView& view, std::size_t index) {
    const Node& conv = view.node(index);
    const std::size_t concat = conv.op == "Conv" ? view.maker(conv.inputs[0]) : view.graph().nodes.size();
    const auto focus = concat == view.graph().nodes.size() ? std::nullopt : focus_of(view, concat);
    const Tensor* w = view.tensor(conv.op == "Conv" ? conv.inputs[1] : std::string{});
    if (!focus || w == nullptr || w->shape.size() != 4) {
        return std::nullopt;
    }
    check_focus(view, conv, *focus);
    const auto doubled = [](Places values) {
        std::ranges::for_each(values, [](std::int64_t& value) { value *= 2; });
        return values;
    };
    std::vector<std::string> inputs = conv.inputs;
    const std::string& y = conv.outputs[0];
    inputs[0] = focus->image;
    inputs[1] = y + "_spread_filters";
    Tensor filters = spread_filters(*w, view.elements(conv.inputs[1]), *focus);
    Node node = replacing(
        view,
        y,
        "Conv",
        inputs,
        {{"kernel_shape",
          Places{static_cast<std::int64_t>(filters.shape[2]), static_cast<std::int64_t>(filters.shape[3])}},
         {"strides", doubled(conv.integers("strides", Places{1, 1}))},
         {"pads", doubled(conv.integers("pads", Places(4, 0)))}});
    Rewriting rewriting{.nodes = focus->nodes, .with = {std::move(node)}};
    rewriting.nodes.insert(index);
    rewriting.constants[inputs[1]] = std::move(filters);
    return rewriting;
}

}  // namespace

Patterns focus_patterns() {
    return {{.name = "Focus + Conv", .phase = Phase::fold, .rewrite = focus_conv, .may_stay = true}};
}

}  // namespace ascendsim::networks
