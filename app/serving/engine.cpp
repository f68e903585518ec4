// SPDX-License-Identifier: Apache-2.0
#include "app/serving/engine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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
    System(const ServeConfig& config, const StepTimer& timer, const StepTimer& prompts)
        : config_{config},
          prompt_config_{config.prompt_config()},
          chance_{config.requests.seed + 7},
          inputs_{config.requests.seed + 11} {
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
        add_replicas(timer, prompts ? prompts : timer);
    }

    [[nodiscard]] ServedLoad run() {
        while (true) {
            begin_together(arrivals_.empty() ? never : arrivals_.top().first);
            const auto soonest = std::ranges::min_element(replicas_, {}, &Replica::busy_until);
            const double step_end = soonest->busy_until();
            const double arrival = arrivals_.empty() ? never : arrivals_.top().first;
            if (step_end == never && arrival == never) {
                load_.joules = joules();
                load_.host = host();
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

    /// Schedulers of replicas, those for prompts alone first.
    void add_replicas(const StepTimer& timer, const StepTimer& prompts) {
        const std::uint32_t others = config_.prompts ? config_.prompts->layout.replicas : 0;
        const auto add = [&](const ServeConfig& config, const StepTimer& with, std::uint32_t first) {
            const std::uint32_t stages = config.layout.pipeline;
            for (std::uint32_t i = 0; i < config.layout.replicas * stages; ++i) {
                const bool alone = first == 0 && (others != 0 || i / stages < config_.prompt_replicas);
                prompt_schedulers_ += alone ? 1 : 0;
                replicas_.emplace_back(config,
                                       with,
                                       load_.requests,
                                       stages_[first + i / stages],
                                       (first + i / stages) * stages + i % stages,
                                       alone);
            }
        };
        const std::size_t most =
            std::max<std::size_t>(config_.layout.pipeline, prompt_config_.layout.pipeline);
        stages_.assign(others + config_.layout.replicas, std::vector<double>(most, 0));
        if (others != 0) {
            add(prompt_config_, prompts, 0);
        }
        add(config_, timer, others);
    }

    /// To the replica with the least to do, of those for prompts if there are such.
    void dispatch(std::size_t request, double now) {
        const std::size_t prompts = prompt_schedulers_;
        const bool moved = moved_.contains(request);
        const auto behind = replicas_.begin() + static_cast<std::ptrdiff_t>(prompts);
        const auto first = moved ? behind : replicas_.begin();
        const auto last = prompts == 0 || moved ? replicas_.end() : behind;
        const auto least = std::min_element(
            first, last, [](const Replica& a, const Replica& b) { return a.load() < b.load(); });
        if (moved || config_.requests.computed) {
            ServedRequest& record = load_.requests[request];
            record.first_us = moved ? record.first_us : now;
            record.scheduled_us = moved ? record.scheduled_us : now;
            least->take_over(request);
        } else {
            least->take(request, chance_() < config_.requests.prefix_share, now);
        }
        if (least->idle()) {
            begin(*least, now);
        }
    }

    /// Replicas that share experts begin their steps together; others at once.
    void begin(Replica& replica, double now) {
        if (!replica.in_step_with_others()) {
            replica.begin(now, load_);
            return;
        }
        ready_[replica.group()] = std::max(ready_[replica.group()], now);
        replica.rest();
    }

    /// The next step of each group of replicas that go together, once all of it rest and whoever comes at
    /// that time is there; the longest tells when all end.
    void begin_together(double arrival) {
        for (auto& [group, now] : ready_) {
            const auto of_group = [&, which = group](const Replica& one) {
                return one.in_step_with_others() && one.group() == which;
            };
            const bool rest = std::ranges::all_of(
                replicas_, [&](const Replica& one) { return !of_group(one) || one.idle(); });
            if (now < 0 || !rest || arrival <= now) {
                continue;
            }
            std::vector<Replica*> running;
            Together all;
            std::uint64_t members = 0;
            for (Replica& one : replicas_) {
                members += of_group(one) ? 1U : 0U;
                const std::uint64_t its = of_group(one) ? one.plan(now, load_) : 0;
                if (its > 0) {
                    running.push_back(&one);
                    all.tokens += its;
                    all.captured = all.captured && !one.planned_prompts();
                    all.widest = std::max(all.widest, its);
                    all.sequences = std::max(all.sequences, one.planned_sequences());
                    all.decoding = std::max(all.decoding, one.planned_decoding());
                    all.drafting += one.planned_decoding();
                }
            }
            agree(all, members, group ? prompt_config_.layout : config_.layout);
            double end = 0;
            for (Replica* one : running) {
                one->run(all, load_);
                end = std::max(end, one->busy_until());
            }
            for (Replica* one : running) {
                one->wait_until(end, load_);
            }
            now = -1;
        }
    }

    /// In a step of graphs, all replicas run that of the one with most sequences, also those that have none
    /// (vllm-ascend, NPUModelRunner._sync_metadata_across_dp and dummy batches); rows that fill a graph up go
    /// to experts as others do. Otherwise each has the tokens it has; before 9976e685b7 it was filled up
    /// then, too, "all the padding tokens router to rank0".
    void agree(Together& all, std::uint64_t members, const networks::llm::Layout& layout) const {
        const bool shares = config_.layout.expert_parallel && config_.layout.replicas > 1;
        if (!shares || config_.mode != node::IssueMode::graph || !all.captured) {
            all.sequences = 0;
            all.filling = layout.filled_up ? all.widest * members - all.tokens : 0;
            return;
        }
        all.decoding = all.sequences;
        all.drafting = all.sequences * members;
        all.widest = all.sequences * (1 + config_.speculation.drafted);
        all.tokens = all.widest * members;
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
        begin(replica, now);
    }

    /// Idle chips for the whole time, and what kernels, exchanges and copies take.
    [[nodiscard]] double joules() const {
        PowerSpec power = config_.power;
        const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
        analysis::EnergyUse use = energy_use(load_.work);
        use.us = load_.end_us;
        const auto all = analysis::energy_of(metadata, use);
        const double more = config_.devices() - 1.0;  // idle, too
        return all ? all->joules + all->parts.front().joules * more : 0;
    }

    [[nodiscard]] node::HostEnergy host() const {
        double busy = 0;
        for (const ServedStep& step : load_.steps) {
            busy += step.host_busy_us;
        }
        return node::host_energy(config_.node,
                                 config_.host,
                                 node::picoseconds(busy),
                                 node::picoseconds(load_.end_us),
                                 config_.devices());
    }

    /// Each device of a replica sends its part of the cache to its counterpart.
    [[nodiscard]] double transfer_us(std::uint64_t tokens) {
        const auto [at, is_new] = transfers_.try_emplace(tokens, 0);
        if (is_new) {
            const networks::llm::Deployment deployment = config_.deployment();
            const networks::llm::MemoryUse use = networks::llm::memory_of(deployment, 0);
            const std::uint64_t bytes = std::max<std::uint64_t>(1, tokens * use.cache_of_token + use.state);
            const std::uint32_t others =
                config_.prompts ? config_.prompts->layout.devices()
                                : config_.prompt_replicas * config_.layout.tensor * config_.layout.pipeline;
            at->second = node::collective_us(
                config_.node,
                {.kind = node::CollectiveKind::send_receive, .bytes = bytes, .ranks = {0, others}});
        }
        return at->second;
    }

    const ServeConfig& config_;
    ServeConfig prompt_config_;
    ServedLoad load_;
    std::vector<Replica> replicas_;
    std::map<bool, double>
        ready_;  // of replicas for prompts alone, and of others: when the last came to rest
    std::size_t prompt_schedulers_ = 0;  // the first ones, of replicas for prompts alone
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
    std::set<std::size_t> moved_;                // requests whose prompt is computed
    std::map<std::uint64_t, double> transfers_;  // of so many tokens
    std::size_t next_closed_ = 0;
    Chance chance_;
    Chance inputs_;
    std::vector<std::vector<double>> stages_;  // of each replica, when they are free
};

}  // namespace

analysis::EnergyUse energy_use(const networks::llm::StepWork& work) {
    return {.cube_cycles = work.cube_cycles,
            .vector_cycles = work.vector_cycles,
            .scalar_cycles = work.scalar_cycles,
            .local_bytes = work.moved_bytes,  // what L2 gives moves on once
            .l2_bytes = work.moved_bytes,
            .hbm_bytes = work.hbm_bytes,
            .link_bytes = work.link_bytes};
}

ServedLoad serve_once(const ServeConfig& config, const StepTimer& timer, const StepTimer& prompts) {
    return System{config, timer, prompts}.run();
}

namespace {

/// The operators of the decoding step in the middle, by time; where none decodes alone and all are of
/// `costs`, of any step.
void note_typical_step(ServedLoad& load, StepCosts& costs, bool of_all) {
    std::vector<std::size_t> decoding;
    for (std::size_t i = 0; i < load.steps.size(); ++i) {
        if (load.steps[i].prompt_tokens == 0) {
            decoding.push_back(i);
        }
    }
    if (decoding.empty() && (!of_all || load.steps.empty())) {
        return;
    }
    if (decoding.empty()) {
        decoding.resize(load.steps.size());
        std::iota(decoding.begin(), decoding.end(), std::size_t{0});
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

LoadRun::LoadRun(const ServeConfig& config, StepCosts& costs)
    : config_{config},
      costs_{costs},
      prompts_{config.prompt_config()},
      prompt_costs_{prompts_.deployment(), prompts_.program(), config.host} {}

bool LoadRun::serve() {
    const auto timer_of = [](StepCosts& of) {
        return [&of](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            return of.time_of(shape, mode, layers);
        };
    };
    load_ = config_.prompts ? serve_once(config_, timer_of(costs_), timer_of(prompt_costs_))
                            : serve_once(config_, timer_of(costs_));
    if (costs_.well_known() && prompt_costs_.well_known()) {
        note_typical_step(load_, costs_, !config_.prompts);
        if (typical_known_ || costs_.well_known()) {
            return true;
        }
        typical_known_ = true;  // once its kernels are simulated, of which each is told
    }
    constexpr int most_rounds = 50;
    if (++rounds_ == most_rounds) {
        throw UserError{"{}: steps of new extents come up in every round of simulation", config_.place};
    }
    return false;
}

std::vector<networks::Task> LoadRun::tasks() const {
    std::vector<networks::Task> tasks = costs_.tasks();
    for (networks::Task& task : prompt_costs_.tasks()) {
        tasks.push_back(std::move(task));
    }
    return tasks;
}

void LoadRun::take(const std::vector<networks::TaskResult>& results) {
    const auto behind = results.begin() + static_cast<std::ptrdiff_t>(costs_.tasks().size());
    costs_.take({results.begin(), behind});
    prompt_costs_.take({behind, results.end()});
}

ServedLoad serve(const ServeConfig& config,
                 StepCosts& costs,
                 const toolchain::Installation& installation,
                 const networks::TaskOptions& options) {
    LoadRun run{config, costs};
    while (!run.serve()) {
        run.take(run_tasks(run.tasks(), config.chip, installation, options));
    }
    return run.load();
}

}  // namespace ascendsim::serving
