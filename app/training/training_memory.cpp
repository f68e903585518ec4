// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/report/style.hpp"
#include "app/training/pipeline_order.hpp"
#include "app/training/training_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

std::uint64_t shared(std::uint64_t bytes, std::uint64_t copies) {
    return (bytes + copies - 1) / copies;
}

/// What stays the same over the step, and the largest that working memory gets.
DeviceMemory lasting(const TrainingConfig& config, const LayerMemory& memory) {
    const std::uint64_t layers = config.layers / config.pipeline;
    const std::uint64_t copies = config.copies();
    const std::uint64_t weights = memory.weights * layers;
    DeviceMemory held{
        .weights = config.zero >= 3 ? shared(weights, copies) + memory.weights : weights,
        .optimiser = static_cast<std::uint64_t>(
            static_cast<double>(memory.optimiser * layers) * share_of_state(config, memory) + 0.5),
        .when = {}};
    const std::uint64_t bucket = copies > 1 ? std::min(config.bucket_bytes, memory.gradients * layers) : 0;
    held.working = memory.working + memory.inputs + bucket;
    return held;
}

double time_of(const StepTimes& step, const std::string& work) {
    double us = 0;
    for (const StepSpan& span : step.spans) {
        us += span.lane == "device 0" && span.name == work ? span.end_us - span.start_us : 0;
    }
    return us;
}

}  // namespace

double share_of_state(const TrainingConfig& config, const LayerMemory& memory) {
    if (config.zero == 0 || memory.weights == 0) {
        return 1;
    }
    const double experts = static_cast<double>(memory.expert_weights) / static_cast<double>(memory.weights);
    const double copies = config.copies();
    return (1 - experts) / copies + experts / (copies / config.experts);
}

DeviceMemory memory_of(const TrainingConfig& config, const LayerMemory& memory) {
    const std::uint64_t layers = config.layers / config.pipeline;
    const std::uint64_t gradients = memory.gradients * layers;
    const std::uint64_t bucket = config.copies() > 1 ? std::min(config.bucket_bytes, gradients) : 0;
    DeviceMemory most = lasting(config, memory);
    // Passes that wait for their backward pass on the first stage, through the layers of a chunk each.
    const std::uint64_t waiting =
        most_waiting(pipeline_order(0, config.pipeline, config.interleave, config.accumulation)) * layers /
        config.interleave;
    const std::uint64_t kept =
        config.recompute ? waiting * memory.inputs + memory.saved : waiting * memory.saved;
    const std::uint64_t own = config.zero >= 2 ? shared(gradients, config.copies()) + bucket : gradients;
    if (config.accumulation > 1 || layers == 1) {
        most.activations = kept;
        most.gradients = own;
        most.when = config.inference          ? "the forward pass"
                    : config.accumulation > 1 ? "a backward pass that adds to gradients"
                                              : "the backward pass";
        return most;
    }
    if (config.inference) {
        most.when = "the forward pass";
        return most;
    }
    // In one pass over several layers, gradients come as activations go.
    const std::uint64_t last_saved = config.recompute ? memory.inputs + memory.saved : memory.saved;
    const bool first = kept >= last_saved + own;
    most.activations = first ? kept : last_saved;
    most.gradients = first ? std::min(own, memory.gradients) : own;
    most.when = first ? "the last layer's backward pass, which is the first to run"
                      : "the first layer's backward pass, which is the last to run";
    return most;
}

void check_memory(const TrainingConfig& config, const DeviceMemory& memory) {
    const auto room = static_cast<std::uint64_t>(config.chip.spec.hbm.bytes);
    if (memory.all() <= room) {
        return;
    }
    const auto text = [](std::uint64_t bytes) { return report::bytes_text(static_cast<double>(bytes)); };
    std::vector<std::string> ways;
    if (!config.recompute) {
        ways.emplace_back("recompute = true");
    }
    if (config.zero < 3 && config.copies() > 1 && config.pipeline == 1 &&
        (config.experts == 1 || config.zero == 0)) {
        ways.push_back(fmt::format("zero = {}", config.zero + 1));
    }
    if (config.copies() > 1) {
        ways.push_back(fmt::format("tensor = {}", 2 * config.tensor));
    }
    if (config.batch > 1) {
        ways.emplace_back("a smaller batch");
    }
    throw UserError{
        "it does not fit: {} for weights {}, optimiser {}, gradients {}, activations {} and {} to work with, "
        "in {}; a {} has {}: {} too much{}{}",
        text(memory.all()),
        text(memory.weights),
        text(memory.optimiser),
        text(memory.gradients),
        text(memory.activations),
        text(memory.working),
        memory.when,
        config.chip.spec.name,
        text(room),
        text(memory.all() - room),
        ways.empty() ? "" : "; try ",
        fmt::format("{}", fmt::join(ways, ", "))};
}

std::vector<MemoryMoment> memory_over_step(const TrainingConfig& config,
                                           const LayerMemory& memory,
                                           const StepTimes& step) {
    const DeviceMemory held = lasting(config, memory);
    const double layers = static_cast<double>(config.layers) / config.pipeline / config.interleave;
    const double of_forward = layers * static_cast<double>(config.recompute ? memory.inputs : memory.saved);
    const double gradients = static_cast<double>(memory.gradients) * layers;
    const double kept = config.zero >= 2 ? gradients / config.copies() : gradients;
    const double passes = static_cast<double>(config.accumulation) * config.interleave;
    const double forward_us = time_of(step, "forward") / passes;  // of one pass through a chunk
    const double backward_us = time_of(step, "backward") / passes;
    double activations = 0;
    double own = 0;
    double work = 0;
    std::vector<MemoryMoment> moments{{0, held}};
    moments[0].memory.working = 0;
    for (const StepSpan& span : step.spans) {
        if (span.lane != "device 0") {
            continue;
        }
        const double us = span.end_us - span.start_us;
        if (span.name == "forward" && forward_us > 0) {
            activations += of_forward * us / forward_us;
        } else if (span.name == "backward" && backward_us > 0) {
            const double share = us / backward_us;
            activations = std::max(0.0, activations - of_forward * share);
            own = std::min(kept * config.interleave, own + kept * share);
        }
        work = span.name == "optimiser" ? 0 : static_cast<double>(held.working);
        MemoryMoment moment{span.end_us, held};
        moment.memory.activations = static_cast<std::uint64_t>(activations);
        moment.memory.gradients = static_cast<std::uint64_t>(span.name == "optimiser" ? 0 : own);
        moment.memory.working = static_cast<std::uint64_t>(work);
        moments.push_back(moment);
    }
    return moments;
}

}  // namespace ascendsim::training
