// SPDX-License-Identifier: Apache-2.0
#include "app/networks/training_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

using networks::Lifetime;
using networks::PlannedNode;
using networks::StepPhase;
using networks::TrainingGraph;
using nlohmann::ordered_json;

constexpr std::array all_phases{StepPhase::forward, StepPhase::backward, StepPhase::optimiser};

/// What a part of the step comes to.
struct PhaseSums {
    std::uint64_t kernels = 0;
    double time_us = 0;
    double flops = 0;
};

StepPhase phase_of_node(const PlannedNode& node) {
    return networks::phase_of(node.outputs.empty() ? std::string_view{} : node.outputs.front());
}

std::array<PhaseSums, 3> sums_of_phases(const NetworkRun& run) {
    std::array<PhaseSums, 3> sums;
    auto result = run.results.begin();
    for (const PlannedNode& node : run.plan.nodes) {
        PhaseSums& phase = sums.at(static_cast<std::size_t>(phase_of_node(node)));
        phase.kernels += node.tasks.size();
        phase.flops += networks::stated_flops(node, run.plan.tensors);
        for (std::size_t i = 0; i < node.tasks.size(); ++i) {
            phase.time_us += result++->time_us;
        }
    }
    return sums;
}

/// Bytes of one kind that are alive at each node.
using AtNodes = std::vector<std::uint64_t>;

/// What is alive between the operators of a step.
struct StepMemory {
    AtNodes activations;      // of the forward pass
    AtNodes gradients;        // of weights
    AtNodes temporaries;      // of the backward pass
    std::uint64_t saved = 0;  // activations that the backward pass reads

    [[nodiscard]] std::uint64_t all(std::size_t node) const {
        return activations[node] + gradients[node] + temporaries[node];
    }
};

/// The tensors in whose memory the weights' gradients are: of a view, its operand.
std::set<std::string, std::less<>> gradients_of_weights(const NetworkRun& run, const TrainingGraph& step) {
    std::set<std::string, std::less<>> gradients{step.gradients.begin(), step.gradients.end()};
    for (std::size_t i = run.plan.nodes.size(); i-- > 0;) {
        const PlannedNode& node = run.plan.nodes[i];
        if (node.tasks.empty() && !node.inputs.empty() && !node.outputs.empty() &&
            gradients.contains(node.outputs.front())) {
            gradients.insert(node.inputs.front());
        }
    }
    return gradients;
}

StepMemory memory_of(const NetworkRun& run, const TrainingGraph& step) {
    const std::set<std::string, std::less<>> gradients = gradients_of_weights(run, step);
    const std::size_t count = run.plan.nodes.size();
    StepMemory memory{
        .activations = AtNodes(count), .gradients = AtNodes(count), .temporaries = AtNodes(count)};
    for (const Lifetime& life : networks::lifetimes(run.plan, step.losses)) {
        const bool forward = networks::phase_of(life.tensor) == StepPhase::forward;
        AtNodes& kind = forward                           ? memory.activations
                        : gradients.contains(life.tensor) ? memory.gradients
                                                          : memory.temporaries;
        for (std::size_t node = life.first; node <= std::min(life.last, count - 1); ++node) {
            kind[node] += life.bytes;
        }
        const bool saved =
            forward && life.last < count && phase_of_node(run.plan.nodes[life.last]) == StepPhase::backward;
        memory.saved += saved ? life.bytes : 0;
    }
    return memory;
}

/// Bytes of inputs of a kind: of weights as they are held, or of the optimiser.
std::uint64_t bytes_of_inputs(const NetworkRun& run, const TrainingGraph& step, bool optimiser) {
    const std::set<std::string, std::less<>> parameters{step.parameters.begin(), step.parameters.end()};
    std::uint64_t bytes = 0;
    for (const networks::Input& input : step.graph.inputs) {
        const bool state = input.name.starts_with("master/") || input.name.starts_with("moment/") ||
                           input.name.starts_with("variance/");
        if (optimiser ? state : parameters.contains(input.name)) {
            bytes += run.plan.tensors.at(input.name).bytes();
        }
    }
    return bytes;
}

std::string operator_name(const PlannedNode& node) {
    return node.name.empty() ? node.op : node.name;
}

ordered_json memory_json(const NetworkRun& run, const TrainingGraph& step) {
    const StepMemory memory = memory_of(run, step);
    std::size_t peak = 0;
    for (std::size_t node = 0; node < run.plan.nodes.size(); ++node) {
        peak = memory.all(node) > memory.all(peak) ? node : peak;
    }
    const std::uint64_t weights = bytes_of_inputs(run, step, false);
    const std::uint64_t states = bytes_of_inputs(run, step, true);
    std::uint64_t inputs = 0;
    for (const networks::Input& input : step.graph.inputs) {
        inputs += run.plan.tensors.at(input.name).bytes();
    }
    inputs -= weights + states;
    return {{"weight_bytes", weights},
            {"optimiser_bytes", states},
            {"input_bytes", inputs},
            {"peak_bytes", weights + states + inputs + memory.all(peak)},
            {"peak_operator", operator_name(run.plan.nodes.at(peak))},
            {"peak_phase", networks::name(phase_of_node(run.plan.nodes[peak]))},
            {"at_peak",
             {{"activation_bytes", memory.activations[peak]},
              {"gradient_bytes", memory.gradients[peak]},
              {"temporary_bytes", memory.temporaries[peak]}}},
            {"saved_bytes", memory.saved}};
}

}  // namespace

double peak_flops(const ChipSpec& chip, isa::DataType type) {
    const double depth = static_cast<double>(chip.cube.k0_bytes) * 8 / isa::bits(type);
    const double steps = type == isa::DataType::float32 ? chip.cube.fp32_slowdown : 1;
    constexpr double hz_a_ghz = 1e9;
    return 2 * static_cast<double>(chip.cube.m0 * chip.cube.n0) * depth / steps * chip.cores.aic *
           chip.cores.clock_ghz * hz_a_ghz;
}

ordered_json training_json(const NetworkRun& run,
                           const TrainingGraph& step,
                           networks::Optimiser optimiser,
                           const ChipSpec& chip) {
    const std::array<PhaseSums, 3> sums = sums_of_phases(run);
    double time_us = 0;
    double flops = 0;
    for (const PhaseSums& phase : sums) {
        time_us += phase.time_us;
        flops += phase.flops;
    }
    ordered_json figures{{"optimiser", networks::name(optimiser)}, {"losses", step.losses}};
    for (const StepPhase phase : all_phases) {
        const PhaseSums& sum = sums.at(static_cast<std::size_t>(phase));
        figures["phases"][std::string{networks::name(phase)}] = {
            {"kernels", sum.kernels},
            {"time_us", sum.time_us},
            {"share", time_us > 0 ? sum.time_us / time_us : 0},
            {"flops", sum.flops}};
    }
    figures["memory"] = memory_json(run, step);
    const isa::DataType type = run.plan.tensors.at(step.parameters.at(0)).type;
    constexpr double us_a_s = 1e6;
    figures["flops"] = flops;
    figures["mfu"] = time_us > 0 ? flops / (time_us / us_a_s) / peak_flops(chip, type) : 0;
    figures["without_gradient"] = ordered_json::array();
    for (std::size_t i = 0; i < step.parameters.size(); ++i) {
        if (step.gradients[i].empty()) {
            figures["without_gradient"].push_back(step.parameters[i]);
        }
    }
    return figures;
}

void print_training(std::ostream& out, const ordered_json& training) {
    const auto bytes = [](const ordered_json& value) { return bytes_text(value.get<double>()); };
    fmt::print(out, "  {:<12}{:>9}{:>12}{:>8}{:>12}\n", "phase", "kernels", "time", "share", "GFLOP");
    for (const auto& [name, phase] : training["phases"].items()) {
        fmt::print(out,
                   "  {:<12}{:>9}{:>12}{:>8}{:>12.4g}\n",
                   name,
                   phase["kernels"].get<std::uint64_t>(),
                   time_text(phase["time_us"]),
                   percent_text(phase["share"]),
                   phase["flops"].get<double>() / 1e9);
    }
    const ordered_json& memory = training["memory"];
    fmt::print(out,
               "\n  step        {} of {:.4g} GFLOP: {} of the chip's peak (MFU)\n",
               training["optimiser"].get<std::string>(),
               training["flops"].get<double>() / 1e9,
               percent_text(training["mfu"]));
    fmt::print(out,
               "  memory      {} at most, in {} '{}':\n"
               "              weights {}, optimiser {}, inputs {}, activations {}, gradients {}, other {}\n"
               "              {} of activations wait for the backward pass\n",
               bytes(memory["peak_bytes"]),
               memory["peak_phase"].get<std::string>(),
               memory["peak_operator"].get<std::string>(),
               bytes(memory["weight_bytes"]),
               bytes(memory["optimiser_bytes"]),
               bytes(memory["input_bytes"]),
               bytes(memory["at_peak"]["activation_bytes"]),
               bytes(memory["at_peak"]["gradient_bytes"]),
               bytes(memory["at_peak"]["temporary_bytes"]),
               bytes(memory["saved_bytes"]));
    if (const ordered_json& idle = training["without_gradient"]; !idle.empty()) {
        fmt::print(out, "              the loss does not depend on {} of the weights\n", idle.size());
    }
    fmt::print(out, "\n");
}

void set_first_step(const TrainingGraph& step,
                    const std::vector<std::string>& files,
                    networks::Elements& elements) {
    const auto from_file = [&files](const std::string& name) {
        return std::ranges::any_of(files,
                                   [&name](const std::string& file) { return file.starts_with(name + "="); });
    };
    for (const networks::Input& input : step.graph.inputs) {
        if (from_file(input.name)) {
            continue;
        }
        std::vector<double>& values = elements[input.name];
        if (const auto scalar = step.scalars.find(input.name); scalar != step.scalars.end()) {
            values = {scalar->second};
        } else if (input.name.starts_with("master/")) {
            values = elements.at(input.name.substr(std::string_view{"master/"}.size()));
        } else if (input.name.starts_with("moment/") || input.name.starts_with("variance/")) {
            std::ranges::fill(values, 0);
        }
    }
}

namespace {

template <class T>
T chosen(std::string_view option, const std::string& word, const std::map<std::string, T>& choices) {
    if (const auto found = choices.find(word); found != choices.end()) {
        return found->second;
    }
    std::vector<std::string> words;
    for (const auto& [choice, value] : choices) {
        if (!choice.empty()) {
            words.push_back(choice);
        }
    }
    throw UserError{"{} {}: {}{}", option, word, fmt::join(words, ", "), nearest_hint(word, words)};
}

}  // namespace

networks::TrainingOptions training_options(const std::string& optimiser, const std::string& loss) {
    using networks::Loss;
    using networks::Optimiser;
    static const std::map<std::string, Optimiser> optimisers{{"", Optimiser::adamw},
                                                             {"sgd", Optimiser::sgd},
                                                             {"adam", Optimiser::adam},
                                                             {"adamw", Optimiser::adamw}};
    static const std::map<std::string, Loss> losses{{"", Loss::automatic},
                                                    {"cross_entropy", Loss::cross_entropy},
                                                    {"mean_square", Loss::mean_square},
                                                    {"sum", Loss::sum}};
    return {.optimiser = chosen("--optimizer", optimiser, optimisers),
            .loss = chosen("--loss", loss, losses)};
}

}  // namespace ascendsim::report
