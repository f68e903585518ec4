// SPDX-License-Identifier: Apache-2.0
#include "networks/run/network_plan.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "networks/run/magnitudes.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::networks {
namespace {

Tensor held(Tensor tensor, Precision precision) {
    if (precision == Precision::half && tensor.type == isa::DataType::float32 && tensor.wide == nullptr) {
        tensor.type = isa::DataType::half;
    }
    return tensor;
}

constexpr std::uint64_t most_steering = 65536;  // elements; beyond, hardly anything steers an operator

/// The node's results where every operand is known, of a constant or of an input of this run; else none.
std::vector<Tensor> from_given(const Lower& lower, const Operator& with, std::uint64_t most = most_steering) {
    std::vector<Tensor> known;
    known.reserve(with.inputs.size());
    std::vector<const Tensor*> operands;
    for (const Tensor* input : with.inputs) {
        if (input != nullptr && ((!input->known() && input->given == nullptr) || input->count() > most)) {
            return {};
        }
        known.push_back(input != nullptr ? *input : Tensor{});
        known.back().values = known.back().known() ? known.back().values : known.back().given;
        operands.push_back(input != nullptr ? &known.back() : nullptr);
    }
    try {
        Operator folded = with;
        folded.inputs = operands;
        std::vector<Tensor> results = lower(folded).outputs;
        return std::ranges::all_of(results, &Tensor::known) ? results : std::vector<Tensor>{};
    } catch (const UserError&) {
        return {};
    }
}

void take(PlannedNode& planned, Lowered lowered) {
    planned.tasks = std::move(lowered.tasks);
    planned.note = std::move(lowered.note);
    planned.form = std::move(lowered.form);
    planned.keeps_types = lowered.keeps_types;
    planned.in_place = lowered.in_place;
    planned.made = std::move(lowered.made);
    planned.made.resize(lowered.outputs.size());
    planned.results = std::move(lowered.outputs);
}

/// What float16 makes of a constant that it cannot hold; empty if it holds them all.
std::string infinite_in_half(const std::vector<const Tensor*>& operands) {
    for (const Tensor* operand : operands) {
        const auto value =
            operand != nullptr && operand->type == isa::DataType::half ? beyond_half(*operand) : std::nullopt;
        if (value) {
            return fmt::format(
                "the constant {:g} is infinite in float16; '--precision as_stated' keeps float32", *value);
        }
    }
    return {};
}

void add_note(PlannedNode& planned, const std::string& note) {
    planned.note = planned.note.empty() ? note : fmt::format("{}; {}", note, planned.note);
}

/// Why results in float32 stay so: the node says it, or an operand is such a one.
std::shared_ptr<const std::string> wide_reason(const Node& node, const Tensors& tensors) {
    if (node.has("wide")) {
        return std::make_shared<const std::string>(node.word("wide", ""));
    }
    for (const std::string& input : node.inputs) {
        const auto found = tensors.find(input);
        if (found != tensors.end() && found->second.wide != nullptr) {
            return found->second.wide;
        }
    }
    return nullptr;
}

/// Holds results as the precision says, and those that come of wide operands as they are.
void hold_results(PlannedNode& planned, const std::shared_ptr<const std::string>& wide, Precision precision) {
    bool any_wide = false;
    for (Tensor& result : planned.results) {
        const bool stays = result.type == isa::DataType::float32;
        result.wide = stays ? wide : nullptr;
        any_wide = any_wide || result.wide != nullptr;
        if (!planned.keeps_types) {
            result = held(result, precision);
        }
    }
    if (any_wide && !planned.tasks.empty()) {
        add_note(planned, *wide);
    }
}

constexpr auto on_host_note = "on the AI CPU: not timed";

/// What no vector unit computes: the AI CPU does it, as CANN has it.
bool take_on_host(PlannedNode& planned, std::vector<Tensor> results) {
    planned.results = std::move(results);
    planned.made.assign(planned.results.size(), 0);
    constexpr std::uint64_t shape_like = 64;  // elements of integers: arithmetic of shapes, which is folded
    planned.on_host = std::ranges::any_of(planned.results, [](const Tensor& tensor) {
        return tensor.type != isa::DataType::int64 || tensor.count() > shape_like;
    });
    planned.note = planned.on_host ? on_host_note : "";
    return !planned.results.empty();
}

/// Why the node cannot run, and what it waits for.
void refuse(PlannedNode& planned, const Node& node, const Steered& steered) {
    planned.refusal = steered.what();
    for (const std::size_t operand : steered.operands()) {
        planned.steered_by.push_back(node.inputs.at(operand));
    }
}

/// Puts the node's results among the tensors, or notes why there are none.
void lower_node(const Node& node,
                const Lower& lower,
                std::int64_t opset,
                const Lowering& how,
                Tensors& tensors,
                PlannedNode& planned) {
    std::vector<const Tensor*> operands;
    for (const std::string& input : node.inputs) {
        const auto found = tensors.find(input);
        if (!input.empty() && found == tensors.end()) {
            planned.refusal = fmt::format("'{}' is the result of a node that cannot run", input);
            return;
        }
        operands.push_back(input.empty() ? nullptr : &found->second);
    }
    const Operator with{.node = node,
                        .opset = opset,
                        .inputs = operands,
                        .chip = &how.chip,
                        .half = how.precision == Precision::half,
                        .timing_only = how.timing_only};
    std::vector<Tensor> given = from_given(lower, with);
    try {
        take(planned, lower(with));
        const bool hosted =
            std::ranges::any_of(planned.tasks, [](const Task& task) { return bool{task.on_host}; });
        if (hosted && !given.empty()) {
            planned.tasks.clear();
            static_cast<void>(take_on_host(planned, std::move(given)));
            return;
        }
        if (hosted) {
            planned.on_host = true;
            add_note(planned, on_host_note);
        }
        if (const std::string infinite =
                with.half && !planned.tasks.empty() ? infinite_in_half(operands) : "";
            !infinite.empty()) {
            add_note(planned, infinite);
        }
        for (std::size_t i = 0; i < given.size() && i < planned.results.size(); ++i) {
            if (!planned.results[i].known()) {
                planned.results[i].given = given[i].values;
            }
        }
    } catch (const Steered& steered) {
        constexpr std::uint64_t any = ~std::uint64_t{0};
        if (!take_on_host(planned, given.empty() ? from_given(lower, with, any) : std::move(given))) {
            refuse(planned, node, steered);
        }
    } catch (const UserError& error) {
        if (!take_on_host(planned, std::move(given))) {
            planned.refusal = error.what();
        }
    }
}

/// False for a shape whose elements cannot be counted: products of its extents would wrap.
bool countable(const host::Shape& shape) {
    constexpr double most = 1e15;  // 8 B each are still counted in bits
    double count = 1;
    for (const std::uint64_t extent : shape) {
        count *= static_cast<double>(extent);
    }
    return count <= most;
}

/// Elements that are given for a result.
void take_given(Tensor& result, const std::string& name, const Lowering& lowering) {
    if (const auto given = lowering.given.find(name); !result.known() && given != lowering.given.end()) {
        result.given = std::make_shared<const std::vector<double>>(given->second);
    }
}

/// The tensor whose memory each is in: of a view, its operand's.
std::map<std::string, std::string> places_of(const NetworkPlan& plan) {
    std::map<std::string, std::string> places;
    for (const PlannedNode& node : plan.nodes) {
        for (const std::string& output : node.outputs) {
            const bool is_view = node.tasks.empty() && !node.inputs.empty();
            const auto base = is_view ? places.find(node.inputs.front()) : places.end();
            places[output] = base != places.end() ? base->second : is_view ? node.inputs.front() : output;
        }
    }
    return places;
}

/// The end of the highest place, each life at the lowest that is free as long as it lasts.
std::uint64_t first_fit(const std::vector<Lifetime>& lives) {
    constexpr std::uint64_t alignment = 512;  // as of aclrtMalloc

    struct Placed {
        std::uint64_t begin;
        std::uint64_t end;
        std::size_t last;
    };

    std::vector<Placed> alive;
    std::uint64_t highest = 0;
    for (const Lifetime& life : lives) {
        std::erase_if(alive, [&life](const Placed& placed) { return placed.last < life.first; });
        std::ranges::sort(alive, {}, &Placed::begin);
        const std::uint64_t bytes = round_up(life.bytes, alignment);
        std::uint64_t begin = 0;
        for (const Placed& placed : alive) {
            if (begin + bytes <= placed.begin) {
                break;
            }
            begin = std::max(begin, placed.end);
        }
        alive.push_back({begin, begin + bytes, life.last});
        highest = std::max(highest, begin + bytes);
    }
    return highest;
}

}  // namespace

std::vector<PlannedNode> plan_nodes(const std::vector<Node>& nodes,
                                    std::int64_t opset,
                                    const Lowering& lowering,
                                    Tensors& tensors) {
    const Operators operators = all_operators();
    std::vector<std::string> names;
    for (const auto& [name, lower] : operators) {
        names.push_back(name);
    }
    std::vector<PlannedNode> all;
    for (const Node& node : nodes) {
        PlannedNode& planned = all.emplace_back(
            PlannedNode{.name = node.name, .op = node.op, .inputs = node.inputs, .outputs = node.outputs});
        const auto found = operators.find(node.op);
        if (found == operators.end()) {
            planned.refusal = fmt::format("no kernel does '{}'{}", node.op, nearest_hint(node.op, names));
            continue;
        }
        lower_node(node, found->second, opset, lowering, tensors, planned);
        if (const auto wide = std::ranges::find_if_not(planned.results, countable, &Tensor::shape);
            wide != planned.results.end()) {
            planned.refusal = fmt::format("a result of {}, beyond all memory", host::text(wide->shape));
            planned.tasks.clear();
            planned.results.clear();
            planned.made.clear();
            continue;
        }
        hold_results(planned, wide_reason(node, tensors), lowering.precision);
        for (std::size_t i = 0; i < planned.results.size() && i < node.outputs.size(); ++i) {
            take_given(planned.results[i], node.outputs[i], lowering);
            tensors[node.outputs[i]] = planned.results[i];
        }
    }
    return all;
}

Tensors first_tensors(const Graph& graph,
                      const std::map<std::string, host::Shape, std::less<>>& shapes,
                      const Lowering& lowering) {
    Tensors tensors;
    for (const auto& [name, tensor] : graph.constants) {
        tensors[name] = held(tensor, lowering.precision);
    }
    for (const Input& input : graph.inputs) {
        if (const host::Shape& shape = shapes.at(input.name); !countable(shape)) {
            throw UserError{"input '{}' of {}: beyond all memory", input.name, host::text(shape)};
        }
        Tensor& tensor = tensors[input.name];
        tensor = held({.type = input.type, .shape = shapes.at(input.name)},
                      input.keeps_type ? Precision::as_stated : lowering.precision);
        take_given(tensor, input.name, lowering);
    }
    return tensors;
}

NetworkPlan plan_network(const Graph& graph,
                         const std::map<std::string, host::Shape, std::less<>>& shapes,
                         const Lowering& lowering) {
    NetworkPlan plan{.nodes = {}, .tensors = first_tensors(graph, shapes, lowering)};
    for (const auto& [name, tensor] : graph.constants) {
        plan.weight_bytes += plan.tensors.at(name).bytes();
    }
    for (const Input& input : graph.inputs) {
        (is_weight(input.name) ? plan.weight_bytes : plan.input_bytes) += plan.tensors.at(input.name).bytes();
    }
    plan.nodes = plan_nodes(graph.nodes, graph.opset, lowering, plan.tensors);
    return plan;
}

std::vector<Lifetime> lifetimes(const NetworkPlan& plan, const std::vector<std::string>& kept) {
    const std::map<std::string, std::string> places = places_of(plan);
    std::map<std::string, Lifetime> lives;
    const auto touch = [&](const std::string& tensor, std::size_t at) {
        const auto place = places.find(tensor);
        const auto life = place == places.end() ? lives.end() : lives.find(place->second);
        if (life != lives.end()) {
            life->second.last = std::max(life->second.last, at);
        }
    };
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        const PlannedNode& node = plan.nodes[i];
        for (const std::string& input : node.inputs) {
            touch(input, i);
        }
        const bool own = !node.tasks.empty() && !node.in_place;
        for (std::size_t out = 0; own && out < node.results.size(); ++out) {
            if (out < node.outputs.size()) {
                lives[node.outputs[out]] = {node.outputs[out], node.results[out].bytes(), i, i};
            }
        }
    }
    for (const std::string& tensor : kept) {
        touch(tensor, plan.nodes.size());
    }
    std::vector<Lifetime> sorted;
    for (const auto& [name, life] : lives) {
        sorted.push_back(life);
    }
    std::ranges::stable_sort(sorted, {}, &Lifetime::first);
    return sorted;
}

MemoryPlan plan_memory(const NetworkPlan& plan, const std::vector<std::string>& kept) {
    const std::vector<Lifetime> lives = lifetimes(plan, kept);
    MemoryPlan memory{.plan_bytes = first_fit(lives)};
    for (const Lifetime& life : lives) {
        memory.all_bytes += life.bytes;
    }
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        std::uint64_t alive = 0;
        for (const Lifetime& life : lives) {
            alive += life.first <= i && life.last >= i ? life.bytes : 0;
        }
        memory.alive_bytes.push_back(alive);
        if (alive > memory.peak_bytes) {
            memory.peak_bytes = alive;
            memory.peak_node = plan.nodes[i].name.empty() ? plan.nodes[i].op : plan.nodes[i].name;
        }
    }
    return memory;
}

}  // namespace ascendsim::networks
