// SPDX-License-Identifier: Apache-2.0
// The host side of attention.cpp: its arguments and their checks.
#pragma once

#include <fmt/format.h>

#include "kernels/ops/attention/attention/attention_arguments.hpp"
#include "kernels/ops/attention/attention/attention_reference.hpp"
#include "kernels/ops/attention/attention/attention_requests.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"

namespace attention {

namespace host = ascendsim::host;
using ascendsim::isa::DataType;

class Attention final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "attention of prefill and decode: shared key heads, latent keys, paged caches, keys split "
               "over cores";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("batch", 1, 1, 65535, "", "sequences"),
            Knob::integer("q_len", 1024, 1, 1 << 20, "tokens", "queries of a sequence"),
            Knob::integer("kv_len", 1024, 1, 1 << 20, "tokens", "keys and values of a sequence"),
            Knob::integer("heads", 8, 1, 1024, "", "heads of the queries"),
            kv_heads_knob(),
            Knob::integer("head_dim", 128, 1, 512, "elements", "width of a head of q and k"),
            Knob::integer("rope_dim",
                          0,
                          0,
                          128,
                          "elements",
                          "width of q_rope and k_rope, whose product is added; 0: none"),
            Knob::integer("value_dim", 0, 0, 512, "elements", "width of a head of v and o; 0: head_dim"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16},
                       "element type of q, k, v and o, unless queries or cache say int8"),
            layout_knob(),
            causal_knob(),
            mask_knob(),
            Knob::flag("mask_by_batch", false, "each sequence of the batch has a mask of its own"),
            Knob::integer("block_keys",
                          0,
                          0,
                          1024,
                          "tokens",
                          "keys of a block of a paged cache; 0: keys lie one after the other"),
            Knob::integer(
                "pool_blocks", 0, 0, 1 << 24, "", "blocks of the paged cache; 0: those the sequences need"),
            Knob::flag("gather",
                       false,
                       "vector cores first copy a tile's keys together, each with its value, for the cube "
                       "core to read; for block_keys 1"),
            Knob::flag("shared_values", false, "v is the first value_dim columns of k, as of latent keys"),
            Knob::word("cache",
                       {"as_q", "int8"},
                       "element type of k and v; of int8 the vector cores make that of q, tile by tile, "
                       "unless q is int8"),
            Knob::word(
                "queries",
                {"as_o", "int8"},
                "element type of q; of int8 with a factor for each row, and bytes are multiplied: for a "
                "cache of int8, shared values and one key head"),
            Knob::real("key_scale", 0x1p-5, 1e-6, 1e6, "", "what a byte of k stands for"),
            Knob::real("value_scale", 0x1p-7, 1e-6, 1e6, "", "what a byte of v stands for"),
            Knob::integer("tile_m", 0, 0, 128, "rows", "queries of a tile; 0: chosen for chip and shape"),
            Knob::integer("tile_n", 0, 0, 512, "keys", "keys of a tile; 0: chosen"),
            Knob::integer(
                "stages",
                3,
                1,
                4,
                "tiles",
                "1: cube and vector cores take turns; more: the cube is so many tiles of scores ahead"),
            Knob::integer("splits",
                          0,
                          0,
                          64,
                          "",
                          "parts of the keys that are worked through apart and combined; 0: chosen"),
            Knob::flag("requests",
                       false,
                       "each vector core works on tiles of its own and asks the cube core for each product "
                       "by a message; off: cube and vector cores follow one list of steps"),
            Knob::integer("cores", 0, 0, 64, "cores", "cube cores to use; 0: all"),
            Knob::integer(
                "sparse_window",
                0,
                0,
                1 << 20,
                "keys",
                "block-sparse: keys around its own place that a tile of 128 queries sees, rounded to "
                "tiles of 128; 0: it sees all"),
            Knob::integer("sparse_first", 0, 0, 1 << 20, "keys", "and so many first keys, rounded as well"),
            Knob::integer("sparse_from",
                          1024,
                          0,
                          1 << 20,
                          "keys",
                          "of sequences up to here, all keys are seen whatever sparse_window says"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split) {
            throw knobs.error(
                "cores",
                fmt::format("needs separate cube and vector cores (910B, 910C); {} has whole cores",
                            chip.name));
        }
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "cores", chip);
        const Tiling t = tiling_of(knobs, chip, cores);
        const DataType type = knobs.type("dtype");
        const std::uint64_t tasks = std::uint64_t{t.sequences} * tiles(t) * t.splits;
        if (tasks >= std::uint64_t{1} << 32U) {
            throw knobs.error("batch", "more than 2^32 tiles of queries");
        }
        const std::uint32_t parties = t.whole_tiles != 0 ? chip.cores.aiv_per_aic : 1;
        const auto blocks = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(ceil_div(tasks, std::uint64_t{parties}), cores));
        host::Plan plan;
        plan.chosen = {{"tile_m", t.base_m}, {"tile_n", t.base_n}, {"splits", t.splits}};
        plan.problem = problem(t, type);
        add_buffers(plan, t, type, blocks * parties);
        plan.launches = {launch_of(t, type, chip, blocks)};
        add_work(plan, t, type);
        plan.tolerances = {output_tolerance(type)};
        plan.reference = [t](host::ReferenceData& data) { Reference{data, t}.run(); };
        return plan;
    }

private:
    static constexpr std::uint32_t gathered_at_once = 32;  // keys; as many as the library's kernel takes
    static constexpr std::uint32_t cached_at_once = 4096;  // bytes of keys, or of values

    [[nodiscard]] static host::Launch launch_of(const Tiling& t,
                                                DataType type,
                                                const ascendsim::ChipSpec& chip,
                                                std::uint32_t blocks) {
        const bool requests = t.whole_tiles != 0;
        const bool bytes = t.byte_queries != 0;
        host::Launch launch{
            .entry =
                fmt::format("attention_{}{}", requests ? "requests_" : (bytes ? "bytes_" : ""), name(type)),
            .blocks = blocks,
            .cores = ascendsim::CoreUse::mix_1_2};
        const std::vector<const char*> buffers =
            requests ? std::vector{"q", "k", "v", "mask", "o", "workspace"}
            : bytes  ? std::vector{"q", "q_scale", "q_rope", "k", "k_rope", "table", "o", "workspace"}
                     : std::vector{"q", "q_rope", "k", "k_rope", "v", "mask", "table", "o", "workspace"};
        for (const char* buffer : buffers) {
            launch.arguments.push_back(host::Argument::address(buffer));
        }
        launch.arguments.push_back(requests ? host::Argument::of(request_tiling(t, type, chip))
                                            : host::Argument::of(t));
        return launch;
    }

    [[nodiscard]] static std::string problem(const Tiling& t, DataType type) {
        return fmt::format(
            "attention [{}, {} x {}, {} heads of {}{}{}], {}{}{}{}{}{}{}, tiles of {} x {}, {} stages",
            t.batch,
            t.q_len,
            t.kv_len,
            t.heads,
            t.dim,
            t.rope_dim != 0 ? fmt::format(" + {}", t.rope_dim) : "",
            t.value_dim != t.dim ? fmt::format(" to {}", t.value_dim) : "",
            name(type),
            t.causal != 0 ? ", causal" : "",
            t.masked != 0 ? ", masked" : "",
            t.kv_heads != t.heads ? fmt::format(", {} key heads", t.kv_heads) : "",
            t.splits > 1 ? fmt::format(", keys in {} parts", t.splits) : "",
            t.sparse != 0
                ? fmt::format(
                      ", block-sparse: {} first keys and {} tiles around", t.sparse_first, t.sparse_window)
                : "",
            t.byte_queries != 0  ? ", queries, keys and values of int8"
            : t.byte_cache != 0  ? ", keys and values of int8"
            : t.gather_rows != 0 ? ", keys gathered"
            : t.whole_tiles != 0 ? ", products by request"
                                 : "",
            t.base_m,
            t.base_n,
            t.stages);
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs,
                                          const ascendsim::ChipSpec& chip,
                                          std::uint32_t cores) {
        Tiling t = shape_of(knobs);
        set_sparse(knobs, t);
        if (t.whole_tiles != 0) {
            cut_for_requests(knobs, chip, t);
            return t;
        }
        t.base_m = knobs.count("tile_m") != 0 ? multiple_of_16(knobs, "tile_m")
                   : t.sparse != 0            ? sub_columns
                                              : choose_rows(t, cores);
        t.splits = knobs.count("splits") != 0 || t.sparse != 0 ? std::max(1U, knobs.count("splits"))
                                                               : choose_splits(t, cores);
        if (t.causal != 0 && t.splits > 1 && tiles(t) > 1) {
            throw knobs.error(
                "splits", "a causal run of several tiles of queries has parts that some tile does not see");
        }
        t.split_keys = t.splits == 1 ? t.kv_len : ceil_div(ceil_div(t.kv_len, t.splits), 16U) * 16;
        t.splits = ceil_div(t.kv_len, t.split_keys);
        std::uint32_t most = t.sparse != 0 ? sub_columns : 512;
        do {
            t.base_n =
                knobs.count("tile_n") != 0 ? multiple_of_16(knobs, "tile_n") : choose_keys(t, cores, most);
            t.base_n = wide_keys(t, t.base_n);
            most /= 2;
        } while (!(fit_l1(t, chip) && fit_ub(t, chip)) && most >= sub_columns && knobs.count("tile_n") == 0);
        if (!fit_l1(t, chip) || !fit_ub(t, chip)) {
            throw knobs.error(
                "tile_n",
                fmt::format(
                    "tiles of {} x {} with heads of {} do not fit {} (L1 {} of {} bytes, UB {} of {})",
                    t.base_m,
                    t.base_n,
                    t.dim + t.rope_dim,
                    chip.name,
                    l1_bytes(t),
                    chip.buffers.l1,
                    ub_bytes(t),
                    chip.buffers.ub));
        }
        t.longest_first = longest_first(t, chip);
        return t;
    }

    /// A block of the pattern is a tile of queries by a tile of keys.
    static void set_sparse(const host::Knobs& knobs, Tiling& t) {
        if (knobs.count("sparse_window") == 0 || t.kv_len <= knobs.count("sparse_from")) {
            return;
        }
        if (t.merged != 1 || t.whole_tiles != 0 || t.block_keys != 0 || t.q_len > t.kv_len ||
            knobs.count("splits") > 1 || knobs.count("tile_n") != 0) {
            throw knobs.error("sparse_window",
                              "takes 128 queries of a head or more, no more queries than keys, and neither "
                              "requests, nor a paged cache, nor split keys, nor tiles of one's own");
        }
        t.sparse = 1;
        t.sparse_window = ceil_div(knobs.count("sparse_window"), sub_columns);
        t.sparse_first = ceil_div(knobs.count("sparse_first"), sub_columns) * sub_columns;
    }

    // The longest tiles first, unless the keys of all sequences would drive each other out of L2.
    [[nodiscard]] static std::uint32_t longest_first(const Tiling& t, const ascendsim::ChipSpec& chip) {
        const std::uint64_t keys_bytes = 2ULL * t.batch * t.kv_heads * t.kv_len * (depth(t) + t.value_dim);
        return t.causal != 0 && keys_bytes < chip.l2.bytes / 2 ? 1 : 0;
    }

    static void cut_for_requests(const host::Knobs& knobs, const ascendsim::ChipSpec& chip, Tiling& t) {
        t.base_m = knobs.count("tile_m") != 0 ? multiple_of_16(knobs, "tile_m") : request_rows(t, chip);
        t.base_n = knobs.count("tile_n") != 0 ? multiple_of_16(knobs, "tile_n") : request_keys(t);
        t.splits = 1;
        t.split_keys = t.kv_len;
        t.stages = 2;
        if (!fit_ub(t, chip, request_scores(t))) {
            throw knobs.error(
                "tile_m", fmt::format("tiles of {} x {} do not fit UB of {}", t.base_m, t.base_n, chip.name));
        }
        t.longest_first = longest_first(t, chip);
    }

    /// Throws the errors of what does not go together.
    static void check_together(const host::Knobs& knobs, const Tiling& t) {
        if (t.block_keys != 0 && t.by_head != 0) {
            throw knobs.error("block_keys",
                              "blocks of a paged cache hold the heads of a token side by side: layout bsnd");
        }
        check_cache(knobs, t);
        if (knobs.flag("gather") && (t.block_keys != 1 || t.causal != 0 || t.masked != 0)) {
            throw knobs.error("gather",
                              "keys are gathered where each is a block of its own (block_keys 1) that all "
                              "queries see (neither causal nor mask)");
        }
        if (knobs.flag("mask_by_batch") && !knobs.flag("mask")) {
            throw knobs.error("mask_by_batch", "goes with mask = true");
        }
        if (t.shared_values != 0 && t.value_dim > t.dim) {
            throw knobs.error("shared_values", fmt::format("{} columns of v in {} of k", t.value_dim, t.dim));
        }
        if (t.whole_tiles != 0 &&
            (t.rope_dim != 0 || t.block_keys != 0 || knobs.count("splits") > 1 || t.dim % 16 != 0)) {
            throw knobs.error("requests",
                              "takes neither a rotated part, nor a paged cache, nor split keys, and heads of "
                              "multiples of 16");
        }
    }

    static void check_cache(const host::Knobs& knobs, const Tiling& t) {
        constexpr std::uint32_t block = 32;  // bytes
        if (t.byte_cache == 0) {
            if (t.byte_queries != 0) {
                throw knobs.error("queries", "bytes go with a cache of bytes: cache int8");
            }
            return;
        }
        if (knobs.flag("gather") || t.whole_tiles != 0 || knobs.count("sparse_window") != 0) {
            throw knobs.error("cache", "bytes go with neither gather, nor requests, nor sparse_window");
        }
        if (t.byte_queries != 0) {
            check_byte_queries(knobs, t);
        }
        if (t.dim % block != 0 || t.value_dim % block != 0 || t.rope_dim % 16 != 0) {
            throw knobs.error(
                "cache",
                fmt::format("rows of bytes are copied in blocks of {}, and heads have {} and {} "
                            "elements (rotated parts a multiple of 16)",
                            block,
                            t.dim,
                            t.value_dim));
        }
    }

    static void check_byte_queries(const host::Knobs& knobs, const Tiling& t) {
        constexpr std::uint32_t most_queries = 128;
        const auto refuse = [&](const char* wanted, const std::string& found) {
            throw knobs.error("queries", fmt::format("int8 goes with {}, not {}", wanted, found));
        };
        if (t.kv_heads != 1) {
            refuse("one key head (kv_heads = 1)", fmt::format("{}", t.kv_heads));
        }
        if (t.shared_values == 0) {
            refuse("shared_values = true", "false");
        }
        if (t.by_head != 0) {
            refuse("layout bsnd", "bnsd");
        }
        if (t.masked != 0) {
            refuse("mask = false", "true");
        }
        if (t.q_len > most_queries) {
            refuse("at most 128 queries of a sequence", fmt::format("{}", t.q_len));
        }
        if (knobs.count("tile_n") % byte_rows != 0) {
            throw knobs.error("tile_n", "must be a multiple of 32 where queries are int8");
        }
    }

    [[nodiscard]] static Tiling shape_of(const host::Knobs& knobs) {
        Tiling t{
            .batch = knobs.count("batch"),
            .q_len = knobs.count("q_len"),
            .kv_len = knobs.count("kv_len"),
            .heads = knobs.count("heads"),
            .kv_heads = kv_heads_of(knobs),
            .dim = knobs.count("head_dim"),
            .rope_dim = knobs.count("rope_dim"),
            .value_dim = knobs.count("value_dim") == 0 ? knobs.count("head_dim") : knobs.count("value_dim"),
            .by_head = knobs.word("layout") == "bnsd" ? 1U : 0U,
            .stages = knobs.count("stages"),
            .causal = knobs.flag("causal") ? 1U : 0U,
            .masked = !knobs.flag("mask")           ? 0U
                      : knobs.flag("mask_by_batch") ? 2U
                                                    : 1U,
            .block_keys = knobs.count("block_keys")};
        t.pool_blocks = knobs.count("pool_blocks");
        t.shared_values = knobs.flag("shared_values") ? 1U : 0U;
        t.byte_cache = knobs.word("cache") == "int8" ? 1U : 0U;
        t.byte_queries = knobs.word("queries") == "int8" ? 1U : 0U;
        t.gather_rows = t.byte_queries != 0    ? 0
                        : t.byte_cache != 0    ? std::max(1U, cached_at_once / std::max(t.dim, t.value_dim))
                        : knobs.flag("gather") ? gathered_at_once
                                               : 0;
        t.key_scale = static_cast<float>(knobs.real("key_scale"));
        t.value_scale = static_cast<float>(knobs.real("value_scale"));
        t.scale = score_scale(t.dim + t.rope_dim);
        t.whole_tiles = knobs.flag("requests") ? 1U : 0U;
        check_heads_and_causal(knobs);
        check_together(knobs, t);
        // Few queries: those of all heads that share a key head form a tile, and the keys are read once for
        // them.
        const std::uint32_t group = t.heads / t.kv_heads;
        const bool few = t.q_len < 128 || (t.kv_heads == 1 && t.q_len <= 128);
        t.merged = t.whole_tiles != 0 ? (t.q_len == 1 ? group : 1) : few ? group : 1;
        t.rows = t.q_len * t.merged;
        t.sequences = t.batch * t.heads / t.merged;
        t.table_pitch = t.block_keys == 0 ? 0 : ceil_div(t.kv_len, t.block_keys);
        t.pool_blocks = t.pool_blocks == 0 ? t.batch * t.table_pitch : t.pool_blocks;
        return t;
    }

    [[nodiscard]] static std::uint32_t multiple_of_16(const host::Knobs& knobs, const char* knob) {
        const std::uint32_t wanted = knobs.count(knob);
        if (wanted % 16 != 0 || (wanted > sub_columns && wanted % sub_columns != 0)) {
            throw knobs.error(knob, "must be a multiple of 16, and of 128 if it is more than that");
        }
        return wanted;
    }

    static void add_buffers(host::Plan& plan, const Tiling& t, DataType type, std::uint32_t blocks) {
        using host::Buffer;
        const auto shape = [&](std::uint64_t length, std::uint64_t heads, std::uint64_t width) {
            return tensor_shape(t.by_head != 0, t.batch, length, heads, width);
        };
        const auto keys = [&](std::uint64_t width) {
            return t.block_keys == 0 ? shape(t.kv_len, t.kv_heads, width)
                                     : host::Shape{t.pool_blocks, t.block_keys, t.kv_heads, width};
        };
        const host::Fill normal = host::fill::Normal{};
        const host::Fill values = host::fill::Uniform{-1, 1};
        const bool shared = t.shared_values != 0;
        const bool bytes = t.byte_cache != 0;
        const DataType held = bytes ? DataType::int8 : type;
        const host::Fill whole = host::fill::Integers{-127, 127};
        const bool byte_queries = t.byte_queries != 0;
        plan.buffers = {Buffer::input("q",
                                      byte_queries ? DataType::int8 : type,
                                      shape(t.q_len, t.heads, t.dim),
                                      byte_queries ? whole : normal),
                        Buffer::input("k",
                                      held,
                                      keys(t.dim),
                                      bytes    ? whole
                                      : shared ? values
                                               : normal),
                        Buffer::input("v",
                                      held,
                                      shared ? host::Shape{bytes ? 32U : 16U} : keys(t.value_dim),
                                      bytes ? whole : values),
                        Buffer::output("o", type, shape(t.q_len, t.heads, t.value_dim)),
                        Buffer::workspace("workspace", workspace_bytes(t, blocks))};
        const auto unless =
            [&](bool used, const char* name, DataType of, host::Shape extents, const host::Fill& fill) {
                plan.buffers.push_back(
                    Buffer::input(name, of, used ? std::move(extents) : host::Shape{16}, fill));
            };
        unless(byte_queries,
               "q_scale",
               DataType::float32,
               shape(t.q_len, t.heads, 1),
               host::fill::Uniform{0.01, 0.02});
        unless(t.rope_dim != 0, "q_rope", type, shape(t.q_len, t.heads, t.rope_dim), normal);
        unless(t.rope_dim != 0, "k_rope", type, keys(t.rope_dim), normal);
        const std::uint64_t lines = std::uint64_t{t.masked == 2 ? t.batch : 1} * t.q_len;
        unless(t.masked != 0, "mask", DataType::float32, {lines, t.kv_len}, host::fill::Uniform{-4, 4});
        Buffer table = Buffer::input("table", DataType::int32, {std::max(1U, t.batch * t.table_pitch)});
        table.fill = host::fill::Content{table_bytes(table.count(), t.pool_blocks)};
        table.control = true;
        plan.buffers.push_back(std::move(table));
    }

    // Every block at another place than its turn: the last comes first, and again from there if the pool is
    // smaller.
    [[nodiscard]] static std::vector<std::byte> table_bytes(std::uint64_t entries, std::uint64_t blocks) {
        std::vector<std::int32_t> numbers(entries);
        for (std::uint64_t i = 0; i < entries && blocks > 0; ++i) {
            numbers[i] = static_cast<std::int32_t>(blocks - 1 - i % blocks);
        }
        std::vector<std::byte> bytes(entries * sizeof(std::int32_t));
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
        return bytes;
    }

    /// Scores of the blocks that are seen; of a causal run those before a query's own place.
    [[nodiscard]] static double sparse_scores(const Tiling& t) {
        double pairs = 0;
        for (std::uint32_t row = 0; row < t.q_len; ++row) {
            const SparseKeys keys = sparse_keys(t, row / t.base_m * t.base_m);
            const std::uint32_t seen = keys_seen(t, row);
            pairs += std::min(keys.first, seen) + std::min(keys.until, seen) - std::min(keys.from, seen);
        }
        return pairs * t.batch * t.heads;
    }

    static void add_work(host::Plan& plan, const Tiling& t, DataType type) {
        const double scores = t.sparse != 0 ? sparse_scores(t) : scores_of(t);
        // Of bytes, rotated parts have 16 bits, of which the cube multiplies half as many.
        const bool bytes = t.byte_queries != 0;
        const std::uint32_t widths = t.dim + t.value_dim + (bytes ? 2 : 1) * t.rope_dim;
        set_work(plan, type, 2.0 * scores * widths, softmax_flops * scores);
        if (bytes) {
            plan.work.cube_type = DataType::int8;
        }
    }
};

}  // namespace attention

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const attention::Attention attention_host;
    return &attention_host;
}
