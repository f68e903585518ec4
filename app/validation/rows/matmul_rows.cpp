// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/matmul_rows.hpp"

#include <algorithm>
#include <array>

#include "app/validation/number_text.hpp"
#include "app/validation/rows/library_products.hpp"
#include "app/validation/rows/row_words.hpp"
#include "sim/base/pattern.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::validation {
namespace {

std::optional<Product> of_tensors(const Row& row) {
    const Extents* const a = row.shape.tensor(0);
    const Extents* const b = row.shape.tensor(1);
    if (a == nullptr || a->size() < 2) {
        return std::nullopt;
    }
    Product product;
    for (std::size_t i = 0; i + 2 < a->size(); ++i) {
        product.batch *= (*a)[i];
    }
    const std::uint64_t rows = (*a)[a->size() - 2];
    const std::uint64_t columns = a->back();
    if (b == nullptr || b->size() < 2) {  // a matrix and a vector
        static const Pattern vector{"mv\\b|matvec|gemv|matrix.vector", Pattern::Case::any};
        if (b == nullptr && !vector.is_in(row.measurement->kernel + " " + row.measurement->shape)) {
            return std::nullopt;  // "4096x1024x512": in which order is not said
        }
        product.m = 1;
        product.n = rows;
        product.k = columns;
        product.transpose_b = true;
        return product;
    }
    const std::uint64_t first = (*b)[b->size() - 2];
    const std::uint64_t last = b->back();
    product.transpose_a = row.kernel_has({"a transposed", "transpose a", "a t b"});
    product.m = product.transpose_a ? columns : rows;
    product.k = product.transpose_a ? rows : columns;
    const bool says = row.kernel_has({"b transposed", "transpose b"}) ||
                      row.flag("transpose_weight").value_or(false) || row.flag("transpose_b").value_or(false);
    product.transpose_b = last == product.k && (says || first != product.k);
    product.n = product.transpose_b ? first : last;
    if ((product.transpose_b ? last : first) != product.k) {
        return std::nullopt;
    }
    if (b->size() == 2 && product.batch > 1) {  // one right side for all
        product.m *= product.batch;
        product.batch = 1;
    }
    return product;
}

/// Three numbers behind a word, as in "base 128x256x64", "base 128/256/64", "tile 32x320x128".
std::optional<std::array<std::uint32_t, 3>> tile_behind(const std::string& text, const char* word) {
    const Pattern pattern{std::string{word} + "\\D{0,4}(\\d+)\\s*[x/*,]\\s*(\\d+)\\s*[x/*,]\\s*(\\d+)"};
    const std::optional<PatternMatch> match = pattern.search(text);
    if (!match) {
        return std::nullopt;
    }
    const auto number = [&](std::size_t i) { return number_of<std::uint32_t>((*match)[i]); };
    return std::array{number(1), number(2), number(3)};
}

std::optional<isa::DataType> usable(const Row& row) {
    if (row.types.inputs.empty()) {
        return std::nullopt;
    }
    const isa::DataType type = row.types.inputs.front();
    const bool able = type == isa::DataType::half || type == isa::DataType::bfloat16 ||
                      type == isa::DataType::float32 || type == isa::DataType::int8;
    return able ? std::optional{type} : std::nullopt;
}

// Scalar cycles that the high-level Matmul API spends in each step of base_k beyond those of our kernel,
// which takes 115 to 200 itself: aic_scalar_time of GEMM-001 to GEMM-009 over the steps of a core is 450
// cycles for the Norm template, 350 for MDL with short chunks and 250 with long ones, 165 with tiling known
// while compiling (constant_library_cycles).
constexpr std::uint32_t norm_library_cycles = 250;

bool has_api(const Row& row) {
    const std::string source = lower(row.measurement->source);
    return source.find("matmul_high_performance") != std::string::npos ||
           source.find("best practice") != std::string::npos;
}

bool from(const Row& row, std::string_view word) {
    return lower(row.measurement->source).find(word) != std::string::npos;
}

/// A schedule of the high-level API: the Norm template loads one base block at a time into one buffer, MDL
/// several into two. Steps of the vendor's ladder ("case5 +...") include those before, and their tiling is in
/// its source.
void add_api_schedule(KernelRun& run, const Row& row) {
    const auto step = [&row]() -> int {
        const std::optional<std::uint64_t> stated = number_in(row.notes, "case(\\d)");
        return stated ? static_cast<int>(*stated) : -1;
    }();
    const bool bulk = step >= 4 || row.notes_have("mdl") || row.notes_have("preload") ||
                      row.notes_have("l2 split") || row.notes_have("unitflag") ||
                      row.notes_have("pure cube") || row.notes_have("tiling");
    run.knob("l1_buffers", bulk ? 2 : 1);
    if (step == 4) {  // half of depthA1 = 4; of B what the next step states too, which changes A alone
        run.knob("step_k", 2).knob("step_k_b", 4);
    } else if (step >= 5) {
        run.knob("step_k", 8).knob("step_k_b", 4);
    } else if (!bulk) {
        run.knob("step_k", 1);
    }
    const bool constant = step >= 7 || row.notes_have("constant tiling") || row.notes_have("compile-time");
    // Fixpipe, which with the unit flag waits from its issue on, is busy for the time of 5.1 to 5.8 steps of
    // base_k in GEMM-001 to GEMM-004: so many steps fit the queues' 32 places where a step is six
    // instructions of a pipe.
    run.knob("load3d", true);
    run.knob("library_cycles",
             constant ? constant_library_cycles
             : bulk   ? mdl_library_cycles
                      : norm_library_cycles);
    // The Norm template hands L0C over by the unit flag unless told otherwise, MDL does not: the defaults of
    // enUnitFlag in the documented prototypes of GetNormalConfig and GetMDLConfig.
    if (!bulk || step >= 8 || (row.notes_have("unitflag") && !row.notes_have("no unitflag"))) {
        run.knob("unit_flag", true);
    }
    const std::optional<PatternMatch> split = Pattern{"(\\d+)x(\\d+) split"}.search(row.notes);
    if (step < 0 && !split) {
        return;
    }
    // Tiles along m first, the API's default; a single core has all of them, and the 4 x 6 split of the third
    // step stays.
    run.knob("schedule", "grid").knob("direction", "columns");
    run.knob("grid_m", split ? number_of<int>((*split)[1]) : step >= 3 ? 4 : 1);
    if (const std::optional<PatternMatch> columns = Pattern{"singlen (\\d+)"}.search(row.notes)) {
        run.knob("core_columns", number_of<int>((*columns)[1]));
    }
    run.knob("rounds",
             step >= 6 ? 2 : 1);  // each core's rows in both halves of the matrix, one after the other
}

/// CATLASS: an L1 tile (m, n, k), cut into an L0 tile of the same m and n and a quarter of its k; blocks
/// swizzled by 3 along the shorter side of C, as its guide advises
/// (docs/en/1_Practice/11_matmul_optimization.md, which states the cases' tiles and swizzles).
void add_catlass_schedule(KernelRun& run, const Row& row, const Product& product) {
    const std::uint32_t size = isa::bits(product.type) / 8;
    const std::array<std::uint32_t, 3> usual{128, size == 4 ? 128U : 256U, size == 4 ? 256U : 512 / size};
    const std::array<std::uint32_t, 3> retuned{32, 320, 128};  // "Note": the row-major B of case 2
    const std::array<std::uint32_t, 3> tile =
        tile_behind(row.notes, "tile").value_or(row.notes_have("retuned") ? retuned : usual);
    constexpr std::uint32_t pieces = 4;
    run.knob("base_m", tile[0]).knob("base_n", tile[1]);
    if (tile[2] % (pieces * 32 / size) == 0) {
        run.knob("base_k", tile[2] / pieces).knob("step_k", pieces);
    }
    const std::uint32_t lines = row.notes_have("after swizzle") ? 4 : 3;
    run.knob("swizzle", lines).knob("direction", product.m < product.n ? "columns" : "rows");
    if (!row.kernel_has({"split"})) {
        run.knob("split_k", 1);
    }
    if (row.notes_have("b zn")) {
        run.knob("b_format", "nz");
    }
}

}  // namespace

std::optional<Product> product_of(const Row& row) {
    const auto m = row.shape.get("m");
    const auto n = row.shape.get("n");
    const auto k = row.shape.get("k");
    std::optional<Product> product;
    if (m && n && k) {
        const auto batch = row.shape.get("b") ? row.shape.get("b") : row.shape.get("batch");
        product = Product{.batch = batch.value_or(1), .m = *m, .n = *n, .k = *k};
        product->transpose_a = row.kernel_has({"a transposed", "matmul at"});
        product->transpose_b = row.kernel_has({"b transposed", "matmul bt"}) || row.notes_have("b col") ||
                               (from(row, "catlass") && !row.notes_have("b row") && !row.notes_have("b zn") &&
                                !row.notes_have("b nz"));  // as its examples have it
        if (row.measurement->kernel.find("A^T") != std::string::npos) {
            product->transpose_a = true;
        }
        if (row.measurement->kernel.find("B^T") != std::string::npos) {
            product->transpose_b = true;
        }
    } else {
        product = of_tensors(row);
    }
    if (product) {
        product->type = usable(row).value_or(isa::DataType::half);
        product->out = row.types.output;
    }
    return product;
}

KernelRun matmul_run(const Product& product, const Context& context) {
    KernelRun run{.kernel = "matmul", .warm_l2 = context.source.warm_l2()};
    run.knob("m", product.m).knob("n", product.n).knob("k", product.k);
    run.knob("dtype", product.type)
        .knob("transpose_a", product.transpose_a)
        .knob("transpose_b", product.transpose_b);
    if (product.batch > 1) {
        run.knob("groups", product.batch);
    }
    if (product.out) {
        run.knob("out_dtype", *product.out);
    }
    return run;
}

void add_matmul_schedule(KernelRun& run, const Row& row, const Product& product, const Context& context) {
    const std::string text = lower(row.measurement->kernel) + " " + row.notes;
    const bool pto = from(row, "pto");
    if (const auto base = tile_behind(text, "base")) {  // m, n, k; PTO says m, k, n
        run.knob("base_m", (*base)[0])
            .knob("base_n", (*base)[pto ? 2 : 1])
            .knob("base_k", (*base)[pto ? 1 : 2]);
    } else if (has_api(row) && row.notes_have("case")) {
        run.knob("base_m", 128).knob("base_n", 256).knob("base_k", 64);
    }
    if (pto) {
        run.knob("step_k", 4).knob("schedule", "grid").knob("grid_m", context.chip.cores.aic >= 24 ? 4 : 5);
    } else if (has_api(row)) {
        add_api_schedule(run, row);
    } else if (from(row, "catlass")) {
        add_catlass_schedule(run, row, product);
    }
    if (row.notes_have("b nz")) {
        run.knob("b_format", "nz");
    }
    const std::uint32_t most = context.chip.cores.aic;
    if (const auto cores = row.cores.aic ? row.cores.aic : row.cores.count;
        cores && *cores > 0 && *cores < most) {
        run.knob("blocks", *cores);
    }
}

Adapted matmul_case(const Row& row, const Context& context) {
    std::optional<Product> product = product_of(row);
    if (!product) {
        return WhyNot{"the shape does not say m, n and k"};
    }
    if (!usable(row)) {
        return WhyNot{"no element type of the cube is stated"};
    }
    Case result;
    if (row.kernel_has({"single-core split", "single core split"})) {
        constexpr std::uint64_t aligned = 512;  // B
        product->k = round_up(product->k, aligned * 8 / isa::bits(product->type));
        result.assumed = "rows padded to 512 B, as the sample does for itself";
    }
    KernelRun run = matmul_run(*product, context);
    add_matmul_schedule(run, row, *product, context);
    result.runs.push_back(std::move(run));
    result.amount = product->flops();
    if (context.source.which == SourceClass::black_box && context.chip.cores.split) {
        reformat_unaligned(result, *product, context);
    }
    return result;
}

}  // namespace ascendsim::validation
