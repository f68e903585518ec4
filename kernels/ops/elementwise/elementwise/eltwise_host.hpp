// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/ops/elementwise/elementwise/eltwise_more_host.hpp"
#include "kernels/shared/gelu_host.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::host {

namespace elt {
/// 1 / (1 + e^-x).
inline double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

/// ln(1 + e^x), without overflow.
inline double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// A truth value as a number.
inline double flag(bool yes) {
    return yes ? 1.0 : 0.0;
}

/// The bits of whole numbers that are set in `both`, or in any.
inline double to_bits(double a, double b, bool both) {
    const auto x = static_cast<std::int64_t>(a);
    const auto z = static_cast<std::int64_t>(b);
    return static_cast<double>(both ? x & z : x | z);
}

/// p: rate / (1 - beta1^t), beta1, beta2, 1 - rate * decay, epsilon, 1 / (1 - beta2^t).
inline void adam_w(const double* x, const double* p, double* y) {
    y[1] = p[1] * x[1] + (1.0 - p[1]) * x[3];
    y[2] = p[2] * x[2] + (1.0 - p[2]) * x[3] * x[3];
    y[0] = p[3] * x[0] - p[0] * y[1] / (std::sqrt(y[2] * p[5]) + p[4]);
}

/// x: weight, momentum, gradient; p: rate, decay of the momentum. y: weight, momentum.
inline void momentum(const double* x, const double* p, double* y) {
    y[1] = p[1] * x[1] + x[2];
    y[0] = x[0] - p[0] * y[1];
}

/// x: weight, sum of squares, gradient; p: rate, …, epsilon fifth. y: weight, sum of squares.
inline void adagrad(const double* x, const double* p, double* y) {
    y[1] = x[1] + x[2] * x[2];
    y[0] = x[0] - p[0] * x[2] / (std::sqrt(y[1]) + p[4]);
}

/// The slope of silu at x, times the gradient z.
inline double silu_grad(double x, double z) {
    return z * sigmoid(x) * (1.0 + x * (1.0 - sigmoid(x)));
}

/// The greatest common divisor of whole numbers.
inline double gcd(double a, double b) {
    return static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}
}  // namespace elt

namespace elt {
using Values = const double*;
}  // namespace elt

// clang-format off
inline constexpr auto elt_entries = std::to_array<EltEntry>({
    {"fill", EltOp::fill, 0, 1, 0, true, true, false, 1, [](elt::Values, elt::Values p) { return p[0]; }},
    {"copy", EltOp::copy, 1, 1, 0, true, true, false, 1, [](elt::Values x, elt::Values) { return x[0]; }},
    {"neg", EltOp::neg, 1, 1, 0, true, true, false, 1, [](elt::Values x, elt::Values) { return -x[0]; }},
    {"abs", EltOp::abs, 1, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values) { return std::abs(x[0]); }},
    {"relu", EltOp::relu, 1, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values) { return std::max(x[0], 0.0); }},
    {"exp", EltOp::exp, 1, 1, 0, false, false, false, 1,
     [](elt::Values x, elt::Values) { return std::exp(x[0]); }},
    {"ln", EltOp::ln, 1, 1, 0, false, false, true, 1,
     [](elt::Values x, elt::Values) { return std::log(x[0]); }},
    {"log1p", EltOp::log1p, 1, 1, 0, false, false, true, 2,
     [](elt::Values x, elt::Values) { return std::log1p(x[0]); }},
    {"sqrt", EltOp::sqrt, 1, 1, 0, false, false, true, 1,
     [](elt::Values x, elt::Values) { return std::sqrt(x[0]); }},
    {"rsqrt", EltOp::rsqrt, 1, 1, 1, false, false, true, 2,
     [](elt::Values x, elt::Values) { return 1.0 / std::sqrt(x[0]); }},
    {"reciprocal", EltOp::reciprocal, 1, 1, 1, false, false, true, 1,
     [](elt::Values x, elt::Values) { return 1.0 / x[0]; }},
    {"square", EltOp::square, 1, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values) { return x[0] * x[0]; }},
    {"sigmoid", EltOp::sigmoid, 1, 1, 1, false, false, false, 4,
     [](elt::Values x, elt::Values) { return elt::sigmoid(x[0]); }},
    {"tanh", EltOp::tanh, 1, 1, 1, false, false, false, 7,
     [](elt::Values x, elt::Values) { return std::tanh(x[0]); }},
    {"silu", EltOp::silu, 1, 1, 1, false, false, false, 5,
     [](elt::Values x, elt::Values) { return x[0] * elt::sigmoid(x[0]); }},
    {"mish", EltOp::mish, 1, 1, 3, false, false, false, 25,
     [](elt::Values x, elt::Values) { return x[0] * std::tanh(elt::softplus(x[0])); }},
    {"softplus", EltOp::softplus, 1, 1, 1, false, false, false, 7,
     [](elt::Values x, elt::Values) { return elt::softplus(x[0]); }},
    {"fast_gelu", EltOp::fast_gelu, 1, 1, 2, false, false, false, 9,
     [](elt::Values x, elt::Values) { return x[0] / (1.0 + std::exp(-1.702 * std::abs(x[0]))) * std::exp(0.851 * (x[0] - std::abs(x[0]))); }},
    {"gelu_tanh", EltOp::gelu_tanh, 1, 1, 1, false, false, false, 8,
     [](elt::Values x, elt::Values) { return gelu_of(x[0], false); }},
    {"gelu_erf", EltOp::gelu_erf, 1, 1, 5, false, false, false, 22,
     [](elt::Values x, elt::Values) { return gelu_of(x[0], true); }},
    {"erf", EltOp::erf, 1, 1, 2, false, false, false, 22,
     [](elt::Values x, elt::Values) { return std::erf(x[0]); }},
    {"elu", EltOp::elu, 1, 1, 1, false, false, false, 5,
     [](elt::Values x, elt::Values p) { return x[0] > 0 ? x[0] : p[0] * std::expm1(x[0]); }},
    {"leaky_relu", EltOp::leaky_relu, 1, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values p) { return x[0] > 0 ? x[0] : p[0] * x[0]; }},
    {"hard_swish", EltOp::hard_swish, 1, 1, 0, false, false, false, 5,
     [](elt::Values x, elt::Values) { return x[0] * std::clamp(x[0] / 6.0 + 0.5, 0.0, 1.0); }},
    {"sign", EltOp::sign, 1, 1, 0, false, false, false, 3,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] > 0) - elt::flag(x[0] < 0); }},
    {"floor", EltOp::floor, 1, 1, 0, false, false, false, 1,
     [](elt::Values x, elt::Values) { return std::floor(x[0]); }},
    {"ceil", EltOp::ceil, 1, 1, 0, false, false, false, 1,
     [](elt::Values x, elt::Values) { return std::ceil(x[0]); }},
    {"round", EltOp::round, 1, 1, 0, false, false, false, 1,
     [](elt::Values x, elt::Values) { return std::nearbyint(x[0]); }},
    {"trunc", EltOp::trunc, 1, 1, 0, false, false, false, 1,
     [](elt::Values x, elt::Values) { return std::trunc(x[0]); }},
    {"sin", EltOp::sin, 1, 1, 2, false, false, false, 22,
     [](elt::Values x, elt::Values) { return std::sin(x[0]); }},
    {"cos", EltOp::cos, 1, 1, 2, false, false, false, 22,
     [](elt::Values x, elt::Values) { return std::cos(x[0]); }},
    {"scale", EltOp::scale, 1, 1, 0, true, true, false, 2,
     [](elt::Values x, elt::Values p) { return x[0] * p[0] + p[1]; }},
    {"clamp", EltOp::clamp, 1, 1, 0, true, true, false, 2,
     [](elt::Values x, elt::Values p) { return std::min(std::max(x[0], p[0]), p[1]); }},
    {"exp_scaled", EltOp::exp_scaled, 1, 1, 0, false, false, false, 4,
     [](elt::Values x, elt::Values p) { return std::exp((x[0] * p[0] + p[1]) * p[2]); }},
    {"power", EltOp::power, 1, 1, 0, false, false, true, 3,
     [](elt::Values x, elt::Values p) { return std::pow(x[0], p[0]); }},
    {"logical_not", EltOp::logical_not, 1, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] == 0); }},
    {"greater_scalar", EltOp::greater_scalar, 1, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values p) { return elt::flag(x[0] > p[0]); }},
    {"less_scalar", EltOp::less_scalar, 1, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values p) { return elt::flag(x[0] < p[0]); }},
    {"equal_scalar", EltOp::equal_scalar, 1, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values p) { return elt::flag(x[0] == p[0]); }},
    {"add", EltOp::add, 2, 1, 0, true, true, false, 1,
     [](elt::Values x, elt::Values) { return x[0] + x[1]; }},
    {"sub", EltOp::sub, 2, 1, 0, true, true, false, 1,
     [](elt::Values x, elt::Values) { return x[0] - x[1]; }},
    {"mul", EltOp::mul, 2, 1, 0, true, true, false, 1,
     [](elt::Values x, elt::Values) { return x[0] * x[1]; }},
    {"div", EltOp::div, 2, 1, 0, false, false, true, 1,
     [](elt::Values x, elt::Values) { return x[0] / x[1]; }},
    {"maximum", EltOp::maximum, 2, 1, 0, true, true, false, 1,
     [](elt::Values x, elt::Values) { return std::max(x[0], x[1]); }},
    {"minimum", EltOp::minimum, 2, 1, 0, true, true, false, 1,
     [](elt::Values x, elt::Values) { return std::min(x[0], x[1]); }},
    {"pow", EltOp::pow, 2, 1, 0, false, false, true, 3,
     [](elt::Values x, elt::Values) { return std::pow(x[0], x[1]); }},
    {"squared_difference", EltOp::squared_difference, 2, 1, 0, false, false, false, 2,
     [](elt::Values x, elt::Values) { return (x[0] - x[1]) * (x[0] - x[1]); }},
    {"silu_mul", EltOp::silu_mul, 2, 1, 1, false, false, false, 6,
     [](elt::Values x, elt::Values) { return x[0] * elt::sigmoid(x[0]) * x[1]; }},
    {"gelu_mul", EltOp::gelu_mul, 2, 1, 1, false, false, false, 8,
     [](elt::Values x, elt::Values) { return gelu_of(x[0], false) * x[1]; }},
    {"less", EltOp::less, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] < x[1]); }},
    {"less_equal", EltOp::less_equal, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] <= x[1]); }},
    {"greater", EltOp::greater, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] > x[1]); }},
    {"greater_equal", EltOp::greater_equal, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] >= x[1]); }},
    {"equal", EltOp::equal, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] == x[1]); }},
    {"not_equal", EltOp::not_equal, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return elt::flag(x[0] != x[1]); }},
    {"logical_and", EltOp::logical_and, 2, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values) { return x[0] * x[1]; }},
    {"logical_or", EltOp::logical_or, 2, 1, 0, true, false, false, 1,
     [](elt::Values x, elt::Values) { return std::max(x[0], x[1]); }},
    {"bit_and", EltOp::bit_and, 2, 1, 0, false, true, false, 1,
     [](elt::Values x, elt::Values) { return elt::to_bits(x[0], x[1], true); }},
    {"bit_or", EltOp::bit_or, 2, 1, 0, false, true, false, 1,
     [](elt::Values x, elt::Values) { return elt::to_bits(x[0], x[1], false); }},
    {"gcd", EltOp::gcd, 2, 1, 3, false, true, false, 60,
     [](elt::Values x, elt::Values) { return elt::gcd(x[0], x[1]); }},
    {"silu_grad", EltOp::silu_grad, 2, 1, 1, false, false, false, 10,
     [](elt::Values x, elt::Values) { return elt::silu_grad(x[0], x[1]); }},
    {"relu_grad", EltOp::relu_grad, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return x[1] > 0 ? x[0] : 0.0; }},
    {"axpy", EltOp::axpy, 2, 1, 0, true, true, false, 2,
     [](elt::Values x, elt::Values p) { return x[0] + p[0] * x[1]; }},
    {"dropout_mask", EltOp::dropout_mask, 2, 1, 0, true, false, false, 2,
     [](elt::Values x, elt::Values p) { return x[0] * x[1] * p[0]; }},
    {"masked_fill", EltOp::masked_fill, 2, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values p) { return x[1] != 0 ? p[0] : x[0]; }},
    {"addcmul", EltOp::addcmul, 3, 1, 0, false, false, false, 3,
     [](elt::Values x, elt::Values p) { return x[0] + p[0] * x[1] * x[2]; }},
    {"addcdiv", EltOp::addcdiv, 3, 1, 0, false, false, true, 3,
     [](elt::Values x, elt::Values p) { return x[0] + p[0] * x[1] / x[2]; }},
    {"where", EltOp::where, 3, 1, 1, true, false, false, 2,
     [](elt::Values x, elt::Values) { return x[0] != 0 ? x[1] : x[2]; }},
    {"lerp", EltOp::lerp, 3, 1, 0, false, false, false, 3,
     [](elt::Values x, elt::Values) { return x[0] + x[2] * (x[1] - x[0]); }},
    {"adam", EltOp::adam, 4, 3, 2, false, false, true, 14, nullptr, &elt::adam_w},
    {"adam_w", EltOp::adam_w, 4, 3, 2, false, false, true, 14, nullptr, &elt::adam_w},
    {"adam_w_of_tensors", EltOp::adam_w_of_tensors, 4, 3, 10, true, false, true, 14, nullptr, &elt::adam_w},
    {"momentum", EltOp::momentum, 3, 2, 1, false, false, false, 4, nullptr, &elt::momentum},
    {"adagrad", EltOp::adagrad, 3, 2, 0, false, false, true, 7, nullptr, &elt::adagrad},
});

// clang-format on

/// The names of all operations, as the knob "op" takes them.
[[nodiscard]] inline std::vector<std::string> elt_names() {
    std::vector<std::string> names;
    for (const EltEntry& entry : elt_entries) {
        names.emplace_back(entry.name);
    }
    for (const EltEntry& entry : elt_more_entries) {
        names.emplace_back(entry.name);
    }
    return names;
}

/// The entry of an operation's name; the knob allows no other.
[[nodiscard]] inline const EltEntry& elt_entry(std::string_view name) {
    const auto found = std::ranges::find(elt_entries, name, &EltEntry::name);
    return found != elt_entries.end() ? *found : *std::ranges::find(elt_more_entries, name, &EltEntry::name);
}

/// How the kernel calls an element type; unsigned 16 bits are moved as signed ones.
[[nodiscard]] inline EltType elt_type(isa::DataType type) {
    using D = isa::DataType;
    switch (type) {
        case D::half:
            return EltType::f16;
        case D::bfloat16:
            return EltType::bf16;
        case D::float32:
            return EltType::f32;
        case D::int8:
            return EltType::i8;
        case D::int16:
        case D::uint16:
            return EltType::i16;
        case D::int32:
        case D::uint32:
            return EltType::i32;
        case D::int64:
        case D::uint64:
            return EltType::i64;
        default:
            return EltType::u8;
    }
}

}  // namespace ascendsim::host
