// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/step.hpp"

#include <bit>
#include <numeric>
#include <utility>

#include "kernels/ops/attention/apply_rotary/apply_rotary_room.hpp"
#include "kernels/ops/norm/add_rms_norm/add_rms_norm_room.hpp"
#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

using host::Shape;

StepBuilder::StepBuilder(const Deployment& deployment, std::uint64_t cache_block, std::uint64_t drafted)
    : deployment_{deployment},
      model_{deployment.model},
      tensor_{deployment.layout.tensor},
      cache_block_{cache_block},
      decoding_tokens_{1} {
    if (drafted > 0) {
        decoding_tokens_.push_back(1 + drafted);
    }
    if (model_.experts) {
        dealing_ = deployment.dealing();
    }
}

StepProgram StepBuilder::build() {
    embedding();
    for (const AttentionLayers& group : model_.attention) {
        attention(group);
    }
    feed_forward();
    if (model_.experts) {
        experts();
    }
    framework_calls();
    head();
    return std::move(program_);
}

LayerTraffic StepBuilder::traffic() const {
    const Extent width =
        model_.experts ? model_.experts->width * model_.experts->chosen : model_.width / tensor_;
    const AttentionLayers& group = model_.attention.front();
    const Extent heads = 2 * Extent{deployment_.heads(group) + deployment_.kv_heads(group)} * group.head_dim;
    return {.weights = half_bytes * model_.hidden * (heads + 3 * width),
            .written_of_row = half_bytes * (4 * model_.hidden + 2 * heads + 3 * width)};
}

void StepBuilder::add(
    std::string name, Axis axis, std::uint32_t times, Make task, Extent tokens_of_sequence) {
    if (times == 0) {
        return;
    }
    const Extent rows_of_first = std::max<Extent>(1, tokens_of_sequence);
    const Extent share = axis == Axis::rows ? share_ : 1;
    Make made = [=, traffic = traffic(), make = std::move(task)](Extent first, Extent second) {
        Task one = make(ceiling(first, share), second);
        one.lines_a_dirty_one = traffic.lines_a_dirty_one(first * rows_of_first);
        return one;
    };
    program_.operators.push_back({.name = std::move(name),
                                  .part = part_,
                                  .axis = axis,
                                  .times = times,
                                  .tokens_of_sequence = tokens_of_sequence,
                                  .most_rows = most_rows(axis) * share,
                                  .drafts = drafts_,
                                  .steps = steps_,
                                  .task = std::move(made)});
}

StepBuilder::Extent StepBuilder::most_rows(Axis axis) const {
    // Weights are read once for all rows: behind so many, products take as long as the cubes need for a row,
    // and what works row by row as long as its rows. docs/serving.md has the error.
    constexpr Extent of_weights = 4096;
    constexpr Extent of_expert = 1024;
    if (axis != Axis::shared) {
        return axis == Axis::rows || axis == Axis::results ? of_weights : 0;
    }
    return std::bit_ceil(of_expert * model_.experts->count / model_.experts->chosen);
}

void StepBuilder::add_decoding(const std::string& name,
                               const std::function<Task(Extent, Extent, Extent)>& make) {
    for (const Extent tokens : decoding_tokens_) {
        add(
            name,
            Axis::decode,
            layers_,
            [=, share = share_](Extent sequences, Extent keys) {
                return share == 1 ? make(sequences, tokens, keys)
                                  : make(ceiling(sequences * tokens, share), 1, keys);
            },
            tokens);
    }
}

void StepBuilder::add_prompt(const std::string& name, Extent most, const Make& make) {
    add(name, Axis::prefill, layers_, make);
    if (layers_ != 0) {
        program_.operators.back().most_tokens = most;
        program_.operators.back().share = share_;
    }
}

void StepBuilder::grows_with_keys(const std::string& name) {
    constexpr Extent most_keys = 16384;  // beginning and end are next to nothing behind these
    for (StepOperator& one : program_.operators) {
        one.most_keys = one.name == name && one.most_keys == 0 ? most_keys : one.most_keys;
    }
}

void StepBuilder::exchange(std::string name,
                           node::CollectiveKind kind,
                           std::uint32_t times,
                           double bytes,
                           std::uint32_t ranks,
                           Axis axis) {
    if (ranks < 2 || times == 0) {
        return;
    }
    StepExchange call{.name = std::move(name),
                      .kind = kind,
                      .times = times,
                      .axis = axis,
                      .bytes_of_row = bytes,
                      .drafts = drafts_,
                      .steps = steps_};
    call.ranks.resize(ranks);
    std::iota(call.ranks.begin(), call.ranks.end(), 0U);
    program_.exchanges.push_back(std::move(call));
}

void StepBuilder::sum_over_devices(const std::string& name, std::uint32_t times) {
    exchange(name,
             node::CollectiveKind::all_reduce,
             times,
             static_cast<double>(half_bytes * model_.hidden),
             tensor_);
}

void StepBuilder::half_product(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent n) {
    add(name, axis, times, [k, n, type = half()](Extent rows, Extent) {
        return Task{
            .kernel = "matmul",
            .knobs = {
                {"m", knob(rows)}, {"n", knob(n)}, {"k", knob(k)}, {"dtype", type}, {"transpose_b", true}}};
    });
    simulate_product(times);
}

void StepBuilder::simulate_product(std::uint32_t times) {
    constexpr Extent most_of_product = 2048;
    if (times != 0) {
        Extent& most = program_.operators.back().most_rows;
        most = std::min(most, most_of_product * share_);
    }
}

/// Latent attention's products of bytes have factors for each column in the model's file (AscendQuantV2 in
/// the profile of a DeepSeek-V3 W8A8; vllm-ascend, quantization/methods/w8a8_static.py), others find them
/// while they run.
void StepBuilder::quantise_operand(Axis axis, std::uint32_t times, Extent width) {
    const bool fixed = published_orders() && part_ == "attention" && model_.latent &&
                       !model_.latent->direct && deployment_.weights == Weights::int8;
    if (!fixed) {
        quantise("DynamicQuant", axis, times, width);
        return;
    }
    add("AscendQuantV2", axis, times, [width, type = half()](Extent rows, Extent) {
        return Task{.kernel = "static_quant", .knobs = {{"shape", Shape{rows, width}}, {"dtype", type}}};
    });
}

/// Of four bits, a row's bytes are cut into two halves that are multiplied apart, at twice the rate of bytes
/// (A8W4 of the operator library, by its multi-stage dequantisation). Bytes with twice the rows and half the
/// depth read as much and keep the cube as busy, and stand for it.
void StepBuilder::product(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent n) {
    if (deployment_.weights == Weights::half || axis != Axis::rows) {
        half_product(name, axis, times, k, n);
        return;
    }
    quantise_operand(axis, times, k);
    const bool split = deployment_.four_bits(false);
    add(name, axis, times, [k, n, split](Extent rows, Extent) {
        return Task{.kernel = "matmul",
                    .knobs = {{"m", knob(split ? 2 * rows : rows)},
                              {"n", knob(n)},
                              {"k", knob(split ? ceiling(k, 2) : k)},
                              {"dtype", std::string{"int8"}},
                              {"out_dtype", std::string{"float16"}},
                              {"transpose_b", true}}};
    });
    simulate_product(times);
}

std::string StepBuilder::library_order(const char* otherwise) const {
    return published_orders() ? "library" : otherwise;
}

bool StepBuilder::published_orders() const {
    return deployment_.chip.arch == "2201";
}

void StepBuilder::quantise(const std::string& name, Axis axis, std::uint32_t times, Extent k, Extent each) {
    add(name, axis, times, [=, order = library_order("batched"), type = half()](Extent rows, Extent) {
        return Task{.kernel = "row_norm",
                    .knobs = {{"shape", Shape{each * rows, k}},
                              {"kind", std::string{"none"}},
                              {"quant", std::string{"int8"}},
                              {"schedule", order},
                              {"dtype", type}}};
    });
}

void StepBuilder::norm(
    const std::string& name, std::uint32_t times, Extent rows_of_token, Extent width, bool residual) {
    // Weights of bytes come with a beta that takes up the outliers (vllm-ascend, ops/layernorm.py; a profile
    // of DeepSeek-V3 W8A8 has "256,7168;256,7168;7168;7168").
    const bool bias = deployment_.weights != Weights::half;
    const bool whole_rows = width <= host::add_rms_norm_room(isa::DataType::bfloat16, bias);
    add(name,
        Axis::rows,
        times,
        [=, published = published_orders(), order = library_order("batched"), type = half()](Extent rows,
                                                                                             Extent) {
            const Shape shape{rows * rows_of_token, width};
            if (!published && !residual) {
                return Task{.kernel = "rms_norm", .knobs = {{"shape", shape}, {"dtype", type}}};
            }
            if (published && residual && whole_rows) {
                return Task{.kernel = "add_rms_norm",
                            .knobs = {{"shape", shape}, {"bias", bias}, {"dtype", type}}};
            }
            return Task{.kernel = "row_norm",
                        .knobs = {{"shape", shape},
                                  {"kind", std::string{"rms"}},
                                  {"residual", residual},
                                  {"schedule", residual ? std::string{"batched"} : order},
                                  {"dtype", type}}};
        });
}

void StepBuilder::rotate(Extent heads, Extent width) {
    add("RotaryEmbedding", Axis::rows, layers_, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "rotary", .knobs = {{"shape", Shape{rows, heads, width}}, {"dtype", type}}};
    });
}

void StepBuilder::rotate_grouped(Extent heads, Extent kv_heads, Extent width) {
    constexpr Extent published_width = 128;
    const auto type_of_heads = half() == "bfloat16" ? isa::DataType::bfloat16 : isa::DataType::half;
    if (!published_orders() || width != published_width ||
        !host::apply_rotary_takes(heads, kv_heads, type_of_heads, deployment_.chip.buffers.ub)) {
        rotate(heads + kv_heads, width);
        return;
    }
    add("RotaryEmbedding", Axis::rows, layers_, [=, type = half()](Extent rows, Extent) {
        return Task{
            .kernel = "apply_rotary",
            .knobs = {
                {"tokens", knob(rows)}, {"queries", knob(heads)}, {"keys", knob(kv_heads)}, {"dtype", type}}};
    });
}

void StepBuilder::rotate_latent(Extent heads, Extent width) {
    constexpr Extent published_width = 64;
    constexpr Extent most_heads = 255;
    if (!published_orders() || width != published_width || heads > most_heads) {
        rotate(heads + 1, width);
        return;
    }
    add("RotaryEmbedding", Axis::rows, layers_, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "interleave_rope",
                    .knobs = {{"tokens", knob(rows)}, {"heads", knob(heads)}, {"dtype", type}}};
    });
}

void StepBuilder::gate(std::uint32_t times, Extent width) {
    add("SwiGlu", Axis::rows, times, [=, order = library_order("rows"), type = half()](Extent rows, Extent) {
        return Task{.kernel = "glu",
                    .knobs = {{"shape", Shape{rows, 2 * width}}, {"schedule", order}, {"dtype", type}}};
    });
}

void StepBuilder::by_element(const std::string& name, std::uint32_t times, Extent width) {
    add(name, Axis::rows, times, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape", Shape{rows, width}}, {"op", std::string{"scale"}}, {"dtype", type}}};
    });
}

void StepBuilder::keep(const std::string& name, std::uint32_t times, const KeptRows& kept) {
    const bool bytes = deployment_.cache == Cache::int8;
    const Extent quantised = kept.keys + (kept.values_quantised ? kept.values : 0);
    if (bytes) {
        add("Quantize", Axis::rows, times, [=, type = half()](Extent rows, Extent) {
            return Task{.kernel = "row_norm",
                        .knobs = {{"shape", Shape{rows, quantised}},
                                  {"kind", std::string{"none"}},
                                  {"quant", std::string{"int8"}},
                                  {"dtype", type}}};
        });
    }
    const auto width = [=](Extent elements, bool of_bytes) {  // bytes in pairs
        return bytes && of_bytes ? ceiling(elements, half_bytes) : elements;
    };
    const Extent keys = width(kept.keys, true);
    const Extent values = width(kept.values, kept.values_quantised);
    add(name, Axis::rows, times, [=, type = half()](Extent rows, Extent) {
        const Extent slots = std::max<Extent>(rows, 4096);
        if (values == 0) {
            return Task{.kernel = "scatter_rows",
                        .knobs = {{"rows", knob(slots)}, {"shape", Shape{rows, keys}}, {"dtype", type}}};
        }
        return Task{.kernel = "cache_rows",
                    .knobs = {{"rows", knob(slots)},
                              {"shape", Shape{rows, keys}},
                              {"value_width", knob(values)},
                              {"dtype", type}}};
    });
}

/// Weights of the mix are made of all streams: a norm, a product with few columns, an iteration; then the
/// part's result is added to each.
void StepBuilder::mix_streams(const std::string& part) {
    const Extent streams = model_.streams;
    if (streams < 2) {
        return;
    }
    const std::uint32_t times = part == "attention" ? layers_ : model_.layers;
    const Extent width = streams * model_.hidden;
    norm("HcPre norm", times, streams, model_.hidden, false);
    half_product("HcPre", Axis::rows, times, width, streams * (2 + streams));
    add("HcPost", Axis::rows, times, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape", Shape{rows, width}}, {"op", std::string{"add"}}, {"dtype", type}}};
    });
}

void StepBuilder::embedding() {
    part_ = "head";
    const Extent words = ceiling(model_.vocabulary, tensor_);
    const Extent hidden = model_.hidden;
    add("GatherV2", Axis::rows, 1, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "index_rows",
                    .knobs = {{"shape", Shape{words, hidden}}, {"count", knob(rows)}, {"dtype", type}}};
    });
    sum_over_devices("embedding", 1);
    if (model_.word_tables) {
        word_tables();
    }
}

/// Each device has a share of each table's rows: it looks up those that it has, and the results are added
/// over devices (hicann/ cann-recipes-infer at fbc225d2,
/// models/longcat_flash_lite/models/modeling_longcat_flash_lite.py: NgramEmbedding). Numbers of rows are sums
/// of products of words modulo the rows; the words before each are found by where texts begin.
void StepBuilder::word_tables() {
    constexpr std::uint32_t shifting_calls = 18;  // _shift_right_ignore_eos_packed, for each number of words
    constexpr std::uint32_t sharing_calls = 5;    // _lookup_embedding: which rows this device has
    const WordTables& tables = *model_.word_tables;
    const std::uint32_t count = tables.tables();
    const Extent hidden = model_.hidden;
    const Extent width = hidden / count;
    std::uint32_t calls = 0;
    for (std::uint32_t words = 2; words <= tables.words; ++words) {
        const std::uint32_t of_table = 1 + 2 * (words - 1) + 1 + sharing_calls;  // _get_ngram_ids, remainder
        calls += shifting_calls + tables.splits * of_table;
    }
    const bool drafting = std::exchange(drafts_, false);
    small_calls("WordNumbers", calls, 1, 0);
    add("WordLookup",
        Axis::rows,
        count,
        [=, rows = ceiling(tables.rows, tensor_), type = half()](Extent words, Extent) {
            return Task{.kernel = "index_rows",
                        .knobs = {{"shape", Shape{rows, width}}, {"count", knob(words)}, {"dtype", type}}};
        });
    by_element("Mul", count, width);  // rows of other devices count nothing
    exchange("words before",
             node::CollectiveKind::all_reduce,
             count,
             static_cast<double>(half_bytes * width),
             tensor_);
    half_product("MatMul words", Axis::rows, count, width, hidden);
    add("Add", Axis::rows, count, [=, type = half()](Extent rows, Extent) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape", Shape{rows, hidden}}, {"op", std::string{"add"}}, {"dtype", type}}};
    });
    drafts_ = drafting;
}

void StepBuilder::framework_calls() {
    const StepRows all = std::exchange(steps_, {.holding = Holding::a_prompt});
    const bool drafting = std::exchange(drafts_, false);
    const std::string part = std::exchange(part_, "framework");
    by_element("FrameworkCalls",
               deployment_.framework_calls * model_.layers,
               std::max<Extent>(1, Extent{model_.hidden} / tensor_));
    part_ = part;
    drafts_ = drafting;
    steps_ = all;
}

void StepBuilder::gated(const std::string& which, std::uint32_t times, Extent width) {
    product("MatMul " + which + "gate_up", Axis::rows, times, model_.hidden, 2 * width);
    gate(times, width);
    product("MatMul " + which + "down", Axis::rows, times, width, model_.hidden);
}

void StepBuilder::feed_forward() {
    part_ = "feed-forward";
    mix_streams("feed-forward");
    norm("AddRmsNorm", model_.layers, 1, model_.hidden, true);
    const std::uint32_t dense = model_.dense_layers;
    drafts_ = !model_.experts;
    if (dense != 0) {
        gated("", dense, model_.width / tensor_);
        sum_over_devices("feed-forward", dense);
    }
    drafts_ = true;
}

void StepBuilder::head() {
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

StepProgram step_program(const Deployment& deployment, std::uint64_t cache_block, std::uint32_t drafted) {
    return StepBuilder{deployment, cache_block, drafted}.build();
}

}  // namespace ascendsim::networks::llm
