// SPDX-License-Identifier: Apache-2.0
// MICRO: single instructions, short sequences of them, and what bank conflicts cost.
#include <array>
#include <utility>

#include "app/validation/rows/copy_rows.hpp"
#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

struct OpName {
    std::string_view word;  // in the row's kernel
    const char* op;         // of the kernel "instruction"
};

// Longer words first: "tadds" holds "tadd".
constexpr std::array<OpName, 32> op_names{{{"adds", "adds"},
                                           {"muls", "muls"},
                                           {"tadd", "add"},
                                           {"vadd", "add"},
                                           {"tsub", "sub"},
                                           {"vsub", "sub"},
                                           {"tmul", "mul"},
                                           {"vmul", "mul"},
                                           {"tdiv", "div"},
                                           {"vdiv", "div"},
                                           {"texp", "exp"},
                                           {"vexp", "exp"},
                                           {"trsqrt", "rsqrt"},
                                           {"vrsqrt", "rsqrt"},
                                           {"tsqrt", "sqrt"},
                                           {"vsqrt", "sqrt"},
                                           {"tlog", "ln"},
                                           {"vln", "ln"},
                                           {"tmax", "max"},
                                           {"vmax", "max"},
                                           {"tmin", "min"},
                                           {"vmin", "min"},
                                           {"tabs", "abs"},
                                           {"vabs", "abs"},
                                           {"trelu", "relu"},
                                           {"vrelu", "relu"},
                                           {"trecip", "reciprocal"},
                                           {"tcvt", "cast"},
                                           {"vconv", "cast"},
                                           {"vcadd", "whole_reduce_sum"},
                                           {"vcgadd", "block_reduce_sum"},
                                           {"vcmax", "whole_reduce_max"}}};

/// Instructions back to back, as the published benchmarks issue them.
KernelRun back_to_back() {
    KernelRun run{.kernel = "instruction"};
    run.knob("barrier", false);
    return run;
}

/// A run of `calls` instructions less one of none: the instructions alone.
Case difference(const KernelRun& run, std::uint64_t calls) {
    Case result;
    KernelRun with = run;
    with.knob("calls", calls);
    KernelRun without = run;
    without.knob("calls", 0);
    without.times = -1;
    result.runs = {std::move(with), std::move(without)};
    return result;
}

/// Where the operands lie in the unified buffer, by what the notes say of conflicts: the places of the
/// vendor's sample.
void place_operands(KernelRun& run, const Row& row) {
    constexpr std::uint32_t apart = 0x10100;  // another bank, half a round of bank groups further
    if (row.notes_have("datablock")) {
        const bool dense =
            number_in(row.measurement->notes, "repstride *=? *([0-9]+)") == std::optional<std::uint64_t>{8};
        run.knob("src1", apart).knob("dst", apart).knob("src0_block", 0).knob("src0_repeat", dense ? 8 : 1);
    } else if (row.notes_have("src1/dst")) {
        run.knob("src1", apart).knob("dst", apart);
    } else if (row.notes_have("src0/dst")) {
        const bool conflicts = row.notes_have("different bank") || row.notes_have("read-write");
        run.knob("src1", apart).knob("dst", conflicts ? 0x4020 : 0x4000);
    } else if (row.notes_have("bank group") && row.notes_have("same")) {
        run.knob("src1", 0x10000).knob("dst", 0x14100);
    } else if (row.notes_have("same bank")) {
        run.knob("src1", 0x4000).knob("dst", 0x10000);
    }
}

isa::DataType type_of(const Row& row) {
    return row.types.inputs.empty() ? isa::DataType::float32 : row.types.inputs.front();
}

Adapted reformat_case(const Row& row, const Context& context) {
    const Extents* const shape = row.shape.tensor(0);
    if (shape == nullptr) {
        return WhyNot{"the shape is not stated"};
    }
    Case result;
    KernelRun run{.kernel = "nd2nz", .warm_l2 = context.source.warm_l2()};
    run.knob("shape", *shape);
    if (const auto pitch = number_in(row.measurement->notes, "stride *=? *([0-9]+)")) {
        run.knob("column_pitch", *pitch);
    }
    result.runs.push_back(std::move(run));
    return result;
}

Adapted reduction_case(const Row& row, const Context& context) {
    const auto elements = row.shape.elements();
    if (!elements) {
        return WhyNot{"how much is summed up is not stated"};
    }
    const std::string name = lower(row.measurement->kernel);
    KernelRun run = back_to_back();
    run.warm_l2 = context.source.warm_l2();
    run.launch_overhead = false;
    run.knob("dtype", type_of(row));
    if (const auto calls = number_in(name, "x *([0-9]+)")) {
        const bool whole = row.notes_have("whole");
        const bool block = row.notes_have("block");
        const std::uint64_t lanes = 256 / (isa::bits(type_of(row)) / 8);
        run.knob("op", whole && block ? "block_whole" : block ? "block_block_block" : "whole_whole");
        run.knob("repeats", std::max<std::uint64_t>(*elements / lanes, 1));
        return difference(run, *calls);
    }
    Case result;
    run.knob("op", row.notes_have("tree") ? "tree_sum" : "reduce_sum")
        .knob("elements", *elements)
        .knob("calls", 1);
    result.runs.push_back(std::move(run));
    result.assumed = "the copy in is measured too";
    return result;
}

Adapted product_case(const Row& row) {
    const auto m = row.shape.get("m");
    const auto k = row.shape.get("k");
    const auto n = row.shape.get("n");
    if (!m || !k || !n) {
        return WhyNot{"the shape does not say m, n and k"};
    }
    if (!row.types.inputs.empty() && isa::bits(row.types.inputs.front()) != 16) {
        return WhyNot{"the instruction benchmark multiplies operands of 16 bits"};
    }
    KernelRun run = back_to_back();
    run.knob("op", "mmad").knob("m", *m).knob("k", *k).knob("n", *n);
    return difference(run, 1);
}

Adapted instruction_case(const Row& row, std::string_view op) {
    const isa::DataType type = type_of(row);
    const std::uint64_t lanes = 256 / (isa::bits(type) / 8);
    auto repeats = number_in(row.measurement->kernel, "([0-9]+) *repeats?");
    if (const auto elements = row.shape.elements(); !repeats && elements) {
        repeats = (*elements + lanes - 1) / lanes;
    }
    if (!repeats || *repeats == 0 || *repeats > 255) {
        return WhyNot{"does not say how many repeats of up to 255"};
    }
    KernelRun run{.kernel = "instruction"};
    run.knob("op", op).knob("dtype", type).knob("repeats", *repeats);
    place_operands(run, row);
    const auto calls = number_in(row.measurement->kernel, "x *([0-9]+)").value_or(1);
    run.knob("barrier", calls == 1);
    return difference(run, calls);
}

class Micro final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override {
        return row.measurement->unit == "cycles" || row.measurement->unit.starts_with("tick") ||
               row.kernel_has({"repeats", "reformat"});
    }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.kernel_has({"nd nz", "nd2nz", "reformat"}) && !row.kernel_has({"gm l1"})) {
            return reformat_case(row, context);
        }
        if (row.kernel_has({"reduce sum", "reducesum"})) {
            return reduction_case(row, context);
        }
        if (std::optional<Adapted> published = published_case(row, context)) {
            return *published;
        }
        if (row.kernel_has({"tmatmul", "mmad"})) {
            return product_case(row);
        }
        for (const auto& [word, op] : op_names) {
            if (row.kernel_has({word})) {
                return instruction_case(row, op);
            }
        }
        if (copies(row)) {
            return copy_case(row, context);
        }
        if (row.measurement->shape.find("not given") != std::string::npos) {
            return WhyNot{"the shape is not given"};
        }
        return WhyNot{"no benchmark of this instruction or sequence"};
    }
};

}  // namespace

std::unique_ptr<Family> make_micro_family() {
    return std::make_unique<Micro>();
}

}  // namespace ascendsim::validation
