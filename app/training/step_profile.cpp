// SPDX-License-Identifier: Apache-2.0
#include "app/training/step_profile.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "app/networks/network_energy.hpp"
#include "models/node/call_sums.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/parallel/share_layers.hpp"
#include "networks/run/wide_ranges.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::training {
namespace {

using networks::Lifetime;
using networks::Node;
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

/// For how long host threads are busy with its call.
double calling_us(const TrainingConfig& config, double us) {
    node::CallSums call;
    call.add(config.host, config.mode, us);
    return call.host_us();
}

/// What a node that stands for an exchange moves; nothing of others.
std::optional<Exchange> exchange_of(const PlannedNode& node, const networks::Tensors& tensors) {
    const auto bytes = [&] { return tensors.at(node.inputs.at(0)).bytes(); };
    if (node.op == "ShareSum") {
        return Exchange{node::CollectiveKind::all_reduce, bytes(), false};
    }
    if (node.op == "ShareGather") {
        return Exchange{node::CollectiveKind::all_gather, bytes(), false};
    }
    if (node.op == "ShareHalo") {  // what it makes beyond what it takes, half of it to each neighbour
        const std::uint64_t more = tensors.at(node.outputs.at(0)).bytes() - bytes();
        return Exchange{node::CollectiveKind::send_receive, (more + 1) / 2, false};
    }
    if (node.op == "ExpertSend" || node.op == "ExpertReturn") {
        return Exchange{node::CollectiveKind::all_to_all, bytes(), true};
    }
    return std::nullopt;
}

constexpr std::string_view sum_prefix = "gradient_sum/";

bool is_sum(const PlannedNode& node) {
    return node.outputs.at(0).starts_with("backward/gradient_sum/");
}

/// Copies of a strip on all devices of a layer.
std::uint64_t parts_of(const TrainingConfig& config, const PlannedStep& planned, const std::string& weight) {
    return planned.experts.contains(weight)  ? config.experts
           : planned.strips.contains(weight) ? config.tensor
                                             : 1;
}

/// Each gradient is added to the sum of those of passes before, as a framework does it: one by one.
void add_sums(networks::TrainingGraph& step, const TrainingConfig& config) {
    for (std::size_t i = 0; i < step.parameters.size(); ++i) {
        if (step.gradients[i].empty()) {
            continue;
        }
        const std::string sum = std::string{sum_prefix} + step.parameters[i];
        const host::Shape& shape = step.shapes.at(step.parameters[i]);
        step.graph.inputs.push_back({.name = sum,
                                     .type = isa::DataType::float32,
                                     .shape = {shape.begin(), shape.end()},
                                     .keeps_type = config.precision != networks::Precision::half});
        step.shapes[sum] = shape;
        step.graph.nodes.push_back({.name = "backward/" + sum,
                                    .op = "Add",
                                    .inputs = {step.gradients[i], sum},
                                    .outputs = {"backward/" + sum},
                                    .attributes = {}});
    }
}

/// As --fuse does. Gradients must stay results of their own, which collectives take.
void join_operators(PlannedStep& planned,
                    const TrainingConfig& config,
                    const networks::Lowering& lowering,
                    const networks::TimeTasks& time) {
    networks::Graph& graph = planned.step.graph;
    for (const std::string& gradient : planned.step.gradients) {
        if (!gradient.empty() && std::ranges::find(graph.outputs, gradient) == graph.outputs.end()) {
            graph.outputs.push_back(gradient);
        }
    }
    for (const Node& node : graph.nodes) {
        if (node.outputs.at(0).starts_with("backward/gradient_sum/")) {
            graph.outputs.push_back(node.outputs[0]);
        }
    }
    report::FusedNetwork fused =
        report::fuse_network({graph, planned.step.shapes, lowering}, planned.run.plan, config.fusing, time);
    graph = std::move(fused.graph);
    planned.run.plan = std::move(fused.plan);
}

/// The network as it is: all its weights, and none with a gradient.
networks::TrainingGraph forward_step(const networks::Graph& graph,
                                     const std::map<std::string, host::Shape, std::less<>>& shapes) {
    networks::TrainingGraph step{
        .graph = graph, .shapes = shapes, .parameters = {}, .gradients = {}, .losses = {}, .scalars = {}};
    for (const networks::Input& input : graph.inputs) {
        if (networks::is_weight(input.name)) {
            step.parameters.push_back(input.name);
            step.gradients.emplace_back();
        }
    }
    return step;
}

}  // namespace

double StepProfile::backward_us() const {
    return std::accumulate(
        backward.begin(), backward.end(), 0.0, [](double sum, const Piece& piece) { return sum + piece.us; });
}

PlannedStep planned_step(const TrainingConfig& config, const networks::TimeTasks& time, Purpose purpose) {
    const networks::Graph graph =
        networks::with_open_batch(networks::read_onnx(config.network, networks::Weights::small));
    const networks::Lowering lowering{.precision = config.precision, .chip = config.chip.spec};
    networks::SharedLayers layers{.graph = graph,
                                  .shapes = bind_inputs(graph, config.inputs, config.batch),
                                  .strips = {},
                                  .experts = {}};
    const bool slabs = config.cut == LayerCut::slabs;
    const networks::LayerSharing sharing{
        .tensor = slabs ? 1 : config.tensor, .experts = config.experts, .slabs = slabs ? config.tensor : 1};
    if (sharing.shares()) {
        layers = share_layers(graph, layers.shapes, lowering, sharing);
    }
    if (config.inference) {  // training_graph() does it by itself
        layers.graph = networks::with_wide_ranges(std::move(layers.graph), layers.shapes, lowering);
    }
    PlannedStep planned{.step = config.inference
                                    ? forward_step(layers.graph, layers.shapes)
                                    : training_graph(layers.graph, layers.shapes, lowering, config.options),
                        .strips = std::move(layers.strips),
                        .experts = std::move(layers.experts),
                        .run = {}};
    if (config.accumulation > 1) {
        add_sums(planned.step, config);
    }
    planned.run.name = graph.name;
    planned.run.chip = config.chip.spec.name;
    planned.run.plan = plan_network(planned.step.graph, planned.step.shapes, lowering);
    if (config.fusing != report::Fusing::none) {
        join_operators(planned, config, lowering, time);
    }
    for (PlannedNode& node : planned.run.plan.nodes) {
        if (!node.refusal.empty()) {
            throw UserError{"{} '{}': {}", node.op, node.outputs.at(0), node.refusal};
        }
        if (purpose == Purpose::times) {
            std::erase_if(node.tasks,
                          [](const networks::Task& task) { return !task.timed && !task.on_host; });
        }
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
        if (input.name.starts_with(sum_prefix)) {
            continue;  // counted as gradients
        }
        const bool of_loss = input.name.starts_with("labels") || input.name.starts_with("target") ||
                             planned.step.scalars.contains(input.name);
        (parameters.contains(input.name) ? memory.weights
         : state                         ? memory.optimiser
         : of_loss                       ? memory.working
                                         : memory.inputs) += bytes;
        memory.expert_weights += planned.experts.contains(input.name) ? bytes : 0;
    }
    const networks::NetworkPlan& plan = planned.run.plan;
    const std::map<std::string, std::string> bases = bases_of(plan);
    std::set<std::string> gradients;
    for (std::size_t i = 0; i < planned.step.gradients.size(); ++i) {
        const std::string& gradient = planned.step.gradients[i];
        if (const auto base = bases.find(gradient); base != bases.end()) {
            gradients.insert(base->second);
            const std::uint64_t bytes = plan.tensors.at(gradient).bytes();
            memory.gradients += bytes;
            memory.expert_gradients += planned.experts.contains(planned.step.parameters[i]) ? bytes : 0;
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
    StepProfile profile{.memory = memory_of(planned), .backward = {}, .forward_exchanges = {}, .notes = {}};
    PowerSpec power = config.chip.power;
    const nlohmann::json metadata{{"power", to_json(fields_of(power))}};

    struct Ready {
        std::uint64_t bytes = 0;
        std::uint64_t of_experts = 0;
    };

    std::map<std::string, Ready> gradients;
    for (std::size_t i = 0; i < planned.step.parameters.size(); ++i) {
        const std::string& weight = planned.step.parameters[i];
        profile.parameters +=
            host::elements(planned.step.shapes.at(weight)) * parts_of(config, planned, weight);
        if (const std::string& gradient = planned.step.gradients[i]; !gradient.empty()) {
            Ready& ready = gradients[gradient];
            const std::uint64_t bytes = planned.run.plan.tensors.at(gradient).bytes();
            (planned.experts.contains(weight) ? ready.of_experts : ready.bytes) += bytes;
        }
    }
    profile.backward.emplace_back();
    auto result = planned.run.results.begin();
    for (const PlannedNode& node : planned.run.plan.nodes) {
        const StepPhase phase = phase_of_node(node);
        Piece& piece = profile.backward.back();
        profile.flops += networks::stated_flops(node, planned.run.plan.tensors);
        for (const networks::Task& task : node.tasks) {
            if (!result->error.empty()) {
                throw UserError{"{} '{}': {}", node.op, node.outputs.at(0), result->error};
            }
            if (task.on_host) {
                profile.notes.push_back(node.op + " on the AI CPU: not timed");
            }
            const double us = task.on_host ? 0 : issued_us(config, result->time_us);
            (is_sum(node)                   ? profile.accumulate_us
             : phase == StepPhase::forward  ? profile.forward_us
             : phase == StepPhase::backward ? piece.us
                                            : profile.optimiser_us) += us;
            (phase == StepPhase::optimiser ? profile.update_issue_us : profile.issue_us) +=
                task.on_host ? 0 : calling_us(config, us);
            (phase == StepPhase::optimiser ? profile.update_joules : profile.joules) +=
                report::dynamic_joules(*result++, metadata);
        }
        if (const auto exchange = exchange_of(node, planned.run.plan.tensors)) {
            (phase == StepPhase::forward ? profile.forward_exchanges : piece.exchanges).push_back(*exchange);
        }
        for (const std::string& output : node.outputs) {
            if (const auto ready = gradients.find(output); ready != gradients.end()) {
                profile.backward.back().gradient_bytes += ready->second.bytes;
                profile.backward.back().expert_bytes += ready->second.of_experts;
                profile.backward.emplace_back();
            }
        }
    }
    return profile;
}

}  // namespace ascendsim::training
