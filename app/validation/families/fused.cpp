// SPDX-License-Identifier: Apache-2.0
// FUSED: products with work of the vector cores, or of other chips, in one kernel.
#include <algorithm>
#include <utility>

#include "app/validation/rows/library_products.hpp"
#include "app/validation/rows/matmul_rows.hpp"
#include "app/validation/rows/operator_rows.hpp"
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
            run.knob("base_m", 128)
                .knob("base_n", 256)
                .knob("base_k", 64)
                .knob("step_k", 4)
                .knob("schedule", "grid")
                .knob("grid_m", 4);
        }
        result.runs.push_back(std::move(run));
        result.amount = product->flops();
        return result;
    }

private:
    static constexpr std::uint64_t fractal = 16;  // rows and columns

    /// x, tokens by width, and the weights it passes: to the queries' latent rows, from these to all heads,
    /// within each head to the keys' width; and to the keys' latent rows.
    struct PrologueShapes {
        std::uint64_t tokens = 1;
        std::uint64_t width;
        Extents query_down;  // (width, latent)
        Extents query_up;    // (latent, heads)
        Extents heads;       // (head, from, to)
        Extents keys;        // (width, latent)
    };

    [[nodiscard]] static std::optional<PrologueShapes> prologue_shapes(const Row& row) {
        const auto weight = [&row](std::size_t argument, std::size_t rank) -> const Extents* {
            const Extents* const shape = row.shape.tensor(argument);
            return shape != nullptr && shape->size() == rank ? shape : nullptr;
        };
        const Extents* const x = row.shape.tensor(0);
        const Extents* const query_down = weight(1, 2);
        const Extents* const query_up = weight(2, 2);
        const Extents* const heads = weight(3, 3);
        const Extents* const keys = weight(4, 2);
        if (x == nullptr || x->size() < 2 || query_down == nullptr || query_up == nullptr ||
            heads == nullptr || keys == nullptr) {
            return std::nullopt;
        }
        if (query_down->front() != x->back() || keys->front() != x->back() ||
            query_up->front() != query_down->back()) {
            return std::nullopt;
        }
        return PrologueShapes{.tokens = product(*x, 0, x->size() - 1),
                              .width = x->back(),
                              .query_down = *query_down,
                              .query_up = *query_up,
                              .heads = *heads,
                              .keys = *keys};
    }

    /// One of the prologue's products, [tokens, k] x [k, n] in `groups`, as the library cuts it: all tokens,
    /// up to 128, are the rows of a tile; weights are NZ, but for those of groups.
    static void add_product(Case& result, Product product, std::uint64_t columns, const Context& context) {
        constexpr std::uint64_t most_rows = 128;
        KernelRun run = matmul_run(product, context);
        run.knob("base_m", std::min(round_up(product.m, fractal), most_rows))
            .knob("base_n", columns)
            .knob("split_k", 1);
        if (product.batch == 1 && product.n % fractal == 0 && product.k % fractal == 0) {
            run.knob("b_format", "nz");
        }
        run.launch_overhead = result.runs.empty();
        result.runs.push_back(std::move(run));
        result.amount += product.flops();
    }

    /// What comes before latent attention: x to the queries' and the keys' latent rows, the queries' to all
    /// heads, and each head's to the width of the latent keys. The four products run as the library cuts them
    /// (ops-transformer, mla_prolog_tiling.cpp and kernel_mla_prolog_split_n.h): columns are shared out over
    /// all cube cores, the keys' in strips of 64, the last product by heads. Norms and rotations are the
    /// vector cores', beside the next product; three times all cores wait for each other.
    [[nodiscard]] static Adapted prologue(const Row& row, const Context& context) {
        constexpr std::uint64_t strip = 64;
        const std::optional<PrologueShapes> shapes = prologue_shapes(row);
        if (!shapes) {
            return WhyNot{"the shapes are not those of x and four weights"};
        }
        if (!context.chip.cores.split) {
            return WhyNot{"the chain needs separate cube and vector cores"};
        }
        const isa::DataType type =
            row.types.inputs.empty() ? isa::DataType::bfloat16 : row.types.inputs.front();
        Case result;
        const auto add = [&](std::uint64_t k, std::uint64_t n, std::uint64_t columns, std::uint64_t groups) {
            add_product(result,
                        {.batch = groups, .m = shapes->tokens, .n = n, .k = k, .type = type},
                        columns,
                        context);
        };
        const auto share = [&](std::uint64_t n, std::uint64_t most) {
            return std::min(round_up(ceil_div<std::uint64_t>(n, context.chip.cores.aic), fractal), most);
        };
        const std::uint64_t latent = shapes->query_down.back();
        const std::uint64_t heads = shapes->query_up.back();
        add(shapes->width, latent, share(latent, 4 * strip), 1);
        add(shapes->width, shapes->keys.back(), strip, 1);
        add(latent, heads, share(heads, 2 * strip), 1);
        add(shapes->heads[1], shapes->heads[2], std::min(shapes->heads[2], 2 * strip), shapes->heads[0]);
        constexpr double hand_overs = 3;
        const double wait = context.chip.sync.sync_all_cycles + context.chip.sync.cross_flag_latency;
        result.extra_us =
            mixed_launch_us(context.chip) + hand_overs * wait / context.chip.cores.clock_ghz / 1000;
        result.assumed = "weights as NZ; norms and rotations beside the products";
        return result;
    }
};

}  // namespace

std::unique_ptr<Family> make_fused_family() {
    return std::make_unique<Fused>();
}

}  // namespace ascendsim::validation
