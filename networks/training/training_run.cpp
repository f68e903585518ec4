// SPDX-License-Identifier: Apache-2.0
#include "networks/training/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "networks/operators/steps.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

constexpr double largest_half = 65504;

std::vector<const std::vector<double>*> gradients_in(const TrainingGraph& step, const Elements& made) {
    std::vector<const std::vector<double>*> gradients;
    for (const std::string& gradient : step.gradients) {
        if (const auto found = made.find(gradient); found != made.end()) {
            gradients.push_back(&found->second);
        }
    }
    return gradients;
}

/// Activations at the ends of float16's range.
void note_activations(const TrainingGraph& step, const Elements& made, NotedStep& noted) {
    for (const auto& [name, values] : made) {
        const bool loss = std::ranges::find(step.losses, name) != step.losses.end();
        if (phase_of(name) != StepPhase::forward || loss) {
            continue;
        }
        for (const double value : values) {
            const double size = std::abs(value);
            noted.saturated += std::isfinite(size) && size < largest_half ? 0U : 1U;
            noted.largest_activation =
                std::isfinite(size) ? std::max(noted.largest_activation, size) : noted.largest_activation;
        }
    }
}

/// Factors of the step that is taken next, which is the `number`-th, from 1 on.
void set_scalars(const TrainingOptions& options, std::uint64_t number, Elements& elements) {
    if (options.optimiser == Optimiser::sgd) {
        return;
    }
    const auto t = static_cast<double>(number);
    elements["step_size"] = {options.learning_rate / (1 - std::pow(options.beta1, t))};
    elements["variance_factor"] = {1 / std::sqrt(1 - std::pow(options.beta2, t))};
}

}  // namespace

std::vector<NotedStep> train(const TrainingGraph& step,
                             const TrainingOptions& options,
                             LossScale& scale,
                             std::uint64_t count,
                             Elements& elements,
                             const ComputePart& first,
                             const ComputePart& second) {
    std::vector<NotedStep> steps;
    for (std::uint64_t i = 0; i < count; ++i) {
        NotedStep& noted = steps.emplace_back(NotedStep{.loss_scale = scale.value(), .gradients = {}});
        elements["loss_scale"] = {scale.value()};
        const Elements made = first(elements);
        for (const std::string& loss : step.losses) {
            noted.loss += made.at(loss).at(0);
        }
        note_activations(step, made, noted);
        noted.gradients = health_of(gradients_in(step, made), scale.value());
        elements["gradient_factor"] = {scale.gradient_factor(noted.gradients)};
        noted.taken = scale.note(noted.gradients);
        if (!noted.taken) {
            continue;
        }
        set_scalars(options, scale.taken(), elements);
        Elements operands = elements;
        operands.insert(made.begin(), made.end());
        for (const auto& [name, values] : second(operands)) {
            elements[name.substr(optimiser_prefix.size())] = values;
        }
    }
    return steps;
}

StepParts parts_of(const NetworkPlan& plan) {
    StepParts parts{.passes = plan, .update = plan};
    const auto updates = [](const PlannedNode& node) {
        return phase_of(node.outputs.at(0)) == StepPhase::optimiser;
    };
    std::erase_if(parts.passes.nodes, updates);
    std::erase_if(parts.update.nodes, [&](const PlannedNode& node) { return !updates(node); });
    return parts;
}

std::vector<std::string> watched_tensors(const TrainingGraph& step, const NetworkPlan& plan) {
    std::set<std::string> watched{step.losses.begin(), step.losses.end()};
    watched.insert(step.gradients.begin(), step.gradients.end());
    watched.erase("");
    for (const PlannedNode& node : plan.nodes) {
        for (const std::string& output : node.outputs) {
            const auto found = plan.tensors.find(output);
            const bool real = found != plan.tensors.end() && is_real(found->second.type);
            if (real && !node.tasks.empty() && phase_of(output) == StepPhase::forward) {
                watched.insert(output);
            }
        }
    }
    return {watched.begin(), watched.end()};
}

std::vector<std::string> updated_tensors(const TrainingGraph& step) {
    std::vector<std::string> updated;
    std::ranges::copy_if(step.graph.outputs, std::back_inserter(updated), [](const std::string& name) {
        return phase_of(name) == StepPhase::optimiser;
    });
    return updated;
}

}  // namespace ascendsim::networks
