// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/elementary.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

constexpr double root_half = 0.70710678118654752;

double sigmoid_of(double x) {
    return 1 / (1 + std::exp(-x));
}

double softplus_of(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double gelu_tanh_of(double x) {
    return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

double sign_of(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

double activation(const Step& step, double x) {
    const std::vector<double>& c = step.constants;
    switch (step.op) {
        case Op::sigmoid:
            return sigmoid_of(x);
        case Op::silu:
            return x * sigmoid_of(x);
        case Op::softplus:
            return softplus_of(x);
        case Op::softsign:
            return x / (1 + std::abs(x));
        case Op::mish:
            return x * std::tanh(softplus_of(x));
        case Op::gelu_tanh:
            return gelu_tanh_of(x);
        case Op::gelu_erf:
            return 0.5 * x * std::erfc(-x * root_half);
        case Op::relu:
            return std::isnan(x) ? x : std::max(x, 0.0);
        case Op::leaky_relu:
            return x >= 0 ? x : c[0] * x;
        case Op::elu:
            return x >= 0 ? x : c[0] * std::expm1(x);
        case Op::hard_sigmoid:
            return std::clamp(c[0] * x + c[1], 0.0, 1.0);
        case Op::hard_swish:
            return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
        case Op::clip:
            return std::min(std::max(x, c[0]), c[1]);
        case Op::scale:
            return c[0] * x + c[1];
        case Op::power:
            return std::pow(x, c[0]);
        case Op::is_nan:
            return std::isnan(x) ? 1 : 0;
        case Op::is_inf:
            return (x == HUGE_VAL && c[0] != 0) || (x == -HUGE_VAL && c[1] != 0) ? 1 : 0;
        case Op::logical_not:
            return x == 0 ? 1 : 0;
        case Op::bit_not:
            return -x - 1;
        default:
            throw InternalError{"no element-wise operator"};
    }
}

double function(const Step& step, double x) {
    switch (step.op) {
        case Op::sin:
            return std::sin(x);
        case Op::cos:
            return std::cos(x);
        case Op::tan:
            return std::tan(x);
        case Op::asin:
            return std::asin(x);
        case Op::acos:
            return std::acos(x);
        case Op::atan:
            return std::atan(x);
        case Op::sinh:
            return std::sinh(x);
        case Op::cosh:
            return std::cosh(x);
        case Op::asinh:
            return std::asinh(x);
        case Op::acosh:
            return std::acosh(x);
        case Op::atanh:
            return std::atanh(x);
        case Op::erf:
            return std::erf(x);
        case Op::tanh:
            return std::tanh(x);
        default:
            return activation(step, x);
    }
}

double unary(const Step& step, double x) {
    switch (step.op) {
        case Op::constant:
            return step.constants[0];
        case Op::copy:
        case Op::cast:
            return x;
        case Op::neg:
            return -x;
        case Op::abs:
            return std::abs(x);
        case Op::sign:
            return sign_of(x);
        case Op::square:
            return x * x;
        case Op::sqrt:
            return std::sqrt(x);
        case Op::rsqrt:
            return 1 / std::sqrt(x);
        case Op::reciprocal:
            return 1 / x;
        case Op::exp:
            return std::exp(x);
        case Op::exp_minus_one:
            return std::expm1(x);
        case Op::ln:
            return std::log(x);
        case Op::log1p:
            return std::log1p(x);
        case Op::floor:
            return std::floor(x);
        case Op::ceil:
            return std::ceil(x);
        case Op::round:
            return std::nearbyint(x);
        case Op::trunc:
            return std::trunc(x);
        default:
            return function(step, x);
    }
}

double of_bits(Op op, double a, double b) {
    const auto x = static_cast<std::int64_t>(a);
    const auto y = static_cast<std::int64_t>(b);
    return static_cast<double>(op == Op::bit_and ? x & y : op == Op::bit_or ? x | y : x ^ y);
}

double compared(Op op, double a, double b) {
    switch (op) {
        case Op::less:
            return a < b ? 1 : 0;
        case Op::less_equal:
            return a <= b ? 1 : 0;
        case Op::greater:
            return a > b ? 1 : 0;
        case Op::greater_equal:
            return a >= b ? 1 : 0;
        case Op::equal:
            return a == b ? 1 : 0;
        case Op::not_equal:
            return a != b ? 1 : 0;
        case Op::logical_and:
            return a != 0 && b != 0 ? 1 : 0;
        case Op::logical_or:
            return a != 0 || b != 0 ? 1 : 0;
        case Op::logical_xor:
            return (a != 0) != (b != 0) ? 1 : 0;
        default:
            return of_bits(op, a, b);
    }
}

double binary(const Step& step, double a, double b, bool whole) {
    switch (step.op) {
        case Op::add:
            return a + b;
        case Op::sub:
            return a - b;
        case Op::mul:
            return a * b;
        case Op::div:
            return whole ? (b == 0 ? 0 : std::trunc(a / b)) : a / b;
        case Op::maximum:
            return std::isnan(a) || a > b ? a : b;
        case Op::minimum:
            return std::isnan(a) || a < b ? a : b;
        case Op::pow:
            return std::pow(a, b);
        case Op::mod:
            return a - b * std::floor(a / b);
        case Op::fmod:
            return std::fmod(a, b);
        default:
            return compared(step.op, a, b);
    }
}

}  // namespace

bool is_integer(isa::DataType type) {
    return type <= isa::DataType::uint64;
}

double in_type(double value, isa::DataType type) {
    if (type == isa::DataType::boolean) {
        return value != 0 ? 1 : 0;
    }
    if (!is_integer(type) || isa::bits(type) == 64) {
        return value;
    }
    const double range = std::ldexp(1.0, static_cast<int>(isa::bits(type)));
    const bool is_signed = type == isa::DataType::int8 || type == isa::DataType::int16 ||
                           type == isa::DataType::int32 || type == isa::DataType::int4;
    const double low = is_signed ? -range / 2 : 0;
    const double whole = std::isnan(value) ? 0 : std::trunc(value);
    if (whole >= low && whole < low + range) {
        return whole;
    }
    return std::isinf(whole) ? (whole > 0 ? low + range - 1 : low)
                             : whole - range * std::floor((whole - low) / range);
}

double apply(const Step& step, const Arguments& x, isa::DataType operand) {
    if (step.op == Op::where) {
        return x.a != 0 ? x.b : x.c;
    }
    if (step.op >= Op::add && step.op <= Op::bit_xor) {
        return binary(step, x.a, x.b, is_integer(operand));
    }
    if (step.op == Op::cast && is_integer(step.result.type) && !is_integer(operand)) {
        // Conversions of floats saturate.
        const double range = std::ldexp(1.0, static_cast<int>(isa::bits(step.result.type)));
        const bool is_signed = step.result.type != isa::DataType::uint8;
        const double low = is_signed ? -range / 2 : 0;
        return std::isnan(x.a) ? 0 : std::clamp(std::trunc(x.a), low, low + range - 1);
    }
    return unary(step, x.a);
}

}  // namespace ascendsim::networks::loops
