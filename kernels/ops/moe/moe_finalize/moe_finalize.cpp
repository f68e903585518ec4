// SPDX-License-Identifier: Apache-2.0
// The rows that experts made of a token, with bias, weighed and added up onto the token's own rows.
#include "kernels/ops/moe/moe_finalize/moe_finalize.h"

#include "kernels/ops/moe/moe_finalize/moe_finalize_library.h"

/// One of the two classes, by the schedule.
template <typename T>
__aicore__ inline void RunMoeFinalize(GM_ADDR x,
                                      GM_ADDR index,
                                      GM_ADDR skip0,
                                      GM_ADDR skip1,
                                      GM_ADDR bias,
                                      GM_ADDR scale,
                                      GM_ADDR expert,
                                      GM_ADDR y,
                                      GM_ADDR words,
                                      const MoeFinalizeTiling& tiling) {
    if (tiling.library != 0) {
        MoeFinalizeLibrary<T>(x, index, skip0, skip1, bias, scale, expert, y, words, tiling).Process();
    } else {
        MoeFinalize<T>(x, index, skip0, skip1, bias, scale, expert, y, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void moe_finalize_float16(GM_ADDR x,
                                                           GM_ADDR index,
                                                           GM_ADDR skip0,
                                                           GM_ADDR skip1,
                                                           GM_ADDR bias,
                                                           GM_ADDR scale,
                                                           GM_ADDR expert,
                                                           GM_ADDR y,
                                                           GM_ADDR words,
                                                           MoeFinalizeTiling tiling) {
    RunMoeFinalize<half>(x, index, skip0, skip1, bias, scale, expert, y, words, tiling);
}

extern "C" __global__ __aicore__ void moe_finalize_bfloat16(GM_ADDR x,
                                                            GM_ADDR index,
                                                            GM_ADDR skip0,
                                                            GM_ADDR skip1,
                                                            GM_ADDR bias,
                                                            GM_ADDR scale,
                                                            GM_ADDR expert,
                                                            GM_ADDR y,
                                                            GM_ADDR words,
                                                            MoeFinalizeTiling tiling) {
    RunMoeFinalize<bfloat16_t>(x, index, skip0, skip1, bias, scale, expert, y, words, tiling);
}

extern "C" __global__ __aicore__ void moe_finalize_float32(GM_ADDR x,
                                                           GM_ADDR index,
                                                           GM_ADDR skip0,
                                                           GM_ADDR skip1,
                                                           GM_ADDR bias,
                                                           GM_ADDR scale,
                                                           GM_ADDR expert,
                                                           GM_ADDR y,
                                                           GM_ADDR words,
                                                           MoeFinalizeTiling tiling) {
    RunMoeFinalize<float>(x, index, skip0, skip1, bias, scale, expert, y, words, tiling);
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

class MoeFinalizeHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "the rows of a token's experts, weighed and added up";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {1024, 512}, "tokens, elements of a row"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type; the arithmetic is in float32"),
            Knob::integer("k", 8, 1, 64, "", "experts of a token"),
            Knob::integer("experts", 16, 1, 1 << 16, "", "rows of the bias"),
            Knob::integer("skips", 2, 0, 2, "", "rows of the token's own that are added"),
            Knob::flag("bias", true, "a row for each expert is added"),
            Knob::flag("scaled", true, "a factor for each token and expert"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::word("schedule",
                       {"rows", "library"},
                       "rows: indices tile by tile, sums in float; library: the operator library's order"),
            Knob::flag("by_expert", false, "indices lie by (expert, token); the library's order alone"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const MoeFinalizeTiling t = tile(knobs, chip, type, blocks);
        const std::uint64_t pairs = t.tokens * t.k;
        Plan plan;
        plan.problem =
            fmt::format("MoE finalize {} x {} {}", text(knobs.shape("shape")), t.k, isa::name(type));
        std::vector<Argument> arguments = add_buffers(plan, knobs, t, type);
        arguments.push_back(Argument::of(t));
        plan.launches = {{.entry = fmt::format("moe_finalize_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = std::move(arguments)}};
        plan.work = {.vector_flops = 3.0 * static_cast<double>(pairs * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        plan.tolerances = {rounded_once("y", type, 1e-5)};
        if (t.library != 0 && type == DataType::half) {
            // Three roundings for each expert, of sums below 8 in magnitude: half a step of 2^-8 each.
            plan.tolerances[0].absolute = (3.0 * t.k + 1) * 0x1p-9;
        }
        return plan;
    }

private:
    static MoeFinalizeTiling tile(const Knobs& knobs,
                                  const ChipSpec& chip,
                                  DataType type,
                                  std::uint32_t& blocks) {
        const Shape& shape = knobs.shape("shape");
        const std::uint64_t size = isa::bits(type) / 8;
        if (shape.size() != 2 || chip.arch != "2201" ||
            round_up(shape[1], 32 / size) * (6 * size + 12) + 16384 > chip.buffers.ub) {
            throw knobs.error(
                "shape", "must be tokens and elements of a row that fits the unified buffer of a 2201 chip");
        }
        MoeFinalizeTiling t{.tokens = shape[0],
                            .k = knobs.count("k"),
                            .width = static_cast<std::uint32_t>(shape[1]),
                            .pitch = static_cast<std::uint32_t>(round_up(shape[1], 32 / size)),
                            .skips = knobs.count("skips"),
                            .bias = knobs.flag("bias") ? 1U : 0U,
                            .scaled = knobs.flag("scaled") ? 1U : 0U,
                            .by_expert = knobs.flag("by_expert") ? 1U : 0U,
                            .library = knobs.word("schedule") == "library" ? 1U : 0U};
        const std::uint32_t cores = blocks_or(knobs.count("blocks"), chip, t.tokens, 1);
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.tokens, cores), 1);
        t.tile = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(std::min<std::uint64_t>(t.share, 512 / t.k), 1, 512));
        if (t.library != 0) {
            t.tile = library_tile(t, size, type == DataType::bfloat16, chip.buffers.ub);
        }
        if (t.tile == 0 || (t.library == 0 && t.by_expert != 0)) {
            throw knobs.error("schedule",
                              "the library's order needs room for a tile, and indices by expert need it");
        }
        blocks = static_cast<std::uint32_t>(
            t.library != 0 ? std::max<std::uint64_t>(ceil_div(t.tokens, t.share), 1) : cores);
        return t;
    }

    /// The plan's buffers, and the arguments up to the tiling; what is left out is replaced by x.
    static std::vector<Argument> add_buffers(Plan& plan,
                                             const Knobs& knobs,
                                             const MoeFinalizeTiling& t,
                                             DataType type) {
        const Shape& shape = knobs.shape("shape");
        const std::uint64_t pairs = t.tokens * t.k;
        std::vector<Argument> arguments;
        const auto add = [&](bool used, Buffer buffer) {
            arguments.push_back(Argument::address(used ? buffer.name : "x"));
            if (used) {
                plan.buffers.push_back(std::move(buffer));
            }
        };
        const auto steering = [](Buffer buffer) {
            buffer.control = true;
            return buffer;
        };
        const auto experts = static_cast<std::int64_t>(knobs.count("experts"));
        add(true, Buffer::input("x", type, {pairs, t.width}, fill::Normal{0, 1}));
        add(true,
            steering(Buffer::input(
                "index", DataType::int32, {pairs}, fill::Integers{0, static_cast<std::int64_t>(pairs) - 1})));
        add(t.skips > 0, Buffer::input("skip0", type, shape, fill::Normal{0, 1}));
        add(t.skips > 1, Buffer::input("skip1", type, shape, fill::Normal{0, 1}));
        add(t.bias != 0, Buffer::input("bias", type, {knobs.count("experts"), t.width}, fill::Normal{0, 1}));
        add(t.scaled != 0, Buffer::input("scale", type, {pairs}, fill::Uniform{0, 1}));
        add(t.bias != 0,
            steering(Buffer::input("expert", DataType::int32, {pairs}, fill::Integers{0, experts - 1})));
        add(true, Buffer::output("y", type, shape));
        add(t.library != 0, Buffer::tiling("library_tiling", MoeFinalizeLibraryTiling{}));
        return arguments;
    }

    // Tokens of a tile as the library's host side counts them (moe_finalize_routing_v2, where rows are
    // whole): buffers of `size` B elements, in float as well for bfloat16; 0 if not one fits.
    static std::uint32_t library_tile(const MoeFinalizeTiling& t,
                                      std::uint64_t size,
                                      bool widens,
                                      std::uint64_t unified_buffer) {
        constexpr std::uint64_t reserve = 1024;
        constexpr std::uint64_t block = 32;
        const std::uint64_t row = t.pitch * size;
        const std::uint64_t experts = 2 * row * (1 + t.bias);
        const std::uint64_t list = round_up(t.k * sizeof(std::int32_t), block) + round_up(t.k * size, block);
        const std::uint64_t second = t.skips > 1 ? 1 : 0;
        const std::uint64_t fixed =
            (widens ? 3 * experts : experts + row) + round_up(t.share * 4, block) * t.k + reserve;
        const std::uint64_t token = list + row * (widens ? 4 + 3 * second : 2 + second);
        const std::uint64_t fits = fixed < unified_buffer ? (unified_buffer - fixed) / token : 0;
        return static_cast<std::uint32_t>(std::min(fits, t.share));
    }

    static void expect(ReferenceData& data, const MoeFinalizeTiling& t) {
        std::vector<double>& y = data.expected("y");
        const std::span<const std::int32_t> index = data.view<std::int32_t>("index");
        for (std::uint64_t i = 0; i < y.size(); ++i) {
            const std::uint64_t token = i / t.width;
            y[i] = (t.skips > 0 ? data.floats("skip0")[i] : 0) + (t.skips > 1 ? data.floats("skip1")[i] : 0);
            for (std::uint64_t j = token * t.k; j < (token + 1) * t.k; ++j) {
                const std::uint64_t at = t.by_expert != 0 ? j % t.k * t.tokens + token : j;
                double made = data.floats("x")[static_cast<std::uint64_t>(index[at]) * t.width + i % t.width];
                if (t.bias != 0) {
                    const auto expert = static_cast<std::uint64_t>(data.view<std::int32_t>("expert")[j]);
                    made += data.floats("bias")[expert * t.width + i % t.width];
                }
                y[i] += made * (t.scaled != 0 ? data.floats("scale")[j] : 1);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::MoeFinalizeHost host;
    return &host;
}
#endif
