// SPDX-License-Identifier: Apache-2.0
// Attention on latent keys and values: all of them, those that an index picks, or rows that stand for several
// tokens.
#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

namespace {

/// Tokens of a prompt in one kernel where each sees rows of its own.
constexpr std::uint64_t own_rows_tokens = 32;

}  // namespace

/// Decoding multiplies queries into the latent space; a prompt's keys and values are taken out of it, unless
/// each of its tokens sees rows of its own.
void StepBuilder::latent_attention() {
    const LatentAttention latent = *model_.latent;
    const Extent heads = by_tokens() ? group_.heads : deployment_.heads(group_);
    share_ = by_tokens() ? tensor_ : 1;
    const Extent q_width = heads * (latent.nope_dim + latent.rope_dim);
    product("MatMul qkv_a",
            Axis::rows,
            layers_,
            model_.hidden,
            latent.q_rank + latent.kv_rank + latent.rope_dim + (latent.q_rank == 0 ? q_width : 0));
    if (latent.q_rank != 0) {
        norm("RmsNorm q", layers_, 1, latent.q_rank, false);
        product("MatMul q_b", Axis::rows, layers_, latent.q_rank, q_width);
    }
    norm("RmsNorm kv", layers_, 1, latent.kv_rank, false);
    rotate_latent(heads, latent.rope_dim);
    const Extent share = std::exchange(share_, 1);  // the cache has all keys
    if (by_tokens()) {
        gather_all_keys();
    }
    keep("ReshapeAndCache",
         layers_,
         {.keys = latent.kv_rank, .values = latent.rope_dim, .values_quantised = false});
    share_ = share;
    if (group_.compressed != 0) {
        // Rows that stand for several tokens are sums weighted by scores of their own; short ones overlap.
        const Extent overlap = group_.index ? 2 : 1;
        half_product("Compressor",
                     Axis::rows,
                     layers_,
                     model_.hidden,
                     2 * overlap * (latent.kv_rank + latent.rope_dim));
    }
    if (group_.index) {
        key_index(latent.q_rank == 0 ? model_.hidden : latent.q_rank);
    }
    const bool own_rows = group_.index || latent.direct;
    if (!latent.direct) {
        by_head("BatchMatMul uk", heads, latent.nope_dim, latent.kv_rank, own_rows);
    }
    if (queries_in_bytes()) {
        quantise_queries(heads);
    }
    latent_decoding(heads);
    if (own_rows) {
        latent_prompts(heads);
    }
    if (!latent.direct) {
        by_head("BatchMatMul uv", heads, latent.kv_rank, latent.value_dim, own_rows);
    }
    if (!own_rows) {
        expanded_prefill(latent, heads);
    }
    if (by_tokens()) {
        outputs_of_tokens();
    } else {
        latent_output(heads, latent.output_groups / tensor_);
        sum_over_devices("attention", layers_);
    }
    if (!own_rows) {
        grows_with_keys("FusedInferAttentionScore");
        grows_with_keys("MatMul kv_b");
    }
}

/// Keys of tokens that devices share, `whole` elements of which are of 16 bits in any cache.
void StepBuilder::gather_keys(std::uint32_t times, Extent width, Extent whole) {
    const Extent bytes = whole * half_bytes + width * (deployment_.cache == Cache::int8 ? 1 : half_bytes);
    exchange("keys", node::CollectiveKind::all_gather, times, static_cast<double>(bytes) / tensor_, tensor_);
}

/// Of 16 bits, keys of the index go with the others; of bytes, by themselves (_prepare_kv_for_parallel).
void StepBuilder::gather_all_keys() {
    const LatentAttention& latent = *model_.latent;
    const std::uint32_t indexed = group_.index ? group_.index->layers : 0;
    const Extent index_width = group_.index ? group_.index->dim : 0;
    if (deployment_.cache == Cache::int8) {
        gather_keys(layers_, latent.kv_rank, latent.rope_dim);
        gather_keys(indexed, index_width, 0);
        return;
    }
    gather_keys(indexed, latent.kv_rank + index_width, latent.rope_dim);
    gather_keys(layers_ - indexed, latent.kv_rank, latent.rope_dim);
}

/// Each device has all heads of its tokens. In steps with prompts it multiplies by the weights of all heads,
/// which it gathers meanwhile, and hidden states are gathered; in others each device gets its heads of all
/// tokens, and results are added (_finalize_o_proj). Gathering weights is taken to be done when attention is:
/// of a layer of DeepSeek-V3.2 these are 235 MB in 16 bits, so that short prompts take longer than here.
void StepBuilder::outputs_of_tokens() {
    const LatentAttention& latent = *model_.latent;
    const Extent values = Extent{group_.heads} * latent.value_dim;
    share_ = 1;
    steps_ = {.holding = Holding::no_prompt};
    exchange("heads",
             node::CollectiveKind::all_to_all,
             layers_,
             static_cast<double>(half_bytes * values) / tensor_,
             tensor_);
    latent_output(deployment_.heads(group_), latent.output_groups / tensor_);
    sum_over_devices("attention", layers_);
    steps_ = {.holding = Holding::a_prompt};
    share_ = tensor_;
    latent_output(group_.heads, latent.output_groups);
    share_ = 1;
    exchange("attention",
             node::CollectiveKind::all_gather,
             layers_,
             static_cast<double>(half_bytes * model_.hidden) / tensor_,
             tensor_);
    steps_ = {};
}

/// Values of heads to hidden states; with groups, each to its rank first.
void StepBuilder::latent_output(Extent heads, Extent groups_of_heads) {
    const LatentAttention& latent = *model_.latent;
    const Extent values = heads * latent.value_dim;
    if (latent.output_groups == 0) {
        product("MatMul o", Axis::rows, layers_, values, model_.hidden);
        return;
    }
    const Extent groups = std::max<Extent>(1, groups_of_heads);
    add("BatchMatMul o_a",
        Axis::rows,
        layers_,
        [=, type = half(), rank = latent.output_rank](Extent rows, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(rows)},
                                  {"n", knob(rank)},
                                  {"k", knob(values / groups)},
                                  {"groups", knob(groups)},
                                  {"dtype", type}}};
        });
    product("MatMul o", Axis::rows, layers_, groups * latent.output_rank, model_.hidden);
}

/// One product for each head, of the rows that decode, and of prompts' if these see latent rows.
void StepBuilder::by_head(const std::string& name, Extent heads, Extent k, Extent n, bool prompts) {
    const auto task = [=, type = half()](Extent rows) {
        return Task{
            .kernel = "matmul",
            .knobs = {
                {"m", knob(rows)}, {"n", knob(n)}, {"k", knob(k)}, {"groups", knob(heads)}, {"dtype", type}}};
    };
    add_decoding(name, [=](Extent batch, Extent queries, Extent) { return task(batch * queries); });
    if (prompts) {
        constexpr Extent most = 4096;
        add_prompt(name, most, [=](Extent tokens, Extent) { return task(tokens); });
    }
}

/// With weights and cache of bytes, queries are quantised, too, and attention multiplies bytes
/// (cann-recipes-infer at fbc225d2, deepseek_r1: query_quant_mode of npu_mla_prolog_v3, which does it with
/// the products in front; here it is a launch of its own). Sparse attention makes 16 bits of the rows that an
/// index picks.
bool StepBuilder::queries_in_bytes() const {
    return deployment_.cache == Cache::int8 && deployment_.weights != Weights::half && !group_.index &&
           !model_.latent->direct;
}

void StepBuilder::quantise_queries(Extent heads) {
    add_decoding("DynamicQuant q",
                 [=, width = model_.latent->kv_rank, order = library_order("batched"), type = half()](
                     Extent batch, Extent queries, Extent) {
                     return Task{.kernel = "row_norm",
                                 .knobs = {{"shape", Shape{batch * queries * heads, width}},
                                           {"kind", std::string{"none"}},
                                           {"quant", std::string{"int8"}},
                                           {"schedule", order},
                                           {"dtype", type}}};
                 });
}

void StepBuilder::latent_decoding(Extent heads) {
    const LatentAttention latent = *model_.latent;
    const bool picked = group_.index && deployment_.cache == Cache::half;  // rows are gathered one by one
    add_decoding("FusedInferAttentionScore",
                 [=,
                  group = group_,
                  block = cache_block_,
                  type = half(),
                  bytes = cache_word(),
                  in_bytes = queries_in_bytes()](Extent batch, Extent queries, Extent keys) {
                     const bool own_rows = group.index.has_value();
                     Task task{.kernel = "attention",
                               .knobs = {{"batch", knob(own_rows ? batch * queries : batch)},
                                         {"q_len", knob(own_rows ? 1 : queries)},
                                         {"kv_len", knob(std::max(group.seen(keys), own_rows ? 1 : queries))},
                                         {"heads", knob(heads)},
                                         {"kv_heads", std::int64_t{1}},
                                         {"head_dim", knob(latent.kv_rank)},
                                         {"rope_dim", knob(latent.rope_dim)},
                                         {"value_dim", knob(latent.kv_rank)},
                                         {"shared_values", true},
                                         {"causal", !own_rows && queries > 1},
                                         {"block_keys", knob(picked ? 1 : block)},
                                         {"cache", bytes},
                                         {"dtype", type}}};
                     if (picked) {
                         task.knobs.emplace_back("gather", true);
                     }
                     if (in_bytes) {
                         task.knobs.emplace_back("queries", std::string{"int8"});
                     }
                     return task;
                 });
}

/// Each token of a prompt sees rows of its own, as a sequence that decodes does.
void StepBuilder::latent_prompts(Extent heads) {
    const LatentAttention latent = *model_.latent;
    const bool picked = group_.index && deployment_.cache == Cache::half;
    add_prompt("SparseFlashAttention",
               own_rows_tokens,
               [=, group = group_, block = cache_block_, type = half(), bytes = cache_word()](Extent tokens,
                                                                                              Extent keys) {
                   Task task{.kernel = "attention",
                             .knobs = {{"batch", knob(tokens)},
                                       {"q_len", std::int64_t{1}},
                                       {"kv_len", knob(group.seen(keys))},
                                       {"heads", knob(heads)},
                                       {"kv_heads", std::int64_t{1}},
                                       {"head_dim", knob(latent.kv_rank)},
                                       {"rope_dim", knob(latent.rope_dim)},
                                       {"value_dim", knob(latent.kv_rank)},
                                       {"shared_values", true},
                                       {"block_keys", knob(picked ? 1 : block)},
                                       {"cache", bytes},
                                       {"dtype", type}}};
                   if (picked) {
                       task.knobs.emplace_back("gather", true);
                   }
                   return task;
               });
}

void StepBuilder::expanded_prefill(const LatentAttention& latent, Extent heads) {
    const Extent width = heads * (latent.nope_dim + latent.value_dim);
    add_prompt("MatMul kv_b", 0, [=, type = half()](Extent, Extent keys) {
        return Task{.kernel = "matmul",
                    .knobs = {{"m", knob(keys)},
                              {"n", knob(width)},
                              {"k", knob(latent.kv_rank)},
                              {"dtype", type},
                              {"transpose_b", true}}};
    });
    add_prompt(
        "FusedInferAttentionScore", most_prompt_tokens, [=, type = half()](Extent tokens, Extent keys) {
            return Task{.kernel = "attention",
                        .knobs = {{"q_len", knob(tokens)},
                                  {"kv_len", knob(std::max(keys, tokens))},
                                  {"heads", knob(heads)},
                                  {"head_dim", knob(latent.nope_dim)},
                                  {"rope_dim", knob(latent.rope_dim)},
                                  {"value_dim", knob(latent.value_dim)},
                                  {"causal", true},
                                  {"dtype", type}}};
        });
}

}  // namespace ascendsim::networks::llm
