// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/training/training_text.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

/// What a device takes for a sample, and what its network then has to do.
StepParts parts_of_step(const TrainingConfig& config, const StepProfile& profile, CollectiveTimes& known) {
    TrainingConfig apart = config;
    apart.overlap = false;
    const StepTimes step = times_of(apart, profile, known);
    const double passes = static_cast<double>(config.batch) * config.accumulation;
    return {.sample_us = (step.step_us - step.optimiser_us - step.communication_us) / passes,
            .update_us = step.optimiser_us,
            .network_us = step.communication_us};
}

/// Memory of a pass of `batch` samples, on the line through those of one and of two.
LayerMemory of_samples(const LayerMemory& one, const LayerMemory& two, std::uint64_t batch) {
    LayerMemory memory = one;
    for (std::uint64_t LayerMemory::*part :
         {&LayerMemory::inputs, &LayerMemory::saved, &LayerMemory::working}) {
        const std::uint64_t more = two.*part - std::min(two.*part, one.*part);
        memory.*part += more * (batch - 1);
    }
    return memory;
}

/// Memory of a batch with which a kernel cannot run; nothing if none runs with fewer samples either.
std::optional<LayerMemory> memory_of_refused(const TrainingConfig& config, const networks::TimeTasks& time) {
    TrainingConfig few = config;
    few.fusing = report::Fusing::none;
    try {
        few.batch = 1;
        const LayerMemory one = memory_of(planned_step(few, time));
        few.batch = 2;
        const LayerMemory two = memory_of(planned_step(few, time));
        return of_samples(one, two, config.batch);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

PlannedStep planned_or_too_large(const TrainingConfig& config, const networks::TimeTasks& time) {
    try {
        return planned_step(config, time);
    } catch (const UserError&) {
        // A batch with which a kernel cannot run is often too large for the device first.
        if (const auto memory = config.batch > 2 ? memory_of_refused(config, time) : std::nullopt) {
            check_memory(config, memory_of(config, *memory));
        }
        throw;
    }
}

}  // namespace

TrainingFigures train(const TrainingConfig& config, const networks::TimeTasks& time) {
    PlannedStep planned = planned_or_too_large(config, time);
    TrainingFigures figures{
        .step = {}, .memory = {}, .scaling = {}, .notes = {}, .memory_over_step = {}, .inputs = {}};
    figures.memory = memory_of(config, memory_of(planned));
    check_memory(config, figures.memory);
    std::vector<networks::Task> tasks;
    for (const networks::PlannedNode& node : planned.run.plan.nodes) {
        tasks.insert(tasks.end(), node.tasks.begin(), node.tasks.end());
    }
    planned.run.results = time(tasks);
    const StepProfile profile = profile_of(config, planned);
    CollectiveTimes known;
    figures.step = times_of(config, profile, known);
    for (const std::uint32_t devices : config.scaling) {
        figures.scaling.push_back(times_of(on_devices(config, devices), profile, known));
    }
    if (config.input.workers > 0) {
        const StepParts parts = parts_of_step(config, profile, known);
        for (const InputMode& mode : input_modes()) {
            figures.inputs.push_back(run_with_inputs(config, parts, mode));
        }
    }
    figures.flops = profile.flops;
    figures.parameters = profile.parameters * config.layers;
    figures.notes = profile.notes;
    figures.memory_over_step = memory_over_step(config, profile.memory, figures.step);
    return figures;
}

std::map<std::string, double> trained_figures(const std::filesystem::path& file,
                                              const std::vector<std::string>& settings,
                                              const toolchain::Installation& installation,
                                              std::size_t jobs) {
    const TrainingConfig config = read_training(file, installation, settings);
    const TrainingFigures figures = train(config, [&](const std::vector<networks::Task>& tasks) {
        return run_tasks(tasks, config.chip.spec, installation, {.jobs = jobs, .progress = {}});
    });
    const StepTimes& step = figures.step;
    std::map<std::string, double> all{{"step_us", step.step_us},
                                      {"samples_per_s", step.samples_per_s},
                                      {"tokens_per_s", step.samples_per_s * std::max(1U, config.tokens)},
                                      {"work_per_joule", work_a_joule(config, step)},
                                      {"mfu", step.mfu},
                                      {"memory_bytes", static_cast<double>(figures.memory.all())},
                                      {"activation_bytes", static_cast<double>(figures.memory.activations)}};
    if (!figures.scaling.empty()) {
        const StepTimes& first = figures.scaling.front();
        const StepTimes& last = figures.scaling.back();
        all["scaling_efficiency"] = last.samples_per_s / last.devices / (first.samples_per_s / first.devices);
    }
    for (std::size_t i = 0; i < figures.inputs.size(); ++i) {
        all[fmt::format("inputs_{}_per_s", i)] = figures.inputs[i].samples_per_s;
    }
    return all;
}

}  // namespace ascendsim::training
