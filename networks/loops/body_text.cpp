// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/body_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

constexpr std::array<std::string_view, 5> round_modes{
    "CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC"};
constexpr std::array<std::string_view, 6> compare_modes{"LT", "GT", "EQ", "LE", "GE", "NE"};

std::string literal(double value, DataType type) {
    if (type == DataType::int32) {
        return fmt::format("{}", static_cast<std::int64_t>(value));
    }
    if (std::isnan(value)) {
        return "0.0f / 0.0f";
    }
    const double largest = 3.4028234663852886e38;
    std::string text = fmt::format("{}", static_cast<float>(std::clamp(value, -largest, largest)));
    text += text.find_first_of(".e") == std::string::npos ? ".0" : "";
    return text + "f";
}

std::string operation_of(Code code) {
    switch (code) {
        case Code::add:
        case Code::reduce_sum:
            return "Add";
        case Code::sub:
            return "Sub";
        case Code::mul:
            return "Mul";
        case Code::div:
            return "Div";
        case Code::max:
        case Code::reduce_max:
            return "Max";
        case Code::min:
        case Code::reduce_min:
            return "Min";
        case Code::bit_and:
            return "And";
        case Code::bit_or:
            return "Or";
        case Code::adds:
            return "Adds";
        case Code::muls:
            return "Muls";
        case Code::maxs:
            return "Maxs";
        case Code::mins:
            return "Mins";
        case Code::shift_left:
            return "ShiftLeft";
        case Code::shift_right:
            return "ShiftRight";
        case Code::exp:
            return "Exp";
        case Code::ln:
            return "Ln";
        case Code::sqrt:
            return "Sqrt";
        case Code::abs:
            return "Abs";
        case Code::relu:
            return "Relu";
        default:
            throw InternalError{"no instruction"};
    }
}

}  // namespace

std::string type_name(DataType type) {
    switch (type) {
        case DataType::half:
            return "half";
        case DataType::bfloat16:
            return "bfloat16_t";
        case DataType::float32:
            return "float";
        case DataType::boolean:
            return "uint8_t";
        default:
            return std::string{isa::name(type)} + "_t";
    }
}

std::string BodyWriter::number(double value) {
    return literal(value, DataType::float32);
}

std::string BodyWriter::name(Place place, DataType type) {
    constexpr std::array<std::string_view, 8> letters{
        "tile", "row", "column", "blocks", "number", "fold", "x", "y"};
    const bool stored = place.kind >= Kind::input && type == DataType::boolean;  // in a byte
    used_.insert({place, stored ? DataType::uint8 : type});
    const bool own = type == DataType::float32 || place.kind >= Kind::input;
    const std::string suffix = own                         ? ""
                               : type == DataType::int32   ? "_int"
                               : type == DataType::boolean ? "_bits"
                                                           : "_" + std::string{isa::name(type)};
    return fmt::format("{}{}{}{}",
                       letters.at(static_cast<std::size_t>(place.kind)),
                       place.kind < Kind::input ? "_" : "",
                       place.index,
                       suffix);
}

std::string BodyWriter::ref(const Body& body, std::size_t node) {
    if (program_.nodes[node].code == Code::load && !body.places.contains(node) &&
        !schedule_.pinned.contains(node)) {
        return "raw";  // converted as it comes
    }
    return name(schedule_.place(body, node), program_.nodes[node].type);
}

std::string BodyWriter::count(Form form) const {
    return form.dense() ? "n" : form.width ? "pitch" : form.rows ? "rows8" : "8";
}

std::string BodyWriter::along(const Node& node, Form in) const {
    if (node.form == in) {
        return in.rows && in.width && !space_.flat ? "Along{pitch / 8, 1}" : "Along{0, 1}";
    }
    return node.form.width ? "Along{0, 1}" : node.form.rows ? "Along{1, 0}" : "Along{0, 0}";
}

std::string BodyWriter::scalar(const Node& node) const {
    return node.scalar == mean_factor ? "t.mean_factor"
                                      : literal(node.scalar, program_.nodes[node.operands.at(0)].type);
}

void BodyWriter::barrier() {
    text_ += "        PipeBarrier<PIPE_V>();\n";
    read_.clear();
    written_.clear();
}

void BodyWriter::line(const std::string& text, const std::set<Place>& reads, const std::set<Place>& writes) {
    const auto any = [](const std::set<Place>& a, const std::set<Place>& b) {
        return std::ranges::any_of(a, [&b](Place place) { return b.contains(place); });
    };
    if (any(reads, written_) || any(writes, written_) || any(writes, read_)) {
        barrier();
    }
    read_.insert(reads.begin(), reads.end());
    written_.insert(writes.begin(), writes.end());
    text_ += "        " + text + "\n";
}

void BodyWriter::need(const std::string& operation) {
    if (std::ranges::find(needs_.operations, operation) == needs_.operations.end()) {
        needs_.operations.push_back(operation);
    }
}

void BodyWriter::comment(std::size_t node) {
    const std::optional<std::size_t> step = program_.nodes[node].step;
    if (!step || step == step_) {
        return;
    }
    step_ = step;
    const Step& of = loop_.steps[*step];
    text_ += fmt::format(
        "        // {}{}\n", loops::name(of.op), of.label.empty() ? "" : fmt::format(": {}", of.label));
}

void BodyWriter::emit_binary(const Body& body, std::size_t id) {
    const Node& node = program_.nodes[id];
    const Node& a = program_.nodes[node.operands[0]];
    const Node& b = program_.nodes[node.operands[1]];
    const std::string to = ref(body, id);
    const std::string left = ref(body, node.operands[0]);
    const std::string right = ref(body, node.operands[1]);
    const std::set<Place> reads{schedule_.place(body, node.operands[0]),
                                schedule_.place(body, node.operands[1])};
    const std::set<Place> writes{schedule_.place(body, id)};
    const std::string what = operation_of(node.code);
    if (node.code == Code::bit_and || node.code == Code::bit_or) {
        line(fmt::format("{0}({1}.ReinterpretCast<uint16_t>(), {2}.ReinterpretCast<uint16_t>(), "
                         "{3}.ReinterpretCast<uint16_t>(), 2 * {4});",
                         what,
                         to,
                         left,
                         right,
                         count(node.form)),
             reads,
             writes);
        return;
    }
    if (a.form == node.form && b.form == node.form) {
        line(fmt::format("{}({}, {}, {}, {});", what, to, left, right, count(node.form)), reads, writes);
        return;
    }
    needs_.combine = true;
    need(what);
    const bool many = node.form.rows && node.form.width && !space_.flat;
    const std::string width = many ? "pitch" : count(node.form);
    line(fmt::format("Combine<{}Tiles>({}, {}, {}, {}, {}, {}, {}, {});",
                     what,
                     to,
                     left,
                     along(a, node.form),
                     right,
                     along(b, node.form),
                     many ? "rows" : "1",
                     width,
                     width),
         reads,
         writes);
}

std::string BodyWriter::constant(double value) const {
    const auto found = std::ranges::find(program_.constants, value);
    return fmt::format("Constant({})", found - program_.constants.begin());
}

/// In the place of a factor, as FusedMulAdd computes; else by two instructions.
void BodyWriter::emit_multiply_add(const Body& body, std::size_t id) {
    const Node& node = program_.nodes[id];
    const Place from = schedule_.place(body, node.operands[0]);
    const Place to = schedule_.place(body, id);
    const bool tiles = node.operands.size() == 2;
    std::set<Place> reads{from};
    if (tiles) {
        reads.insert(schedule_.place(body, node.operands[1]));
    }
    const std::string target = ref(body, id);
    const std::string x = ref(body, node.operands[0]);
    const std::string n = count(node.form);
    if (from == to) {
        needs_.multiply_add = true;
        line(fmt::format("MultiplyAdd({}, {}, {}, {}, {});",
                         target,
                         tiles ? ref(body, node.operands[1]) : constant(node.scalar),
                         tiles ? "1" : "0",
                         constant(node.addend),
                         n),
             reads,
             {to});
        return;
    }
    line(tiles ? fmt::format("Mul({}, {}, {}, {});", target, x, ref(body, node.operands[1]), n)
               : fmt::format("Muls({}, {}, {}, {});", target, x, literal(node.scalar, node.type), n),
         reads,
         {to});
    line(fmt::format("Adds({0}, {0}, {1}, {2});", target, literal(node.addend, node.type), n), {to}, {to});
}

void BodyWriter::emit_expand(const Body& body, std::size_t id) {
    const Node& node = program_.nodes[id];
    const Node& from = program_.nodes[node.operands[0]];
    needs_.expand = true;
    const bool many = node.form.rows && node.form.width && !space_.flat;
    line(fmt::format("Expand({}, {}, {}, {}, {});",
                     ref(body, id),
                     ref(body, node.operands[0]),
                     along(from, node.form),
                     many ? "rows" : "1",
                     many ? "pitch" : count(node.form)),
         {schedule_.place(body, node.operands[0])},
         {schedule_.place(body, id)});
}

void BodyWriter::emit_store(const Body& body, std::size_t id) {
    const Node& node = program_.nodes[id];
    const Place from = schedule_.place(body, node.operands[0]);
    const Place to{Kind::output, node.tensor};
    const std::string target = name(to, node.type);
    if (from == to) {
        return;
    }
    const std::string source = ref(body, node.operands[0]);
    const std::uint64_t block = 256 / isa::bits(node.type);
    line(fmt::format("DataCopy({0}, {1}, ({2} + {3}) / {4} * {4});",
                     target,
                     source,
                     count(node.form),
                     block - 1,
                     block),
         {from},
         {to});
}

void BodyWriter::emit_reduction(const Body& body, std::size_t id, bool accumulates) {
    const Node& node = program_.nodes[id];
    const std::size_t operand = node.operands[0];
    const Form from = program_.nodes[operand].form;
    const std::string what = operation_of(node.code);
    const Place result = schedule_.place(body, id);
    const Place made = accumulates ? body.partial.at(id) : result;
    std::set<Place> reads{schedule_.place(body, operand)};
    const bool along_rows = from.rows && !node.form.rows && !space_.flat && space_.rows().extent > 1;
    const bool along_width = from.width && !node.form.width;
    std::string source = ref(body, operand);
    need(what);
    if (along_rows && from.width) {
        needs_.reduce_rows = true;
        const Place scratch = body.scratch.at(id);
        const std::string work = name(scratch, DataType::float32);
        const std::string to = along_width || accumulates ? work : ref(body, id);
        const std::set<Place> writes{scratch, made};
        line(fmt::format("ReduceRows<{}Tiles>({}, {}, {}, rows, pitch);", what, to, source, work),
             reads,
             writes);
        source = to;
        reads = writes;
    }
    if (along_width || (along_rows && !from.width)) {
        needs_.reduce_width = true;
        const bool many = from.rows && from.width && !along_rows && !space_.flat;
        const Place fold = body.folds.at(id);
        const std::string to = accumulates ? name(made, DataType::float32) : ref(body, id);
        std::set<Place> writes{fold, made};
        writes.insert(reads.begin(), reads.end());  // the ends of rows
        line(fmt::format("ReduceWidth<{}Tiles>({}, {}, {}, {}, {}, {});",
                         what,
                         to,
                         source,
                         name(fold, DataType::float32),
                         many ? "rows" : "1",
                         from.width ? "piece.width" : "rows",
                         from.width ? "pitch" : "ColumnSize()"),
             reads,
             writes);
        source = to;
        reads = {made};
    }
    if (accumulates) {
        const std::string length = node.form.scalar()                   ? "1"
                                   : node.form.rows && !node.form.width ? "rows"
                                                                        : count(node.form);
        line(fmt::format("{0}({1}, {1}, {2}, {3});", what, ref(body, id), source, length), reads, {result});
    }
}

std::string BodyWriter::simple(const Body& body, std::size_t id) {
    const Node& node = program_.nodes[id];
    const std::string to = ref(body, id);
    const std::string n = count(node.form);
    const auto operand = [&](std::size_t i) { return ref(body, node.operands[i]); };
    switch (node.code) {
        case Code::duplicate:
            return fmt::format("Duplicate({}, {}, {});", to, literal(node.scalar, node.type), n);
        case Code::convert:
        case Code::round:
            return fmt::format(
                "Cast({}, {}, RoundMode::{}, {});", to, operand(0), round_modes.at(node.mode), n);
        case Code::compare:
            return fmt::format("Compare({}, {}, {}, CMPMODE::{}, {});",
                               to,
                               operand(0),
                               operand(1),
                               compare_modes.at(node.mode),
                               n);
        case Code::compare_scalar:
            return fmt::format("CompareScalar({}, {}, {}, CMPMODE::{}, {});",
                               to,
                               operand(0),
                               scalar(node),
                               compare_modes.at(node.mode),
                               n);
        case Code::select:
            if (node.type == DataType::int32) {
                return fmt::format(
                    "Select({}.ReinterpretCast<float>(), {}, {}.ReinterpretCast<float>(), "
                    "{}.ReinterpretCast<float>(), SELMODE::VSEL_TENSOR_TENSOR_MODE, {});",
                    to,
                    operand(0),
                    operand(1),
                    operand(2),
                    n);
            }
            return fmt::format("Select({}, {}, {}, {}, SELMODE::VSEL_TENSOR_TENSOR_MODE, {});",
                               to,
                               operand(0),
                               operand(1),
                               operand(2),
                               n);
        case Code::select_scalar:
            return fmt::format("Select({}, {}, {}, {}, SELMODE::VSEL_TENSOR_SCALAR_MODE, {});",
                               to,
                               operand(0),
                               operand(1),
                               literal(node.scalar, node.type),
                               n);
        case Code::spread:
            return fmt::format("Brcb({}, {}, static_cast<uint8_t>({}), BrcbRepeatParams(1, 8));",
                               to,
                               operand(0),
                               node.form.rows ? "rows8 / 8" : "1");
        case Code::adds:
        case Code::muls:
        case Code::maxs:
        case Code::mins:
        case Code::shift_left:
        case Code::shift_right:
            return fmt::format(
                "{}({}, {}, {}, {});", operation_of(node.code), to, operand(0), scalar(node), n);
        default:
            return fmt::format("{}({}, {}, {});", operation_of(node.code), to, operand(0), n);
    }
}

void BodyWriter::emit(const Body& body, std::size_t id, bool accumulates) {
    const Node& node = program_.nodes[id];
    if (node.code == Code::load) {
        static_cast<void>(name({Kind::input, node.tensor}, node.type));
        return;
    }
    comment(id);
    if (node.code == Code::store) {
        return emit_store(body, id);
    }
    if (node.code >= Code::reduce_sum) {
        return emit_reduction(body, id, accumulates);
    }
    if (node.code == Code::expand) {
        return emit_expand(body, id);
    }
    if (node.code >= Code::add && node.code <= Code::bit_or) {
        return emit_binary(body, id);
    }
    if (node.code == Code::multiply_add) {
        return emit_multiply_add(body, id);
    }
    std::set<Place> reads;
    for (const std::size_t operand : node.operands) {
        reads.insert(schedule_.place(body, operand));
    }
    line(simple(body, id), reads, {schedule_.place(body, id)});
}

std::string BodyWriter::declarations() const {
    constexpr std::array<std::string_view, 6> makers{"Tile", "Row", "Column", "Blocks", "Number", "Fold"};
    std::string text;
    for (const auto& [place, type] : used_) {
        if (place.kind == Kind::input || place.kind == Kind::output) {
            const bool in = place.kind == Kind::input;
            text += fmt::format(
                "        const LocalTensor<{0}> {1}{2} = {3}[t.{1}{2}_place].template "
                "ReinterpretCast<{0}>();\n",
                type_name(type),
                in ? "x" : "y",
                place.index,
                in ? "in" : "out");
            continue;
        }
        BodyWriter copy{*this};
        text += fmt::format("        const LocalTensor<{0}> {1} = {2}<{0}>({3});\n",
                            type_name(type),
                            copy.name(place, type),
                            makers.at(static_cast<std::size_t>(place.kind)),
                            place.index);
    }
    return text;
}

std::string BodyWriter::text(const Body& body, bool accumulates) {
    text_.clear();
    used_.clear();
    read_.clear();
    written_.clear();
    step_.reset();
    for (const std::size_t node : body.nodes) {
        emit(body, node, accumulates);
    }
    return declarations() + "        PipeBarrier<PIPE_V>();\n" + text_;
}

std::string BodyWriter::held_text(std::size_t load) {
    static const Body none;
    text_.clear();
    used_.clear();
    read_.clear();
    written_.clear();
    const Node& node = program_.nodes[load];
    if (const auto place = schedule_.pinned.find(load); place != schedule_.pinned.end()) {
        line(fmt::format("DataCopy({}, raw, count);", name(place->second, node.type)), {}, {place->second});
    }
    std::set<std::size_t> group{load};
    for (const std::size_t other : schedule_.held) {
        const Node& next = program_.nodes[other];
        if (next.code == Code::convert && group.contains(next.operands[0])) {
            group.insert(other);
            std::set<Place> reads;
            if (const auto place = schedule_.pinned.find(next.operands[0]); place != schedule_.pinned.end()) {
                reads.insert(place->second);
            }
            line(simple(none, other), reads, {schedule_.pinned.at(other)});
        }
    }
    return declarations() + "        PipeBarrier<PIPE_V>();\n" + text_;
}

std::string BodyWriter::reset_text(const Body& pass) {
    text_.clear();
    used_.clear();
    for (const std::size_t id : pass.nodes) {
        const Node& node = program_.nodes[id];
        if (node.code >= Code::reduce_sum) {
            const double start = node.code == Code::reduce_sum   ? 0
                                 : node.code == Code::reduce_max ? -HUGE_VAL
                                                                 : HUGE_VAL;
            text_ += fmt::format("        Duplicate({}, {}, {});\n",
                                 ref(pass, id),
                                 literal(start, DataType::float32),
                                 count(node.form));
        }
    }
    return declarations() + "        PipeBarrier<PIPE_V>();\n" + text_;
}

}  // namespace ascendsim::networks::loops
