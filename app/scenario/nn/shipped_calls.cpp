// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/shipped_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "app/scenario/host_process.hpp"
#include "app/scenario/nn/operator_match.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/knob.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::scenario {
namespace {

using program::CallArgument;
using program::CallKind;
using program::CallTensor;
using runtime::OperatorRefusal;

/// A function whose signature is its operands, scalars of the operation, and `out`.
struct ElementwiseCall {
    std::string_view function;
    std::string_view header;    // without aclnn_ and .h
    std::string_view op;        // of kernels/ops/elementwise/elementwise
    std::string_view operands;  // separated by spaces
    std::string_view scalars{};
};

/// By the names and signatures of the public documentation.
constexpr ElementwiseCall elementwise_calls[]{
    {"aclnnAbs", "abs", "abs", "self"},
    {"aclnnExp", "exp", "exp", "self"},
    {"aclnnLog", "log", "ln", "self"},
    {"aclnnLog1p", "log1p", "log1p", "self"},
    {"aclnnSqrt", "sqrt", "sqrt", "self"},
    {"aclnnRsqrt", "rsqrt", "rsqrt", "self"},
    {"aclnnReciprocal", "reciprocal", "reciprocal", "self"},
    {"aclnnSigmoid", "sigmoid", "sigmoid", "self"},
    {"aclnnTanh", "tanh", "tanh", "self"},
    {"aclnnRelu", "relu", "relu", "self"},
    {"aclnnSilu", "silu", "silu", "self"},
    {"aclnnMish", "mish", "mish", "self"},
    {"aclnnNeg", "neg", "neg", "self"},
    {"aclnnErf", "erf", "erf", "self"},
    {"aclnnFloor", "floor", "floor", "self"},
    {"aclnnCeil", "ceil", "ceil", "self"},
    {"aclnnRound", "round", "round", "self"},
    {"aclnnTrunc", "trunc", "trunc", "self"},
    {"aclnnSign", "sign", "sign", "self"},
    {"aclnnSin", "sin", "sin", "self"},
    {"aclnnCos", "cos", "cos", "self"},
    {"aclnnTan", "tan", "tan", "self"},
    {"aclnnAtan", "atan", "atan", "self"},
    {"aclnnAsin", "asin", "asin", "self"},
    {"aclnnAcos", "acos", "acos", "self"},
    {"aclnnIsFinite", "isfinite", "is_finite", "self"},
    {"aclnnLogicalNot", "logical_not", "logical_not", "self"},
    {"aclnnAdd", "add", "add", "self other", "alpha"},
    {"aclnnSub", "sub", "sub", "self other", "alpha"},
    {"aclnnMul", "mul", "mul", "self other"},
    {"aclnnDiv", "div", "div", "self other"},
    {"aclnnMaximum", "maximum", "maximum", "self other"},
    {"aclnnMinimum", "minimum", "minimum", "self other"},
    {"aclnnPowTensorTensor", "pow_tensor_tensor", "pow", "self exponent"},
    {"aclnnLtTensor", "lt_tensor", "less", "self other"},
    {"aclnnLeTensor", "le_tensor", "less_equal", "self other"},
    {"aclnnGtTensor", "gt_tensor", "greater", "self other"},
    {"aclnnGeTensor", "ge_tensor", "greater_equal", "self other"},
    {"aclnnEqTensor", "eq_tensor", "equal", "self other"},
    {"aclnnNeTensor", "ne_tensor", "not_equal", "self other"},
    {"aclnnLogicalAnd", "logical_and", "logical_and", "self other"},
    {"aclnnLogicalOr", "logical_or", "logical_or", "self other"},
    {"aclnnBitwiseAndTensor", "bitwise_and_tensor", "bit_and", "self other"},
    {"aclnnBitwiseOrTensor", "bitwise_or_tensor", "bit_or", "self other"},
    {"aclnnSWhere", "s_where", "where", "condition self other"},
    {"aclnnLerp", "lerp", "lerp", "self end weight"},
};

constexpr std::string_view product_calls[]{"aclnnMatmul", "aclnnMm"};

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

const CallTensor& tensor_named(const program::OperatorAsk& ask, std::string_view name, std::size_t& number) {
    for (number = 0; number < ask.arguments.size(); ++number) {
        const CallArgument& one = ask.arguments[number];
        if (one.name == name && one.kind == CallKind::tensor && one.given) {
            return one.tensors.front();
        }
    }
    throw OperatorRefusal{fmt::format("'{}' is a null pointer", name)};
}

isa::DataType type_of(const CallTensor& tensor, std::string_view name) {
    const TypeNames* type = names_of_number(tensor.type);
    if (type == nullptr) {
        throw OperatorRefusal{
            fmt::format("'{}' has a type that is not simulated (aclDataType {})", name, tensor.type)};
    }
    return type->type;
}

/// Plans a kernel; buffers with these roles are the call's tensors, in order.
runtime::OperatorRun planned_call(const std::string& kernel,
                                  const std::function<void(host::Knobs&)>& set,
                                  const std::vector<std::size_t>& operands,
                                  std::size_t result,
                                  const ChipSpec& chip,
                                  const toolchain::Installation& installation) {
    const host::KernelHost& host = runtime::open_kernel(kernel, "aclnn", installation);
    host::Knobs knobs{host.knobs()};
    runtime::OperatorRun run;
    run.run.kernel = kernel;
    try {
        set(knobs);
        run.run.plan = host.plan(knobs, chip);
    } catch (const UserError& error) {
        throw OperatorRefusal{error.what()};
    }
    std::size_t next = 0;
    for (const host::Buffer& buffer : run.run.plan.buffers) {
        if (buffer.role == host::Role::output) {
            run.places[buffer.name] = {result, 0};
        } else if (buffer.role == host::Role::input && next < operands.size() && !buffer.control) {
            run.places[buffer.name] = {operands[next++], 0};
        }
    }
    return run;
}

runtime::OperatorRun elementwise_run(const program::OperatorAsk& ask,
                                     const ElementwiseCall& call,
                                     const ChipSpec& chip,
                                     const toolchain::Installation& installation) {
    for (const CallArgument& one : ask.arguments) {
        const auto* whole = std::get_if<std::int64_t>(&one.value);
        const auto* real = std::get_if<double>(&one.value);
        if (one.name == "alpha" && one.given &&
            (whole != nullptr ? *whole != 1 : real != nullptr && *real != 1)) {
            throw OperatorRefusal{"without a library that has the operator, 'alpha' must be 1"};
        }
    }
    std::vector<std::size_t> operands;
    std::size_t result = 0;
    const CallTensor& out = tensor_named(ask, "out", result);
    const auto set = [&](host::Knobs& knobs) {
        knobs.set_text("op", std::string{call.op});
        knobs.set("shape", shape_of(out));
        std::size_t i = 0;
        isa::DataType first = isa::DataType::half;
        for (const std::string& name : words_of(call.operands)) {
            std::size_t number = 0;
            const CallTensor& tensor = tensor_named(ask, name, number);
            const isa::DataType type = type_of(tensor, name);
            operands.push_back(number);
            knobs.set(fmt::format("shape{}", i), shape_of(tensor));
            if (i == 0) {
                first = type;
                knobs.set_text("dtype", std::string{isa::name(type)});
            } else if (type != first) {
                knobs.set_text(fmt::format("dtype{}", i), std::string{isa::name(type)});
            }
            ++i;
        }
        if (const isa::DataType type = type_of(out, "out"); type != first && type != isa::DataType::boolean) {
            knobs.set_text("out_dtype", std::string{isa::name(type)});
        }
    };
    runtime::OperatorRun run = planned_call("elementwise", set, operands, result, chip, installation);
    run.places.clear();
    std::size_t next = 0;
    for (const host::Buffer& buffer : run.run.plan.buffers) {
        if (buffer.role == host::Role::output) {
            run.places[buffer.name] = {result, 0};
        } else if (next < operands.size()) {
            run.places[buffer.name] = {operands[next++], 0};
        }
    }
    run.run.plan.launches.front().label = std::string{call.function.substr(5)};
    return run;
}

runtime::OperatorRun product_run(const program::OperatorAsk& ask,
                                 const ChipSpec& chip,
                                 const toolchain::Installation& installation) {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t c = 0;
    const CallTensor& left = tensor_named(ask, "self", a);
    const CallTensor& right = tensor_named(ask, "mat2", b);
    const CallTensor& out = tensor_named(ask, "out", c);
    if (left.shape.size() != 2 || right.shape.size() != 2 || out.shape.size() != 2 ||
        left.shape[1] != right.shape[0]) {
        throw OperatorRefusal{
            fmt::format("{}: without a library that has the operator, self and mat2 must be "
                        "matrices [m, k] and [k, n]",
                        ask.function)};
    }
    const auto set = [&](host::Knobs& knobs) {
        knobs.set("m", left.shape[0]);
        knobs.set("k", left.shape[1]);
        knobs.set("n", right.shape[1]);
        knobs.set_text("dtype", std::string{isa::name(type_of(left, "self"))});
        knobs.set_text("out_dtype", std::string{isa::name(type_of(out, "out"))});
    };
    runtime::OperatorRun run = planned_call("matmul", set, {a, b}, c, chip, installation);
    run.run.plan.launches.front().label = ask.function.substr(5);
    return run;
}

}  // namespace

std::vector<CallSignature> shipped_signatures(const std::string& header) {
    std::vector<CallSignature> all;
    for (const ElementwiseCall& call : elementwise_calls) {
        if (header != fmt::format("aclnn_{}.h", call.header)) {
            continue;
        }
        CallSignature one{.function = std::string{call.function}, .parameters = {}};
        for (const std::string& name : words_of(call.operands)) {
            one.parameters.push_back({"const aclTensor*", name});
        }
        for (const std::string& name : words_of(call.scalars)) {
            one.parameters.push_back({"const aclScalar*", name});
        }
        one.parameters.push_back({"aclTensor*", "out"});
        all.push_back(std::move(one));
    }
    for (const std::string_view function : product_calls) {
        if (header == (function == "aclnnMm" ? "aclnn_mm.h" : "aclnn_matmul.h")) {
            all.push_back({.function = std::string{function},
                           .parameters = {{"const aclTensor*", "self"},
                                          {"const aclTensor*", "mat2"},
                                          {"aclTensor*", "out"},
                                          {"int8_t", "cubeMathType"}}});
        }
    }
    return all;
}

std::vector<std::string> shipped_calls() {
    std::vector<std::string> all{std::begin(product_calls), std::end(product_calls)};
    for (const ElementwiseCall& call : elementwise_calls) {
        all.emplace_back(call.function);
    }
    std::ranges::sort(all);
    return all;
}

std::optional<runtime::OperatorRun> shipped_run(const program::OperatorAsk& ask,
                                                const ChipSpec& chip,
                                                const toolchain::Installation& installation) {
    for (const ElementwiseCall& call : elementwise_calls) {
        if (call.function == ask.function) {
            return elementwise_run(ask, call, chip, installation);
        }
    }
    if (std::ranges::find(product_calls, ask.function) != std::end(product_calls)) {
        return product_run(ask, chip, installation);
    }
    return std::nullopt;
}

}  // namespace ascendsim::scenario
