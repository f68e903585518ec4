// SPDX-License-Identifier: Apache-2.0
#include "app/serving/engine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <random>
#include <set>

#include "models/node/collectives.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::serving {
namespace {

using networks::llm::PromptPart;
using networks::llm::StepCosts;
using networks::llm::StepShape;
using networks::llm::StepTime;
using networks::llm::StepTimer;

constexpr double never = std::numeric_limits<double>::infinity();

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

std::uint64_t length_of(const Length& length, Chance& chance) {
    const double factor = length.spread == 0 ? 1 : 1 + length.spread * (2 * chance() - 1);
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(length.mean) * factor)));
}

/// All requests, by arrival; those of a closed loop arrive when the run lets them.
std::vector<Request> requests_of(const RequestPlan& plan) {
    if (plan.arrivals == Arrivals::trace) {
        return plan.trace;
    }
    Chance chance{plan.seed};
    std::vector<Request> requests;
    double now = 0;
    for (std::uint32_t i = 0; i < plan.count; ++i) {
        Request request;
        request.prompt = length_of(plan.prompt, chance);
        request.output = length_of(plan.output, chance);
        if (plan.arrivals == Arrivals::poisson) {
            now += -std::log(1 - chance()) / plan.rate * 1e6;
        }
        const bool later = plan.arrivals == Arrivals::closed && i >= plan.concurrency;
        request.arrival_us = later ? never : now;
        requests.push_back(request);
    }
    return requests;
}

/// A request on a replica.
struct Sequence {
    std::size_t request = 0;
    std::uint64_t wanted = 0;     // tokens that must be in the cache before it decodes
    std::uint64_t cached = 0;     // tokens in the cache
    std::uint64_t generated = 0;  // tokens of output
    std::uint64_t blocks = 0;
    bool has_prefix = false;   // its prompt begins with the prefix that requests share
    std::uint64_t shared = 0;  // of its tokens, those of the prefix in blocks that the replica keeps

    [[nodiscard]] bool decodes() const { return cached >= wanted; }
};

/// One replica: its queue, its cache, and the step under way.
class Replica {
public:
    Replica(const ServeConfig& config,
            const StepTimer& timer,
            std::vector<ServedRequest>& records,
            std::uint32_t number)
        : config_{config},
          timer_{timer},
          records_{records},
          number_{number},
          prompts_only_{number < config.prompt_replicas},
          blocks_{cache_blocks(config)},
          free_{blocks_},
          chance_{config.requests.seed + 1 + number} {}

    [[nodiscard]] std::size_t load() const { return waiting_.size() + running_.size(); }

    [[nodiscard]] double busy_until() const { return busy_until_; }

    [[nodiscard]] bool idle() const { return busy_until_ == never; }

    /// A request whose prompt another replica has computed, cache and first token.
    void take_over(std::size_t request) {
        const std::uint64_t prompt = records_[request].prompt;
        waiting_.push_back({.request = request, .wanted = prompt, .cached = prompt, .generated = 1});
    }

    void take(std::size_t request, bool with_prefix) {
        waiting_.push_back(
            {.request = request, .wanted = records_[request].prompt, .has_prefix = with_prefix});
    }

    /// Begins a step at `now` if there is anything to do.
    void begin(double now, ServedLoad& load) {
        shape_ = {};
        shape_.tokens_of_sequence = 1 + config_.speculation.drafted;
        in_step_.clear();
        std::uint64_t budget = config_.scheduler.max_tokens;
        const bool prompts_first = !config_.scheduler.chunked && can_admit();
        if (!prompts_first) {
            continue_running(budget, load);
        }
        admit(now, budget);
        if (in_step_.empty() && running_.empty() && !waiting_.empty() && kept_tokens_ > 0) {
            drop_prefix();
            admit(now, budget);
        }
        if (in_step_.empty()) {
            busy_until_ = never;
            return;
        }
        finish_shape();
        StepShape ran;
        const StepTime time = step_time(ran);
        const double host =
            config_.scheduler.overlapped ? config_.scheduler.overlapped_us : config_.scheduler.step_host_us;
        busy_until_ = now + time.us + host;
        for (const auto& [part, us] : time.parts) {
            load.parts_us[part] += us;
        }
        load.parts_us["launch"] += time.host_us;
        load.parts_us["host"] += host;
        load.steps.push_back({.start_us = now,
                              .us = time.us + host,
                              .replica = number_,
                              .decoding = shape_.decoding,
                              .prompt_tokens = shape_.rows() - shape_.decoding * shape_.tokens_of_sequence,
                              .cache_blocks = blocks_ - free_,
                              .shape = std::move(ran)});
        load.most_blocks = std::max(load.most_blocks, blocks_ - free_);
    }

    /// A request that leaves: its last token is made, or other replicas decode it.
    struct Leaving {
        std::size_t request = 0;
        bool over = true;
    };

    /// The step under way has ended.
    std::vector<Leaving> end(ServedLoad& load) {
        std::vector<Leaving> leaving;
        for (const auto& [index, tokens] : in_step_) {
            Sequence& sequence = running_[index];
            const bool decoded = sequence.decodes();
            const std::uint64_t made = decoded ? tokens_made(load) : 0;
            sequence.cached += decoded ? made : tokens;
            ServedRequest& record = records_[sequence.request];
            if (decoded) {
                sequence.generated = std::min(record.output, sequence.generated + made);
            } else if (sequence.decodes()) {
                if (sequence.generated == 0) {
                    record.first_us = busy_until_;
                }
                ++sequence.generated;  // the last row of the prompt makes a token
                keep_prefix(sequence);
            }
            if (sequence.generated >= record.output) {
                record.end_us = busy_until_;
                record.replica = number_;
                leaving.push_back({sequence.request, true});
            } else if (prompts_only_ && sequence.generated > 0) {
                leaving.push_back({sequence.request, false});
            }
        }
        std::erase_if(running_, [&](const Sequence& sequence) {
            const bool leaves = sequence.generated >= records_[sequence.request].output ||
                                (prompts_only_ && sequence.generated > 0);
            free_ += leaves ? sequence.blocks : 0;
            return leaves;
        });
        return leaving;
    }

private:
    /// Tokens of the prefix that a prompt can take from others: whole blocks, as a cache of prefixes has
    /// them. The last token of a prompt is always computed: its result is the first of the output.
    [[nodiscard]] std::uint64_t sharable(const Sequence& sequence) const {
        const std::uint64_t prompt = records_[sequence.request].prompt;
        return std::min(config_.requests.prefix, prompt - 1) / config_.cache_block * config_.cache_block;
    }

    /// The first prompt with the whole prefix leaves its blocks to the replica.
    void keep_prefix(Sequence& sequence) {
        const std::uint64_t tokens = config_.requests.prefix / config_.cache_block * config_.cache_block;
        if (sequence.has_prefix && kept_tokens_ == 0 &&
            records_[sequence.request].prompt >= config_.requests.prefix) {
            kept_tokens_ = tokens;
            sequence.shared = tokens;
            sequence.blocks -= tokens / config_.cache_block;
        }
    }

    /// A prompt that has not begun takes what is kept.
    void share_prefix(Sequence& sequence) const {
        if (sequence.has_prefix && sequence.cached == 0) {
            sequence.shared = std::min(sharable(sequence), kept_tokens_);
            sequence.cached = sequence.shared;
        }
    }

    /// Gives the prefix up for a request that does not fit beside it. Nothing runs, so that nobody needs it.
    void drop_prefix() {
        free_ += kept_tokens_ / config_.cache_block;
        kept_tokens_ = 0;
        for (Sequence& sequence : waiting_) {
            sequence.cached -= sequence.shared;
            sequence.shared = 0;
        }
    }

    [[nodiscard]] std::uint64_t blocks_for(const Sequence& sequence, std::uint64_t tokens) const {
        const std::uint64_t shared = sequence.shared / config_.cache_block;
        const std::uint64_t all = (sequence.cached + tokens + config_.cache_block - 1) / config_.cache_block;
        const std::uint64_t own = all - std::min(all, shared);
        return own - std::min(own, sequence.blocks);
    }

    /// Blocks of a sequence's next tokens, if there are as many.
    bool reserve(Sequence& sequence, std::uint64_t tokens) {
        const std::uint64_t more = blocks_for(sequence, tokens);
        if (more > free_) {
            return false;
        }
        free_ -= more;
        sequence.blocks += more;
        return true;
    }

    /// The sequence that came last gives its cache back, and begins anew.
    void preempt_last(ServedLoad& load) {
        Sequence last = running_.back();
        running_.pop_back();
        free_ += last.blocks;
        ++records_[last.request].preempted;
        ++load.preemptions;
        last.wanted = records_[last.request].prompt + last.generated;
        last.cached = last.shared;
        last.blocks = 0;
        waiting_.push_front(last);
    }

    void continue_running(std::uint64_t& budget, ServedLoad& load) {
        for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
            const std::uint64_t wanted =
                running_[i].decodes() ? shape_.tokens_of_sequence : running_[i].wanted - running_[i].cached;
            const std::uint64_t tokens = std::min(wanted, budget);
            while (!reserve(running_[i], tokens)) {
                const bool itself = i + 1 == running_.size();
                preempt_last(load);
                if (itself) {
                    return;
                }
            }
            budget -= tokens;
            in_step_.emplace_back(i, tokens);
        }
    }

    /// Tokens of the first waiting prompt that a step of `budget` tokens takes; 0: it has to wait.
    [[nodiscard]] std::uint64_t admissible(std::uint64_t budget) const {
        if (waiting_.empty() || running_.size() >= config_.scheduler.max_sequences) {
            return 0;
        }
        const Sequence& sequence = waiting_.front();
        const std::uint64_t wanted =
            sequence.decodes() ? shape_.tokens_of_sequence : sequence.wanted - sequence.cached;
        const std::uint64_t tokens = std::min(wanted, budget);
        const bool cut = tokens < wanted;
        if (cut && !config_.scheduler.chunked) {
            return budget == config_.scheduler.max_tokens ? wanted : 0;  // longer than a step: alone
        }
        return blocks_for(sequence, tokens) <= free_ ? tokens : 0;
    }

    [[nodiscard]] bool can_admit() const { return admissible(config_.scheduler.max_tokens) > 0; }

    void admit(double now, std::uint64_t budget) {
        while (budget > 0) {
            if (!waiting_.empty()) {
                share_prefix(waiting_.front());
            }
            const std::uint64_t tokens = admissible(budget);
            if (tokens == 0 || !reserve(waiting_.front(), tokens)) {
                return;
            }
            ServedRequest& record = records_[waiting_.front().request];
            if (record.scheduled_us < record.arrival_us) {
                record.scheduled_us = now;
            }
            running_.push_back(waiting_.front());
            waiting_.pop_front();
            in_step_.emplace_back(running_.size() - 1, tokens);
            budget -= std::min(budget, tokens);
        }
    }

    /// Sums up what is in the step.
    void finish_shape() {
        double keys = 0;
        for (const auto& [index, tokens] : in_step_) {
            const Sequence& sequence = running_[index];
            if (sequence.decodes()) {
                ++shape_.decoding;
                keys += static_cast<double>(sequence.cached + tokens);
                ++shape_.results;
            } else {
                shape_.prompts.push_back({.tokens = tokens, .past = sequence.cached});
                shape_.results += sequence.cached + tokens >= sequence.wanted ? 1 : 0;
            }
        }
        shape_.keys = shape_.decoding == 0 ? 0 : keys / static_cast<double>(shape_.decoding);
        shape_.results *= shape_.tokens_of_sequence;
    }

    /// Graphs are captured for 1, 2, 4, and multiples of 8 sequences; a step runs the next larger one. Steps
    /// with prompts are launched kernel by kernel.
    [[nodiscard]] StepTime step_time(StepShape& ran) {
        const bool decodes_only = shape_.prompts.empty();
        StepShape shape = shape_;
        node::IssueMode mode = config_.mode;
        if (mode == node::IssueMode::graph) {
            constexpr std::uint64_t step = 8;
            if (decodes_only) {
                shape.decoding = shape.decoding <= 2   ? shape.decoding
                                 : shape.decoding <= 4 ? 4
                                                       : (shape.decoding + step - 1) / step * step;
            } else {
                mode = node::IssueMode::queue;
            }
        }
        ran = shape;
        StepTime time = timer_(shape, mode, 0);
        if (config_.speculation.drafted > 0 && shape.decoding > 0) {
            StepShape draft = shape;
            draft.tokens_of_sequence = 1;
            draft.prompts.clear();
            draft.results = shape.decoding;
            const StepTime one = timer_(draft, mode, 1);
            time.us += one.us * config_.speculation.drafted;
            time.host_us += one.host_us * config_.speculation.drafted;
            for (const auto& [part, us] : one.parts) {
                time.parts["draft"] += us * config_.speculation.drafted;
            }
        }
        return time;
    }

    /// Tokens that a decoding step yields for a sequence: one, and those drafted up to the first that is
    /// refused.
    std::uint64_t tokens_made(ServedLoad& load) {
        std::uint64_t made = 1;
        for (std::uint32_t i = 0; i < config_.speculation.drafted; ++i) {
            ++load.drafted;
            if (chance_() >= config_.speculation.acceptance) {
                load.drafted += config_.speculation.drafted - i - 1;
                break;
            }
            ++made;
            ++load.accepted;
        }
        return made;
    }

    const ServeConfig& config_;
    const StepTimer& timer_;
    std::vector<ServedRequest>& records_;
    std::uint32_t number_;
    bool prompts_only_;  // others decode what it has begun
    std::uint64_t blocks_;
    std::uint64_t free_;
    Chance chance_;
    std::deque<Sequence> waiting_;
    std::vector<Sequence> running_;
    std::vector<std::pair<std::size_t, std::uint64_t>> in_step_;  // index in running_, tokens
    StepShape shape_;
    double busy_until_ = never;
    std::uint64_t kept_tokens_ = 0;  // of the prefix, in blocks that no sequence owns
};

/// The replicas of a system on one axis of time.
class System {
public:
    System(const ServeConfig& config, const StepTimer& timer)
        : config_{config}, chance_{config.requests.seed + 7} {
        for (const Request& request : requests_of(config.requests)) {
            load_.requests.push_back({.prompt = request.prompt,
                                      .output = request.output,
                                      .arrival_us = request.arrival_us,
                                      .scheduled_us = -1});
            if (request.arrival_us != never) {
                arrivals_.push({request.arrival_us, load_.requests.size() - 1});
            }
        }
        next_closed_ = arrivals_.size();
        load_.blocks = cache_blocks(config);
        for (std::uint32_t i = 0; i < config.layout.replicas; ++i) {
            replicas_.emplace_back(config, timer, load_.requests, i);
        }
    }

    [[nodiscard]] ServedLoad run() {
        while (true) {
            const auto soonest = std::ranges::min_element(replicas_, {}, &Replica::busy_until);
            const double step_end = soonest->busy_until();
            const double arrival = arrivals_.empty() ? never : arrivals_.top().first;
            if (step_end == never && arrival == never) {
                return std::move(load_);
            }
            if (arrival <= step_end) {
                const std::size_t request = arrivals_.top().second;
                arrivals_.pop();
                dispatch(request, arrival);
            } else {
                end_step(*soonest, step_end);
            }
        }
    }

private:
    using Arrival = std::pair<double, std::size_t>;

    /// To the replica with the least to do, of those for prompts if there are such.
    void dispatch(std::size_t request, double now) {
        const std::uint32_t prompts = config_.prompt_replicas;
        const bool moved = moved_.contains(request);
        const auto first = replicas_.begin() + (moved ? prompts : 0);
        const auto last = prompts == 0 || moved ? replicas_.end() : replicas_.begin() + prompts;
        const auto least = std::min_element(
            first, last, [](const Replica& a, const Replica& b) { return a.load() < b.load(); });
        if (moved) {
            least->take_over(request);
        } else {
            least->take(request, chance_() < config_.requests.prefix_share);
        }
        if (least->idle()) {
            least->begin(now, load_);
        }
    }

    void end_step(Replica& replica, double now) {
        for (const Replica::Leaving& one : replica.end(load_)) {
            if (!one.over) {
                moved_.insert(one.request);
                const double us = transfer_us(load_.requests[one.request].prompt);
                load_.transfer_us += us;
                arrivals_.push({now + us, one.request});
                continue;
            }
            load_.end_us = std::max(load_.end_us, now);
            if (config_.requests.arrivals == Arrivals::closed && next_closed_ < load_.requests.size()) {
                load_.requests[next_closed_].arrival_us = now;
                arrivals_.push({now, next_closed_++});
            }
        }
        replica.begin(now, load_);
    }

    /// Each device of a replica sends its part of the cache to its counterpart.
    [[nodiscard]] double transfer_us(std::uint64_t tokens) {
        const auto [at, is_new] = transfers_.try_emplace(tokens, 0);
        if (is_new) {
            const networks::llm::Deployment deployment = config_.deployment();
            const std::uint64_t bytes = tokens * networks::llm::memory_of(deployment, 0).cache_of_token;
            at->second = node::collective_us(config_.node,
                                             {.kind = node::CollectiveKind::send_receive,
                                              .bytes = bytes,
                                              .ranks = {0, config_.prompt_replicas * config_.layout.tensor}});
        }
        return at->second;
    }

    const ServeConfig& config_;
    ServedLoad load_;
    std::vector<Replica> replicas_;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::set<std::size_t> moved_;                // requests whose prompt is computed
    std::map<std::uint64_t, double> transfers_;  // of so many tokens
    std::size_t next_closed_ = 0;
    Chance chance_;
};

}  // namespace

ServedLoad serve_once(const ServeConfig& config, const StepTimer& timer) {
    return System{config, timer}.run();
}

namespace {

/// The operators of the decoding step in the middle, by time.
void note_typical_step(ServedLoad& load, StepCosts& costs) {
    std::vector<std::size_t> decoding;
    for (std::size_t i = 0; i < load.steps.size(); ++i) {
        if (load.steps[i].prompt_tokens == 0) {
            decoding.push_back(i);
        }
    }
    if (decoding.empty()) {
        return;
    }
    const auto middle = decoding.begin() + static_cast<std::ptrdiff_t>(decoding.size() / 2);
    std::ranges::nth_element(decoding, middle, {}, [&](std::size_t i) { return load.steps[i].us; });
    load.typical_step = *middle;
    const std::vector<double> us = costs.operator_us(load.steps[*middle].shape);
    std::size_t next = 0;
    for (const networks::llm::StepOperator& one : costs.program().operators) {
        load.typical.push_back({.name = one.name, .part = one.part, .times = one.times, .us = us[next++]});
    }
    for (const networks::llm::StepExchange& one : costs.program().exchanges) {
        load.typical.push_back({.name = std::string{node::name(one.kind)} + " " + one.name,
                                .part = "exchange",
                                .times = one.times,
                                .us = us[next++]});
    }
    std::erase_if(load.typical, [](const OperatorTime& one) { return !(one.us > 0); });
}

}  // namespace

ServedLoad serve(const ServeConfig& config,
                 StepCosts& costs,
                 const toolchain::Installation& installation,
                 const networks::TaskOptions& options) {
    const StepTimer timer = [&costs](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        return costs.time_of(shape, mode, layers);
    };
    constexpr int most_rounds = 50;
    for (int round = 0; round < most_rounds; ++round) {
        ServedLoad load = serve_once(config, timer);
        if (costs.missing() == 0) {
            note_typical_step(load, costs);
            return load;
        }
        costs.simulate(installation, options);
    }
    throw UserError{"{}: steps of new extents come up in every round of simulation", config.place};
}

}  // namespace ascendsim::serving
