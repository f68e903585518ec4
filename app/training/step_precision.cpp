// SPDX-License-Identifier: Apache-2.0
#include "app/training/step_precision.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/networks/data_decided.hpp"
#include "app/networks/functional.hpp"
#include "app/networks/training_report.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/training/training_run.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

using networks::Elements;
using nlohmann::ordered_json;

/// One sample on one device, in one pass.
TrainingConfig alone(const TrainingConfig& config) {
    TrainingConfig one = config;
    one.batch = 1;
    one.devices = 1;
    one.tensor = 1;
    one.experts = 1;
    one.pipeline = 1;
    one.interleave = 1;
    one.accumulation = 1;
    return one;
}

/// Losses and gradients.
std::vector<std::string> compared_tensors(const networks::TrainingGraph& step) {
    std::vector<std::string> names = step.losses;
    std::ranges::copy_if(
        step.gradients, std::back_inserter(names), [](const std::string& name) { return !name.empty(); });
    return names;
}

/// What the passes read, and nothing of the optimiser's.
Elements operands_of(const networks::TrainingGraph& step, const networks::NetworkPlan& passes) {
    Elements all = report::input_elements(step.graph, step.shapes, {});
    report::set_first_step(step, {}, all);
    report::add_constants(step.graph, all);
    Elements read;
    for (const networks::PlannedNode& node : passes.nodes) {
        for (const std::string& input : node.inputs) {
            if (const auto found = all.find(input); found != all.end()) {
                read[input] = std::move(found->second);
                all.erase(found);
            }
        }
    }
    return read;
}

struct Sums {
    double error = 0;
    double exact = 0;
    bool finite = true;
};

/// Of one tensor that carries the loss scale.
void add_to(Sums& sums, const std::vector<double>& made, const std::vector<double>& exact, double scale) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double value = made.at(i) / scale;
        sums.finite = sums.finite && std::isfinite(value);
        sums.error += (value - exact[i]) * (value - exact[i]);
        sums.exact += exact[i] * exact[i];
    }
}

double root_of(const Sums& sums) {
    return sums.exact > 0 ? std::sqrt(sums.error / sums.exact) : 0;
}

/// In a process of its own: the passes on the chip, held against the exact ones.
ordered_json compared_on_chip(const networks::TrainingGraph& step,
                              const networks::NetworkPlan& passes,
                              const Elements& elements,
                              const Elements& exact,
                              const ChipSpec& chip,
                              const toolchain::Installation& installation) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const networks::ReadyTasks tasks = networks::ready_tasks(passes, chip, installation);
    std::vector<const runtime::ReadyPlan*> plans;
    for (const auto& task : tasks) {
        task->run.plan.reference = {};  // of each kernel by itself: the whole is compared
        plans.push_back(task.get());
    }
    ordered_json result;
    runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
    request.options.sanitize = false;
    const runtime::SessionOutcome outcome =
        runtime::run_sequence(request, plans, [&](const runtime::RunPlan& run) {
            const Elements made =
                networks::compute(passes, tasks, elements, compared_tensors(step), run).outputs;
            const double scale = elements.contains("loss_scale") ? elements.at("loss_scale").at(0) : 1;
            Sums losses;
            for (const std::string& loss : step.losses) {
                add_to(losses, made.at(loss), exact.at(loss), 1);
            }
            Sums gradients;
            for (const std::string& gradient : step.gradients) {
                if (!gradient.empty()) {
                    add_to(gradients, made.at(gradient), exact.at(gradient), scale);
                }
            }
            result = {{"finite", gradients.finite && losses.finite}};
            if (result["finite"] == true) {
                result["loss"] = root_of(losses);
                result["gradients"] = root_of(gradients);
            }
        });
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    return result;
}

}  // namespace

namespace {

/// What numbers of a step depend on, whatever chip and precision computes them.
std::string numbers_key(const TrainingConfig& config) {
    return fmt::format("{} {} {}",
                       config.network.string(),
                       fmt::join(config.inputs, " "),
                       static_cast<int>(config.options.loss));
}

}  // namespace

const Elements& StepPrecisions::exact(const TrainingConfig& config) {
    const std::string key = numbers_key(config);
    if (const auto found = exact_.find(key); found != exact_.end()) {
        return found->second;
    }
    // Any chip whose kernels take float32: their references do not depend on it.
    TrainingConfig plain = alone(config);
    plain.chip = open_chip("910b3", installation_.chips());
    plain.precision = networks::Precision::as_stated;
    plain.fusing = report::Fusing::none;
    const PlannedStep planned = planned_step(plain, {}, Purpose::numbers);
    const networks::NetworkPlan passes = networks::parts_of(planned.run.plan).passes;
    Elements operands = operands_of(planned.step, passes);
    operands["loss_scale"] = {1};
    return exact_[key] = networks::compute_exactly(
               passes, plain.chip.spec, installation_, std::move(operands), compared_tensors(planned.step));
}

StepPrecision StepPrecisions::of(const TrainingConfig& config, const networks::TimeTasks& time) {
    const std::string key = fmt::format("{} {} {} {}",
                                        numbers_key(config),
                                        config.chip.spec.name,
                                        static_cast<int>(config.precision),
                                        static_cast<int>(config.fusing));
    if (const auto found = known_.find(key); found != known_.end()) {
        return found->second;
    }
    const TrainingConfig one = alone(config);
    const PlannedStep planned = planned_step(one, time, Purpose::numbers);
    const networks::NetworkPlan passes = networks::parts_of(planned.run.plan).passes;
    Elements elements = operands_of(planned.step, passes);
    const Elements& reference = exact(config);
    StepPrecision precision;
    constexpr double first_scale = 65536;  // as a loss scale begins
    for (double scale = config.precision == networks::Precision::half ? first_scale : 1; scale >= 1;
         scale /= 4) {
        elements["loss_scale"] = {scale};
        const runtime::IsolatedResult result = runtime::run_isolated([&] {
            return compared_on_chip(planned.step, passes, elements, reference, one.chip.spec, installation_);
        });
        if (!result.error.empty()) {
            throw UserError{"{}", result.error};
        }
        if (result.value["finite"] == true) {
            precision = {.loss_error = result.value["loss"],
                         .gradient_error = result.value["gradients"],
                         .loss_scale = scale};
            return known_[key] = precision;
        }
    }
    throw UserError{"{}: gradients are not finite with any loss scale", config.title};
}

}  // namespace ascendsim::training
