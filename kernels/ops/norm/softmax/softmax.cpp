// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) over the last axis, by whole rows or by chunks of a row.
#include "kernels/shared/softmax.h"

template <typename T>
__aicore__ inline void Softmax(GM_ADDR x, GM_ADDR y, const RowTiling& tiling) {
    if (tiling.schedule != 1) {
        SoftmaxRows<T>(x, y, tiling).Process();
    } else {
        SoftmaxChunks<T>(x, y, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void softmax_float16(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<half>(x, y, tiling);
}

extern "C" __global__ __aicore__ void softmax_bfloat16(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<bfloat16_t>(x, y, tiling);
}

extern "C" __global__ __aicore__ void softmax_float32(GM_ADDR x, GM_ADDR y, RowTiling tiling) {
    Softmax<float>(x, y, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

class SoftmaxHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = softmax(x) over the last axis"; }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({32, 16, 512, 512});
        knobs.push_back(Knob::word(
            "schedule",
            {"auto", "rows", "online", "library"},
            "whole rows in the unified buffer, or chunks; the operator library's order of whole rows"));
        knobs.push_back(
            Knob::integer("chunk", 0, 0, 1 << 20, "elements", "of a row at a time; 0: what fits"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const isa::DataType type = checked_float_type(knobs, chip);
        const std::uint64_t size = isa::bits(type) / 8;
        const std::uint32_t buffers = knobs.count("buffers");
        RowProblem problem = row_problem(knobs, chip, type);
        problem.local_bytes = 2 * buffers * size + 4 + 2;  // x, y, x in float, half a row to reduce in
        problem.row_bytes = 64 * 4 + 4 + 4 + 32;  // a short row to reduce in, value, one, spread value
        std::uint32_t blocks = 1;
        const RowTiling tiling = tile(chip, problem, knobs, blocks);
        Plan plan;
        plan.chosen = {
            {tiling.schedule == 1 ? "chunk" : "tile", tiling.schedule == 1 ? tiling.chunk : tiling.tile}};
        plan.problem = fmt::format("softmax {} {}, {}",
                                   text(knobs.shape("shape")),
                                   isa::name(type),
                                   tiling.schedule == 1 ? "online" : "rows");
        plan.buffers = {Buffer::input("x", type, knobs.shape("shape"), fill::Normal{0, 3}),
                        Buffer::output("y", type, knobs.shape("shape"))};
        plan.launches = {
            {.entry = fmt::format("softmax_{}", isa::name(type)),
             .blocks = blocks,
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {Argument::address("x"), Argument::address("y"), Argument::of(tiling)}}};
        const std::uint64_t total = problem.rows * problem.width;
        // Maximum, difference, exponential, sum, product.
        plan.work = {.vector_flops = 5.0 * static_cast<double>(total),
                     .vector_type = isa::DataType::float32,
                     .gm_bytes = 2 * total * size};
        plan.reference = [width = problem.width](ReferenceData& data) { expect(data, width); };
        plan.tolerances = {rounded_once("y", type, 1e-7)};
        return plan;
    }

private:
    /// As compiled schedules of SoftmaxV2 do (source not published): rows as fit beside five floats of each
    /// element, four if elements are floats, and no second buffer, as along other axes (softmax_axis.cpp).
    /// Measured are 28 cycles for 64 elements of long rows, 15 of them the vector unit's (NORM-035, -044,
    /// -050), and 154 for a row of 67 (NORM-046). Rows below a block (16 cycles for 2, NORM-045) and too long
    /// ones stay as they are.
    static void take_turns(RowTiling& tiling,
                           const ChipSpec& chip,
                           const RowProblem& problem,
                           std::uint32_t& blocks) {
        const std::uint64_t room = chip.buffers.ub / (problem.element_bytes == 4 ? 16 : 20);  // elements
        if (tiling.schedule == 1 || problem.width * problem.element_bytes < 32 || tiling.pitch > room) {
            return;
        }
        const std::uint64_t each = tiling.pitch * (2 * problem.element_bytes + 6) + problem.row_bytes;
        const std::uint64_t fits = std::min((chip.buffers.ub - 1024) / each, room / tiling.pitch);
        tiling.schedule = 2;
        tiling.buffers = 1;
        tiling.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fits, 1, 248));
        tiling.share = ceil_div<std::uint64_t>(problem.rows, blocks);
        blocks = static_cast<std::uint32_t>(ceil_div(problem.rows, tiling.share));
    }

    static RowTiling tile(const ChipSpec& chip,
                          const RowProblem& problem,
                          const Knobs& knobs,
                          std::uint32_t& blocks) {
        RowTiling tiling = row_tiling(chip, problem, knobs, blocks, knobs.word("schedule"));
        if (knobs.word("schedule") == "library") {
            take_turns(tiling, chip, problem, blocks);
        }
        const std::uint32_t wanted = knobs.count("chunk");
        if (wanted == 0) {
            return tiling;
        }
        if (wanted > tiling.chunk || wanted * problem.element_bytes % 64 != 0) {
            throw knobs.error("chunk",
                              fmt::format("must be a multiple of {} elements (64 B), up to {}",
                                          64 / problem.element_bytes,
                                          tiling.chunk));
        }
        tiling.chunk = wanted;
        return tiling;
    }

    static void expect(ReferenceData& data, std::uint64_t width) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t row = 0; row < x.size(); row += width) {
            const double most = *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(row),
                                                  x.begin() + static_cast<std::ptrdiff_t>(row + width));
            double sum = 0;
            for (std::uint64_t i = row; i < row + width; ++i) {
                y[i] = std::exp(x[i] - most);
                sum += y[i];
            }
            for (std::uint64_t i = row; i < row + width; ++i) {
                y[i] /= sum;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::SoftmaxHost host;
    return &host;
}
#endif
