// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/report/style.hpp"
#include "app/training/input_pipeline.hpp"
#include "app/training/step_precision.hpp"
#include "app/training/training_run.hpp"

namespace ascendsim::training {

/// What was found of a configuration.
struct TrainingFigures {
    StepTimes step;
    DeviceMemory memory;
    std::vector<StepTimes> scaling;  // by number of devices, the batch of each as it is
    double flops = 0;                // of a device's step
    std::uint64_t parameters = 0;    // of the whole network
    std::vector<std::string> notes;
    std::vector<MemoryMoment> memory_over_step;
    std::vector<InputRun> inputs;  // with the host's part, where the file has one
};

/// Plans and simulates a step: `time` simulates kernels. Throws UserError for what does not fit, before it
/// simulates anything, and for operators that cannot run.
[[nodiscard]] TrainingFigures train(const TrainingConfig& config, const networks::TimeTasks& time);

/// The same of a file, by name: step_us, samples_per_s, tokens_per_s, work_per_joule, mfu, memory_bytes,
/// activation_bytes, scaling_efficiency (of the last of `scaling`, by the first), and inputs_<n>_per_s of
/// input_modes().
[[nodiscard]] std::map<std::string, double> trained_figures(const std::filesystem::path& file,
                                                            const std::vector<std::string>& settings,
                                                            const toolchain::Installation& installation,
                                                            std::size_t jobs);

/// A rung of a ladder with what was found, or why it cannot run.
struct ClimbedRung {
    std::string name;
    TrainingConfig config;
    TrainingFigures figures;
    std::string problem;
    std::optional<StepPrecision> precision{};  // if it was computed
    std::string why_no_precision{};
};

/// Tokens, or samples where those are not counted, for each joule.
[[nodiscard]] double work_a_joule(const TrainingConfig& config, const StepTimes& step);

/// A line for each rung; the first is the configuration as it is.
[[nodiscard]] std::string ladder_text(const std::vector<ClimbedRung>& rungs);

/// [{name, step_us, samples_per_s, tokens_per_s, work_per_joule, memory_bytes, precision, gradient_error,
/// loss_error, precision_percent, loss_scale}] (errors if they were computed) or {name, problem}.
[[nodiscard]] nlohmann::ordered_json ladder_json(const std::vector<ClimbedRung>& rungs);

/// Parts of the step by their names in reports, which add up to it; those that take time.
[[nodiscard]] std::vector<std::pair<std::string, double>> parts_of(const StepTimes& step);
/// "8 x 910b3: 2 copies of 4 stages, …".
[[nodiscard]] std::string layout_text(const TrainingConfig& config, const StepTimes& step);

/// For people.
[[nodiscard]] std::string training_text(const TrainingConfig& config,
                                        const TrainingFigures& figures,
                                        const report::Style& style);

/// For programs: network, chip, devices, copies, pipeline, interleave, tensor, experts, accumulation, batch,
/// samples (of a step), parameters, step_us, parts_us.{forward, backward, recompute, exchange, optimiser,
/// bubble, communication} that add up to it, collectives_us, samples_per_s, mfu, joules, memory.{weights,
/// optimiser, gradients, activations, working, all, capacity (B), when}, scaling[].{devices, step_us,
/// samples_per_s, efficiency, mfu, joules}, inputs[].{name, samples_per_s, host_busy, device_busy,
/// network_busy, queued}, tokens_per_s, work_per_joule, notes.
[[nodiscard]] nlohmann::ordered_json training_json(const TrainingConfig& config,
                                                   const TrainingFigures& figures);

}  // namespace ascendsim::training
