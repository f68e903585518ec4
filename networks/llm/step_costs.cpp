// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/step_costs.hpp"

#include <algorithm>
#include <cmath>

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

double mix(double low, double high, double share) {
    return low + (high - low) * share;
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

double StepCosts::known(std::size_t index, Extents at) {
    const Point point{index, at.first, at.second};
    const auto found = times_.find(point);
    if (found != times_.end()) {
        return found->second;
    }
    if (!wanted_.contains(point)) {
        wanted_.emplace(point, program_.operators[index].task(at.first, at.second));
    }
    return 0;
}

double StepCosts::between(std::size_t index, double rows) {
    const Between at = on_grid(rows, 1, 2, false);
    const double low = known(index, {at.low, 0});
    return at.share == 0 ? low : mix(low, known(index, {at.high, 0}), at.share);
}

double StepCosts::decode_us(std::size_t index, const StepShape& shape) {
    if (shape.decoding == 0) {
        return 0;
    }
    const Between batch = on_grid(static_cast<double>(shape.decoding), 1, 2, false);
    const Between keys = on_grid(shape.keys, first_keys, 4, false);
    const auto at_keys = [&](std::uint64_t sequences) {
        const double low = known(index, {sequences, keys.low});
        return keys.share == 0 ? low : mix(low, known(index, {sequences, keys.high}), keys.share);
    };
    const double low = at_keys(batch.low);
    return batch.share == 0 ? low : mix(low, at_keys(batch.high), batch.share);
}

double StepCosts::prompt_us(std::size_t index, const PromptPart& part) {
    if (part.tokens == 0) {
        return 0;
    }
    const auto tokens = static_cast<double>(part.tokens);
    const Between rows = on_grid(tokens, first_tokens, 4, false);
    const Between past = on_grid(static_cast<double>(part.past), first_past, 4, true);
    const auto of_token = [&](std::uint64_t count) {
        const auto at = [&](std::uint64_t before) {
            return known(index, {count, before + count}) / static_cast<double>(count);
        };
        const bool none = part.past == 0;
        const double low = at(none ? 0 : past.low);
        return none || past.share == 0 ? low : mix(low, at(past.high), past.share);
    };
    const double low = of_token(rows.low);
    const double us = rows.share == 0 ? low : mix(low, of_token(rows.high), rows.share);
    return us * std::max(tokens, static_cast<double>(first_tokens));
}

double StepCosts::exchange_us(const StepExchange& exchange, double rows) {
    const auto bytes = static_cast<std::uint64_t>(std::ceil(exchange.bytes_of_row * std::max(1.0, rows)));
    const auto [at, is_new] = exchanges_.try_emplace({&exchange, bytes}, 0);
    if (is_new) {
        at->second = node::collective_us(
            deployment_.node,
            {.kind = exchange.kind, .bytes = std::max<std::uint64_t>(1, bytes), .ranks = exchange.ranks});
    }
    return at->second;
}

std::vector<double> StepCosts::operator_us(const StepShape& shape) {
    std::vector<double> all;
    const auto rows = static_cast<double>(shape.rows());
    const auto results = static_cast<double>(std::max<std::uint64_t>(1, shape.results));
    for (std::size_t i = 0; i < program_.operators.size(); ++i) {
        double us = 0;
        const StepOperator& one = program_.operators[i];
        if (one.tokens_of_sequence != 0 && one.tokens_of_sequence != shape.tokens_of_sequence) {
            all.push_back(0);
            continue;
        }
        switch (one.axis) {
            case Axis::rows:
                us = between(i, rows);
                break;
            case Axis::results:
                us = between(i, results);
                break;
            case Axis::decode:
                us = decode_us(i, shape);
                break;
            case Axis::prefill:
                for (const PromptPart& part : shape.prompts) {
                    us += prompt_us(i, part);
                }
                break;
        }
        all.push_back(us);
    }
    for (const StepExchange& exchange : program_.exchanges) {
        all.push_back(exchange_us(exchange, exchange.axis == Axis::results ? results : rows));
    }
    return all;
}

StepTime StepCosts::time_of(const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
    const std::vector<double> us = operator_us(shape);
    StepTime time;
    double alone = 0;
    const auto add = [&](const std::string& part, double kernel_us, std::uint32_t times) {
        times = layers == 0 ? times : std::min(times, layers);
        if (kernel_us > 0) {
            const double call = node::steady_call_us(host_, mode, kernel_us);
            time.us += call * times;
            alone += kernel_us * times;
            time.parts[part] += kernel_us * times;
        }
    };
    const std::size_t kernels = program_.operators.size();
    for (std::size_t i = 0; i < kernels; ++i) {
        add(program_.operators[i].part, us[i], program_.operators[i].times);
    }
    for (std::size_t i = 0; i < program_.exchanges.size(); ++i) {
        add("exchange", us[kernels + i], program_.exchanges[i].times);
    }
    time.host_us = time.us - alone;
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
        times_[point] = result.time_us;
    }
    wanted_.clear();
}

}  // namespace ascendsim::networks::llm
