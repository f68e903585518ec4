// SPDX-License-Identifier: Apache-2.0
#include "networks/operators/steps.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "networks/operators/image_convolution.hpp"
#include "networks/operators/moved_word.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

// A list of indices with an entry for each element moved is for small tensors: it is read, too.
constexpr std::uint64_t most_moved = std::uint64_t{1} << 21U;

/// Knobs of the kernel `elementwise`, which does these of floats exactly as the loop does.
const std::map<Op, const char*>& shipped_ops() {
    static const std::map<Op, const char*> names{{Op::neg, "neg"},
                                                 {Op::abs, "abs"},
                                                 {Op::relu, "relu"},
                                                 {Op::exp, "exp"},
                                                 {Op::ln, "ln"},
                                                 {Op::sqrt, "sqrt"},
                                                 {Op::reciprocal, "reciprocal"},
                                                 {Op::sigmoid, "sigmoid"},
                                                 {Op::tanh, "tanh"},
                                                 {Op::softplus, "softplus"},
                                                 {Op::softsign, "softsign"},
                                                 {Op::erf, "erf"},
                                                 {Op::hard_swish, "hard_swish"},
                                                 {Op::sign, "sign"},
                                                 {Op::floor, "floor"},
                                                 {Op::ceil, "ceil"},
                                                 {Op::round, "round"},
                                                 {Op::sin, "sin"},
                                                 {Op::cos, "cos"},
                                                 {Op::elu, "elu"},
                                                 {Op::leaky_relu, "leaky_relu"},
                                                 {Op::scale, "scale"},
                                                 {Op::add, "add"},
                                                 {Op::sub, "sub"},
                                                 {Op::mul, "mul"},
                                                 {Op::div, "div"}};
    return names;
}

host::Shape with_ones_before(const host::Shape& shape, std::size_t rank) {
    host::Shape result(rank - shape.size(), 1);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

/// True if from the first axis to the last what is spread and what is not change over once at most: rows or
/// columns alone are spread.
bool spreads_simply(const host::Shape& from, const host::Shape& to) {
    const host::Shape whole = with_ones_before(from, to.size());
    int changes = 0;
    std::optional<bool> before;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (to[i] != 1) {
            const bool spread = whole[i] == 1;
            changes += before && *before != spread ? 1 : 0;
            before = spread;
        }
    }
    return changes <= 1;
}

bool truth(Op op) {
    return (op >= Op::less && op <= Op::logical_xor) || op == Op::is_nan || op == Op::is_inf ||
           op == Op::logical_not;
}

host::Shape kept(const host::Shape& shape, const std::vector<std::size_t>& axes) {
    host::Shape result = shape;
    for (const std::size_t axis : axes) {
        result[axis] = 1;
    }
    return result;
}

/// True if axes before the last are reduced, and rows are whole blocks of 32 B.
bool reduces_whole_rows(const Part& part, const std::vector<std::size_t>& axes) {
    const host::Shape& shape = part.tensor.shape;
    return axes.back() + 1 < shape.size() && shape.back() * isa::bits(part.tensor.type) % 256 == 0;
}

/// A reduction on chips that copy whole blocks: what is reduced lies below each other, and what stays is
/// filled up to blocks.
Part reduced_in_blocks(Steps& steps, Op op, const Part& part, const std::vector<std::size_t>& axes) {
    const host::Shape& shape = part.tensor.shape;
    host::Shape order;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::ranges::find(axes, i) == axes.end()) {
            order.push_back(i);
        }
    }
    const host::Shape result = kept(shape, axes);
    const std::uint64_t columns = host::elements(result);
    const std::uint64_t rows = part.tensor.count() / columns;
    const std::uint64_t filled = (columns + 31) / 32 * 32;
    order.insert(order.begin(), axes.begin(), axes.end());
    host::Shape turned;
    std::vector<std::int64_t> strides;
    for (const std::uint64_t axis : order) {
        turned.push_back(shape[axis]);
        strides.push_back(strides_of(shape)[axis]);
    }
    const std::vector<std::int64_t> from = places(turned, strides);
    LoopOf loop{std::vector<Part>{{.tensor = {.type = part.tensor.type, .shape = {rows, filled}}}}};
    const std::size_t value = loop.step(op, {0}, {1, filled}, part.tensor.type, {}, {0});
    Task task{.kernel = {}, .knobs = {}, .loop = std::make_shared<const loops::Loop>(loop.outputs({value}))};
    task.arranged = {by_places(rows * filled, [=](std::uint64_t i) -> std::int64_t {
        return i % filled < columns ? from[i / filled * columns + i % filled] : -1;
    })};
    task.taken = by_places(columns, [](std::uint64_t i) { return static_cast<std::int64_t>(i); });
    return steps.run(std::move(task), {part}, {{.type = part.tensor.type, .shape = result}})[0];
}

Task elementwise(const char* op, const host::Shape& shape, const std::vector<Part>& parts) {
    Task task{.kernel = "elementwise", .knobs = {{"op", std::string{op}}, {"shape", shape}}};
    task.knobs.emplace_back("dtype", type_word(parts[0].tensor.type));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].tensor.shape != shape) {
            task.knobs.emplace_back(fmt::format("shape{}", i),
                                    with_ones_before(parts[i].tensor.shape, shape.size()));
        }
    }
    return task;
}

}  // namespace

const char* moved_word(DataType type) {
    switch (isa::bits(type)) {
        case 64:
            return "int64";
        case 32:  // references hold floats, which are no longer exact as whole numbers of their bits
            return type == DataType::float32 ? "float32" : "int32";
        case 16:
            return "int16";
        default:
            return "int8";
    }
}

bool is_real(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32 ||
           type == DataType::float64;
}

std::vector<std::int64_t> strides_of(const host::Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * static_cast<std::int64_t>(shape[i]);
    }
    return strides;
}

std::vector<std::int64_t> places(const host::Shape& shape,
                                 const std::vector<std::int64_t>& strides,
                                 std::int64_t begin) {
    if (host::elements(shape) > most_moved) {
        throw Refused{"{} elements, each by an index of its own; at most {} are moved so",
                      host::elements(shape),
                      most_moved};
    }
    std::vector<std::int64_t> result(host::elements(shape));
    host::Shape index(shape.size(), 0);
    std::int64_t place = begin;
    for (std::int64_t& entry : result) {
        entry = place;
        for (std::size_t d = shape.size(); d-- > 0;) {
            place += strides[d];
            if (++index[d] < shape[d]) {
                break;
            }
            place -= strides[d] * static_cast<std::int64_t>(shape[d]);
            index[d] = 0;
        }
    }
    return result;
}

LoopOf::LoopOf(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
        loop_.inputs.push_back({part.tensor.type, part.tensor.shape});
    }
}

std::size_t LoopOf::step(Op op,
                         std::vector<std::size_t> inputs,
                         host::Shape shape,
                         DataType type,
                         std::vector<double> constants,
                         std::vector<std::size_t> axes) {
    loop_.steps.push_back({.op = op,
                           .inputs = std::move(inputs),
                           .result = {type, std::move(shape)},
                           .axes = std::move(axes),
                           .constants = std::move(constants),
                           .label = {}});
    return loop_.inputs.size() + loop_.steps.size() - 1;
}

const loops::Loop& LoopOf::outputs(std::vector<std::size_t> values) {
    loop_.outputs = std::move(values);
    return loop_;
}

Part Steps::operand(std::size_t index) const {
    return {.tensor = with_.input(index), .value = index};
}

Part Steps::table(DataType type, host::Shape shape, std::vector<double> values) {
    return {.tensor = constant(type, std::move(shape), std::move(values)), .value = std::nullopt};
}

Part Steps::section(const Part& part, std::uint64_t begin, host::Shape shape) {
    Part result = part;
    result.tensor.shape = std::move(shape);
    check(begin + result.tensor.count() <= part.tensor.count(), "a section beyond the part's end");
    if (part.known()) {
        const auto first = part.tensor.values->begin() + static_cast<std::ptrdiff_t>(begin);
        return table(part.tensor.type,
                     result.tensor.shape,
                     {first, first + static_cast<std::ptrdiff_t>(result.tensor.count())});
    }
    result.begin += begin;
    result.tensor.given = nullptr;
    return result;
}

Part Steps::seen(const Part& part, host::Shape shape) {
    Part result = part;
    result.tensor.shape = std::move(shape);
    if (result.tensor.count() != part.tensor.count()) {
        throw Refused{"{} cannot be seen as {}", part.tensor.text(), host::text(result.tensor.shape)};
    }
    return result;
}

std::vector<Part> Steps::run(Task task, const std::vector<Part>& reads, std::vector<Tensor> makes) {
    for (const Part& part : reads) {
        task.reads.push_back({part.value, part.tensor, part.begin});
    }
    std::vector<Part> results;
    for (Tensor& tensor : makes) {
        tensor.values = nullptr;
        tensor.given = nullptr;
        results.push_back({.tensor = tensor, .value = values_++});
    }
    task.makes = std::move(makes);
    tasks_.push_back(std::move(task));
    return results;
}

std::vector<Part> Steps::run(const loops::Loop& loop, const std::vector<Part>& reads) {
    std::vector<Tensor> makes;
    for (const std::size_t output : loop.outputs) {
        const loops::Value& value = output < loop.inputs.size()
                                        ? loop.inputs[output]
                                        : loop.steps[output - loop.inputs.size()].result;
        makes.push_back({.type = value.type, .shape = value.shape, .values = {}});
    }
    const bool empty = std::ranges::all_of(makes, [](const Tensor& tensor) { return tensor.count() == 0; });
    if (empty || std::ranges::all_of(reads, &Part::known)) {
        std::vector<std::vector<double>> inputs;
        for (const Part& part : reads) {
            inputs.push_back(part.known() ? *part.tensor.values : std::vector<double>(part.tensor.count()));
        }
        const std::vector<std::vector<double>> outputs = loops::evaluate(loop, inputs);
        std::vector<Part> results;
        for (std::size_t i = 0; i < makes.size(); ++i) {
            results.push_back(table(makes[i].type, makes[i].shape, outputs[i]));
        }
        return results;
    }
    try {
        static_cast<void>(loops::generate(loop, *with_.chip));
    } catch (const loops::CannotGenerate& error) {
        using loops::Reason;
        if (error.reason() == Reason::ragged_rows && !copies_bytes()) {
            return run_in_blocks(loop, reads);
        }
        if (error.reason() != Reason::element_type && error.reason() != Reason::operator_type) {
            throw;
        }
        return on_host([loop](const auto& operands) { return loops::evaluate(loop, operands); },
                       reads,
                       std::move(makes));
    }
    return run(Task{.kernel = {}, .knobs = {}, .loop = std::make_shared<const loops::Loop>(loop)},
               reads,
               std::move(makes));
}

std::vector<Part> Steps::on_host(HostFunction function,
                                 const std::vector<Part>& reads,
                                 std::vector<Tensor> makes) {
    if (std::ranges::all_of(reads, &Part::known)) {
        std::vector<std::vector<double>> operands;
        for (const Part& part : reads) {
            operands.push_back(*part.tensor.values);
        }
        std::vector<std::vector<double>> made = function(operands);
        std::vector<Part> results;
        for (std::size_t i = 0; i < makes.size(); ++i) {
            results.push_back(table(makes[i].type, makes[i].shape, std::move(made.at(i))));
        }
        return results;
    }
    return run(Task{.kernel = {}, .knobs = {}, .timed = false, .on_host = std::move(function)},
               reads,
               std::move(makes));
}

bool Steps::shipped(Op op, const std::vector<Part>& parts, const host::Shape& shape, DataType type) const {
    return shipped_ops().contains(op) && is_real(type) && type != DataType::float64 &&
           host::elements(shape) != 0 && parts[0].tensor.shape == shape &&
           std::ranges::all_of(parts, [&](const Part& part) {
               const bool lies_well =
                   copies_bytes() || part.tensor.shape == shape || part.tensor.count() == 1;
               return lies_well && part.tensor.type == type && spreads_simply(part.tensor.shape, shape);
           });
}

Part Steps::element(Op op,
                    const std::vector<Part>& parts,
                    std::vector<double> constants,
                    std::optional<DataType> type) {
    const DataType out = type.value_or(truth(op) ? DataType::boolean : parts.back().tensor.type);
    host::Shape shape;
    for (const Part& part : parts) {
        shape = broadcast(shape, part.tensor.shape);
    }
    const bool turned = parts.size() == 2 && (op == Op::add || op == Op::mul) &&
                        parts[0].tensor.shape != shape && parts[1].tensor.shape == shape;
    const std::vector<Part> operands = turned ? std::vector{parts[1], parts[0]} : parts;
    LoopOf loop{operands};
    std::vector<std::size_t> inputs(operands.size());
    std::iota(inputs.begin(), inputs.end(), 0);
    const std::size_t value = loop.step(op, inputs, shape, out, constants);
    const loops::Loop& whole = loop.outputs({value});
    if (!std::ranges::all_of(operands, &Part::known) && shipped(op, operands, shape, out)) {
        Task task = elementwise(shipped_ops().at(op), shape, operands);
        task.equal = std::make_shared<const loops::Loop>(whole);
        for (std::size_t i = 0; i < constants.size(); ++i) {
            task.knobs.emplace_back(fmt::format("p{}", i), constants[i]);
        }
        return run(std::move(task), operands, {{.type = out, .shape = shape, .values = {}}})[0];
    }
    return run(whole, operands)[0];
}

Part Steps::cast(const Part& part, DataType type) {
    return part.tensor.type == type ? part : element(Op::cast, {part}, {}, type);
}

Part Steps::reduce(Op op, const Part& part, std::vector<std::size_t> axes) {
    std::ranges::sort(axes);
    const host::Shape shape = kept(part.tensor.shape, axes);
    if (host::elements(shape) == part.tensor.count()) {
        return seen(part, shape);
    }
    const auto one = [&](const Part& x, const std::vector<std::size_t>& over) {
        LoopOf loop{{x}};
        const std::size_t value = loop.step(op, {0}, kept(x.tensor.shape, over), x.tensor.type, {}, over);
        return run(loop.outputs({value}), {x})[0];
    };
    if (!copies_bytes() && !part.known() && !reduces_whole_rows(part, axes)) {
        return reduced_in_blocks(*this, op, part, axes);
    }
    try {
        return one(part, axes);
    } catch (const loops::CannotGenerate&) {  // then as rows of what is reduced
        host::Shape order;
        std::uint64_t columns = 1;
        for (std::size_t i = 0; i < part.tensor.shape.size(); ++i) {
            if (std::ranges::find(axes, i) == axes.end()) {
                order.push_back(i);
            }
        }
        for (const std::size_t axis : axes) {
            order.push_back(axis);
            columns *= part.tensor.shape[axis];
        }
        const Part rows = seen(transposed(part, order), {host::elements(shape), columns});
        return seen(one(rows, {1}), shape);
    }
}

Part Steps::gathered(const Part& part, const host::Shape& shape, const std::vector<std::int64_t>& from) {
    const std::uint64_t words = isa::bits(part.tensor.type) == 64 ? 2 : 1;
    std::vector<double> index;
    index.reserve(from.size() * words);
    for (const std::int64_t place : from) {
        for (std::uint64_t word = 0; word < words; ++word) {
            index.push_back(static_cast<double>(place) * static_cast<double>(words) +
                            static_cast<double>(word));
        }
    }
    const bool wide = isa::bits(part.tensor.type) >= 32;
    const host::Shape count{index.size()};
    return run(
        {.kernel = "index_elements",
         .knobs = {{"shape", host::Shape{part.tensor.count() * words}},
                   {"index", count},
                   {"axis", std::int64_t{0}},
                   {"schedule", std::string{part.tensor.bytes() > most_table_bytes ? "scalar" : "vector"}},
                   {"dtype", std::string{wide ? "float32" : "float16"}}}},
        {part, table(DataType::int32, count, std::move(index))},
        {{.type = part.tensor.type, .shape = shape, .values = {}}})[0];
}

Part Steps::moved(const Part& part, const host::Shape& shape, const std::vector<std::int64_t>& from) {
    check(from.size() == host::elements(shape), "an index of another size than its result");
    if (part.known() || from.empty()) {
        std::vector<double> values(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            values[i] = from[i] < 0 ? 0 : part.tensor.values->at(static_cast<std::size_t>(from[i]));
        }
        return table(part.tensor.type, shape, std::move(values));
    }
    std::int64_t next = 0;
    if (from.size() == part.tensor.count() &&
        std::ranges::all_of(from, [&next](std::int64_t place) { return place == next++; })) {
        return seen(part, shape);
    }
    if (!copies_bytes()) {
        return copied({part}, shape, by_places(from.size(), [from](std::uint64_t i) { return from[i]; }));
    }
    if (isa::bits(part.tensor.type) == 8) {  // no byte is gathered; a half holds each
        return cast(moved(cast(part, DataType::half), shape, from), part.tensor.type);
    }
    if (std::ranges::find(from, -1) == from.end()) {
        return gathered(part, shape, from);
    }
    const std::uint64_t zero = part.tensor.count();
    const Part longer = run({.kernel = "rearrange",
                             .knobs = {{"kind", std::string{"pad"}},
                                       {"shape", host::Shape{zero}},
                                       {"begin", host::Shape{0}},
                                       {"out", host::Shape{zero + 1}},
                                       {"dtype", std::string{moved_word(part.tensor.type)}}}},
                            {part},
                            {{.type = part.tensor.type, .shape = {zero + 1}, .values = {}}})[0];
    std::vector<std::int64_t> places = from;
    std::ranges::replace(places, -1, static_cast<std::int64_t>(zero));
    return gathered(longer, shape, places);
}

Part Steps::transposed(const Part& part, const host::Shape& order) {
    host::Shape shape;
    host::Shape far;  // axes of more than one element: if they stay in order, nothing moves
    for (const std::uint64_t axis : order) {
        shape.push_back(part.tensor.shape[axis]);
        if (shape.back() != 1) {
            far.push_back(axis);
        }
    }
    if (std::ranges::is_sorted(far)) {
        return seen(part, shape);
    }
    constexpr std::uint64_t small = 4096;  // elements; beyond, whole tiles are transposed
    const DataType type = part.tensor.type;
    if (!part.known() && !copies_bytes()) {
        return transposed_in_blocks(part, order, shape);
    }
    if (!part.known() && part.tensor.count() > small && isa::bits(type) < 64) {
        return run(
            {.kernel = "transpose",
             .knobs = {{"shape", part.tensor.shape}, {"perm", order}, {"dtype", type_word(type, true)}}},
            {part},
            {{.type = type, .shape = shape, .values = {}}})[0];
    }
    const std::vector<std::int64_t> own = strides_of(part.tensor.shape);
    std::vector<std::int64_t> strides;
    for (const std::uint64_t axis : order) {
        strides.push_back(own[axis]);
    }
    return moved(part, shape, places(shape, strides));
}

Part Steps::spread(const Part& part, const host::Shape& shape) {
    if (host::elements(shape) == part.tensor.count()) {
        return seen(part, shape);
    }
    const bool whole_rows = shape.empty() || shape.back() * isa::bits(part.tensor.type) % 256 == 0;
    if ((isa::bits(part.tensor.type) == 64 || !(copies_bytes() || whole_rows)) && !part.known()) {
        const host::Shape whole = with_ones_before(part.tensor.shape, shape.size());
        std::vector<std::int64_t> strides = strides_of(whole);
        for (std::size_t i = 0; i < strides.size(); ++i) {
            strides[i] = whole[i] == 1 ? 0 : strides[i];
        }
        return moved(part, shape, places(shape, strides));
    }
    LoopOf loop{{part}};
    const std::size_t value = loop.step(Op::broadcast, {0}, shape, part.tensor.type);
    const std::size_t copy = loop.step(Op::copy, {value}, shape, part.tensor.type);
    return run(loop.outputs({copy}), {part})[0];
}

Lowered Steps::done(const std::vector<Part>& results, std::string note) {
    if (!note_.empty()) {
        note = note.empty() ? note_ : fmt::format("{}; {}", note, note_);
    }
    Lowered lowered{.outputs = {}, .tasks = std::move(tasks_), .note = std::move(note)};
    for (const Part& part : results) {
        lowered.outputs.push_back(part.tensor);
        lowered.made.push_back(part.value.value_or(0));
    }
    return lowered;
}

}  // namespace ascendsim::networks
