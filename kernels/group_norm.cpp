// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / deviation * gamma + beta, mean and deviation of each group of channels; SiLU behind if
// wanted.
#include "kernels/common/group_norm.h"

extern "C" __global__ __aicore__ void group_norm_float16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, ChannelGroups tiling) {
    GroupNorm<half>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void group_norm_bfloat16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, ChannelGroups tiling) {
    GroupNorm<bfloat16_t>(x, gamma, beta, y, tiling).Process();
}

extern "C" __global__ __aicore__ void group_norm_float32(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, ChannelGroups tiling) {
    GroupNorm<float>(x, gamma, beta, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/common/float_types.hpp"
#include "kernels/host/kernel_host.hpp"
#include "kernels/host/work_split.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class GroupNormHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "groups of channels by mean and deviation, then gamma and beta";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {8, 32, 64, 64}, "batch, channels, and what a channel has"),
            Knob::integer(
                "groups", 8, 1, 1 << 20, "", "groups of the channels; one of several sizes may not be"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::flag("silu", false, "SiLU behind"),
            Knob::real("epsilon", 1e-5, 0, 1, "", "added to the variance"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const Shape& shape = knobs.shape("shape");
        std::uint32_t blocks = 1;
        const ChannelGroups t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem =
            fmt::format("group norm {} in {} groups, {}", text(shape), t.per_batch, isa::name(type));
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0.25, 1}),
                        Buffer::input("gamma", type, {shape[1]}, fill::Uniform{0.5, 1.5}),
                        Buffer::input("beta", type, {shape[1]}, fill::Uniform{-1, 1}),
                        Buffer::output("y", type, shape)};
        plan.launches = {{.entry = fmt::format("group_norm_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("gamma"),
                                        Argument::address("beta"),
                                        Argument::address("y"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = (t.silu != 0 ? 9.0 : 5.0) * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-5)};
        return plan;
    }

private:
    static ChannelGroups tile(const Knobs& knobs,
                              const ChipSpec& chip,
                              std::uint64_t size,
                              std::uint32_t& blocks) {
        const Shape& shape = knobs.shape("shape");
        if (shape.size() < 2 || chip.arch != "2201") {
            throw knobs.error("shape", "needs batch and channels, and a chip whose copies pad");
        }
        ChannelGroups t{.length = 1,
                        .per_batch = knobs.count("groups"),
                        .buffers = knobs.count("buffers"),
                        .silu = knobs.flag("silu") ? 1U : 0U,
                        .epsilon = static_cast<float>(knobs.real("epsilon"))};
        if (shape[1] % t.per_batch != 0) {
            throw knobs.error("groups", fmt::format("must divide {} channels", shape[1]));
        }
        for (std::size_t i = 2; i < shape.size(); ++i) {
            t.length *= shape[i];
        }
        t.channels = static_cast<std::uint32_t>(shape[1] / t.per_batch);
        t.groups = shape[0] * t.per_batch;
        blocks = blocks_or(knobs.count("blocks"), chip, t.groups, 1);
        t.share = ceil_div<std::uint64_t>(t.groups, blocks);
        const std::uint64_t block = 32 / size;
        const std::uint64_t weights = round_up(std::uint64_t{t.channels}, std::uint64_t{16}) * (8 + 2 * size);
        const std::uint64_t room = (chip.buffers.ub - 4096 - weights) / (2 * t.buffers * size + 16) / 64 * 64;
        const std::uint64_t most = std::min<std::uint64_t>(room, 8192);
        t.chunk = static_cast<std::uint32_t>(std::min(t.length, most));
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
        t.tile = t.chunk < t.length
                     ? 1U
                     : static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most / t.pitch, 1, t.channels));
        return t;
    }

    static void expect(ReferenceData& data, const ChannelGroups& t) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        const std::uint64_t size = t.channels * t.length;
        for (std::uint64_t g = 0; g < t.groups; ++g) {
            double mean = 0;
            double square = 0;
            for (std::uint64_t i = g * size; i < (g + 1) * size; ++i) {
                mean += x[i] / static_cast<double>(size);
            }
            for (std::uint64_t i = g * size; i < (g + 1) * size; ++i) {
                square += (x[i] - mean) * (x[i] - mean) / static_cast<double>(size);
            }
            for (std::uint64_t i = g * size; i < (g + 1) * size; ++i) {
                const std::uint64_t channel = i / t.length % (std::uint64_t{t.channels} * t.per_batch);
                const double z =
                    (x[i] - mean) / std::sqrt(square + t.epsilon) * data.floats("gamma")[channel] +
                    data.floats("beta")[channel];
                y[i] = t.silu != 0 ? z / (1 + std::exp(-z)) : z;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::GroupNormHost host;
    return &host;
}
#endif
