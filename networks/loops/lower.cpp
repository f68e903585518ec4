// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/lower.hpp"

#include <algorithm>

#include "networks/loops/axis_classes.hpp"
#include "networks/loops/elementary.hpp"
#include "networks/loops/functions.hpp"
#include "networks/loops/multiply_add.hpp"
#include "networks/loops/whole_numbers.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

Comparison comparison_of(Op op) {
    switch (op) {
        case Op::less:
            return Comparison::lt;
        case Op::less_equal:
            return Comparison::le;
        case Op::greater:
            return Comparison::gt;
        case Op::greater_equal:
            return Comparison::ge;
        case Op::not_equal:
            return Comparison::ne;
        default:
            return Comparison::eq;
    }
}

/// Lowers one loop, step by step.
class Lowering {
public:
    Lowering(const Loop& loop, const Space& space) : loop_{loop}, space_{space}, b_{space} {}

    Program run() && {
        numbers_.resize(loop_.inputs.size() + loop_.steps.size());
        for (std::size_t i = 0; i < loop_.steps.size(); ++i) {
            const Step& step = loop_.steps[i];
            b_.set_step(i);
            if (!is_view(step.op)) {
                numbers_[loop_.inputs.size() + i] = lowered(step);
            }
        }
        for (std::size_t i = 0; i < loop_.outputs.size(); ++i) {
            store(i);
        }
        return std::move(b_).result();
    }

private:
    /// A value in the type of the arithmetic.
    Number operand(std::size_t value) {
        const ValueInSpace& in_space = space_.values[value];
        if (in_space.same) {
            return operand(*in_space.same);
        }
        if (numbers_[value]) {
            return *numbers_[value];
        }
        const DataType type = value_of(loop_, value).type;
        const Number raw = b_.load(*in_space.read, type, in_space.form, in_space.kept);
        numbers_[value] = widened(raw, type);
        return *numbers_[value];
    }

    Number widened(Number raw, DataType type) {
        switch (type) {
            case DataType::float32:
            case DataType::int32:
                return raw;
            case DataType::half:
            case DataType::bfloat16:
            case DataType::int16:
                return b_.converted(raw, DataType::float32, Rounding::none);
            case DataType::int8:
            case DataType::uint8:
            case DataType::boolean: {
                const Number halves = b_.converted(raw, DataType::half, Rounding::none);
                return b_.converted(halves, DataType::float32, Rounding::none);
            }
            case DataType::int64:
                return b_.converted(raw, DataType::float32, Rounding::rint);
            default:
                throw CannotGenerate{Reason::element_type, std::string{isa::name(type)}};
        }
    }

    [[noreturn]] static void refuse(const Step& step, DataType type) {
        throw CannotGenerate{Reason::operator_type, fmt::format("{} of {}", name(step.op), isa::name(type))};
    }

    DataType operand_type(const Step& step) const {
        return step.inputs.empty() ? step.result.type : value_of(loop_, step.inputs.back()).type;
    }

    Number lowered(const Step& step) {
        const DataType type = operand_type(step);
        if (type == DataType::int64 && step.op != Op::cast && step.op != Op::copy) {
            refuse(step, type);
        }
        if (step.op == Op::constant) {
            return {0, step.constants.at(0)};
        }
        if (is_reduction(step.op)) {
            return reduction(step, type);
        }
        const std::size_t operands = step.inputs.size();
        const Number a = operand(step.inputs[0]);
        if (operands == 1) {
            return a.literal ? folded(step, *a.literal) : wrapped_for(step, one_operand(step, a, type));
        }
        const Number b = operand(step.inputs[1]);
        if (operands == 3) {
            return where(a, b, operand(step.inputs[2]));
        }
        if (a.literal && b.literal) {
            return {0, in_type(apply(step, {*a.literal, *b.literal, 0}, type), step.result.type)};
        }
        return wrapped_for(step, two_operands(step, a, b, type));
    }

    static Number folded(const Step& step, double x) {
        return {0, in_type(apply(step, {x, 0, 0}, DataType::float32), step.result.type)};
    }

    Number wrapped_for(const Step& step, Number x) {
        const bool grows = step.op == Op::add || step.op == Op::sub || step.op == Op::mul ||
                           step.op == Op::neg || step.op == Op::square || step.op == Op::div ||
                           step.op == Op::scale || step.op == Op::pow || step.op == Op::abs;
        const DataType type = step.result.type;
        const bool is_short = is_integer(type) && isa::bits(type) < 32;
        return grows && is_short && !x.literal ? wrapped(b_, x, type) : x;
    }

    Number reduction(const Step& step, DataType type) {
        if (step.op == Op::reduce_prod || (is_integer(type) && isa::bits(type) > 16)) {
            refuse(step, type);
        }
        Number x = operand(step.inputs[0]);
        if (x.literal) {
            refuse(step, type);
        }
        if (value_of(loop_, step.inputs[0]).shape == step.result.shape) {
            return x;
        }
        const Code code = step.op == Op::reduce_max   ? Code::reduce_max
                          : step.op == Op::reduce_min ? Code::reduce_min
                                                      : Code::reduce_sum;
        if (b_.at(x).phase > 0 && b_.at(x).kept) {
            throw CannotGenerate{Reason::reduced_twice,
                                 step.label.empty() ? std::string{name(step.op)} : step.label};
        }
        x = b_.reduced(code, x);
        return step.op == Op::reduce_mean ? b_.with_scalar(Code::muls, x, mean_factor) : x;
    }

    Number one_operand(const Step& step, Number x, DataType type) {
        const bool whole = b_.at(x).type == DataType::int32;
        switch (step.op) {
            case Op::copy:
                return x;
            case Op::cast:
                return cast(step, x, type);
            case Op::neg:
                return b_.with_scalar(Code::muls, x, -1);
            case Op::abs:
                return whole ? b_.max(x, b_.with_scalar(Code::muls, x, -1)) : b_.unary(Code::abs, x);
            case Op::sign:
                return sign_of(b_, x);
            case Op::square:
                return b_.mul(x, x);
            case Op::clip:
                return clipped(step, x);
            case Op::scale:
                return b_.add(b_.mul(x, {0, step.constants.at(0)}), {0, step.constants.at(1)});
            case Op::logical_not:
                return b_.truth(b_.compare(Comparison::eq, x, {0, 0.0}));
            case Op::relu:
                return whole ? b_.max(x, {0, 0.0}) : function_of(b_, step, x);
            case Op::bit_not:
                return bits_of_one(b_, x, type);
            default:
                break;
        }
        if (whole) {
            refuse(step, type);
        }
        return function_of(b_, step, x);
    }

    Number clipped(const Step& step, Number x) {
        constexpr double far = 3e38;
        const double low = step.constants.at(0);
        const double high = step.constants.at(1);
        const Number above = low < -far ? x : b_.max(x, {0, low});
        return high > far ? above : b_.min(above, {0, high});
    }

    Number cast(const Step& step, Number x, DataType from) {
        const DataType to = step.result.type;
        if (to == DataType::boolean) {
            return from == DataType::boolean ? x : b_.truth(b_.compare(Comparison::ne, x, {0, 0.0}));
        }
        if (to == DataType::int32 || to == DataType::int64) {
            return b_.converted(x, DataType::int32, Rounding::trunc);
        }
        if (b_.at(x).type == DataType::int32) {
            const Number floats = b_.converted(x, DataType::float32, Rounding::rint);
            return is_integer(to) ? wrapped(b_, floats, to) : floats;
        }
        if (is_integer(to)) {
            const Number whole =
                is_integer(from) || from == DataType::boolean ? x : b_.rounded(x, Rounding::trunc);
            return is_integer(from) ? wrapped(b_, whole, to) : whole;
        }
        return x;
    }

    Number two_operands(const Step& step, Number a, Number b, DataType type) {
        switch (step.op) {
            case Op::add:
                return b_.add(a, b);
            case Op::sub:
                return b_.sub(a, b);
            case Op::mul:
                return type == DataType::int16 ? short_product(b_, a, b) : b_.mul(a, b);
            case Op::maximum:
                return b_.max(a, b);
            case Op::minimum:
                return b_.min(a, b);
            case Op::logical_and:
                return b_.min(as_truth(a), as_truth(b));
            case Op::logical_or:
                return b_.max(as_truth(a), as_truth(b));
            case Op::logical_xor:
                return b_.truth(compared(Op::not_equal, as_truth(a), as_truth(b)));
            case Op::bit_and:
            case Op::bit_or:
            case Op::bit_xor:
                return bits_of_two(b_, step.op, a, b, type);
            case Op::div:
            case Op::mod:
            case Op::fmod:
                return divided(step, a, b, type);
            case Op::pow:
                return power(step, a, b, type);
            default:
                return b_.truth(compared(step.op, a, b));
        }
    }

    Number as_truth(Number x) {
        return x.literal ? Number{0, *x.literal != 0 ? 1.0 : 0.0} : x;  // operands are truth values already
    }

    Number compared(Op op, Number a, Number b) {
        const Number& known = a.literal ? b : a;
        return b_.at(known).type == DataType::int32 ? compare_whole(b_, comparison_of(op), a, b)
                                                    : b_.compare(comparison_of(op), a, b);
    }

    Number divided(const Step& step, Number a, Number b, DataType type) {
        if (step.op == Op::div && !is_integer(type)) {
            return b_.div(a, b);
        }
        a = a.literal ? b_.filled(a, b) : a;
        b = b.literal ? b_.filled(b, a) : b;
        if (b_.at(a).type == DataType::int32) {
            return divide_whole(b_, step.op, a, b);
        }
        const Number quotient =
            b_.rounded(b_.div(a, b), step.op == Op::mod ? Rounding::floor : Rounding::trunc);
        return step.op == Op::div ? quotient : b_.sub(a, b_.mul(quotient, b));
    }

    Number power(const Step& step, Number a, Number b, DataType type) {
        const Number& known = a.literal ? b : a;
        if (b_.at(known).type == DataType::int32) {
            refuse(step, type);
        }
        if (b.literal) {
            return power_of(b_, a, *b.literal);
        }
        return power_of(b_, a.literal ? b_.filled(a, b) : a, b);
    }

    Number where(Number condition, Number a, Number b) {
        if (condition.literal) {
            return *condition.literal != 0 ? a : b;
        }
        Form form = b_.at(condition).form;
        for (const Number& x : {a, b}) {
            form = x.literal ? form : joined(form, b_.at(x).form);
        }
        const bool same = form == b_.at(condition).form;
        const Number mask =
            same ? b_.mask_of(condition) : b_.compare(Comparison::ne, b_.expanded(condition, form), {0, 0.0});
        return b_.choose(mask, a, b);
    }

    /// Writes an output, rounded once to its type.
    void store(std::size_t output) {
        const std::size_t value = loop_.outputs[output];
        const DataType type = value_of(loop_, value).type;
        Number x = operand(value);
        if (x.literal) {
            throw CannotGenerate{Reason::empty,
                                 fmt::format("output {} is the same number everywhere", output)};
        }
        x = b_.expanded(x, space_.write_forms[output]);  // what repeats numbers takes 32 bits alone
        x = narrowed(x, type);
        b_.store(output, x, type, space_.write_forms[output], space_.write_kept[output]);
    }

    Number narrowed(Number x, DataType type) {
        switch (type) {
            case DataType::half:
            case DataType::bfloat16:
                return b_.converted(x, type, Rounding::rint);
            case DataType::int8:
            case DataType::uint8:
            case DataType::boolean:
                x = b_.converted(x, DataType::half, Rounding::rint);
                return b_.converted(x, type == DataType::int8 ? type : DataType::uint8, Rounding::trunc);
            case DataType::int64:
                return b_.converted(
                    x, type, b_.at(x).type == DataType::int32 ? Rounding::none : Rounding::trunc);
            default:
                return b_.converted(x, type, Rounding::trunc);
        }
    }

    const Loop& loop_;
    const Space& space_;
    Builder b_;
    std::vector<std::optional<Number>> numbers_;
};

}  // namespace

Program lower(const Loop& loop, const Space& space) {
    return with_multiply_adds(Lowering{loop, space}.run());
}

}  // namespace ascendsim::networks::loops
