// SPDX-License-Identifier: Apache-2.0
// Gradients of operators that move elements: they are moved back, and summed where one went to several
// places.
#include <algorithm>
#include <numeric>

#include "networks/operators/operators.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

using Integers = std::vector<std::int64_t>;

/// The operand's shape again: Reshape, Flatten, Squeeze and Unsqueeze.
void gradient_of_view(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.backward.seen(d.gradient(), d.shape(0)));
    }
}

void gradient_of_transpose(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    Integers order(d.shape(0).size());
    std::iota(order.rbegin(), order.rend(), 0);
    order = d.node.integers("perm", order);
    Integers back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        back.at(Differentiated::axis(order[i], order.size())) = static_cast<std::int64_t>(i);
    }
    d.backward.give(d.input(0), d.backward.add("Transpose", {d.gradient()}, {{"perm", back}}));
}

void gradient_of_concat(const Differentiated& d) {
    const std::size_t axis =
        Differentiated::axis(d.node.integer("axis", 0), d.backward.shape(d.output()).size());
    Integers sizes;
    for (std::size_t i = 0; i < d.node.inputs.size(); ++i) {
        sizes.push_back(static_cast<std::int64_t>(d.shape(i)[axis]));
    }
    const std::vector<std::string> parts = d.backward.add_many("Split",
                                                               {d.gradient(), d.backward.integers(sizes)},
                                                               sizes.size(),
                                                               {{"axis", static_cast<std::int64_t>(axis)}});
    for (std::size_t i = 0; i < parts.size(); ++i) {
        d.backward.give(d.input(i), parts[i]);
    }
}

/// The gradients of the parts beside each other; zeros for those that nobody reads.
void gradient_of_split(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    Backward& b = d.backward;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < d.node.outputs.size(); ++i) {
        const std::string gradient = d.gradient(i);
        parts.push_back(
            !gradient.empty()
                ? gradient
                : b.add("Expand", {b.number(0, d.output(i)), b.integers(as_integers(b.shape(d.output(i))))}));
    }
    const std::size_t axis = Differentiated::axis(d.node.integer("axis", 0), d.shape(0).size());
    b.give(d.input(0), b.add("Concat", parts, {{"axis", static_cast<std::int64_t>(axis)}}));
}

void give_padded(const Differentiated& d, const std::string& gradient, const Integers& pads) {
    d.backward.give(d.input(0), d.backward.add("Pad", {gradient, d.backward.integers(pads)}));
}

/// Zeros around what was cut out.
void gradient_of_slice(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    const host::Shape& shape = d.shape(0);
    const host::Shape& out = d.backward.shape(d.output());
    const Integers starts = d.list("starts", 1);
    Integers axes = d.list("axes", 3);
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (std::ranges::any_of(d.list("steps", 4), [](std::int64_t step) { return step != 1; })) {
        throw Refused{"a slice with steps"};
    }
    Integers pads(2 * shape.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = Differentiated::axis(axes[i], shape.size());
        const auto extent = static_cast<std::int64_t>(shape[axis]);
        const std::int64_t from = starts.at(i) < 0 ? starts[i] + extent : starts[i];
        pads[axis] = std::clamp<std::int64_t>(from, 0, extent);
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        pads[shape.size() + axis] = static_cast<std::int64_t>(shape[axis] - out[axis]) - pads[axis];
    }
    give_padded(d, d.gradient(), pads);
}

/// What was there before the padding.
void gradient_of_pad(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    const host::Shape& shape = d.shape(0);
    const Integers pads = d.list("pads", 1);
    const bool cuts = std::ranges::any_of(pads, [](std::int64_t pad) { return pad < 0; });
    if (d.node.word("mode", "constant") != "constant" || cuts || pads.size() != 2 * shape.size()) {
        throw Refused{"padding that repeats or cuts elements"};
    }
    Backward& b = d.backward;
    const Integers starts{pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(shape.size())};
    Integers ends = starts;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        ends[i] += static_cast<std::int64_t>(shape[i]);
    }
    b.give(d.input(0), b.add("Slice", {d.gradient(), b.integers(starts), b.integers(ends)}));
}

void gradient_of_expand(const Differentiated& d) {
    d.backward.give_spread(d.input(0), d.gradient(), d.backward.shape(d.output()));
}

/// Each axis as two: how often, which is summed, and the axis itself.
void gradient_of_tile(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    host::Shape apart;
    Integers axes;
    const Integers repeats = d.list("repeats", 1);
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        axes.push_back(static_cast<std::int64_t>(apart.size()));
        apart.push_back(static_cast<std::uint64_t>(repeats[i]));
        apart.push_back(d.shape(0)[i]);
    }
    Backward& b = d.backward;
    const std::string sums = b.add("ReduceSum", {b.seen(d.gradient(), apart)}, {{"axes", axes}});
    b.give(d.input(0), b.seen(sums, d.shape(0)));
}

/// Rows of a table are added where they came from; a single known place is padded with zeros.
void gradient_of_gather(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    const host::Shape& table = d.shape(0);
    const std::size_t axis = Differentiated::axis(d.node.integer("axis", 0), table.size());
    const Tensor& index = d.backward.tensor(d.input(1));
    if (index.known() && index.count() == 1) {
        const auto extent = static_cast<std::int64_t>(table[axis]);
        const auto at = static_cast<std::int64_t>(index.values->front());
        host::Shape row = table;
        row[axis] = 1;
        Integers pads(2 * table.size(), 0);
        pads[axis] = at < 0 ? at + extent : at;
        pads[table.size() + axis] = extent - 1 - pads[axis];
        give_padded(d, d.backward.seen(d.gradient(), row), pads);
        return;
    }
    if (axis != 0 || table.size() != 2) {
        throw Refused{"elements gathered along axis {} of {}; rows of a table have a gradient",
                      axis,
                      d.backward.tensor(d.input(0)).text()};
    }
    d.backward.give(d.input(0),
                    d.backward.add("EmbeddingDenseGrad",
                                   {d.gradient(), d.input(1)},
                                   {{"rows", static_cast<std::int64_t>(table[0])}}));
}

}  // namespace

Gradients movement_gradients() {
    return {{"Reshape", gradient_of_view},
            {"Flatten", gradient_of_view},
            {"Squeeze", gradient_of_view},
            {"Unsqueeze", gradient_of_view},
            {"Transpose", gradient_of_transpose},
            {"Concat", gradient_of_concat},
            {"Split", gradient_of_split},
            {"Slice", gradient_of_slice},
            {"Pad", gradient_of_pad},
            {"Expand", gradient_of_expand},
            {"Tile", gradient_of_tile},
            {"Gather", gradient_of_gather}};
}

}  // namespace ascendsim::networks
