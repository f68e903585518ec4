// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/step_runs.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "app/serving/engine.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::validation {
namespace {

using networks::llm::StepCosts;
using networks::llm::StepShape;
using serving::ServeConfig;

/// The time of each operator of a step once, all simulated.
std::vector<double> simulated_us(StepCosts& costs,
                                 const StepShape& shape,
                                 const toolchain::Installation& installation,
                                 const networks::TaskOptions& options) {
    (void)costs.operator_us(shape);
    costs.simulate(installation, options);
    return costs.operator_us(shape);
}

/// True if a row about `kernel` means this operator.
bool is_meant(const networks::llm::StepOperator& one, const StepKernelCase& kernel, std::uint32_t layers) {
    if (kernel.which == StepKernels::named) {
        const bool prompt = one.axis == networks::llm::Axis::prefill;
        const bool decoding = one.axis == networks::llm::Axis::decode;
        return one.name == kernel.op && !(prompt && kernel.keys > 0) && !(decoding && kernel.keys <= 0) &&
               one.tokens_of_sequence <= 1;
    }
    return one.axis == networks::llm::Axis::rows && one.times * 2 > layers && one.name != "MatMul gate" &&
           one.name.find("MatMul") != std::string::npos;
}

networks::Task task_of(const networks::llm::StepOperator& one, const StepKernelCase& kernel) {
    switch (one.axis) {
        case networks::llm::Axis::decode:
            return one.task(kernel.sequences, static_cast<std::uint64_t>(kernel.keys));
        case networks::llm::Axis::prefill:
            return one.task(kernel.rows, kernel.rows);
        default:
            return one.task(kernel.rows, 0);
    }
}

/// What takes longest comes first; what takes less than a hundredth is left out.
KernelSum sum_of(const networks::llm::StepProgram& program,
                 const std::vector<double>& sums,
                 const std::vector<double>& counts) {
    KernelSum sum{.us = std::accumulate(sums.begin(), sums.end(), 0.0), .parts = {}};
    std::vector<std::size_t> order(sums.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sums[i]; });
    constexpr double least_share = 0.01;
    for (const std::size_t i : order) {
        if (sums[i] > least_share * sum.us) {
            sum.parts.push_back(fmt::format("{}: {:.0f} of {:.1f} us, {:.0f} %",
                                            program.operators[i].name,
                                            counts[i],
                                            sums[i] / counts[i],
                                            100 * sums[i] / sum.us));
        }
    }
    return sum;
}

}  // namespace

std::string kernel_text(const std::string& name, const networks::TaskResult& result) {
    return fmt::format("{}: {:.2f} us, of which {:.2f} launch; {} {:.0f} %",
                       name,
                       result.time_us,
                       result.time_us - result.core_us,
                       result.busiest,
                       100 * result.busy_share);
}

const serving::ServeFigures& StepRuns::figures(const std::string& file) {
    const auto found = figures_.find(file);
    if (found != figures_.end()) {
        return found->second;
    }
    const ServeConfig config = serving::parse_serving(file, "row.toml", installation_);
    const networks::llm::Deployment deployment = config.deployment();
    StepCosts costs{deployment, config.program(), config.host};
    return figures_[file] = figures_of(serving::serve(config, costs, installation_, options_));
}

ServeConfig StepRuns::config_of(const std::string& file) const {
    ServeConfig config = serving::parse_serving(file, "row.toml", installation_);
    config.chip.launch.per_core_us += first_task_us_;
    return config;
}

KernelSum StepRuns::kernel_us(const StepKernelCase& kernel) {
    const ServeConfig config = config_of(kernel.file);
    const networks::llm::Deployment deployment = config.deployment();
    std::vector<std::string> names;
    std::vector<networks::Task> tasks;
    for (const networks::llm::StepOperator& one : config.program().operators) {
        if (is_meant(one, kernel, config.model.layers)) {
            names.push_back(one.name);
            tasks.push_back(task_of(one, kernel));
        }
    }
    if (tasks.empty()) {
        throw UserError{"a step of this system has no {}", kernel.op};
    }
    if (kernel.which == StepKernels::named) {
        tasks.resize(1);
    }
    const std::vector<networks::TaskResult> results =
        run_tasks(tasks, deployment.chip, installation_, options_);
    std::vector<std::size_t> order(results.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return results[i].time_us; });
    if (kernel.which == StepKernels::shortest_product) {
        order.resize(1);
    } else if (kernel.which == StepKernels::other_products && order.size() > 1) {
        order.erase(order.begin());
    }
    KernelSum mean;
    for (const std::size_t i : order) {
        if (!results[i].error.empty()) {
            throw UserError{"{}: {}", names[i], results[i].error};
        }
        mean.us += results[i].time_us / static_cast<double>(order.size());
        mean.parts.push_back(kernel_text(names[i], results[i]));
    }
    return mean;
}

void StepRuns::of_rows(std::vector<double>& us,
                       StepCosts& costs,
                       std::uint64_t rows,
                       const std::string& name) const {
    const StepShape filled{.decoding = rows, .keys = 1, .results = 1};
    const std::vector<double> all = simulated_us(costs, filled, installation_, options_);
    for (std::size_t i = 0; i < costs.program().operators.size(); ++i) {
        const networks::llm::StepOperator& one = costs.program().operators[i];
        const bool meant = one.axis == networks::llm::Axis::rows && (name.empty() || one.name == name);
        us[i] = meant ? all[i] : us[i];
    }
}

void StepRuns::of_batch(std::vector<double>& us,
                        const networks::llm::StepProgram& program,
                        const ChipSpec& chip,
                        const WindowPass& pass) const {
    for (std::size_t i = 0; i < program.operators.size(); ++i) {
        const networks::llm::StepOperator& one = program.operators[i];
        if (one.axis != networks::llm::Axis::decode || one.tokens_of_sequence > 1) {
            continue;
        }
        networks::Task task = one.task(pass.batch, static_cast<std::uint64_t>(pass.keys));
        for (auto& [name, value] : task.knobs) {
            if (name == "batch") {
                value = static_cast<std::int64_t>(pass.decoding);
            }
        }
        const networks::TaskResult result = run_tasks({task}, chip, installation_, options_).front();
        if (!result.error.empty()) {
            throw UserError{"{}: {}", one.name, result.error};
        }
        us[i] = result.time_us;
    }
}

KernelSum StepRuns::passes_us(const std::string& file,
                              const std::vector<WindowPass>& passes,
                              bool one_layer,
                              const std::vector<std::string>& names) {
    const ServeConfig config = config_of(file);
    const networks::llm::Deployment deployment = config.deployment();
    StepCosts costs{deployment, config.program(), config.host};
    const std::size_t kernels = costs.program().operators.size();
    std::vector<double> sums(kernels, 0);
    std::vector<double> counts(kernels, 0);
    for (const WindowPass& pass : passes) {
        StepShape shape{.decoding = pass.decoding, .keys = pass.keys, .results = pass.results};
        if (pass.tokens != 0) {
            shape.prompts.assign(pass.prompts, {.tokens = pass.tokens, .past = pass.past});
        }
        std::vector<double> us = simulated_us(costs, shape, installation_, options_);
        if (pass.rows > pass.decoding) {
            of_rows(us, costs, pass.rows);
        }
        if (pass.batch > pass.decoding) {
            of_batch(us, costs.program(), deployment.chip, pass);
        }
        if (pass.norm_rows != 0) {
            of_rows(us, costs, pass.norm_rows, "AddRmsNorm");
        }
        const std::vector<double> times = costs.operator_times(shape);
        for (std::size_t i = 0; i < kernels; ++i) {
            const networks::llm::StepOperator& one = costs.program().operators[i];
            const bool counts_once = names.empty() ? one.times == config.model.layers
                                                   : std::ranges::find(names, one.name) != names.end();
            const double runs = !one_layer ? times[i] : counts_once ? 1.0 : 0.0;
            sums[i] += us[i] * runs * pass.count;
            counts[i] += us[i] > 0 ? runs * pass.count : 0;
        }
    }
    return sum_of(costs.program(), sums, counts);
}

}  // namespace ascendsim::validation
