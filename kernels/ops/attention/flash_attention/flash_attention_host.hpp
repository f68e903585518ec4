// SPDX-License-Identifier: Apache-2.0
// The host side of flash_attention.cpp: its arguments and their checks, tiles for a chip and a shape, the
// reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/attention/attention/attention_arguments.hpp"
#include "kernels/ops/attention/attention/attention_reference.hpp"
#include "kernels/ops/attention/flash_attention/flash_attention_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/units.hpp"

namespace flash_attention {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;

/// Adds what a masked score is to look like: far below any other, and finite.
constexpr float masked_score = -1.0e30F;

class FlashAttention final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "o = softmax(q k^T / sqrt(dim) + mask) v by tiles, cube and vector cores overlapped";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("batch", 32, 0, 65535, "", "sequences"),
            Knob::integer("q_len", 197, 0, 1 << 20, "tokens", "queries of a sequence"),
            Knob::integer("kv_len", 77, 1, 1 << 20, "tokens", "keys and values of a sequence"),
            Knob::integer("heads", 16, 1, 1024, "", "heads of the queries"),
            attention::kv_heads_knob(),
            Knob::integer("head_dim", 80, 1, 128, "elements", "width of a head"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of q, k, v and o"),
            attention::layout_knob(),
            attention::causal_knob(),
            attention::mask_knob(),
            Knob::integer("tile_m", 0, 0, 128, "queries", "queries of a tile; 0: chosen for chip and shape"),
            Knob::integer("tile_n", 0, 0, 128, "keys", "keys of a tile; 0: chosen"),
            Knob::integer(
                "stages",
                3,
                1,
                3,
                "tiles",
                "1: cube and vector cores take turns; 2, 3: the cube is 1 or 2 tiles of scores ahead"),
            Knob::integer("cores", 0, 0, 64, "cores", "cube cores to use; 0: all"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw knobs.error(
                "stages",
                fmt::format("needs separate cube and vector cores (910B, 910C); {} has whole cores",
                            chip.name));
        }
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        const bool by_head = knobs.word("layout") == "bnsd";
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "cores", chip);
        const std::uint64_t tasks = std::uint64_t{t.batch} * t.heads * ceil_div(t.q_len, t.base_m);
        if (tasks >= std::uint64_t{1} << 32U) {
            throw knobs.error("batch", "more than 2^32 tiles of queries");
        }
        const auto blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tasks, 1, cores));
        host::Plan plan;
        plan.chosen = {{"tile_m", t.base_m}, {"tile_n", t.base_n}};
        plan.problem = problem_text(t, type);
        add_buffers(plan, t, type, blocks, by_head);
        plan.launches = {{.entry = fmt::format("flash_attention_{}", name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::mix_1_2,
                          .arguments = {host::Argument::address("q"),
                                        host::Argument::address("k"),
                                        host::Argument::address("v"),
                                        host::Argument::address("mask"),
                                        host::Argument::address("o"),
                                        host::Argument::address("workspace"),
                                        host::Argument::of(t)},
                          .label = "flash_attention"}};
        add_work(plan, t, type);
        plan.tolerances = {attention::output_tolerance(type)};
        plan.reference = [whole = as_attention(t, by_head)](host::ReferenceData& data) {
            attention::Reference{data, whole}.run();
        };
        return plan;
    }

private:
    /// The problem as attention.cpp states it, for its reference.
    [[nodiscard]] static attention::Tiling as_attention(const Tiling& t, bool by_head) {
        return {.batch = t.batch,
                .q_len = t.q_len,
                .kv_len = t.kv_len,
                .heads = t.heads,
                .kv_heads = t.kv_heads,
                .dim = t.dim,
                .value_dim = t.dim,
                .by_head = by_head ? 1U : 0U,
                .causal = t.causal,
                .masked = t.masked,
                .scale = t.scale};
    }

    [[nodiscard]] static std::string problem_text(const Tiling& t, DataType type) {
        return fmt::format("attention [{}, {} x {}, {} heads of {}], {}{}{}{}, tiles of {} x {}, {} stages",
                           t.batch,
                           t.q_len,
                           t.kv_len,
                           t.heads,
                           t.dim,
                           name(type),
                           t.causal != 0 ? ", causal" : "",
                           t.masked != 0 ? ", masked" : "",
                           t.kv_heads != t.heads ? fmt::format(", {} key heads", t.kv_heads) : "",
                           t.base_m,
                           t.base_n,
                           t.stages);
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.batch = knobs.count("batch"),
                 .q_len = knobs.count("q_len"),
                 .kv_len = knobs.count("kv_len"),
                 .heads = knobs.count("heads"),
                 .kv_heads = attention::kv_heads_of(knobs),
                 .dim = knobs.count("head_dim"),
                 .stages = knobs.count("stages"),
                 .causal = knobs.flag("causal") ? 1U : 0U,
                 .masked = knobs.flag("mask") ? 1U : 0U};
        t.scale = attention::score_scale(t.dim);
        attention::check_heads_and_causal(knobs);
        if (t.causal != 0 && t.masked != 0) {
            throw knobs.error(
                "mask",
                "a causal run has its mask already; set causal = false and put the border into the mask");
        }
        t.q = strides(knobs, t.heads, t.q_len, t.dim);
        t.kv = strides(knobs, t.kv_heads, t.kv_len, t.dim);
        t.base_m = tile(knobs, "tile_m", t.q_len);
        t.base_n = tile(knobs, "tile_n", t.kv_len);
        if (!fit(t, chip)) {
            throw knobs.error(
                "tile_n",
                fmt::format(
                    "tiles of {} x {} with heads of {} do not fit {} (UB {} bytes, L0C {}); 64 x 64 does",
                    t.base_m,
                    t.base_n,
                    t.dim,
                    chip.name,
                    chip.buffers.ub,
                    chip.buffers.l0c));
        }
        return t;
    }

    [[nodiscard]] static Strides strides(const host::Knobs& knobs,
                                         std::uint32_t heads,
                                         std::uint32_t length,
                                         std::uint32_t dim) {
        const bool by_head = knobs.word("layout") == "bnsd";
        return {.token = by_head ? dim : heads * dim,
                .head = by_head ? length * dim : dim,
                .batch = std::uint64_t{heads} * length * dim};
    }

    // Equal tiles of at most 128, what L0 holds in two halves.
    [[nodiscard]] static std::uint32_t tile(const host::Knobs& knobs,
                                            const char* knob,
                                            std::uint32_t extent) {
        constexpr std::uint32_t most = 128;
        const std::uint32_t wanted = attention::count_of_16(knobs, knob);
        const std::uint32_t some = std::max(extent, 1U);
        // Many tiles: whole ones, and a shorter last; few: all alike.
        return wanted != 0 ? wanted : some > 4 * most ? most : padded(ceil_div(some, ceil_div(some, most)));
    }

    // Chooses the buffer counts of the vector cores. False if even single buffers do not fit.
    [[nodiscard]] static bool fit(Tiling& t, const ascendsim::ChipSpec& chip) {
        const std::uint32_t dim = padded(t.dim);
        const std::uint32_t results = (t.base_m * t.base_n + t.base_m * dim) * 4;
        const std::uint32_t l1 = 2 * 2 * (t.base_m * dim + 2 * t.base_n * dim + t.base_m * t.base_n);
        if (results > chip.buffers.l0c || l1 > chip.buffers.l1) {
            return false;
        }
        const std::uint32_t rows = ascendsim::round_up(ceil_div(t.base_m, 2U), 8U);
        const std::uint32_t scores = rows * t.base_n * 4;
        const std::uint32_t masks = t.causal != 0 || t.masked != 0 ? scores : 0;
        const std::uint32_t others = rows * dim * (4 + 2 + 4) + masks + rows * (64 + 8 + 9) * 4;
        for (const auto [s, p] : {std::pair{2U, 2U}, {2U, 1U}, {1U, 1U}}) {
            t.s_buffers = s;
            t.p_buffers = p;
            if (others + s * scores + p * scores / 2 <= chip.buffers.ub) {
                return true;
            }
        }
        return false;
    }

    static void add_buffers(
        host::Plan& plan, const Tiling& t, DataType type, std::uint32_t blocks, bool by_head) {
        const auto shape = [&](std::uint64_t length, std::uint64_t heads) {
            return attention::tensor_shape(by_head, t.batch, length, heads, t.dim);
        };
        using host::Buffer;
        const host::Fill normal = host::fill::Normal{};
        plan.buffers = {Buffer::input("q", type, shape(t.q_len, t.heads), normal),
                        Buffer::input("k", type, shape(t.kv_len, t.kv_heads), normal),
                        Buffer::input("v", type, shape(t.kv_len, t.kv_heads)),
                        Buffer::output("o", type, shape(t.q_len, t.heads)),
                        Buffer::workspace("workspace", blocks * t.stages * stage_bytes(t))};
        if (t.masked != 0) {
            plan.buffers.push_back(Buffer::input(
                "mask", DataType::float32, {t.q_len, t.kv_len}, host::fill::Uniform{.low = -4, .high = 4}));
            return;
        }
        Buffer triangle = Buffer::input(
            "mask", DataType::float32, {t.causal != 0 ? t.base_m : 1, t.causal != 0 ? triangle_pitch(t) : 8});
        triangle.fill = host::fill::Content{triangle_bytes(t)};
        plan.buffers.push_back(std::move(triangle));
    }

    // Row r: zero up to column r + base_n, then masked.
    [[nodiscard]] static std::vector<std::byte> triangle_bytes(const Tiling& t) {
        std::vector<float> values(t.causal != 0 ? std::size_t{t.base_m} * triangle_pitch(t) : 8);
        for (std::uint32_t row = 0; t.causal != 0 && row < t.base_m; ++row) {
            for (std::uint32_t column = row + t.base_n + 1; column < triangle_pitch(t); ++column) {
                values[std::size_t{row} * triangle_pitch(t) + column] = masked_score;
            }
        }
        std::vector<std::byte> bytes(values.size() * sizeof(float));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
    }

    static void add_work(host::Plan& plan, const Tiling& t, DataType type) {
        const double scores = attention::scores_of(t);
        attention::set_work(plan, type, 4.0 * scores * t.dim, attention::softmax_flops * scores);
    }
};

}  // namespace flash_attention

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const flash_attention::FlashAttention attention_host;
    return &attention_host;
}
