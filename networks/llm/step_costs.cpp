// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/step_costs.hpp"

#include <algorithm>
#include <cmath>

#include "models/node/call_sums.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

/// Neighbours of a value on a grid, and how far it is from the lower one to the upper.
struct Between {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    double share = 0;
};

/// Powers of `base` from `first` on; below it, `zero` if wanted and otherwise `first` itself.
Between on_grid(double value, std::uint64_t first, std::uint64_t base, bool zero) {
    if (value <= static_cast<double>(first)) {
        const bool inside = zero && value < static_cast<double>(first);
        return inside ? Between{0, first, value / static_cast<double>(first)} : Between{first, first, 0};
    }
    std::uint64_t low = first;
    while (static_cast<double>(low * base) <= value) {
        low *= base;
    }
    if (static_cast<double>(low) == value) {
        return {low, low, 0};
    }
    const std::uint64_t high = low * base;
    return {low, high, (value - static_cast<double>(low)) / static_cast<double>(high - low)};
}

/// What is moved to and from a device by a call of so many bytes.
double link_bytes(const StepExchange& exchange, double bytes) {
    const auto count = static_cast<double>(exchange.ranks.size());
    switch (exchange.kind) {
        case node::CollectiveKind::all_reduce:  // scattered and gathered
            return 2 * 2 * bytes * (count - 1) / count;
        case node::CollectiveKind::all_gather:
        case node::CollectiveKind::reduce_scatter:  // counted by what a device gets
            return 2 * bytes * (count - 1);
        default:
            return 2 * bytes * (count - 1) / count;
    }
}

StepWork mix(const StepWork& low, const StepWork& high, double share) {
    return low * (1 - share) + high * share;
}

constexpr std::uint64_t first_keys = 256;
constexpr std::uint64_t first_past = 1024;
constexpr std::uint64_t first_tokens = 16;

}  // namespace

std::uint64_t StepShape::rows() const {
    std::uint64_t rows = decoding * tokens_of_sequence;
    for (const PromptPart& part : prompts) {
        rows += part.tokens;
    }
    return rows;
}

StepCosts::StepCosts(const Deployment& deployment, StepProgram program, const node::HostSpec& host)
    : deployment_{deployment}, program_{std::move(program)}, host_{host} {}

StepWork& StepWork::operator+=(const StepWork& other) {
    us += other.us;
    cube_cycles += other.cube_cycles;
    vector_cycles += other.vector_cycles;
    scalar_cycles += other.scalar_cycles;
    moved_bytes += other.moved_bytes;
    hbm_bytes += other.hbm_bytes;
    link_bytes += other.link_bytes;
    return *this;
}

StepWork StepWork::operator*(double factor) const {
    return {.us = us * factor,
            .cube_cycles = cube_cycles * factor,
            .vector_cycles = vector_cycles * factor,
            .scalar_cycles = scalar_cycles * factor,
            .moved_bytes = moved_bytes * factor,
            .hbm_bytes = hbm_bytes * factor,
            .link_bytes = link_bytes * factor};
}

StepWork StepCosts::known(std::size_t index, Extents at) {
    const Point point{index, at.first, at.second};
    const auto found = times_.find(point);
    if (found != times_.end()) {
        return found->second;
    }
    if (!wanted_.contains(point)) {
        wanted_.emplace(point, program_.operators[index].task(at.first, at.second));
    }
    return {};
}

StepWork StepCosts::between(std::size_t index, double rows) {
    const std::uint64_t most = program_.operators[index].most_rows;
    if (most != 0 && rows > static_cast<double>(most)) {
        // each further row takes what one of the last half took: what a kernel begins with is not taken again
        const std::uint64_t half = most / 2;
        const double share = (rows - static_cast<double>(half)) / static_cast<double>(most - half);
        const StepWork low = known(index, {half, 0});
        const StepWork high = known(index, {most, 0});
        // where twice the rows took less, a line would fall below 0: each row takes what it took at most
        return high.us < low.us ? mix({}, high, rows / static_cast<double>(most)) : mix(low, high, share);
    }
    const Between at = on_grid(rows, 1, 2, false);
    const StepWork low = known(index, {at.low, 0});
    return at.share == 0 ? low : mix(low, known(index, {at.high, 0}), at.share);
}

StepWork StepCosts::decode_work(std::size_t index, const StepShape& shape) {
    if (shape.decoding == 0) {
        return {};
    }
    const bool each = program_.operators[index].each_sequence;
    const Between batch = on_grid(each ? 1 : static_cast<double>(shape.decoding), 1, 2, false);
    const std::uint64_t most = program_.operators[index].most_keys;
    const double of_kernel = most == 0 ? shape.keys : std::min(shape.keys, static_cast<double>(most));
    const Between keys = on_grid(of_kernel, first_keys, 4, false);
    const auto at_keys = [&](std::uint64_t sequences) {
        const StepWork low = known(index, {sequences, keys.low});
        return keys.share == 0 ? low : mix(low, known(index, {sequences, keys.high}), keys.share);
    };
    const StepWork low = at_keys(batch.low);
    const StepWork work = batch.share == 0 ? low : mix(low, at_keys(batch.high), batch.share);
    return work * (of_kernel > 0 ? shape.keys / of_kernel : 1);
}

StepWork StepCosts::prompt_work(std::size_t index, const PromptPart& part) {
    if (part.tokens == 0) {
        return {};
    }
    const auto tokens = static_cast<double>(part.tokens);
    const std::uint64_t most = program_.operators[index].most_tokens;
    const double of_kernel = most == 0 ? tokens : std::min(tokens, static_cast<double>(most));
    const Between rows = on_grid(of_kernel, first_tokens, 4, false);
    // kernels of a longer prompt see ever more keys: on average those of the one in the middle
    const double mean_past = static_cast<double>(part.past) + (tokens - of_kernel) / 2;
    const auto most_keys = static_cast<double>(program_.operators[index].most_keys);
    const double before_it = most_keys == 0 ? mean_past : std::min(mean_past, most_keys);
    const Between past = on_grid(before_it, first_past, 4, true);
    // a token sees those before the part, and half of these
    const double longer = (mean_past + of_kernel / 2) / (before_it + of_kernel / 2);
    const auto of_token = [&](std::uint64_t count) {
        const auto at = [&](std::uint64_t before) {
            return known(index, {count, before + count}) * (1 / static_cast<double>(count));
        };
        const bool none = mean_past == 0;
        const StepWork low = at(none ? 0 : past.low);
        return none || past.share == 0 ? low : mix(low, at(past.high), past.share);
    };
    const StepWork low = of_token(rows.low);
    const StepWork work = rows.share == 0 ? low : mix(low, of_token(rows.high), rows.share);
    return work * (longer * std::max(tokens, static_cast<double>(first_tokens)));
}

/// Of the tokens of a step, on the same grid as kernels.
double StepCosts::busiest(double shared) {
    constexpr double most = 1 << 16;  // more are as good as even
    const Between at = on_grid(std::min(shared, most), 1, 2, false);
    const auto of = [&](std::uint64_t tokens) {
        const auto [found, is_new] = busiest_.try_emplace(tokens, 1);
        if (is_new) {
            const Experts& experts = *deployment_.model.experts;
            found->second = busiest_share({.tokens = tokens,
                                           .experts = experts.count,
                                           .chosen = experts.chosen,
                                           .devices = deployment_.expert_devices(),
                                           .routing = deployment_.routing});
        }
        return found->second;
    };
    const double low = of(at.low);
    return at.share == 0 ? low : low * (1 - at.share) + of(at.high) * at.share;
}

StepWork StepCosts::exchange_work(const StepExchange& exchange, const StepShape& shape, double shared) {
    const std::uint64_t widest = shape.widest_rows();
    if (widest < exchange.least_rows || (exchange.most_rows != 0 && widest > exchange.most_rows)) {
        return {};
    }
    const std::uint64_t rows = exchange.axis == Axis::results ? shape.results
                               : exchange.filled_up           ? widest
                                                              : shape.rows();
    const double counted = exchange.bytes_of_row * static_cast<double>(std::max<std::uint64_t>(1, rows));
    const auto bytes =
        static_cast<std::uint64_t>(std::ceil(exchange.to_experts ? counted * busiest(shared) : counted));
    const auto [at, is_new] = exchanges_.try_emplace({&exchange, bytes}, StepWork{});
    if (is_new) {
        at->second.us = node::collective_us(
            deployment_.node,
            {.kind = exchange.kind, .bytes = std::max<std::uint64_t>(1, bytes), .ranks = exchange.ranks});
        at->second.link_bytes = link_bytes(exchange, static_cast<double>(bytes));
    }
    return at->second;
}

double StepCosts::shared_tokens(const StepShape& shape) const {
    const std::uint64_t replicas = deployment_.layout.replicas;
    const std::uint64_t from = deployment_.layout.gathers_from;
    const std::uint64_t widest = shape.widest_rows();
    const bool gathered = from != 0 && widest >= from;
    const std::uint64_t others = shape.shared == 0 || gathered ? widest * replicas : shape.shared;
    return static_cast<double>(std::max(shape.rows(), others));
}

std::vector<StepWork> StepCosts::operator_work(const StepShape& shape) {
    std::vector<StepWork> all;
    const auto rows = static_cast<double>(shape.rows());
    const auto results = static_cast<double>(std::max<std::uint64_t>(1, shape.results));
    const double shared = shared_tokens(shape);
    for (std::size_t i = 0; i < program_.operators.size(); ++i) {
        StepWork work;
        const StepOperator& one = program_.operators[i];
        if (one.tokens_of_sequence != 0 && one.tokens_of_sequence != shape.tokens_of_sequence) {
            all.push_back(work);
            continue;
        }
        switch (one.axis) {
            case Axis::rows:
                work = between(i, rows);
                break;
            case Axis::shared:
                work = between(i, shared);
                break;
            case Axis::results:
                work = between(i, results);
                break;
            case Axis::decode:
                work = decode_work(i, shape);
                break;
            case Axis::prefill:
                for (const PromptPart& part : shape.prompts) {
                    work += prompt_work(i, part);
                }
                break;
        }
        all.push_back(work);
    }
    for (const StepExchange& exchange : program_.exchanges) {
        all.push_back(exchange_work(exchange, shape, shared));
    }
    return all;
}

std::vector<double> StepCosts::operator_us(const StepShape& shape) {
    std::vector<double> us;
    for (const StepWork& work : operator_work(shape)) {
        us.push_back(work.us);
    }
    return us;
}

std::vector<double> StepCosts::operator_times(const StepShape& shape) const {
    std::vector<double> times;
    for (const StepOperator& one : program_.operators) {
        times.push_back(one.each_sequence ? static_cast<double>(one.times * shape.decoding) : one.times);
    }
    for (const StepExchange& exchange : program_.exchanges) {
        times.push_back(exchange.times);
    }
    return times;
}

StepTime StepCosts::time_of(const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
    const std::vector<StepWork> work = operator_work(shape);
    StepTime time;
    double alone = 0;
    node::CallSums calls;
    const auto add =
        [&](const std::string& part, const StepWork& one, std::uint32_t times, double each, bool drafts) {
            times = layers == 0 ? times : drafts ? std::min(times, layers) : 0;
            if (one.us > 0) {
                calls.add(host_, mode, one.us, times * each);
                alone += one.us * times * each;
                time.parts[part] += one.us * times * each;
                time.work += one * (times * each);
            }
        };
    const std::size_t kernels = program_.operators.size();
    for (std::size_t i = 0; i < kernels; ++i) {
        const StepOperator& one = program_.operators[i];
        add(one.part,
            work[i],
            one.times,
            one.each_sequence ? static_cast<double>(shape.decoding) : 1,
            one.drafts);
    }
    for (std::size_t i = 0; i < program_.exchanges.size(); ++i) {
        add("exchange", work[kernels + i], program_.exchanges[i].times, 1, program_.exchanges[i].drafts);
    }
    time.us = calls.us();
    time.host_us = time.us - alone;
    time.issue_us = calls.host_us();
    return time;
}

void StepCosts::simulate(const toolchain::Installation& installation, const TaskOptions& options) {
    std::vector<Task> tasks;
    for (const auto& [point, task] : wanted_) {
        tasks.push_back(task);
    }
    const std::vector<TaskResult> results = run_tasks(tasks, deployment_.chip, installation, options);
    std::size_t next = 0;
    for (const auto& [point, task] : wanted_) {
        const TaskResult& result = results[next++];
        if (!result.error.empty()) {
            throw UserError{"{} ({}, extents {} and {}) cannot be simulated: {}",
                            program_.operators[std::get<0>(point)].name,
                            task.kernel,
                            std::get<1>(point),
                            std::get<2>(point),
                            result.error};
        }
        times_[point] = {.us = result.time_us,
                         .cube_cycles = result.cube_cycles,
                         .vector_cycles = result.vector_cycles,
                         .scalar_cycles = result.scalar_cycles,
                         .moved_bytes = result.moved_bytes,
                         .hbm_bytes = result.hbm_read_bytes + result.hbm_write_bytes};
    }
    wanted_.clear();
}

}  // namespace ascendsim::networks::llm
