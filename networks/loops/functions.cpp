// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/functions.hpp"

#include <array>
#include <cmath>
#include <span>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

constexpr Number one{0, 1.0};
constexpr double half_pi = 1.5707963267948966;

Number number(double value) {
    return {0, value};
}

Number negated(Builder& b, Number x) {
    return b.with_scalar(Code::muls, x, -1);
}

Number exp_of(Builder& b, Number x) {
    return b.unary(Code::exp, x);
}

/// ((c0 x + c1) x + c2) …, without the last multiplication.
Number polynomial(Builder& b, Number x, std::span<const double> c) {
    Number y = b.add(b.mul(x, number(c[0])), number(c[1]));
    for (const double term : c.subspan(2)) {
        y = b.add(b.mul(y, x), number(term));
    }
    return y;
}

/// 1 / (1 + exp(-x)).
Number sigmoid(Builder& b, Number x) {
    return b.div(one, b.add(exp_of(b, negated(b, x)), one));
}

/// (exp(2x) - 1) / (exp(2x) + 1), x kept within +-15 where tanh is +-1.
Number tanh(Builder& b, Number x) {
    const Number within = b.max(b.min(x, number(15)), number(-15));
    const Number e = exp_of(b, b.mul(within, number(2)));
    return b.div(b.add(e, number(-1)), b.add(e, one));
}

/// max(x, 0) + ln(1 + exp(-|x|)).
Number softplus(Builder& b, Number x) {
    const Number e = exp_of(b, negated(b, b.unary(Code::abs, x)));
    return b.add(b.max(x, number(0)), b.unary(Code::ln, b.add(e, one)));
}

/// x / (1 + exp(-1.5957691 (x + 0.044715 x^3))).
Number gelu_tanh(Builder& b, Number x) {
    const Number square = b.mul(b.mul(x, x), number(-1.5957691216057308 * 0.044715));
    const Number inner = b.mul(b.add(square, number(-1.5957691216057308)), x);
    return b.div(x, b.add(exp_of(b, inner), one));
}

/// 7.1.26: 1 - (a1 t + … + a5 t^5) exp(-x^2), t = 1 / (1 + p |x|), with an error of 1.5e-7.
Number erf(Builder& b, Number x) {
    constexpr std::array<double, 5> a{1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592};
    const Number size = b.min(b.unary(Code::abs, x), number(10));
    const Number t = b.div(one, b.add(b.mul(size, number(0.3275911)), one));
    const Number gauss = exp_of(b, negated(b, b.mul(size, size)));
    const Number rest = b.mul(b.mul(polynomial(b, t, a), t), gauss);
    return b.mul(b.add(negated(b, rest), one), sign_of(b, x));
}

/// Sine of x + phase pi: the remainder x - k pi is taken in three parts, its sign is (-1)^k.
Number sine(Builder& b, Number x, double phase) {
    constexpr std::array<double, 4> odd{2.6000548e-6, -1.9806615e-4, 8.3330173e-3, -1.66666566e-1};
    constexpr std::array<double, 3> pi{-3.140625, -0.0009670257568359375, -6.277114152908325195e-7};
    const Number turns = b.rounded(b.add(b.mul(x, number(0.31830988618)), number(phase)), Rounding::rint);
    const Number shift = b.add(turns, number(-phase));
    Number rest = x;
    for (const double part : pi) {
        rest = b.add(rest, b.mul(shift, number(part)));
    }
    const Number even = b.mul(b.rounded(b.mul(turns, number(0.5)), Rounding::floor), number(4));
    const Number sign = b.add(b.add(even, b.mul(turns, number(-2))), one);
    const Number remainder = b.mul(rest, sign);
    const Number square = b.mul(rest, rest);
    return b.add(b.mul(b.mul(polynomial(b, square, odd), square), remainder), remainder);
}

/// 4.4.49 of the smaller of |x| and 1 / |x| (error 2e-8), then the quarter it came from, then its sign.
Number arc_tangent(Builder& b, Number x) {
    constexpr std::array<double, 9> a{0.0028662257,
                                      -0.0161657367,
                                      0.0429096138,
                                      -0.0752896400,
                                      0.1065626393,
                                      -0.1420889944,
                                      0.1999355085,
                                      -0.3333314528,
                                      1.0};
    const Number size = b.max(b.unary(Code::abs, x), number(1e-30));
    const Number small = b.min(size, b.div(one, size));
    const Number angle = b.mul(polynomial(b, b.mul(small, small), a), small);
    const Number within = b.compare(Comparison::le, size, one);
    const Number turned = b.add(negated(b, angle), number(half_pi));
    return b.mul(b.choose(within, angle, turned), sign_of(b, x));
}

/// atan(x / sqrt(1 - x^2)).
Number arc_sine(Builder& b, Number x) {
    const Number rest = b.unary(Code::sqrt, b.add(negated(b, b.mul(x, x)), one));
    return arc_tangent(b, b.div(x, rest));
}

/// exp(x) / 2 + sign exp(-x) / 2.
Number hyperbolic(Builder& b, Number x, double sign) {
    return b.add(b.mul(exp_of(b, x), number(0.5)), b.mul(exp_of(b, negated(b, x)), number(0.5 * sign)));
}

/// ln(x + sqrt(x^2 + c)).
Number area(Builder& b, Number x, double c) {
    return b.unary(Code::ln, b.add(x, b.unary(Code::sqrt, b.add(b.mul(x, x), number(c)))));
}

Number of_triangles(Builder& b, Op op, Number x) {
    switch (op) {
        case Op::sin:
            return sine(b, x, 0);
        case Op::cos:
            return sine(b, x, 0.5);
        case Op::tan:
            return b.div(sine(b, x, 0), sine(b, x, 0.5));
        case Op::asin:
            return arc_sine(b, x);
        case Op::acos:
            return b.sub(number(half_pi), arc_sine(b, x));
        case Op::atan:
            return arc_tangent(b, x);
        case Op::sinh:
            return hyperbolic(b, x, -1);
        case Op::cosh:
            return hyperbolic(b, x, 1);
        case Op::asinh:
            return b.mul(area(b, b.unary(Code::abs, x), 1), sign_of(b, x));
        case Op::acosh:
            return area(b, x, -1);
        case Op::atanh:
            return b.mul(b.unary(Code::ln, b.div(b.add(x, one), b.sub(one, x))), number(0.5));
        default:
            throw InternalError{"no function of triangles"};
    }
}

Number is_infinite(Builder& b, const Step& step, Number x) {
    constexpr double largest = 3.4028234663852886e38;
    const bool above = step.constants.at(0) != 0;
    const bool below = step.constants.at(1) != 0;
    const Number high = b.truth(b.compare(Comparison::gt, x, number(largest)));
    const Number low = b.truth(b.compare(Comparison::lt, x, number(-largest)));
    return above && below ? b.max(high, low) : above ? high : below ? low : b.mul(high, number(0));
}

Number activation(Builder& b, const Step& step, Number x) {
    const auto constant = [&step](std::size_t i) { return number(step.constants.at(i)); };
    switch (step.op) {
        case Op::sigmoid:
            return sigmoid(b, x);
        case Op::silu:
            return b.div(x, b.add(exp_of(b, negated(b, x)), one));
        case Op::softplus:
            return softplus(b, x);
        case Op::softsign:
            return b.div(x, b.add(b.unary(Code::abs, x), one));
        case Op::mish:
            return b.mul(x, tanh(b, softplus(b, x)));
        case Op::gelu_tanh:
            return gelu_tanh(b, x);
        case Op::gelu_erf:
            return b.mul(b.mul(x, number(0.5)), b.add(erf(b, b.mul(x, number(0.70710678118654752))), one));
        case Op::relu:
            return b.unary(Code::relu, x);
        case Op::leaky_relu:
            return b.add(b.max(x, number(0)), b.mul(b.min(x, number(0)), constant(0)));
        case Op::elu: {
            const Number low = b.add(exp_of(b, b.min(x, number(0))), number(-1));
            return b.add(b.max(x, number(0)), b.mul(low, constant(0)));
        }
        case Op::hard_sigmoid:
            return b.min(b.max(b.add(b.mul(x, constant(0)), constant(1)), number(0)), one);
        case Op::hard_swish: {
            const Number gate = b.add(b.mul(x, number(1.0 / 6)), number(0.5));
            return b.mul(b.min(b.max(gate, number(0)), one), x);
        }
        case Op::is_nan:
            return b.truth(b.compare(Comparison::ne, x, x));
        case Op::is_inf:
            return is_infinite(b, step, x);
        default:
            throw InternalError{"no activation"};
    }
}

Number elementary(Builder& b, const Step& step, Number x) {
    switch (step.op) {
        case Op::sqrt:
            return b.unary(Code::sqrt, x);
        case Op::rsqrt:
            return b.div(one, b.unary(Code::sqrt, x));
        case Op::reciprocal:
            return b.div(one, x);
        case Op::exp:
            return exp_of(b, x);
        case Op::exp_minus_one:
            return b.add(exp_of(b, x), number(-1));
        case Op::ln:
            return b.unary(Code::ln, x);
        case Op::log1p:
            return b.unary(Code::ln, b.add(x, one));
        case Op::floor:
            return b.rounded(x, Rounding::floor);
        case Op::ceil:
            return b.rounded(x, Rounding::ceil);
        case Op::round:
            return b.rounded(x, Rounding::rint);
        case Op::trunc:
            return b.rounded(x, Rounding::trunc);
        case Op::tanh:
            return tanh(b, x);
        case Op::erf:
            return erf(b, x);
        case Op::power:
            return power_of(b, x, step.constants.at(0));
        default:
            return step.op >= Op::sin && step.op <= Op::atanh ? of_triangles(b, step.op, x)
                                                              : activation(b, step, x);
    }
}

}  // namespace

Number sign_of(Builder& b, Number x) {
    if (b.at(x).type == isa::DataType::int32) {
        return b.max(b.min(x, one), number(-1));
    }
    // Big steps around 0, cut. In two factors, so that a subnormal number has a sign, too.
    return b.max(b.min(b.mul(b.mul(x, number(1e30)), number(1e15)), one), number(-1));
}

Number power_of(Builder& b, Number base, double exponent) {
    if (exponent == 0) {
        return b.filled(one, base);
    }
    if (exponent == 0.5) {
        return b.unary(Code::sqrt, base);
    }
    const double size = std::abs(exponent);
    if (size == std::floor(size) && size <= 16) {
        std::optional<Number> product;
        Number square = base;
        for (auto bits = static_cast<unsigned>(size); bits != 0; bits /= 2) {
            if (bits % 2 == 1) {
                product = product ? b.mul(*product, square) : square;
            }
            square = bits > 1 ? b.mul(square, square) : square;
        }
        return exponent < 0 ? b.div(one, *product) : *product;
    }
    const Number magnitude =
        exp_of(b, b.mul(b.unary(Code::ln, b.max(b.unary(Code::abs, base), number(1e-37))), number(exponent)));
    const bool whole = exponent == std::floor(exponent);
    if (!whole) {  // of negative numbers: as the logarithm of these
        return exp_of(b, b.mul(b.unary(Code::ln, base), number(exponent)));
    }
    return std::fmod(exponent, 2) == 0 ? magnitude : b.mul(magnitude, sign_of(b, base));
}

Number power_of(Builder& b, Number base, Number exponent) {
    const Number logarithm = b.unary(Code::ln, b.max(b.unary(Code::abs, base), number(1e-37)));
    const Number magnitude = exp_of(b, b.mul(logarithm, exponent));
    // 1 for even exponents, -1 for odd ones: 1 - 2 (y - 2 floor(y / 2)).
    const Number pairs = b.rounded(b.mul(exponent, number(0.5)), Rounding::floor);
    const Number odd = b.sub(exponent, b.mul(pairs, number(2)));
    const Number sign = b.add(b.mul(odd, number(-2)), one);
    const Form form = joined(b.at(base).form, b.at(exponent).form);
    const Number below = b.compare(Comparison::lt, b.expanded(base, form), number(0));
    return b.mul(magnitude, b.choose(below, sign, one));
}

Number function_of(Builder& b, const Step& step, Number x) {
    return elementary(b, step, x);
}

}  // namespace ascendsim::networks::loops
