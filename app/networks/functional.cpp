// SPDX-License-Identifier: Apache-2.0
#include "app/networks/functional.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/networks/data_decided.hpp"
#include "app/networks/elements_file.hpp"
#include "kernels/plan/content.hpp"
#include "kernels/plan/npy.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using networks::Elements;
using networks::Input;
using networks::Tensor;
using nlohmann::ordered_json;

bool is_whole(isa::DataType type) {
    using D = isa::DataType;
    return type != D::half && type != D::bfloat16 && type != D::float32 && type != D::float64;
}

/// Weights of a sum of n products are within sqrt(3 / n), which keeps the variance; scales and variances, of
/// one axis, are positive.
host::Fill random_fill(const Input& input, const host::Shape& shape) {
    if (is_whole(input.type)) {
        return host::fill::Integers{0, 1};
    }
    if (!networks::is_weight(input.name)) {
        return host::fill::Uniform{-1, 1};
    }
    if (shape.size() < 2) {
        return host::fill::Uniform{0.5, 1};
    }
    const double summed = shape.size() == 2
                              ? static_cast<double>(shape[0])
                              : static_cast<double>(host::elements({shape.begin() + 1, shape.end()}));
    const double bound = std::sqrt(3 / std::max(summed, 1.0));
    return host::fill::Uniform{-bound, bound};
}

/// Random elements, always the same for this name.
std::vector<double> random_elements(const Input& input, const host::Shape& shape) {
    constexpr std::uint64_t seed = 1;
    const host::Buffer buffer = host::Buffer::input(input.name, input.type, shape, random_fill(input, shape));
    std::vector<std::byte> bytes(buffer.bytes());
    host::write_content(buffer, seed, bytes);
    return networks::elements_of(input.type, bytes, buffer.count());
}

/// The file that holds an input; empty if none does.
fs::path file_of(const std::string& input, const std::vector<std::string>& files) {
    for (const std::string& text : files) {
        if (text.starts_with(input + "=")) {
            return text.substr(input.size() + 1);
        }
        std::error_code error;
        if (fs::is_directory(text, error) && fs::exists(fs::path{text} / (input + ".npy"), error)) {
            return fs::path{text} / (input + ".npy");
        }
    }
    return {};
}

void check_files(const networks::Graph& graph, const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const Input& input : graph.inputs) {
        names.push_back(input.name);
    }
    for (const std::string& text : files) {
        const std::string name = text.substr(0, text.find('='));
        if (std::error_code error; fs::is_directory(text, error)) {
            continue;
        }
        if (std::ranges::find(names, name) == names.end()) {
            throw UserError{
                "--inputs {}: neither a folder nor an input of the network, as in NAME=FILE.npy{}",
                text,
                nearest_hint(name, names)};
        }
    }
}

std::vector<double> read_input(const fs::path& file, const Input& input, const host::Shape& shape) {
    const host::NpyArray array = host::read_npy(file, "--inputs");
    if (array.shape != shape || (array.type != input.type && is_whole(array.type) != is_whole(input.type))) {
        throw UserError{"--inputs: {} holds {} {}, and input '{}' is {} {}",
                        file.string(),
                        isa::name(array.type),
                        host::text(array.shape),
                        input.name,
                        isa::name(input.type),
                        host::text(shape)};
    }
    return networks::elements_of(array.type, array.bytes, host::elements(shape));
}

/// A name of a tensor as a name of a file.
std::string file_name(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return c == '/' || c == ':' || c == '\\'; }, '_');
    return name + ".npy";
}

isa::DataType type_of_output(const networks::NetworkPlan& plan, const std::string& name, host::Shape& shape) {
    for (const networks::PlannedNode& node : plan.nodes) {
        const auto found = std::ranges::find(node.outputs, name);
        const auto index = static_cast<std::size_t>(found - node.outputs.begin());
        if (found != node.outputs.end() && index < node.results.size()) {
            shape = node.results[index].shape;
            return node.results[index].type;
        }
    }
    throw UserError{"output '{}' is made by no operator", name};
}

/// JSON has no number that is none.
ordered_json finite(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(std::isnan(value) ? "nan" : "inf");
}

}  // namespace

ordered_json numerics_of(const networks::Numbers& numbers) {
    ordered_json list = ordered_json::array();
    std::uint64_t compared = 0;
    std::uint64_t failures = 0;
    double max_absolute = 0;
    double max_relative = 0;
    for (const networks::NodeNumbers& node : numbers.nodes) {
        compared += node.compared;
        failures += node.failures;
        max_absolute = std::max(max_absolute, node.max_absolute);
        max_relative = std::max(max_relative, node.max_relative);
        list.push_back({{"name", node.name},
                        {"op", node.op},
                        {"compared", node.compared},
                        {"failures", node.failures},
                        {"max_abs_error", finite(node.max_absolute)},
                        {"max_rel_error", finite(node.max_relative)}});
    }
    return {{"checked", compared},
            {"passed", failures == 0},
            {"failures", failures},
            {"max_abs_error", finite(max_absolute)},
            {"max_rel_error", finite(max_relative)},
            {"first_failure", numbers.first_failure},
            {"operators", std::move(list)}};
}

namespace {

/// The nodes of the fused plan that the other one does not have.
networks::NetworkPlan changed_nodes(const BeforeAndAfter& both) {
    std::map<std::string, const networks::PlannedNode*> before;
    for (const networks::PlannedNode& node : both.plan.nodes) {
        before[node.outputs.empty() ? "" : node.outputs.front()] = &node;
    }
    networks::NetworkPlan changed;
    for (const networks::PlannedNode& node : both.fused_plan.nodes) {
        const auto same = before.find(node.outputs.empty() ? "" : node.outputs.front());
        if (same == before.end() || same->second->op != node.op || same->second->inputs != node.inputs) {
            changed.nodes.push_back(node);
        }
    }
    return changed;
}

/// What the changed nodes read and make.
std::vector<std::string> tensors_of(const networks::NetworkPlan& changed, const networks::NetworkPlan& all) {
    std::set<std::string> made;
    for (const networks::PlannedNode& node : all.nodes) {
        made.insert(node.outputs.begin(), node.outputs.end());
    }
    std::set<std::string> names;
    for (const networks::PlannedNode& node : changed.nodes) {
        for (const auto* list : {&node.inputs, &node.outputs}) {
            std::ranges::copy_if(*list, std::inserter(names, names.end()), [&](const std::string& name) {
                return made.contains(name);
            });
        }
    }
    return {names.begin(), names.end()};
}

ordered_json to_json(const std::vector<networks::Difference>& differences) {
    ordered_json list = ordered_json::array();
    for (const networks::Difference& one : differences) {
        list.push_back({{"output", one.output},
                        {"op", one.op},
                        {"apart_error", finite(one.apart)},
                        {"fused_error", finite(one.fused)},
                        {"allowed", one.allowed},
                        {"passed", one.passed()}});
    }
    return list;
}

}  // namespace

void add_constants(const networks::Graph& graph, Elements& elements) {
    for (const auto& [name, tensor] : graph.constants) {
        if (tensor.known()) {
            elements[name] = *tensor.values;
        }
    }
}

networks::Numbers computed(const networks::NetworkPlan& plan,
                           Elements elements,
                           const std::vector<std::string>& outputs,
                           const ChipSpec& chip,
                           const toolchain::Installation& installation) {
    const networks::ReadyTasks tasks = networks::ready_tasks(plan, chip, installation);
    std::vector<const runtime::ReadyPlan*> plans;
    for (const auto& task : tasks) {
        plans.push_back(task.get());
    }
    networks::Numbers numbers;
    runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
    request.options.sanitize = false;
    const runtime::SessionOutcome outcome =
        runtime::run_sequence(request, plans, [&](const runtime::RunPlan& run) {
            numbers = networks::compute(plan, tasks, std::move(elements), outputs, run);
        });
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    return numbers;
}

std::vector<std::string> shapes_of_files(const networks::Graph& graph,
                                         const std::vector<std::string>& files) {
    std::vector<std::string> shapes;
    for (const Input& input : graph.inputs) {
        const bool open = std::ranges::any_of(input.shape, [](const networks::Extent& extent) {
            return std::holds_alternative<std::string>(extent);
        });
        const fs::path file = open ? file_of(input.name, files) : fs::path{};
        if (!file.empty()) {
            const host::NpyArray array = host::read_npy(file, "--inputs");
            if (array.shape.size() == input.shape.size()) {
                shapes.push_back(fmt::format("{}={}", input.name, fmt::join(array.shape, "x")));
            }
        }
    }
    return shapes;
}

Elements input_elements(const networks::Graph& graph,
                        const std::map<std::string, host::Shape, std::less<>>& shapes,
                        const std::vector<std::string>& files) {
    check_files(graph, files);
    Elements elements;
    for (const Input& input : graph.inputs) {
        const host::Shape& shape = shapes.at(input.name);
        const fs::path file = file_of(input.name, files);
        elements[input.name] = file.empty() ? random_elements(input, shape) : read_input(file, input, shape);
    }
    return elements;
}

void set_random_weights(networks::Graph& graph) {
    for (auto& [name, tensor] : graph.constants) {
        const bool stays = tensor.known() && (tensor.shape.size() < 2 || is_whole(tensor.type));
        if (!stays) {
            const Input weight{.name = networks::is_weight(name) ? name : "weights_" + name,
                               .type = tensor.type,
                               .shape = {}};
            tensor = networks::constant(tensor.type, tensor.shape, random_elements(weight, tensor.shape));
        }
    }
}

ordered_json compute_network(const networks::Graph& graph,
                             const networks::NetworkPlan& plan,
                             const Elements& inputs,
                             const ChipSpec& chip,
                             const toolchain::Installation& installation,
                             const fs::path& outputs,
                             const ComputedBefore& before) {
    const auto work = [&] {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        const bool staged = !before.file.empty();
        const networks::NetworkPlan rest =
            staged ? networks::part_of(plan, {graph.outputs.begin(), graph.outputs.end()}, before.names)
                   : networks::NetworkPlan{};
        Elements elements = inputs;
        add_constants(graph, elements);
        if (staged) {
            elements.merge(read_elements(before.file));
        }
        const networks::Numbers numbers =
            computed(staged ? rest : plan, std::move(elements), graph.outputs, chip, installation);
        for (const auto& [name, values] : numbers.outputs) {
            if (!outputs.empty()) {
                host::Shape shape;
                const isa::DataType type = type_of_output(plan, name, shape);
                fs::create_directories(outputs);
                host::write_npy(outputs / file_name(name), type, shape, networks::bytes_of(type, values));
            }
        }
        return numerics_of(numbers);
    };
    const runtime::IsolatedResult result = runtime::run_isolated(work);
    if (!result.error.empty()) {
        throw UserError{"{}", result.error};
    }
    ordered_json numerics = result.value;
    if (!before.numerics.is_null()) {
        add_numerics(numerics, before.numerics);
    }
    return numerics;
}

ordered_json compare_fused(const BeforeAndAfter& both,
                           const Elements& inputs,
                           const ChipSpec& chip,
                           const toolchain::Installation& installation) {
    const auto work = [&] {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        const networks::NetworkPlan changed = changed_nodes(both);
        const networks::ReadyTasks tasks = networks::ready_tasks(both.plan, chip, installation);
        const networks::ReadyTasks other = networks::ready_tasks(changed, chip, installation);
        std::vector<const runtime::ReadyPlan*> plans;
        for (const auto* list : {&tasks, &other}) {
            for (const auto& task : *list) {
                plans.push_back(task.get());
            }
        }
        Elements elements = inputs;
        add_constants(both.graph, elements);
        std::vector<networks::Difference> differences;
        runtime::RunRequest request{.chip = chip, .work = {}, .options = {}};
        request.options.sanitize = false;
        const runtime::SessionOutcome outcome =
            runtime::run_sequence(request, plans, [&](const runtime::RunPlan& run) {
                Elements apart =
                    networks::compute(
                        both.plan, tasks, std::move(elements), tensors_of(changed, both.plan), run)
                        .outputs;
                apart.insert(inputs.begin(), inputs.end());
                add_constants(both.fused_graph, apart);
                differences = networks::compare_nodes(changed, other, std::move(apart), run);
            });
        if (outcome.failure) {
            std::rethrow_exception(outcome.failure);
        }
        return to_json(differences);
    };
    const runtime::IsolatedResult result = runtime::run_isolated(work);
    if (!result.error.empty()) {
        throw UserError{"{}", result.error};
    }
    return result.value;
}

}  // namespace ascendsim::report
