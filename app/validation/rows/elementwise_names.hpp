// SPDX-License-Identifier: Apache-2.0
// Names of element-wise operators of the library, of torch and of profilers, and which operation of
// kernels/ops/elementwise/elementwise/elementwise.cpp each is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ascendsim::validation {

/// An operator of the library: the kernel's operation for tensors, and for one tensor and a scalar.
struct ElementwiseName {
    std::string_view name;
    std::string_view op;
    std::uint8_t operands;
    std::string_view with_scalar = {};
};

// clang-format off
inline constexpr auto elementwise_names = std::to_array<ElementwiseName>({
    {"exp", "exp", 1}, {"expautomaticbufferfusionop", "exp_scaled", 1}, {"exp2", "exp_scaled", 1}, {"expm1", "exp_minus_one", 1},
    {"ln", "ln", 1}, {"log", "ln", 1}, {"log2", "ln", 1}, {"log10", "ln", 1}, {"log1p", "log1p", 1},
    {"sqrt", "sqrt", 1}, {"rsqrt", "rsqrt", 1}, {"reciprocal", "reciprocal", 1}, {"inv", "reciprocal", 1},
    {"square", "square", 1}, {"sigmoid", "sigmoid", 1}, {"tanh", "tanh", 1}, {"silu", "silu", 1}, {"swish", "silu", 1},
    {"mish", "mish", 1}, {"softplus", "softplus", 1}, {"logsigmoid", "softplus", 1}, {"fastgelu", "fast_gelu", 1},
    {"quickgelu", "fast_gelu", 1}, {"gelu", "gelu_tanh", 1}, {"geluerf", "gelu_erf", 1}, {"erf", "erf", 1}, {"erfc", "erf", 1},
    {"elu", "elu", 1}, {"selu", "elu", 1}, {"celu", "elu", 1}, {"leakyrelu", "leaky_relu", 1}, {"prelu", "leaky_relu", 1},
    {"hardswish", "hard_swish", 1}, {"hardsigmoid", "hard_sigmoid", 1}, {"sign", "sign", 1}, {"softsign", "softsign", 1}, {"floor", "floor", 1},
    {"ceil", "ceil", 1}, {"round", "round", 1}, {"rint", "round", 1}, {"trunc", "trunc", 1}, {"sin", "sin", 1}, {"cos", "cos", 1},
    {"neg", "neg", 1}, {"abs", "abs", 1}, {"relu", "relu", 1}, {"relu6", "clamp", 1}, {"hardtanh", "clamp", 1},
    {"clamp", "clamp", 1}, {"clip", "clamp", 1}, {"clipbyvalue", "clamp", 1}, {"logicalnot", "logical_not", 1},
    {"not", "logical_not", 1}, {"cast", "copy", 1}, {"castfp16fp32", "copy", 1}, {"identity", "copy", 1}, {"tensormove", "copy", 1}, {"copy", "copy", 1},
    {"viewcopy", "copy", 1}, {"devicecopy", "copy", 1}, {"contiguous", "copy", 1}, {"muls", "scale", 1}, {"adds", "scale", 1}, {"scale", "scale", 1},
    {"scalarmultiply", "scale", 1}, {"fill", "fill", 0}, {"full", "fill", 0}, {"ones", "fill", 0}, {"zeros", "fill", 0},
    {"oneslike", "fill", 0}, {"zeroslike", "fill", 0}, {"memset", "fill", 0},
    {"add", "add", 2, "scale"}, {"sub", "sub", 2, "scale"}, {"mul", "mul", 2, "scale"}, {"multiply", "mul", 2, "scale"},
    {"div", "div", 2, "scale"}, {"realdiv", "div", 2, "reciprocal"}, {"truediv", "div", 2, "scale"}, {"divide", "div", 2, "scale"},
    {"divnonan", "div", 2, "scale"}, {"floordiv", "div", 2, "scale"}, {"maximum", "maximum", 2, "clamp"}, {"minimum", "minimum", 2, "clamp"},
    {"pow", "pow", 2, "power"}, {"powtensorscalar", "power", 1}, {"squareddifference", "squared_difference", 2},
    {"mseloss", "squared_difference", 2}, {"less", "less", 2, "less_scalar"}, {"lt", "less", 2, "less_scalar"},
    {"lessequal", "less_equal", 2, "less_scalar"}, {"le", "less_equal", 2, "less_scalar"}, {"greater", "greater", 2, "greater_scalar"},
    {"gt", "greater", 2, "greater_scalar"}, {"greaterequal", "greater_equal", 2, "greater_scalar"}, {"ge", "greater_equal", 2, "greater_scalar"},
    {"equal", "equal", 2, "equal_scalar"}, {"eq", "equal", 2, "equal_scalar"}, {"notequal", "not_equal", 2, "equal_scalar"},
    {"ne", "not_equal", 2, "equal_scalar"}, {"logicaland", "logical_and", 2}, {"logicalor", "logical_or", 2},
    {"logicalxor", "logical_xor", 2}, {"bitwiseand", "bit_and", 2}, {"bitwiseor", "bit_or", 2}, {"gcd", "gcd", 2},
    {"axpy", "axpy", 2}, {"axpyv2", "axpy", 2}, {"dropoutdomask", "dropout_mask", 2}, {"dropout", "dropout_mask", 2}, {"maskedfill", "masked_fill", 2},
    {"sigmoidgrad", "sigmoid_grad", 2}, {"tanhgrad", "tanh_grad", 2}, {"relugrad", "relu_grad", 2},
    {"thresholdgrad", "relu_grad", 2}, {"silugrad", "silu_grad", 2}, {"swishgrad", "silu_grad", 2}, {"gelugrad", "gelu_grad", 2},
    {"fastgelugrad", "silu_grad", 2}, {"addcmul", "addcmul", 3}, {"addcmulscalar", "addcmul", 3}, {"addcmullist", "addcmul", 3}, {"addcdiv", "addcdiv", 3},
    {"addcdivscalar", "addcdiv", 3}, {"addcdivlist", "addcdiv", 3}, {"where", "where", 3}, {"select", "where", 3}, {"lerp", "lerp", 3}, {"lerpscalar", "lerp", 3},
    {"adam", "adam", 4}, {"applyadam", "adam", 4}, {"applyadamd", "adam", 4}, {"fusedadam", "adam", 4}, {"adamw", "adam_w", 4},
    {"applyadamw", "adam_w", 4}, {"fusedadamw", "adam_w", 4}, {"adamapplyone", "adam", 4}, {"adamapplyonewithdecay", "adam_w", 4},
    {"applymomentum", "momentum", 3}, {"momentum", "momentum", 3}, {"sgd", "momentum", 3}, {"applyadagrad", "adagrad", 3},
    {"mulscalar", "scale", 1}, {"addscalar", "scale", 1}, {"divscalar", "scale", 1}, {"subscalar", "scale", 1},
    {"addlist", "add", 2}, {"mullist", "mul", 2}, {"sublist", "sub", 2}, {"divlist", "div", 2}, {"maximumlist", "maximum", 2}, {"minimumlist", "minimum", 2},
    {"isfinite", "is_finite", 1}, {"isnan", "is_nan", 1}, {"atan", "atan", 1}, {"arctan", "atan", 1}, {"asin", "asin", 1}, {"arcsin", "asin", 1},
    {"acos", "acos", 1}, {"arccos", "acos", 1}, {"tan", "tan", 1}, {"sinh", "sinh", 1}, {"cosh", "cosh", 1}, {"asinh", "asinh", 1},
    {"arcsinh", "asinh", 1}, {"acosh", "acosh", 1}, {"arccosh", "acosh", 1}, {"atanh", "atanh", 1}, {"arctanh", "atanh", 1},
    {"atan2", "atan2", 2}, {"arctan2", "atan2", 2}, {"mod", "mod", 2}, {"fmod", "mod", 2}, {"truncatemod", "mod", 2},
    {"remainder", "floor_mod", 2}, {"remaindertensortensor", "floor_mod", 2}, {"floormod", "floor_mod", 2},
    {"smoothl1loss", "smooth_l1", 2}, {"huberloss", "smooth_l1", 2}, {"l1loss", "abs_difference", 2}, {"bceloss", "binary_cross_entropy", 2},
    {"binarycrossentropy", "binary_cross_entropy", 2}, {"sigmoidcrossentropywithlogits", "cross_entropy_of_logits", 2},
    {"binarycrossentropywithlogits", "cross_entropy_of_logits", 2}, {"bcewithlogitsloss", "cross_entropy_of_logits", 2},
    {"maskedscale", "masked_scale", 2}, {"biasadd", "add", 2}, {"addv2", "add", 2}, {"addn", "add", 2}, {"accumulatenv2", "add", 2}, {"subtract", "sub", 2},
    {"negative", "neg", 1}, {"absolute", "abs", 1}, {"power", "power", 1}, {"pows", "power", 1}, 
    {"gelutanh", "gelu_tanh", 1}, {"quickgelugrad", "silu_grad", 2}, {"geluv2", "gelu_tanh", 1}, {"gelugradv2", "gelu_grad", 2},
    {"gelubackward", "gelu_grad", 2}, {"silubackward", "silu_grad", 2}, {"sigmoidbackward", "sigmoid_grad", 2}, {"tanhbackward", "tanh_grad", 2},
    {"thresholdbackward", "relu_grad", 2}, {"relubackward", "relu_grad", 2}, {"selectv2", "where", 3},
    {"fulllike", "fill", 0}, {"ascendquant", "quantise", 1}, {"quantize", "quantise", 1},
    {"clone", "copy", 1}, {"assign", "copy", 1},
    {"greaterscalar", "greater_scalar", 1}, {"lessscalar", "less_scalar", 1}, {"equalscalar", "equal_scalar", 1}, {"gts", "greater_scalar", 1}, {"lts", "less_scalar", 1}, {"eqs", "equal_scalar", 1},
});

// clang-format on

}  // namespace ascendsim::validation
