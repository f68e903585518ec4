// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/node/host_calls.hpp"
#include "networks/llm/step.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::networks::llm {

/// What kernels and exchanges of one device take: time, and what it takes energy by.
struct StepWork {
    double us = 0;
    double cube_cycles = 0;  // busy, summed over the units; so the next two
    double vector_cycles = 0;
    double scalar_cycles = 0;
    double moved_bytes = 0;  // between cores and L2
    double hbm_bytes = 0;
    double link_bytes = 0;  // to and from other devices

    StepWork& operator+=(const StepWork& other);
    [[nodiscard]] StepWork operator*(double factor) const;

    [[nodiscard]] StepWork operator+(const StepWork& other) const { return StepWork{*this} += other; }
};

/// A part of a prompt that a step computes: tokens, behind `past` that are in the cache.
struct PromptPart {
    std::uint64_t tokens = 0;
    std::uint64_t past = 0;
};

/// What one replica computes in a step.
struct StepShape {
    std::uint64_t decoding = 0;            // sequences that decode
    std::uint64_t tokens_of_sequence = 1;  // of each: 1, and what was drafted
    double keys = 0;                       // that each sees, on average
    std::vector<PromptPart> prompts = {};
    std::uint64_t results = 0;  // sequences whose next token is computed
    std::uint64_t shared = 0;   // tokens of all replicas that share experts; 0: each has as many as this one
    std::uint64_t widest =
        0;  // tokens of the replica of these that has most; 0: each has as many as this one

    [[nodiscard]] std::uint64_t rows() const;

    /// By which all of them choose how tokens go to experts, and what each is filled up to where tokens are
    /// gathered (vllm-ascend at 182b75ea: ascend_forward_context.py, max_num_tokens;
    /// fused_moe/prepare_finalize.py).
    [[nodiscard]] std::uint64_t widest_rows() const { return std::max(rows(), widest); }
};

/// Where the time of a step goes. Parts are those of StepOperator, and "exchange".
struct StepTime {
    double us = 0;                             // of the device, host included where it holds the device up
    double host_us = 0;                        // of that, what kernels and exchanges do not need
    std::map<std::string, double> parts = {};  // kernels by part, with the gaps in front of them
    StepWork work = {};                        // of all kernels and exchanges of one device
    double issue_us = 0;                       // for which host threads are busy with its calls
};

/// Tells the time of a step, all layers or so many of them: see StepCosts::time_of().
using StepTimer = std::function<StepTime(const StepShape&, node::IssueMode, std::uint32_t layers)>;

/// What the steps of a deployment take. Kernels are simulated at a grid of extents and interpolated between:
/// linearly in rows, sequences and keys; prompts in their time for a token, which grows linearly with what it
/// sees. What is not simulated yet is noted and counted as nothing; simulate() makes up for it.
class StepCosts {
public:
    StepCosts(const Deployment& deployment, StepProgram program, const node::HostSpec& host);

    /// The time of a step, and which part it goes to. `layers` of them alone, with embedding and head, as a
    /// drafting layer has; 0: all.
    [[nodiscard]] StepTime time_of(const StepShape& shape, node::IssueMode mode, std::uint32_t layers = 0);

    /// Kernels that time_of() wanted and nobody has simulated.
    [[nodiscard]] std::size_t missing() const { return wanted_.size(); }

    /// Simulates them. Throws UserError with the operator whose kernel cannot run.
    void simulate(const toolchain::Installation& installation, const TaskOptions& options);

    [[nodiscard]] const StepProgram& program() const { return program_; }

    /// The time of each operator once (interpolated), in the order of the program; exchanges behind them.
    [[nodiscard]] std::vector<double> operator_us(const StepShape& shape);
    /// How often each runs in such a step.
    [[nodiscard]] std::vector<double> operator_times(const StepShape& shape) const;

private:
    using Extents = std::pair<std::uint64_t, std::uint64_t>;
    using Point = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;  // operator, extents

    StepWork known(std::size_t index, Extents at);
    StepWork between(std::size_t index, double rows);
    StepWork decode_work(std::size_t index, const StepShape& shape);
    StepWork prompt_work(std::size_t index, const PromptPart& part);
    StepWork exchange_work(const StepExchange& exchange, const StepShape& shape, double shared);
    /// Tokens that go to experts: of all replicas, each filled up to the widest where they are gathered.
    [[nodiscard]] double shared_tokens(const StepShape& shape) const;
    double busiest(double shared);
    std::vector<StepWork> operator_work(const StepShape& shape);

    Deployment deployment_;
    StepProgram program_;
    node::HostSpec host_;
    std::map<Point, StepWork> times_;
    std::map<Point, Task> wanted_;
    std::map<std::pair<const StepExchange*, std::uint64_t>, StepWork> exchanges_;
    std::map<std::uint64_t, double> busiest_;  // rows of the busiest device by the mean, of so many tokens
};

}  // namespace ascendsim::networks::llm
