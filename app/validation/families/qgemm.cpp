// SPDX-License-Identifier: Apache-2.0
// QGEMM: products of quantised operands, and grouped ones.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/validation/rows/library_products.hpp"
#include "app/validation/rows/matmul_rows.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::validation {
namespace {

bool is_weight_quant(const Row& row) {
    return row.kernel_has({"weightquant", "w8a16", "w4a16"}) ||
           (row.types.inputs.size() > 1 && row.types.inputs[0] != isa::DataType::int8 &&
            row.types.inputs[1] == isa::DataType::int8);
}

/// Rows of each group from a cumulative list, or as many for each.
Extents group_ends(const Row& row, std::uint64_t rows, std::uint64_t groups) {
    Extents ends;
    for (const std::int64_t end : row.list("group_list")) {
        ends.push_back(std::min(rows, static_cast<std::uint64_t>(std::max<std::int64_t>(end, 0))));
    }
    if (ends.size() != groups || !std::ranges::is_sorted(ends)) {
        ends.clear();
        for (std::uint64_t group = 1; group <= groups; ++group) {
            ends.push_back(rows * group / groups);
        }
    }
    return ends;
}

std::uint64_t largest_group(const Extents& ends) {
    std::uint64_t most = 0;
    std::uint64_t before = 0;
    for (const std::uint64_t end : ends) {
        most = std::max(most, end - before);
        before = end;
    }
    return most;
}

class QuantisedGemm final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override {
        return row.kernel_has({"quantmatmul", "quantbatchmatmul", "groupedmatmul", "groupmatmul", "gmm"}) ||
               (is_weight_quant(row) && row.kernel_has({"matmul", "linear", "gemm"}));
    }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (std::optional<KernelRun> run = activated(row, context)) {
            Case result;
            result.amount = 2.0 * product_size(row);
            result.runs.push_back(*std::move(run));
            return result;
        }
        const bool fused = row.kernel_has({"gelu", "mix"});
        const bool hidden =
            row.notes_have("pipeline") || row.notes_have("workspace") || row.notes_have("double buffer");
        if (fused && !hidden) {
            return WhyNot{"a product whose vector work is not hidden behind the cube has no kernel yet"};
        }
        if (is_weight_quant(row)) {
            return weight_quant(row, context);
        }
        const Extents* const b = row.shape.tensor(1);
        if (b != nullptr && b->size() == 3 && row.shape.tensor(0) != nullptr &&
            row.shape.tensor(0)->size() == 2) {
            return grouped(row, context);
        }
        return quantised(row, context);
    }

private:
    /// Multiplications of a grouped product.
    [[nodiscard]] static double product_size(const Row& row) {
        const Extents& a = *row.shape.tensor(0);
        return static_cast<double>(a[0]) * static_cast<double>(a[1]) *
               static_cast<double>(row.shape.tensor(1)->back());
    }

    /// The vendor's sample of a grouped product with scales and Gelu, whose steps differ in vector cores and
    /// in blocks under way (asc-devkit, quant_group_matmul_high_performance); its tiling is known while
    /// compiling.
    [[nodiscard]] static std::optional<KernelRun> activated(const Row& row, const Context& context) {
        const Extents* const a = row.shape.tensor(0);
        const Extents* const b = row.shape.tensor(1);
        constexpr std::uint64_t most_k = 1024;  // of our kernel
        if (!row.kernel_has({"gelu"}) || !context.chip.cores.split || a == nullptr || b == nullptr ||
            a->size() != 2 || b->size() != 3 || (*b)[1] != (*a)[1] || (*a)[1] > most_k || (*a)[1] % 32 != 0 ||
            b->back() % 32 != 0 || row.measurement->shape.find("NZ") == std::string::npos) {
            return std::nullopt;
        }
        KernelRun run{.kernel = "grouped_matmul_gelu", .set = {}, .warm_l2 = context.source.warm_l2()};
        run.knob("m", (*a)[0]).knob("n", b->back()).knob("k", (*a)[1]);
        run.knob("group_ends", group_ends(row, (*a)[0], (*b)[0]));
        run.knob("vectors", row.notes_have("1 aiv") ? 1 : 2)
            .knob("slots", row.notes_have("pipeline") ? 4 : 1);
        // Beyond the 170 cycles of ours in each step: 312 in QGEMM-001, whose cube core waits least.
        constexpr std::uint32_t library_cycles = 140;
        run.knob("library_cycles", library_cycles);
        return run;
    }

    /// int8 times int8. One scale a column is applied on the way out of the cube where the result is float16;
    /// scales of rows, and bfloat16, are the vector cores', which read the int32 sums behind the cube.
    [[nodiscard]] static Adapted quantised(const Row& row, const Context& context) {
        std::optional<Product> product = product_of(row);
        if (!product) {
            return WhyNot{"the shape does not say m, n and k"};
        }
        product->type = isa::DataType::int8;
        const bool by_row = row.shape.tensor(4) != nullptr || row.kernel_has({"pertoken"});
        const bool narrow = row.attribute("output_dtype").value_or("float16") == "float16" && !by_row;
        const bool template_library = row.measurement->source.find("catlass") != std::string::npos;
        const bool library = context.source.which == SourceClass::black_box && context.chip.cores.split;
        product->out = narrow && !template_library ? isa::DataType::half : isa::DataType::int32;
        Case result;
        KernelRun run = matmul_run(*product, context);
        add_matmul_schedule(run, row, *product, context);
        if (library) {
            add_quantised_tiling(run, *product, context.chip);
        }
        result.runs.push_back(std::move(run));
        result.amount = product->flops();
        if (library && product->out == isa::DataType::int32) {
            add_scaling_of_last_round(result, *product, context);
        } else if (template_library) {
            scale_last_round(result, row, *product, context);
        } else if (product->out == isa::DataType::int32) {
            result.assumed = "the vector cores scale behind the cube, hidden by it";
        }
        return result;
    }

    /// The template library's vector cores read tiles back from a workspace and scale them; behind the last
    /// round of tiles nothing hides it. With k split over cores they first add the parts up, all of them.
    static void scale_last_round(Case& result,
                                 const Row& row,
                                 const Product& product,
                                 const Context& context) {
        constexpr std::uint64_t tile_m = 128;
        constexpr std::uint64_t tile_n = 256;
        const std::uint64_t cubes = context.chip.cores.aic;
        const std::uint64_t tiles = ceil_div(product.m, tile_m) * ceil_div(product.n, tile_n);
        const std::uint64_t split = row.kernel_has({"split"}) ? std::max<std::uint64_t>(1, cubes / tiles) : 1;
        if (split > 1) {
            result.runs.back().knob("split_k", split);
            KernelRun sum{.kernel = "reduce", .set = {}, .launch_overhead = false};
            sum.knob("shape", Extents{split, product.m * product.n})
                .knob("first", 0)
                .knob("dtype", isa::DataType::float32);
            result.runs.push_back(std::move(sum));
        }
        const std::uint64_t last = split > 1 ? tiles : (tiles - 1) % cubes + 1;
        KernelRun scale{.kernel = "elementwise", .set = {}, .launch_overhead = false};
        scale.knob("op", "scale")
            .knob("dtype", isa::DataType::int32)
            .knob("out_dtype", isa::DataType::bfloat16);
        scale.knob("compute", "float32")
            .knob("shape", Extents{last * std::min(product.m, tile_m), std::min(product.n, tile_n)});
        scale.knob("blocks", split > 1 ? context.chip.cores.aiv : last * context.chip.cores.aiv_per_aic);
        result.runs.push_back(std::move(scale));
        // That vector cores come late with many cores (launch.mix_share_us) is hidden: they wait for the
        // cube.
        result.extra_us = context.chip.launch.mix_extra_us;
        result.assumed = "the vector cores scale the last round of tiles after the cube";
    }

    /// What a core of the operator library's grouped product reads line by line before its first copy: 136 B
    /// of parameters and 200 B of the product's tiling, three lists of extents, the list of groups, and of
    /// each of four lists of tensors the descriptor and an address (ops-transformer, grouped_matmul_tiling.h
    /// and grouped_matmul.cpp).
    static constexpr std::uint32_t library_group_arguments = (6 + 3 + 1 + 4 * 2) * 64;

    [[nodiscard]] static Adapted grouped(const Row& row, const Context& context) {
        const Extents& a = *row.shape.tensor(0);
        const Extents& b = *row.shape.tensor(1);
        const bool says = row.flag("transpose_weight").value_or(false);
        Product product{.m = a[0], .k = a[1]};
        product.transpose_b = b[2] == product.k && (says || b[1] != product.k);
        product.n = product.transpose_b ? b[1] : b[2];
        if ((product.transpose_b ? b[2] : b[1]) != product.k) {
            return WhyNot{"the groups' weights do not fit the depth of the input"};
        }
        product.type = row.types.inputs.empty() ? isa::DataType::half : row.types.inputs.front();
        if (product.type == isa::DataType::int8) {
            product.out = isa::DataType::int32;
        }
        KernelRun run = matmul_run(product, context);
        const Extents ends = group_ends(row, product.m, b[0]);
        run.knob("group_ends", ends);
        if (context.source.which == SourceClass::black_box) {
            run.set.push_back({"run.argument_bytes", std::to_string(library_group_arguments)});
            if (context.chip.cores.split) {
                add_grouped_tiling(run, product, largest_group(ends), context.chip);
            }
        }
        Case result;
        if (row.measurement->shape.find("NZ") != std::string::npos) {
            run.knob("b_format", "nz");
        }
        if (product.out == isa::DataType::int32) {
            result.assumed = "the vector cores scale behind the cube, hidden by it";
        }
        result.runs.push_back(std::move(run));
        result.amount = product.flops();
        return result;
    }

    /// True where the library leaves the weights as they are and splits the rows of A instead (ops-nn,
    /// weight_quant_batch_matmul_v2_tiling_msd.cpp: up to 64 rows, whole blocks, neither k nor n very large;
    /// k as our kernel has room). That a core copies a chunk of weights and multiplies it by turns is
    /// inferred: a row of 256 B takes 9 cycles whether 6, 8 or 16 cores work (QGEMM-008 to -015), which is
    /// the sum of both, not the longer.
    [[nodiscard]] static bool splits_rows(const Product& product) {
        constexpr std::uint64_t most_rows = 64;
        constexpr std::uint64_t most_k = 12288;
        constexpr std::uint64_t most_n = 32000;
        constexpr std::uint64_t block = 32;
        return product.m <= most_rows && product.k % block == 0 && product.n % block == 0 &&
               product.k <= most_k && product.n <= most_n;
    }

    /// Weights of 8 bits that the vector cores widen on their way to the cube.
    [[nodiscard]] static Adapted weight_quant(const Row& row, const Context& context) {
        const std::optional<Product> product = product_of(row);
        if (!product) {
            return WhyNot{"the shape does not say m, n and k"};
        }
        if (!context.chip.cores.split) {
            return WhyNot{"widening weights on the vector cores of a coupled chip has no kernel yet"};
        }
        if (product->transpose_b) {
            return WhyNot{"weights stored by columns have no kernel yet"};
        }
        if (row.measurement->metric.find("incl") != std::string::npos) {
            return WhyNot{"the host's launch and synchronisation are in the figure"};
        }
        const bool split = context.source.which == SourceClass::black_box && splits_rows(*product);
        KernelRun run{.kernel = split ? "weight_quant_few_rows" : "weight_quant_matmul",
                      .set = {},
                      .warm_l2 = context.source.warm_l2()};
        run.knob("m", product->m).knob("n", product->n).knob("k", product->k);
        run.knob("dtype", product->type);
        Case result;
        result.runs.push_back(std::move(run));
        result.amount = product->flops();
        return result;
    }
};

}  // namespace

std::unique_ptr<Family> make_qgemm_family() {
    return std::make_unique<QuantisedGemm>();
}

}  // namespace ascendsim::validation
