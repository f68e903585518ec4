// SPDX-License-Identifier: Apache-2.0
// Operators that join, cut, repeat and turn tensors.
#include <algorithm>
#include <numeric>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using Indices = std::vector<std::int64_t>;
using isa::DataType;

/// Beyond, boxes are copied rather than elements by an index each.
constexpr std::uint64_t least_boxes = 4096;  // elements
constexpr std::size_t box_axes = 4;          // of the kernel rearrange

bool as_boxes(const Steps& steps, const Part& part) {
    const bool word = part.tensor.type != DataType::float64 && part.tensor.type != DataType::uint64 &&
                      part.tensor.type != DataType::uint32 && part.tensor.type != DataType::uint16;
    return steps.copies_bytes() && !part.known() && word && part.tensor.count() > least_boxes &&
           part.tensor.shape.size() <= box_axes;
}

Lowered transpose(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    Indices perm(x.tensor.shape.size());
    std::iota(perm.rbegin(), perm.rend(), 0);
    host::Shape order;
    for (const std::int64_t axis : with.node.integers("perm", perm)) {
        order.push_back(with.axis(axis, x.tensor.shape.size()));
    }
    return steps.done({steps.transposed(x, order)});
}

std::vector<Part> operands_of(const Steps& steps) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < steps.with().inputs.size(); ++i) {
        parts.push_back(steps.operand(i));
    }
    return parts;
}

Lowered concat(const Operator& with) {
    Steps steps{with};
    return steps.done({steps.beside(operands_of(steps),
                                    with.axis(with.node.integer("axis", 0), with.input(0).shape.size()))});
}

/// Extents, first element and step of what is cut out of each axis; a step may be negative.
struct Cut {
    Indices begin;
    host::Shape extents;
    Indices steps;
};

Part cut_out(Steps& steps, const Part& x, const Cut& cut) {
    const Indices own = strides_of(x.tensor.shape);
    const bool forward = std::ranges::all_of(cut.steps, [](std::int64_t step) { return step > 0; });
    if (cut.extents == x.tensor.shape && forward) {
        return x;
    }
    if (!as_boxes(steps, x) || !forward || host::elements(cut.extents) == 0) {
        Indices strides;
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            strides.push_back(own[i] * cut.steps[i]);
            begin += own[i] * cut.begin[i];
        }
        return steps.moved(x, cut.extents, places(cut.extents, strides, begin));
    }
    return steps.run({.kernel = "rearrange",
                      .knobs = {{"kind", std::string{"slice"}},
                                {"shape", x.tensor.shape},
                                {"begin", host::Shape{cut.begin.begin(), cut.begin.end()}},
                                {"out", cut.extents},
                                {"step", host::Shape{cut.steps.begin(), cut.steps.end()}},
                                {"dtype", type_word(x.tensor.type, true)}}},
                     {x},
                     {{.type = x.tensor.type, .shape = cut.extents, .values = {}}})[0];
}

Cut whole(const Tensor& x) {
    return {.begin = Indices(x.shape.size(), 0), .extents = x.shape, .steps = Indices(x.shape.size(), 1)};
}

Lowered split(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    Indices sizes = with.list("split", 1, {});
    const auto count = static_cast<std::int64_t>(with.node.outputs.size());
    const auto extent = static_cast<std::int64_t>(x.tensor.shape[axis]);
    if (sizes.empty()) {
        const std::int64_t each = (extent + count - 1) / count;
        sizes.assign(static_cast<std::size_t>(count), each);
        sizes.back() = extent - each * (count - 1);
    }
    if (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != extent ||
        std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; })) {
        throw Refused{"parts that do not add up to axis {} of {}", axis, x.tensor.text()};
    }
    const host::Shape parts{sizes.begin(), sizes.end()};
    std::vector<Part> results;
    if (as_boxes(steps, x)) {
        std::vector<Tensor> makes;
        for (const std::uint64_t part : parts) {
            makes.push_back({.type = x.tensor.type, .shape = x.tensor.shape, .values = {}});
            makes.back().shape[axis] = part;
        }
        return steps.done(steps.run({.kernel = "rearrange",
                                     .knobs = {{"kind", std::string{"split"}},
                                               {"shape", x.tensor.shape},
                                               {"axis", static_cast<std::int64_t>(axis)},
                                               {"parts", parts},
                                               {"dtype", type_word(x.tensor.type, true)}}},
                                    {x},
                                    makes));
    }
    Cut cut = whole(x.tensor);
    for (const std::uint64_t part : parts) {
        cut.extents[axis] = part;
        results.push_back(cut_out(steps, x, cut));
        cut.begin[axis] += static_cast<std::int64_t>(part);
    }
    return steps.done(results);
}

Cut cut_of(const Operator& with, const Tensor& x) {
    const Indices starts = with.list("starts", 1, {});
    const Indices ends = with.list("ends", 2, {});
    Indices all(starts.size());
    std::iota(all.begin(), all.end(), 0);
    const Indices axes = with.list("axes", 3, all);
    const Indices strides = with.has(4) ? with.known(4) : Indices(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() || strides.size() != starts.size()) {
        throw Refused{"starts, ends, axes and steps of different lengths"};
    }
    Cut cut = whole(x);
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = with.axis(axes[i], x.shape.size());
        const auto extent = static_cast<std::int64_t>(x.shape[axis]);
        const std::int64_t step = strides[i];
        if (step == 0 || step < -(std::int64_t{1} << 40) || step > (std::int64_t{1} << 40)) {
            throw Refused{"a slice with a step of {}", step};
        }
        const std::int64_t lowest = step > 0 ? 0 : -1;
        const std::int64_t highest = step > 0 ? extent : extent - 1;
        const auto place = [&](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + extent : at, lowest, highest);
        };
        const std::int64_t begin = place(starts[i]);
        const std::int64_t length =
            step > 0 ? place(ends[i]) - begin + step - 1 : begin - place(ends[i]) - step - 1;
        cut.extents[axis] = static_cast<std::uint64_t>(std::max<std::int64_t>(length / std::abs(step), 0));
        cut.begin[axis] = cut.extents[axis] == 0 ? 0 : begin;
        cut.steps[axis] = step;
    }
    return cut;
}

Lowered slice(const Operator& with) {
    Steps steps{with};
    return steps.done({cut_out(steps, steps.operand(0), cut_of(with, with.input(0)))});
}

Lowered expand(const Operator& with) {
    Steps steps{with};
    host::Shape wanted;
    for (const std::int64_t extent : with.known(1)) {
        wanted.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
    }
    const Part x = steps.operand(0);
    return steps.done({steps.spread(x, broadcast(x.tensor.shape, wanted))});
}

Lowered tile(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Indices repeats = with.known(1);
    if (repeats.size() != x.tensor.shape.size()) {
        throw Refused{"repeats for {} axes of {}", repeats.size(), x.tensor.text()};
    }
    // Each axis becomes two: how often, and the axis itself.
    const Indices own = strides_of(x.tensor.shape);
    host::Shape apart;
    Indices strides;
    host::Shape shape;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        const auto often = static_cast<std::uint64_t>(std::max<std::int64_t>(repeats[i], 0));
        apart.insert(apart.end(), {often, x.tensor.shape[i]});
        strides.insert(strides.end(), {0, own[i]});
        shape.push_back(often * x.tensor.shape[i]);
    }
    if (as_boxes(steps, x)) {
        return steps.done(steps.run({.kernel = "rearrange",
                                     .knobs = {{"kind", std::string{"tile"}},
                                               {"shape", x.tensor.shape},
                                               {"repeats", host::Shape{repeats.begin(), repeats.end()}},
                                               {"dtype", type_word(x.tensor.type, true)}}},
                                    {x},
                                    {{.type = x.tensor.type, .shape = shape, .values = {}}}));
    }
    return steps.done({steps.moved(x, shape, places(apart, strides))});
}

/// For each element of a padded axis, the one that it holds; -1: the constant.
Indices padded_axis(std::int64_t extent, std::int64_t before, std::int64_t behind, const std::string& mode) {
    constexpr std::int64_t most = 1 << 21;  // of an index list: see crossed
    if (std::max(before, behind) > most || std::min(before, behind) < -most ||
        extent + before + behind > most) {
        throw Refused{
            "an axis of {} with {} before and {} behind: more elements than an index list has room for",
            extent,
            before,
            behind};
    }
    Indices from;
    for (std::int64_t at = -before; at < extent + behind; ++at) {
        const bool inside = at >= 0 && at < extent;
        if (inside || mode == "constant") {
            from.push_back(inside ? at : -1);
        } else if (extent == 0) {
            throw Refused{"padding of mode {} on an axis without elements", mode};
        } else if (mode == "edge") {
            from.push_back(std::clamp<std::int64_t>(at, 0, extent - 1));
        } else if (mode == "reflect") {
            const std::int64_t period = std::max<std::int64_t>(2 * (extent - 1), 1);
            const std::int64_t place = ((at % period) + period) % period;
            from.push_back(place < extent ? place : period - place);
        } else {
            throw Refused{"padding of mode {}", mode};
        }
    }
    return from;
}

/// Each axis by its own list; a place of -1 in one makes the element's -1.
Indices crossed(const std::vector<Indices>& axes, const host::Shape& shape) {
    const Indices own = strides_of(shape);
    Indices result{0};
    for (std::size_t d = 0; d < axes.size(); ++d) {
        Indices next;
        if (result.size() * axes[d].size() > (std::size_t{1} << 21U)) {
            throw Refused{"more elements than an index list has room for"};
        }
        for (const std::int64_t base : result) {
            for (const std::int64_t at : axes[d]) {
                next.push_back(base < 0 || at < 0 ? -1 : base + at * own[d]);
            }
        }
        result = std::move(next);
    }
    return result;
}

Part filled(Steps& steps, const Part& padded, const Indices& from, const Part& fill) {
    std::vector<double> inside(from.size());
    std::ranges::transform(from, inside.begin(), [](std::int64_t at) { return at < 0 ? 0.0 : 1.0; });
    const Part mask = Steps::table(DataType::boolean, padded.tensor.shape, std::move(inside));
    return steps.element(loops::Op::where, {mask, padded, Steps::seen(fill, {})});
}

Lowered pad(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Indices pads = with.list("pads", 1, {});
    const std::string mode = with.node.word("mode", "constant");
    const std::size_t rank = x.tensor.shape.size();
    if (pads.size() != 2 * rank) {
        throw Refused{"{} pads for {}", pads.size(), x.tensor.text()};
    }
    constexpr std::int64_t farthest = std::int64_t{1} << 40;  // so that sums of them do not wrap
    if (std::ranges::any_of(pads, [](std::int64_t by) { return by > farthest || by < -farthest; })) {
        throw Refused{"pads of more than 2^40"};
    }
    host::Shape shape;
    host::Shape before;
    bool grows = true;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t extent = static_cast<std::int64_t>(x.tensor.shape[i]) + pads[i] + pads[rank + i];
        shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
        before.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(pads[i], 0)));
        grows = grows && pads[i] >= 0 && pads[rank + i] >= 0;
    }
    const Part zero = Steps::table(x.tensor.type, {}, {with.node.real("value", 0)});
    const Part fill = with.has(2) ? steps.operand(2) : zero;
    const bool zeros = fill.known() && fill.tensor.values->front() == 0;
    if (as_boxes(steps, x) && mode == "constant" && grows && zeros) {
        return steps.done(steps.run({.kernel = "rearrange",
                                     .knobs = {{"kind", std::string{"pad"}},
                                               {"shape", x.tensor.shape},
                                               {"begin", before},
                                               {"out", shape},
                                               {"dtype", type_word(x.tensor.type, true)}}},
                                    {x},
                                    {{.type = x.tensor.type, .shape = shape, .values = {}}}));
    }
    std::vector<Indices> axes;
    for (std::size_t i = 0; i < rank; ++i) {
        axes.push_back(
            padded_axis(static_cast<std::int64_t>(x.tensor.shape[i]), pads[i], pads[rank + i], mode));
    }
    const Indices from = crossed(axes, x.tensor.shape);
    const Part padded = steps.moved(x, shape, from);
    return steps.done({mode != "constant" || zeros ? padded : filled(steps, padded, from, fill)});
}

/// Blocks of channels become places of an image, or the other way.
Lowered depth_to_space(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const auto block =
        static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer("blocksize", 1), 1));
    const host::Shape& in = x.tensor.shape;
    if (in.size() != 4 || in[1] % (block * block) != 0) {
        throw Refused{"{} in blocks of {}", x.tensor.text(), block};
    }
    const std::uint64_t channels = in[1] / (block * block);
    const bool columns_last = with.node.word("mode", "DCR") == "DCR";
    const host::Shape apart = columns_last ? host::Shape{in[0], block, block, channels, in[2], in[3]}
                                           : host::Shape{in[0], channels, block, block, in[2], in[3]};
    const host::Shape order = columns_last ? host::Shape{0, 3, 4, 1, 5, 2} : host::Shape{0, 1, 4, 2, 5, 3};
    const Part turned = steps.transposed(Steps::seen(x, apart), order);
    return steps.done({Steps::seen(turned, {in[0], channels, in[2] * block, in[3] * block})});
}

Lowered space_to_depth(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const auto block =
        static_cast<std::uint64_t>(std::max<std::int64_t>(with.node.integer("blocksize", 1), 1));
    const host::Shape& in = x.tensor.shape;
    if (in.size() != 4 || in[2] % block != 0 || in[3] % block != 0) {
        throw Refused{"{} in blocks of {}", x.tensor.text(), block};
    }
    const Part apart = Steps::seen(x, {in[0], in[1], in[2] / block, block, in[3] / block, block});
    const Part turned = steps.transposed(apart, {0, 3, 5, 1, 2, 4});
    return steps.done({Steps::seen(turned, {in[0], in[1] * block * block, in[2] / block, in[3] / block})});
}

/// The upper or lower triangle of matrices; the rest is zero.
Lowered trilu(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    if (shape.size() < 2) {
        throw Refused{"{} is no matrix", x.tensor.text()};
    }
    const std::int64_t diagonal = with.has(1) ? with.known(1).at(0) : 0;
    const bool upper = with.node.integer("upper", 1) != 0;
    Indices from = places(shape, strides_of(shape));
    const auto rows = static_cast<std::int64_t>(shape[shape.size() - 2]);
    const auto columns = static_cast<std::int64_t>(shape.back());
    for (std::int64_t& at : from) {
        const std::int64_t offset = at % columns - at / columns % rows;
        at = (upper ? offset >= diagonal : offset <= diagonal) ? at : -1;
    }
    return steps.done({steps.moved(x, shape, from)});
}

Lowered reverse_sequence(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Indices lengths = with.known(1);
    const auto time = with.axis(with.node.integer("time_axis", 0), x.tensor.shape.size());
    const auto batch = with.axis(with.node.integer("batch_axis", 1), x.tensor.shape.size());
    const Indices own = strides_of(x.tensor.shape);
    Indices from = places(x.tensor.shape, own);
    for (std::int64_t& at : from) {
        const auto row = static_cast<std::size_t>(at / own[batch]) % x.tensor.shape[batch];
        const std::int64_t step = at / own[time] % static_cast<std::int64_t>(x.tensor.shape[time]);
        const std::int64_t length = lengths.at(row);
        at += step < length ? (length - 1 - 2 * step) * own[time] : 0;
    }
    return steps.done({steps.moved(x, x.tensor.shape, from)});
}

}  // namespace

Operators movement_operators() {
    return {{"Transpose", transpose},
            {"Concat", concat},
            {"Split", split},
            {"Slice", slice},
            {"Expand", expand},
            {"Tile", tile},
            {"Pad", pad},
            {"DepthToSpace", depth_to_space},
            {"SpaceToDepth", space_to_depth},
            {"Trilu", trilu},
            {"ReverseSequence", reverse_sequence}};
}

}  // namespace ascendsim::networks
