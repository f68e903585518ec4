// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/node/collectives.hpp"
#include "networks/llm/deployment.hpp"
#include "networks/operators/operators.hpp"

namespace ascendsim::networks::llm {

/// What the extents of an operator depend on.
enum class Axis : std::uint8_t {
    rows,     // tokens of the step
    shared,   // tokens of all replicas that share experts
    results,  // sequences whose next token is computed
    decode,   // sequences that decode (each with the step's tokens), and keys that each sees
    prefill,  // tokens of a part of a prompt, and keys that they see, their own among them
};

/// What a step of a replica holds.
enum class Holding : std::uint8_t { anything, no_prompt, a_prompt };

/// Steps that have an operator or an exchange: by the rows of the replica that has most of those that share
/// experts, at least so many, and at most (0: however many); and by what they hold.
struct StepRows {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    Holding holding = Holding::anything;

    [[nodiscard]] bool has(std::uint64_t widest, bool prompts) const {
        const bool held = holding == Holding::anything || prompts == (holding == Holding::a_prompt);
        return held && widest >= least && (most == 0 || widest <= most);
    }
};

/// An operator of a step on one device, for any extents.
struct StepOperator {
    std::string name;  // as the vendor's profiler calls it
    std::string part;  // "attention", "feed-forward", "experts", "head"
    Axis axis = Axis::rows;
    std::uint32_t times = 1;  // in a step
    /// Tokens of a sequence that decodes: the operator runs in such steps alone. 0: in all.
    std::uint64_t tokens_of_sequence = 0;
    /// A prompt of more tokens runs the kernel again, as often as they need it, or takes as much longer as
    /// its tokens see more keys (most_keys). 0: it takes any number.
    std::uint64_t most_tokens = 0;
    /// Beyond so many rows (of the axes that count rows), each takes as long as one of the last half: it is
    /// simulated at these and at half of them, and taken from there. 0: it is simulated at any number.
    std::uint64_t most_rows = 0;
    /// Its time grows with keys, by as much for each: it is simulated up to so many (fewer if there are many
    /// sequences or tokens), and taken from there. 0: it is simulated whatever the keys.
    std::uint64_t most_keys = 0;
    /// A layer that drafts has it, too.
    bool drafts = true;
    /// Of a prompt's tokens, it takes one in so many.
    std::uint64_t share = 1;
    /// Launched once for each sequence that decodes, with its keys alone; else once for all.
    bool each_sequence = false;
    /// Of piecewise graphs, it is in none: the host launches it between two of them. Attention and the
    /// cache's update are so in every model, and not marked.
    bool between_graphs = false;
    /// The host waits for its result before it launches what follows. Not in captured steps.
    bool host_waits = false;
    StepRows steps = {};
    /// The kernel for these extents: rows, shared, results: (count, 0); decode: (sequences, keys of each);
    /// prefill: (tokens, keys).
    std::function<Task(std::uint64_t, std::uint64_t)> task;
};

/// A collective of a step.
struct StepExchange {
    std::string name;
    node::CollectiveKind kind = node::CollectiveKind::all_reduce;
    std::uint32_t times = 1;
    Axis axis = Axis::rows;
    double bytes_of_row = 0;      // what the call counts, for one row of the axis
    double bytes_of_call = 0;     // and however many rows there are
    bool drafts = true;           // a layer that drafts has it, too
    bool between_graphs = false;  // as StepOperator::between_graphs
    /// Tokens go to their experts: the device that gets most sets the time.
    bool to_experts = false;
    /// Of a kernel that sends rows one by one, at most so many, what it takes at least: `us_of_choice` for
    /// each row of an expert, and `us_of_rank` for each device.
    double choices_of_row = 0;
    double us_of_choice = 0;
    double us_of_rank = 0;
    StepRows steps = {};
    bool filled_up = false;  // each replica sends as many rows as the widest has
    std::vector<std::uint32_t> ranks;
};

/// A step of a model on one device: all layers, embedding and head.
struct StepProgram {
    std::vector<StepOperator> operators;
    std::vector<StepExchange> exchanges;
};

/// The operators as a serving framework launches them: norms with the residual, fused projections, rotation
/// of positions, the cache's update, paged attention, gated feed-forward parts or experts. With tokens that
/// are drafted, a sequence that decodes has its own token and those in a step, or one.
[[nodiscard]] StepProgram step_program(const Deployment& deployment,
                                       std::uint64_t cache_block,
                                       std::uint32_t drafted = 0);

}  // namespace ascendsim::networks::llm
