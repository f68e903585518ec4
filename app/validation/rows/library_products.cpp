// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/library_products.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sim/base/units.hpp"

namespace ascendsim::validation {
namespace {

// The library's block of C and the depth in bytes of one Mmad: two pieces of 256 columns fill L0B
// (ops-transformer, grouped_matmul_tiling.cpp; ops-nn, quant_batch_matmul_v3_basic_tiling.cpp and
// matmul_v3_base_tiling.cpp).
constexpr std::uint64_t block_m = 128;
constexpr std::uint64_t block_n = 256;
constexpr std::uint64_t depth_bytes = 128;
// Half of L1 holds two chunks of B, so that a chunk is four pieces deep; A's chunks are cut to multiples of
// these.
constexpr std::uint32_t pieces_of_chunk = 4;

std::uint64_t bytes_of(const Product& product) {
    return isa::bits(product.type) / 8;
}

void add_block(KernelRun& run, const Product& product, std::uint64_t rows) {
    const std::uint64_t unit = bytes_of(product) == 1 ? 32 : 16;
    run.knob("base_m", std::min(block_m, round_up(std::max<std::uint64_t>(rows, 1), unit)));
    run.knob("base_n", block_n)
        .knob("base_k", depth_bytes / bytes_of(product))
        .knob("step_k", pieces_of_chunk);
}

/// True for rows that the library's host code has the cube cores read as they are (ops-nn,
/// matmul_v3_base_tiling.cpp, GetMoreArgs): whole 256 bytes, or one of some short lengths.
bool read_as_they_are(std::uint64_t row_bytes) {
    static constexpr std::array<std::uint64_t, 9> short_rows{32, 64, 96, 128, 160, 192, 224, 256, 384};
    return row_bytes % 256 == 0 || std::ranges::find(short_rows, row_bytes) != short_rows.end();
}

/// All vector cores turn a matrix into NZ, 16 rows at a time or more (ops-nn, CalcNd2NzTiling).
KernelRun reformatted(std::uint64_t rows, std::uint64_t columns, isa::DataType type, const Context& context) {
    constexpr std::uint64_t fewest = 16;
    constexpr std::uint64_t most = 144;
    KernelRun run{
        .kernel = "nd2nz", .set = {}, .warm_l2 = context.source.warm_l2(), .launch_overhead = false};
    run.knob("shape", Extents{rows, columns}).knob("dtype", type);
    run.knob("tile_rows", std::clamp(ceil_div<std::uint64_t>(rows, context.chip.cores.aiv), fewest, most));
    return run;
}

}  // namespace

double mixed_launch_us(const ChipSpec& chip) {
    return chip.launch.mix_extra_us + chip.launch.mix_share_us + chip.launch.per_core_us * chip.cores.aiv;
}

void add_grouped_tiling(KernelRun& run, const Product& product, std::uint64_t rows, const ChipSpec& chip) {
    add_block(run, product, rows);
    // One tile in L0C, handed over by the unit flag; all cube cores are launched, whether there is a tile for
    // them or not.
    run.knob("l0c_buffers", 1)
        .knob("unit_flag", true)
        .knob("library_cycles", mdl_library_cycles)
        .knob("blocks", chip.cores.aic);
    constexpr std::uint64_t tiles_in_rows =
        5;  // with more tiles along m they are dealt in squares, as ours are anyway
    if (ceil_div(rows, block_m) <= tiles_in_rows) {
        run.knob("swizzle", 1).knob("direction", "rows");
    }
}

void add_quantised_tiling(KernelRun& run, const Product& product, const ChipSpec& chip) {
    constexpr std::uint64_t few_rows = 64;
    if (product.m <= few_rows && product.batch == 1 && ceil_div(product.n, block_n) * 2 >= chip.cores.aic) {
        // Strips of 256 columns and chunks by turns, as products of few rows and int8 weights show (QGEMM-008
        // to -015).
        run.knob("base_n", block_n).knob("l1_buffers", 1);
    }
    // Products of few rows or columns, and batches, go to a tiling that is not published.
    if (product.batch > 1 || std::min(product.m, product.n) <= block_n) {
        return;
    }
    add_block(run, product, product.m);
}

void reformat_unaligned(Case& result, const Product& product, const Context& context) {
    constexpr std::uint64_t most_rows = 65535;
    if (product.batch > 1 || bytes_of(product) != 2) {
        return;
    }
    const std::uint64_t a_rows = product.transpose_a ? product.k : product.m;
    const std::uint64_t a_columns = product.transpose_a ? product.m : product.k;
    const std::uint64_t b_rows = product.transpose_b ? product.n : product.k;
    const std::uint64_t b_columns = product.transpose_b ? product.k : product.n;
    std::vector<KernelRun> first;
    for (const auto& [rows, columns] : {std::pair{a_rows, a_columns}, std::pair{b_rows, b_columns}}) {
        if (!read_as_they_are(columns * bytes_of(product)) && rows <= most_rows) {
            first.push_back(reformatted(rows, columns, product.type, context));
        }
    }
    if (first.empty()) {
        return;
    }
    constexpr std::uint64_t fractal = 16;
    result.runs.back().knob("k", round_up(product.k, fractal)).knob("n", round_up(product.n, fractal));
    result.runs.insert(result.runs.begin(), first.begin(), first.end());
    const double waits =
        static_cast<double>(context.chip.sync.sync_all_cycles + context.chip.sync.cross_flag_latency);
    result.extra_us += mixed_launch_us(context.chip) + waits / context.chip.cores.clock_ghz / 1000;
    result.assumed = "the vector cores first turn operands of unaligned rows into NZ";
}

void add_scaling_of_last_round(Case& result, const Product& product, const Context& context) {
    const std::uint64_t tiles = product.batch * ceil_div(product.m, block_m) * ceil_div(product.n, block_n);
    const std::uint64_t last = (tiles - 1) % context.chip.cores.aic + 1;
    KernelRun scale{.kernel = "elementwise", .set = {}, .launch_overhead = false};
    scale.knob("op", "scale").knob("dtype", isa::DataType::int32).knob("out_dtype", isa::DataType::bfloat16);
    scale.knob("compute", "float32");
    scale.knob("shape", Extents{last * std::min(product.m, block_m), std::min(product.n, block_n)})
        .knob("blocks", last);
    result.runs.push_back(std::move(scale));
    result.extra_us += mixed_launch_us(context.chip);
    result.assumed = "the vector cores scale the last round of tiles after the cube";
}

}  // namespace ascendsim::validation
