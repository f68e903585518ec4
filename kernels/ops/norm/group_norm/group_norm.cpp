// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / deviation * gamma + beta, mean and deviation of each group of channels; SiLU behind if
// wanted. Mean and inverse deviation of each group are results as well.
#include "kernels/ops/norm/group_norm/group_norm.h"

extern "C" __global__ __aicore__ void group_norm_float16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR inverse, ChannelGroups tiling) {
    GroupNorm<half>(x, gamma, beta, y, mean, inverse, tiling).Process();
}

extern "C" __global__ __aicore__ void group_norm_bfloat16(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR inverse, ChannelGroups tiling) {
    GroupNorm<bfloat16_t>(x, gamma, beta, y, mean, inverse, tiling).Process();
}

extern "C" __global__ __aicore__ void group_norm_float32(
    GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR inverse, ChannelGroups tiling) {
    GroupNorm<float>(x, gamma, beta, y, mean, inverse, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

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
                        Buffer::output("y", type, shape),
                        Buffer::output("mean", type, {t.groups}),
                        Buffer::output("inverse", type, {t.groups})};
        plan.launches = {{.entry = fmt::format("group_norm_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address("gamma"),
                                        Argument::address("beta"),
                                        Argument::address("y"),
                                        Argument::address("mean"),
                                        Argument::address("inverse"),
                                        Argument::of(t)}}};
        plan.work = {.vector_flops = (t.silu != 0 ? 9.0 : 5.0) * static_cast<double>(elements(shape)),
                     .vector_type = DataType::float32,
                     .gm_bytes = 2 * plan.buffers[0].bytes()};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-5),
                           rounded_once("mean", type, 1e-5),
                           rounded_once("inverse", type, 1e-5)};
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
        deal(t, knobs, chip, size, blocks);
        return t;
    }

    /// Groups to cores and channels to pieces as the library's tiling does (group_norm_silu_tiling.cpp of
    /// ops-nn).
    static void deal(ChannelGroups& t,
                     const Knobs& knobs,
                     const ChipSpec& chip,
                     std::uint64_t size,
                     std::uint32_t& blocks) {
        constexpr std::uint64_t piece = 8192;    // elements
        constexpr std::uint64_t longest = 4096;  // channel of which several go together
        const std::uint64_t block = 32 / size;
        // Channels shorter than a block: neighbours would write into each other's blocks, so one core does
        // all.
        const bool alone = t.length < block && (t.length != 1 || t.channels < block);
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks")
                                    : alone                    ? 1
                                                               : vector_cores(chip);
        t.share = ceil_div<std::uint64_t>(t.groups, cores);
        blocks = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(t.groups, t.share));
        // Factors and offsets of all channels stay in the unified buffer if there is room beside the pieces.
        const std::uint64_t most = size == 4 ? 4000 : 2700;
        const std::uint64_t all = std::uint64_t{t.channels} * t.per_batch;
        t.each = t.length < block || all + t.share > most ? 1 : 0;
        const bool together = t.each == 0 && t.length % block == 0 && t.length <= longest;
        t.tile = together
                     ? static_cast<std::uint32_t>(std::clamp<std::uint64_t>(piece / t.length, 1, t.channels))
                     : 1;
        // Single elements as channels need as many factors and offsets as elements beside them.
        t.chunk = t.length > 1 ? piece
                               : std::min<std::uint64_t>(
                                     round_up(std::uint64_t{t.channels}, std::uint64_t{64}), piece / 4);
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
            const double inverse = 1 / std::sqrt(square + t.epsilon);
            data.expected("mean")[g] = mean;
            data.expected("inverse")[g] = inverse;
            for (std::uint64_t i = g * size; i < (g + 1) * size; ++i) {
                const std::uint64_t channel = i / t.length % (std::uint64_t{t.channels} * t.per_batch);
                const double z =
                    (x[i] - mean) * inverse * data.floats("gamma")[channel] + data.floats("beta")[channel];
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
