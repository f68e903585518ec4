// SPDX-License-Identifier: Apache-2.0
// Experts, and how tokens come to them. Three ways of vllm-ascend at 182b75ea (ops/fused_moe/:
// token_dispatcher.py, prepare_finalize.py; ascend_forward_context.py says which step takes which):
//   sent row by row  each device takes its share of a replica's tokens; a kernel sends them, another adds up
//   what comes back sent at once     the same, but rows are sorted by experts first, and again where they
//   have arrived; the host has to know
//                    how many rows go where, and waits for it
//   gathered         every device has all tokens, sorts those of its experts, and results are added over
//   devices
#include <numeric>

#include "networks/llm/step_builder.hpp"

namespace ascendsim::networks::llm {

using host::Shape;

namespace {

/// Where the rows of each group end.
[[nodiscard]] Shape ends_of_groups(const std::vector<std::uint64_t>& rows, std::uint64_t factor) {
    Shape ends;
    std::uint64_t end = 0;
    for (const std::uint64_t one : rows) {
        end += one * factor;
        ends.push_back(end);
    }
    return ends;
}

}  // namespace

StepBuilder::OfExperts StepBuilder::rows_of_experts() const {
    const Dealing of_layer = *dealing_;
    const Extent copies = deployment_.layout.sends() ? deployment_.layout.copies() : 1;
    return [of_layer, copies](Extent tokens) {
        Dealing all = of_layer;
        all.tokens = tokens;
        std::vector<Extent> rows = busiest_device(all);
        for (Extent& one : rows) {
            one *= copies;
        }
        return rows;
    };
}

StepBuilder::OfRows StepBuilder::rows_of_device() const {
    return [rows_here = rows_of_experts()](Extent tokens) {
        const std::vector<Extent> rows = rows_here(tokens);
        return std::accumulate(rows.begin(), rows.end(), Extent{0});
    };
}

/// A product for each expert that has rows, on the device that has most.
void StepBuilder::grouped_product(const std::string& name, Extent k, Extent n) {
    const bool int8 = deployment_.weights != Weights::half;
    const bool split = deployment_.four_bits(true);
    // all replicas send their tokens to the experts of this device
    add(name,
        shared_axis(),
        model_.expert_layers(),
        [=, rows_here = rows_of_experts(), type = half()](Extent tokens, Extent) {
            const Shape ends = ends_of_groups(rows_here(tokens), split ? 2 : 1);
            Task task{.kernel = "matmul",
                      .knobs = {{"m", knob(ends.back())},
                                {"n", knob(n)},
                                {"k", knob(split ? ceiling(k, 2) : k)},
                                {"group_ends", ends},
                                {"dtype", int8 ? std::string{"int8"} : type}}};
            if (int8) {
                task.knobs.emplace_back("out_dtype", std::string{"float16"});
            }
            return task;
        });
}

void StepBuilder::experts() {
    part_ = "experts";
    const Layout& layout = deployment_.layout;
    const Experts& experts = *model_.experts;
    const std::uint32_t times = model_.expert_layers();
    const Extent width = layout.expert_parallel ? experts.width : experts.width / tensor_;
    const Extent hidden = model_.hidden;
    add("MatMul gate",
        Axis::rows,
        times,
        [hidden, count = experts.count, type = half()](Extent rows, Extent) {
            return Task{.kernel = "matmul",
                        .knobs = {{"m", knob(rows)},
                                  {"n", knob(Extent{count})},
                                  {"k", knob(hidden)},
                                  {"dtype", type},
                                  {"transpose_b", true}}};
        });
    const Extent last = layout.gathers_from == 0 ? 0 : layout.gathers_from - 1;  // step that is sent
    if (layout.sends() && layout.row_by_row != 0) {
        steps_ = {.least = 0, .most = last == 0 ? layout.row_by_row : std::min(last, layout.row_by_row)};
        send_row_by_row();
    }
    if (layout.sends() && (last == 0 || last > layout.row_by_row)) {
        steps_ = {.least = layout.row_by_row + 1, .most = last};
        send_at_once();
    }
    if (layout.gathers()) {
        steps_ = {.least = layout.sends() ? layout.gathers_from : 0, .most = 0};
        gather_tokens();
    }
    steps_ = {};
    grouped_product("GroupedMatmul gate_up", hidden, 2 * width);
    add("SwiGlu",
        shared_axis(),
        times,
        [width, order = library_order("rows"), rows_here = rows_of_device(), type = half()](Extent tokens,
                                                                                            Extent) {
            return Task{
                .kernel = "glu",
                .knobs = {
                    {"shape", Shape{rows_here(tokens), 2 * width}}, {"schedule", order}, {"dtype", type}}};
        });
    grouped_product("GroupedMatmul down", width, hidden);
    shared_experts();
}

/// Token by token, as the library does; where it has an order of its own for groups, in that.
void StepBuilder::choose_experts(Axis axis) {
    const Experts experts = *model_.experts;
    constexpr std::uint32_t most_experts = 2048;
    const bool grouped = experts.count == 256 && experts.groups == 8 && experts.groups_chosen == 4 &&
                         !experts.softmax && experts.chosen <= 32;
    add("MoeGatingTopK",
        axis,
        model_.expert_layers(),
        [=, published = published_orders() && experts.count <= most_experts](Extent rows, Extent) {
            Task task{.kernel = published ? "moe_gating" : "topk_gating",
                      .knobs = {{"tokens", knob(rows)},
                                {"experts", knob(Extent{experts.count})},
                                {"k", knob(Extent{experts.chosen})}}};
            if (published) {
                task.knobs.emplace_back("groups", std::int64_t{grouped ? 8 : 1});
                task.knobs.emplace_back("score", std::string{experts.softmax ? "softmax" : "sigmoid"});
                task.knobs.emplace_back("bias", !experts.softmax);
            }
            return task;
        });
}

void StepBuilder::add_up_choices(Axis axis) {
    constexpr Extent most_of_library = 7168;  // elements of a row, of which its kernel holds ten
    const std::string order = model_.hidden <= most_of_library ? library_order("rows") : "rows";
    add("MoeFinalizeRouting",
        axis,
        model_.expert_layers(),
        [order, experts = *model_.experts, hidden = model_.hidden, type = half()](Extent rows, Extent) {
            return Task{.kernel = "moe_finalize",
                        .knobs = {{"shape", Shape{rows, hidden}},
                                  {"schedule", order},
                                  {"k", knob(Extent{experts.chosen})},
                                  {"experts", knob(Extent{experts.count})},
                                  {"skips", std::int64_t{0}},
                                  {"bias", false},
                                  {"dtype", type}}};
        });
}

void StepBuilder::sort_rows(
    const std::string& name, Axis axis, bool bytes, const OfRows& from, const OfRows& to) {
    const Extent width = bytes ? ceiling(model_.hidden, half_bytes) : model_.hidden;  // bytes in pairs
    add(name, axis, model_.expert_layers(), [=, type = half()](Extent rows, Extent) {
        return Task{
            .kernel = "index_rows",
            .knobs = {{"shape", Shape{from(rows), width}}, {"count", knob(to(rows))}, {"dtype", type}}};
    });
}

void StepBuilder::small_calls(const std::string& name, std::uint32_t times, Extent of_row, Extent of_call) {
    add(name, Axis::rows, times, [=](Extent rows, Extent) {
        return Task{.kernel = "elementwise",
                    .knobs = {{"shape", Shape{1, of_row * rows + of_call}},
                              {"op", std::string{"scale"}},
                              {"dtype", std::string{"float32"}}}};
    });
}

void StepBuilder::exchange_choices(const std::string& name, double bytes) {
    const double chosen = static_cast<double>(model_.experts->chosen) * deployment_.layout.copies() / tensor_;
    exchange(name,
             node::CollectiveKind::all_to_all,
             model_.expert_layers(),
             chosen * bytes,
             deployment_.expert_devices());
    if (model_.expert_layers() != 0) {
        program_.exchanges.back().to_experts = true;
    }
}

/// Each device has the results of its share of a replica's tokens, unless all have sent all of them.
void StepBuilder::gather_results() {
    if (!deployment_.layout.repeated) {
        const double row = static_cast<double>(half_bytes * model_.hidden);
        exchange("experts", node::CollectiveKind::all_gather, model_.expert_layers(), row / tensor_, tensor_);
    }
}

void StepBuilder::send_row_by_row() {
    // Of 128 tokens that choose eight experts, on 8, 16 and 32 devices of A3: 132, 139 and 153 us to
    // experts in bytes, 126, 135 and 151 us back in 16 bits (sgl-project/sgl-kernel-npu at f425bdf1,
    // README.md, low-latency kernels). Twice the bytes take no longer: a row does, and a device.
    constexpr double sent_us = 0.122;
    constexpr double sent_rank_us = 0.875;
    constexpr double back_us = 0.115;
    constexpr double back_rank_us = 1.04;
    const auto hidden = static_cast<double>(model_.hidden);
    const double sent = deployment_.weights == Weights::half ? half_bytes : 1.0;
    share_ = senders();
    choose_experts(Axis::rows);
    share_ = 1;
    const std::size_t first = program_.exchanges.size();
    exchange_choices("dispatch", hidden * sent);
    exchange_choices("combine", hidden * half_bytes);
    for (std::size_t i = first; i < program_.exchanges.size(); ++i) {
        StepExchange& one = program_.exchanges[i];
        one.choices_of_row = static_cast<double>(model_.experts->chosen) / senders();
        one.us_of_choice = i == first ? sent_us : back_us;
        one.us_of_rank = i == first ? sent_rank_us : back_rank_us;
    }
    gather_results();
}

/// TokenDispatcherWithAll2AllV: rows of bytes have scales, which go by themselves. Numbers of rows are
/// counted, gathered from all devices, added up in four ways and copied to the host twice; repeat_interleave
/// waits for what it is to write.
void StepBuilder::send_at_once() {
    constexpr std::uint32_t counting_calls = 6;
    const Extent hidden = model_.hidden;
    const Extent chosen = model_.experts->chosen;
    const Extent count = model_.experts->count;
    const bool bytes = deployment_.weights != Weights::half;
    const OfRows same = [](Extent rows) { return rows; };
    share_ = senders();
    choose_experts(Axis::rows);
    small_calls("MoeTokenCounts", counting_calls * model_.expert_layers(), 0, count);
    small_calls("RepeatInterleave", model_.expert_layers(), 0, count);
    if (model_.expert_layers() != 0) {
        program_.operators.back().host_waits = true;
    }
    sort_rows("MoeTokenPermute", Axis::rows, false, same, [chosen](Extent rows) { return rows * chosen; });
    if (bytes) {
        quantise("DynamicQuant", Axis::rows, model_.expert_layers(), hidden, chosen);
    }
    add_up_choices(Axis::rows);
    share_ = 1;
    sort_rows("MoeInitRouting", shared_axis(), bytes, rows_of_device(), rows_of_device());
    sort_rows("MoeTokenUnpermute", shared_axis(), false, rows_of_device(), rows_of_device());
    exchange(
        "counts", node::CollectiveKind::all_gather, model_.expert_layers(), 0, deployment_.expert_devices());
    if (model_.expert_layers() != 0) {
        program_.exchanges.back().bytes_of_call = static_cast<double>(float_bytes * count);
    }
    if (bytes) {
        exchange_choices("scales", float_bytes);
    }
    exchange_choices("sorted dispatch", static_cast<double>(bytes ? hidden : hidden * half_bytes));
    exchange_choices("sorted combine", static_cast<double>(hidden * half_bytes));
    gather_results();
}

/// Replicas gather each other's tokens and scatter results; within one, every device has all tokens and the
/// results are added. Of choices, those of other devices' experts count nothing
/// (TokenDispatcherWithAllGather: expert_map and its mask).
void StepBuilder::gather_tokens() {
    const Layout& layout = deployment_.layout;
    const std::uint32_t times = model_.expert_layers();
    const Axis axis = shared_axis();
    choose_experts(axis);
    if (layout.expert_parallel) {
        constexpr std::uint32_t masking_calls = 4;
        small_calls("MoeMask", masking_calls * times, model_.experts->chosen, 0);
    }
    sort_rows(
        "MoeInitRouting", axis, false, [](Extent rows) { return rows; }, rows_of_device());
    add_up_choices(axis);
    if (layout.expert_parallel && layout.replicas > 1) {
        const std::size_t first = program_.exchanges.size();
        const double row = static_cast<double>(half_bytes * model_.hidden);
        exchange("gathered", node::CollectiveKind::all_gather, times, row, layout.replicas);
        exchange("scattered", node::CollectiveKind::reduce_scatter, times, row, layout.replicas);
        for (std::size_t i = first; i < program_.exchanges.size(); ++i) {
            program_.exchanges[i].filled_up = true;
            for (std::uint32_t& rank : program_.exchanges[i].ranks) {
                rank *= tensor_;  // the same device of each replica
            }
        }
    }
    sum_over_devices("experts", times);
}

/// Where the others' results are added over devices, so are these, with them.
void StepBuilder::shared_experts() {
    const Extent width = model_.experts->shared_width;
    if (width == 0) {
        return;
    }
    const Layout& layout = deployment_.layout;
    const bool whole = layout.sends() && layout.whole_shared;
    share_ = whole ? tensor_ : 1;
    gated("shared ", model_.expert_layers(), whole ? width : width / tensor_);
    share_ = 1;
    if (layout.sends() && !whole) {
        steps_ = {.least = 0, .most = layout.gathers_from == 0 ? 0 : layout.gathers_from - 1};
        sum_over_devices("shared experts", model_.expert_layers());
        steps_ = {};
    }
}

}  // namespace ascendsim::networks::llm
