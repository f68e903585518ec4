// SPDX-License-Identifier: Apache-2.0
// The host side of attention_grad.cpp: its arguments, their checks, and its tiles.
#pragma once

#include <fmt/format.h>

#include "kernels/ops/attention/attention/attention_arguments.hpp"
#include "kernels/ops/attention/attention_grad/attention_grad_reference.hpp"
#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "sim/base/units.hpp"

namespace attention_grad {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;
using attention::padded;

class AttentionGrad final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "gradients of attention for its queries, keys and values";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("batch", 1, 1, 65535, "", "sequences"),
            Knob::integer("q_len", 1024, 1, 1 << 20, "tokens", "queries of a sequence"),
            Knob::integer("kv_len", 1024, 1, 1 << 20, "tokens", "keys and values of a sequence"),
            Knob::integer("heads", 8, 1, 1024, "", "heads of the queries"),
            attention::kv_heads_knob(),
            Knob::integer("head_dim", 128, 16, 256, "elements", "width of a head, a multiple of 16"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of all but row values"),
            attention::layout_knob(),
            attention::causal_knob(),
            Knob::integer("tile_m", 0, 0, 128, "rows", "queries of a tile; 0: chosen"),
            Knob::integer("tile_n", 0, 0, 512, "keys", "keys of a tile; 0: chosen"),
            Knob::integer("cores", 0, 0, 64, "cores", "cube cores to use; 0: all"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw knobs.error("cores", fmt::format("{} has no cube cores apart; take a 910B", chip.name));
        }
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "cores", chip);
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        const std::uint64_t total = steps(t);
        const std::uint32_t vectors = chip.cores.aiv_per_aic;
        const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            ceil_div(total, std::uint64_t{vectors}), std::min(cores, most_vectors / vectors)));
        host::Plan plan;
        plan.chosen = {{"tile_m", t.base_m}, {"tile_n", t.base_n}};
        plan.problem =
            fmt::format("gradients of attention [{}, {} x {}, {} heads of {}], {}{}, tiles of {} x {}",
                        t.batch,
                        t.q_len,
                        t.kv_len,
                        t.heads,
                        t.dim,
                        name(type),
                        t.causal != 0 ? ", causal" : "",
                        t.base_m,
                        t.base_n);
        add_buffers(plan, t, type, blocks * vectors);
        plan.launches = {launch_of(t, type, chip, blocks)};
        add_work(plan, t, type);
        add_tolerances(plan, t, type);
        plan.reference = [t](host::ReferenceData& data) { Reference{data, t}.run(); };
        return plan;
    }

private:
    [[nodiscard]] static host::Launch launch_of(const Tiling& t,
                                                DataType type,
                                                const ascendsim::ChipSpec& chip,
                                                std::uint32_t blocks) {
        host::Launch launch{.entry = fmt::format("attention_grad_{}", name(type)),
                            .blocks = blocks,
                            .cores = ascendsim::CoreUse::mix_1_2};
        for (const char* buffer :
             {"q", "k", "v", "dy", "o", "maxima", "row_sums", "dq", "dk", "dv", "workspace"}) {
            launch.arguments.push_back(host::Argument::address(buffer));
        }
        GradTiling tiling = with_products(t, type, chip);
        share_steps(tiling, blocks * chip.cores.aiv_per_aic);
        launch.arguments.push_back(host::Argument::of(tiling));
        return launch;
    }

    static void add_tolerances(host::Plan& plan, const Tiling& t, DataType type) {
        // P and dS are rounded to the operands' type, each by half a step. With maxima of 3 and more and row
        // sums of half the keys and more, probabilities of a row add up to about 2 e^(0.5 - 3) = 0.16, those
        // of a key to q_len / kv_len times that, and what they are multiplied by stays within 8.
        const double step = type == DataType::half ? 0x1p-12 : 0x1p-9;
        const double share = std::max(1.0, static_cast<double>(t.q_len) / t.kv_len);
        for (const char* gradient : {"dq", "dk", "dv"}) {
            const double many = t.heads / t.kv_heads * share;
            plan.tolerances.push_back({.output = gradient, .absolute = step * many, .ulp = 1});
        }
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        Tiling t{.batch = knobs.count("batch"),
                 .q_len = knobs.count("q_len"),
                 .kv_len = knobs.count("kv_len"),
                 .heads = knobs.count("heads"),
                 .kv_heads = attention::kv_heads_of(knobs),
                 .dim = knobs.count("head_dim"),
                 .by_head = knobs.word("layout") == "bnsd" ? 1U : 0U,
                 .merged = 1,
                 .stages = 2,
                 .splits = 1,
                 .causal = knobs.flag("causal") ? 1U : 0U,
                 .whole_tiles = 1};
        attention::check_heads_and_causal(knobs);
        if (t.dim % 16 != 0) {
            throw knobs.error("head_dim", "must be a multiple of 16");
        }
        t.value_dim = t.dim;
        t.rows = t.q_len;
        t.sequences = t.batch * t.heads;
        t.split_keys = t.kv_len;
        t.scale = attention::score_scale(t.dim);
        // As the library cuts them: 128 queries by 8 pieces of 64 keys.
        t.base_m = wanted(knobs, "tile_m", std::min(padded(t.q_len), 128U));
        t.base_n = wanted(knobs, "tile_n", std::min(padded(t.kv_len), 512U));
        t.score_rows = std::min(padded(t.base_m), rows_at_once(t, chip));
        return t;
    }

    [[nodiscard]] static std::uint32_t wanted(const host::Knobs& knobs,
                                              const char* knob,
                                              std::uint32_t otherwise) {
        const std::uint32_t value = attention::count_of_16(knobs, knob);
        return value == 0 ? otherwise : value;
    }

    /// Rows of scores that a vector core works on at a time: two buffers each of S, dP, P and dS in UB.
    [[nodiscard]] static std::uint32_t rows_at_once(const Tiling& t, const ascendsim::ChipSpec& chip) {
        constexpr std::uint32_t most = 64;
        const std::uint64_t row_values = 3ULL * t.base_m * 4;
        const std::uint64_t row = 2ULL * t.base_n * (4 + 4 + 2 + 2) + 3 * 8 * 4;
        const auto rows = static_cast<std::uint32_t>((chip.buffers.ub - row_values) / row / 8 * 8);
        return std::clamp(rows, 8U, most);
    }

    /// Steps of tiles of queries: one for each tile of keys that any of the queries sees.
    [[nodiscard]] static std::uint32_t steps_of(const Tiling& t, std::uint32_t tile) {
        const std::uint32_t end = std::min((tile + 1) * t.base_m, t.q_len);
        const std::uint32_t seen = t.causal != 0 ? std::min(t.kv_len, end + t.kv_len - t.q_len) : t.kv_len;
        return ceil_div(seen, t.base_n);
    }

    [[nodiscard]] static std::uint64_t steps(const Tiling& t) {
        std::uint64_t of_sequence = 0;
        for (std::uint32_t tile = 0; tile < tiles(t); ++tile) {
            of_sequence += steps_of(t, tile);
        }
        return of_sequence * t.sequences;
    }

    /// Gives each vector core as many steps as any other, one after the other.
    static void share_steps(GradTiling& tiling, std::uint32_t vectors) {
        const Tiling& t = tiling.attention;
        const std::uint64_t total = steps(t);
        std::uint32_t task = 0;
        std::uint32_t step = 0;  // of the task
        for (std::uint32_t i = 0; i < vectors; ++i) {
            const auto share = static_cast<std::uint32_t>(total * (i + 1) / vectors - total * i / vectors);
            tiling.starts[i] = {.task = task, .column = step * t.base_n, .steps = share};
            for (step += share; step > 0 && step >= steps_of(t, task % tiles(t)); ++task) {
                step -= steps_of(t, task % tiles(t));
            }
        }
    }

    [[nodiscard]] static GradTiling with_products(const Tiling& t,
                                                  DataType type,
                                                  const ascendsim::ChipSpec& chip) {
        using namespace matmul_tiling;
        const matmul_tiling::DataType element = matmul_object::tiling_type(type);
        const auto cut = [&](std::uint32_t m, std::uint32_t n, std::uint32_t k, bool left, bool right) {
            MatmulApiTiling choice{matmul_object::platform_of(chip)};
            const auto rows = static_cast<std::int32_t>(m);
            const auto columns = static_cast<std::int32_t>(n);
            const auto depth = static_cast<std::int32_t>(k);
            choice.SetAType(TPosition::GM, CubeFormat::ND, element, left);
            choice.SetBType(TPosition::GM, CubeFormat::ND, element, right);
            choice.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
            choice.SetShape(rows, columns, depth);
            choice.SetOrgShape(rows, columns, depth);
            choice.SetFixSplit(std::min(rows, 128), std::min(columns, 128));
            choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 3));
            TCubeTiling tiling;
            ascendsim::check(choice.GetTiling(tiling) == 0,
                             "a product of attention's gradient has no tiling");
            return tiling;
        };
        return {.attention = t,
                .scores = cut(t.base_m, t.base_n, t.dim, false, true),
                .query_grad = cut(t.base_m, t.dim, t.base_n, false, false),
                .key_grad = cut(t.base_n, t.dim, t.base_m, true, false)};
    }

    static void add_buffers(host::Plan& plan, const Tiling& t, DataType type, std::uint32_t vectors) {
        using host::Buffer;
        const auto shape = [&](std::uint64_t length, std::uint64_t heads) {
            return attention::tensor_shape(t.by_head != 0, t.batch, length, heads, t.dim);
        };
        const host::Shape query = shape(t.q_len, t.heads);
        const host::Shape key = shape(t.kv_len, t.kv_heads);
        const host::Fill normal = host::fill::Normal{};
        plan.buffers = {
            Buffer::input("q", type, query, normal),
            Buffer::input("k", type, key, normal),
            Buffer::input("v", type, key),
            Buffer::input("dy", type, query),
            Buffer::input("o", type, query),
            Buffer::input(
                "maxima", DataType::float32, {t.batch, t.heads, t.q_len}, host::fill::Uniform{3, 4}),
            Buffer::input("row_sums",
                          DataType::float32,
                          {t.batch, t.heads, t.q_len},
                          host::fill::Uniform{0.5 * t.kv_len, 1.0 * t.kv_len}),
            Buffer::output("dq", type, query),
            Buffer::output("dk", type, key),
            Buffer::output("dv", type, key),
            Buffer::workspace("workspace", grad_workspace_bytes(t, vectors))};
    }

    static void add_work(host::Plan& plan, const Tiling& t, DataType type) {
        const double scores = attention::scores_of(t);
        constexpr double flops =
            6;  // of the vector unit: scale, subtract, exponential, divide; subtract, multiply
        attention::set_work(plan, type, 5 * 2.0 * scores * t.dim, flops * scores);
    }
};

}  // namespace attention_grad

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const attention_grad::AttentionGrad attention_grad_host;
    return &attention_grad_host;
}
