// SPDX-License-Identifier: Apache-2.0
// Operators along an axis beyond norms and reductions: running sums, gradients of softmax and norms, losses
// of classes, rotary embedding.
#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"
#include "kernels/ops/attention/apply_rotary/apply_rotary_room.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

bool real(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32;
}

std::size_t stated_axis(const Row& row, std::size_t rank) {
    for (const char* key : {"dim", "axis"}) {
        if (const auto value = row.integer(key)) {
            return axis_of(*value, rank);
        }
    }
    return rank - 1;
}

KernelRun turned(const Row& row, const Context& context, const Extents& shape, DataType type) {
    KernelRun run = kernel_of(row, context, "transpose");
    run.knob("shape", shape)
        .knob("perm", Extents{0, 2, 1})
        .knob("dtype", isa::bits(type) == 16 ? DataType::half : DataType::float32);
    return run;
}

/// Running sums and their like. Rows are turned into columns and back: the vector unit adds columns side by
/// side.
Adapted cumulate_case(
    const Row& row, const Context& context, const Extents& shape, const char* kind, bool indices) {
    const DataType given = first_type(row);
    if (isa::bits(given) != 16 && isa::bits(given) != 32) {
        return WhyNot{"running sums of elements of two and four bytes can be run"};
    }
    const DataType type = real(given) ? given : DataType::float32;
    const std::size_t axis = stated_axis(row, shape.size());
    const std::uint64_t outer = product(shape, 0, axis);
    const std::uint64_t inner = product(shape, axis + 1, shape.size());
    Case result;
    KernelRun run = kernel_of(row, context, "cumulate");
    run.knob("kind", kind).knob("dtype", type).knob("indices", indices);
    if (inner > 1) {
        run.knob("shape", Extents{outer, shape[axis], inner}).knob("axis", 1);
        result.runs.push_back(run);
        return result;
    }
    if (outer < 8 && shape[axis] > 65536) {
        return WhyNot{"how the library deals out a single long row to its cores is not known"};
    }
    result.assumed = "the rows are turned into columns first, and back behind";
    run.knob("shape", Extents{shape[axis], outer}).knob("axis", 0);
    run.launch_overhead = false;
    result.runs.push_back(turned(row, context, {1, outer, shape[axis]}, type));
    result.runs.push_back(run);
    for (int i = 0; i < (indices ? 2 : 1); ++i) {
        KernelRun back = turned(row, context, {1, shape[axis], outer}, i == 0 ? type : DataType::float32);
        back.launch_overhead = false;
        result.runs.push_back(back);
    }
    return result;
}

/// Rows of row_math; a norm's rows are as long as its weights.
Adapted row_math_case(const Row& row, const Context& context, const Extents& shape, const char* kind) {
    const bool norm = std::string_view{kind}.find("norm_grad") != std::string_view::npos;
    const std::size_t axis = stated_axis(row, shape.size());
    if (product(shape, axis + 1, shape.size()) != 1) {
        return WhyNot{"gradients along an axis that is not the last have no kernel of ours"};
    }
    std::uint64_t width = shape.back();
    if (norm) {
        const Extents* const gamma =
            row.shape.arguments.size() > 2 ? row.shape.tensor(row.shape.arguments.size() - 1) : nullptr;
        const std::uint64_t count = gamma == nullptr ? 0 : product(*gamma, 0, gamma->size());
        const std::uint64_t all = product(shape, 0, shape.size());
        width = count > 1 && count < all && all % count == 0 ? count : width;
    }
    KernelRun run = kernel_of(row, context, "row_math");
    run.knob("kind", kind)
        .knob("shape", Extents{product(shape, 0, shape.size()) / std::max<std::uint64_t>(width, 1), width});
    run.knob("dtype", real(first_type(row)) ? first_type(row) : DataType::float32);
    Case result;
    result.runs.push_back(run);
    return result;
}

/// The library writes the logarithms of the softmax, then picks each row's.
Adapted class_loss_case(const Row& row, const Context& context, const Extents& shape) {
    if (shape.size() < 2) {
        return WhyNot{"the shape does not say rows and classes"};
    }
    const Extents* const target = row.shape.tensor(1);
    if (target != nullptr && target->size() == shape.size() && *target == shape) {
        return WhyNot{"a loss against probabilities of all classes has no kernel of ours"};
    }
    const DataType type = real(first_type(row)) ? first_type(row) : DataType::float32;
    const std::uint64_t rows = product(shape, 0, shape.size()) / shape[1];
    Case result;
    KernelRun softmax = kernel_of(row, context, "softmax");
    if (shape.size() == 2) {
        softmax.knob("shape", shape).knob("dtype", type);
    } else {
        softmax = kernel_of(row, context, "softmax_axis");
        softmax.knob("shape", shape).knob("axis", 1).knob("dtype", type);
    }
    // A block of 32 B of each row, wherever its target lies.
    constexpr std::uint64_t block = 16;
    KernelRun pick = kernel_of(row, context, "moe_finalize");
    pick.knob("shape", Extents{rows, block})
        .knob("k", 1)
        .knob("dtype", type)
        .knob("skips", 0)
        .knob("bias", false)
        .knob("scaled", false);
    pick.launch_overhead = row.notes_have("nllloss") || row.notes_have("several");
    result.runs = {softmax, pick};
    result.assumed = "the logarithms of the softmax are written, then each row's is picked";
    return result;
}

/// Heads of tokens, with the angles each position has.
KernelRun rotary_run(const Row& row, const Context& context, const Extents& shape, const Extents* angles) {
    const std::uint64_t width = shape.back();
    std::uint64_t heads = 1;
    std::uint64_t positions = 0;
    if (angles != nullptr && angles->size() == shape.size()) {
        // Axes that the angles do not have, right before the last, are heads: (B, S, N, D) against (1, S, 1,
        // D).
        std::size_t axis = shape.size() - 1;
        while (axis > 0 && (*angles)[axis - 1] == 1) {
            heads *= shape[--axis];
        }
        positions = product(*angles, 0, angles->size()) / width;
    }
    const std::uint64_t tokens = product(shape, 0, shape.size()) / width / heads;
    KernelRun run = kernel_of(row, context, "rotary");
    const bool pairs = row.kernel_has({"interleave"}) || row.notes_have("interleave");
    run.knob("shape", Extents{tokens, heads, width}).knob("neighbours", pairs);
    run.knob("positions", positions != 0 && tokens % positions == 0 ? positions : 0);
    run.knob("dtype", real(first_type(row)) ? first_type(row) : DataType::float32);
    return run;
}

/// The library's InterleaveRope: (B, N, S, 64) with angles (B, 1, S or 1, 64), each token by itself.
std::optional<KernelRun> interleaved(const Row& row, const Context& context, const Extents& shape) {
    const Extents* const angles = row.shape.tensor(1);
    const DataType type = first_type(row);
    constexpr std::uint64_t width = 64;
    const bool by_token = angles != nullptr && angles->size() == 4 && shape.size() == 4 &&
                          (*angles)[0] == shape[0] && (*angles)[1] == 1 && shape[2] == 1;
    if (!by_token || shape[3] != width || context.chip.arch != "2201" || shape[1] > 255 ||
        (type != DataType::half && type != DataType::bfloat16)) {
        return std::nullopt;
    }
    KernelRun run = kernel_of(row, context, "interleave_rope");
    run.knob("tokens", shape[0]).knob("heads", shape[1]).knob("dtype", type);
    return run;
}

Adapted rotary_case(const Row& row, const Context& context, const Extents& shape) {
    Case result;
    if (operator_is(row, {"interleaverope"})) {
        if (std::optional<KernelRun> run = interleaved(row, context, shape)) {
            result.runs.push_back(*run);
            return result;
        }
    }
    result.runs.push_back(rotary_run(row, context, shape, row.shape.tensor(1)));
    if (row.kernel_has({"grad"})) {
        result.assumed = "the gradient of the heads alone, which turns them back";
    }
    return result;
}

/// Queries and keys by one kernel, behind the kernels that make whole angles of the halves, where the notes
/// list them.
Adapted rotary_pair_case(const Row& row, const Context& context, const Extents& query) {
    const Extents* const key = row.shape.tensor(1);
    const Extents* const cos = row.shape.tensor(2);
    if (query.size() != 4 || key == nullptr || cos == nullptr || key->size() != 4) {
        return WhyNot{"the row does not state queries, keys and angles"};
    }
    const bool heads_last = row.integer("layout").value_or(0) == 0;  // (B, S, N, D); else (B, N, S, D)
    const std::uint64_t tokens = query[0] * query[heads_last ? 1 : 2];
    const std::uint64_t heads = query[heads_last ? 2 : 1] + (*key)[heads_last ? 2 : 1];
    Case result;
    const DataType type = real(first_type(row)) ? first_type(row) : DataType::float32;
    const std::uint64_t positions = product(*cos, 0, cos->size()) / cos->back();
    if (row.notes_have("concatd") && cos->back() * 2 == query[3]) {
        KernelRun join = kernel_of(row, context, "rearrange");
        join.knob("kind", "concat").knob("shape", Extents{positions, query[3]}).knob("axis", 1);
        join.knob("parts", Extents{cos->back(), cos->back()}).knob("dtype", type);
        join.times = 2;
        result.runs.push_back(join);
    }
    if (row.notes_have("broadcastto")) {
        KernelRun spread = kernel_of(row, context, "elementwise");
        spread.knob("op", "copy")
            .knob("shape", Extents{tokens / positions, positions * query[3]})
            .knob("shape0", Extents{1, positions * query[3]});
        spread.knob("dtype", type);
        spread.times = 2;
        result.runs.push_back(spread);
    }
    constexpr std::uint64_t library_width = 128;
    const bool pairs = row.attribute("rotarymode").value_or("half").starts_with("inter");
    if (heads_last && !pairs && query[3] == library_width && context.chip.arch == "2201" &&
        host::apply_rotary_takes(query[2], (*key)[2], type, context.chip.buffers.ub)) {
        KernelRun library = kernel_of(row, context, "apply_rotary");
        library.knob("tokens", tokens).knob("queries", query[2]).knob("keys", (*key)[2]).knob("dtype", type);
        set_pipe_in_object(library);
        result.runs.push_back(library);
        return result;
    }
    KernelRun run = kernel_of(row, context, "rotary");
    run.knob("shape", heads_last ? Extents{tokens, heads, query[3]} : Extents{tokens * heads, 1, query[3]})
        .knob("neighbours", pairs);
    run.knob("dtype", type);
    if (!row.notes_have("broadcastto")) {
        run.knob("positions", positions);
    }
    result.runs.push_back(run);
    return result;
}

Adapted sinkhorn_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "sinkhorn");
    run.knob("shape", shape);
    const auto steps = row.integer("iter_step") ? row.integer("iter_step") : row.integer("num_iters");
    run.knob("steps", steps.value_or(20));
    Case result;
    result.runs.push_back(run);
    return result;
}

Adapted batch_norm_case(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "batch_norm");
    run.knob("shape", shape).knob("dtype", real(first_type(row)) ? first_type(row) : DataType::float32);
    Case result;
    result.runs.push_back(run);
    result.assumed = "mean and deviation are those of the batch, as in training";
    return result;
}

Adapted mhc_post_case(const Row& row, const Context& context, const Extents& shape) {
    const auto stated = row.shape.get("->x");  // "x 4x512x256 -> x4"
    const auto streams =
        row.integer("streams") ? static_cast<std::uint64_t>(*row.integer("streams")) : stated.value_or(0);
    if (streams == 0 || first_type(row) != DataType::float32) {
        return WhyNot{"the row does not state how many streams it writes, or no float32"};
    }
    Case result;
    result.runs.push_back(kernel_of(row, context, "mhc_post"));
    result.runs.back()
        .knob("shape", Extents{product(shape, 0, shape.size() - 1), shape.back()})
        .knob("streams", streams);
    return result;
}

Adapted polar_case(const Row& row, const Context& context, const Extents& shape) {
    Case result;
    result.runs.push_back(kernel_of(row, context, "polar"));
    result.runs.back().knob("shape", shape);
    return result;
}

/// An operator by its names, and which of a kernel's kinds it is.
struct Kind {
    std::initializer_list<std::string_view> names;
    const char* kind;
    bool indices = false;
};

/// Operators that one kernel does in several kinds: running sums and the like, and mathematics along rows.
std::optional<Adapted> case_of_kinds(const Row& row, const Context& context, const Extents& shape) {
    for (const Kind& one : {Kind{{"cumsum", "cumulativesum"}, "sum"},
                            Kind{{"cumprod", "cumulativeproduct"}, "product"},
                            Kind{{"cummin"}, "minimum", true},
                            Kind{{"cummax"}, "maximum", true}}) {
        if (operator_is(row, one.names)) {
            return cumulate_case(row, context, shape, one.kind, one.indices);
        }
    }
    for (const Kind& one :
         {Kind{{"softmaxgrad", "softmaxbackward"}, "softmax_grad"},
          Kind{{"logsoftmaxgrad", "logsoftmaxbackward"}, "log_softmax_grad"},
          Kind{{"layernormgrad", "layernormbackward", "nativelayernormbackward"}, "layer_norm_grad"},
          Kind{{"rmsnormgrad", "rmsnormbackward"}, "rms_norm_grad"},
          Kind{{"l1normalize"}, "l1_norm"},
          Kind{{"l2normalize", "normalize"}, "l2_norm"}}) {
        if (operator_is(row, one.names)) {
            return row_math_case(row, context, shape, one.kind);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Adapted> axis_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!shape || shape->empty()) {
        return std::nullopt;
    }
    if (const std::optional<Adapted> one = case_of_kinds(row, context, *shape)) {
        return one;
    }
    if (row.kernel_has({"mhc_post", "mhcpost"}) && shape->size() > 1) {
        return mhc_post_case(row, context, *shape);
    }
    if (operator_is(row, {"polar"}) && first_type(row) == DataType::float32) {
        return polar_case(row, context, *shape);
    }
    if (operator_is(row, {"mhcsinkhorn", "sinkhorn"})) {
        return sinkhorn_case(row, context, *shape);
    }
    if (operator_is(row, {"batchnorm", "batchnorm2d", "batchnorm3d", "nativebatchnorm", "syncbatchnorm"}) &&
        shape->size() > 2) {
        return batch_norm_case(row, context, *shape);
    }
    if (operator_is(row, {"crossentropyloss", "crossentropy", "sparsesoftmaxcrossentropywithlogits"})) {
        return class_loss_case(row, context, *shape);
    }
    if (operator_is(row, {"applyrotaryposemb"})) {
        return rotary_pair_case(row, context, *shape);
    }
    if (is_rotary(row)) {
        return rotary_case(row, context, *shape);
    }
    return std::nullopt;
}

bool is_rotary(const Row& row) {
    return operator_is(row,
                       {"applyrotaryposemb",
                        "rotarymul",
                        "rotarypositionembedding",
                        "rotaryembedding",
                        "interleaverope",
                        "rope",
                        "rotarymulgrad",
                        "rotarypositionembeddinggrad"});
}

}  // namespace ascendsim::validation
