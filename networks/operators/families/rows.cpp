// SPDX-License-Identifier: Apache-2.0
// Reductions, norms, softmax and pooling.
#include <algorithm>
#include <array>
#include <numeric>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {
namespace {

std::int64_t count_of(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// Reduces `axes`, which must lie side by side.
Lowered reduced(const Tensor& x, std::vector<std::size_t> axes, bool keep, std::string_view op) {
    std::ranges::sort(axes);
    for (std::size_t i = 1; i < axes.size(); ++i) {
        if (axes[i] != axes[i - 1] + 1) {
            throw Refused{
                "a reduction over axes {} and {}, which do not lie side by side", axes[i - 1], axes[i]};
        }
    }
    Tensor result{.type = x.type, .shape = {}, .values = {}};
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        const bool gone = std::ranges::find(axes, i) != axes.end();
        if (!gone || keep) {
            result.shape.push_back(gone ? 1 : x.shape[i]);
        }
    }
    if (axes.empty()) {
        return view(x, x.shape);
    }
    return {.outputs = {result},
            .tasks = {{.kernel = "reduce",
                       .knobs = {{"shape", x.shape},
                                 {"first", count_of(axes.front())},
                                 {"axes", count_of(axes.size())},
                                 {"op", std::string{op}},
                                 {"dtype", type_word(x.type)}}}},
            .note = {}};
}

Lower reduction(std::string_view op) {
    return [op](const Operator& with) {
        const Tensor& x = with.input(0);
        std::vector<std::int64_t> listed = with.list("axes", 1, {});
        if (listed.empty() && with.node.integer("noop_with_empty_axes", 0) == 0) {
            listed.resize(x.shape.size());
            std::iota(listed.begin(), listed.end(), 0);
        }
        std::vector<std::size_t> axes;
        for (const std::int64_t axis : listed) {
            axes.push_back(with.axis(axis, x.shape.size()));
        }
        return reduced(x, axes, with.node.integer("keepdims", 1) != 0, op);
    };
}

Lowered global_pool(const Operator& with, std::string_view op) {
    const Tensor& x = with.input(0);
    if (x.shape.size() < 3) {
        throw Refused{"{} has no axes behind its channels", x.text()};
    }
    std::vector<std::size_t> axes(x.shape.size() - 2);
    std::iota(axes.begin(), axes.end(), std::size_t{2});
    return reduced(x, axes, true, op);
}

Lowered softmax(const Operator& with) {
    const Tensor& x = with.input(0);
    const bool old = with.opset < 13;  // rows are then all axes from `axis` on
    const std::size_t axis = with.axis(with.node.integer("axis", old ? 1 : -1), x.shape.size());
    const Tensor result{.type = x.type, .shape = x.shape, .values = {}};
    host::Shape shape = x.shape;
    if (old && axis + 1 < shape.size()) {
        const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
        const std::uint64_t rows = host::elements({shape.begin(), first});
        shape = {rows, host::elements({first, shape.end()})};
    } else if (axis + 1 < shape.size()) {
        return {
            .outputs = {result},
            .tasks = {{.kernel = "softmax_axis",
                       .knobs = {{"shape", shape}, {"axis", count_of(axis)}, {"dtype", type_word(x.type)}}}},
            .note = {}};
    }
    return {.outputs = {result},
            .tasks = {{.kernel = "softmax", .knobs = {{"shape", shape}, {"dtype", type_word(x.type)}}}},
            .note = {}};
}

Lowered layer_norm(const Operator& with) {
    const Tensor& x = with.input(0);
    const std::size_t axis = with.axis(with.node.integer("axis", -1), x.shape.size());
    const auto first = x.shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const host::Shape rows{host::elements({x.shape.begin(), first}), host::elements({first, x.shape.end()})};
    Lowered lowered{.outputs = {Tensor{.type = x.type, .shape = x.shape, .values = {}}}};
    lowered.tasks.push_back({.kernel = "row_norm",
                             .knobs = {{"shape", rows},
                                       {"kind", std::string{"layer"}},
                                       {"epsilon", with.node.real("epsilon", 1e-5)},
                                       {"dtype", type_word(x.type)}}});
    return lowered;
}

/// y = scale x + shift for each channel: what the statistics come to is known before the network runs.
Lowered batch_norm(const Operator& with) {
    const Tensor& x = with.input(0);
    if (x.shape.size() < 2) {
        throw Refused{"{} has no channels", x.text()};
    }
    host::Shape channels(x.shape.size() - 1, 1);
    channels[0] = x.shape[1];
    const Tensor scale{.type = x.type, .shape = channels, .values = {}};
    const Tensor result{.type = x.type, .shape = x.shape, .values = {}};
    const std::array operands{&x, &scale};
    Lowered lowered{.outputs = {result}, .tasks = {}, .note = "a factor and a term for each channel"};
    for (const std::string_view op : {"mul", "add"}) {
        const std::vector<Task> tasks = elementwise_tasks(op, x.shape, operands, x.type);
        lowered.tasks.insert(lowered.tasks.end(), tasks.begin(), tasks.end());
    }
    return lowered;
}

Lowered instance_norm(const Operator& with) {
    const Tensor& x = with.input(0);
    if (x.shape.size() < 3) {
        throw Refused{"{} has no axes behind its channels", x.text()};
    }
    return {.outputs = {Tensor{.type = x.type, .shape = x.shape, .values = {}}},
            .tasks = {{.kernel = "group_norm",
                       .knobs = {{"shape", x.shape},
                                 {"groups", count_of(x.shape[1])},
                                 {"epsilon", with.node.real("epsilon", 1e-5)},
                                 {"dtype", type_word(x.type)}}}},
            .note = {}};
}

/// What a window takes of one axis.
struct Span {
    std::uint64_t taps = 1;
    std::uint64_t stride = 1;
    std::uint64_t before = 0;
    std::uint64_t behind = 0;
};

std::vector<Span> spans_of(const Operator& with, std::size_t rank) {
    const std::vector<std::int64_t> taps = with.node.integers("kernel_shape", {});
    const std::vector<std::int64_t> strides =
        with.node.integers("strides", std::vector<std::int64_t>(rank, 1));
    const std::vector<std::int64_t> pads = with.node.integers("pads", std::vector<std::int64_t>(2 * rank, 0));
    const auto wrong = [](std::int64_t value) { return value < 0 || value > 1024; };
    if (taps.size() != rank || strides.size() != rank || pads.size() != 2 * rank ||
        std::ranges::any_of(pads, wrong) || std::ranges::any_of(taps, wrong) ||
        std::ranges::any_of(strides, wrong) || with.node.word("auto_pad", "NOTSET") != "NOTSET" ||
        with.node.integer("ceil_mode", 0) != 0 ||
        std::ranges::any_of(with.node.integers("dilations", {1}),
                            [](std::int64_t step) { return step != 1; })) {
        throw Refused{"a window with automatic padding, dilations or rounding up"};
    }
    std::vector<Span> spans;
    for (std::size_t i = 0; i < rank; ++i) {
        spans.push_back({static_cast<std::uint64_t>(taps[i]),
                         static_cast<std::uint64_t>(strides[i]),
                         static_cast<std::uint64_t>(pads[i]),
                         static_cast<std::uint64_t>(pads[rank + i])});
    }
    return spans;
}

/// One axis after the other: a slice for each of the window's places, folded two by two.
void pool_axis(Lowered& lowered, Tensor& x, std::size_t axis, const Span& span, std::string_view op) {
    host::Shape out = x.shape;
    if (span.taps == 0 || span.stride == 0 || x.shape[axis] < span.taps) {
        throw Refused{"a window of {} on {}", span.taps, x.text()};
    }
    out[axis] = (x.shape[axis] - span.taps) / span.stride + 1;
    host::Shape step(out.size(), 1);
    step[axis] = span.stride;
    Tensor folded{.type = x.type, .shape = out, .values = {}};
    const std::array operands{&folded, &folded};
    for (std::uint64_t tap = 0; tap < span.taps; ++tap) {
        host::Shape begin(out.size(), 0);
        begin[axis] = tap;
        lowered.tasks.push_back({.kernel = "rearrange",
                                 .knobs = {{"kind", std::string{"slice"}},
                                           {"shape", x.shape},
                                           {"begin", begin},
                                           {"out", out},
                                           {"step", step},
                                           {"dtype", type_word(x.type)}}});
        if (tap > 0) {
            lowered.tasks.push_back(elementwise_task(op, out, operands, x.type));
        }
    }
    x.shape = out;
}

Lowered pool(const Operator& with, std::string_view op) {
    Tensor x = with.input(0);
    if (x.shape.size() < 3 || with.node.outputs.size() > 1) {
        throw Refused{"a pool of {} with {} results", x.text(), with.node.outputs.size()};
    }
    const std::vector<Span> spans = spans_of(with, x.shape.size() - 2);
    Lowered lowered{.outputs = {},
                    .tasks = {},
                    .note = "composed of slices, one axis after the other: a kernel of its own reads x once"};
    host::Shape begin(x.shape.size(), 0);
    host::Shape padded = x.shape;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        begin[2 + i] = spans[i].before;
        padded[2 + i] += spans[i].before + spans[i].behind;
    }
    if (padded != x.shape) {
        lowered.tasks.push_back({.kernel = "rearrange",
                                 .knobs = {{"kind", std::string{"pad"}},
                                           {"shape", x.shape},
                                           {"begin", begin},
                                           {"out", padded},
                                           {"dtype", type_word(x.type)}}});
        x.shape = padded;
    }
    for (std::size_t i = spans.size(); i-- > 0;) {
        pool_axis(lowered, x, 2 + i, spans[i], op);
    }
    if (op == "add") {
        const std::array operands{&x};
        double taps = 1;
        for (const Span& span : spans) {
            taps *= static_cast<double>(span.taps);
        }
        lowered.tasks.push_back(elementwise_task("scale", x.shape, operands, x.type));
        lowered.tasks.back().knobs.emplace_back("p0", 1 / taps);
        lowered.tasks.back().knobs.emplace_back("p1", 0.0);
    }
    lowered.outputs = {Tensor{.type = x.type, .shape = x.shape, .values = {}}};
    return lowered;
}

}  // namespace

Operators rows_operators() {
    return {{"ReduceSum", reduction("sum")},
            {"ReduceMean", reduction("mean")},
            {"ReduceMax", reduction("max")},
            {"ReduceMin", reduction("min")},
            {"ReduceL1", reduction("sum_abs")},
            {"ReduceSumSquare", reduction("sum_square")},
            {"ReduceL2", reduction("norm")},
            {"GlobalAveragePool", [](const Operator& with) { return global_pool(with, "mean"); }},
            {"GlobalMaxPool", [](const Operator& with) { return global_pool(with, "max"); }},
            {"MaxPool", [](const Operator& with) { return pool(with, "maximum"); }},
            {"AveragePool", [](const Operator& with) { return pool(with, "add"); }},
            {"Softmax", softmax},
            {"LayerNormalization", layer_norm},
            {"BatchNormalization", batch_norm},
            {"InstanceNormalization", instance_norm}};
}

}  // namespace ascendsim::networks
