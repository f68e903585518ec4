// SPDX-License-Identifier: Apache-2.0
#include "app/training/step_profile.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "app/networks/network_energy.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

using networks::Lifetime;
using networks::PlannedNode;
using networks::StepPhase;

StepPhase phase_of_node(const PlannedNode& node) {
    return networks::phase_of(node.outputs.empty() ? std::string{} : node.outputs.front());
}

std::uint64_t bytes_of_input(const PlannedStep& planned, const std::string& name) {
    return planned.run.plan.tensors.at(name).bytes();
}

/// The tensor in whose memory each is: of a view, its operand.
std::map<std::string, std::string> bases_of(const networks::NetworkPlan& plan) {
    std::map<std::string, std::string> bases;
    for (const PlannedNode& node : plan.nodes) {
        for (const std::string& output : node.outputs) {
            const bool view = node.tasks.empty() && !node.inputs.empty();
            const auto base = view ? bases.find(node.inputs.front()) : bases.end();
            bases[output] = base != bases.end() ? base->second : view ? node.inputs.front() : output;
        }
    }
    return bases;
}

/// Time of a task with the host that issues it: a captured graph waits for no host.
double issued_us(const TrainingConfig& config, double us) {
    return config.mode == node::IssueMode::graph ? us : node::call_us(config.host, config.mode, us);
}

}  // namespace

double StepProfile::backward_us() const {
    return std::accumulate(
        backward.begin(), backward.end(), 0.0, [](double sum, const Piece& piece) { return sum + piece.us; });
}

PlannedStep planned_step(const TrainingConfig& config) {
    const networks::Graph graph =
        networks::with_open_batch(networks::read_onnx(config.network, networks::Weights::small));
    const auto shapes = bind_inputs(graph, config.inputs, config.batch);
    const networks::Lowering lowering{.precision = config.precision, .chip = config.chip.spec};
    PlannedStep planned{.step = training_graph(graph, shapes, lowering, config.options), .run = {}};
    planned.run.name = graph.name;
    planned.run.chip = config.chip.spec.name;
    planned.run.plan = plan_network(planned.step.graph, planned.step.shapes, lowering);
    for (PlannedNode& node : planned.run.plan.nodes) {
        if (!node.refusal.empty()) {
            throw UserError{"{} '{}': {}", node.op, node.outputs.at(0), node.refusal};
        }
        std::erase_if(node.tasks, [](const networks::Task& task) { return !task.timed && !task.on_host; });
    }
    return planned;
}

LayerMemory memory_of(const PlannedStep& planned) {
    LayerMemory memory;
    const std::set<std::string> parameters{planned.step.parameters.begin(), planned.step.parameters.end()};
    for (const networks::Input& input : planned.step.graph.inputs) {
        const std::uint64_t bytes = bytes_of_input(planned, input.name);
        const bool state = input.name.starts_with("master/") || input.name.starts_with("moment/") ||
                           input.name.starts_with("variance/");
        const bool of_loss = input.name.starts_with("labels") || input.name.starts_with("target") ||
                             planned.step.scalars.contains(input.name);
        (parameters.contains(input.name) ? memory.weights
         : state                         ? memory.optimiser
         : of_loss                       ? memory.working
                                         : memory.inputs) += bytes;
    }
    const networks::NetworkPlan& plan = planned.run.plan;
    const std::map<std::string, std::string> bases = bases_of(plan);
    std::set<std::string> gradients;
    for (const std::string& gradient : planned.step.gradients) {
        if (const auto base = bases.find(gradient); base != bases.end()) {
            gradients.insert(base->second);
            memory.gradients += plan.tensors.at(gradient).bytes();
        }
    }
    std::vector<std::uint64_t> working(plan.nodes.size() + 1, 0);
    for (const Lifetime& life : lifetimes(plan, planned.step.losses)) {
        const bool saved = networks::phase_of(life.tensor) == StepPhase::forward &&
                           life.last < plan.nodes.size() &&
                           phase_of_node(plan.nodes[life.last]) == StepPhase::backward;
        if (saved) {
            memory.saved += life.bytes;
        } else if (!gradients.contains(life.tensor)) {
            for (std::size_t node = life.first; node <= std::min(life.last, plan.nodes.size()); ++node) {
                working[node] += life.bytes;
            }
        }
    }
    memory.working += *std::ranges::max_element(working);
    return memory;
}

StepProfile profile_of(const TrainingConfig& config, const PlannedStep& planned) {
    StepProfile profile{.memory = memory_of(planned), .backward = {}, .notes = {}};
    PowerSpec power = config.chip.power;
    const nlohmann::json metadata{{"power", to_json(fields_of(power))}};
    std::map<std::string, std::uint64_t> gradients;
    for (std::size_t i = 0; i < planned.step.parameters.size(); ++i) {
        profile.parameters += host::elements(planned.step.shapes.at(planned.step.parameters[i]));
        if (const std::string& gradient = planned.step.gradients[i]; !gradient.empty()) {
            gradients[gradient] += planned.run.plan.tensors.at(gradient).bytes();
        }
    }
    profile.backward.emplace_back();
    auto result = planned.run.results.begin();
    for (const PlannedNode& node : planned.run.plan.nodes) {
        const StepPhase phase = phase_of_node(node);
        profile.flops += networks::stated_flops(node, planned.run.plan.tensors);
        for (const networks::Task& task : node.tasks) {
            if (!result->error.empty()) {
                throw UserError{"{} '{}': {}", node.op, node.outputs.at(0), result->error};
            }
            if (task.on_host) {
                profile.notes.push_back(node.op + " on the AI CPU: not timed");
            }
            const double us = task.on_host ? 0 : issued_us(config, result->time_us);
            (phase == StepPhase::forward    ? profile.forward_us
             : phase == StepPhase::backward ? profile.backward.back().us
                                            : profile.optimiser_us) += us;
            (phase == StepPhase::optimiser ? profile.update_joules : profile.joules) +=
                report::dynamic_joules(*result++, metadata);
        }
        for (const std::string& output : node.outputs) {
            if (const auto ready = gradients.find(output); ready != gradients.end()) {
                profile.backward.back().gradient_bytes += ready->second;
                profile.backward.emplace_back();
            }
        }
    }
    return profile;
}

}  // namespace ascendsim::training
