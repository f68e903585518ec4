// SPDX-License-Identifier: Apache-2.0
// Element-wise operators as runs of kernels/elementwise.cpp; the vendor's ladder of additions runs on
// kernels/add.cpp, which has its steps as knobs.
#include <algorithm>
#include <array>
#include <regex>

#include "scenarios/validation/elementwise_names.hpp"
#include "scenarios/validation/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

using Entry = ElementwiseName;

const Entry* entry_of(const Row& row) {
    for (const std::string& name : operator_names(row)) {
        const auto found = std::ranges::find(elementwise_names, name, &Entry::name);
        if (found != elementwise_names.end()) {
            return &*found;
        }
    }
    return nullptr;
}

bool takes(DataType type) {
    using D = DataType;
    for (const D known :
         {D::half, D::bfloat16, D::float32, D::int8, D::uint8, D::boolean, D::int16, D::int32, D::int64}) {
        if (type == known) {
            return true;
        }
    }
    return false;
}

/// "copy 4096 elem": elements of one copy.
std::uint32_t copied_elements(const Row& row) {
    std::smatch match;
    const std::regex pattern{"(\\d{3,6})\\s*elem"};
    return std::regex_search(row.notes, match, pattern)
               ? static_cast<std::uint32_t>(std::stoul(match[1].str()))
               : 0;
}

/// The vendor's ladder of additions: each case keeps what the one before it added.
std::optional<Adapted> ladder_case(const Row& row, const Context& context) {
    std::smatch match;
    if (!std::regex_search(row.notes, match, std::regex{"case\\s*(\\d)"}) ||
        row.measurement->source.find("add_high_performance") == std::string::npos) {
        return std::nullopt;
    }
    const int step = std::stoi(match[1].str());
    Case result;
    KernelRun run = kernel_of(row, context, "add");
    Extents shape = first_shape(row).value_or(Extents{8192, 8192});
    const bool scalar = row.notes_have("scalar");
    if (scalar) {
        constexpr std::uint64_t part = 256;  // of a loop whose iterations are alike
        run.times = static_cast<double>(part);
        shape.front() = std::max<std::uint64_t>(shape.front() / part, 1);
        run.launch_overhead = false;
        result.assumed = "one 256th of the loop, 256 times";
    }
    const std::uint32_t copy = copied_elements(row);
    run.knob("shape", shape).knob("dtype", first_type(row)).knob("schedule", scalar ? "scalar" : "vector");
    run.knob("tile", copy != 0 ? copy : step >= 3 ? 16384U : 4096U).knob("buffers", step >= 4 ? 2 : 1);
    run.knob("l2_bypass", step >= 5 ? "inputs" : "none").knob("spread", step >= 6);
    result.runs.push_back(run);
    return result;
}

/// What a conversion makes of its operand where the row does not say.
DataType cast_target(const Row& row, DataType from) {
    if (row.types.output) {
        return *row.types.output;
    }
    return from == DataType::float32 ? DataType::half
           : from == DataType::int64 ? DataType::int32
                                     : DataType::float32;
}

void set_operands(KernelRun& run, const Row& row, std::size_t operands, const Extents& result, bool lists) {
    for (std::size_t i = 0; i < operands; ++i) {
        const Extents* shape = row.shape.tensor(i);
        if (!lists && shape != nullptr && *shape != result) {
            run.knob("shape" + std::to_string(i), shape->empty() ? Extents{1} : *shape);
        }
        if (i > 0 && i < row.types.inputs.size() && takes(row.types.inputs[i]) &&
            row.types.inputs.size() == operands) {
            run.knob("dtype" + std::to_string(i), row.types.inputs[i]);
        }
    }
}

/// The largest of the operands' shapes, as they broadcast.
Extents broadcast(const Row& row, std::size_t operands) {
    Extents result = *first_shape(row);
    for (std::size_t i = 1; i < operands; ++i) {
        const Extents* other = row.shape.tensor(i);
        if (other == nullptr) {
            continue;
        }
        Extents wide(std::max(result.size(), other->size()), 1);
        for (std::size_t k = 0; k < wide.size(); ++k) {
            const auto from_end = [&](const Extents& e) { return k < e.size() ? e[e.size() - 1 - k] : 1; };
            wide[wide.size() - 1 - k] = std::max(from_end(result), from_end(*other));
        }
        result = wide;
    }
    return result;
}

}  // namespace

bool is_elementwise(const Row& row) {
    return entry_of(row) != nullptr;
}

std::optional<Adapted> elementwise_case(const Row& row, const Context& context) {
    const Entry* entry = entry_of(row);
    if (entry == nullptr) {
        return std::nullopt;
    }
    if (!first_shape(row)) {
        return WhyNot{"the row states no shape"};
    }
    if (std::optional<Adapted> ladder = ladder_case(row, context)) {
        return ladder;
    }
    // "fp16 in->fp32" is a product's type; what follows the product takes and gives its result.
    const bool after_product = row.measurement->dtype.find(" in->") != std::string::npos && row.types.output;
    DataType type =
        after_product ? *row.types.output : entry->operands == 0 && !row.types.inputs.empty() ? row.types.inputs.back() : first_type(row);
    if (!takes(type)) {
        return WhyNot{"the vector unit has no arithmetic for " + std::string{isa::name(type)}};
    }
    std::string op{entry->op};
    if (op == "gcd" && type == DataType::int64) {
        return WhyNot{"64-bit integers take the scalar unit a number of steps that the data decide (23 s in VEC-106), and the data are not published"};
    }
    const bool quantises = op == "quantise";  // to whole numbers by a scale and an offset for all
    op = quantises ? "scale" : op;
    std::size_t operands = entry->operands;
    const bool lists = row.shape.arguments.size() > 0 && row.shape.arguments[0].size() > 1;
    const bool alone = operands == 2 && row.shape.arguments.size() < 2;
    if (alone && !entry->with_scalar.empty() && !row.kernel_has({"add scalar"})) {
        op = entry->with_scalar;
        operands = 1;
    }
    if (entry->name == "addn" || entry->name == "accumulatenv2") {
        const std::size_t terms = row.shape.arguments.size() == 1 ? row.shape.arguments[0].size() : row.shape.arguments.size();
        if (terms < 2 || terms > 4) {
            return WhyNot{"sums of two to four tensors can be run"};
        }
        operands = terms;
        op = terms == 2 ? "add" : terms == 3 ? "add3" : "add4";
    }
    const bool sums = entry->name == "addn" || entry->name == "accumulatenv2";
    Case result;
    KernelRun run = kernel_of(row, context, "elementwise");
    Extents shape = sums ? *first_shape(row) : lists ? Extents{elements_of(row, 0)}
                          : broadcast(row, op == "dropout_mask" || op == "fill" ? 1 : operands);
    run.knob("op", op).knob("dtype", type).knob("shape", shape);
    if (op == "copy" && row.kernel_has({"cast"})) {
        run.knob("out_dtype", cast_target(row, type));
    } else if (quantises) {
        run.knob("out_dtype", DataType::int8);
    } else if (row.types.output && *row.types.output != type && takes(*row.types.output)) {
        run.knob("out_dtype", *row.types.output);
    }
    if (op == "gcd") {
        run.knob("p0", 9);
        result.assumed = "operands of up to two digits: nine steps of Euclid at most, for 55 and 89";
    }
    if (op != "dropout_mask") {
        set_operands(run, row, operands, shape, lists);
    }
    if (!row.kernel_has({"foreach"})) {
        // Compiled for a shape, or told the extents only: the operands' addresses and a handful of numbers.
        run.set.push_back({"run.argument_bytes", std::to_string((operands + 2) * 8 + 24)});
        if (context.source.which == SourceClass::black_box) {
            set_without_pipe(run);
        }
    } else {
        run.knob("lists", foreach_tiling_bytes);
    }
    result.runs.push_back(run);
    return result;
}

}  // namespace ascendsim::validation
