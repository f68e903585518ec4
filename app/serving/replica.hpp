// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "app/serving/engine.hpp"

namespace ascendsim::serving {

/// A time that never comes.
inline constexpr double never = std::numeric_limits<double>::infinity();

/// Numbers from 0 to 1, the same everywhere for a seed.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : engine_{seed} {}

    [[nodiscard]] double operator()() {
        constexpr double scale = 1.0 / 9007199254740992.0;  // 2^53
        return static_cast<double>(engine_() >> 11U) * scale;
    }

private:
    std::mt19937_64 engine_;
};

/// A request on a replica.
struct Sequence {
    std::size_t request = 0;
    std::uint64_t wanted = 0;     // tokens that must be in the cache before it decodes
    std::uint64_t cached = 0;     // tokens in the cache
    std::uint64_t generated = 0;  // tokens of output
    std::uint64_t blocks = 0;
    double ready_us = 0;       // its inputs are on the device
    double inputs_us = 0;      // of copying them, which its first step waits for
    bool has_prefix = false;   // its prompt begins with the prefix that requests share
    std::uint64_t shared = 0;  // of its tokens, those of the prefix in blocks that the replica keeps
    bool handed_over = false;  // others have computed its prompt, and it has not run here

    [[nodiscard]] bool decodes() const { return cached >= wanted; }
};

/// What replicas that begin a step together agree on.
struct Together {
    std::uint64_t tokens = 0;     // of all; 0: as many in each
    std::uint64_t widest = 0;     // tokens of the one that has most
    std::uint64_t decoding = 0;   // sequences that decode in the one that has most of these, as it runs them
    std::uint64_t drafting = 0;   // of all, as they run them
    std::uint64_t sequences = 0;  // each runs a graph for so many, as many as the one with most; 0: its own
    std::uint64_t filling = 0;    // tokens that fill others up to `widest`, where nothing is captured
    bool captured = true;         // false: one of them computes a prompt, so that all launch kernel by kernel
};

/// One replica: its queue, its cache, and the step under way. Of a pipeline, one of as many schedulers as
/// there are stages: each has its own sequences and an equal part of the cache, and their steps follow each
/// other through the stages (as in vLLM, whose virtual engines these are).
class Replica {
public:
    Replica(const ServeConfig& config,
            const networks::llm::StepTimer& timer,
            std::vector<ServedRequest>& records,
            std::vector<double>& stages,
            std::uint32_t number,
            bool prompts_only)
        : config_{config},
          timer_{timer},
          records_{records},
          stages_{stages},
          number_{number},
          prompts_only_{prompts_only},
          blocks_{cache_blocks(config) / config.layout.pipeline},
          free_{blocks_},
          chance_{config.requests.seed + 1 + number} {}

    [[nodiscard]] std::size_t load() const { return waiting_.size() + running_.size(); }

    [[nodiscard]] double busy_until() const { return busy_until_; }

    [[nodiscard]] bool idle() const { return busy_until_ == never; }

    /// Steps of all replicas begin together, once all that have come by then are there: where these share
    /// experts, or where decoding alone is served.
    [[nodiscard]] bool in_step_with_others() const {
        const bool shares = config_.layout.expert_parallel && config_.layout.replicas > 1;
        return config_.requests.computed || (shares && config_.layout.pipeline == 1);
    }

    /// True of replicas for prompts alone, which share experts among themselves.
    [[nodiscard]] bool group() const { return prompts_only_; }

    /// No step is under way.
    void rest() { busy_until_ = never; }

    /// A request whose prompt another replica has computed, cache and first token, which whoever asked gets
    /// from this one: once it runs (the proxies of vLLM and SGLang pass on what the server that decodes
    /// answers).
    void take_over(std::size_t request);

    void take(std::size_t request, bool with_prefix, double now);

    /// Puts the next step together at `now` if there is anything to do, and runs it.
    void begin(double now, ServedLoad& load);

    /// The same in two: tokens of the next step, none if there is nothing to do; then run() it, `among` those
    /// of all replicas that share experts with it.
    [[nodiscard]] std::uint64_t plan(double now, ServedLoad& load);
    void run(const Together& among, ServedLoad& load);

    /// Sequences that decode in the step that plan() put together, those of its graph, and whether prompts
    /// are computed, too.
    [[nodiscard]] std::uint64_t planned_decoding() const { return shape_.decoding; }

    [[nodiscard]] std::uint64_t planned_sequences() const { return captured_for(shape_.decoding); }

    [[nodiscard]] bool planned_prompts() const { return !shape_.prompts.empty(); }

    /// The step under way does not end before `time`: others wait for each other's experts.
    void wait_until(double time, ServedLoad& load);

    /// A request that leaves: its last token is made, or other replicas decode it.
    struct Leaving {
        std::size_t request = 0;
        bool over = true;
    };

    /// The step under way has ended.
    std::vector<Leaving> end(ServedLoad& load);

private:
    /// Tokens of the prefix that a prompt can take from others: whole blocks, as a cache of prefixes has
    /// them. The last token of a prompt is always computed: its result is the first of the output.
    [[nodiscard]] std::uint64_t sharable(const Sequence& sequence) const;

    /// The first prompt with the whole prefix leaves its blocks to the replica.
    void keep_prefix(Sequence& sequence);

    /// A prompt that has not begun takes what is kept.
    void share_prefix(Sequence& sequence) const;

    /// Gives the prefix up for a request that does not fit beside it. Nothing runs, so that nobody needs it.
    void drop_prefix();

    [[nodiscard]] std::uint64_t blocks_for(const Sequence& sequence, std::uint64_t tokens) const;

    /// Blocks of a sequence's next tokens, if there are as many.
    bool reserve(Sequence& sequence, std::uint64_t tokens);

    /// The sequence that came last gives its cache back, and begins anew.
    void preempt_last(ServedLoad& load);

    void continue_running(std::uint64_t& budget, ServedLoad& load);

    /// Tokens of the first waiting prompt that a step of `budget` tokens takes; 0: it has to wait.
    [[nodiscard]] std::uint64_t admissible(std::uint64_t budget) const;

    [[nodiscard]] bool can_admit() const { return admissible(config_.scheduler.max_tokens) > 0; }

    void admit(double now, std::uint64_t budget);

    /// Sums up what is in the step.
    void finish_shape();

    /// Graphs are captured for 1, 2, 4, and multiples of 8 sequences; a step runs the next larger one. Long
    /// steps with prompts, and all where graphs are whole, are launched kernel by kernel, at the pace that
    /// was measured with torch_npu's queue as it is by default (HostSpec::eager_us): what that takes over is
    /// not to be taken off once more.
    [[nodiscard]] networks::llm::StepTime step_time(const Together& among, networks::llm::StepShape& ran);
    [[nodiscard]] double host_busy_us(double issue_us) const;

    /// What a step waits for the host. Lengths of sequences, which attention takes from the host, depend on
    /// how many tokens are accepted: where tokens are drafted, the host prepares the next step while they
    /// are, and not before (vllm-ascend at 182b75ea, NPUModelRunner._correct_optimistic_seq_lens_cpu).
    [[nodiscard]] double between_steps_us(const networks::llm::StepTime& time) const;

    /// The time of captured layers. Of piecewise graphs, the host issues layer by layer ahead of the device,
    /// with what lies between graphs, and the slower of both sets the pace.
    [[nodiscard]] networks::llm::StepTime captured_time(const networks::llm::StepShape& shape,
                                                        std::uint32_t layers) const;

    /// True of steps whose pieces are captured, prompts among them or not: of as many tokens as graphs are
    /// made for (vllm-project/vllm at v0.13.0, vllm/config/vllm.py: max_cudagraph_capture_size, twice the
    /// sequences and 512 at most; vllm-ascend at f5af6bbd1e, model_runner_v1.py:
    /// cudagraph_dispatcher.dispatch by the number of tokens).
    [[nodiscard]] bool captured_whatever(const networks::llm::StepShape& shape) const;

    /// The time of all layers where the host issues call by call: no less than its code takes for layers with
    /// experts, of which calls are the lesser part.
    [[nodiscard]] networks::llm::StepTime launched_time(const networks::llm::StepShape& shape,
                                                        node::IssueMode mode) const;

    /// Sequences of the graph that a step of so many runs.
    [[nodiscard]] static std::uint64_t captured_for(std::uint64_t sequences);

    /// Copying the inputs of a request, unless the device has them from another.
    [[nodiscard]] double inputs_us(const ServedRequest& record);

    /// Copies of the step before and behind its kernels, of which the host waits.
    [[nodiscard]] double step_copies_us(const networks::llm::StepShape& shape);

    /// When the step's last stage has ended; all its kernels take `time`.
    double through_stages(double now, const networks::llm::StepTime& time, std::uint64_t rows);
    [[nodiscard]] double send_us(std::uint64_t rows);

    /// Tokens that a decoding step yields for a sequence: one, and those drafted up to the first that is
    /// refused.
    std::uint64_t tokens_made(ServedLoad& load);

    const ServeConfig& config_;
    const networks::llm::StepTimer& timer_;
    std::vector<ServedRequest>& records_;
    std::vector<double>& stages_;  // when each stage of the pipeline is free
    std::uint32_t number_;
    bool prompts_only_;  // others decode what it has begun
    std::uint64_t blocks_;
    std::uint64_t free_;
    Chance chance_;
    std::deque<Sequence> waiting_;
    std::vector<Sequence> running_;
    std::vector<std::pair<std::size_t, std::uint64_t>> in_step_;  // index in running_, tokens
    networks::llm::StepShape shape_;
    double now_ = 0;        // when the step under way began
    std::size_t step_ = 0;  // of ServedLoad::steps
    double busy_until_ = never;
    std::uint64_t kept_tokens_ = 0;  // of the prefix, in blocks that no sequence owns
    double copied_ = 0;              // when the copy engine is free, where copies run beside steps
    double last_step_us_ = 0;
    std::deque<std::uint64_t> inputs_;          // that the device keeps, the latest used first
    std::map<std::uint64_t, double> sends_us_;  // from stage to stage, by rows
};

}  // namespace ascendsim::serving
