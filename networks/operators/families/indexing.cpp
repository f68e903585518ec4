// SPDX-License-Identifier: Apache-2.0
// Operators that take elements by indices, or find them.
#include <algorithm>
#include <numeric>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;
using Indices = std::vector<std::int64_t>;

host::Shape gathered_shape(const Tensor& x, const Tensor& index, std::size_t axis) {
    const auto place = x.shape.begin() + static_cast<std::ptrdiff_t>(axis);
    host::Shape shape{x.shape.begin(), place};
    shape.insert(shape.end(), index.shape.begin(), index.shape.end());
    shape.insert(shape.end(), place + 1, x.shape.end());
    return shape;
}

/// True if the kernel `index_rows` moves rows of this tensor.
bool moves_rows(const Operator& with, const Tensor& x, const Tensor& index, std::uint64_t inner) {
    using D = DataType;
    const bool takes = x.type == D::half || x.type == D::bfloat16 || x.type == D::float32 ||
                       x.type == D::int8 || x.type == D::uint8 || x.type == D::boolean ||
                       x.type == D::int16 || x.type == D::int32 || x.type == D::int64;
    constexpr std::uint64_t block = 256;  // bits; older chips copy whole blocks
    const bool lies_well = with.chip->arch == "2201" || inner * isa::bits(x.type) % block == 0;
    return takes && lies_well && (index.type == D::int32 || index.type == D::int64) && index.count() != 0 &&
           x.count() != 0;
}

Lowered gather(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Tensor& index = with.input(1);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    const host::Shape shape = gathered_shape(x.tensor, index, axis);
    const Indices own = strides_of(x.tensor.shape);
    const auto inner = static_cast<std::uint64_t>(own[axis]);
    if (index.known()) {
        for (const std::int64_t entry : with.indices(1)) {
            const auto extent = static_cast<std::int64_t>(x.tensor.shape[axis]);
            if (entry < -extent || entry >= extent) {
                throw Refused{"index {} on an axis of {}", entry, extent};
            }
        }
    }
    if (!(x.known() && index.known()) && moves_rows(with, x.tensor, index, inner)) {
        return steps.done({steps.run({.kernel = "index_rows",
                                      .knobs = {{"shape", x.tensor.shape},
                                                {"axis", static_cast<std::int64_t>(axis)},
                                                {"count", static_cast<std::int64_t>(index.count())},
                                                {"index_dtype", type_word(index.type, true)},
                                                {"dtype", type_word(x.tensor.type, true)}}},
                                     {x, steps.operand(1)},
                                     {{.type = x.tensor.type, .shape = shape, .values = {}}})[0]});
    }
    const Indices at = with.indices(1);
    Indices from;
    for (std::uint64_t outer = 0;
         outer < x.tensor.count() / std::max<std::uint64_t>(inner * x.tensor.shape[axis], 1);
         ++outer) {
        for (const std::int64_t entry : at) {
            const std::uint64_t row = outer * x.tensor.shape[axis] + with.axis(entry, x.tensor.shape[axis]);
            for (std::uint64_t i = 0; i < inner; ++i) {
                from.push_back(static_cast<std::int64_t>(row * inner + i));
            }
        }
    }
    return steps.done({steps.moved(x, shape, from)});
}

/// The place in x that each element of the index, operand 1, names along `axis`.
Indices element_places(const Operator& with, const Tensor& x) {
    const host::Shape& shape = with.input(1).shape;
    const Indices at = with.indices(1);
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.shape.size());
    if (shape.size() != x.shape.size()) {
        throw Refused{"an index {} for {}", host::text(shape), x.text()};
    }
    Indices strides = strides_of(x.shape);
    const std::int64_t along = strides[axis];
    strides[axis] = 0;
    Indices result = places(shape, strides);
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] += along * static_cast<std::int64_t>(with.axis(at[i], x.shape[axis]));
    }
    return result;
}

Lowered gather_elements(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    return steps.done({steps.moved(x, with.input(1).shape, element_places(with, x.tensor))});
}

/// The place of the first element that each tuple of an index names, and how many follow.
Indices tuple_places(
    const Operator& with, const Tensor& x, const Tensor& index, std::size_t batch, std::uint64_t& slice) {
    if (index.shape.empty() || index.shape.size() <= batch) {
        throw Refused{"an index {} without tuples", index.text()};
    }
    const std::uint64_t width = index.shape.back();
    if (batch + width > x.shape.size() || width == 0) {
        throw Refused{"tuples of {} for {}", width, x.text()};
    }
    const Indices own = strides_of(x.shape);
    const Indices entries = with.indices(1);
    const std::uint64_t batches =
        host::elements({x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(batch)});
    const std::uint64_t tuples = entries.size() / width;
    slice = static_cast<std::uint64_t>(own[batch + width - 1]);
    const std::uint64_t whole = x.count() / std::max<std::uint64_t>(batches, 1);
    Indices result;
    for (std::uint64_t tuple = 0; tuple < tuples; ++tuple) {
        auto place = static_cast<std::int64_t>(tuple / std::max<std::uint64_t>(tuples / batches, 1) * whole);
        for (std::uint64_t i = 0; i < width; ++i) {
            place += own[batch + i] *
                     static_cast<std::int64_t>(with.axis(entries[tuple * width + i], x.shape[batch + i]));
        }
        result.push_back(place);
    }
    return result;
}

Lowered gather_nd(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Tensor& index = with.input(1);
    const auto batch =
        static_cast<std::size_t>(std::max<std::int64_t>(with.node.integer("batch_dims", 0), 0));
    std::uint64_t slice = 1;
    Indices from;
    for (const std::int64_t place : tuple_places(with, x.tensor, index, batch, slice)) {
        for (std::uint64_t i = 0; i < slice; ++i) {
            from.push_back(place + static_cast<std::int64_t>(i));
        }
    }
    host::Shape shape{index.shape.begin(), index.shape.end() - 1};
    const auto behind = x.tensor.shape.begin() + static_cast<std::ptrdiff_t>(batch + index.shape.back());
    shape.insert(shape.end(), behind, x.tensor.shape.end());
    return steps.done({steps.moved(x, shape, from)});
}

/// x with updates at places: both are put one behind the other, and each element is taken from one of them.
Lowered replaced(Steps& steps, const Part& x, const Part& updates, const Indices& at) {
    const std::uint64_t count = x.tensor.count();
    if (at.size() != updates.tensor.count()) {
        throw Refused{"{} indices for {}", at.size(), updates.tensor.text()};
    }
    Indices from(count);
    std::iota(from.begin(), from.end(), 0);
    for (std::size_t i = 0; i < at.size(); ++i) {
        from.at(static_cast<std::size_t>(at[i])) = static_cast<std::int64_t>(count + i);
    }
    const Part all =
        steps.beside({Steps::seen(x, {count}), Steps::seen(updates, {updates.tensor.count()})}, 0);
    return steps.done({steps.moved(all, x.tensor.shape, from)});
}

/// x with updates reduced into places: in rounds, in which each element takes one update at most.
Lowered reduced_into(Steps& steps, Part x, const Part& updates, const Indices& at, Op op) {
    std::vector<Indices> rounds;
    std::vector<std::size_t> taken(x.tensor.count(), 0);
    const auto none = static_cast<std::int64_t>(updates.tensor.count());  // the neutral element, behind all
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::size_t round = taken.at(static_cast<std::size_t>(at[i]))++;
        if (round == rounds.size()) {
            rounds.emplace_back(x.tensor.count(), none);
        }
        rounds[round][static_cast<std::size_t>(at[i])] = static_cast<std::int64_t>(i);
    }
    const Part neutral = Steps::table(x.tensor.type, {1}, {op == Op::mul ? 1.0 : 0.0});
    const Part all = steps.beside({Steps::seen(updates, {updates.tensor.count()}), neutral}, 0);
    for (const Indices& from : rounds) {
        x = steps.element(op, {x, steps.moved(all, x.tensor.shape, from)});
    }
    return steps.done({x});
}

Lowered scattered(Steps& steps, const Indices& at) {
    const Part x = steps.operand(0);
    const Part updates = steps.operand(2);
    const std::string how = steps.with().node.word("reduction", "none");
    if (how == "none") {
        return replaced(steps, x, updates, at);
    }
    if ((how != "add" && how != "mul") || at.size() != updates.tensor.count()) {
        throw Refused{"a scatter of {} updates to {} places that reduces by '{}'",
                      updates.tensor.count(),
                      at.size(),
                      how};
    }
    return reduced_into(steps, x, updates, at, how == "add" ? Op::add : Op::mul);
}

Lowered scatter_elements(const Operator& with) {
    Steps steps{with};
    return scattered(steps, element_places(with, with.input(0)));
}

Lowered scatter_nd(const Operator& with) {
    Steps steps{with};
    std::uint64_t slice = 1;
    Indices to;
    for (const std::int64_t place : tuple_places(with, with.input(0), with.input(1), 0, slice)) {
        for (std::uint64_t i = 0; i < slice; ++i) {
            to.push_back(place + static_cast<std::int64_t>(i));
        }
    }
    return scattered(steps, to);
}

Lowered compress(const Operator& with) {
    Steps steps{with};
    Part x = steps.operand(0);
    const bool there = with.input(1).known() || with.input(1).given != nullptr;
    const Indices chosen = with.timing_only && !there ? Indices(with.input(1).count(), 1) : with.known(1);
    if (!with.node.has("axis")) {
        x = Steps::seen(x, {x.tensor.count()});
    }
    const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
    Indices rows;
    for (std::size_t i = 0; i < chosen.size() && i < x.tensor.shape[axis]; ++i) {
        if (chosen[i] != 0) {
            rows.push_back(static_cast<std::int64_t>(i));
        }
    }
    host::Shape shape = x.tensor.shape;
    shape[axis] = rows.size();
    const Indices own = strides_of(x.tensor.shape);
    Indices strides = own;
    strides[axis] = 0;
    Indices from = places(shape, strides);
    const Indices result = strides_of(shape);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] += own[axis] * rows[i / static_cast<std::size_t>(result[axis]) % rows.size()];
    }
    return steps.done({steps.moved(x, shape, from)});
}

std::vector<double> counted(std::uint64_t count, double first, double step) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = first + step * static_cast<double>(i);
    }
    return values;
}

/// The index of the largest or smallest element along an axis, as float32: the first, or the last, of
/// several.
Part place_of_extreme(Steps& steps, const Part& x, std::size_t axis, Op op, bool last) {
    const host::Shape& shape = x.tensor.shape;
    constexpr std::uint64_t exact = 1U << 24U;  // whole numbers up to there are floats
    if (shape[axis] > exact) {
        throw Refused{"indices beyond 2^24"};
    }
    host::Shape kept = shape;
    kept[axis] = 1;
    host::Shape along(shape.size(), 1);
    along[axis] = shape[axis];
    const Part most = steps.reduce(op, x, {axis});
    const Part index = Steps::table(DataType::float32, along, counted(shape[axis], 0, 1));
    LoopOf loop{{x, most, index}};
    const std::size_t other =
        loop.step(Op::constant, {}, {}, DataType::float32, {last ? -1.0 : static_cast<double>(exact)});
    const std::size_t same = loop.step(Op::equal, {0, 1}, shape, DataType::boolean);
    const std::size_t chosen = loop.step(Op::where, {same, 2, other}, shape, DataType::float32);
    const Part places = steps.run(loop.outputs({chosen}), {x, most, index})[0];
    return steps.reduce(last ? Op::reduce_max : Op::reduce_min, places, {axis});
}

Lower arg_of(Op op) {
    return [op](const Operator& with) {
        Steps steps{with};
        const Part x = steps.operand(0);
        const std::size_t axis = with.axis(with.node.integer("axis", 0), x.tensor.shape.size());
        const bool last = with.node.integer("select_last_index", 0) != 0;
        Part place = steps.cast(place_of_extreme(steps, x, axis, op, last), DataType::int64);
        if (with.node.integer("keepdims", 1) == 0) {
            host::Shape shape = x.tensor.shape;
            shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
            place = Steps::seen(place, shape);
        }
        return steps.done({place});
    };
}

/// 1 at the first of the largest elements, 0 elsewhere.
Lowered hardmax(const Operator& with) {
    Steps steps{with};
    Part x = steps.operand(0);
    const host::Shape whole = x.tensor.shape;
    const bool old = with.opset < 13;
    std::size_t axis = with.axis(with.node.integer("axis", old ? 1 : -1), whole.size());
    if (old) {
        const auto first = whole.begin() + static_cast<std::ptrdiff_t>(axis);
        x = Steps::seen(x, {host::elements({whole.begin(), first}), host::elements({first, whole.end()})});
        axis = 1;
    }
    const Part place = place_of_extreme(steps, x, axis, Op::reduce_max, false);
    host::Shape along(x.tensor.shape.size(), 1);
    along[axis] = x.tensor.shape[axis];
    const Part index = Steps::table(DataType::float32, along, counted(along[axis], 0, 1));
    const Part same = steps.element(Op::equal, {place, index});
    return steps.done({Steps::seen(steps.cast(same, x.tensor.type), whole)});
}

Lowered one_hot(const Operator& with) {
    Steps steps{with};
    const Part at = steps.operand(0);
    const auto depth = static_cast<std::uint64_t>(std::max<std::int64_t>(with.known(1).at(0), 0));
    const Part values = steps.operand(2);
    const std::size_t rank = at.tensor.shape.size() + 1;
    const std::size_t axis = with.axis(with.node.integer("axis", -1), rank);
    host::Shape shape = at.tensor.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    host::Shape along(rank, 1);
    along[axis] = depth;
    const Part wanted = Steps::seen(steps.cast(at, DataType::float32), shape);
    const auto extent = static_cast<double>(depth);
    const Part here =
        steps.element(Op::equal, {wanted, Steps::table(DataType::float32, along, counted(depth, 0, 1))});
    const Part before = steps.element(
        Op::equal, {wanted, Steps::table(DataType::float32, along, counted(depth, -extent, 1))});
    const Part yes = steps.element(Op::logical_or, {here, before});
    const Part off = steps.moved(values, {}, {0});
    const Part on = steps.moved(values, {}, {1});
    return steps.done({steps.element(Op::where, {yes, on, off})});
}

/// The first `k` columns of rows.
Part columns(Steps& steps, const Part& rows, std::uint64_t k) {
    const host::Shape& shape = rows.tensor.shape;
    if (shape[1] == k) {
        return rows;
    }
    return steps.run({.kernel = "rearrange",
                      .knobs = {{"kind", std::string{"slice"}},
                                {"shape", shape},
                                {"begin", host::Shape{0, 0}},
                                {"out", host::Shape{shape[0], k}},
                                {"step", host::Shape{1, 1}},
                                {"dtype", type_word(rows.tensor.type, true)}}},
                     {rows},
                     {{.type = rows.tensor.type, .shape = {shape[0], k}, .values = {}}})[0];
}

/// The best k of each row, which may be as long as the unified buffer allows, and where they were (int32).
std::vector<Part> best_of_rows(Steps& steps, const Part& rows, std::int64_t k, bool largest) {
    const isa::DataType type = rows.tensor.type;
    const host::Shape shape{rows.tensor.shape[0], static_cast<std::uint64_t>(k)};
    std::vector<Part> found = steps.run(
        {.kernel = "top_k", .knobs = {{"shape", rows.tensor.shape}, {"k", k}, {"dtype", type_word(type)}}},
        {largest ? rows : steps.element(Op::neg, {rows})},
        {{.type = type, .shape = shape, .values = {}},
         {.type = DataType::int32, .shape = shape, .values = {}}});
    found[0] = largest ? found[0] : steps.element(Op::neg, {found[0]});
    return found;
}

/// The same of longer rows: they are sorted, and what comes first is taken.
std::vector<Part> first_of_sorted(Steps& steps, const Part& rows, std::int64_t k, bool largest) {
    const isa::DataType type = rows.tensor.type;
    const host::Shape& shape = rows.tensor.shape;
    std::vector<Part> found = steps.run(
        {.kernel = "sort", .knobs = {{"shape", shape}, {"dtype", type_word(type)}, {"rising", !largest}}},
        {rows},
        {{.type = type, .shape = shape, .values = {}},
         {.type = DataType::int32, .shape = shape, .values = {}}});
    for (Part& one : found) {
        one = columns(steps, one, static_cast<std::uint64_t>(k));
    }
    return found;
}

Lowered top_k(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const std::size_t axis = with.axis(with.node.integer("axis", -1), x.tensor.shape.size());
    const std::int64_t k = with.has(1) ? with.known(1).at(0) : with.node.integer("k", 1);
    host::Shape order(x.tensor.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    const Part turned = steps.transposed(x, order);
    const bool largest = with.node.integer("largest", 1) != 0;
    if (!is_real(x.tensor.type) || k < 1 || static_cast<std::uint64_t>(k) > x.tensor.shape[axis]) {
        throw Refused{"the first {} of {}", k, x.tensor.text()};
    }
    host::Shape shape = turned.tensor.shape;
    constexpr std::uint64_t most_in_buffer = 4096;  // elements of a row, with their sorted runs
    // Beside these lie the best of the row: where a long row keeps more than half of itself, they do not fit.
    const bool fits = shape.back() <= most_in_buffer && (2 * shape.back() <= most_in_buffer ||
                                                         2 * static_cast<std::uint64_t>(k) <= shape.back());
    const Part rows = Steps::seen(turned, {turned.tensor.count() / shape.back(), shape.back()});
    std::vector<Part> found =
        fits ? best_of_rows(steps, rows, k, largest) : first_of_sorted(steps, rows, k, largest);
    shape.back() = static_cast<std::uint64_t>(k);
    for (Part& one : found) {
        one = Steps::seen(one, shape);
    }
    return steps.done(
        {steps.transposed(found[0], order), steps.cast(steps.transposed(found[1], order), DataType::int64)});
}

}  // namespace

Operators indexing_operators() {
    return {{"Gather", gather},
            {"GatherElements", gather_elements},
            {"GatherND", gather_nd},
            {"ScatterElements", scatter_elements},
            {"Scatter", scatter_elements},
            {"ScatterND", scatter_nd},
            {"Compress", compress},
            {"ArgMax", arg_of(Op::reduce_max)},
            {"ArgMin", arg_of(Op::reduce_min)},
            {"Hardmax", hardmax},
            {"OneHot", one_hot},
            {"TopK", top_k}};
}

}  // namespace ascendsim::networks
