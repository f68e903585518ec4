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

std::uint64_t devices(const Operator& with, std::string_view attribute, std::int64_t least = 1) {
    const std::int64_t count = with.node.integer(attribute, least);
    if (count < least) {
        throw Refused{"{} = {}", attribute, count};
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

/// `count` slices of an axis from `first` on, for the numbers alone: what neighbours sent is there.
Part slices(Steps& steps, const Part& x, std::size_t axis, std::uint64_t first, std::uint64_t count) {
    host::Shape shape = x.tensor.shape;
    shape[axis] = count;
    host::Shape begin(shape.size(), 0);
    begin[axis] = first;
    return steps.run({.kernel = "rearrange",
                      .knobs = {{"kind", std::string{"slice"}},
                                {"shape", x.tensor.shape},
                                {"begin", begin},
                                {"out", shape},
                                {"step", host::Shape(shape.size(), 1)},
                                {"dtype", type_word(x.tensor.type, true)}},
                      .timed = false},
                     {x},
                     {{.type = x.tensor.type, .shape = shape, .values = {}}})[0];
}

/// A slab between slices of its neighbours, as which its own next ones stand here.
Lowered with_halo(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    const std::uint64_t all = x.tensor.shape[axis];
    const std::uint64_t before = devices(with, "before", 0);
    const std::uint64_t behind = devices(with, "behind", 0);
    if (before > all || behind > all) {
        throw Refused{"{} and {} slices of neighbours that have {}", before, behind, all};
    }
    std::vector<Part> parts;
    if (before != 0) {
        parts.push_back(slices(steps, x, axis, 0, before));
    }
    parts.push_back(x);
    if (behind != 0) {
        parts.push_back(slices(steps, x, axis, all - behind, behind));
    }
    return steps.done({steps.beside(parts, axis)});
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
            {"ShareHalo", with_halo},
            {"ShareSlice", part_of},
            {"ExpertSend", sent},
            {"ExpertReturn", returned}};
}

}  // namespace ascendsim::networks
