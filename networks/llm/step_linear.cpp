// SPDX-License-Identifier: Apache-2.0
// Layers that keep a state instead of keys: the gated delta rule.
#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

using host::Shape;

/// Projections, a convolution over the last tokens, gates, the rule, a gated norm. Of a sequence that
/// decodes, each head's state of 32 bits is read, and written for each token: a kernel that reads and writes
/// as much stands for the rule.
void StepBuilder::linear_attention() {
    const LinearAttention linear = *group_.linear;
    const Extent value_heads = linear.value_heads / tensor_;
    const Extent convolved = linear.convolved() / tensor_;
    const Extent values = value_heads * linear.value_dim;
    product("MatMul qkvz", Axis::rows, layers_, model_.hidden, convolved + values);
    half_product("MatMul ba", Axis::rows, layers_, model_.hidden, 2 * value_heads);
    by_element("CausalConv1d", layers_, linear.taps * convolved);
    add("FusedGdnGating", Axis::rows, layers_, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "gdn_gating", .knobs = {{"shape", Shape{rows, value_heads}}, {"dtype", type}}};
    });
    add_decoding("RecurrentGatedDeltaRule", [=](Extent batch, Extent tokens, Extent) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape",
                               Shape{ceiling(batch * (1 + tokens) * value_heads, 2),
                                     linear.key_dim * linear.value_dim}},
                              {"op", std::string{"scale"}},
                              {"dtype", std::string{"float32"}}}};
    });
    linear_prompts(value_heads);
    norm("RmsNormGated", layers_, value_heads, linear.value_dim, false);
    by_element("Mul gate", layers_, values);
    product("MatMul o", Axis::rows, layers_, values, model_.hidden);
}

/// Prompts go by chunks of 64 tokens: products of keys within a chunk, rows that the rule adds, the state
/// from chunk to chunk, and the result (the kernels of the chunked form that vllm-ascend launches, at
/// 182b75ea, ops/triton/fla/chunk.py). The inverse within a chunk is left out. docs/serving.md has what these
/// take beside vllm-ascend's own kernels.
///   state   chunks wait for each other: a kernel of one chunk for all heads, with both products of it in
///   one,
///           once for each; each begins anew, as cube and vector cores wait for each other four times a chunk
///   result  between its three products the kernel keeps scores and sums in global memory, about as many
///           bytes as it reads: twice the depth of the products
void StepBuilder::linear_prompts(Extent heads) {
    constexpr Extent chunk = 64;
    const LinearAttention linear = *group_.linear;
    const auto by_chunk = [&](const std::string& name, Extent n, Extent k) {
        add_prompt(name, 4096, [=, type = half()](Extent tokens, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(chunk)},
                                  {"n", knob(n)},
                                  {"k", knob(k)},
                                  {"groups", knob(std::min<Extent>(4096, heads * ceiling(tokens, chunk)))},
                                  {"dtype", type}}};
        });
    };
    by_chunk("ChunkScaledDotKkt", chunk, linear.key_dim);
    by_chunk("RecomputeWU", linear.key_dim + linear.value_dim, chunk);
    // In front of these kernels queries, keys, w and u, behind them o and the new values, [tokens, heads,
    // 128], and a state of each chunk, [heads, 128, 128], change the order of tokens and heads.
    const Extent keys = linear.key_heads / tensor_ * linear.key_dim;
    const Extent moved =
        2 * keys + 4 * heads * linear.value_dim + heads * linear.key_dim * linear.value_dim / chunk;
    add_prompt("Contiguous", 4096, [=, type = half()](Extent tokens, Extent) {
        return Task{
            .kernel = "elementwise",
            .knobs = {{"shape", Shape{tokens, moved}}, {"op", std::string{"scale"}}, {"dtype", type}}};
    });
    add_prompt("ChunkGatedDeltaRuleFwdH", chunk, [=, type = half()](Extent, Extent) {
        return Task{.kernel = "matmul",
                    .knobs = {{"m", knob(chunk)},
                              {"n", knob(linear.value_dim)},
                              {"k", knob(2 * linear.key_dim)},
                              {"groups", knob(heads)},
                              {"dtype", type}}};
    });
    const Extent depth = linear.key_dim + 2 * chunk;  // queries by the state and by keys, scores by values
    by_chunk("ChunkFwdO", linear.value_dim, 2 * depth);
}

}  // namespace ascendsim::networks::llm
