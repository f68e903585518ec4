// SPDX-License-Identifier: Apache-2.0
// y = x / sqrt(mean(x^2) + epsilon) * gamma over the last axis: the normalisation of large language models.
#include "kernels/shared/norm.h"

extern "C" __global__ __aicore__ void rms_norm_float16(GM_ADDR x,
                                                       GM_ADDR gamma,
                                                       GM_ADDR y,
                                                       RowTiling tiling) {
    Norm<half, NormKind::root_mean_square>(x, gamma, gamma, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rms_norm_bfloat16(GM_ADDR x,
                                                        GM_ADDR gamma,
                                                        GM_ADDR y,
                                                        RowTiling tiling) {
    Norm<bfloat16_t, NormKind::root_mean_square>(x, gamma, gamma, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rms_norm_float32(GM_ADDR x,
                                                       GM_ADDR gamma,
                                                       GM_ADDR y,
                                                       RowTiling tiling) {
    Norm<float, NormKind::root_mean_square>(x, gamma, gamma, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/norm_host.hpp"

namespace ascendsim::host {
namespace {

class RmsNorm : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = x / sqrt(mean(x^2) + epsilon) * gamma over the last axis";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({32, 512, 4096});
        knobs.push_back(Knob::real("epsilon", 1e-6, 0, 1, "", "added to the mean square"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const Shape& shape = knobs.shape("shape");
        const isa::DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const RowTiling tiling = norm_tiling(knobs, chip, type, false, blocks);
        Plan plan;
        plan.chosen = {{"tile", tiling.tile}};
        plan.problem = fmt::format("RMSNorm {} {}", text(shape), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 1}),
                        Buffer::input("gamma", type, {shape.back()}, fill::Uniform{0.5, 1.5}),
                        Buffer::output("y", type, shape)};
        plan.launches = {{.entry = fmt::format("rms_norm_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("gamma"),
                                        Argument::address("y"),
                                        Argument::of(tiling)}}};
        // Square, sum, product with the root's inverse, product with gamma.
        plan.work = {.vector_flops = 4.0 * static_cast<double>(elements(shape)),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes() + plan.buffers[1].bytes()};
        plan.reference = [width = shape.back(), epsilon = knobs.real("epsilon")](ReferenceData& data) {
            expect(data, width, epsilon);
        };
        plan.tolerances = {rounded_once("y", type, 2e-6)};  // float32 sums of up to some thousand squares
        return plan;
    }

private:
    static void expect(ReferenceData& data, std::uint64_t width, double epsilon) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& gamma = data.floats("gamma");
        std::vector<double>& y = data.expected("y");
        for (std::size_t row = 0; row < y.size(); row += width) {
            const std::vector<double> unit = normalised(x.data() + row, width, epsilon, false);
            for (std::size_t i = 0; i < width; ++i) {
                y[row + i] = unit[i] * gamma[i];
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::RmsNorm host;
    return &host;
}
#endif
