// SPDX-License-Identifier: Apache-2.0
// Attention on keys and values of each head: all of them, a window, or those that an index picks.
#include "networks/llm/library_attention.hpp"
#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

using host::Shape;

namespace {

/// Tokens of a prompt in one kernel where each sees keys of its own.
constexpr std::uint64_t picked_tokens = 32;
constexpr std::uint64_t scored_tokens = 256;  // by an index, all its heads: enough for all cores

/// Heads of the attention kernel whose vector cores are as busy as those of an index of so many heads. Of a
/// score, attention's go through it six times (scale, maximum, difference, exponential, conversion, sum),
/// those of an index twice: its weight, and the sum over heads. Of bytes, both are products, too, and what is
/// left is one pass at most (cann-recipes-infer at fbc225d2,
/// docs/models/deepseek_v3_2_exp/deepseek_v3.2_exp_ascendc_operator_guide.md: LightningIndexer and,
/// quantised, Mat-Duce).
std::uint64_t as_busy_heads(std::uint64_t heads, bool bytes) {
    constexpr std::uint64_t passes_of_attention = 6;
    constexpr std::uint64_t rows_of_tile = 16;
    const std::uint64_t passes = bytes ? 1 : 2;
    return std::min(heads, rows_of_tile * ceiling(heads * passes, passes_of_attention * rows_of_tile));
}

}  // namespace

void StepBuilder::attention(const AttentionLayers& group) {
    part_ = "attention";
    group_ = group;
    layers_ = group.layers;
    drafts_ = &group == &model_.attention.front();
    mix_streams("attention");
    norm("AddRmsNorm", layers_, 1, model_.hidden, true);
    const std::size_t operators = program_.operators.size();
    const std::size_t exchanges = program_.exchanges.size();
    if (group.linear) {
        linear_attention();
    } else if (model_.latent) {
        latent_attention();
    } else {
        grouped_attention();
    }
    if (group.linear || !model_.latent) {
        sum_over_devices("attention", layers_);
    } else {
        leave_to_host(operators, exchanges);
    }
    drafts_ = true;
}

/// Where graphs are piecewise, all of latent attention is outside of them, from its first product to the sum
/// over devices (vllm-ascend at 7a6fde80b1: platform.py adds "vllm::mla_forward" to splitting_ops;
/// attention/mla_v1.py, forward).
void StepBuilder::leave_to_host(std::size_t operators, std::size_t exchanges) {
    for (std::size_t i = operators; i < program_.operators.size(); ++i) {
        StepOperator& one = program_.operators[i];
        one.between_graphs = one.name != "FusedInferAttentionScore" && one.name != "ReshapeAndCache";
    }
    for (std::size_t i = exchanges; i < program_.exchanges.size(); ++i) {
        program_.exchanges[i].between_graphs = true;
    }
}

void StepBuilder::grouped_attention() {
    const Extent heads = deployment_.heads(group_);
    const Extent kv_heads = deployment_.kv_heads(group_);
    const Extent width = group_.head_dim;
    const Extent gates = model_.output_gate ? heads : 0;
    product("MatMul qkv", Axis::rows, layers_, model_.hidden, (heads + gates + 2 * kv_heads) * width);
    if (model_.head_norm) {
        norm("RmsNorm q", layers_, heads, width, false);
        norm("RmsNorm k", layers_, kv_heads, width, false);
    }
    rotate_grouped(heads, kv_heads, width);
    keep("ReshapeAndCache", layers_, {.keys = kv_heads * width, .values = kv_heads * width});
    if (group_.index) {
        key_index(model_.hidden);
        picked_grouped();
    } else if (deployment_.attention == AttentionKernels::apart) {
        attention_apart();
    } else {
        fused_grouped();
    }
    if (gates != 0) {
        by_element("MulSigmoid", layers_, heads * width);
    }
    product("MatMul o", Axis::rows, layers_, heads * width, model_.hidden);
}

/// Grouped heads of keys and values in a paged cache.
void StepBuilder::fused_grouped() {
    const Extent heads = deployment_.heads(group_);
    const Extent kv_heads = deployment_.kv_heads(group_);
    const Extent width = group_.head_dim;
    const auto task = [=,
                       type = half(),
                       bytes = cache_word(),
                       block = cache_block_,
                       cores = Extent{deployment_.chip.cores.aic}](
                          Extent batch, Extent queries, Extent keys, bool prompt, bool cached) {
        const Extent tasks = batch * kv_heads;
        const bool one_each = queries == 1 && !prompt;
        const std::int64_t splits =
            one_each ? library_splits(tasks, heads / kv_heads, keys, cores) : std::int64_t{0};
        Task one{.kernel = "attention",
                 .knobs = {{"batch", knob(batch)},
                           {"q_len", knob(queries)},
                           {"kv_len", knob(keys)},
                           {"heads", knob(heads)},
                           {"kv_heads", knob(kv_heads)},
                           {"head_dim", knob(width)},
                           {"causal", queries > 1},
                           {"dtype", type}}};
        const bool of_bytes = cached && bytes == "int8";
        const bool asks =
            prompt || (one_each && splits == 1 && library_asks_for_products(tasks, keys, width));
        if (asks && !of_bytes && width % 16 == 0) {
            // Where pages lie is looked up on the way: rows of a page are copied as others are.
            one.knobs.emplace_back("requests", true);
        } else {
            one.knobs.emplace_back("block_keys", knob(block));
            one.knobs.emplace_back("splits", splits);
            one.knobs.emplace_back("cache", of_bytes ? bytes : std::string{"as_q"});
        }
        return one;
    };
    const Extent window = group_.window;
    add_decoding("FusedInferAttentionScore", [=](Extent batch, Extent queries, Extent keys) {
        const Extent seen = window == 0 ? keys : std::max(queries, std::min(keys, window));
        return task(batch, queries, seen, false, true);
    });
    // Prompts: each vector core has tiles of queries and asks for their products
    // (prompt_flash_attention). One without a past sees the keys that it has just made. Behind a window,
    // queries of a kernel see as many keys as they are, and the window.
    constexpr Extent windowed_tokens = 1024;
    add_prompt("FusedInferAttentionScore",
               window == 0 ? most_prompt_tokens : windowed_tokens,
               [=](Extent tokens, Extent keys) {
                   const Extent all = std::max(keys, tokens);
                   const Extent seen = window == 0 ? all : std::min(all, tokens + window);
                   return task(1, tokens, seen, true, seen > tokens);
               });
    if (window == 0) {
        grows_with_keys("FusedInferAttentionScore");
    }
}

/// Each token sees keys of its own: its group of queries is a sequence.
void StepBuilder::picked_grouped() {
    const auto task = [group = group_,
                       heads = deployment_.heads(group_),
                       kv_heads = deployment_.kv_heads(group_),
                       type = half(),
                       bytes = cache_word(),
                       block = cache_block_](Extent tokens, Extent keys) {
        return Task{.kernel = "attention",
                    .knobs = {{"batch", knob(tokens)},
                              {"q_len", std::int64_t{1}},
                              {"kv_len", knob(group.seen(keys))},
                              {"heads", knob(heads)},
                              {"kv_heads", knob(kv_heads)},
                              {"head_dim", knob(group.head_dim)},
                              {"block_keys", knob(block)},
                              {"cache", bytes},
                              {"dtype", type}}};
    };
    add_decoding("BlockSparseAttention",
                 [=](Extent batch, Extent queries, Extent keys) { return task(batch * queries, keys); });
    add_prompt("BlockSparseAttention", picked_tokens, task);
}

/// Scores of all keys by heads of the index, and the keys with the largest. The attention kernel stands for
/// the index: keys are read once, the vector cores are as busy with scores, and there are next to no values.
/// Of long rows the largest are picked part by part.
void StepBuilder::key_index(Extent query_width) {
    const KeyIndex index = *group_.index;
    const std::uint32_t layers = layers_;
    layers_ = index.layers;
    half_product("MatMul index q", Axis::rows, layers_, query_width, index.heads * index.dim);
    half_product("MatMul index k", Axis::rows, layers_, model_.hidden, index.dim + index.heads);
    const Extent tokens_of_key = std::max<Extent>(1, group_.compressed);
    const Extent share = std::exchange(share_, 1);  // the cache has all keys
    keep("IndexerCache", layers_, {.keys = index.dim});
    share_ = share;
    const Extent heads = as_busy_heads(index.heads, deployment_.cache == Cache::int8);
    const auto scores = [=, type = half(), block = cache_block_](Extent batch, Extent tokens, Extent keys) {
        constexpr std::int64_t hardly_any = 16;
        return Task{.kernel = "attention",
                    .knobs = {{"batch", knob(batch)},
                              {"q_len", knob(tokens)},
                              {"kv_len", knob(std::max<Extent>(1, keys / tokens_of_key))},
                              {"heads", knob(heads)},
                              {"kv_heads", std::int64_t{1}},
                              {"head_dim", knob(index.dim)},
                              {"value_dim", hardly_any},
                              {"block_keys", knob(block)},
                              {"dtype", type}}};
    };
    const auto picks = [=](Extent tokens, Extent keys) {
        constexpr Extent part = 4096;
        const Extent all = std::max<Extent>(1, keys / tokens_of_key);
        const Extent width = std::min(all, part);
        return Task{.kernel = "top_k",
                    .knobs = {{"shape", Shape{tokens * ceiling(all, width), width}},
                              {"k", knob(std::min(index.chosen, width))},
                              {"dtype", std::string{"float32"}}}};
    };
    add_decoding("LightningIndexer", scores);
    add_prompt("LightningIndexer", scored_tokens, [=](Extent tokens, Extent keys) {
        return scores(1, tokens, keys);
    });
    add_decoding("LightningIndexer top-k",
                 [=](Extent batch, Extent queries, Extent keys) { return picks(batch * queries, keys); });
    add_prompt("LightningIndexer top-k", picked_tokens, picks);
    grows_with_keys("LightningIndexer");
    grows_with_keys("LightningIndexer top-k");
    layers_ = layers;
}

/// A kernel of attention for a sequence: `make` takes queries and keys. Prompts run the same kernels.
void StepBuilder::add_apart(const std::string& name, const Make& make) {
    for (const Extent tokens : decoding_tokens_) {
        add(
            name, Axis::decode, layers_, [=](Extent, Extent keys) { return make(tokens, keys); }, tokens);
        program_.operators.back().each_sequence = true;
    }
    add_prompt(name, 0, [=](Extent tokens, Extent keys) { return make(tokens, std::max(keys, tokens)); });
}

/// Attention as a framework without a fused kernel launches it, sequence by sequence: keys and values out
/// of the paged cache, products, scale, mask and softmax, each through global memory.
void StepBuilder::attention_apart() {
    const Extent kv_heads = deployment_.kv_heads(group_);
    const Extent merged = deployment_.heads(group_) / kv_heads;
    const Extent width = group_.head_dim;
    const Extent block = cache_block_;
    const std::string type = half();
    for (const char* name : {"GatherV2 keys", "GatherV2 values"}) {
        add_apart(name, [=](Extent, Extent keys) {
            const Extent blocks = ceiling(keys, block);
            return Task{.kernel = "index_rows",
                        .knobs = {{"shape", Shape{2 * blocks, block * kv_heads * width}},
                                  {"count", knob(blocks)},
                                  {"dtype", type}}};
        });
    }
    const auto multiplied = [=](Extent m, Extent n, Extent k, bool turned) {
        return Task{.kernel = "matmul",
                    .knobs = {{"m", knob(m)},
                              {"n", knob(n)},
                              {"k", knob(k)},
                              {"groups", knob(kv_heads)},
                              {"dtype", type},
                              {"transpose_b", turned}}};
    };
    const auto elements = [=](const char* op, Extent queries, Extent keys) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape", Shape{kv_heads * merged, queries, keys}},
                              {"op", std::string{op}},
                              {"dtype", type}}};
    };
    add_apart("BatchMatMul qk",
              [=](Extent queries, Extent keys) { return multiplied(merged * queries, keys, width, true); });
    add_apart("Muls", [=](Extent queries, Extent keys) { return elements("scale", queries, keys); });
    add_apart("Add mask", [=](Extent queries, Extent keys) {
        Task task = elements("add", queries, keys);
        task.knobs.emplace_back("shape1", Shape{1, queries, keys});
        return task;
    });
    add_apart("SoftmaxV2", [=](Extent queries, Extent keys) {
        return Task{.kernel = "softmax",
                    .knobs = {{"shape", Shape{kv_heads * merged * queries, keys}}, {"dtype", type}}};
    });
    add_apart("BatchMatMul pv",
              [=](Extent queries, Extent keys) { return multiplied(merged * queries, width, keys, false); });
}

}  // namespace ascendsim::networks::llm
