// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/copy_rows.hpp"

#include <algorithm>

#include "app/validation/rows/row_words.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

const std::string& notes(const Row& row) {
    return row.measurement->notes;
}

isa::DataType type_of(const Row& row) {
    const isa::DataType type = row.types.inputs.empty() ? isa::DataType::half : row.types.inputs.front();
    switch (isa::bits(type)) {
        case 8:
            return isa::DataType::int8;
        case 32:
            return isa::DataType::float32;
        case 64:
            return isa::DataType::int64;
        default:
            return isa::DataType::half;
    }
}

double bytes_of(const Extents& shape, isa::DataType type) {
    double bytes = isa::bits(type) / 8.0;
    for (const std::uint64_t extent : shape) {
        bytes *= static_cast<double>(extent);
    }
    return bytes;
}

void add_cores(KernelRun& run, const Row& row, const Context& context, bool cube) {
    const std::uint32_t all = cube ? context.chip.cores.aic : context.chip.cores.aiv;
    const auto kind = cube ? row.cores.aic : row.cores.aiv;
    if (const auto cores = kind ? kind : row.cores.count; cores && *cores > 0 && *cores < all) {
        run.knob("blocks", *cores);
    }
}

/// The extents behind "out", as in "out 4,1024"; else the first tensor's, or a number of elements or bytes.
std::optional<Extents> result_shape(const Row& row) {
    Extents stated = numbers_in(notes(row), "\\bout(?:put)? *:? *\\[?([0-9]+(?:[,x] ?[0-9]+)*)");
    if (!stated.empty()) {
        return stated;
    }
    if (const Extents* const first = row.shape.tensor(0)) {
        return *first;
    }
    if (const auto elements = row.shape.elements()) {
        return Extents{*elements};
    }
    if (const auto megabytes = row.shape.get("bytes_in_mb")) {
        return Extents{*megabytes * 1000000 / (isa::bits(type_of(row)) / 8)};
    }
    return std::nullopt;
}

/// "about 29-36 us floor is host/event overhead": its middle.
double host_floor(const Row& row) {
    const char* const pattern = "([0-9]+) *- *([0-9]+) *us (?:floor|host|overhead)";
    const auto low = number_in(notes(row), pattern, 1);
    const auto high = number_in(notes(row), pattern, 2);
    return low && high ? static_cast<double>(*low + *high) / 2 : 0;
}

// ---- a matrix, tile after tile ----

void add_tile(KernelRun& run, const Row& row, bool cube, bool by_all, std::uint64_t repeats) {
    const char* const pattern = "tile *\\[? *([0-9]+) *[,x] *([0-9]+)";
    const auto rows = number_in(notes(row), pattern, 1);
    const auto columns = number_in(notes(row), pattern, 2);
    if (rows && columns) {
        run.knob("tile_rows", *rows).knob("tile_columns", *columns);
    } else if (by_all) {  // of the vendor's sample
        run.knob("tile_rows", cube ? 256 : 128).knob("tile_columns", 64);
    } else if (repeats > 1) {
        run.knob("tile_rows", 64).knob("tile_columns", 1024);
    }
}

Adapted matrix_case(const Row& row, const Context& context, const Extents& shape) {
    const bool cube = row.kernel_has({"l1"});
    if (cube && !context.chip.cores.split) {
        return WhyNot{"the copy to L1 in fractals is an instruction of split cores"};
    }
    const std::string name = lower(row.measurement->kernel);
    const std::uint64_t repeats =
        number_in(name, "x *([0-9]+)\\b").value_or(row.shape.get("reads").value_or(1));
    if (row.shape.get("reads").value_or(repeats) != repeats) {
        return WhyNot{"the name and the shape differ in how often the matrix is read"};
    }
    const bool by_all = name.find("every core") != std::string::npos ||
                        name.find("same matrix") != std::string::npos || row.notes_have("same-address");
    Extents extents = shape;
    if (const auto columns = number_in(notes(row), "\\bN *= *([0-9]+)")) {
        extents.back() = *columns;
    }
    KernelRun run{.kernel = "copy", .warm_l2 = context.source.warm_l2()};
    run.knob("shape", extents)
        .knob("dtype", type_of(row))
        .knob("route", cube ? "gm_to_l1_nd2nz" : "gm_to_ub");
    add_tile(run, row, cube, by_all, repeats);
    add_cores(run, row, context, cube);
    if (repeats > 1) {
        const bool sliced = row.notes_have("slice") || row.notes_have("split");
        run.knob("times", repeats).knob("slices", sliced ? repeats : 1);
    }
    if (by_all) {
        const bool staggered =
            row.notes_have("stagger") || row.notes_have("offset") || row.notes_have("rotat");
        run.knob("order", staggered ? "staggered" : "same").knob("bypass_l2", true);
    }
    Case result;
    result.amount = bytes_of(extents, type_of(row)) * static_cast<double>(repeats);
    result.runs.push_back(std::move(run));
    return result;
}

// ---- one path of one core ----

/// One instruction many times on the cube core, whose busy time is that of the path.
Case instruction_path(const char* op, const char* pipe, double bytes) {
    constexpr int calls = 200;
    Case result;
    KernelRun run{.kernel = "instruction"};
    run.knob("op", op)
        .knob("calls", calls)
        .knob("barrier", false)
        .knob("m", 128)
        .knob("k", 128)
        .knob("n", 128);
    result.runs.push_back(std::move(run));
    result.quantity = Quantity::pipe;
    result.pipe = pipe;
    result.amount = bytes * calls;
    return result;
}

Case copy_path(const char* route, const char* pipe) {
    Case result;
    KernelRun run{.kernel = "copy", .warm_l2 = true};
    run.knob("shape", Extents{1024, 4096}).knob("route", route).knob("blocks", 1);
    result.runs.push_back(std::move(run));
    result.quantity = Quantity::pipe;
    result.pipe = pipe;
    result.amount = 1024.0 * 4096 * 2;
    return result;
}

Adapted path_case(const std::string& path) {
    constexpr double operand = 128 * 128 * 2;
    const auto says = [&path](const char* pattern) {
        return Pattern{pattern, Pattern::Case::any}.is_in(path);
    };
    if (says("L1 *-> *L0A")) {
        return instruction_path("load_l0a", "aic_mte1", operand);
    }
    if (says("L1 *-> *L0B")) {
        return instruction_path("load_l0b", "aic_mte1", operand);
    }
    if (says("L0C *-> *(GM|OUT)")) {
        return instruction_path("fixpipe", "aic_fixpipe", 2 * operand);
    }
    if (says("(GM|OUT) *-> *UB")) {
        return copy_path("gm_to_ub", "aiv_mte2");
    }
    if (says("(GM|OUT) *-> *L1")) {
        return copy_path(says("nd2nz") ? "gm_to_l1_nd2nz" : "gm_to_l1", "aic_mte2");
    }
    if (says("UB *-> *(GM|OUT)")) {
        return copy_path("fill", "aiv_mte3");
    }
    return WhyNot{"the path is not one of those a core can be asked for alone"};
}

// ---- tensors ----

Adapted spread_case(const Row& row, const Context& context, const Extents& out) {
    const Extents* const in = row.shape.tensor(0);
    std::uint64_t source = in == nullptr ? 1 : TensorShape{.extents = *in}.elements();
    std::uint64_t total = TensorShape{.extents = out}.elements();
    // Only trailing dimensions may be those of the input: then every row of the result is the input.
    std::uint64_t inner = 1;
    std::size_t at = out.size();
    while (at > 0 && inner < source) {
        inner *= out[--at];
    }
    if (inner != source || total % std::max<std::uint64_t>(source, 1) != 0) {
        return WhyNot{"a broadcast of inner dimensions has no kernel"};
    }
    Case result;
    KernelRun run{.kernel = "copy", .warm_l2 = context.source.warm_l2()};
    run.knob("route", source == 1 ? "fill" : "spread").knob("dtype", type_of(row));
    run.knob("shape", source == 1 ? Extents{total} : Extents{total / source, source});
    add_cores(run, row, context, false);
    result.runs.push_back(std::move(run));
    result.amount = bytes_of(out, type_of(row));
    return result;
}

Adapted tensor_case(const Row& row, const Context& context, const Extents& shape, bool fill) {
    Case result;
    KernelRun run{.kernel = "copy", .warm_l2 = context.source.warm_l2()};
    run.knob("route", fill ? "fill" : "through").knob("dtype", type_of(row)).knob("shape", shape);
    add_cores(run, row, context, false);
    result.runs.push_back(std::move(run));
    result.amount = bytes_of(shape, type_of(row));
    result.floor_us = host_floor(row);
    if (result.floor_us > 0) {
        result.assumed = "no less than the host's floor that the notes state";
    }
    return result;
}

Adapted stream_case(const Row& row, const Context& context, const Extents& shape) {
    constexpr std::uint64_t width = 4096;
    const std::uint64_t total = TensorShape{.extents = shape}.elements();
    Case result;
    KernelRun run{.kernel = "copy", .warm_l2 = context.source.warm_l2()};
    run.knob("route", "gm_to_ub").knob("shape", Extents{std::max<std::uint64_t>(total / width, 1), width});
    add_cores(run, row, context, false);
    result.runs.push_back(std::move(run));
    result.amount = static_cast<double>(total) * 2;
    result.assumed = "the weights are read, nothing is multiplied";
    return result;
}

}  // namespace

bool copies(const Row& row) {
    return row.kernel_has({"gm ub",
                           "gm l1",
                           "ub gm",
                           "l0c gm",
                           "copy",
                           "zeroslike",
                           "oneslike",
                           "zeros like",
                           "ones like",
                           "fill",
                           "broadcastto",
                           "broadcast to",
                           "expand",
                           "memcpy",
                           "memset",
                           "tensormove",
                           "bandwidth"});
}

Adapted copy_case(const Row& row, const Context& context) {
    if (row.kernel_has({"aggregate bandwidth"}) || row.notes_have("derivation from the rows")) {
        return WhyNot{"derived from other rows, which are run"};
    }
    if (row.kernel_has({"memcpy"})) {
        return WhyNot{"a copy by the host's runtime, not by a kernel"};
    }
    const bool per_core = row.kernel_has({"per core bandwidth", "bandwidth parameter"});
    if (per_core) {
        return path_case(notes(row) + " " + row.measurement->kernel);
    }
    const std::optional<Extents> shape = result_shape(row);
    if (!shape || shape->empty() || TensorShape{.extents = *shape}.elements() == 0) {
        return path_case(row.measurement->kernel + " " + notes(row));
    }
    if (row.kernel_has({"zeroslike", "oneslike", "zeros like", "ones like", "fill", "memset"})) {
        return tensor_case(row, context, *shape, true);
    }
    if (row.kernel_has({"broadcast", "expand", "tile"})) {
        return spread_case(row, context, *shape);
    }
    if (row.kernel_has({"stream", "gemv"})) {
        return stream_case(row, context, *shape);
    }
    if (row.kernel_has({"gm ub", "gm to ub", "gm2ub", "gm l1", "gm to l1", "gm2l1"}) && shape->size() > 1) {
        return matrix_case(row, context, *shape);
    }
    if (row.kernel_has({"copy", "clone", "tensormove", "contiguous"})) {
        return tensor_case(row, context, *shape, false);
    }
    return WhyNot{"what is copied from where to where is not stated"};
}

}  // namespace ascendsim::validation
