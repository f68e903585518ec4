// SPDX-License-Identifier: Apache-2.0
// Operators that work along an axis: normalisation, softmax, quantisation, gated units, reductions.
#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"
#include "kernels/ops/norm/add_rms_norm/add_rms_norm_room.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

bool real(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32;
}

/// The row's type, or float32 for types that these kernels do not take.
DataType real_type(const Row& row) {
    return real(first_type(row)) ? first_type(row) : DataType::float32;
}

/// The axis of "dim: 1", "axis=1", or "dim1" in the name; the last one if none is stated.
std::size_t stated_axis(const Row& row, std::size_t rank) {
    for (const char* key : {"dim", "axis"}) {
        if (const auto value = row.integer(key)) {
            return axis_of(*value, rank);
        }
    }
    if (const std::optional<std::uint64_t> axis = number_in(row.kernel, "dim ?(\\d)")) {
        return axis_of(static_cast<std::int64_t>(*axis), rank);
    }
    return rank - 1;
}

/// True if the operator library's kernel was measured, whose order of work ours follows then.
bool black_box(const Context& context) {
    return context.source.which == SourceClass::black_box;
}

Case one(KernelRun run, std::string assumed = {}) {
    Case result;
    result.runs.push_back(std::move(run));
    result.assumed = std::move(assumed);
    return result;
}

/// x and a mask of bytes as the kernel takes them; nothing for rows it does not take. Where the mask's
/// extents are not stated, one is read for all heads.
std::optional<KernelRun> masked_softmax(const Row& row, const Context& context, const Extents& shape) {
    constexpr std::uint64_t block = 32;  // bytes
    if (shape.size() < 2 || shape.size() > 4 || shape.back() % block != 0) {
        return std::nullopt;
    }
    const auto of_rank_4 = [](Extents extents) {
        extents.insert(extents.begin(), 4 - extents.size(), 1);
        return extents;
    };
    const Extents x = of_rank_4(shape);
    Extents mask{x[0], 1, x[2], x[3]};
    if (const Extents* const stated = row.shape.tensor(1); stated != nullptr && stated->size() <= 4) {
        mask = of_rank_4(*stated);
    }
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
        if (mask[axis] != x[axis] && (mask[axis] != 1 || axis > 1)) {
            return std::nullopt;
        }
    }
    KernelRun run = kernel_of(row, context, "scaled_masked_softmax");
    run.knob("shape", x).knob("mask", mask).knob("dtype", real_type(row));
    return run;
}

Adapted softmax_case(const Row& row, const Context& context, const Extents& shape) {
    const std::size_t axis = stated_axis(row, shape.size());
    KernelRun run = kernel_of(row, context, "softmax");
    const std::uint64_t inner = product(shape, axis + 1, shape.size());
    const bool masked = row.kernel_has({"maskedsoftmax"});
    if (inner == 1 && masked) {
        if (std::optional<KernelRun> with_mask = masked_softmax(row, context, shape)) {
            return one(*with_mask);
        }
    }
    if (inner == 1) {
        run.knob("shape", shape).knob("dtype", real_type(row));
        run.knob("schedule", black_box(context) ? "library" : "auto");
        return one(run, masked ? "the mask is not read" : "");
    }
    run = kernel_of(row, context, "softmax_axis");
    run.knob("shape", shape).knob("axis", axis).knob("dtype", real_type(row));
    run.knob("schedule", black_box(context) ? "library" : "wide");
    return one(run);
}

/// Elements of a row that is normalised: those of gamma, or the last axis.
Extents as_rows(const Row& row, const Extents& shape, std::size_t gamma) {
    const Extents* weights = row.shape.tensor(gamma);
    std::uint64_t width = shape.back();
    if (weights != nullptr && !weights->empty() && product(*weights, 0, weights->size()) > 1) {
        const std::uint64_t count = product(*weights, 0, weights->size());
        width = product(shape, 0, shape.size()) % count == 0 ? count : width;
    }
    return {product(shape, 0, shape.size()) / width, width};
}

/// The libraries' AddRmsNorm and AddRmsNormBias, in their order; none for rows that they cut up.
std::optional<KernelRun> added_norm(const Row& row, const Context& context, const Extents& rows) {
    const DataType type = real_type(row);
    const bool bias = row.shape.tensor(3) != nullptr;
    if (!black_box(context) || context.chip.arch != "2201" ||
        rows.back() > host::add_rms_norm_room(type, bias)) {
        return std::nullopt;
    }
    KernelRun run = kernel_of(row, context, "add_rms_norm");
    run.knob("shape", rows).knob("dtype", type).knob("bias", bias);
    return run;
}

Adapted norm_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "row_norm");
    const bool residual = row.kernel_has({"add rms", "add layer", "addrms", "addlayer", "residual"});
    const bool rms = row.kernel_has({"rms"});
    const bool quant = row.kernel_has({"quant"});
    const Extents rows = as_rows(row, shape, residual ? 2 : 1);
    if (residual && rms && !quant) {
        if (std::optional<KernelRun> added = added_norm(row, context, rows)) {
            return one(*added);
        }
    }
    run.knob("shape", rows).knob("dtype", real_type(row));
    run.knob("kind", rms ? "rms" : "layer").knob("residual", residual);
    run.knob("quant", quant ? "int8" : "none").knob("stats", !quant);
    run.knob("schedule", rms && black_box(context) ? "library" : "batched");
    // The library's RmsNorm and AddRmsNormDynamicQuant have the pipe in their object. What runs for the
    // others here does not follow the library's order.
    if (((!residual && !quant) || (rms && residual && quant)) && black_box(context)) {
        set_pipe_in_object(run);
    }
    return one(run);
}

Adapted quant_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "row_norm");
    const bool int4 = row.kernel_has({"int4"}) || row.types.output == DataType::int4;
    run.knob("shape", shape).knob("dtype", real_type(row)).knob("kind", "none");
    run.knob("quant", int4 ? "int4" : "int8").knob("smooth", row.shape.arguments.size() > 1);
    run.knob("schedule", int4 || !black_box(context) ? "batched" : "library");
    return one(run);
}

/// Factors that are known beforehand: one for each column where the row has them, otherwise one for all.
Adapted static_quant_case(const Row& row, const Context& context, const Extents& shape) {
    const std::uint64_t width = shape.back();
    const Extents* const scale = row.shape.tensor(1);
    const bool channels = scale != nullptr && product(*scale, 0, scale->size()) == width && width > 1;
    KernelRun run = kernel_of(row, context, "static_quant");
    run.knob("shape", shape).knob("dtype", real_type(row)).knob("channels", channels);
    run.knob("offset", row.shape.arguments.size() > 2);
    set_pipe_in_object(run);  // ops-nn, quant/ascend_quant_v2: pipe_ is a member
    return one(run);
}

/// The reduction a row's names state.
std::string reduction_of(const Row& row) {
    if (row.kernel_has({"max"})) {
        return "max";
    }
    if (row.kernel_has({"min"})) {
        return "min";
    }
    if (row.kernel_has({"mean"})) {
        return "mean";
    }
    if (row.kernel_has({"norm"})) {
        return row.attribute("scalar").value_or("2").starts_with("1") ? "sum_abs" : "norm";
    }
    return row.kernel_has({"square", "l2loss"}) ? "sum_square" : "sum";
}

Adapted reduce_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "reduce");
    const bool lists = !row.shape.arguments.empty() && row.shape.arguments[0].size() > 1;
    const Extents all = lists ? Extents{elements_of(row, 0)} : shape;
    run.knob("op", reduction_of(row)).knob("dtype", real_type(row));
    if (row.kernel_has({"foreach"})) {
        run.knob("lists", foreach_tiling_bytes);
    } else if (black_box(context)) {
        set_without_pipe(run);
    }
    const bool stated =
        row.integer("dim") || row.integer("axis") || row.kernel_has({"dim1", "dim 1", "dim0"});
    if (stated && !lists) {
        run.knob("shape", all).knob("first", stated_axis(row, all.size())).knob("axes", 1);
        return one(run);
    }
    // The output's extents tell which axes are reduced; all of them where they say "scalar" or nothing.
    if (!row.shape.outputs.empty() && !row.kernel_has({"norm"}) && !lists) {
        const Extents& out = row.shape.outputs.front();
        const std::uint64_t kept = product(out, 0, out.size());
        std::size_t axes = 0;
        while (axes < all.size() && product(all, 0, axes) != kept) {
            ++axes;
        }
        if (axes < all.size() && kept > 1) {
            run.knob("shape", all).knob("first", axes).knob("axes", 0);
            return one(run);
        }
    }
    run.knob("shape", all).knob("first", 0).knob("axes", 0);
    return one(run);
}

Adapted group_case(const Row& row, const Context& context, const Extents& shape) {
    const auto groups = row.integer("num_groups") ? row.integer("num_groups") : row.integer("groups");
    const std::uint64_t otherwise =
        row.kernel_has({"instance"}) && shape.size() > 1 ? shape[1] : row.shape.get("groups").value_or(1);
    const std::uint64_t count = groups ? static_cast<std::uint64_t>(*groups) : otherwise;
    KernelRun run = kernel_of(row, context, "group_norm");
    run.knob("shape", shape).knob("groups", count).knob("dtype", real_type(row));
    // The library's kernel of a plain group norm is GroupNormSilu as well, told to leave the activation out
    // (aclnn_group_norm.cpp of ops-nn): what the operator's own name says counts, before the kernel's in
    // brackets.
    const std::string& stated = row.measurement->kernel;
    const std::string name = lower(stated.substr(0, stated.find(" (")));
    run.knob("silu", name.find("silu") != std::string::npos || name.find("swish") != std::string::npos);
    return one(run);
}

Adapted glu_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "glu");
    const bool quant = row.kernel_has({"quant"});
    const DataType type = first_type(row);
    if (!real(type) && type != DataType::int32) {
        return WhyNot{"gated units take floats and the int32 of an int8 product"};
    }
    const std::size_t axis = stated_axis(row, shape.size());
    run.knob("shape", shape).knob("axis", axis).knob("dtype", type).knob("quant", quant);
    const bool gelu = row.kernel_has({"geglu", "gelu"});
    run.knob("gate", gelu ? "gelu" : "silu");
    const bool published =
        quant ? row.kernel_has({"dequant"}) && type != DataType::float32 : type != DataType::int32;
    if (!gelu && published && black_box(context)) {
        run.knob("schedule", "library");
        set_pipe_in_object(run);
    }
    if (quant) {
        run.knob("smooth", row.shape.arguments.size() > 3 && row.shape.tensor(3) != nullptr);
        const Extents* smooth =
            row.shape.arguments.empty() ? nullptr : row.shape.tensor(row.shape.arguments.size() - 1);
        if (type != DataType::int32 && smooth != nullptr && row.shape.arguments.size() > 1) {
            run.knob("smooth", true);
        }
    }
    return one(run);
}

}  // namespace

bool is_glu(const Row& row) {
    return row.kernel_has(
        {"swiglu", "swi glu", "geglu", "reglu", "silu and mul", "siluandmul", "swigluquant"});
}

bool is_row_operator(const Row& row) {
    return row.kernel_has({"softmax",
                           "norm",
                           "quant",
                           "reducesum",
                           "reducemax",
                           "reducemin",
                           "reducemean",
                           "reduce sum",
                           "sum reduce",
                           "mean reduce",
                           "max reduce",
                           "min reduce",
                           "foreach norm",
                           "foreachnorm"}) ||
           operator_is(row,
                       {"sum", "mean", "amax", "amin", "max", "min", "l2loss", "reduceall", "reduceany"});
}

namespace {

/// Operators whose names hold a row operator's, but that are none.
bool only_sounds_like_rows(const Row& row) {
    return row.kernel_has({"grad",
                           "backward",
                           "xentropy",
                           "crossentropy",
                           "moe",
                           "gating",
                           "dequantize",
                           "scan",
                           "cumsum",
                           "batchnorm",
                           "batch norm"});
}

}  // namespace

std::optional<Adapted> row_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!is_row_operator(row) && !is_glu(row)) {
        return std::nullopt;
    }
    if (!shape || shape->empty()) {
        return WhyNot{"the row states no shape"};
    }
    if (only_sounds_like_rows(row)) {
        return std::nullopt;
    }
    if (is_glu(row)) {
        return glu_case(row, context, *shape);
    }
    if (row.kernel_has({"softmax"})) {
        return softmax_case(row, context, *shape);
    }
    if (row.kernel_has({"groupnorm", "group norm", "instancenorm"})) {
        return group_case(row, context, *shape);
    }
    if (row.kernel_has({"rms", "layernorm", "layer norm"})) {
        return norm_case(row, context, *shape);
    }
    if (row.kernel_has({"dynamicquant", "pertokenquant"})) {
        return quant_case(row, context, *shape);
    }
    const bool bytes = !row.types.output || *row.types.output == DataType::int8;
    if (operator_is(row, {"ascendquantv2"}) && context.chip.arch == "2201" && bytes) {
        return static_quant_case(row, context, *shape);
    }
    if (row.kernel_has({"foreach norm", "lpnorm", "l2norm", "clipgradnorm", "reduce"}) ||
        operator_is(row, {"norm", "sum", "mean", "amax", "amin", "max", "min"})) {
        return reduce_case(row, context, *shape);
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
