// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) along an axis that is not the last.
#include "kernels/ops/norm/softmax_axis/softmax_axis.h"

extern "C" __global__ __aicore__ void softmax_axis_float16(GM_ADDR x,
                                                           GM_ADDR y,
                                                           GM_ADDR kept,
                                                           SoftmaxAxisTiling tiling) {
    SoftmaxAxis<half>(x, y, kept, tiling).Process();
}

extern "C" __global__ __aicore__ void softmax_axis_bfloat16(GM_ADDR x,
                                                            GM_ADDR y,
                                                            GM_ADDR kept,
                                                            SoftmaxAxisTiling tiling) {
    SoftmaxAxis<bfloat16_t>(x, y, kept, tiling).Process();
}

extern "C" __global__ __aicore__ void softmax_axis_float32(GM_ADDR x,
                                                           GM_ADDR y,
                                                           GM_ADDR kept,
                                                           SoftmaxAxisTiling tiling) {
    SoftmaxAxis<float>(x, y, kept, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/axis_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class SoftmaxAxisHost : public KernelHost {
public:
    std::string_view meaning() const override { return "y = softmax(x) along an axis that is not the last"; }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {512, 2048}, "extents of x and y"),
            Knob::integer("axis", 0, 0, 15, "", "the axis"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::word("schedule",
                       {"wide", "library"},
                       "wide: whole lines of 512 B, read twice if need be; library: the operator library's"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        std::uint32_t blocks = 1;
        const SoftmaxAxisTiling t = knobs.word("schedule") == "library"
                                        ? tile_as_library(knobs, chip, isa::bits(type) / 8, blocks)
                                        : tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem =
            fmt::format("softmax {} along {}, {}", text(shape), knobs.count("axis"), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 3}),
                        Buffer::output("y", type, shape),
                        Buffer::workspace("kept", t.spills != 0 ? elements(shape) * 4 : 64)};
        plan.launches = {{.entry = fmt::format("softmax_axis_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("y"),
                                        Argument::address("kept"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = 5.0 * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-6)};
        return plan;
    }

private:
    static SoftmaxAxisTiling problem(const Knobs& knobs, const ChipSpec& chip) {
        const AxisSplit x = columns_along(knobs, chip);
        return {.outer = x.outer, .length = x.length, .inner = x.inner, .buffers = knobs.count("buffers")};
    }

    /// As compiled schedules of SoftmaxV2 do (its source is not published). Measured are 35 to 50 cycles for
    /// each row of 32 to 128 B that a core takes in and gives back (NORM-038, -043, -048, -051, -052,
    /// whatever the type), if a piece holds the whole axis of as many columns as fit beside five floats of
    /// each element (four if elements are floats themselves), and copies and arithmetic take turns. An axis
    /// too long for one block of columns (NORM-036) takes three passes, with floats in global memory between
    /// them.
    static SoftmaxAxisTiling tile_as_library(const Knobs& knobs,
                                             const ChipSpec& chip,
                                             std::uint64_t size,
                                             std::uint32_t& blocks) {
        SoftmaxAxisTiling t = problem(knobs, chip);
        const std::uint64_t block = 32 / size;
        const std::uint64_t room = (chip.buffers.ub - 1024) / (size == 4 ? 16 : 20);  // elements
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t fitting = (room / (t.length + 4)) / block * block;
        t.buffers = 1;
        t.turns = 1;
        t.spills = fitting == 0 ? 1 : 0;
        const std::uint64_t share = round_up(ceil_div(t.inner * t.outer, cores), block);
        const std::uint64_t chunk = t.spills != 0 ? std::min<std::uint64_t>(share, 1024) : fitting;
        t.chunk = static_cast<std::uint32_t>(std::min(t.inner, chunk));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        const std::uint64_t rows = t.spills != 0 ? (chip.buffers.ub - 1024) / 24 / t.pitch : room / t.pitch;
        t.tile = static_cast<std::uint32_t>(std::min(t.length, rows - 4));
        // Cores take whole slices of the outer axes as long as there are enough of them.
        const std::uint64_t pieces = ceil_div<std::uint64_t>(t.inner, t.chunk);
        t.units = t.outer * pieces;
        t.share = t.outer >= cores ? ceil_div(t.outer, cores) * pieces : ceil_div(t.units, cores);
        blocks = static_cast<std::uint32_t>(ceil_div(t.units, t.share));
        return t;
    }

    static SoftmaxAxisTiling tile(const Knobs& knobs,
                                  const ChipSpec& chip,
                                  std::uint64_t size,
                                  std::uint32_t& blocks) {
        SoftmaxAxisTiling t = problem(knobs, chip);
        const std::uint64_t block = 32 / size;
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t per_element = 2 * t.buffers * size + 4 + 2;
        const std::uint64_t room = (chip.buffers.ub - 1024) / per_element;  // elements
        // Columns: a piece for each core, whole lines of 512 B if it can be, all rows at a time if they fit.
        const std::uint64_t wanted = round_up(ceil_div(t.inner * t.outer, cores), 512 / size);
        const std::uint64_t fitting = room / (t.length + 4) / block * block;
        const std::uint64_t widest = fitting >= 512 / size ? fitting : std::uint64_t{1024} / size;
        t.chunk = static_cast<std::uint32_t>(std::min({t.inner, wanted, std::max(widest, block)}));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        t.tile = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(std::min(room / t.pitch - 4, t.length), 1, 4000));
        t.units = t.outer * ceil_div<std::uint64_t>(t.inner, t.chunk);
        blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
        t.share = ceil_div<std::uint64_t>(t.units, blocks);
        return t;
    }

    static void expect(ReferenceData& data, const SoftmaxAxisTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::uint64_t c = 0; c < t.outer * t.inner; ++c) {
            const std::uint64_t start = c / t.inner * t.length * t.inner + c % t.inner;
            double most = x[start];
            for (std::uint64_t i = 0; i < t.length; ++i) {
                most = std::max<double>(most, x[start + i * t.inner]);
            }
            double sum = 0;
            for (std::uint64_t i = 0; i < t.length; ++i) {
                sum += std::exp(x[start + i * t.inner] - most);
            }
            for (std::uint64_t i = 0; i < t.length; ++i) {
                y[start + i * t.inner] = std::exp(x[start + i * t.inner] - most) / sum;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::SoftmaxAxisHost host;
    return &host;
}
#endif
