// SPDX-License-Identifier: Apache-2.0
// Operators that move, choose and order elements.
#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

bool real(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32;
}

std::uint64_t bytes_of(DataType type) {
    return std::max<std::uint64_t>(isa::bits(type) / 8, 1);
}

/// Extents behind "out" in the notes: "out 1024,4,12288".
Extents stated_output(const Row& row) {
    return numbers_in(row.notes, "\\bout ([0-9,]+)");
}

/// The permutation that is stated, or the one that makes the stated output of the input.
Extents permutation(const Row& row, const Extents& shape) {
    Extents perm;
    for (const char* key : {"perm", "dims", "permute"}) {
        for (const std::int64_t axis : row.list(key)) {
            perm.push_back(axis_of(axis, shape.size()));
        }
        if (!perm.empty()) {
            return perm;
        }
    }
    for (const std::uint64_t extent : stated_output(row)) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == extent && std::ranges::find(perm, i) == perm.end()) {
                perm.push_back(i);
                break;
            }
        }
    }
    if (perm.empty() && shape.size() == 2) {
        perm = {1, 0};
    }
    return perm;
}

KernelRun transposition(
    const Row& row, const Context& context, Extents shape, const Extents& perm, DataType type) {
    // Elements are moved, not looked at: any type of the same size does.
    const std::uint64_t size = bytes_of(type);
    if (size == 8 || size == 1) {
        const bool last_stays = perm.back() + 1 == shape.size();
        if (last_stays && size == 8) {
            shape.back() *= 2;
        } else if (last_stays && shape.back() % 2 == 0) {
            shape.back() /= 2;
        }
    }
    KernelRun run = kernel_of(row, context, "transpose");
    run.knob("shape", shape).knob("perm", perm).knob("dtype", size >= 4 ? DataType::float32 : DataType::half);
    run.knob("schedule", context.source.which == SourceClass::black_box ? "library" : "overlapped");
    return run;
}

Adapted transpose_case(const Row& row, const Context& context, const Extents& shape) {
    const Extents perm = permutation(row, shape);
    if (perm.size() != shape.size()) {
        return WhyNot{"the row does not say which axis goes where"};
    }
    const std::uint64_t size = bytes_of(first_type(row));
    const bool last_stays = perm.back() + 1 == shape.size();
    if ((size == 8 && !last_stays) || (size == 1 && (!last_stays || shape.back() % 2 != 0))) {
        return WhyNot{"our transposition moves elements of two and four bytes"};
    }
    Case result;
    result.runs.push_back(transposition(row, context, shape, perm, first_type(row)));
    return result;
}

/// Rows of any width by sorted pieces: the best k of each piece, then the best k of those.
void add_top_k(Case& result,
               const Row& row,
               const Context& context,
               std::uint64_t rows,
               std::uint64_t width,
               std::uint64_t k,
               bool softmax) {
    constexpr std::uint64_t widest = 4096;  // sorted within the unified buffer
    const DataType type = real(first_type(row)) ? first_type(row) : DataType::float32;
    KernelRun run = kernel_of(row, context, "top_k");
    run.launch_overhead = result.runs.empty();
    if (width <= widest) {
        run.knob("shape", Extents{rows, width}).knob("k", k).knob("dtype", type).knob("softmax", softmax);
        result.runs.push_back(run);
        return;
    }
    std::uint64_t pieces = (width + widest - 1) / widest;
    if (rows * pieces < context.chip.cores.aiv && width / context.chip.cores.aiv > 4 * k) {
        pieces = (context.chip.cores.aiv + rows - 1) / rows *
                 ((pieces + context.chip.cores.aiv - 1) / context.chip.cores.aiv);
        pieces = std::max<std::uint64_t>(pieces, (width + widest - 1) / widest);
    }
    const std::uint64_t piece = (width + pieces - 1) / pieces;
    run.knob("shape", Extents{rows * pieces, piece}).knob("k", std::min(k, piece)).knob("dtype", type);
    result.runs.push_back(run);
    add_top_k(result, row, context, rows, pieces * std::min(k, piece), k, false);
}

/// How many a row says are chosen; 0: it does not.
std::uint64_t chosen_of(const Row& row) {
    if (const std::optional<std::int64_t> stated = row.integer("k")) {
        return static_cast<std::uint64_t>(*stated);
    }
    const auto named = number_in(row.measurement->kernel, "\\bk *= *([0-9]+)");  // "torch topk k=1024"
    return row.shape.get("k").value_or(named.value_or(0));
}

/// What gating does beside the choice itself.
void set_gating(KernelRun& run, const Context& context, std::uint64_t k, std::uint64_t width) {
    // The published order for at most eight of up to 64 (moe_gating_top_k_softmax_perf), 150 cycles a row in
    // IDX-015. Of wider rows the kernel measured makes more: those of 256 take it as long as one row after
    // the other (IDX-029).
    constexpr std::uint64_t widest = 64;
    if (context.source.which == SourceClass::black_box && k <= 8 && width <= widest &&
        (width % 8 == 0 || width < 8)) {
        run.knob("together", true);
    }
    run.knob("sources", true);  // its third result, row_idx
    set_pipe_in_object(run);
}

Adapted top_k_case(const Row& row, const Context& context, const Extents& shape) {
    const DataType type = first_type(row);
    if (!real(type)) {
        return WhyNot{"integers are sorted by the AI CPU, which is not simulated"};
    }
    const bool gating = row.kernel_has({"gating"});
    const std::uint64_t k = chosen_of(row);
    if (k == 0) {
        return WhyNot{"the row does not say how many are chosen"};
    }
    const std::size_t axis = axis_of(row.integer("dim").value_or(-1), shape.size());
    const std::uint64_t width = shape[axis];
    const std::uint64_t rows = product(shape, 0, shape.size()) / std::max<std::uint64_t>(width, 1);
    if (k > width || k > 4096) {
        return WhyNot{"more are chosen than our kernel keeps of a row"};
    }
    Case result;
    const std::uint64_t inner = product(shape, axis + 1, shape.size());
    if (inner > 1) {
        result.assumed = "the axis is moved to the end first, and back behind";
        const std::uint64_t outer = product(shape, 0, axis);
        result.runs.push_back(transposition(row, context, {outer, width, inner}, {0, 2, 1}, type));
        add_top_k(result, row, context, rows, width, k, gating);
        KernelRun back = transposition(row, context, {outer, inner, k}, {0, 2, 1}, type);
        back.launch_overhead = false;
        result.runs.push_back(back);
        return result;
    }
    add_top_k(result, row, context, rows, width, k, gating);
    if (row.measurement->source.find("kernels/manual/a2a3/topk") != std::string::npos) {
        result.runs.front().knob("pairs", true);
    }
    if (gating && row.kernel_has({"softmax"})) {
        set_gating(result.runs.front(), context, k, width);
    }
    return result;
}

/// The operator library's kernel, which deals out whole ranks and counts tokens one by one.
Adapted routed_as_library(const Row& row,
                          const Context& context,
                          const Extents& shape,
                          std::uint64_t ranks,
                          std::uint64_t experts) {
    Case result;
    result.assumed = "all experts get as many tokens of each rank";
    KernelRun run = kernel_of(row, context, "moe_re_routing");
    const bool wide = row.types.inputs.size() > 1 && row.types.inputs[1] == DataType::int64;
    run.knob("shape", shape).knob("ranks", ranks).knob("experts", experts).knob("dtype", first_type(row));
    run.knob("count_type", wide ? DataType::int64 : DataType::int32);
    run.knob("scaled", row.shape.arguments.size() > 2 && row.shape.tensor(2) != nullptr);
    result.runs.push_back(run);
    return result;
}

/// Tokens by (rank, expert) to tokens by (expert, rank): runs of rows change places.
Adapted re_routing_case(const Row& row, const Context& context, const Extents& shape) {
    const Extents* counts = row.shape.tensor(1);
    if (counts == nullptr || counts->size() != 2 || shape.size() != 2) {
        return WhyNot{"the row does not state tokens, and ranks by experts"};
    }
    const std::uint64_t ranks = counts->front();
    const std::uint64_t experts = counts->back();
    const std::uint64_t run_length = std::max<std::uint64_t>(shape[0] / (ranks * experts), 1);
    const DataType type = first_type(row);
    if (context.source.which == SourceClass::black_box && bytes_of(type) <= 2) {
        return routed_as_library(row, context, shape, ranks, experts);
    }
    if (bytes_of(type) == 1 && shape[1] % 2 != 0) {
        return WhyNot{"our kernel moves elements of two and four bytes"};
    }
    Case result;
    result.assumed = "all experts get as many tokens of each rank";
    result.runs.push_back(
        transposition(row, context, {ranks, experts, run_length, shape[1]}, {1, 0, 2, 3}, type));
    return result;
}

Adapted finalize_case(const Row& row, const Context& context, const Extents& shape) {
    const auto given = [&](std::size_t i) { return row.shape.tensor(i) != nullptr; };
    const Extents* pairs = given(5) ? row.shape.tensor(5) : row.shape.tensor(6);
    if (pairs == nullptr || pairs->size() != 2 || !real(first_type(row))) {
        return WhyNot{"the row does not state tokens by experts, or no float type"};
    }
    KernelRun run = kernel_of(row, context, "moe_finalize");
    run.knob("shape", Extents{pairs->front(), shape.back()})
        .knob("k", pairs->back())
        .knob("dtype", first_type(row));
    run.knob("skips", (given(2) ? 1 : 0) + (given(3) ? 1 : 0))
        .knob("bias", given(4))
        .knob("scaled", given(5));
    if (given(4)) {
        run.knob("experts", row.shape.tensor(4)->front());
    }
    if (context.source.which == SourceClass::black_box) {
        run.knob("schedule", "library").knob("by_expert", row.integer("drop_pad_mode").value_or(0) < 2);
        set_pipe_in_object(run);
    }
    Case result;
    result.runs.push_back(run);
    return result;
}

/// Whole rows of a table by an index.
Adapted gather_case(const Row& row, const Context& context, const Extents& shape) {
    if (row.kernel_has({"elements", "scatter", "multi core gather", "gathernd", "grad"}) ||
        row.integer("dim").value_or(0) != 0) {
        return WhyNot{"elements one by one by an index: no kernel of ours does that"};
    }
    const std::uint64_t rows = elements_of(row, 1);
    const std::uint64_t width = product(shape, 1, shape.size());
    if (rows == 0 || width == 0) {
        return WhyNot{"the row does not state the index's extents"};
    }
    Case result;
    const DataType type = first_type(row);
    // A device's part of a vocabulary: what others hold is looked up as the first row here, by all cores at
    // once.
    if (const std::int64_t shards = row.integer("shards").value_or(1); shards > 1) {
        KernelRun run = kernel_of(row, context, "index_rows");
        run.knob("shape", Extents{shape.front(), width}).knob("count", rows).knob("dtype", type);
        run.knob("shards", static_cast<std::uint64_t>(shards));
        result.assumed = "one of the shards' indices is of a row here, the others are 0";
        result.runs.push_back(run);
        return result;
    }
    if (width * bytes_of(type) >= 8192) {  // copies of whole rows, wherever they lie
        KernelRun run = kernel_of(row, context, "elementwise");
        run.knob("op", "copy").knob("shape", Extents{rows, width}).knob("dtype", type);
        result.assumed = "rows this long are copied as if they lay side by side";
        result.runs.push_back(run);
        return result;
    }
    KernelRun run = kernel_of(row, context, "moe_finalize");
    run.knob("shape", Extents{rows, width}).knob("k", 1).knob("dtype", real(type) ? type : DataType::float32);
    run.knob("skips", 0).knob("bias", false).knob("scaled", false);
    result.runs.push_back(run);
    return result;
}

/// What is kept of a tensor, copied.
Adapted slice_case(const Row& row, const Context& context) {
    Extents out = stated_output(row);
    if (out.empty()) {
        if (const std::optional<std::uint64_t> kept = number_in(row.measurement->shape, "->\\s*(\\d+)")) {
            out = {*kept};
        }
    }
    if (out.empty()) {
        return WhyNot{"the row does not say what is kept"};
    }
    Case result;
    DataType type = first_type(row);
    KernelRun run = kernel_of(row, context, "elementwise");
    run.knob("op", "copy").knob("shape", out).knob("dtype", type);
    if (context.source.which == SourceClass::black_box) {
        set_without_pipe(run);
    }
    result.assumed = "what is kept lies side by side";
    result.runs.push_back(run);
    return result;
}

}  // namespace

bool is_movement(const Row& row) {
    return row.kernel_has({"transpose",
                           "permute",
                           "gather",
                           "slice",
                           "topk",
                           "top k",
                           "embedding",
                           "indexselect",
                           "routing",
                           "argmax",
                           "argmin",
                           "scatter",
                           "sort",
                           "concat",
                           "pad",
                           "moe",
                           "nonzero",
                           "unique"});
}

std::optional<Adapted> movement_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!is_movement(row)) {
        return std::nullopt;
    }
    if (!shape || shape->empty()) {
        return WhyNot{"the row states no shape"};
    }
    if (row.kernel_has({"topk", "top k", "gating"})) {
        return top_k_case(row, context, *shape);
    }
    if (row.kernel_has({"rerouting", "re routing"})) {
        return re_routing_case(row, context, *shape);
    }
    if (row.kernel_has({"finalize", "unpermute"}) && row.shape.arguments.size() >= 6) {
        return finalize_case(row, context, *shape);
    }
    if (row.kernel_has({"transpose", "permute"}) && !row.kernel_has({"moe", "batchmatmul"})) {
        return transpose_case(row, context, *shape);
    }
    if (row.kernel_has({"gather", "embedding", "indexselect"})) {
        return gather_case(row, context, *shape);
    }
    if (row.kernel_has({"slice"})) {
        return slice_case(row, context);
    }
    if (row.kernel_has({"argmax", "argmin"})) {
        return WhyNot{"the index of an extreme is found by no kernel of ours"};
    }
    return WhyNot{"no kernel of ours moves elements as " + row.measurement->kernel + " does"};
}

}  // namespace ascendsim::validation
