// SPDX-License-Identifier: Apache-2.0
#include "app/networks/stability.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/report/style.hpp"
#include "networks/training/training_run.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

using networks::Elements;
using networks::NotedStep;
using nlohmann::ordered_json;

ordered_json number_or_null(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json step_json(const NotedStep& step) {
    return {{"loss", number_or_null(step.loss)},
            {"loss_scale", step.loss_scale},
            {"taken", step.taken},
            {"gradient_norm", step.gradients.norm},
            {"largest_gradient", step.gradients.largest},
            {"not_finite", step.gradients.not_finite},
            {"zeros", step.gradients.zeros},
            {"elements", step.gradients.elements},
            {"largest_activation", step.largest_activation},
            {"saturated", step.saturated}};
}

ordered_json stability_json(const TrainingRun& run,
                            const std::vector<NotedStep>& steps,
                            const networks::LossScale& scale) {
    ordered_json figures{{"taken", scale.taken()},
                         {"skipped", scale.skipped()},
                         {"clipped", 0},
                         {"loss_scale", scale.value()},
                         {"first_loss", nullptr},
                         {"last_loss", nullptr},
                         {"steps", ordered_json::array()}};
    std::uint64_t clipped = 0;
    for (const NotedStep& step : steps) {
        figures["steps"].push_back(step_json(step));
        clipped +=
            step.taken && run.scale.clip_norm > 0 && step.gradients.norm > run.scale.clip_norm ? 1U : 0U;
        if (step.taken) {
            figures[figures["first_loss"].is_null() ? "first_loss" : "last_loss"] = number_or_null(step.loss);
        }
    }
    figures["clipped"] = clipped;
    return figures;
}

/// Computes the nodes of one part on its tasks.
networks::ComputePart on_kernels(const networks::NetworkPlan& plan,
                                 const networks::ReadyTasks& tasks,
                                 const std::vector<std::string>& outputs,
                                 const runtime::RunPlan& run) {
    return [&, outputs](const Elements& elements) {
        return networks::compute(plan, tasks, elements, outputs, run).outputs;
    };
}

ordered_json trained(const TrainingRun& run,
                     const Elements& start,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const networks::StepParts parts = networks::parts_of(run.plan);
    const networks::ReadyTasks passes = networks::ready_tasks(parts.passes, chip, installation);
    const networks::ReadyTasks update = networks::ready_tasks(parts.update, chip, installation);
    std::vector<const runtime::ReadyPlan*> plans;
    for (const auto* list : {&passes, &update}) {
        for (const auto& task : *list) {
            plans.push_back(task.get());
        }
    }
    Elements elements = start;
    for (const auto& [name, tensor] : run.step.graph.constants) {
        if (tensor.known()) {
            elements[name] = *tensor.values;
        }
    }
    networks::LossScale scale{run.scale};
    std::vector<NotedStep> steps;
    runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
    request.options.sanitize = false;
    const runtime::SessionOutcome outcome =
        runtime::run_sequence(request, plans, [&](const runtime::RunPlan& on) {
            steps = networks::train(
                run.step,
                run.options,
                scale,
                run.steps,
                elements,
                on_kernels(parts.passes, passes, networks::watched_tensors(run.step, parts.passes), on),
                on_kernels(parts.update, update, networks::updated_tensors(run.step), on));
        });
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    return stability_json(run, steps, scale);
}

}  // namespace

ordered_json train_network(const TrainingRun& run,
                           const Elements& elements,
                           const ChipSpec& chip,
                           const toolchain::Installation& installation) {
    const runtime::IsolatedResult result =
        runtime::run_isolated([&] { return trained(run, elements, chip, installation); });
    if (!result.error.empty()) {
        throw UserError{"{}", result.error};
    }
    return result.value;
}

void print_stability(std::ostream& out, const ordered_json& stability) {
    const ordered_json& steps = stability["steps"];
    fmt::print(out,
               "  trained     {} steps taken, {} skipped for gradients that overflowed, {} clipped; the loss "
               "scale ends at {}\n\n",
               stability["taken"].get<std::uint64_t>(),
               stability["skipped"].get<std::uint64_t>(),
               stability["clipped"].get<std::uint64_t>(),
               figure_text(stability["loss_scale"]));
    constexpr std::size_t most = 20;
    const std::size_t apart = std::max<std::size_t>((steps.size() + most - 1) / most, 1);
    fmt::print(out,
               "  {:>6}{:>13}{:>12}{:>14}{:>12}{:>10}{:>14}{:>11}\n",
               "step",
               "loss",
               "loss scale",
               "gradient norm",
               "not finite",
               "zeros",
               "activation at",
               "saturated");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ordered_json& step = steps[i];
        const bool taken = step["taken"];
        if (i % apart != 0 && taken && i + 1 != steps.size()) {
            continue;
        }
        fmt::print(out,
                   "  {:>6}{:>13}{:>12}{:>14.5g}{:>12}{:>10}{:>14.5g}{:>11}{}\n",
                   i + 1,
                   step["loss"].is_null() ? "-" : fmt::format("{:.6g}", step["loss"].get<double>()),
                   figure_text(step["loss_scale"]),
                   step["gradient_norm"].get<double>(),
                   step["not_finite"].get<std::uint64_t>(),
                   step["zeros"].get<std::uint64_t>(),
                   step["largest_activation"].get<double>(),
                   step["saturated"].get<std::uint64_t>(),
                   taken ? "" : "  skipped");
    }
    fmt::print(out, "\n");
}

}  // namespace ascendsim::report
