// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/attention_rows.hpp"

#include <algorithm>

#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

std::string layout_of(const Row& row) {
    const std::string said =
        lower(row.attribute("inputLayout").value_or(row.attribute("layout").value_or("bsnd")));
    return said.find("bnsd") != std::string::npos ? "bnsd" : "bsnd";
}

bool is_causal(const Row& row) {
    if (const auto flag = row.flag("is_causal")) {
        return *flag;
    }
    const std::string all =
        lower(row.measurement->kernel + " " + row.measurement->shape + " " + row.measurement->notes);
    for (const char* const no :
         {"non-causal", "non causal", "noncausal", "causal: false", "no mask", "if non"}) {
        if (all.find(no) != std::string::npos) {
            return false;
        }
    }
    return all.find("causal") != std::string::npos || all.find("masked") != std::string::npos;
}

/// Four tensors' dimensions as batch, length, heads and width.
struct Dims {
    std::uint64_t batch;
    std::uint64_t length;
    std::uint64_t heads;
    std::uint64_t width;
};

std::optional<Dims> dims(const Extents* extents, bool by_head) {
    if (extents == nullptr || extents->size() != 4) {
        return std::nullopt;
    }
    const Extents& e = *extents;
    return by_head ? Dims{e[0], e[2], e[1], e[3]} : Dims{e[0], e[1], e[2], e[3]};
}

std::optional<AttentionShape> of_tensors(const Row& row) {
    AttentionShape shape{.by_head = layout_of(row) == "bnsd"};
    const auto tensor = [&](std::size_t i) { return dims(row.shape.tensor(i), shape.by_head); };
    const auto q = tensor(0);
    const auto second = tensor(1);
    if (!q || !second) {
        return std::nullopt;
    }
    shape.batch = q->batch;
    shape.q_len = q->length;
    shape.heads = q->heads;
    shape.head_dim = q->width;
    // q, q_rope, k, k_rope, v: the second has the queries' rows, but another width.
    const bool latent = tensor(4).has_value() && second->length == q->length && second->heads == q->heads;
    const auto k = latent ? tensor(2) : second;
    const auto v = latent ? tensor(4) : tensor(2);
    if (!k) {
        return std::nullopt;
    }
    shape.kv_len = k->length;
    shape.kv_heads = k->heads;
    shape.rope_dim = latent ? second->width : 0;
    shape.value_dim = v ? v->width : k->width;
    if (row.kernel_has({"sparse"})) {
        const auto places = tensor(3);
        shape.chosen = places ? places->width : 0;
        // Keys of 512 + 64 columns, of which the operator takes the rotated 64 apart.
        constexpr std::uint64_t plain = 512;
        constexpr std::uint64_t rotated = 64;
        if (shape.value_dim == plain && shape.head_dim == plain + rotated) {
            shape.head_dim = plain;
            shape.rope_dim = rotated;
        }
    }
    return shape;
}

std::optional<AttentionShape> of_names(const Row& row) {
    const auto first_of = [&](std::initializer_list<const char*> names) -> std::optional<std::uint64_t> {
        for (const char* const name : names) {
            if (const auto value = row.shape.get(name)) {
                return value;
            }
        }
        return std::nullopt;
    };
    AttentionShape shape;
    auto q_len = first_of({"sq", "s_q", "s1", "t", "s"});
    const auto kv_len = first_of({"skv", "s_kv", "kvs", "kv_s", "s2"});
    if (!q_len && kv_len && row.kernel_has({"incre", "decode", "decoding"})) {
        q_len = 1;  // a token at a time
    }
    const auto dim = first_of({"d", "head_dim", "headdim"});
    if (!q_len || !dim) {
        return std::nullopt;
    }
    shape.batch = first_of({"b", "batch"}).value_or(1);
    shape.q_len = *q_len;
    shape.kv_len = kv_len.value_or(*q_len);
    shape.heads = first_of({"qheads", "heads", "h", "n"}).value_or(1);
    shape.kv_heads = first_of({"kv_heads", "kvheads", "hkv", "kvh", "nkv", "n2"}).value_or(shape.heads);
    shape.head_dim = shape.value_dim = *dim;
    shape.rope_dim = first_of({"d+"}).value_or(0);
    if (shape.rope_dim != 0) {
        shape.kv_heads = 1;  // latent attention: one key head
    }
    shape.chosen = first_of({"topk", "top_k"}).value_or(0);
    return shape;
}

/// Tiles and cores that the source states. The tile library's kernels take 128 queries by 256 keys and three
/// tiles of scores ahead of the products with values (pto-isa, kernels/*/flash_atten: S1_TILE and
/// QK_PRELOAD).
void add_schedule(KernelRun& run, const Row& row, const Context& context) {
    const bool tile_library = row.measurement->source.find("pto-isa") != std::string::npos;
    if (row.notes_have("per 128 query rows") || tile_library) {
        run.knob("tile_m", 128).knob("splits", 1);
    }
    if (tile_library) {
        run.knob("tile_n", 256).knob("stages", 4);
    }
    const auto cores = row.cores.aic ? row.cores.aic : row.cores.count;
    if (cores && *cores > 0 && *cores < context.chip.cores.aic) {
        run.knob("cores", *cores);
    }
}

/// Of a run too large to simulate, one round of tiles on all cores, and how often it stands for the whole.
double one_round(AttentionShape& shape, const Context& context) {
    constexpr std::uint64_t tile = 128;
    constexpr double most = 4.0e9;  // scores simulated; about two seconds
    const double scores =
        static_cast<double>(shape.batch * shape.heads * shape.q_len) * static_cast<double>(shape.kv_len);
    if (scores < most || shape.causal || shape.q_len < tile) {
        return 1;
    }
    const std::uint64_t cores = context.chip.cores.aic;
    const std::uint64_t tiles = shape.batch * shape.heads * ((shape.q_len + tile - 1) / tile);
    shape.batch = 1;
    shape.heads = shape.kv_heads = 1;
    shape.q_len = cores * tile;
    return static_cast<double>((tiles + cores - 1) / cores);
}

isa::DataType type_of(const Row& row) {
    const bool brain = !row.types.inputs.empty() && row.types.inputs.front() == isa::DataType::bfloat16;
    return brain ? isa::DataType::bfloat16 : isa::DataType::half;
}

KernelRun run_of(const AttentionShape& shape, isa::DataType type, const Context& context) {
    KernelRun run{.kernel = "attention", .warm_l2 = context.source.warm_l2()};
    run.knob("batch", shape.batch).knob("q_len", shape.q_len).knob("kv_len", shape.kv_len);
    run.knob("heads", shape.heads).knob("kv_heads", shape.kv_heads).knob("head_dim", shape.head_dim);
    run.knob("rope_dim", shape.rope_dim).knob("value_dim", shape.value_dim);
    run.knob("dtype", type).knob("layout", shape.by_head ? "bnsd" : "bsnd").knob("causal", shape.causal);
    return run;
}

/// Each query has keys of its own: as many sequences of one query, whose keys lie anywhere in a common cache.
/// Latent keys go the way of the library's kernel (ops-transformer, sparse_flash_attention: op_host's checks
/// and tiling, op_kernel's kernel_mla): rotated parts of 64 are asked for, values are the keys' first
/// columns; a step is all heads of a query by 512 keys, which the vector cores gather; no query's keys are
/// split, and the cube is one step ahead of the softmax.
void choose_keys(AttentionShape& shape, KernelRun& run) {
    constexpr std::uint64_t latent = 512;
    constexpr std::uint64_t rotated = 64;
    constexpr std::uint64_t step = 512;
    run.knob("batch", shape.batch * shape.q_len)
        .knob("q_len", 1)
        .knob("kv_len", shape.chosen)
        .knob("causal", false);
    run.knob("layout", "bsnd").knob("block_keys", 1).knob("pool_blocks", shape.batch * shape.kv_len);
    run.knob("gather", true);
    if (shape.kv_heads != 1 || shape.value_dim != latent) {
        return;
    }
    run.knob("head_dim", latent).knob("rope_dim", rotated).knob("shared_values", true);
    run.knob("tile_m", std::min<std::uint64_t>((shape.heads + 15) / 16 * 16, 128));
    run.knob("tile_n",
             shape.chosen < 128 ? (shape.chosen + 15) / 16 * 16
                                : std::min((shape.chosen + 127) / 128 * 128, step));
    run.knob("splits", 1).knob("stages", 2);
}

/// The library's attention of many queries, in inference and training, has each vector core ask for its
/// products by messages (ops-transformer, prompt_flash_attention and flash_attention_score:
/// REGIST_MATMUL_OBJ). Latent keys go another way. Of up to 16 queries the published routing says the same,
/// but shared key heads are read once there (FAD-030).
bool by_requests(const Row& row, const AttentionShape& shape) {
    return row.kernel_has({"fusedinferattentionscore", "flashattentionscore", "promptflashattention"}) &&
           shape.q_len > 16 && shape.rope_dim == 0 && shape.chosen == 0 && shape.head_dim % 16 == 0 &&
           shape.head_dim <= 256;
}

/// Latent keys of few tokens go the way of the library's kernel for them (ops-transformer,
/// fia_tiling_nonquant_mla.cpp and split_core.h): blocks of 512 keys, the cube one of them ahead of the
/// softmax. Where there are fewer sequences than cores, a sequence's keys are shared out by whole blocks, so
/// that short ones leave cores idle. (That more sequences are shared out by blocks too, and only those at a
/// core's ends are combined, our kernel cannot do.)
void decode_latent(const AttentionShape& shape, KernelRun& run, const Context& context) {
    constexpr std::uint64_t block = 512;
    constexpr std::uint64_t most_rows = 128;
    const std::uint64_t rows = shape.q_len * (shape.heads / shape.kv_heads);
    const std::uint64_t tasks = shape.batch * shape.kv_heads * ((rows + most_rows - 1) / most_rows);
    const std::uint64_t cores = context.chip.cores.aic;
    if (tasks >= cores || shape.causal) {
        return;
    }
    const std::uint64_t blocks = (shape.kv_len + block - 1) / block;
    std::uint64_t splits = 1;
    std::uint64_t least = blocks;
    for (std::uint64_t parts = 2; parts <= blocks; ++parts) {
        const std::uint64_t longest = (tasks * parts + cores - 1) / cores * ((blocks + parts - 1) / parts);
        if (longest < least) {
            least = longest;
            splits = parts;
        }
    }
    run.knob("tile_m", std::min((rows + 15) / 16 * 16, most_rows))
        .knob("tile_n", std::min((shape.kv_len + 127) / 128 * 128, block));
    run.knob("splits", splits).knob("stages", 2);
}

Adapted forward_case(const Row& row, AttentionShape shape, const Context& context) {
    Case result;
    result.amount = shape.flops();
    const double times = one_round(shape, context);
    KernelRun run = run_of(shape, type_of(row), context);
    if (by_requests(row, shape) && times == 1) {
        run.knob("requests", true);
    }
    if (row.kernel_has({"fusedinferattentionscore"})) {
        // Six lists of 64 cores, two products' and a softmax's tilings and some 150 parameters, read from
        // global memory.
        constexpr std::uint32_t library_tiling = 6 * 64 * 4 + 2 * 200 + 3 * 64 + 150 * 4;
        run.set.push_back({"run.argument_bytes", std::to_string(library_tiling)});
    }
    if (row.kernel_has({"fusedinferattentionscore"}) && shape.rope_dim != 0 && shape.chosen == 0 &&
        times == 1) {
        decode_latent(shape, run, context);
    }
    add_schedule(run, row, context);
    if (shape.chosen != 0) {
        choose_keys(shape, run);
    }
    run.times = times;
    run.launch_overhead = times == 1;
    if (times > 1) {
        result.assumed = "one round of tiles on all cores, times their number";
    } else if (row.kernel_has({"masked"}) || row.notes_have("mask")) {
        result.assumed = "the mask is causal";
    }
    result.runs.push_back(std::move(run));
    return result;
}

/// The backward pass: five products where the forward pass has two.
Adapted gradient_case(const Row& row, const AttentionShape& shape, const Context& context) {
    if (shape.rope_dim != 0 || shape.chosen != 0 || shape.value_dim != shape.head_dim ||
        shape.head_dim > 256 || shape.head_dim % 16 != 0) {
        return WhyNot{"the backward pass of latent, sparse or uneven heads has no kernel"};
    }
    KernelRun run{.kernel = "attention_grad", .set = {}, .warm_l2 = context.source.warm_l2()};
    run.knob("batch", shape.batch).knob("q_len", shape.q_len).knob("kv_len", shape.kv_len);
    run.knob("heads", shape.heads).knob("kv_heads", shape.kv_heads).knob("head_dim", shape.head_dim);
    run.knob("dtype", type_of(row))
        .knob("layout", shape.by_head ? "bnsd" : "bsnd")
        .knob("causal", shape.causal);
    add_schedule(run, row, context);
    Case result;
    result.amount = 2.5 * shape.flops();
    result.assumed = shape.causal ? "the mask is causal" : "";
    result.runs.push_back(std::move(run));
    return result;
}

}  // namespace

double AttentionShape::flops() const {
    const double seen = chosen != 0 ? static_cast<double>(chosen) : static_cast<double>(kv_len);
    const double pairs = static_cast<double>(batch * heads * q_len) * seen;
    return 2 * pairs * static_cast<double>(head_dim + rope_dim + value_dim) *
           (causal && chosen == 0 ? 0.5 : 1.0);
}

bool attends(const Row& row) {
    return row.kernel_has({"attention", "mla", "mha", "gqa", "sparse fa", "flash decode"});
}

std::optional<AttentionShape> attention_shape(const Row& row) {
    std::optional<AttentionShape> shape = of_tensors(row);
    if (!shape) {
        shape = of_names(row);
    }
    if (shape) {
        shape->causal = is_causal(row);
    }
    return shape;
}

Adapted attention_case(const Row& row, const Context& context) {
    if (row.kernel_has({"linear attention", "chunk", "gated delta"})) {
        return WhyNot{"linear attention has no kernel"};
    }
    if (row.notes_have("baseline") || number_in(row.measurement->notes, "\\bstep *([0-9]+)")) {
        return WhyNot{"a step of a tuning ladder whose schedule is not stated"};
    }
    if (!context.chip.cores.split) {
        return WhyNot{"the attention kernel needs separate cube and vector cores"};
    }
    std::optional<AttentionShape> shape = attention_shape(row);
    if (!shape || shape->q_len == 0 || shape->kv_len == 0 ||
        shape->heads % std::max<std::uint64_t>(shape->kv_heads, 1) != 0) {
        return WhyNot{"lengths, heads and widths are not all stated"};
    }
    if (shape->head_dim > 512 || shape->value_dim > 512) {
        return WhyNot{"heads wider than 512 do not fit the kernel's tiles"};
    }
    if (shape->causal && shape->kv_len < shape->q_len) {
        shape->causal = false;
    }
    const bool backward = row.kernel_has({"grad", "backward", "bwd"});
    return backward ? gradient_case(row, *shape, context) : forward_case(row, *shape, context);
}

}  // namespace ascendsim::validation
