// SPDX-License-Identifier: Apache-2.0
// FUSED: products with work of the vector cores, or of other chips, in one kernel.
#include <algorithm>
#include <utility>

#include "scenarios/validation/library_products.hpp"
#include "scenarios/validation/matmul_rows.hpp"
#include "scenarios/validation/operator_rows.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::validation {
namespace {

class Fused final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override { 
        return row.kernel_has({"fused", "mlaprolog"}) && !row.kernel_has({"attention", "attn"});
    }

    [[nodiscard]] Adapted adapt(const Row& row, const Context& context) const override {
        if (row.kernel_has({"allreduce", "allgather", "reducescatter", "alltoall"})) {
            return WhyNot{"transfers between chips are not simulated"};
        }
        if (std::optional<Adapted> chain = recurrent_case(row, context)) {
            return *chain;
        }
        if (std::optional<Adapted> refused = refused_case(row)) {
            return *refused;
        }
        if (row.kernel_has({"prolog"})) {
            return prologue(row, context);
        }
        const std::optional<Product> product = product_of(row);
        if (!product) {
            return WhyNot{"no kernel of this fusion yet"};
        }
        Case result;
        KernelRun run = matmul_run(*product, context);
        if (row.kernel_has({"gelu", "relu", "silu", "mix"})) {
            result.assumed = "the vector cores' work is hidden behind the cube";
            // As mmad_gelu, the sample of FUSED-001, which hands L0C over by the unit flag.
            run.knob("unit_flag", true);
            run.knob("base_m", 128).knob("base_n", 256).knob("base_k", 64).knob("step_k", 4).knob("schedule", "grid").knob("grid_m", 4);
        }
        result.runs.push_back(std::move(run));
        result.amount = product->flops();
        return result;
    }

private:
    /// What comes before latent attention: x to the queries' and the keys' latent rows, the queries' to all heads, and each
    /// head's to the width of the latent keys. The four products run as the library cuts them (ops-transformer,
    /// mla_prolog_tiling.cpp and kernel_mla_prolog_split_n.h): all tokens, up to 128, are the rows of a tile; columns are shared
    /// out over all cube cores, the keys' in strips of 64, the last product by heads; weights are NZ, but for the heads'. Norms and
    /// rotations are the vector cores', beside the next product; three times all cores wait for each other.
    [[nodiscard]] static Adapted prologue(const Row& row, const Context& context) {
        constexpr std::uint64_t strip = 64;
        constexpr std::uint64_t fractal = 16;
        constexpr std::uint64_t most_rows = 128;
        const Extents* const x = row.shape.tensor(0);
        const Extents* const query_down = row.shape.tensor(1);
        const Extents* const query_up = row.shape.tensor(2);
        const Extents* const heads = row.shape.tensor(3);
        const Extents* const keys = row.shape.tensor(4);
        if (x == nullptr || x->size() < 2 || query_down == nullptr || query_down->size() != 2 || query_up == nullptr ||
            query_up->size() != 2 || heads == nullptr || heads->size() != 3 || keys == nullptr || keys->size() != 2 ||
            (*query_down)[0] != x->back() || (*keys)[0] != x->back() || (*query_up)[0] != query_down->back()) {
            return WhyNot{"the shapes are not those of x and four weights"};
        }
        if (!context.chip.cores.split) {
            return WhyNot{"the chain needs separate cube and vector cores"};
        }
        std::uint64_t tokens = 1;
        for (std::size_t i = 0; i + 1 < x->size(); ++i) {
            tokens *= (*x)[i];
        }
        const isa::DataType type = row.types.inputs.empty() ? isa::DataType::bfloat16 : row.types.inputs.front();
        Case result;
        const auto add = [&](std::uint64_t k, std::uint64_t n, std::uint64_t columns, std::uint64_t groups) {
            const Product product{.batch = groups, .m = tokens, .n = n, .k = k, .type = type};
            KernelRun run = matmul_run(product, context);
            run.knob("base_m", std::min(round_up(tokens, fractal), most_rows)).knob("base_n", columns).knob("split_k", 1);
            if (groups == 1 && n % fractal == 0 && k % fractal == 0) {
                run.knob("b_format", "nz");
            }
            run.launch_overhead = result.runs.empty();
            result.runs.push_back(std::move(run));
            result.amount += product.flops();
        };
        const auto share = [&](std::uint64_t n) { return round_up(ceil_div<std::uint64_t>(n, context.chip.cores.aic), fractal); };
        add(x->back(), query_down->back(), std::min(share(query_down->back()), 4 * strip), 1);
        add(x->back(), keys->back(), strip, 1);
        add(query_down->back(), query_up->back(), std::min(share(query_up->back()), 2 * strip), 1);
        add((*heads)[1], (*heads)[2], std::min((*heads)[2], 2 * strip), (*heads)[0]);
        constexpr double hand_overs = 3;
        const double wait = context.chip.sync.sync_all_cycles + context.chip.sync.cross_flag_latency;
        result.extra_us = mixed_launch_us(context.chip) + hand_overs * wait / context.chip.cores.clock_ghz / 1000;
        result.assumed = "weights as NZ; norms and rotations beside the products";
        return result;
    }
};

}  // namespace

std::unique_ptr<Family> make_fused_family() {
    return std::make_unique<Fused>();
}

}  // namespace ascendsim::validation
