// SPDX-License-Identifier: Apache-2.0
// What the kernels of attention have in common on their host side: arguments, their checks, and the work
// behind them.
#pragma once

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "kernels/plan/knob.hpp"
#include "kernels/plan/plan.hpp"

namespace attention {

[[nodiscard]] inline ascendsim::host::Knob kv_heads_knob() {
    return ascendsim::host::Knob::integer(
        "kv_heads", 0, 0, 1024, "", "heads of keys and values, shared by groups of query heads; 0: as many");
}

[[nodiscard]] inline ascendsim::host::Knob layout_knob() {
    return ascendsim::host::Knob::word(
        "layout",
        {"bsnd", "bnsd"},
        "order of batch, sequence, head and dim; bnsd keeps a head's tokens together");
}

[[nodiscard]] inline ascendsim::host::Knob causal_knob() {
    return ascendsim::host::Knob::flag(
        "causal", false, "a query sees keys up to its own place, counted from the end");
}

[[nodiscard]] inline ascendsim::host::Knob mask_knob() {
    return ascendsim::host::Knob::flag("mask", false, "adds a mask [q_len, kv_len] of float32 to the scores");
}

[[nodiscard]] inline std::uint32_t kv_heads_of(const ascendsim::host::Knobs& knobs) {
    return knobs.count("kv_heads") == 0 ? knobs.count("heads") : knobs.count("kv_heads");
}

/// Throws the error of "kv_heads" unless query heads form equal groups, that of "causal" if some query sees
/// no key.
inline void check_heads_and_causal(const ascendsim::host::Knobs& knobs) {
    if (knobs.count("heads") % kv_heads_of(knobs) != 0) {
        throw knobs.error(
            "kv_heads",
            fmt::format(
                "{} query heads do not form {} equal groups", knobs.count("heads"), kv_heads_of(knobs)));
    }
    if (knobs.flag("causal") && knobs.count("kv_len") < knobs.count("q_len")) {
        throw knobs.error("causal",
                          fmt::format("the first of {} queries would see none of {} keys",
                                      knobs.count("q_len"),
                                      knobs.count("kv_len")));
    }
}

/// A tensor [batch, length, heads, width], or [batch, heads, length, width] if heads come first.
[[nodiscard]] inline ascendsim::host::Shape tensor_shape(
    bool by_head, std::uint64_t batch, std::uint64_t length, std::uint64_t heads, std::uint64_t width) {
    return by_head ? ascendsim::host::Shape{batch, heads, length, width}
                   : ascendsim::host::Shape{batch, length, heads, width};
}

/// What the softmax divides scores by, inverted: of queries and keys of `width` elements.
[[nodiscard]] inline float score_scale(std::uint32_t width) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(width)));
}

/// Pairs of a query and a key it sees, of all heads of all sequences: scores of this much work.
template <class Tiling>
[[nodiscard]] double scores_of(const Tiling& t) {
    const double rows = t.q_len;
    const double pairs = t.causal != 0 ? rows * (t.kv_len - rows) + rows * (rows + 1) / 2 : rows * t.kv_len;
    return pairs * t.batch * t.heads;
}

/// The count of a knob; throws its error unless it is a multiple of 16.
[[nodiscard]] inline std::uint32_t count_of_16(const ascendsim::host::Knobs& knobs, const char* knob) {
    const std::uint32_t count = knobs.count(knob);
    if (count % 16 != 0) {
        throw knobs.error(knob, "must be a multiple of 16");
    }
    return count;
}

/// Sets the plan's work: so many operations of the cube unit on a type and of the vector unit on float32.
inline void set_work(ascendsim::host::Plan& plan,
                     ascendsim::isa::DataType type,
                     double cube_flops,
                     double vector_flops) {
    plan.work.cube_flops = cube_flops;
    plan.work.cube_type = type;
    plan.work.vector_flops = vector_flops;
    plan.work.vector_type = ascendsim::isa::DataType::float32;
    plan.work.gm_bytes = ascendsim::host::least_traffic(plan.buffers);
}

/// Operations of a softmax for each score: scale, maximum, subtract, exponential, sum.
inline constexpr double softmax_flops = 5;

/// Probabilities, at most 1 and summing up to at least 1, are rounded to the operands' type, by at most half
/// a step each; values of v are below 1. Then the result is rounded.
[[nodiscard]] inline ascendsim::host::Tolerance output_tolerance(ascendsim::isa::DataType type) {
    return {.output = "o", .absolute = type == ascendsim::isa::DataType::half ? 0x1p-11 : 0x1p-8, .ulp = 1};
}

}  // namespace attention
