// SPDX-License-Identifier: Apache-2.0
// Layers that keep a state instead of keys: the gated delta rule.
#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

using host::Shape;

/// Projections, a convolution over the last tokens, gates, the rule, a gated norm. For a token that decodes,
/// each head's state of 32 bits is read, changed and written: what the vector cores do with it meanwhile
/// takes less time than that (some passes over 64 KiB against a core's share of HBM), so the kernel that
/// reads and writes as much stands for the rule.
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
        return Task{
            .kernel = "elementwise",
            .knobs = {{"shape", Shape{batch * tokens * value_heads, linear.key_dim * linear.value_dim}},
                      {"op", std::string{"scale"}},
                      {"dtype", std::string{"float32"}}}};
    });
    linear_prompts(value_heads);
    norm("RmsNormGated", layers_, value_heads, linear.value_dim, false);
    by_element("Mul gate", layers_, values);
    product("MatMul o", Axis::rows, layers_, values, model_.hidden);
}

/// Prompts go by chunks of 64 tokens: products of keys within a chunk, rows that the rule adds, the state
/// from chunk to chunk, and the result (the kernels of the chunked form that vllm-ascend launches).
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
    by_chunk("ChunkFwdO", linear.value_dim, linear.key_dim + 2 * chunk);
    add_prompt("ChunkGatedDeltaRuleFwdH", 4096, [=, type = half()](Extent tokens, Extent) {
        return Task{.kernel = "matmul",  // chunk after chunk: a sum over all tokens for each head
                    .knobs = {{"m", knob(linear.key_dim)},
                              {"n", knob(linear.value_dim)},
                              {"k", knob(2 * std::max(tokens, chunk))},
                              {"groups", knob(heads)},
                              {"dtype", type}}};
    });
}

}  // namespace ascendsim::networks::llm
