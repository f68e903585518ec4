// SPDX-License-Identifier: Apache-2.0
// y = GELU(LayerNorm(x) * gamma + beta) over the last axis. Unfused, two kernels meet in global memory;
// fused, the normalised rows stay in the unified buffer and half of the traffic is gone.
#include "kernels/shared/norm.h"

extern "C" __global__ __aicore__ void layer_norm_float16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<half, NormKind::layer>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void layer_norm_bfloat16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<bfloat16_t, NormKind::layer>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void layer_norm_float32(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<float, NormKind::layer>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void layer_norm_gelu_float16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<half, NormKind::layer_gelu>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void layer_norm_gelu_bfloat16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<bfloat16_t, NormKind::layer_gelu>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void layer_norm_gelu_float32(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, RowTiling tiling) {
    Norm<float, NormKind::layer_gelu>(x, gamma, beta, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/gelu_host.hpp"
#include "kernels/shared/norm_host.hpp"

namespace ascendsim::host {
namespace {

class LayerNormGelu : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = GELU(LayerNorm(x)): two kernels, or one that keeps the rows in the unified buffer";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({32, 512, 3072});
        knobs.push_back(
            Knob::word("schedule", {"fused", "unfused"}, "one kernel, or two that meet in global memory"));
        knobs.push_back(Knob::real("epsilon", 1e-5, 0, 1, "", "added to the variance"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const isa::DataType type = checked_float_type(knobs, chip);
        const bool fused = knobs.word("schedule") == "fused";
        std::uint32_t blocks = 1;
        const RowTiling tiling = norm_tiling(knobs, chip, type, true, blocks);
        Plan plan;
        plan.chosen = {{"tile", tiling.tile}};
        plan.problem =
            fmt::format("LayerNorm + GELU {} {}, {}", text(shape), isa::name(type), knobs.word("schedule"));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0.5, 2}),
                        Buffer::input("gamma", type, {shape.back()}, fill::Uniform{0.5, 1.5}),
                        Buffer::input("beta", type, {shape.back()}, fill::Uniform{-0.5, 0.5}),
                        Buffer::output("y", type, shape)};
        plan.launches = {{.entry = fmt::format("layer_norm_{}{}", fused ? "gelu_" : "", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("gamma"),
                                        Argument::address("beta"),
                                        Argument::address(fused ? "y" : "normalised"),
                                        Argument::of(tiling)}}};
        if (!fused) {
            plan.buffers.push_back(Buffer::workspace("normalised", plan.buffers[0].bytes()));
            plan.launches.push_back(gelu_launch(knobs, chip, type));
        }
        const double count = static_cast<double>(elements(shape));
        // Sum, difference, square, sum, product, gamma, beta; then GELU.
        plan.work = {.vector_flops = (7.0 + gelu_operations(false)) * count,
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes() + 2 * plan.buffers[1].bytes()};
        plan.reference = [width = shape.back(), epsilon = knobs.real("epsilon")](ReferenceData& data) {
            expect(data, width, epsilon);
        };
        plan.tolerances = {tolerance(type, fused)};
        return plan;
    }

private:
    static Launch gelu_launch(const Knobs& knobs, const ChipSpec& chip, isa::DataType type) {
        const GeluProblem problem{.total = elements(knobs.shape("shape")),
                                  .in = type,
                                  .out = type,
                                  .buffers = knobs.count("buffers"),
                                  .blocks = knobs.count("blocks")};
        std::uint32_t blocks = 1;
        const GeluTiling tiling = gelu_tiling(chip, problem, knobs, blocks);
        return {.entry = fmt::format("gelu_{}", isa::name(type)),
                .blocks = blocks,
                .cores = ascendsim::CoreUse::aiv,
                .arguments = {Argument::address("normalised"), Argument::address("y"), Argument::of(tiling)},
                .kernel = "gelu"};
    }

    // Unfused, the normalised value is rounded too, and GELU's slope is at most 1.13.
    static Tolerance tolerance(isa::DataType type, bool fused) {
        Tolerance once = rounded_once("y", type, 4e-6);
        if (!fused) {
            once.absolute += type == isa::DataType::float32 ? 4e-6 : once.relative;
            once.relative *= 2.5;
        }
        return once;
    }

    static void expect(ReferenceData& data, std::uint64_t width, double epsilon) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& gamma = data.floats("gamma");
        const std::vector<float>& beta = data.floats("beta");
        std::vector<double>& y = data.expected("y");
        for (std::size_t row = 0; row < y.size(); row += width) {
            const std::vector<double> unit = normalised(x.data() + row, width, epsilon, true);
            for (std::size_t i = 0; i < width; ++i) {
                y[row + i] = gelu_of(unit[i] * gamma[i] + beta[i], false);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::LayerNormGelu host;
    return &host;
}
#endif
