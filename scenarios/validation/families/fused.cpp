// SPDX-License-Identifier: Apache-2.0
// FUSED: products with work of the vector cores, or of other chips, in one kernel.
#include "scenarios/validation/matmul_rows.hpp"
#include "scenarios/validation/operator_rows.hpp"

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
            return WhyNot{"the chain of products, norms and rotations of MLA's prologue has no kernel yet"};
        }
        const std::optional<Product> product = product_of(row);
        if (!product) {
            return WhyNot{"no kernel of this fusion yet"};
        }
        Case result;
        KernelRun run = matmul_run(*product, context);
        if (row.kernel_has({"gelu", "relu", "silu", "mix"})) {
            result.assumed = "the vector cores' work is hidden behind the cube";
            run.knob("base_m", 128).knob("base_n", 256).knob("base_k", 64).knob("step_k", 4).knob("schedule", "grid").knob("grid_m", 4);
        }
        result.runs.push_back(std::move(run));
        result.amount = product->flops();
        return result;
    }
};

}  // namespace

std::unique_ptr<Family> make_fused_family() {
    return std::make_unique<Fused>();
}

}  // namespace ascendsim::validation
