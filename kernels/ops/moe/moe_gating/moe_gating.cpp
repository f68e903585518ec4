// SPDX-License-Identifier: Apache-2.0
// The gate of a mixture of experts in the operator library's order (moe_gating.h).
#include "kernels/ops/moe/moe_gating/moe_gating.h"

template <typename T>
__aicore__ inline void RunMoeGating(const MoeGatingAddresses& addresses, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(MoeGatingTiling, t, tiling);
    AscendC::TPipe pipe;
    if (t.groups != 0) {
        MoeGatingOfGroups<T>(addresses, t, pipe).Process();
    } else {
        MoeGatingOfAll<T>(addresses, t, pipe).Process();
    }
}

extern "C" __global__ __aicore__ void moe_gating_float32(
    GM_ADDR x, GM_ADDR bias, GM_ADDR weights, GM_ADDR indices, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunMoeGating<float>({x, bias, weights, indices}, tiling);
}

extern "C" __global__ __aicore__ void moe_gating_float16(
    GM_ADDR x, GM_ADDR bias, GM_ADDR weights, GM_ADDR indices, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunMoeGating<half>({x, bias, weights, indices}, tiling);
}

extern "C" __global__ __aicore__ void moe_gating_bfloat16(
    GM_ADDR x, GM_ADDR bias, GM_ADDR weights, GM_ADDR indices, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    RunMoeGating<bfloat16_t>({x, bias, weights, indices}, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class MoeGatingHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "gate of a mixture of experts token by token: the best of all, or of the best groups";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::integer("tokens", 256, 1, 1 << 24, "", "rows of the scores"),
            Knob::integer("experts", 256, 1, 2048, "", "columns of the scores"),
            Knob::integer("k", 8, 1, 64, "", "experts that a token keeps"),
            Knob::integer(
                "groups", 1, 1, 8, "", "8: the best are those of four of 8 groups of 32; 1: of all"),
            Knob::word("score",
                       {"sigmoid", "softmax"},
                       "sigmoid: weights are divided by their sum; softmax: of all experts"),
            Knob::flag("bias", true, "a row is added before the choice"),
            Knob::real("scale", 1.0, 1e-6, 1e6, "", "of the weights"),
            Knob::type("dtype",
                       {DataType::float32, DataType::half, DataType::bfloat16},
                       "element type of scores, bias and weights; the arithmetic is in float32"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, as far as there are tokens"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const MoeGatingTiling t = tile(knobs, chip, type);
        Plan plan;
        plan.problem = fmt::format("gate of {} of {} experts for {} tokens", t.k, t.experts, t.tokens);
        plan.buffers = {Buffer::input("x", type, {t.tokens, t.experts}, fill::Uniform{-4, 4})};
        if (t.bias != 0) {
            plan.buffers.push_back(Buffer::input("bias", type, {t.experts}, fill::Uniform{-0.2, 0.2}));
        }
        plan.buffers.push_back(Buffer::output("weights", type, {t.tokens, t.k}));
        plan.buffers.push_back(Buffer::output("indices", DataType::int32, {t.tokens, t.k}));
        // Four steps of a score; sorting is counted as one comparison.
        plan.work = {.vector_flops = 6.0 * t.tokens * t.experts,
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.buffers.push_back(Buffer::tiling("tiling", t));
        plan.launches = {{.entry = fmt::format("moe_gating_{}", isa::name(type)),
                          .blocks = static_cast<std::uint32_t>(ceil_div(t.tokens, t.share)),
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = {Argument::address("x"),
                                        Argument::address(t.bias != 0 ? "bias" : "x"),
                                        Argument::address("weights"),
                                        Argument::address("indices"),
                                        Argument::address("tiling")}}};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        // A weight is off by some roundings of float32. Indices are exact: the reference chooses by scores
        // that are rounded as the kernel's are.
        plan.tolerances = {rounded_once("weights", type, 1e-6), {.output = "indices"}};
        return plan;
    }

private:
    static MoeGatingTiling tile(const Knobs& knobs, const ChipSpec& chip, DataType type) {
        if (chip.arch != "2201") {
            throw knobs.error("experts", chip.name + " has no copies with padding, which this kernel needs");
        }
        const std::uint32_t tokens = knobs.count("tokens");
        const std::uint32_t experts = knobs.count("experts");
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        MoeGatingTiling t{
            .tokens = tokens,
            .experts = experts,
            .pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{experts}, std::uint64_t{32})),
            .k = knobs.count("k"),
            .share = static_cast<std::uint32_t>(ceil_div(tokens, cores)),
            .groups = knobs.count("groups") == 1 ? 0 : knobs.count("groups"),
            .softmax = knobs.word("score") == "softmax" ? 1U : 0U,
            .bias = knobs.flag("bias") ? 1U : 0U,
            .scale = static_cast<float>(knobs.real("scale"))};
        if (t.k > experts) {
            throw knobs.error("k", "is more than there are experts");
        }
        constexpr std::uint32_t group = 32;
        if (t.groups != 0 && (t.groups != 8 || experts != 8 * group || t.k > group || t.softmax != 0)) {
            throw knobs.error(
                "groups", "the library's order for groups is for 8 of 32 experts each, sigmoids, k up to 32");
        }
        // Rows of floats: x (twice in groups), bias, scores, biased, work, numbers, sorted lists.
        const std::uint64_t rows = (type == DataType::float32 ? 3 : 6) + 2 + 8 + 1 + 2;
        if (rows * t.pitch * sizeof(float) + 4096 > chip.buffers.ub) {
            throw knobs.error("experts", "one token does not fit into the unified buffer");
        }
        return t;
    }

    static void expect(ReferenceData& data, const MoeGatingTiling& t) {
        std::vector<double> score(t.experts);
        std::vector<float> by(t.experts);
        for (std::uint32_t token = 0; token < t.tokens; ++token) {
            const float* x = &data.floats("x")[static_cast<std::size_t>(token) * t.experts];
            double all = 0;
            for (std::uint32_t e = 0; e < t.experts; ++e) {
                score[e] = t.softmax != 0 ? std::exp(static_cast<double>(x[e]))
                                          : 1 / (1 + std::exp(-static_cast<double>(x[e])));
                all += score[e];
            }
            const float most = *std::max_element(x, x + t.experts);
            const auto part = static_cast<float>(std::exp(static_cast<double>(most)) / all);
            for (std::uint32_t e = 0; e < t.experts; ++e) {
                score[e] /= t.softmax != 0 ? all : 1;
                by[e] = t.softmax != 0 ? std::exp(x[e] - most) * part : 1.0F / (1.0F + std::exp(-x[e]));
                by[e] += t.bias != 0 ? data.floats("bias")[e] : 0.0F;
            }
            if (t.groups != 0) {
                drop_groups(by);
            }
            keep(data, t, token, score, by);
        }
    }

    /// Of eight groups the four with the smaller sums of their two largest lose, of equal ones the last.
    static void drop_groups(std::vector<float>& by) {
        constexpr std::size_t size = 32;
        std::vector<std::pair<float, std::size_t>> sums;
        for (std::size_t g = 0; g < by.size() / size; ++g) {
            std::vector<float> group(by.begin() + static_cast<std::ptrdiff_t>(g * size),
                                     by.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
            std::ranges::sort(group, std::greater{});
            sums.emplace_back(group[0] + group[1], g);
        }
        std::ranges::stable_sort(sums, std::greater{}, &std::pair<float, std::size_t>::first);
        for (std::size_t i = sums.size() / 2; i < sums.size(); ++i) {
            std::fill_n(by.begin() + static_cast<std::ptrdiff_t>(sums[i].second * size), size, -1e30F);
        }
    }

    static void keep(ReferenceData& data,
                     const MoeGatingTiling& t,
                     std::uint32_t token,
                     const std::vector<double>& score,
                     const std::vector<float>& by) {
        std::vector<std::uint32_t> order(t.experts);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, [&by](auto a, auto b) { return by[a] > by[b]; });
        double sum = t.softmax != 0 ? 1 : 0;
        for (std::uint32_t i = 0; t.softmax == 0 && i < t.k; ++i) {
            sum += score[order[i]];
        }
        for (std::uint32_t i = 0; i < t.k; ++i) {
            const std::size_t at = static_cast<std::size_t>(token) * t.k + i;
            data.expected("weights")[at] = score[order[i]] / sum * t.scale;
            data.expected("indices")[at] = order[i];
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::MoeGatingHost host;
    return &host;
}
#endif
