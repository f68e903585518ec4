// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (kernels/ops/attention/rotary/rotary.h).
#include "kernels/ops/attention/rotary/rotary.h"

extern "C" __global__ __aicore__ void rotary_float16(
    GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, RotaryTiling tiling) {
    Rotary<half>(x, cos, sin, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rotary_bfloat16(
    GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, RotaryTiling tiling) {
    Rotary<bfloat16_t>(x, cos, sin, y, tiling).Process();
}

extern "C" __global__ __aicore__ void rotary_float32(
    GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, RotaryTiling tiling) {
    Rotary<float>(x, cos, sin, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class RotaryHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = x cos + turned(x) sin: rotary position embedding of heads";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {2048, 32, 128}, "tokens, heads, elements of a head"),
            Knob::integer(
                "positions", 0, 0, 1 << 30, "tokens", "after which angles repeat; 0: each token has its own"),
            Knob::flag("neighbours", false, "neighbours of a head are pairs, not its halves"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const RotaryTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        const Shape& shape = knobs.shape("shape");
        Plan plan;
        plan.problem = fmt::format("rotary {} {}", text(shape), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 1}),
                        Buffer::input("cos", type, {t.positions, t.width}),
                        Buffer::input("sin", type, {t.positions, t.width}),
                        Buffer::output("y", type, shape)};
        plan.launches = {{.entry = fmt::format("rotary_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("cos"),
                                        Argument::address("sin"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = 3.0 * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * (plan.buffers[0].bytes() + plan.buffers[1].bytes())};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-6)};
        return plan;
    }

private:
    static RotaryTiling tile(const Knobs& knobs,
                             const ChipSpec& chip,
                             std::uint64_t size,
                             std::uint32_t& blocks) {
        constexpr std::uint64_t least_share = 4096;  // B, below which a further core costs more than it saves
        const Shape& shape = knobs.shape("shape");
        if (shape.size() != 3 || shape[2] % 32 != 0) {
            throw knobs.error("shape", "must be tokens, heads and a multiple of 32 elements");
        }
        RotaryTiling t{.tokens = shape[0],
                       .positions = knobs.count("positions") == 0 ? shape[0] : knobs.count("positions"),
                       .heads = static_cast<std::uint32_t>(shape[1]),
                       .width = static_cast<std::uint32_t>(shape[2]),
                       .buffers = knobs.count("buffers"),
                       .neighbours = knobs.flag("neighbours") ? 1U : 0U};
        const std::uint64_t token = shape[1] * shape[2];
        blocks = blocks_or(knobs.count("blocks"), chip, t.tokens, ceil_div(least_share, token * size));
        t.share = ceil_div<std::uint64_t>(t.tokens, blocks);
        const std::uint64_t each = token * (2 * t.buffers * size + 12 + (t.neighbours != 0 ? 4 : 0)) +
                                   shape[2] * 2 * (t.buffers * size + 4);
        const std::uint64_t fits = (chip.buffers.ub - 2304) / each;
        if (fits == 0 || t.heads > 255) {
            throw knobs.error("shape", "the heads of a token do not fit the unified buffer");
        }
        const std::uint64_t worth =
            std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.share, 4), ceil_div(least_share, token * size));
        t.tile = static_cast<std::uint32_t>(std::min(fits, worth));
        return t;
    }

    static void expect(ReferenceData& data, const RotaryTiling& t) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& cos = data.floats("cos");
        const std::vector<float>& sin = data.floats("sin");
        std::vector<double>& y = data.expected("y");
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t c = i % t.width;
            const std::size_t angle = i / t.width / t.heads % t.positions * t.width + c;
            const std::size_t half = t.width / 2;
            const bool first = t.neighbours != 0 ? c % 2 == 0 : c < half;
            const std::size_t apart = t.neighbours != 0 ? 1 : half;
            const double other = x[first ? i + apart : i - apart];
            y[i] = static_cast<double>(x[i]) * cos[angle] + (first ? -other : other) * sin[angle];
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::RotaryHost host;
    return &host;
}
#endif
