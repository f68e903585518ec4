// SPDX-License-Identifier: Apache-2.0
// Running sums, products, minima and maxima along an axis that is not the last.
#include "kernels/ops/reduce/cumulate/cumulate.h"

extern "C" __global__ __aicore__ void cumulate_float16(GM_ADDR x,
                                                       GM_ADDR y,
                                                       GM_ADDR index,
                                                       CumulateTiling tiling) {
    Cumulate<half>(x, y, index, tiling).Process();
}

extern "C" __global__ __aicore__ void cumulate_bfloat16(GM_ADDR x,
                                                        GM_ADDR y,
                                                        GM_ADDR index,
                                                        CumulateTiling tiling) {
    Cumulate<bfloat16_t>(x, y, index, tiling).Process();
}

extern "C" __global__ __aicore__ void cumulate_float32(GM_ADDR x,
                                                       GM_ADDR y,
                                                       GM_ADDR index,
                                                       CumulateTiling tiling) {
    Cumulate<float>(x, y, index, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/axis_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::array<const char*, 4> kinds{"sum", "product", "minimum", "maximum"};

class CumulateHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "running sums, products, minima or maxima along an axis that is not the last";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::word("kind", {kinds.begin(), kinds.end()}, "what is computed"),
            Knob::shape("shape", {1024, 1024}, "extents of x and y"),
            Knob::integer("axis", 0, 0, 15, "", "the axis"),
            Knob::flag("indices", false, "with the place of each minimum or maximum, int32"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        std::uint32_t blocks = 1;
        const CumulateTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem = fmt::format("running {} of {} along {}, {}",
                                   knobs.word("kind"),
                                   text(shape),
                                   knobs.count("axis"),
                                   isa::name(type));
        const bool product = t.kind == CumulateKind::product;
        plan.buffers = {
            Buffer::input(
                "x", type, shape, product ? Fill{fill::Uniform{0.95, 1.05}} : Fill{fill::Normal{0, 1}}),
            Buffer::output("y", type, shape)};
        // Each of the steps on the way to an element rounds by up to 2^-24 of what it has come to.
        const double steps = static_cast<double>(t.length) * 0x1p-24;
        plan.tolerances = {
            rounded_once("y", type, steps * 4 * std::sqrt(static_cast<double>(t.length)) + steps)};
        plan.tolerances[0].relative += product ? 2 * steps : 0;
        if (t.indices != 0) {
            plan.buffers.push_back(Buffer::output("index", DataType::int32, shape));
            plan.tolerances.push_back({.output = "index"});
        }
        plan.launches = {{.entry = fmt::format("cumulate_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("y"),
                                        Argument::address(t.indices != 0 ? "index" : "y"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        return plan;
    }

private:
    static CumulateTiling tile(const Knobs& knobs,
                               const ChipSpec& chip,
                               std::uint64_t size,
                               std::uint32_t& blocks) {
        const AxisSplit x = columns_along(knobs, chip);
        CumulateTiling t{.length = x.length, .inner = x.inner, .buffers = knobs.count("buffers")};
        t.kind = static_cast<CumulateKind>(std::ranges::find(kinds, knobs.word("kind")) - kinds.begin());
        t.indices = knobs.flag("indices") ? 1 : 0;
        if (t.indices != 0 && t.kind < CumulateKind::minimum) {
            throw knobs.error("indices", "go with minimum and maximum");
        }
        constexpr std::uint64_t block = 16;  // elements; a multiple of 32 B of every type
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t wanted = round_up(ceil_div(t.inner * x.outer, cores), block);
        const std::uint64_t per_element = 2 * t.buffers * size + 4 + (t.indices != 0 ? 4 + 4 * t.buffers : 0);
        const std::uint64_t room = (chip.buffers.ub - 2048) / per_element;  // elements
        t.chunk = static_cast<std::uint32_t>(std::min({t.inner, wanted, room / 4 / block * block}));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            std::min({room / t.pitch - 2, t.length, ceil_div<std::uint64_t>(t.length, 4)}), 1, 4000));
        t.units = x.outer * ceil_div<std::uint64_t>(t.inner, t.chunk);
        blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
        t.share = ceil_div<std::uint64_t>(t.units, blocks);
        return t;
    }

    static void expect(ReferenceData& data, const CumulateTiling& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t row = i / t.inner % t.length;
            const double before = row == 0 ? 0 : y[i - t.inner];
            const double now = x[i];
            const bool first = row == 0;
            bool mine = first;
            switch (t.kind) {
                case CumulateKind::sum:
                    y[i] = before + now;
                    break;
                case CumulateKind::product:
                    y[i] = first ? now : before * now;
                    break;
                case CumulateKind::minimum:
                    mine = mine || now <= before;
                    y[i] = mine ? now : before;
                    break;
                case CumulateKind::maximum:
                    mine = mine || now >= before;
                    y[i] = mine ? now : before;
                    break;
            }
            if (t.indices != 0) {
                std::vector<double>& index = data.expected("index");
                index[i] = mine ? static_cast<double>(row) : index[i - t.inner];
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::CumulateHost host;
    return &host;
}
#endif
