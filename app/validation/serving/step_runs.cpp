// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/step_runs.hpp"

#include <vector>

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

}  // namespace

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

double StepRuns::kernel_us(const StepKernelCase& kernel) {
    const ServeConfig config = serving::parse_serving(kernel.file, "row.toml", installation_);
    const networks::llm::Deployment deployment = config.deployment();
    networks::llm::StepProgram program = config.program();
    std::erase_if(program.operators,
                  [&](const networks::llm::StepOperator& one) { return one.name != kernel.op; });
    StepCosts costs{deployment, std::move(program), config.host};
    StepShape shape{.results = kernel.rows};
    if (kernel.keys > 0) {
        shape.decoding = kernel.rows;
        shape.keys = kernel.keys;
    } else {
        shape.prompts = {{.tokens = kernel.rows, .past = 0}};
    }
    const std::size_t kernels = costs.program().operators.size();
    const std::vector<double> us = simulated_us(costs, shape, installation_, options_);
    for (std::size_t i = 0; i < kernels; ++i) {
        if (us[i] > 0) {
            return us[i];
        }
    }
    throw UserError{"a step of this system has no {}", kernel.op};
}

double StepRuns::prompt_us(const std::string& file, std::uint64_t tokens, bool one_layer) {
    const ServeConfig config = serving::parse_serving(file, "row.toml", installation_);
    const networks::llm::Deployment deployment = config.deployment();
    StepCosts costs{deployment, config.program(), config.host};
    const StepShape shape{.prompts = {{.tokens = tokens, .past = 0}}, .results = 1};
    const std::vector<double> us = simulated_us(costs, shape, installation_, options_);
    double sum = 0;
    for (std::size_t i = 0; i < costs.program().operators.size(); ++i) {
        const networks::llm::StepOperator& one = costs.program().operators[i];
        const bool of_layers = one.times == config.model.layers;
        sum += one_layer ? (of_layers ? us[i] : 0) : us[i] * one.times;
    }
    return sum;
}

}  // namespace ascendsim::validation
