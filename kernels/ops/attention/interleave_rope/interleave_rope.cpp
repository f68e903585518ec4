// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of neighbours in the operator library's order (interleave_rope.h).
#include "kernels/ops/attention/interleave_rope/interleave_rope.h"

template <typename T>
__aicore__ inline void RunInterleaveRope(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(InterleaveRopeTiling, t, tiling);
    AscendC::TPipe pipe;
    InterleaveRope<T>(x, cos, sin, y, t, pipe).Process();
}

extern "C" __global__ __aicore__ void interleave_rope_float16(
    GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunInterleaveRope<half>(x, cos, sin, y, tiling);
}

extern "C" __global__ __aicore__ void interleave_rope_bfloat16(
    GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunInterleaveRope<bfloat16_t>(x, cos, sin, y, tiling);
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

constexpr std::uint64_t width = 64;  // elements of a head

class InterleaveRopeHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rotary position embedding of neighbours, token by token, taken apart into halves";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("tokens", 2048, 1, 1 << 24, "", "tokens, each with angles of its own"),
            Knob::integer("heads", 16, 1, 255, "", "heads of 64 elements"),
            Knob::type(
                "dtype", {DataType::bfloat16, DataType::half}, "element type; the arithmetic is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, as far as there are tokens or heads"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const InterleaveRopeTiling t = tile(knobs, chip);
        const Shape shape{t.tokens, t.heads, width};
        Plan plan;
        plan.problem = fmt::format("interleave_rope {} {}", text(shape), isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 1}),
                        Buffer::input("cos", type, {t.tokens, width}),
                        Buffer::input("sin", type, {t.tokens, width}),
                        Buffer::output("y", type, shape)};
        plan.work = {.vector_flops = 3.0 * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.buffers.push_back(Buffer::tiling("tiling", t));
        plan.launches = {
            {.entry = fmt::format("interleave_rope_{}", isa::name(type)),
             .blocks = static_cast<std::uint32_t>(ceil_div(t.by_head != 0 ? t.heads : t.tokens, t.share)),
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {Argument::address("x"),
                           Argument::address("cos"),
                           Argument::address("sin"),
                           Argument::address("y"),
                           Argument::address("tiling")}}};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-6)};
        return plan;
    }

private:
    /// As the operator's host side does (op_host/interleave_rope_tiling.cpp): cores share tokens, or heads
    /// where there are fewer tokens than both.
    static InterleaveRopeTiling tile(const Knobs& knobs, const ChipSpec& chip) {
        if (chip.arch != "2201") {
            throw knobs.error("tokens", chip.name + " is not one that the operator is made for; take a 910B");
        }
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        InterleaveRopeTiling t{};
        t.tokens = knobs.count("tokens");
        t.heads = knobs.count("heads");
        t.by_head = t.tokens < cores && t.tokens < t.heads ? 1 : 0;
        t.share = ceil_div(t.by_head != 0 ? t.heads : t.tokens, cores);
        constexpr std::uint64_t floats = width * sizeof(float);
        constexpr std::uint64_t most_repeats = 127;  // of one instruction, two for each head
        const std::uint64_t fits = (chip.buffers.ub - 4 * floats) / (6 * floats) / 2;
        t.tile = static_cast<std::uint32_t>(
            std::min<std::uint64_t>({t.by_head != 0 ? t.share : t.heads, fits, most_repeats}));
        return t;
    }

    static void expect(ReferenceData& data, const InterleaveRopeTiling& t) {
        const std::vector<float>& x = data.floats("x");
        for (std::size_t i = 0; i < x.size(); i += width) {
            const float* cos = &data.floats("cos")[i / width / t.heads * width];
            const float* sin = &data.floats("sin")[i / width / t.heads * width];
            for (std::size_t c = 0; c < width / 2; ++c) {
                const double real = x[i + 2 * c];
                const double imaginary = x[i + 2 * c + 1];
                const std::size_t second = c + width / 2;
                data.expected("y")[i + c] = real * cos[c] - imaginary * sin[c];
                data.expected("y")[i + second] = imaginary * cos[second] + real * sin[second];
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::InterleaveRopeHost host;
    return &host;
}
#endif
