// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/whole_numbers.hpp"

#include <cmath>

#include "networks/loops/functions.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

constexpr Number zero{0, 0.0};

Number to_int(Builder& b, Number x) {
    return b.converted(x, DataType::int32, Rounding::trunc);
}

Number to_float(Builder& b, Number x) {
    return b.converted(x, DataType::float32, Rounding::rint);
}

/// x / y of int32 numbers as floats see it, rounded to zero.
Number estimate(Builder& b, Number x, Number y) {
    return to_int(b, b.rounded(b.div(to_float(b, x), to_float(b, y)), Rounding::trunc));
}

Number inverted(Builder& b, Number bits) {
    return b.sub({0, -1.0}, bits);  // ~x = -1 - x
}

}  // namespace

Number wrapped(Builder& b, Number x, DataType type) {
    const double range = std::ldexp(1.0, static_cast<int>(isa::bits(type)));
    const bool is_signed = type == DataType::int8 || type == DataType::int16;
    const double low = is_signed ? -range / 2 : 0;
    const Number turns = b.rounded(b.mul(b.add(x, {0, -low}), {0, 1 / range}), Rounding::floor);
    return b.add(x, b.mul(turns, {0, -range}));
}

Number short_product(Builder& b, Number x, Number y) {
    const auto whole = [&b](Number number) { return number.literal ? number : to_int(b, number); };
    const Number product = b.mul(whole(x), whole(y));
    const Number high = b.with_scalar(Code::shift_left, product, 16);
    return to_float(b, b.with_scalar(Code::shift_right, high, 16));
}

Number compare_whole(Builder& b, Comparison how, Number x, Number y) {
    x = x.literal ? b.filled(x, y) : x;
    y = y.literal ? b.filled(y, x) : y;
    // x < y where the smaller one is not y, x <= y where it is x.
    const Number smaller = b.min(x, y);
    switch (how) {
        case Comparison::eq:
            return b.compare(Comparison::eq, x, y);
        case Comparison::ne:
            return b.compare(Comparison::eq, b.truth(b.compare(Comparison::eq, x, y)), zero);
        case Comparison::le:
            return b.compare(Comparison::eq, smaller, x);
        case Comparison::ge:
            return b.compare(Comparison::eq, smaller, y);
        case Comparison::lt:
            return b.compare(Comparison::eq, b.truth(b.compare(Comparison::eq, smaller, y)), zero);
        case Comparison::gt:
            return b.compare(Comparison::eq, b.truth(b.compare(Comparison::eq, smaller, x)), zero);
    }
    return x;
}

Number divide_whole(Builder& b, Op op, Number x, Number y) {
    // Floats hold 24 bits of a quotient of up to 32: the rest is divided again.
    Number quotient = estimate(b, x, y);
    Number rest = b.sub(x, b.mul(quotient, y));
    const Number more = estimate(b, rest, y);
    quotient = b.add(quotient, more);
    rest = b.sub(rest, b.mul(more, y));
    // An estimate rounded up leaves a rest of the other sign than x: -1 there, else 0.
    const Number sign = sign_of(b, x);
    const Number signs = b.mul(sign, sign_of(b, y));
    const Number over = b.min(b.max(b.mul(rest, sign), {0, -1.0}), zero);
    const Number correction = b.mul(over, signs);
    quotient = b.add(quotient, correction);
    rest = b.sub(rest, b.mul(correction, y));
    if (op == Op::div) {
        return quotient;
    }
    if (op == Op::fmod) {
        return rest;
    }
    // The remainder has the divisor's sign: where it has not, the divisor is added.
    const Number differs = b.min(b.max(b.mul(sign_of(b, rest), sign_of(b, y)), {0, -1.0}), zero);
    return b.sub(rest, b.mul(differs, y));
}

Number bits_of_two(Builder& b, Op op, Number x, Number y, DataType type) {
    x = x.literal ? b.filled(x, y) : x;
    y = y.literal ? b.filled(y, x) : y;
    const Number left = to_int(b, x);
    const Number right = to_int(b, y);
    const Number both = b.binary(Code::bit_and, left, right);
    const Number any = b.binary(Code::bit_or, left, right);
    // Exclusive or is what one has and not both: x + y - 2 (x and y) = (x or y) - (x and y).
    const Number bits = op == Op::bit_and ? both : op == Op::bit_or ? any : b.sub(any, both);
    return type == DataType::int32 ? bits : to_float(b, bits);
}

Number bits_of_one(Builder& b, Number x, DataType type) {
    const Number bits = inverted(b, x);
    return type == DataType::uint8 ? b.add(bits, {0, 256.0}) : bits;
}

}  // namespace ascendsim::networks::loops
