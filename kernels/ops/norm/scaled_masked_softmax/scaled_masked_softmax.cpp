// SPDX-License-Identifier: Apache-2.0
// y = softmax(x * scale) over the last axis of (batches, heads, queries, keys), keys that a mask of bytes
// hides left out.
#include "kernels/ops/norm/scaled_masked_softmax/masked_scores.h"
#include "kernels/shared/softmax.h"

template <typename T>
__aicore__ inline void ScaledMaskedSoftmax(
    GM_ADDR x, GM_ADDR mask, GM_ADDR y, const RowTiling& rows, const MaskTiling& masks) {
    SoftmaxRows<T, MaskedScores<T>>(x, y, rows, MaskedScores<T>(mask, masks)).Process();
}

extern "C" __global__ __aicore__ void scaled_masked_softmax_float16(
    GM_ADDR x, GM_ADDR mask, GM_ADDR y, RowTiling rows, MaskTiling masks) {
    ScaledMaskedSoftmax<half>(x, mask, y, rows, masks);
}

extern "C" __global__ __aicore__ void scaled_masked_softmax_bfloat16(
    GM_ADDR x, GM_ADDR mask, GM_ADDR y, RowTiling rows, MaskTiling masks) {
    ScaledMaskedSoftmax<bfloat16_t>(x, mask, y, rows, masks);
}

extern "C" __global__ __aicore__ void scaled_masked_softmax_float32(
    GM_ADDR x, GM_ADDR mask, GM_ADDR y, RowTiling rows, MaskTiling masks) {
    ScaledMaskedSoftmax<float>(x, mask, y, rows, masks);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

// What aclnnScaledMaskedSoftmax puts in place of hidden scores.
constexpr float hidden_score = -10000.0F;

class ScaledMaskedSoftmaxHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = softmax(x * scale) over the last axis, without the keys that a mask of bytes hides";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({8, 16, 128, 512});
        knobs.push_back(Knob::shape(
            "mask", {8, 1, 128, 512}, "extents of the mask: those of x, or 1 for all batches or all heads"));
        knobs.push_back(Knob::real("scale", 1, -1e6, 1e6, "", "factor of x"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const std::uint64_t size = isa::bits(type) / 8;
        RowProblem problem = row_problem(knobs, chip, type);
        const MaskTiling masks = masks_of(knobs, problem.width);
        // x and y, the mask, both wide in turn, half a row to reduce in, and the comparison's result.
        problem.local_bytes = knobs.count("buffers") * (2 * size + 1) + 4 + 2 + 2 + 1;
        problem.row_bytes = 64 * 4 + 4 + 4 + 32 + 32;
        problem.may_chunk = false;
        std::uint32_t blocks = 1;
        const RowTiling rows = row_tiling(chip, problem, knobs, blocks, "rows");
        Plan plan;
        plan.chosen = {{"tile", rows.tile}};
        plan.problem = fmt::format("scaled masked softmax {}, mask {}, {}",
                                   text(knobs.shape("shape")),
                                   text(knobs.shape("mask")),
                                   isa::name(type));
        plan.buffers = {
            Buffer::input("x", type, knobs.shape("shape"), fill::Normal{0, 3}),
            Buffer::input("mask", isa::DataType::uint8, knobs.shape("mask"), fill::Integers{0, 1}),
            Buffer::output("y", type, knobs.shape("shape"))};
        plan.launches = {{.entry = fmt::format("scaled_masked_softmax_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("mask"),
                                        Argument::address("y"),
                                        Argument::of(rows),
                                        Argument::of(masks)}}};
        // Scale, choice, maximum, difference, exponential, sum, product.
        plan.work = {.vector_flops = 7.0 * static_cast<double>(problem.rows * problem.width),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [masks, width = problem.width](ReferenceData& data) { expect(data, masks, width); };
        plan.tolerances = {rounded_once("y", type, 1e-7)};
        return plan;
    }

private:
    static MaskTiling masks_of(const Knobs& knobs, std::uint64_t width) {
        const Shape& x = knobs.shape("shape");
        const Shape& mask = knobs.shape("mask");
        if (x.size() != 4 || width % 32 != 0) {
            throw knobs.error(
                "shape",
                "must be batches, heads, queries and a multiple of 32 keys: masks are copied in blocks");
        }
        const auto spans = [&](std::size_t axis) {
            return mask[axis] == x[axis] || (axis < 2 && mask[axis] == 1);
        };
        if (mask.size() != 4 || !spans(0) || !spans(1) || !spans(2) || !spans(3)) {
            throw knobs.error("mask", fmt::format("must be {}, or 1 in one of the first two", text(x)));
        }
        return {.heads = x[1],
                .queries = x[2],
                .mask_batches = mask[0],
                .mask_heads = mask[1],
                .scale = static_cast<float>(knobs.real("scale")),
                .hidden = hidden_score};
    }

    static void expect(ReferenceData& data, const MaskTiling& masks, std::uint64_t width) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& mask = data.floats("mask");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t row = 0; row * width < x.size(); ++row) {
            const std::uint64_t batch = row / masks.queries / masks.heads % masks.mask_batches;
            const std::uint64_t head = row / masks.queries % masks.heads % masks.mask_heads;
            const std::uint64_t of_mask =
                ((batch * masks.mask_heads + head) * masks.queries + row % masks.queries) * width;
            const auto of_row = y.begin() + static_cast<std::ptrdiff_t>(row * width);
            for (std::uint64_t i = 0; i < width; ++i) {
                of_row[static_cast<std::ptrdiff_t>(i)] =
                    mask[of_mask + i] != 0 ? double{masks.hidden}
                                           : double{x[row * width + i]} * double{masks.scale};
            }
            const auto end = of_row + static_cast<std::ptrdiff_t>(width);
            const double most = *std::max_element(of_row, end);
            std::for_each(of_row, end, [most](double& score) { score = std::exp(score - most); });
            const double sum = std::reduce(of_row, end);
            std::for_each(of_row, end, [sum](double& share) { share /= sum; });
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::ScaledMaskedSoftmaxHost host;
    return &host;
}
#endif
