// SPDX-License-Identifier: Apache-2.0
// y = GELU(x), element by element, in its tanh or its exact form. The arithmetic is in float whatever the
// tensors hold; kernels/shared/gelu.h has it, so that other kernels can fuse it.
#include "kernels/shared/gelu.h"

extern "C" __global__ __aicore__ void gelu_float16(GM_ADDR x, GM_ADDR y, GeluTiling tiling) {
    Gelu<half, half>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void gelu_bfloat16(GM_ADDR x, GM_ADDR y, GeluTiling tiling) {
    Gelu<bfloat16_t, bfloat16_t>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void gelu_float32(GM_ADDR x, GM_ADDR y, GeluTiling tiling) {
    Gelu<float, float>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void gelu_float16_float32(GM_ADDR x, GM_ADDR y, GeluTiling tiling) {
    Gelu<half, float>(x, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/gelu_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class GeluHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = GELU(x), element by element"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {8192, 8192}, "extents of x and y"),
            Knob::type(
                "dtype", {DataType::half, DataType::bfloat16, DataType::float32}, "element type of x and y"),
            Knob::flag("float_out", false, "write float32 whatever x is; float16 only"),
            Knob::word("form", {"tanh", "erf"}, "the approximation by tanh, or the exact form"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("tile", 0, 0, 1 << 20, "elements", "elements in a buffer; 0: what fits"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const DataType type = checked_float_type(knobs, chip);
        const bool wide_out = knobs.flag("float_out") && type != DataType::float32;
        if (wide_out && type != DataType::half) {
            throw knobs.error("float_out", "goes with dtype = \"float16\"");
        }
        const GeluProblem problem{.total = elements(shape),
                                  .in = type,
                                  .out = wide_out ? DataType::float32 : type,
                                  .erf = knobs.word("form") == "erf",
                                  .buffers = knobs.count("buffers"),
                                  .blocks = knobs.count("blocks"),
                                  .tile = knobs.count("tile")};
        std::uint32_t blocks = 1;
        const GeluTiling tiling = gelu_tiling(chip, problem, knobs, blocks);
        Plan plan;
        plan.problem = fmt::format("GELU {} {}, {}", text(shape), isa::name(type), knobs.word("form"));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 2}),
                        Buffer::output("y", problem.out, shape)};
        plan.launches = {
            {.entry = fmt::format("gelu_{}{}", isa::name(type), wide_out ? "_float32" : ""),
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(tiling)}}};
        plan.chosen = {{"tile", tiling.tile}};
        plan.work = {.vector_flops = gelu_operations(problem.erf) * static_cast<double>(problem.total),
                     .vector_type = DataType::float32,
                     .gm_bytes = plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [erf = problem.erf](ReferenceData& data) {
            const std::vector<float>& x = data.floats("x");
            std::vector<double>& y = data.expected("y");
            for (std::size_t i = 0; i < y.size(); ++i) {
                y[i] = gelu_of(x[i], erf);
            }
        };
        // The exact form's polynomial is good to 1.5e-7 of |x| / 2; float cancels in relu(x) - ... near its
        // zero.
        plan.tolerances = {rounded_once("y", problem.out, 2e-6)};
        return plan;
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::GeluHost host;
    return &host;
}
#endif
