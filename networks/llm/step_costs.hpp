// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
    double unsure_us = 0;   // `us` may be as much more or less, where kernels are not simulated
    double launch_us = 0;   // of `us`, before the first core starts and behind the last

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
    std::uint64_t filling = 0;  // tokens that fill replicas up to it, beside those that are shared

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
    double between_graphs = 0;                 // calls of those that piecewise graphs leave to the host
};

/// Tells the time of a step, all layers or so many of them: see StepCosts::time_of().
using StepTimer = std::function<StepTime(const StepShape&, node::IssueMode, std::uint32_t layers)>;

/// What the steps of a deployment take. Kernels are simulated at a grid of extents and interpolated between:
/// linearly in rows, sequences and keys; prompts in their time for a token, which grows linearly with what it
/// sees.
///
/// Of the grid, only what a load needs is simulated. A kernel takes no longer than one of larger extents, and
/// one of so many times the extent no more than as many times as long: other kernels of the operator bound
/// one that is not simulated. Where nothing is known it counts as nothing. What steps asked for is noted with
/// what it leaves open; simulate() makes up for it, the largest first, until well_known().
class StepCosts {
public:
    StepCosts(const Deployment& deployment, StepProgram program, const node::HostSpec& host);

    /// The time of a step, and which part it goes to. `layers` of them alone, with embedding and head, as a
    /// drafting layer has; 0: all.
    [[nodiscard]] StepTime time_of(const StepShape& shape, node::IssueMode mode, std::uint32_t layers = 0);

    /// Kernels that were asked for since the last simulation, and that nobody has simulated.
    [[nodiscard]] std::size_t missing() const { return wanted_.size(); }

    /// True if they leave open no more than a hundredth of the time of all steps since then: of those with
    /// prompts, of those that only decode, and of drafts.
    [[nodiscard]] bool well_known() const;

    /// Of the kernels that are missing, those to simulate next: of an operator of which nothing is known, the
    /// one that most rows ask for; of others, those that leave most open, until well_known(). All that
    /// operator_us() asked for.
    [[nodiscard]] std::vector<Task> tasks() const;

    /// Takes the results of tasks(), in their order, and forgets what was asked for. Throws UserError with
    /// the operator whose kernel cannot run.
    void take(const std::vector<TaskResult>& results);

    /// Runs tasks() and takes their results. Throws UserError with the operator whose kernel cannot run.
    void simulate(const toolchain::Installation& installation, const TaskOptions& options);

    [[nodiscard]] const StepProgram& program() const { return program_; }

    /// The time of each operator once (interpolated), in the order of the program; exchanges behind them.
    /// All kernels that it needs are to be simulated, however little is open without.
    [[nodiscard]] std::vector<double> operator_us(const StepShape& shape);
    /// How often each runs in such a step.
    [[nodiscard]] std::vector<double> operator_times(const StepShape& shape) const;

private:
    using Extents = std::pair<std::uint64_t, std::uint64_t>;
    using Point = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;  // operator, extents

    /// Steps are told of apart by what they do: of a kind that a load has little of, little may be open, too.
    enum StepKind : std::uint8_t { with_prompts, only_decoding, drafting };

    static constexpr std::size_t step_kinds = 3;

    using OfKinds = std::array<double, step_kinds>;

    /// A kernel that steps asked for.
    struct Want {
        double work = 0;      // how often, by its extents
        OfKinds open_us{};    // of all these times, what it leaves open
        bool wholly = false;  // it is to be simulated however little that is
    };

    /// Simulated, or bounded() where it is not; noted in `touched_` then.
    StepWork known(std::size_t index, Extents at);
    /// From other extents of the operator; nothing if none is known.
    [[nodiscard]] StepWork bounded(std::size_t index, Extents at) const;
    /// Takes what the operator at hand needs, and is not simulated, among what is wanted: `open_us` of it
    /// are open, in so many runs of a step of that kind.
    void want_touched(StepKind kind, double times, double open_us, bool wholly);
    [[nodiscard]] bool knows_any_of(std::size_t index) const;
    [[nodiscard]] std::vector<Point> next_points() const;
    /// Keys, a power of 4 times `first`, up to which an operator that grows with them is simulated for so
    /// many sequences or tokens; behind them its time is taken from the last two.
    [[nodiscard]] std::uint64_t most_before(std::size_t index,
                                            std::uint64_t count,
                                            std::uint64_t first) const;
    StepWork between(std::size_t index, double rows);
    StepWork decode_work(std::size_t index, const StepShape& shape);
    /// `of_step`: the part's share of the tokens of all prompts.
    StepWork prompt_work(std::size_t index, const PromptPart& part, double of_step);
    StepWork exchange_work(const StepExchange& exchange, const StepShape& shape, double shared);
    /// Tokens that go to experts: of all replicas, each filled up to the widest where they are gathered. Of
    /// tokens that are alike, as many as would give the device whose experts they choose its rows.
    [[nodiscard]] double shared_tokens(const StepShape& shape) const;
    [[nodiscard]] bool fills_experts(const StepShape& shape) const;
    double busiest(double shared);
    StepWork operator_work(std::size_t index, const StepShape& shape, double shared);

    Deployment deployment_;
    StepProgram program_;
    node::HostSpec host_;
    std::map<Point, StepWork> times_;    // simulated
    std::map<Point, StepWork> bounded_;  // from these
    std::map<Point, Want> wanted_;
    std::vector<Point> touched_;  // of the operator at hand, what is not simulated
    OfKinds all_us_{};            // of the steps since the last simulation
    OfKinds open_us_{};           // of that
    std::map<std::pair<const StepExchange*, std::uint64_t>, StepWork> exchanges_;
    std::optional<Dealing> dealing_;           // of a mixture of experts, once it was asked for
    std::map<std::uint64_t, double> busiest_;  // rows of the busiest device by the mean, of so many tokens
};

}  // namespace ascendsim::networks::llm
