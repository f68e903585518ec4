// SPDX-License-Identifier: Apache-2.0
// Operators that see tensors in another shape, tell of shapes, and make constants: nothing runs.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;
using isa::DataType;

constexpr std::uint64_t most_known = std::uint64_t{1} << 24U;  // elements of a constant that is made

std::int64_t rank_of(const Tensor& tensor) {
    return static_cast<std::int64_t>(tensor.shape.size());
}

Lowered known_tensor(DataType type, host::Shape shape, std::vector<double> values) {
    return {.outputs = {constant(type, std::move(shape), std::move(values))},
            .tasks = {},
            .note = {},
            .made = {0}};
}

Lowered known_integers(const host::Shape& shape, const Indices& values) {
    return known_tensor(DataType::int64, shape, {values.begin(), values.end()});
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
            return {.outputs = {*tensor}, .tasks = {}, .note = {}, .made = {0}};
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
        return known_tensor(DataType::float32, {}, {with.node.real("value_float", 0)});
    }
    if (const auto floats = attributes.find("value_floats"); floats != attributes.end()) {
        const std::vector<double>& values = std::get<std::vector<double>>(floats->second);
        return known_tensor(DataType::float32, {values.size()}, values);
    }
    throw Refused{"a constant that is no tensor"};
}

Lowered constant_of_shape(const Operator& with) {
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
    if (like.count() > most_known) {
        throw Refused{"a constant of {}", like.text()};
    }
    return known_tensor(like.type, shape, std::vector<double>(like.count(), fill));
}

double scalar(const Operator& with, std::size_t index) {
    const std::vector<double> values = with.steering(index);
    if (values.size() != 1) {
        throw Refused{"operand {} must be one number", index};
    }
    return values.front();
}

Lowered range(const Operator& with) {
    const double start = scalar(with, 0);
    const double delta = scalar(with, 2);
    if (delta == 0) {
        throw Refused{"a range whose step is 0"};
    }
    const double count = std::ceil((scalar(with, 1) - start) / delta);
    if (!(count <= static_cast<double>(most_known))) {
        throw Refused{"a range of {} elements", count};
    }
    std::vector<double> values(count > 0 ? static_cast<std::size_t>(count) : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = start + static_cast<double>(i) * delta;
    }
    return known_tensor(with.input(0).type, {values.size()}, values);
}

DataType number_type(const Operator& with, std::string_view attribute, DataType otherwise) {
    static const std::map<std::int64_t, DataType> types{{1, DataType::float32},
                                                        {6, DataType::int32},
                                                        {7, DataType::int64},
                                                        {10, DataType::half},
                                                        {11, DataType::float64}};
    if (!with.node.has(attribute)) {
        return otherwise;
    }
    const auto found = types.find(with.node.integer(attribute, 0));
    if (found == types.end()) {
        throw Refused{"{} by this number of '{}'", with.node.op, attribute};
    }
    return with.held(found->second);
}

Lowered eye_like(const Operator& with) {
    const Tensor& x = with.input(0);
    if (x.shape.size() != 2) {
        throw Refused{"{} is no matrix", x.text()};
    }
    std::vector<double> values(x.count());
    const std::int64_t diagonal = with.node.integer("k", 0);
    for (std::uint64_t row = 0; row < x.shape[0]; ++row) {
        const std::int64_t column = static_cast<std::int64_t>(row) + diagonal;
        if (column >= 0 && column < static_cast<std::int64_t>(x.shape[1])) {
            values[row * x.shape[1] + static_cast<std::uint64_t>(column)] = 1;
        }
    }
    return known_tensor(number_type(with, "dtype", x.type), x.shape, std::move(values));
}

/// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n).
Lower window_of(double a0, double a1, double a2) {
    return [=](const Operator& with) {
        const double count = scalar(with, 0);
        if (!(count >= 0 && count <= static_cast<double>(most_known))) {
            throw Refused{"a window of {} elements", count};
        }
        const double period = with.node.integer("periodic", 1) != 0 ? count : count - 1;
        std::vector<double> values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double angle = 2 * M_PI * static_cast<double>(i) / period;
            values[i] = a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle);
        }
        return known_tensor(
            number_type(with, "output_datatype", with.held(DataType::float32)), {values.size()}, values);
    };
}

Lowered identity(const Operator& with) {
    Lowered lowered = view(with.input(0), with.input(0).shape);
    lowered.note = with.node.word("note", "");
    return lowered;
}

/// At inference nothing is dropped.
Lowered dropout(const Operator& with) {
    const bool training = with.has(2) && with.known(2).at(0) != 0;
    const bool drops = !with.has(1) || with.steering(1).at(0) != 0;
    if (training && drops) {
        throw Refused{"training drops elements at random"};
    }
    Lowered lowered = identity(with);
    if (with.node.outputs.size() > 1) {
        const Tensor& x = with.input(0);
        lowered.outputs.push_back(constant(DataType::boolean, x.shape, std::vector<double>(x.count(), 1)));
        lowered.made.push_back(0);
    }
    return lowered;
}

}  // namespace

Operators shapes_operators() {
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
            {"Range", range},
            {"EyeLike", eye_like},
            {"HannWindow", window_of(0.5, 0.5, 0)},
            {"HammingWindow", window_of(25.0 / 46, 21.0 / 46, 0)},
            {"BlackmanWindow", window_of(0.42, 0.5, 0.08)},
            {"Identity", identity},
            {"Dropout", dropout}};
}

}  // namespace ascendsim::networks
