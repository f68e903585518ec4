// SPDX-License-Identifier: Apache-2.0
// Operators that follow an index or order elements: scatters, sums of segments, gathers of elements, whole
// rows sorted, formats.
#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

bool real(DataType type) {
    return type == DataType::half || type == DataType::bfloat16 || type == DataType::float32;
}

constexpr std::uint64_t sorted_whole =
    2048;  // elements of a row that fit the unified buffer with their sorted runs

/// A type of the same size that index_elements takes; nothing for one and eight bytes.
std::optional<DataType> of_size(DataType type) {
    return isa::bits(type) == 16   ? std::optional{DataType::half}
           : isa::bits(type) == 32 ? std::optional{DataType::float32}
                                   : std::nullopt;
}

Case one(KernelRun run, std::string assumed = {}) {
    Case result;
    result.runs.push_back(std::move(run));
    result.assumed = std::move(assumed);
    return result;
}

KernelRun copy_of(const Row& row, const Context& context, const Extents& shape) {
    KernelRun run = kernel_of(row, context, "elementwise");
    run.knob("op", "copy").knob("shape", shape).knob("dtype", first_type(row));
    return run;
}

/// Rows of gradients or data summed by an index into rows of zeros.
Adapted segment_case(const Row& row, const Context& context, const Extents& shape) {
    const std::uint64_t tokens = elements_of(row, 1);
    const std::uint64_t all = product(shape, 0, shape.size());
    if (tokens == 0 || all % tokens != 0) {
        return WhyNot{"the row does not state an index for each row"};
    }
    std::optional<std::int64_t> rows;
    for (const char* key : {"num_segments", "num_weights", "num_embeddings"}) {
        rows = rows ? rows : row.integer(key);
    }
    if (!rows && !row.shape.outputs.empty() && !row.shape.outputs.front().empty()) {
        rows = static_cast<std::int64_t>(row.shape.outputs.front().front());
    }
    if (!rows) {
        return WhyNot{"the row does not say how many rows the result has"};
    }
    const DataType type = first_type(row);
    if (isa::bits(type) == 64 || isa::bits(type) == 8) {
        return WhyNot{"sums of rows take elements of two and four bytes"};
    }
    const bool sorted =
        row.notes_have("sort") || operator_is(row, {"embeddingdensegrad", "embeddingdensebackward"});
    Case result;
    if (row.notes_have("sort")) {
        KernelRun sort = kernel_of(row, context, "top_k");
        const std::uint64_t piece = std::min<std::uint64_t>(tokens, sorted_whole);
        sort.knob("shape", Extents{(tokens + piece - 1) / piece, piece})
            .knob("k", piece)
            .knob("dtype", DataType::float32);
        result.runs.push_back(sort);
    }
    KernelRun run = kernel_of(row, context, "embedding_dense_grad");
    run.knob("shape", Extents{tokens, all / tokens}).knob("rows", static_cast<std::uint64_t>(*rows));
    run.knob("dtype", isa::bits(type) == 16 ? DataType::half : DataType::float32)
        .knob("schedule", sorted ? "sorted" : "atomic");
    result.runs.push_back(run);
    result.assumed = "indices at random; sums in float32";
    return result;
}

/// y[index[i], :] = or += updates[i, :].
Adapted row_scatter_case(
    const Row& row, const Context& context, const Extents& shape, const Extents& updates, bool add) {
    const std::uint64_t index = elements_of(row, row.shape.tensor(1) == &updates ? 2 : 1);
    const std::uint64_t all = product(updates, 0, updates.size());
    std::uint64_t width = product(shape, 1, shape.size());
    if (width == 0 || all % width != 0) {
        width = index == 0 ? 0 : all / index;
    }
    const DataType type = first_type(row);
    const std::optional<DataType> moved = of_size(type);
    if (width == 0 || !moved) {
        return WhyNot{"rows of updates of two- or four-byte elements can be scattered"};
    }
    KernelRun run = kernel_of(row, context, "scatter_rows");
    const std::uint64_t rows = product(shape, 0, shape.size()) / width;
    const std::uint64_t count = all / width;
    if (!add && count > rows) {
        return WhyNot{"more rows are set than there are, and which come last is not stated"};
    }
    run.knob("rows", rows).knob("shape", Extents{count, width}).knob("add", add).knob("dtype", *moved);
    return one(run, "indices spread over the rows");
}

/// torch's scatter: the tensor is copied, then elements are set in the copy.
Adapted element_scatter_case(const Row& row, const Context& context, const Extents& shape) {
    const Extents* const index = row.shape.tensor(1);
    const std::optional<DataType> type = of_size(first_type(row));
    if (index == nullptr || index->size() != shape.size() || !type) {
        return WhyNot{
            "the row states no index of as many axes, or elements of another size than two and four bytes"};
    }
    const std::string reduce = row.attribute("reduce").value_or("none");
    const bool sets =
        reduce.starts_with("none") || reduce.starts_with("null") || reduce.starts_with("update");
    KernelRun run = kernel_of(row, context, "index_elements");
    const auto axis = row.integer("dim") ? row.integer("dim") : row.integer("axis");
    run.knob("kind", sets ? "scatter" : "scatter_add").knob("shape", shape).knob("index", *index);
    run.knob("axis", axis_of(axis.value_or(0), shape.size())).knob("dtype", *type);
    Case result;
    const bool in_place = row.kernel_has({"inplace"}) || !row.kernel_has({"scatter"});
    if (!in_place) {
        result.runs.push_back(copy_of(row, context, shape));
        run.launch_overhead =
            row.notes_have("several") || row.notes_have("tensormove") || row.notes_have("viewcopy");
        result.assumed = "the tensor is copied first";
    }
    result.runs.push_back(run);
    return result;
}

/// The rearrangement (outer, along, inner) to (outer, inner, along), or back.
KernelRun turned(const Row& row, const Context& context, const Extents& shape, DataType type) {
    KernelRun run = kernel_of(row, context, "transpose");
    run.knob("shape", shape).knob("perm", Extents{0, 2, 1}).knob("dtype", type);
    return run;
}

/// The library's first kernel, GatherElements: 57 cycles for each element of a core in IDX-007 are those of a
/// scalar loop. A part of a long one runs, and counts as often.
Adapted gather_by_scalar(KernelRun run, const Extents& shape, Extents index) {
    constexpr std::uint64_t most = 4'000'000;  // elements
    const std::uint64_t before = index.front();
    const std::uint64_t each = product(index, 1, index.size());
    if (index.size() > 1 && before * each > most && shape.size() == index.size()) {
        index.front() = std::max<std::uint64_t>(most / std::max<std::uint64_t>(each, 1), 1);
        run.times = static_cast<double>(before) / static_cast<double>(index.front());
    }
    run.knob("index", index).knob("schedule", "scalar");
    return one(run, "indices at random");
}

/// The second, GatherElementsV2, along an inner axis: x and index are turned through global memory, rows of
/// the axis gathered one after the other, and the result turned back (ops-nn, index/gather_elements_v2,
/// transpose).
Adapted gather_turned(const Row& row,
                      const Context& context,
                      const Extents& shape,
                      const Extents& index,
                      std::size_t axis,
                      DataType type) {
    const std::uint64_t outer = product(index, 0, axis);
    const std::uint64_t inner = product(index, axis + 1, index.size());
    Case result;
    result.assumed = "x is turned as far as the index goes";
    result.runs.push_back(turned(row, context, {outer, shape[axis], inner}, type));
    result.runs.push_back(turned(row, context, {outer, index[axis], inner}, DataType::float32));
    KernelRun run = kernel_of(row, context, "index_elements");
    run.knob("kind", "gather")
        .knob("shape", Extents{outer * inner, shape[axis]})
        .knob("index", Extents{outer * inner, index[axis]});
    run.knob("axis", 1).knob("dtype", type).knob("buffers", 1);
    result.runs.push_back(run);
    result.runs.push_back(turned(row, context, {outer, inner, index[axis]}, type));
    for (std::size_t i = 1; i < result.runs.size(); ++i) {
        result.runs[i].launch_overhead = false;
    }
    return result;
}

Adapted element_gather_case(const Row& row,
                            const Context& context,
                            const Extents& shape,
                            const Extents& index) {
    const std::optional<DataType> type = of_size(first_type(row));
    if (!type) {
        return WhyNot{"elements of two and four bytes can be gathered one by one"};
    }
    const auto stated = row.integer("dim") ? row.integer("dim") : row.integer("axis");
    const std::size_t axis = axis_of(stated.value_or(0), shape.size());
    const bool library = context.source.which == SourceClass::black_box;
    if (library && row.kernel_has({"gatherelementsv2"}) && axis + 1 < shape.size()) {
        return gather_turned(row, context, shape, index, axis, *type);
    }
    KernelRun run = kernel_of(row, context, "index_elements");
    run.knob("kind", "gather").knob("shape", shape).knob("axis", axis).knob("dtype", *type);
    if (library && row.kernel_has({"gatherelements"}) && !row.kernel_has({"gatherelementsv2"})) {
        return gather_by_scalar(std::move(run), shape, index);
    }
    run.knob("index", index);
    return one(run);
}

/// Whole rows in order, with where each element was.
Adapted sort_case(const Row& row, const Context& context, const Extents& shape) {
    const auto axis = row.integer("dim") ? row.integer("dim") : row.integer("axis");
    const std::size_t along = axis_of(axis.value_or(-1), shape.size());
    if (!real(first_type(row))) {
        return WhyNot{"integers are sorted by the AI CPU, which is not simulated"};
    }
    if (product(shape, along + 1, shape.size()) != 1) {
        return WhyNot{"our kernel sorts along the last axis"};
    }
    KernelRun run = kernel_of(row, context, "sort");
    run.knob("shape", Extents{product(shape, 0, along), shape[along]}).knob("dtype", first_type(row));
    return one(run);
}

/// Tokens to the places of their experts: experts' numbers are sorted, then rows follow.
Adapted routing_case(const Row& row, const Context& context, const Extents& shape) {
    const Extents* const experts =
        row.shape.tensor(row.kernel_has({"init"}) && row.shape.arguments.size() > 2 ? 2 : 1);
    std::optional<std::int64_t> k = row.integer("k");
    for (const char* key : {"topk", "top_k", "active_num"}) {
        k = k ? k : row.integer(key);
    }
    std::uint64_t each = k && *k > 0 ? static_cast<std::uint64_t>(*k)
                         : number_in(row.notes, "top_?k[ :=]*([0-9]+)")
                             ? *number_in(row.notes, "top_?k[ :=]*([0-9]+)")
                             : row.shape.get("topk").value_or(row.shape.get("k").value_or(0));
    if (experts != nullptr && experts->size() == 2) {
        each = experts->back();
    }
    if (shape.size() != 2 || each == 0) {
        return WhyNot{"the row does not state tokens, and how many experts each has"};
    }
    const DataType type = real(first_type(row)) ? first_type(row) : DataType::float32;
    const std::uint64_t pairs = shape[0] * each;
    const std::uint64_t piece = std::min<std::uint64_t>(pairs, sorted_whole);
    Case result;
    KernelRun sort = kernel_of(row, context, "top_k");
    sort.knob("shape", Extents{(pairs + piece - 1) / piece, piece})
        .knob("k", piece)
        .knob("dtype", DataType::float32);
    KernelRun move = kernel_of(row, context, "scatter_rows");
    move.knob("rows", pairs).knob("shape", Extents{pairs, shape[1]}).knob("dtype", type);
    move.launch_overhead = false;
    result.runs = {sort, move};
    result.assumed = "pieces of 2048 pairs are sorted; each pair reads its token";
    return result;
}

/// Blocks of 16 rows side by side and back: one kernel has it, the others are permutations of axes.
Adapted format_case(const Row& row, const Context& context, const Extents& shape) {
    const DataType type = first_type(row);
    const std::uint64_t block = 32 * 8 / isa::bits(type);
    const bool from_blocks = row.notes_have("nz to nd") || row.notes_have("nz->nd") ||
                             row.notes_have("fractal_nz->nd") || row.notes_have("fractal_nz to nd");
    const bool image = row.notes_have("nc1hwc0") || row.notes_have("5hd");
    if (isa::bits(type) != 16 && isa::bits(type) != 32) {
        return WhyNot{"formats of two- and four-byte elements can be turned"};
    }
    KernelRun run = kernel_of(row, context, "transpose");
    run.knob("dtype", isa::bits(type) == 16 ? DataType::half : DataType::float32);
    const auto up = [](std::uint64_t n, std::uint64_t to) { return (n + to - 1) / to; };
    if (image && shape.size() == 4) {  // (N, C1, C0, HW) to (N, C1, HW, C0)
        run.knob("shape", Extents{shape[0], up(shape[1], block), block, shape[2] * shape[3]})
            .knob("perm", Extents{0, 1, 3, 2});
        return one(run);
    }
    if (shape.size() < 2) {
        return WhyNot{"the row does not say which format becomes which"};
    }
    const std::uint64_t batch = product(shape, 0, shape.size() - 2);
    const std::uint64_t rows = up(shape[shape.size() - 2], 16) * 16;
    const std::uint64_t columns = up(shape.back(), block);
    if (from_blocks) {
        run.knob("shape", Extents{batch, columns, rows, block}).knob("perm", Extents{0, 2, 1, 3});
    } else {
        run.knob("shape", Extents{batch, rows, columns, block}).knob("perm", Extents{0, 2, 1, 3});
    }
    return one(run, from_blocks || row.notes_have("nz") ? "" : "to blocks of 16 rows (FRACTAL_NZ)");
}

}  // namespace

std::optional<Adapted> index_case(const Row& row, const Context& context) {
    const std::optional<Extents> shape = first_shape(row);
    if (!shape || shape->empty()) {
        return std::nullopt;
    }
    const Extents* const second = row.shape.tensor(1);
    if (operator_is(row,
                    {"unsortedsegmentsum", "segmentsum", "embeddingdensegrad", "embeddingdensebackward"})) {
        return segment_case(row, context, *shape);
    }
    if (operator_is(row, {"scatterelements", "scatter", "scatteradd", "scatterreduce"}) &&
        second != nullptr && second->size() == shape->size() && shape->size() > 1) {
        return element_scatter_case(row, context, *shape);
    }
    const bool adds = operator_is(row,
                                  {"indexadd",
                                   "inplaceindexadd",
                                   "scatterndadd",
                                   "scatteradd",
                                   "inplacescatteradd",
                                   "indexputaccumulate"});
    if (adds || operator_is(row,
                            {"scatterndupdate",
                             "scatternd",
                             "scatterupdate",
                             "inplacescatterupdate",
                             "scatter",
                             "indexput",
                             "indexcopy",
                             "inplaceindexcopy",
                             "kvcachescatter",
                             "reshapeandcache"})) {
        const Extents* const third = row.shape.tensor(2);
        if (second == nullptr || third == nullptr) {
            return WhyNot{"the row does not state index and updates"};
        }
        // Updates are the larger: torch puts the index before them, IndexPut behind.
        const bool swapped = product(*second, 0, second->size()) > product(*third, 0, third->size());
        return row_scatter_case(row, context, *shape, swapped ? *second : *third, adds);
    }
    if (operator_is(row, {"gatherelements", "gatherd", "takealongaxis", "takealongdim"}) &&
        second != nullptr && second->size() == shape->size()) {
        return element_gather_case(row, context, *shape, *second);
    }
    if (operator_is(row, {"sort", "argsort", "sortwithindex"})) {
        return sort_case(row, context, *shape);
    }
    if (operator_is(row, {"moeinitrouting", "moetokenpermute"})) {
        return routing_case(row, context, *shape);
    }
    if (operator_is(row, {"transdata", "npuformatcast", "formatcast"})) {
        return format_case(row, context, *shape);
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
