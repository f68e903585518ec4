// SPDX-License-Identifier: Apache-2.0
// Operators that move elements or see them in another shape. Of known operands the elements are moved here.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;

std::int64_t rank_of(const Tensor& tensor) {
    return static_cast<std::int64_t>(tensor.shape.size());
}

Lowered known_integers(const host::Shape& shape, const Indices& values) {
    return {.outputs = {constant(isa::DataType::int64, shape, {values.begin(), values.end()})},
            .tasks = {},
            .note = {}};
}

Lowered reshape(const Operator& with) {
    const Tensor& x = with.input(0);
    const Indices wanted = with.list("shape", 1, {});
    host::Shape shape;
    std::size_t open = wanted.size();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == -1 && open == wanted.size()) {
            open = i;
            shape.push_back(1);
        } else if (wanted[i] == 0 && with.node.integer("allowzero", 0) == 0 && i < x.shape.size()) {
            shape.push_back(x.shape[i]);
        } else if (wanted[i] >= 0) {
            shape.push_back(static_cast<std::uint64_t>(wanted[i]));
        } else {
            throw Refused{"a shape with an extent of {}", wanted[i]};
        }
    }
    if (const std::uint64_t rest = host::elements(shape); open < wanted.size() && rest != 0) {
        shape[open] = x.count() / rest;
    }
    return view(x, shape);
}

Lowered flatten(const Operator& with) {
    const Tensor& x = with.input(0);
    std::int64_t axis = with.node.integer("axis", 1);
    axis += axis < 0 ? rank_of(x) : 0;
    if (axis < 0 || axis > rank_of(x)) {
        throw Refused{"axis {} of {}", axis, x.text()};
    }
    host::Shape shape{1, 1};
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        shape[static_cast<std::int64_t>(i) < axis ? 0 : 1] *= x.shape[i];
    }
    return view(x, shape);
}

Lowered squeeze(const Operator& with) {
    const Tensor& x = with.input(0);
    std::vector<bool> gone(x.shape.size());
    for (const std::int64_t axis : with.list("axes", 1, {})) {
        gone[with.axis(axis, x.shape.size())] = true;
    }
    const bool all = std::ranges::find(gone, true) == gone.end();
    host::Shape shape;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        if (!gone[i] && (!all || x.shape[i] != 1)) {
            shape.push_back(x.shape[i]);
        }
    }
    return view(x, shape);
}

Lowered unsqueeze(const Operator& with) {
    const Tensor& x = with.input(0);
    const Indices axes = with.list("axes", 1, {});
    const std::size_t rank = x.shape.size() + axes.size();
    std::vector<bool> added(rank);
    for (const std::int64_t axis : axes) {
        added[with.axis(axis, rank)] = true;
    }
    host::Shape shape;
    auto next = x.shape.begin();
    for (std::size_t i = 0; i < rank; ++i) {
        if (!added[i] && next == x.shape.end()) {
            throw Refused{"axes that are added twice"};
        }
        shape.push_back(added[i] ? 1 : *next++);
    }
    return view(x, shape);
}

Lowered shape_of(const Operator& with) {
    const Tensor& x = with.input(0);
    const auto place = [&x](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank_of(x) : at, 0, rank_of(x));
    };
    const std::int64_t begin = place(with.node.integer("start", 0));
    const std::int64_t end = std::max(begin, place(with.node.integer("end", rank_of(x))));
    const Indices values{x.shape.begin() + begin, x.shape.begin() + end};
    return known_integers({values.size()}, values);
}

Lowered constant_of(const Operator& with) {
    const auto& attributes = with.node.attributes;
    if (const auto value = attributes.find("value"); value != attributes.end()) {
        if (const Tensor* tensor = std::get_if<Tensor>(&value->second)) {
            return {.outputs = {*tensor}, .tasks = {}, .note = {}};
        }
    }
    if (with.node.has("value_int")) {
        return known_integers({}, {with.node.integer("value_int", 0)});
    }
    if (with.node.has("value_ints")) {
        const Indices values = with.node.integers("value_ints", {});
        return known_integers({values.size()}, values);
    }
    if (with.node.has("value_float")) {
        return {.outputs = {constant(isa::DataType::float32, {}, {with.node.real("value_float", 0)})}};
    }
    throw Refused{"a constant that is no tensor"};
}

Lowered constant_of_shape(const Operator& with) {
    constexpr std::uint64_t most = 1U << 24U;  // elements
    host::Shape shape;
    for (const std::int64_t extent : with.known(0)) {
        shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
    }
    Tensor like{.type = isa::DataType::float32, .shape = shape, .values = {}};
    double fill = 0;
    if (const auto value = with.node.attributes.find("value"); value != with.node.attributes.end()) {
        if (const Tensor* tensor = std::get_if<Tensor>(&value->second);
            tensor != nullptr && tensor->known()) {
            like.type = tensor->type;
            fill = tensor->values->empty() ? 0 : tensor->values->front();
        }
    }
    if (like.count() > most) {
        throw Refused{"a constant of {}", like.text()};
    }
    return {.outputs = {constant(like.type, shape, std::vector<double>(like.count(), fill))}};
}

Lowered transpose(const Operator& with) {
    const Tensor& x = with.input(0);
    Indices perm(x.shape.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
    perm = with.node.integers("perm", perm);
    host::Shape order;
    Tensor result{.type = x.type, .shape = {}, .values = {}};
    for (const std::int64_t axis : perm) {
        order.push_back(with.axis(axis, x.shape.size()));
        result.shape.push_back(x.shape[order.back()]);
    }
    host::Shape moved;  // axes of more than one element: if they stay in order, nothing moves
    std::ranges::copy_if(
        order, std::back_inserter(moved), [&x](std::uint64_t axis) { return x.shape[axis] != 1; });
    if (std::ranges::is_sorted(moved)) {
        return view(x, result.shape);
    }
    return {.outputs = {result},
            .tasks = {{.kernel = "transpose",
                       .knobs = {{"shape", x.shape}, {"perm", order}, {"dtype", type_word(x.type)}}}},
            .note = {}};
}

Lowered concat(const Operator& with) {
    Tensor result = with.input(0);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), result.shape.size());
    host::Shape parts;
    bool known = result.shape.size() == 1;
    for (std::size_t i = 0; i < with.inputs.size(); ++i) {
        const Tensor& part = with.input(i);
        host::Shape like = part.shape;
        if (like.size() == result.shape.size()) {
            like[axis] = result.shape[axis];
        }
        if (like != result.shape) {
            throw Refused{"{} beside {} along axis {}", part.text(), result.text(), axis};
        }
        parts.push_back(part.shape[axis]);
        known = known && part.known();
    }
    result.shape[axis] = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    if (known) {
        std::vector<double> values;
        for (std::size_t i = 0; i < with.inputs.size(); ++i) {
            values.insert(values.end(), with.input(i).values->begin(), with.input(i).values->end());
        }
        return {.outputs = {constant(result.type, result.shape, std::move(values))}};
    }
    result.values = nullptr;
    return {.outputs = {result},
            .tasks = {{.kernel = "rearrange",
                       .knobs = {{"kind", std::string{"concat"}},
                                 {"shape", result.shape},
                                 {"axis", static_cast<std::int64_t>(axis)},
                                 {"parts", parts},
                                 {"dtype", type_word(result.type, true)}}}}};
}

Lowered split(const Operator& with) {
    const Tensor& x = with.input(0);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.shape.size());
    Indices sizes = with.list("split", 1, {});
    const std::size_t count = with.node.outputs.size();
    if (sizes.empty()) {
        const std::uint64_t each = (x.shape[axis] + count - 1) / count;
        sizes.assign(count, static_cast<std::int64_t>(each));
        sizes.back() = static_cast<std::int64_t>(x.shape[axis] - each * (count - 1));
    }
    Lowered lowered;
    host::Shape parts;
    for (const std::int64_t size : sizes) {
        Tensor part{.type = x.type, .shape = x.shape, .values = {}};
        part.shape[axis] = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
        parts.push_back(part.shape[axis]);
        lowered.outputs.push_back(std::move(part));
    }
    if (std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}) != x.shape[axis]) {
        throw Refused{"parts of {} that do not add up to axis {} of {}", host::text(parts), axis, x.text()};
    }
    lowered.tasks = {{.kernel = "rearrange",
                      .knobs = {{"kind", std::string{"split"}},
                                {"shape", x.shape},
                                {"axis", static_cast<std::int64_t>(axis)},
                                {"parts", parts},
                                {"dtype", type_word(x.type, true)}}}};
    return lowered;
}

/// What is cut out of each axis.
struct Cut {
    host::Shape begin;
    host::Shape extents;
    host::Shape steps;
};

Cut cut_of(const Operator& with, const Tensor& x) {
    const Indices starts = with.list("starts", 1, {});
    const Indices ends = with.list("ends", 2, {});
    Indices all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    const Indices axes = with.list("axes", 3, all);
    const Indices steps = with.has(4) ? with.known(4) : Indices(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
        throw Refused{"starts, ends, axes and steps of different lengths"};
    }
    Cut cut{
        .begin = host::Shape(x.shape.size(), 0), .extents = x.shape, .steps = host::Shape(x.shape.size(), 1)};
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = with.axis(axes[i], x.shape.size());
        const auto extent = static_cast<std::int64_t>(x.shape[axis]);
        if (steps[i] < 1) {
            throw Refused{"a slice with a step of {}", steps[i]};
        }
        const auto place = [extent](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
        };
        const std::int64_t begin = place(starts[i]);
        const std::int64_t length = std::max<std::int64_t>(place(ends[i]) - begin, 0);
        cut.begin[axis] = static_cast<std::uint64_t>(begin);
        cut.steps[axis] = static_cast<std::uint64_t>(steps[i]);
        cut.extents[axis] = static_cast<std::uint64_t>((length + steps[i] - 1) / steps[i]);
    }
    return cut;
}

Lowered slice(const Operator& with) {
    const Tensor& x = with.input(0);
    const Cut cut = cut_of(with, x);
    const Tensor result{.type = x.type, .shape = cut.extents, .values = {}};
    if (x.known() && x.shape.size() == 1) {
        std::vector<double> values(result.count());
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            values[i] = (*x.values)[cut.begin[0] + i * cut.steps[0]];
        }
        return {.outputs = {constant(x.type, result.shape, std::move(values))}};
    }
    if (result.shape == x.shape) {
        return view(x, x.shape);
    }
    return {.outputs = {result},
            .tasks = {{.kernel = "rearrange",
                       .knobs = {{"kind", std::string{"slice"}},
                                 {"shape", x.shape},
                                 {"begin", cut.begin},
                                 {"out", cut.extents},
                                 {"step", cut.steps},
                                 {"dtype", type_word(x.type, true)}}}}};
}

constexpr const char* rows_note =
    "rows of a long table: timed by scatter_rows, which moves as many rows the other way";

/// The task that stands for gathering `count` rows of a table, `joined` as of gather().
Task row_task(const host::Shape& joined, std::uint64_t count, isa::DataType type) {
    return {.kernel = "scatter_rows",
            .knobs = {{"rows", static_cast<std::int64_t>(joined[1])},
                      {"shape", host::Shape{count, joined[2]}},
                      {"dtype", type_word(type)}}};
}

Lowered gather(const Operator& with) {
    const Tensor& x = with.input(0);
    const Tensor& index = with.input(1);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.shape.size());
    Tensor result{.type = x.type,
                  .shape = {x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis)}};
    result.shape.insert(result.shape.end(), index.shape.begin(), index.shape.end());
    result.shape.insert(
        result.shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
    if (x.known() && x.shape.size() == 1 && index.known()) {
        std::vector<double> values;
        for (const std::int64_t at : with.known(1)) {
            values.push_back((*x.values)[with.axis(at, x.count())]);
        }
        return {.outputs = {constant(x.type, result.shape, std::move(values))}};
    }
    host::Shape joined{
        host::elements({x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis)}),
        x.shape[axis],
        host::elements({x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end()})};
    if (x.type != isa::DataType::half && x.type != isa::DataType::float32) {
        throw Refused{"a gather from {}", x.text()};
    }
    constexpr std::uint64_t longest = 8192;  // of an axis that fits the unified buffer beside the rest
    if (joined[0] == 1 && joined[1] > longest && index.count() <= joined[1]) {
        return {.outputs = {result}, .tasks = {row_task(joined, index.count(), x.type)}, .note = rows_note};
    }
    const std::string schedule = joined[1] > longest ? "scalar" : "vector";
    return {.outputs = {result},
            .tasks = {{.kernel = "index_elements",
                       .knobs = {{"shape", joined},
                                 {"index", host::Shape{joined[0], index.count(), joined[2]}},
                                 {"axis", std::int64_t{1}},
                                 {"schedule", schedule},
                                 {"dtype", type_word(x.type)}}}},
            .note = "every element by an index of its own, at random places"};
}

Lowered expand(const Operator& with) {
    const Tensor& x = with.input(0);
    host::Shape wanted;
    for (const std::int64_t extent : with.known(1)) {
        wanted.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
    }
    const Tensor result{.type = x.type, .shape = broadcast(x.shape, wanted), .values = {}};
    if (result.count() == x.count()) {
        return view(x, result.shape);
    }
    const std::array operands{&x};
    return {.outputs = {result}, .tasks = {elementwise_task("copy", result.shape, operands, x.type)}};
}

Lowered pad(const Operator& with) {
    const Tensor& x = with.input(0);
    const Indices pads = with.list("pads", 1, {});
    const std::string mode = with.node.word("mode", "constant");
    if (mode != "constant" || pads.size() != 2 * x.shape.size() ||
        std::ranges::any_of(pads, [](std::int64_t pad) { return pad < 0; })) {
        throw Refused{"padding of mode {}, or that cuts", mode};
    }
    host::Shape before;
    Tensor result{.type = x.type, .shape = {}, .values = {}};
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
        before.push_back(static_cast<std::uint64_t>(pads[i]));
        result.shape.push_back(x.shape[i] + before[i] + static_cast<std::uint64_t>(pads[x.shape.size() + i]));
    }
    return {.outputs = {result},
            .tasks = {{.kernel = "rearrange",
                       .knobs = {{"kind", std::string{"pad"}},
                                 {"shape", x.shape},
                                 {"begin", before},
                                 {"out", result.shape},
                                 {"dtype", type_word(x.type, true)}}}}};
}

Lowered identity(const Operator& with) {
    return view(with.input(0), with.input(0).shape);
}

}  // namespace

Operators movement_operators() {
    return {{"Reshape", reshape},
            {"Flatten", flatten},
            {"Squeeze", squeeze},
            {"Unsqueeze", unsqueeze},
            {"Shape", shape_of},
            {"Size",
             [](const Operator& with) {
                 return known_integers({}, {static_cast<std::int64_t>(with.input(0).count())});
             }},
            {"Constant", constant_of},
            {"ConstantOfShape", constant_of_shape},
            {"Identity", identity},
            {"Dropout", identity},  // at inference
            {"Transpose", transpose},
            {"Concat", concat},
            {"Split", split},
            {"Slice", slice},
            {"Gather", gather},
            {"Expand", expand},
            {"Pad", pad}};
}

}  // namespace ascendsim::networks
