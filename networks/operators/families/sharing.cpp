// SPDX-License-Identifier: Apache-2.0
// Where devices that share a layer exchange something. The exchange itself is the composed level's; here is
// what a device then does with what came.
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

/// A sum over devices is made in place.
Lowered in_place(const Operator& with) {
    return view(with.input(0), with.input(0).shape);
}

std::uint64_t devices(const Operator& with, std::string_view attribute) {
    const std::int64_t count = with.node.integer(attribute, 1);
    if (count < 1) {
        throw Refused{"{} = {} devices", attribute, count};
    }
    return static_cast<std::uint64_t>(count);
}

/// The parts lie behind each other as they come, and are laid beside each other.
Lowered gathered(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    return steps.done({steps.beside(std::vector<Part>(devices(with, "devices"), x), axis)});
}

/// The first device's part of an axis.
Lowered part_of(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const std::uint64_t parts = devices(with, "devices");
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    host::Shape shape = x.tensor.shape;
    if (shape[axis] % parts != 0) {
        throw Refused{"an extent of {} for {} devices", shape[axis], parts};
    }
    shape[axis] /= parts;
    if (x.known() || !is_real(x.tensor.type) || x.tensor.type == isa::DataType::float64) {
        return steps.done({steps.moved(x, shape, places(shape, strides_of(x.tensor.shape)))});
    }
    return steps.done(steps.run({.kernel = "rearrange",
                                 .knobs = {{"kind", std::string{"slice"}},
                                           {"shape", x.tensor.shape},
                                           {"begin", host::Shape(shape.size(), 0)},
                                           {"out", shape},
                                           {"step", host::Shape(shape.size(), 1)},
                                           {"dtype", type_word(x.tensor.type, true)}}},
                                {x},
                                {{.type = x.tensor.type, .shape = shape, .values = {}}}));
}

/// [parts, rows of each, ...] as [rows, parts, ...].
Part turned(Steps& steps, const Part& x, const host::Shape& seen) {
    host::Shape order{1, 0};
    for (std::size_t i = 2; i < seen.size(); ++i) {
        order.push_back(i);
    }
    return steps.transposed(Steps::seen(x, seen), order);
}

const host::Shape& rows_of_experts(const Operator& with) {
    const host::Shape& shape = with.input(0).shape;
    if (shape.size() < 2) {
        throw Refused{"{} has no rows of experts", with.input(0).text()};
    }
    return shape;
}

/// Of all experts [E, rows, ...] the rows of those that lie here, from every copy: [E / P, P rows, ...].
Lowered sent(const Operator& with) {
    Steps steps{with};
    const host::Shape& shape = rows_of_experts(with);
    const std::uint64_t parts = devices(with, "experts");
    if (shape[0] % parts != 0) {
        throw Refused{"{} experts for {} copies", shape[0], parts};
    }
    host::Shape came{parts, shape[0] / parts};
    came.insert(came.end(), shape.begin() + 1, shape.end());
    host::Shape to{shape[0] / parts, parts * shape[1]};
    to.insert(to.end(), shape.begin() + 2, shape.end());
    const Part x = steps.operand(0);
    return steps.done({Steps::seen(came[1] == 1 ? x : turned(steps, x, came), to)});
}

/// Back to the copies whose rows they are.
Lowered returned(const Operator& with) {
    Steps steps{with};
    const host::Shape& shape = rows_of_experts(with);
    const std::uint64_t parts = devices(with, "experts");
    if (shape[1] % parts != 0) {
        throw Refused{"{} rows of {} copies", shape[1], parts};
    }
    host::Shape there{shape[0], parts, shape[1] / parts};
    there.insert(there.end(), shape.begin() + 2, shape.end());
    host::Shape to{shape[0] * parts, shape[1] / parts};
    to.insert(to.end(), shape.begin() + 2, shape.end());
    const Part x = steps.operand(0);
    return steps.done({Steps::seen(shape[0] == 1 ? x : turned(steps, x, there), to)});
}

}  // namespace

Operators sharing_operators() {
    return {{"ShareCopy", in_place},
            {"ShareSum", in_place},
            {"ShareGather", gathered},
            {"ShareSlice", part_of},
            {"ExpertSend", sent},
            {"ExpertReturn", returned}};
}

}  // namespace ascendsim::networks
