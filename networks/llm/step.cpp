// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/step.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "networks/llm/layer_traffic.hpp"
#include "networks/llm/library_attention.hpp"

namespace ascendsim::networks::llm {
namespace {

using host::Shape;
using Extent = std::uint64_t;

constexpr const char* half_type = "bfloat16";

std::int64_t knob(Extent value) {
    return static_cast<std::int64_t>(value);
}

/// Collects what a layer runs; `times` is the number of layers that have the part.
class StepBuilder {
public:
    StepBuilder(const Deployment& deployment, Extent cache_block, Extent drafted)
        : deployment_{deployment},
          model_{deployment.model},
          tensor_{deployment.layout.tensor},
          layers_{model_.layers},
          cache_block_{cache_block},
          decoding_tokens_{1} {
        if (drafted > 0) {
            decoding_tokens_.push_back(1 + drafted);
        }
    }

    [[nodiscard]] StepProgram build() {
        embedding();
        if (model_.latent) {
            latent_attention();
        } else {
            attention();
        }
        feed_forward();
        if (model_.experts) {
            experts();
        }
        head();
        return std::move(program_);
    }

private:
    using Make = std::function<Task(Extent, Extent)>;

    [[nodiscard]] LayerTraffic traffic() const {
        const Extent width =
            model_.experts ? model_.experts->width * model_.experts->chosen : model_.width / tensor_;
        const Extent heads = 2 * Extent{deployment_.heads() + deployment_.kv_heads()} * model_.head_dim;
        return {.weights = half_bytes * model_.hidden * (heads + 3 * width),
                .written_of_row = half_bytes * (4 * model_.hidden + 2 * heads + 3 * width)};
    }

    void add(std::string name, Axis axis, std::uint32_t times, Make task, Extent tokens_of_sequence = 0) {
        if (times != 0) {
            const Extent rows_of_first = std::max<Extent>(1, tokens_of_sequence);
            Make made = [=, traffic = traffic(), make = std::move(task)](Extent first, Extent second) {
                Task one = make(first, second);
                one.lines_a_dirty_one = traffic.lines_a_dirty_one(first * rows_of_first);
                return one;
            };
            program_.operators.push_back({.name = std::move(name),
                                          .part = part_,
                                          .axis = axis,
                                          .times = times,
                                          .tokens_of_sequence = tokens_of_sequence,
                                          .task = std::move(made)});
        }
    }

    /// A kernel of the sequences that decode: `make` takes sequences, tokens of each, keys.
    void add_decoding(const std::string& name, const std::function<Task(Extent, Extent, Extent)>& make) {
        for (const Extent tokens : decoding_tokens_) {
            add(
                name,
                Axis::decode,
                layers_,
                [=](Extent sequences, Extent keys) { return make(sequences, tokens, keys); },
                tokens);
        }
    }

    void exchange(std::string name,
                  node::CollectiveKind kind,
                  std::uint32_t times,
                  double bytes,
                  std::uint32_t ranks,
                  Axis axis = Axis::rows) {
        if (ranks < 2 || times == 0) {
            return;
        }
        StepExchange call{
            .name = std::move(name), .kind = kind, .times = times, .axis = axis, .bytes_of_row = bytes};
        call.ranks.resize(ranks);
        std::iota(call.ranks.begin(), call.ranks.end(), 0U);
        program_.exchanges.push_back(std::move(call));
    }

    /// The sum of what each device of a replica has of the hidden states.
    void sum_over_devices(const std::string& name, std::uint32_t times) {
        exchange(name,
                 node::CollectiveKind::all_reduce,
                 times,
                 static_cast<double>(half_bytes * model_.hidden),
                 tensor_);
    }

    /// x [rows, k] by weights [n, k]. With W8A8, the rows are quantised first, and the product is of int8.
    void product(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent n) {
        if (deployment_.weights == Weights::int8 && axis == Axis::rows) {
            add("DynamicQuant", axis, times, [k](Extent rows, Extent) {
                return Task{.kernel = "row_norm",
                            .knobs = {{"shape", Shape{rows, k}},
                                      {"kind", std::string{"none"}},
                                      {"quant", std::string{"int8"}},
                                      {"dtype", std::string{half_type}}}};
            });
            add(name, axis, times, [k, n](Extent rows, Extent) {
                return Task{.kernel = "matmul",
                            .knobs = {{"m", knob(rows)},
                                      {"n", knob(n)},
                                      {"k", knob(k)},
                                      {"dtype", std::string{"int8"}},
                                      {"out_dtype", std::string{"float16"}},
                                      {"transpose_b", true}}};
            });
            return;
        }
        add(name, axis, times, [k, n](Extent rows, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(rows)},
                                  {"n", knob(n)},
                                  {"k", knob(k)},
                                  {"dtype", std::string{half_type}},
                                  {"transpose_b", true}}};
        });
    }

    void norm(
        const std::string& name, std::uint32_t times, Extent rows_of_token, Extent width, bool residual) {
        add(name, Axis::rows, times, [=](Extent rows, Extent) {
            const Shape shape{rows * rows_of_token, width};
            if (!residual) {
                return Task{.kernel = "rms_norm",
                            .knobs = {{"shape", shape}, {"dtype", std::string{half_type}}}};
            }
            return Task{.kernel = "row_norm",
                        .knobs = {{"shape", shape},
                                  {"kind", std::string{"rms"}},
                                  {"residual", true},
                                  {"dtype", std::string{half_type}}}};
        });
    }

    void rotate(Extent heads, Extent width) {
        add("RotaryEmbedding", Axis::rows, layers_, [=](Extent rows, Extent) {
            return Task{.kernel = "rotary",
                        .knobs = {{"shape", Shape{rows, heads, width}}, {"dtype", std::string{half_type}}}};
        });
    }

    void gate(std::uint32_t times, Extent width, double rows_of_token = 1) {
        add("SwiGlu", Axis::rows, times, [=](Extent rows, Extent) {
            const auto all = static_cast<Extent>(std::ceil(static_cast<double>(rows) * rows_of_token));
            return Task{.kernel = "glu",
                        .knobs = {{"shape", Shape{all, 2 * width}}, {"dtype", std::string{half_type}}}};
        });
    }

    /// Rows of the step go to their places in the cache: `quantised` elements, of a cache of bytes as such,
    /// and others of 16 bits.
    void keep(const std::string& name, Extent quantised, Extent others = 0) {
        const bool bytes = deployment_.cache == Cache::int8;
        if (bytes) {
            add("Quantize", Axis::rows, layers_, [=](Extent rows, Extent) {
                return Task{.kernel = "row_norm",
                            .knobs = {{"shape", Shape{rows, quantised}},
                                      {"kind", std::string{"none"}},
                                      {"quant", std::string{"int8"}},
                                      {"dtype", std::string{half_type}}}};
            });
        }
        const Extent width = (bytes ? ceiling(quantised, half_bytes) : quantised) + others;  // bytes in pairs
        add(name, Axis::rows, layers_, [=](Extent rows, Extent) {
            return Task{.kernel = "scatter_rows",
                        .knobs = {{"rows", knob(std::max<Extent>(rows, 4096))},
                                  {"shape", Shape{rows, width}},
                                  {"dtype", std::string{half_type}}}};
        });
    }

    void embedding() {
        part_ = "head";
        const Extent words = ceiling(model_.vocabulary, tensor_);
        const Extent hidden = model_.hidden;
        add("GatherV2", Axis::rows, 1, [=](Extent rows, Extent) {
            return Task{.kernel = "index_rows",
                        .knobs = {{"shape", Shape{words, hidden}},
                                  {"count", knob(rows)},
                                  {"dtype", std::string{half_type}}}};
        });
        sum_over_devices("embedding", 1);
    }

    /// The attention kernel's word for the type of the cache.
    [[nodiscard]] std::string cache_word() const {
        return deployment_.cache == Cache::int8 ? "int8" : "as_q";
    }

    /// Grouped heads of keys and values in a paged cache.
    void attention() {
        part_ = "attention";
        const Extent heads = deployment_.heads();
        const Extent kv_heads = deployment_.kv_heads();
        const Extent width = model_.head_dim;
        norm("AddRmsNorm", layers_, 1, model_.hidden, true);
        product("MatMul qkv", Axis::rows, layers_, model_.hidden, (heads + 2 * kv_heads) * width);
        if (model_.head_norm) {
            norm("RmsNorm q", layers_, heads, width, false);
            norm("RmsNorm k", layers_, kv_heads, width, false);
        }
        rotate(heads + kv_heads, width);
        keep("ReshapeAndCache", 2 * kv_heads * width);
        const auto task =
            [=, bytes = cache_word(), block = cache_block_, cores = Extent{deployment_.chip.cores.aic}](
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
                                   {"dtype", std::string{half_type}}}};
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
        if (deployment_.attention == AttentionKernels::apart) {
            attention_apart();
            product("MatMul o", Axis::rows, layers_, heads * width, model_.hidden);
            sum_over_devices("attention", layers_);
            return;
        }
        add_decoding("FusedInferAttentionScore", [=](Extent batch, Extent queries, Extent keys) {
            return task(batch, queries, keys, false, true);
        });
        // Prompts: each vector core has tiles of queries and asks for their products
        // (prompt_flash_attention). One without a past sees the keys that it has just made.
        add("FusedInferAttentionScore", Axis::prefill, layers_, [=](Extent tokens, Extent keys) {
            return task(1, tokens, std::max(keys, tokens), true, keys > tokens);
        });
        product("MatMul o", Axis::rows, layers_, heads * width, model_.hidden);
        sum_over_devices("attention", layers_);
    }

    /// A kernel of attention for a sequence: `make` takes queries and keys. Prompts run the same kernels.
    void add_apart(const std::string& name, const std::function<Task(Extent, Extent)>& make) {
        for (const Extent tokens : decoding_tokens_) {
            add(
                name, Axis::decode, layers_, [=](Extent, Extent keys) { return make(tokens, keys); }, tokens);
            program_.operators.back().each_sequence = true;
        }
        add(name, Axis::prefill, layers_, [=](Extent tokens, Extent keys) {
            return make(tokens, std::max(keys, tokens));
        });
    }

    /// Attention as a framework without a fused kernel launches it, sequence by sequence: keys and values out
    /// of the paged cache, products, scale, mask and softmax, each through global memory.
    void attention_apart() {
        const Extent kv_heads = deployment_.kv_heads();
        const Extent merged = deployment_.heads() / kv_heads;
        const Extent width = model_.head_dim;
        const Extent block = cache_block_;
        for (const char* name : {"GatherV2 keys", "GatherV2 values"}) {
            add_apart(name, [=](Extent, Extent keys) {
                const Extent blocks = ceiling(keys, block);
                return Task{.kernel = "index_rows",
                            .knobs = {{"shape", Shape{2 * blocks, block * kv_heads * width}},
                                      {"count", knob(blocks)},
                                      {"dtype", std::string{half_type}}}};
            });
        }
        const auto multiplied = [=](Extent m, Extent n, Extent k, bool turned) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(m)},
                                  {"n", knob(n)},
                                  {"k", knob(k)},
                                  {"groups", knob(kv_heads)},
                                  {"dtype", std::string{half_type}},
                                  {"transpose_b", turned}}};
        };
        const auto by_element = [=](const char* op, Extent queries, Extent keys) {
            return Task{.kernel = "elementwise",
                        .knobs = {{"shape", Shape{kv_heads * merged, queries, keys}},
                                  {"op", std::string{op}},
                                  {"dtype", std::string{half_type}}}};
        };
        add_apart("BatchMatMul qk", [=](Extent queries, Extent keys) {
            return multiplied(merged * queries, keys, width, true);
        });
        add_apart("Muls", [=](Extent queries, Extent keys) { return by_element("scale", queries, keys); });
        add_apart("Add mask", [=](Extent queries, Extent keys) {
            Task task = by_element("add", queries, keys);
            task.knobs.emplace_back("shape1", Shape{1, queries, keys});
            return task;
        });
        add_apart("SoftmaxV2", [=](Extent queries, Extent keys) {
            return Task{.kernel = "softmax",
                        .knobs = {{"shape", Shape{kv_heads * merged * queries, keys}},
                                  {"dtype", std::string{half_type}}}};
        });
        add_apart("BatchMatMul pv", [=](Extent queries, Extent keys) {
            return multiplied(merged * queries, width, keys, false);
        });
    }

    /// Latent keys and values. Decoding multiplies queries into the latent space; a prompt's keys and values
    /// are taken out of it.
    void latent_attention() {
        part_ = "attention";
        const LatentAttention latent = *model_.latent;
        const Extent heads = deployment_.heads();
        const Extent q_width = heads * (latent.nope_dim + latent.rope_dim);
        norm("AddRmsNorm", layers_, 1, model_.hidden, true);
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
        rotate(heads + 1, latent.rope_dim);
        keep("ReshapeAndCache", latent.kv_rank, latent.rope_dim);
        by_head("BatchMatMul uk", heads, latent.nope_dim, latent.kv_rank);
        const auto block = knob(cache_block_);
        const std::string bytes = cache_word();
        add_decoding("FusedInferAttentionScore", [=](Extent batch, Extent queries, Extent keys) {
            return Task{.kernel = "attention",
                        .knobs = {{"batch", knob(batch)},
                                  {"q_len", knob(queries)},
                                  {"kv_len", knob(keys)},
                                  {"heads", knob(heads)},
                                  {"kv_heads", std::int64_t{1}},
                                  {"head_dim", knob(latent.kv_rank)},
                                  {"rope_dim", knob(latent.rope_dim)},
                                  {"value_dim", knob(latent.kv_rank)},
                                  {"shared_values", true},
                                  {"causal", queries > 1},
                                  {"block_keys", block},
                                  {"cache", bytes},
                                  {"dtype", std::string{half_type}}}};
        });
        by_head("BatchMatMul uv", heads, latent.kv_rank, latent.value_dim);
        expanded_prefill(latent, heads);
        product("MatMul o", Axis::rows, layers_, heads * latent.value_dim, model_.hidden);
        sum_over_devices("attention", layers_);
    }

    /// One product for each head, of the rows that decode.
    void by_head(const std::string& name, Extent heads, Extent k, Extent n) {
        add_decoding(name, [=](Extent batch, Extent queries, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(batch * queries)},
                                  {"n", knob(n)},
                                  {"k", knob(k)},
                                  {"groups", knob(heads)},
                                  {"dtype", std::string{half_type}}}};
        });
    }

    void expanded_prefill(const LatentAttention& latent, Extent heads) {
        const Extent width = heads * (latent.nope_dim + latent.value_dim);
        add("MatMul kv_b", Axis::prefill, layers_, [=](Extent, Extent keys) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(keys)},
                                  {"n", knob(width)},
                                  {"k", knob(latent.kv_rank)},
                                  {"dtype", std::string{half_type}},
                                  {"transpose_b", true}}};
        });
        add("FusedInferAttentionScore", Axis::prefill, layers_, [=](Extent tokens, Extent keys) {
            return Task{.kernel = "attention",
                        .knobs = {{"q_len", knob(tokens)},
                                  {"kv_len", knob(std::max(keys, tokens))},
                                  {"heads", knob(heads)},
                                  {"head_dim", knob(latent.nope_dim)},
                                  {"rope_dim", knob(latent.rope_dim)},
                                  {"value_dim", knob(latent.value_dim)},
                                  {"causal", true},
                                  {"dtype", std::string{half_type}}}};
        });
    }

    void gated(const std::string& which, std::uint32_t times, Extent width) {
        product("MatMul " + which + "gate_up", Axis::rows, times, model_.hidden, 2 * width);
        gate(times, width);
        product("MatMul " + which + "down", Axis::rows, times, width, model_.hidden);
    }

    void feed_forward() {
        part_ = "feed-forward";
        norm("AddRmsNorm", layers_, 1, model_.hidden, true);
        const std::uint32_t dense = layers_ - model_.expert_layers();
        if (dense != 0) {
            gated("", dense, model_.width / tensor_);
            sum_over_devices("feed-forward", dense);
        }
    }

    /// Rows of the experts on one device, ascending ends. The router is taken to choose evenly: of E experts,
    /// each token k, so that E (1 - (1 - k / E)^tokens) of them have work, and all of these as much.
    [[nodiscard]] static Shape ends_of(Extent rows, Extent experts, double share_of_experts, double tokens) {
        const double busy = 1 - std::pow(1 - share_of_experts, tokens);
        const auto active =
            std::clamp<Extent>(static_cast<Extent>(std::lround(static_cast<double>(experts) * busy)),
                               1,
                               std::min(experts, rows));
        Shape ends(active);
        for (Extent i = 0; i < active; ++i) {
            ends[i] = rows * (i + 1) / active;
        }
        return ends;
    }

    /// A product for each expert that has rows.
    void grouped(const std::string& name, Extent k, Extent n) {
        const Experts experts = *model_.experts;
        const Extent sharers = deployment_.expert_devices();
        const Extent local = experts.count / sharers;
        const double chosen = static_cast<double>(experts.chosen) / experts.count;
        // all replicas send their tokens to the experts of this device
        const double tokens_of_row = deployment_.layout.expert_parallel ? deployment_.layout.replicas : 1;
        const bool int8 = deployment_.weights == Weights::int8;
        add(name, Axis::rows, model_.expert_layers(), [=](Extent rows, Extent) {
            const double tokens = static_cast<double>(rows) * tokens_of_row;
            const auto all = std::max<Extent>(
                1, static_cast<Extent>(std::lround(tokens * chosen * static_cast<double>(local))));
            Task task{.kernel = "matmul",
                      .knobs = {{"m", knob(all)},
                                {"n", knob(n)},
                                {"k", knob(k)},
                                {"group_ends", ends_of(all, local, chosen, tokens)},
                                {"dtype", std::string{int8 ? "int8" : half_type}}}};
            if (int8) {
                task.knobs.emplace_back("out_dtype", std::string{"float16"});
            }
            return task;
        });
    }

    void experts() {
        part_ = "experts";
        const Experts experts = *model_.experts;
        const std::uint32_t times = model_.expert_layers();
        const bool apart = deployment_.layout.expert_parallel;
        const Extent width = apart ? experts.width : experts.width / tensor_;
        const Extent hidden = model_.hidden;
        const double rows_of_token = static_cast<double>(experts.chosen) *
                                     (apart ? deployment_.layout.replicas : 1) / deployment_.expert_devices();
        add("MatMul gate", Axis::rows, times, [=](Extent rows, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(rows)},
                                  {"n", knob(Extent{experts.count})},
                                  {"k", knob(hidden)},
                                  {"dtype", std::string{half_type}},
                                  {"transpose_b", true}}};
        });
        add("MoeGatingTopK", Axis::rows, times, [=](Extent rows, Extent) {
            return Task{.kernel = "topk_gating",
                        .knobs = {{"tokens", knob(rows)},
                                  {"experts", knob(Extent{experts.count})},
                                  {"k", knob(Extent{experts.chosen})}}};
        });
        const auto moved = [=](Extent rows) {
            return std::max<Extent>(
                1, static_cast<Extent>(std::ceil(static_cast<double>(rows) * rows_of_token)));
        };
        add("MoeInitRouting", Axis::rows, times, [=](Extent rows, Extent) {
            return Task{.kernel = "index_rows",
                        .knobs = {{"shape", Shape{rows, hidden}},
                                  {"count", knob(moved(rows))},
                                  {"dtype", std::string{half_type}}}};
        });
        grouped("GroupedMatmul gate_up", hidden, 2 * width);
        gate(times, width, rows_of_token);
        grouped("GroupedMatmul down", width, hidden);
        add("MoeFinalizeRouting", Axis::rows, times, [=](Extent rows, Extent) {
            return Task{.kernel = "moe_finalize",
                        .knobs = {{"shape", Shape{rows, hidden}},
                                  {"k", knob(Extent{experts.chosen})},
                                  {"experts", knob(Extent{experts.count})},
                                  {"skips", std::int64_t{0}},
                                  {"bias", false},
                                  {"dtype", std::string{half_type}}}};
        });
        if (experts.shared_width != 0) {
            gated("shared ", times, apart ? experts.shared_width : experts.shared_width / tensor_);
        }
        exchange_tokens(times, static_cast<double>(experts.chosen));
    }

    /// Between replicas, tokens go to their experts and back; within one, every device has all tokens and the
    /// results are added.
    void exchange_tokens(std::uint32_t times, double chosen) {
        if (!deployment_.layout.expert_parallel || deployment_.layout.replicas == 1) {
            sum_over_devices("experts", times);
            return;
        }
        const double sent = chosen * static_cast<double>(model_.hidden) / tensor_;
        const double bytes = half_bytes;
        const double dispatched = deployment_.weights == Weights::int8 ? 1 : bytes;
        exchange("dispatch",
                 node::CollectiveKind::all_to_all,
                 times,
                 sent * dispatched,
                 deployment_.expert_devices());
        exchange(
            "combine", node::CollectiveKind::all_to_all, times, sent * bytes, deployment_.expert_devices());
        exchange("experts",
                 node::CollectiveKind::all_gather,
                 times,
                 static_cast<double>(half_bytes * model_.hidden) / tensor_,
                 tensor_);
    }

    void head() {
        part_ = "head";
        norm("RmsNorm", 1, 1, model_.hidden, false);
        const Extent words = ceiling(model_.vocabulary, tensor_);
        product("MatMul head", Axis::results, 1, model_.hidden, words);
        exchange("words",
                 node::CollectiveKind::all_gather,
                 1,
                 static_cast<double>(float_bytes * words),
                 tensor_,
                 Axis::results);
        add("ArgMax", Axis::results, 1, [words = model_.vocabulary](Extent rows, Extent) {
            return Task{.kernel = "reduce",
                        .knobs = {{"shape", Shape{rows, words}},
                                  {"first", std::int64_t{1}},
                                  {"op", std::string{"max"}},
                                  {"dtype", std::string{"float32"}}}};
        });
    }

    const Deployment& deployment_;
    const ModelConfig& model_;
    std::uint32_t tensor_;
    std::uint32_t layers_;
    Extent cache_block_;
    std::vector<Extent> decoding_tokens_;  // of a sequence in a step: of the layer that drafts, of the model
    std::string part_;
    StepProgram program_;
};

}  // namespace

StepProgram step_program(const Deployment& deployment, std::uint64_t cache_block, std::uint32_t drafted) {
    return StepBuilder{deployment, cache_block, drafted}.build();
}

}  // namespace ascendsim::networks::llm
