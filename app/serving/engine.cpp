// SPDX-License-Identifier: Apache-2.0
#include "app/serving/engine.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "app/serving/replica.hpp"
#include "models/node/collectives.hpp"
#include "sim/base/error.hpp"
#include "sim/config/fields.hpp"

namespace ascendsim::serving {
namespace {

using networks::llm::StepCosts;
using networks::llm::StepShape;
using networks::llm::StepTimer;

std::uint64_t length_of(const Length& length, Chance& chance) {
    const double factor = length.spread == 0 ? 1 : 1 + length.spread * (2 * chance() - 1);
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(length.mean) * factor)));
}

/// All requests, by arrival; those of a closed loop arrive when the run lets them, and not before.
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
        if (plan.arrivals == Arrivals::poisson || (plan.arrivals == Arrivals::closed && plan.rate > 0)) {
            now += -std::log(1 - chance()) / plan.rate * 1e6;
        }
        request.arrival_us = now;
        requests.push_back(request);
    }
    return requests;
}

/// The replicas of a system on one axis of time.
class System {
public:
    System(const ServeConfig& config, const StepTimer& timer)
        : config_{config}, chance_{config.requests.seed + 7}, inputs_{config.requests.seed + 11} {
        const RequestPlan& plan = config.requests;
        for (const Request& request : requests_of(plan)) {
            const bool later = plan.arrivals == Arrivals::closed && load_.requests.size() >= plan.concurrency;
            load_.requests.push_back({.prompt = request.prompt,
                                      .output = request.output,
                                      .arrival_us = request.arrival_us,
                                      .scheduled_us = -1});
            load_.requests.back().input = static_cast<std::uint64_t>(inputs_() * config.copies.distinct);
            if (!later) {
                arrivals_.push({request.arrival_us, load_.requests.size() - 1});
            }
        }
        next_closed_ = arrivals_.size();
        load_.blocks = cache_blocks(config) / config.layout.pipeline;
        stages_.assign(config.layout.replicas, std::vector<double>(config.layout.pipeline, 0));
        for (std::uint32_t i = 0; i < config.layout.replicas * config.layout.pipeline; ++i) {
            replicas_.emplace_back(config, timer, load_.requests, stages_[i / config.layout.pipeline], i);
        }
    }

    [[nodiscard]] ServedLoad run() {
        while (true) {
            const auto soonest = std::ranges::min_element(replicas_, {}, &Replica::busy_until);
            const double step_end = soonest->busy_until();
            const double arrival = arrivals_.empty() ? never : arrivals_.top().first;
            if (step_end == never && arrival == never) {
                load_.joules = joules();
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
        const std::uint32_t prompts = config_.prompt_replicas * config_.layout.pipeline;
        const bool moved = moved_.contains(request);
        const auto first = replicas_.begin() + (moved ? prompts : 0);
        const auto last = prompts == 0 || moved ? replicas_.end() : replicas_.begin() + prompts;
        const auto least = std::min_element(
            first, last, [](const Replica& a, const Replica& b) { return a.load() < b.load(); });
        if (moved) {
            least->take_over(request);
        } else {
            least->take(request, chance_() < config_.requests.prefix_share, now);
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
                double& arrival = load_.requests[next_closed_].arrival_us;
                arrival = std::max(arrival, now);
                arrivals_.push({arrival, next_closed_++});
            }
        }
        replica.begin(now, load_);
    }

    /// Idle chips for the whole time, and what kernels, exchanges and copies take.
    [[nodiscard]] double joules() const {
        PowerSpec power = config_.power;
        const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
        const networks::llm::StepWork& work = load_.work;
        const auto all = analysis::energy_of(metadata,
                                             {.us = load_.end_us,
                                              .cube_cycles = work.cube_cycles,
                                              .vector_cycles = work.vector_cycles,
                                              .scalar_cycles = work.scalar_cycles,
                                              .local_bytes = work.moved_bytes,  // what L2 gives moves on once
                                              .l2_bytes = work.moved_bytes,
                                              .hbm_bytes = work.hbm_bytes,
                                              .link_bytes = work.link_bytes});
        const double more = config_.layout.devices() - 1.0;  // idle, too
        return all ? all->joules + all->parts.front().joules * more : 0;
    }

    /// Each device of a replica sends its part of the cache to its counterpart.
    [[nodiscard]] double transfer_us(std::uint64_t tokens) {
        const auto [at, is_new] = transfers_.try_emplace(tokens, 0);
        if (is_new) {
            const networks::llm::Deployment deployment = config_.deployment();
            const std::uint64_t bytes = tokens * networks::llm::memory_of(deployment, 0).cache_of_token;
            at->second = node::collective_us(
                config_.node,
                {.kind = node::CollectiveKind::send_receive,
                 .bytes = bytes,
                 .ranks = {0, config_.prompt_replicas * config_.layout.tensor * config_.layout.pipeline}});
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
    Chance inputs_;
    std::vector<std::vector<double>> stages_;  // of each replica, when they are free
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
    const std::vector<double> times = costs.operator_times(load.steps[*middle].shape);
    std::size_t next = 0;
    for (const networks::llm::StepOperator& one : costs.program().operators) {
        const auto calls = static_cast<std::uint32_t>(times[next]);
        load.typical.push_back({.name = one.name, .part = one.part, .times = calls, .us = us[next++]});
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
