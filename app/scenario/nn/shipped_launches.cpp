// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/nn/shipped_launches.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "app/scenario/host_process.hpp"
#include "app/scenario/nn/operator_match.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/knob.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::scenario {
namespace {

using program::CallArgument;
using program::CallTensor;
using runtime::OperatorRefusal;
using runtime::OperatorRun;

/// Operators whose operands are tensors, element by element, and what kernels/ops/elementwise/elementwise
/// calls them.
struct Elementwise {
    std::string_view type;
    std::string_view op;
    std::size_t operands;
};

constexpr Elementwise elementwise_operators[]{
    {"Abs", "abs", 1},
    {"Add", "add", 2},
    {"Axpy", "axpy", 2},
    {"Cast", "copy", 1},
    {"Ceil", "ceil", 1},
    {"Cos", "cos", 1},
    {"Div", "div", 2},
    {"Equal", "equal", 2},
    {"Erf", "erf", 1},
    {"Exp", "exp", 1},
    {"Fill", "fill", 0},
    {"Floor", "floor", 1},
    {"Greater", "greater", 2},
    {"GreaterEqual", "greater_equal", 2},
    {"Less", "less", 2},
    {"LessEqual", "less_equal", 2},
    {"LogicalAnd", "logical_and", 2},
    {"LogicalNot", "logical_not", 1},
    {"LogicalOr", "logical_or", 2},
    {"Maximum", "maximum", 2},
    {"Minimum", "minimum", 2},
    {"Mul", "mul", 2},
    {"Muls", "scale", 1},
    {"Neg", "neg", 1},
    {"NotEqual", "not_equal", 2},
    {"Pow", "pow", 2},
    {"RealDiv", "div", 2},
    {"Reciprocal", "reciprocal", 1},
    {"Relu", "relu", 1},
    {"Round", "round", 1},
    {"Rsqrt", "rsqrt", 1},
    {"Select", "where", 3},
    {"SelectV2", "where", 3},
    {"Sigmoid", "sigmoid", 1},
    {"Sign", "sign", 1},
    {"Sin", "sin", 1},
    {"Sqrt", "sqrt", 1},
    {"Square", "square", 1},
    {"SquaredDifference", "squared_difference", 2},
    {"Sub", "sub", 2},
    {"Tanh", "tanh", 1},
    {"Trunc", "trunc", 1},
};

/// A launch's tensors and numbers, with their places among its arguments.
struct Operands {
    std::vector<std::size_t> inputs;
    std::size_t output = 0;
    std::vector<double> numbers;  // attributes
};

Operands operands_of(const program::OperatorAsk& ask) {
    Operands all;
    for (std::size_t i = 0; i < ask.arguments.size(); ++i) {
        const CallArgument& one = ask.arguments[i];
        if (one.attribute) {
            const std::vector<double> values = numbers_of(one.value);
            all.numbers.push_back(values.empty() ? 0 : values.front());
        } else if (one.written) {
            all.output = i;
        } else if (one.given) {
            all.inputs.push_back(i);
        }
    }
    return all;
}

const CallTensor& tensor_at(const program::OperatorAsk& ask, std::size_t i) {
    if (i >= ask.arguments.size() || ask.arguments[i].tensors.empty()) {
        throw OperatorRefusal{fmt::format("{} is launched with other operands than tensors", ask.type)};
    }
    return ask.arguments[i].tensors.front();
}

isa::DataType type_of(const program::OperatorAsk& ask, const CallTensor& tensor) {
    const TypeNames* type = names_of_number(tensor.type);
    if (type == nullptr) {
        throw OperatorRefusal{
            fmt::format("{}: a type is not simulated (aclDataType {})", ask.type, tensor.type)};
    }
    return type->type;
}

OperatorRun planned(const program::OperatorAsk& ask,
                    const std::string& kernel,
                    const std::function<void(host::Knobs&)>& set,
                    const Operands& operands,
                    const ChipSpec& chip,
                    const toolchain::Installation& installation) {
    const host::KernelHost& host = runtime::open_kernel(kernel, "aclnn", installation);
    host::Knobs knobs{host.knobs()};
    OperatorRun run;
    run.run.kernel = kernel;
    try {
        set(knobs);
        run.run.plan = host.plan(knobs, chip);
    } catch (const UserError& error) {
        throw OperatorRefusal{
            fmt::format("AscendSim's own kernel {} cannot do {}: {}", kernel, ask.type, error.what())};
    }
    std::size_t next = 0;
    for (host::Buffer& buffer : run.run.plan.buffers) {
        if (buffer.role == host::Role::output) {
            run.places[buffer.name] = {operands.output, 0};
        } else if (next < operands.inputs.size() && buffer.role != host::Role::workspace) {
            const std::size_t i = operands.inputs[next++];
            const CallTensor& tensor = tensor_at(ask, i);
            if (tensor.known.empty()) {
                run.places[buffer.name] = {i, 0};
                continue;
            }
            std::vector<std::byte> bytes(buffer.bytes());
            for (std::size_t e = 0; e < std::min<std::size_t>(tensor.known.size(), buffer.count()); ++e) {
                host::write_element(buffer.type, bytes, e, tensor.known[e]);
            }
            buffer.fill = host::fill::Content{std::move(bytes)};
        }
    }
    run.run.plan.launches.front().label = ask.type;
    run.origin = fmt::format("AscendSim's own kernel {}", kernel);
    return run;
}

OperatorRun elementwise_run(const program::OperatorAsk& ask,
                            const Elementwise& entry,
                            const ChipSpec& chip,
                            const toolchain::Installation& installation) {
    Operands operands = operands_of(ask);
    const CallTensor& out = tensor_at(ask, operands.output);
    double first_number = operands.numbers.empty() ? 1 : operands.numbers.front();
    if (entry.op == "fill") {  // of dims, which out tells, and a value
        const CallTensor* value = operands.inputs.empty() ? nullptr : &tensor_at(ask, operands.inputs.back());
        if (value == nullptr || value->known.size() != 1) {
            throw OperatorRefusal{"Fill: the value must be known when the call is made"};
        }
        first_number = value->known.front();
        operands.inputs.clear();
    }
    if (operands.inputs.size() != entry.operands) {
        throw OperatorRefusal{fmt::format("{} is launched with {} operands; AscendSim's own kernel takes {}",
                                          ask.type,
                                          operands.inputs.size(),
                                          entry.operands)};
    }
    const auto set = [&](host::Knobs& knobs) {
        knobs.set_text("op", std::string{entry.op});
        knobs.set("shape", shape_of(out));
        const isa::DataType result = type_of(ask, out);
        isa::DataType first = result;
        for (std::size_t i = 0; i < operands.inputs.size(); ++i) {
            const CallTensor& tensor = tensor_at(ask, operands.inputs[i]);
            const isa::DataType type = type_of(ask, tensor);
            first = i == 0 ? type : first;
            knobs.set(fmt::format("shape{}", i), shape_of(tensor));
            if (i > 0 && type != first) {
                knobs.set_text(fmt::format("dtype{}", i), std::string{isa::name(type)});
            }
        }
        knobs.set_text("dtype", std::string{isa::name(first)});
        if (result != first && (entry.op == "copy" || result != isa::DataType::boolean)) {
            knobs.set_text("out_dtype", std::string{isa::name(result)});
        }
        if (entry.op == "fill" || entry.op == "scale" || entry.op == "axpy") {
            knobs.set("p0", first_number);
        }
        if (entry.op == "scale") {
            knobs.set("p1", 0.0);
        }
    };
    return planned(ask, "elementwise", set, operands, chip, installation);
}

/// Sums and means over neighbouring axes, which the second operand names.
OperatorRun reduced_run(const program::OperatorAsk& ask,
                        const std::string& op,
                        const ChipSpec& chip,
                        const toolchain::Installation& installation) {
    Operands operands = operands_of(ask);
    if (operands.inputs.size() != 2) {
        throw OperatorRefusal{fmt::format("{} is launched without axes", ask.type)};
    }
    const CallTensor& x = tensor_at(ask, operands.inputs.front());
    std::vector<double> axes = tensor_at(ask, operands.inputs.back()).known;
    for (double& axis : axes) {
        axis += axis < 0 ? static_cast<double>(x.shape.size()) : 0;
    }
    std::ranges::sort(axes);
    for (std::size_t i = 1; i < axes.size(); ++i) {
        if (axes[i] != axes[i - 1] + 1) {
            throw OperatorRefusal{fmt::format("{}: its axes are no neighbours", ask.type)};
        }
    }
    operands.inputs.resize(1);
    const auto set = [&](host::Knobs& knobs) {
        knobs.set_text("op", op);
        knobs.set("shape", shape_of(x));
        knobs.set("first", axes.empty() ? std::int64_t{0} : static_cast<std::int64_t>(axes.front()));
        knobs.set("axes", static_cast<std::int64_t>(axes.size()));
        knobs.set_text("dtype", std::string{isa::name(type_of(ask, x))});
    };
    return planned(ask, "reduce", set, operands, chip, installation);
}

}  // namespace

std::optional<OperatorRun> shipped_launch(const program::OperatorAsk& ask,
                                          const ChipSpec& chip,
                                          const toolchain::Installation& installation) {
    for (const Elementwise& entry : elementwise_operators) {
        if (entry.type == ask.type) {
            return elementwise_run(ask, entry, chip, installation);
        }
    }
    if (ask.type == "ReduceSum" || ask.type == "ReduceMean") {
        return reduced_run(ask, ask.type == "ReduceSum" ? "sum" : "mean", chip, installation);
    }
    return std::nullopt;
}

}  // namespace ascendsim::scenario
