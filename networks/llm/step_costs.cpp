// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/step_costs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

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
    StepWork work = low * (1 - share) + high * share;
    work.unsure_us = low.unsure_us * std::abs(1 - share) + high.unsure_us * share;
    return work;
}

/// What a kernel that sends rows one by one takes at least.
double row_by_row_us(const StepExchange& exchange, double rows) {
    constexpr std::size_t most_ranks = 32;  // of which there are measurements
    const auto ranks = static_cast<double>(std::min(exchange.ranks.size(), most_ranks));
    return exchange.us_of_choice * exchange.choices_of_row * rows + exchange.us_of_rank * ranks;
}

/// Behind `high`, on the line through both; where more took less, a line would fall below 0: each takes what
/// it took at most.
StepWork beyond(const StepWork& at_low, const StepWork& at_high, double low, double high, double wanted) {
    return at_high.us < at_low.us ? at_high * (wanted / high)
                                  : mix(at_low, at_high, (wanted - low) / (high - low));
}

/// How many times as long a kernel of such extents takes at least and at most.
struct Bounds {
    double least = 1;
    double most = 1;

    void stretch(std::uint64_t to, std::uint64_t from) {
        const double ratio = from == 0 ? 1 : static_cast<double>(to) / static_cast<double>(from);
        least *= std::min(1.0, ratio);
        most *= std::max(1.0, ratio);
    }
};

constexpr std::uint64_t first_keys = 256;
constexpr std::uint64_t first_past = 1024;
constexpr std::uint64_t keys_step = 4;  // of the grid of keys
constexpr std::uint64_t first_tokens = 16;

// Of the time of all steps of a kind, that kernels which nobody simulates may leave open.
constexpr double open_share = 0.01;

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
    unsure_us += other.unsure_us;
    launch_us += other.launch_us;
    return *this;
}

StepWork StepWork::operator*(double factor) const {
    return {.us = us * factor,
            .cube_cycles = cube_cycles * factor,
            .vector_cycles = vector_cycles * factor,
            .scalar_cycles = scalar_cycles * factor,
            .moved_bytes = moved_bytes * factor,
            .hbm_bytes = hbm_bytes * factor,
            .link_bytes = link_bytes * factor,
            .unsure_us = unsure_us * factor,
            .launch_us = launch_us * factor};
}

StepWork StepCosts::known(std::size_t index, Extents at) {
    const Point point{index, at.first, at.second};
    const auto found = times_.find(point);
    if (found != times_.end()) {
        return found->second;
    }
    touched_.push_back(point);
    const auto [bound, is_new] = bounded_.try_emplace(point);
    if (is_new) {
        bound->second = bounded(index, at);
    }
    return bound->second;
}

StepWork StepCosts::bounded(std::size_t index, Extents at) const {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
    double nearest = most;
    StepWork work;
    // A token of a prompt sees those before the part, and half of these.
    const bool halves = program_.operators[index].axis == Axis::prefill;
    const auto seen = [halves](std::uint64_t count, std::uint64_t keys) {
        return halves ? 2 * keys - count : keys;
    };
    for (auto known = times_.lower_bound({index, 0, 0});
         known != times_.end() && std::get<0>(known->first) == index;
         ++known) {
        Bounds bounds;
        const auto& [of, count, keys] = known->first;
        bounds.stretch(at.first, count);
        bounds.stretch(seen(at.first, at.second), seen(count, keys));
        const double launch = known->second.launch_us;  // whatever the extents
        least = std::max(least, launch + (known->second.us - launch) * bounds.least);
        most = std::min(most, launch + (known->second.us - launch) * bounds.most);
        if (bounds.most / bounds.least < nearest) {
            nearest = bounds.most / bounds.least;
            work = known->second;
        }
    }
    if (!(work.us > 0)) {
        return {};
    }
    // Kernels whose tiles suit them less well than others take a little more than larger ones: then the
    // bounds cross.
    work = work * (std::sqrt(least * most) / work.us);
    work.unsure_us = std::abs(most - least) / 2;
    return work;
}

bool StepCosts::knows_any_of(std::size_t index) const {
    const auto first = times_.lower_bound({index, 0, 0});
    return first != times_.end() && std::get<0>(first->first) == index;
}

void StepCosts::want_touched(StepKind kind, double times, double open_us, bool wholly) {
    for (const Point& point : touched_) {
        const auto& [index, first, second] = point;
        Want& want = wanted_[point];
        want.work +=
            times * static_cast<double>(first) * static_cast<double>(std::max<std::uint64_t>(1, second));
        want.open_us.at(kind) += open_us / static_cast<double>(touched_.size());
        want.wholly = want.wholly || wholly;
    }
    touched_.clear();
}

bool StepCosts::well_known() const {
    for (std::size_t kind = 0; kind < step_kinds; ++kind) {
        if (open_us_.at(kind) > open_share * all_us_.at(kind)) {
            return false;
        }
    }
    return std::ranges::all_of(wanted_, [&](const auto& want) {
        return !want.second.wholly && knows_any_of(std::get<0>(want.first));
    });
}

std::vector<StepCosts::Point> StepCosts::next_points() const {
    std::set<Point> next;
    std::vector<Point> open;
    std::map<std::size_t, std::pair<double, Point>> of_unknown;  // operators
    for (const auto& [point, want] : wanted_) {
        if (want.wholly) {
            next.insert(point);
        } else if (knows_any_of(std::get<0>(point))) {
            open.push_back(point);
        } else {
            const std::pair<double, Point> asked{want.work, point};
            auto& most = of_unknown.try_emplace(std::get<0>(point), asked).first->second;
            most = std::max(most, asked);
        }
    }
    for (const auto& [index, most] : of_unknown) {
        next.insert(most.second);
    }
    for (std::size_t kind = 0; kind < step_kinds; ++kind) {
        const auto open_of = [&](const Point& point) { return wanted_.at(point).open_us.at(kind); };
        std::ranges::sort(open, std::greater{}, [&](const Point& point) {
            return std::pair{open_of(point), point};
        });
        double left = open_us_.at(kind);
        for (const Point& point : open) {
            if (left <= open_share * all_us_.at(kind)) {
                break;
            }
            left -= open_of(point);
            next.insert(point);
        }
    }
    return {next.begin(), next.end()};
}

std::vector<Task> StepCosts::tasks() const {
    std::vector<Task> tasks;
    for (const auto& [index, first, second] : next_points()) {
        tasks.push_back(program_.operators[index].task(first, second));
    }
    return tasks;
}

StepWork StepCosts::between(std::size_t index, double rows) {
    const std::uint64_t most = program_.operators[index].most_rows;
    if (most != 0 && rows > static_cast<double>(most)) {
        // each further row takes what one of the last half took: what a kernel begins with is not taken again
        const std::uint64_t half = most / 2;
        return beyond(known(index, {half, 0}),
                      known(index, {most, 0}),
                      static_cast<double>(half),
                      static_cast<double>(most),
                      rows);
    }
    const Between at = on_grid(rows, 1, 2, false);
    const StepWork low = known(index, {at.low, 0});
    return at.share == 0 ? low : mix(low, known(index, {at.high, 0}), at.share);
}

std::uint64_t StepCosts::most_before(std::size_t index, std::uint64_t count, std::uint64_t first) const {
    const StepOperator& one = program_.operators[index];
    constexpr std::uint64_t of_decoding = 1U << 18U;  // products of sequences and keys
    constexpr std::uint64_t of_prompts = 1U << 22U;   // of tokens and keys in front of them
    const std::uint64_t room = (one.axis == Axis::decode ? of_decoding : of_prompts) / count;
    std::uint64_t most = keys_step * first;  // two points, of whatever size
    while (keys_step * most <= std::min(room, one.most_keys)) {
        most *= keys_step;
    }
    return most;
}

StepWork StepCosts::decode_work(std::size_t index, const StepShape& shape) {
    if (shape.decoding == 0) {
        return {};
    }
    const bool each = program_.operators[index].each_sequence;
    const Between batch = on_grid(each ? 1 : static_cast<double>(shape.decoding), 1, 2, false);
    const bool grows = program_.operators[index].most_keys != 0;
    const auto at_keys = [&](std::uint64_t sequences) {
        const std::uint64_t most = grows ? most_before(index, sequences, first_keys) : 0;
        if (grows && shape.keys > static_cast<double>(most)) {
            return beyond(known(index, {sequences, most / keys_step}),
                          known(index, {sequences, most}),
                          static_cast<double>(most / keys_step),
                          static_cast<double>(most),
                          shape.keys);
        }
        const Between keys = on_grid(shape.keys, first_keys, keys_step, false);
        const StepWork low = known(index, {sequences, keys.low});
        return keys.share == 0 ? low : mix(low, known(index, {sequences, keys.high}), keys.share);
    };
    const StepWork low = at_keys(batch.low);
    return batch.share == 0 ? low : mix(low, at_keys(batch.high), batch.share);
}

StepWork StepCosts::prompt_work(std::size_t index, const PromptPart& part, double of_step) {
    if (part.tokens == 0) {
        return {};
    }
    // Of tokens that devices share, the last ones of a prompt see most keys; the more of the step other
    // prompts are, the more devices have beginnings of these instead.
    const std::uint64_t here = ceiling(part.tokens, program_.operators[index].share);
    const double before_here = static_cast<double>(part.tokens - here) * (1 + of_step) / 2;
    const auto tokens = static_cast<double>(here);
    const std::uint64_t most = program_.operators[index].most_tokens;
    const bool grows = program_.operators[index].most_keys != 0;
    const double of_kernel = most == 0 ? tokens : std::min(tokens, static_cast<double>(most));
    const Between rows = on_grid(of_kernel, first_tokens, 2, false);
    // kernels of a longer prompt see ever more keys: on average those of the one in the middle
    const double past = static_cast<double>(part.past) + before_here + (tokens - of_kernel) / 2;
    const auto of_token = [&](std::uint64_t count) {
        const auto at = [&](std::uint64_t before) {
            return known(index, {count, before + count}) * (1 / static_cast<double>(count));
        };
        // a token sees those before the part, and half of these
        const double own = static_cast<double>(count) / 2;
        const std::uint64_t furthest = grows ? most_before(index, count, first_past / keys_step) : 0;
        if (grows && past > static_cast<double>(furthest)) {
            const std::uint64_t nearer = furthest == first_past ? 0 : furthest / keys_step;
            return beyond(at(nearer),
                          at(furthest),
                          static_cast<double>(nearer) + own,
                          static_cast<double>(furthest) + own,
                          past + own);
        }
        const Between before = on_grid(past, first_past, keys_step, true);
        const StepWork low = at(past == 0 ? 0 : before.low);
        return past == 0 || before.share == 0 ? low : mix(low, at(before.high), before.share);
    };
    const StepWork low = of_token(rows.low);
    const StepWork work = rows.share == 0 ? low : mix(low, of_token(rows.high), rows.share);
    return work * std::max(tokens, static_cast<double>(first_tokens));
}

/// Of the tokens of a step, on the same grid as kernels.
double StepCosts::busiest(double shared) {
    constexpr double most = 1 << 16;  // more differ as little
    const Between at = on_grid(std::min(shared, most), 1, 2, false);
    const auto of = [&](std::uint64_t tokens) {
        const auto [found, is_new] = busiest_.try_emplace(tokens, 1);
        if (is_new) {
            if (!dealing_) {
                dealing_ = deployment_.dealing();
            }
            dealing_->tokens = tokens;
            found->second = busiest_share(*dealing_);
        }
        return found->second;
    };
    const double low = of(at.low);
    return at.share == 0 ? low : low * (1 - at.share) + of(at.high) * at.share;
}

StepWork StepCosts::exchange_work(const StepExchange& exchange, const StepShape& shape, double shared) {
    const std::uint64_t widest = shape.widest_rows();
    if (!exchange.steps.has(widest, !shape.prompts.empty())) {
        return {};
    }
    const std::uint64_t rows = exchange.axis == Axis::results ? shape.results
                               : exchange.filled_up           ? widest
                                                              : shape.rows();
    const double uneven = exchange.to_experts ? busiest(shared) : 1;
    // The device whose experts are chosen gets as many rows as of `shared` tokens that are spread evenly.
    const double of_fillers = exchange.to_experts && fills_experts(shape)
                                  ? shared / static_cast<double>(deployment_.layout.replicas)
                                  : 0;
    const double counted =
        std::max(uneven * static_cast<double>(std::max<std::uint64_t>(1, rows)), of_fillers);
    const auto bytes =
        static_cast<std::uint64_t>(std::ceil(exchange.bytes_of_row * counted + exchange.bytes_of_call));
    const auto [at, is_new] = exchanges_.try_emplace({&exchange, bytes}, StepWork{});
    if (is_new) {
        at->second.us = node::collective_us(
            deployment_.node,
            {.kind = exchange.kind, .bytes = std::max<std::uint64_t>(1, bytes), .ranks = exchange.ranks});
        at->second.link_bytes = link_bytes(exchange, static_cast<double>(bytes));
    }
    if (exchange.us_of_choice > 0) {
        StepWork work = at->second;
        work.us = std::max(work.us, row_by_row_us(exchange, counted));
        return work;
    }
    return at->second;
}

/// What fills replicas up is left out where rows are sent one by one (vllm-ascend at 7a6fde80b1: mc2_mask).
bool StepCosts::fills_experts(const StepShape& shape) const {
    return shape.filling != 0 && shape.widest_rows() > deployment_.layout.row_by_row;
}

double StepCosts::shared_tokens(const StepShape& shape) const {
    const std::uint64_t replicas = deployment_.layout.replicas;
    const std::uint64_t from = deployment_.layout.gathers_from;
    const std::uint64_t widest = shape.widest_rows();
    const bool gathered = from != 0 && widest >= from;
    const std::uint64_t others = shape.shared == 0 || gathered ? widest * replicas : shape.shared;
    const auto tokens = static_cast<double>(std::max(shape.rows(), others));
    if (!fills_experts(shape) || gathered || !deployment_.model.experts) {
        return tokens;
    }
    const Experts& experts = *deployment_.model.experts;
    const std::uint32_t devices = deployment_.expert_devices();
    const double here = std::min(experts.chosen, std::max(1U, experts.count / devices));  // on one device
    return tokens + static_cast<double>(shape.filling) * here * devices / experts.chosen;
}

StepWork StepCosts::operator_work(std::size_t index, const StepShape& shape, double shared) {
    touched_.clear();
    const StepOperator& one = program_.operators[index];
    if ((one.tokens_of_sequence != 0 && one.tokens_of_sequence != shape.tokens_of_sequence) ||
        !one.steps.has(shape.widest_rows(), !shape.prompts.empty())) {
        return {};
    }
    switch (one.axis) {
        case Axis::rows:
            return between(index, static_cast<double>(shape.rows()));
        case Axis::shared:
            return between(index, shared);
        case Axis::results:
            return between(index, static_cast<double>(std::max<std::uint64_t>(1, shape.results)));
        case Axis::decode:
            return decode_work(index, shape);
        case Axis::prefill:
            break;
    }
    std::uint64_t tokens = 0;
    for (const PromptPart& part : shape.prompts) {
        tokens += part.tokens;
    }
    StepWork work;
    for (const PromptPart& part : shape.prompts) {
        work += prompt_work(
            index,
            part,
            static_cast<double>(part.tokens) / static_cast<double>(std::max<std::uint64_t>(1, tokens)));
    }
    return work;
}

std::vector<double> StepCosts::operator_us(const StepShape& shape) {
    const double shared = shared_tokens(shape);
    std::vector<double> us;
    for (std::size_t i = 0; i < program_.operators.size(); ++i) {
        us.push_back(operator_work(i, shape, shared).us);
        want_touched(with_prompts, 1, 0, true);
    }
    for (const StepExchange& exchange : program_.exchanges) {
        us.push_back(exchange_work(exchange, shape, shared).us);
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
    const double shared = shared_tokens(shape);
    const StepKind kind = layers != 0 ? drafting : shape.prompts.empty() ? only_decoding : with_prompts;
    StepTime time;
    double alone = 0;
    node::CallSums calls;
    const auto runs_of = [&](std::uint32_t times, bool drafts) {
        return layers == 0 ? times : drafts ? std::min(times, layers) : 0;
    };
    const auto add = [&](const std::string& part, const StepWork& one, double times) {
        if (one.us > 0) {
            calls.add(host_, mode, one.us, times);
            alone += one.us * times;
            time.parts[part] += one.us * times;
            time.work += one * times;
        }
    };
    for (std::size_t i = 0; i < program_.operators.size(); ++i) {
        const StepOperator& one = program_.operators[i];
        const double times =
            runs_of(one.times, one.drafts) * (one.each_sequence ? static_cast<double>(shape.decoding) : 1);
        if (times == 0) {
            continue;
        }
        const StepWork work = operator_work(i, shape, shared);
        add(one.part, work, times);
        time.between_graphs += one.between_graphs && work.us > 0 ? times : 0;
        if (one.host_waits && work.us > 0) {
            calls.wait(host_, mode, times);
        }
        if (!touched_.empty()) {
            want_touched(kind, times, work.unsure_us * times, false);
        }
    }
    for (const StepExchange& exchange : program_.exchanges) {
        if (const std::uint32_t times = runs_of(exchange.times, exchange.drafts); times != 0) {
            add("exchange", exchange_work(exchange, shape, shared), times);
            time.between_graphs += exchange.between_graphs ? times : 0;
        }
    }
    time.us = calls.us();
    time.host_us = time.us - alone;
    time.issue_us = calls.host_us();
    all_us_.at(kind) += time.us;
    open_us_.at(kind) += time.work.unsure_us;
    return time;
}

void StepCosts::take(const std::vector<TaskResult>& results) {
    std::size_t next = 0;
    for (const Point& point : next_points()) {
        const auto& [index, first, second] = point;
        const TaskResult& result = results.at(next++);
        const StepOperator& one = program_.operators[index];
        if (!result.error.empty()) {
            throw UserError{"{} ({}, extents {} and {}) cannot be simulated: {}",
                            one.name,
                            one.task(first, second).kernel,
                            first,
                            second,
                            result.error};
        }
        times_[point] = {.us = result.time_us,
                         .cube_cycles = result.cube_cycles,
                         .vector_cycles = result.vector_cycles,
                         .scalar_cycles = result.scalar_cycles,
                         .moved_bytes = result.moved_bytes,
                         .hbm_bytes = result.hbm_read_bytes + result.hbm_write_bytes,
                         .launch_us = result.time_us - result.core_us};
    }
    wanted_.clear();
    bounded_.clear();
    all_us_ = {};
    open_us_ = {};
}

void StepCosts::simulate(const toolchain::Installation& installation, const TaskOptions& options) {
    take(run_tasks(tasks(), deployment_.chip, installation, options));
}

}  // namespace ascendsim::networks::llm
