// SPDX-License-Identifier: Apache-2.0
// The operations of eltwise_more.h by name, with their results in double.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/ops/elementwise/elementwise/eltwise_entry.hpp"

namespace ascendsim::host {

namespace elt_more {
using Values = const double*;

/// The slope of GELU at x, in its tanh form.
inline double gelu_slope(double x) {
    const double root = std::sqrt(2 / std::numbers::pi);
    const double tanh = std::tanh(root * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * root * (1 + 3 * 0.044715 * x * x);
}

/// The smooth L1 loss of a difference: quadratic below `beta`, linear above.
inline double smooth_l1(double d, double beta) {
    return std::abs(d) < beta ? d * d / (2 * beta) : std::abs(d) - beta / 2;
}
}  // namespace elt_more

/// True for operations whose operands lie between 0 and 1: probabilities, sines.
[[nodiscard]] inline bool elt_of_fractions(EltOp op) {
    return op == EltOp::asin || op == EltOp::acos || op == EltOp::atanh || op == EltOp::tan ||
           op == EltOp::binary_cross_entropy;
}

// clang-format off
inline constexpr auto elt_more_entries = std::to_array<EltEntry>({
    {"is_finite", EltOp::is_finite, 1, 1, 2, false, false, false, 3,
     [](elt_more::Values x, elt_more::Values) { return std::isfinite(x[0]) ? 1.0 : 0.0; }},
    {"is_nan", EltOp::is_nan, 1, 1, 1, true, false, false, 2,
     [](elt_more::Values x, elt_more::Values) { return std::isnan(x[0]) ? 1.0 : 0.0; }},
    {"atan", EltOp::atan, 1, 1, 3, false, false, false, 30,
     [](elt_more::Values x, elt_more::Values) { return std::atan(x[0]); }},
    {"asin", EltOp::asin, 1, 1, 4, false, false, false, 35,
     [](elt_more::Values x, elt_more::Values) { return std::asin(x[0]); }},
    {"acos", EltOp::acos, 1, 1, 4, false, false, false, 37,
     [](elt_more::Values x, elt_more::Values) { return std::acos(x[0]); }},
    {"tan", EltOp::tan, 1, 1, 3, false, false, false, 46,
     [](elt_more::Values x, elt_more::Values) { return std::tan(x[0]); }},
    {"sinh", EltOp::sinh, 1, 1, 1, false, false, false, 5,
     [](elt_more::Values x, elt_more::Values) { return std::sinh(x[0]); }},
    {"cosh", EltOp::cosh, 1, 1, 1, false, false, false, 5,
     [](elt_more::Values x, elt_more::Values) { return std::cosh(x[0]); }},
    {"asinh", EltOp::asinh, 1, 1, 0, false, false, true, 5,
     [](elt_more::Values x, elt_more::Values) { return std::asinh(x[0]); }},
    {"acosh", EltOp::acosh, 1, 1, 0, false, false, true, 5,
     [](elt_more::Values x, elt_more::Values) { return std::acosh(x[0]); }},
    {"atanh", EltOp::atanh, 1, 1, 1, false, false, false, 6,
     [](elt_more::Values x, elt_more::Values) { return std::atanh(x[0]); }},
    {"exp_minus_one", EltOp::exp_minus_one, 1, 1, 0, false, false, false, 2,
     [](elt_more::Values x, elt_more::Values) { return std::expm1(x[0]); }},
    {"hard_sigmoid", EltOp::hard_sigmoid, 1, 1, 0, false, false, false, 4,
     [](elt_more::Values x, elt_more::Values) { return std::min(std::max(x[0] / 6 + 0.5, 0.0), 1.0); }},
    {"softsign", EltOp::softsign, 1, 1, 0, false, false, false, 3,
     [](elt_more::Values x, elt_more::Values) { return x[0] / (1 + std::abs(x[0])); }},
    {"mod", EltOp::mod, 2, 1, 0, false, false, true, 4,
     [](elt_more::Values x, elt_more::Values) { return std::fmod(x[0], x[1]); }},
    {"floor_mod", EltOp::floor_mod, 2, 1, 0, false, false, true, 4,
     [](elt_more::Values x, elt_more::Values) { return x[0] - std::floor(x[0] / x[1]) * x[1]; }},
    {"atan2", EltOp::atan2, 2, 1, 4, false, false, true, 31,
     [](elt_more::Values x, elt_more::Values) { return std::atan2(x[0], x[1]); }},
    {"abs_difference", EltOp::abs_difference, 2, 1, 0, false, false, false, 2,
     [](elt_more::Values x, elt_more::Values) { return std::abs(x[0] - x[1]); }},
    {"smooth_l1", EltOp::smooth_l1, 2, 1, 2, false, false, false, 7,
     [](elt_more::Values x, elt_more::Values p) { return elt_more::smooth_l1(x[0] - x[1], p[0]); }},
    {"binary_cross_entropy", EltOp::binary_cross_entropy, 2, 1, 1, false, false, false, 8,
     [](elt_more::Values x, elt_more::Values) { return -x[1] * std::log(x[0]) - (1 - x[1]) * std::log(1 - x[0]); }},
    {"cross_entropy_of_logits", EltOp::cross_entropy_of_logits, 2, 1, 1, false, false, false, 9,
     [](elt_more::Values x, elt_more::Values) {
         return std::max(x[0], 0.0) + std::log1p(std::exp(-std::abs(x[0]))) - x[0] * x[1];
     }},
    {"sigmoid_grad", EltOp::sigmoid_grad, 2, 1, 1, false, false, false, 4,
     [](elt_more::Values x, elt_more::Values) { return x[1] * x[0] * (1 - x[0]); }},
    {"tanh_grad", EltOp::tanh_grad, 2, 1, 1, false, false, false, 4,
     [](elt_more::Values x, elt_more::Values) { return x[1] * (1 - x[0] * x[0]); }},
    {"gelu_grad", EltOp::gelu_grad, 2, 1, 3, false, false, false, 20,
     [](elt_more::Values x, elt_more::Values) { return x[0] * elt_more::gelu_slope(x[1]); }},
    {"masked_scale", EltOp::masked_scale, 2, 1, 0, true, false, false, 2,
     [](elt_more::Values x, elt_more::Values p) { return x[0] * x[1] * p[0]; }},
    {"logical_xor", EltOp::logical_xor, 2, 1, 1, false, false, false, 2,
     [](elt_more::Values x, elt_more::Values) { return (x[0] != 0) != (x[1] != 0) ? 1.0 : 0.0; }},
    {"add3", EltOp::add3, 3, 1, 0, true, false, false, 2,
     [](elt_more::Values x, elt_more::Values) { return x[0] + x[1] + x[2]; }},
    {"add4", EltOp::add4, 4, 1, 0, true, false, false, 3,
     [](elt_more::Values x, elt_more::Values) { return x[0] + x[1] + x[2] + x[3]; }},
});
// clang-format on

}  // namespace ascendsim::host
