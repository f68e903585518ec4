// SPDX-License-Identifier: Apache-2.0
// Element-wise operators as runs of kernels/ops/elementwise/elementwise/elementwise.cpp; the vendor's ladder
// of additions runs on kernels/ops/elementwise/add/add.cpp, which has its steps as knobs.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/validation/rows/elementwise_names.hpp"
#include "app/validation/rows/gcd_steps.hpp"
#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"
#include "kernels/ops/elementwise/elementwise/eltwise_tiling.h"

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
    return static_cast<std::uint32_t>(number_in(row.notes, "(\\d{3,6})\\s*elem").value_or(0));
}

/// The vendor's ladder of additions: each case keeps what the one before it added. On several cores the
/// sample's version whose times these are (2026-04-20) filled a tile's buffers once its sum was written;
/// later ones do it earlier.
std::optional<Adapted> ladder_case(const Row& row, const Context& context) {
    const std::optional<std::uint64_t> step = number_in(row.notes, "case\\s*(\\d)");
    if (!step || row.measurement->source.find("add_high_performance") == std::string::npos) {
        return std::nullopt;
    }
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
    const char* const schedule = scalar ? "scalar" : *step >= 2 ? "by_turns" : "by_hand";
    run.knob("shape", shape).knob("dtype", first_type(row)).knob("schedule", schedule);
    run.knob("tile", copy != 0 ? copy : *step >= 3 ? 16384U : 4096U).knob("buffers", *step >= 4 ? 2 : 1);
    run.knob("l2_bypass", *step >= 5 ? "inputs" : "none").knob("spread", *step >= 6);
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

/// The greatest common divisor by subtraction, a tile at a time, until its last element is through: VEC-098,
/// -105 and -116 take the same 12 cycles for 64 elements and a subtraction, if six tensors of int16 share the
/// unified buffer as one tile each and the operands are drawn from the ranges that their source publishes. A
/// run of more steps is run in part.
void set_gcd_schedule(KernelRun& run,
                      DataType type,
                      const Row& row,
                      const Extents& shape,
                      const Context& context,
                      Case& result) {
    constexpr std::uint64_t tensors = 6;
    constexpr double part = 200;
    const std::uint64_t tile =
        (context.chip.buffers.ub - elt_fixed_bytes) / tensors / (isa::bits(type) / 8) / 256 * 256;
    std::vector<ValueRange> values = context.values;
    if (values.size() < 2) {
        values.assign(2, {0, 100});
        result.assumed = "operands up to 100";
    }
    const Extents* second = row.shape.tensor(1);
    std::uint64_t alike = 1;  // elements that meet the same second operand
    const auto extent = [&](std::size_t i) {
        return i < second->size() ? second->at(second->size() - 1 - i) : 1;
    };
    for (std::size_t i = 0; second != nullptr && i < shape.size() && extent(i) == 1; ++i) {
        alike *= shape[shape.size() - 1 - i];
    }
    // The loop ends behind the step that leaves nothing, and zeros (VEC-111) take as long as ones.
    const double steps = std::ceil(std::max(most_subtractions(values[0], values[1], tile, alike), 1.0)) + 1;
    run.knob("p0", static_cast<std::int64_t>(std::min(steps, part))).knob("buffers", 1);
    if (second == nullptr || *second == shape) {
        run.knob("tile", tile);
    }
    run.times = std::max(1.0, steps / part);
}

/// Elements of a tile as the library's tensor compiler chooses them: half the unified buffer, for copies
/// overlap the arithmetic, shared by the `tensors` that are alive at once, in whole 128s.
std::uint64_t compiled_tile(const Context& context, std::uint64_t tensors, std::uint64_t bytes) {
    constexpr std::uint64_t unit = 128;
    return context.chip.buffers.ub / 2 / tensors / bytes / unit * unit;
}

/// Code that a compiler generated for tensors of any shape, of which ours has nothing: as many reads of the
/// scalar unit from global memory as explain what a run with cold code takes more than one with code that the
/// cores hold, at any size.
void set_cold_code(KernelRun& run, const Context& context, std::uint32_t lines) {
    // Within a network other shapes have run the same code.
    if (!context.source.code_held && !context.source.warm_l2() && !context.source.in_network()) {
        run.knob("lists", lines * context.chip.scalar.dcache_line);
    }
}

/// How the library's tensor compiler (TBE) lays out operators for which that shows. Its source is not public:
/// tile sizes follow from pace and start of the rows named.
void set_compiled_schedule(KernelRun& run,
                           const Row& row,
                           const std::string& op,
                           DataType type,
                           bool broadcasts,
                           const Context& context) {
    // A broadcast along the last axis fills row after row with a value that the scalar unit reads (VEC-137).
    run.knob("broadcast", "rows");
    if (op ==
        "mish") {  // 54 cycles for 64 elements in VEC-014, 29 of them instructions: the rest are their starts
        constexpr std::uint64_t alive = 10;
        run.knob("tile", compiled_tile(context, alive, 4));
    } else if (broadcasts) {
        constexpr std::uint32_t cold_lines =
            20;  // 3 to 4 us in VEC-128 and -135, whatever type and number of rows
        set_cold_code(run, context, cold_lines);
    } else if (op == "exp_scaled" && row.kernel_has({"automaticbufferfusion", "automatic buffer fusion"})) {
        constexpr std::uint32_t cold_lines =
            45;  // 9 us more than sigmoid on the same data: VEC-056 and -036, -057 and -037
        set_cold_code(run, context, cold_lines);
    } else if (op == "adam_w" && (isa::bits(type) == 16 || type == DataType::float32)) {
        // 97 cycles for 128 elements of fp16 (VEC-142, -151), 75 to 90 for 64 of bf16 and fp32 (VEC-140,
        // -146, -150), 26 of them busy (vec_fp32_ratio of VEC-193 to -196): half stays half, and the eight
        // scalars, tensors of one element, fill tiles. Alive are four operands, whose place the results take,
        // the scalars and one more.
        constexpr std::uint64_t alive = 13;
        run.knob("op", "adam_w_of_tensors").knob("in_place", true);
        constexpr std::uint32_t cold_lines =
            72;  // 13 us of VEC-138 to -155; LAUNCH-042, whose code is held, takes 3.9 in all
        set_cold_code(run, context, cold_lines);
        run.knob("tile", compiled_tile(context, alive, type == DataType::half ? 2 : 4));
    }
}

/// What an entry means for a row: the operator of our kernel, and how many operands it takes.
struct Operation {
    std::string op;
    std::size_t operands;
    bool sums = false;       // terms are listed, none is broadcast
    bool quantises = false;  // to whole numbers by a scale and an offset for all
};

/// The element type of the arithmetic.
DataType computed_type(const Row& row, const Entry& entry) {
    // "fp16 in->fp32" is a product's type; what follows the product takes and gives its result.
    if (row.measurement->dtype.find(" in->") != std::string::npos && row.types.output) {
        return *row.types.output;
    }
    return entry.operands == 0 && !row.types.inputs.empty() ? row.types.inputs.back() : first_type(row);
}

/// Nothing for sums of more terms than a kernel takes.
std::optional<Operation> operation_of(const Row& row, const Entry& entry) {
    Operation result{.op = std::string{entry.op}, .operands = entry.operands};
    if (result.op == "quantise") {
        result.op = "scale";
        result.quantises = true;
    }
    const bool alone = entry.operands == 2 && row.shape.arguments.size() < 2;
    if (alone && !entry.with_scalar.empty() && !row.kernel_has({"add scalar"})) {
        result.op = entry.with_scalar;
        result.operands = 1;
    }
    if (entry.name == "addn" || entry.name == "accumulatenv2") {
        const auto& arguments = row.shape.arguments;
        const std::size_t terms = arguments.size() == 1 ? arguments[0].size() : arguments.size();
        if (terms < 2 || terms > 4) {
            return std::nullopt;
        }
        result = {.op = terms == 2 ? "add" : terms == 3 ? "add3" : "add4", .operands = terms, .sums = true};
    }
    return result;
}

void set_out_type(KernelRun& run, const Row& row, const Operation& operation, DataType type) {
    if (operation.op == "copy" && row.kernel_has({"cast"})) {
        run.knob("out_dtype", cast_target(row, type));
    } else if (operation.quantises) {
        run.knob("out_dtype", DataType::int8);
    } else if (row.types.output && *row.types.output != type && takes(*row.types.output)) {
        run.knob("out_dtype", *row.types.output);
    }
}

Case elementwise_run(const Row& row, const Operation& operation, DataType type, const Context& context) {
    const auto& [op, operands, sums, quantises] = operation;
    const bool lists = !row.shape.arguments.empty() && row.shape.arguments[0].size() > 1;
    const bool compiled = context.source.which == SourceClass::black_box;
    Case result;
    KernelRun run = kernel_of(row, context, "elementwise");
    Extents shape = sums    ? *first_shape(row)
                    : lists ? Extents{elements_of(row, 0)}
                            : broadcast(row, op == "dropout_mask" || op == "fill" ? 1 : operands);
    run.knob("op", op).knob("dtype", type).knob("shape", shape);
    set_out_type(run, row, operation, type);
    if (op == "gcd") {
        set_gcd_schedule(run, type, row, shape, context, result);
    }
    if (compiled) {
        const Extents* second = operands == 2 && !lists ? row.shape.tensor(1) : nullptr;
        set_compiled_schedule(run, row, op, type, second != nullptr && *second != *first_shape(row), context);
    }
    if (op != "dropout_mask") {
        set_operands(run, row, operands, shape, lists);
    }
    if (row.kernel_has({"foreach"})) {
        run.knob("lists", foreach_tiling_bytes);
    } else {
        // Compiled for a shape, or told the extents only: the operands' addresses and a handful of numbers.
        run.set.push_back({"run.argument_bytes", std::to_string((operands + 2) * 8 + 24)});
        if (compiled) {
            set_without_pipe(run);
        }
    }
    result.runs.push_back(std::move(run));
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
    const DataType type = computed_type(row, *entry);
    if (!takes(type)) {
        return WhyNot{"the vector unit has no arithmetic for " + std::string{isa::name(type)}};
    }
    if (entry->op == "gcd" && type == DataType::int64) {
        return WhyNot{
            "the scalar unit handles 64-bit integers in a number of steps that depends on the data (23 s in "
            "VEC-106)"};
    }
    const std::optional<Operation> operation = operation_of(row, *entry);
    if (!operation) {
        return WhyNot{"sums of two to four tensors can be run"};
    }
    return elementwise_run(row, *operation, type, context);
}

}  // namespace ascendsim::validation
