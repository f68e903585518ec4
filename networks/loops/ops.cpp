// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "networks/loops/loops.hpp"

namespace ascendsim::networks::loops {
namespace {

// In the order of Op.
constexpr std::array<std::string_view, 81> op_names{
    "constant",    "transpose",     "slice",      "reshape",       "broadcast",  "copy",      "cast",
    "neg",         "abs",           "sign",       "square",        "sqrt",       "rsqrt",     "reciprocal",
    "exp",         "exp_minus_one", "ln",         "log1p",         "floor",      "ceil",      "round",
    "trunc",       "sin",           "cos",        "tan",           "asin",       "acos",      "atan",
    "sinh",        "cosh",          "asinh",      "acosh",         "atanh",      "erf",       "tanh",
    "sigmoid",     "silu",          "softplus",   "softsign",      "mish",       "gelu_tanh", "gelu_erf",
    "relu",        "leaky_relu",    "elu",        "hard_sigmoid",  "hard_swish", "clip",      "scale",
    "power",       "is_nan",        "is_inf",     "logical_not",   "bit_not",    "add",       "sub",
    "mul",         "div",           "maximum",    "minimum",       "pow",        "mod",       "fmod",
    "less",        "less_equal",    "greater",    "greater_equal", "equal",      "not_equal", "logical_and",
    "logical_or",  "logical_xor",   "bit_and",    "bit_or",        "bit_xor",    "where",     "reduce_sum",
    "reduce_mean", "reduce_max",    "reduce_min", "reduce_prod"};

}  // namespace

std::string_view name(Op op) {
    return op_names.at(static_cast<std::size_t>(op));
}

bool is_reduction(Op op) {
    return op >= Op::reduce_sum;
}

bool is_view(Op op) {
    return op >= Op::transpose && op <= Op::broadcast;
}

}  // namespace ascendsim::networks::loops
