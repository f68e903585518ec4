// SPDX-License-Identifier: Apache-2.0
#include "networks/run/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "kernels/plan/content.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/reference_data.hpp"
#include "networks/operators/steps.hpp"
#include "networks/run/task_plan.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using Values = std::vector<std::vector<double>>;

std::string title_of(const PlannedNode& node) {
    return node.name.empty() ? node.op : fmt::format("{} '{}'", node.op, node.name);
}

bool is_read(const host::Buffer& buffer) {
    return buffer.role == host::Role::input || buffer.role == host::Role::in_out;
}

bool is_made(const host::Buffer& buffer) {
    return buffer.role == host::Role::output || buffer.role == host::Role::in_out;
}

/// The elements of an operand.
std::vector<double> operand_of(const Read& read, const Values& values) {
    const std::vector<double>& all = read.value ? values.at(*read.value) : *read.tensor.values;
    const std::uint64_t count = read.tensor.count();
    if (read.begin == 0 && all.size() == count) {
        return all;
    }
    check(
        read.begin + count <= all.size(), "an operand of {} behind {} of {}", count, read.begin, all.size());
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(read.begin);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

/// Puts what the AI CPU makes behind the node's other values, rounded as it is held.
void run_on_host(const Task& task, Values& values) {
    Values operands;
    for (const Read& read : task.reads) {
        operands.push_back(operand_of(read, values));
    }
    Values made = task.on_host(operands);
    for (std::size_t i = 0; i < task.makes.size(); ++i) {
        const Tensor& tensor = task.makes[i];
        check(made.at(i).size() == tensor.count(),
              "the AI CPU made {} elements of {}",
              made[i].size(),
              tensor.text());
        values.push_back(is_real(tensor.type)
                             ? elements_of(tensor.type, bytes_of(tensor.type, made[i]), tensor.count())
                             : std::move(made[i]));
    }
}

/// What the plan's inputs hold: the task's operands, each behind the one before.
runtime::Contents contents_of(const Task& task, const host::Plan& plan, const Values& values) {
    std::vector<std::byte> all;
    for (std::size_t i = 0; i < task.reads.size(); ++i) {
        const Read& read = task.reads[i];
        const std::vector<double> plain = operand_of(read, values);
        const bool arranged = i < task.arranged.size() && task.arranged[i];
        const std::vector<std::byte> bytes =
            bytes_of(read.tensor.type, arranged ? task.arranged[i](plain) : plain);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    runtime::Contents contents;
    std::uint64_t place = 0;
    for (const host::Buffer& buffer : plan.buffers) {
        if (!is_read(buffer) || place == all.size()) {
            continue;
        }
        check(place + buffer.bytes() <= all.size(),
              "{}: '{}' takes more than its operands hold",
              plan.problem,
              buffer.name);
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(place);
        contents[buffer.name].assign(begin, begin + static_cast<std::ptrdiff_t>(buffer.bytes()));
        place += buffer.bytes();
    }
    check(place == all.size(), "{}: operands of {} B for buffers of {} B", plan.problem, all.size(), place);
    return contents;
}

/// Puts what the task made behind the node's other values.
void take(const Task& task, const host::Plan& plan, const runtime::PlanOutcome& outcome, Values& values) {
    std::vector<std::byte> all;
    for (const host::Buffer& buffer : plan.buffers) {
        if (is_made(buffer)) {
            const std::vector<std::byte>& bytes = outcome.outputs.at(buffer.name);
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
    }
    std::span<const std::byte> rest = all;
    for (const Tensor& tensor : task.makes) {
        if (task.taken && &tensor == task.makes.data()) {
            const std::uint64_t held = rest.size() * 8 / isa::bits(tensor.type);
            values.push_back(task.taken(elements_of(tensor.type, rest, held)));
            rest = {};
            continue;
        }
        check(tensor.bytes() <= rest.size(), "{}: results of fewer bytes than its tensors", plan.problem);
        values.push_back(elements_of(tensor.type, rest, tensor.count()));
        rest = rest.subspan(tensor.bytes());
    }
}

/// What the task should have made, behind one another as take() has it; nothing if there is no reference.
void take_exact(const Task& task,
                const host::Plan& plan,
                const runtime::PlanOutcome& outcome,
                Values& values) {
    std::vector<double> all;
    for (const host::Buffer& buffer : plan.buffers) {
        if (const auto found = outcome.expected.find(buffer.name);
            is_made(buffer) && found != outcome.expected.end()) {
            all.insert(all.end(), found->second.begin(), found->second.end());
        }
    }
    std::size_t place = 0;
    for (const Tensor& tensor : task.makes) {
        if (task.taken && &tensor == task.makes.data()) {
            values.push_back(all.empty() ? all : task.taken(all));
            place = all.size();
            continue;
        }
        const std::size_t end = place + tensor.count();
        values.emplace_back();
        if (end <= all.size()) {
            values.back().assign(all.begin() + static_cast<std::ptrdiff_t>(place),
                                 all.begin() + static_cast<std::ptrdiff_t>(end));
            place = end;
        }
    }
}

void note_comparisons(const runtime::PlanOutcome& outcome,
                      const host::Plan& plan,
                      NodeNumbers& node,
                      std::string& first_failure) {
    for (const host::Comparison& one : outcome.comparisons) {
        node.compared += one.count;
        node.failures += one.failures;
        node.max_absolute = std::max(node.max_absolute, one.max_absolute);
        node.max_relative = std::max(node.max_relative, one.max_relative);
        if (one.first && first_failure.empty()) {
            first_failure = fmt::format("{} ({}): element {} of '{}' is {:.9g}, and {:.9g} in float64",
                                        node.name.empty() ? node.op : node.name,
                                        plan.problem,
                                        one.first->index,
                                        one.output,
                                        one.first->got,
                                        one.first->expected);
        }
    }
}

/// Runs one node; `next` counts the network's tasks.
Values run_node(const PlannedNode& node,
                const Elements& elements,
                const ReadyTasks& tasks,
                std::size_t& next,
                const runtime::RunPlan& run,
                Numbers& numbers,
                Values* exact = nullptr) {
    Values values;
    for (const std::string& input : node.inputs) {
        const auto found = elements.find(input);
        values.push_back(found == elements.end() ? std::vector<double>{} : found->second);
    }
    NodeNumbers noted{.name = node.name, .op = node.op};
    if (exact != nullptr) {
        exact->resize(values.size());
    }
    for (const Task& task : node.tasks) {
        if (task.on_host) {
            run_on_host(task, values);
            if (exact != nullptr) {
                exact->resize(values.size());
            }
            continue;
        }
        const runtime::ReadyPlan& ready = *tasks.at(next++);
        const runtime::PlanOutcome outcome = run(ready, contents_of(task, ready.run.plan, values));
        note_comparisons(outcome, ready.run.plan, noted, numbers.first_failure);
        take(task, ready.run.plan, outcome, values);
        if (exact != nullptr) {
            take_exact(task, ready.run.plan, outcome, *exact);
        }
    }
    if (noted.compared != 0) {
        numbers.nodes.push_back(noted);
    }
    return values;
}

/// The largest difference, by the largest element of `exact`.
double error_of(const std::vector<double>& values, const std::vector<double>& exact) {
    double most = 0;
    double largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        if (std::isfinite(exact[i])) {
            largest = std::max(largest, std::abs(exact[i]));
            const double apart = std::abs(values.at(i) - exact[i]);
            most = std::isfinite(apart) ? std::max(most, apart) : std::numeric_limits<double>::infinity();
        }
    }
    return most == 0 ? 0 : most / largest;
}

/// The results of a node beside those of the other network.
void compare_node(const PlannedNode& node,
                  const Values& values,
                  const Values& exact,
                  Elements& apart,
                  std::vector<Difference>& differences) {
    for (std::size_t i = 0; i < node.results.size() && i < node.outputs.size(); ++i) {
        const std::size_t made = node.made.at(i);
        const auto other = apart.find(node.outputs[i]);
        if (node.results[i].known() || other == apart.end()) {
            apart[node.outputs[i]] = node.results[i].known() ? *node.results[i].values : values.at(made);
            continue;
        }
        if (made < exact.size() && exact[made].size() == other->second.size()) {
            const bool wide = node.results[i].type == isa::DataType::float32;
            differences.push_back({.output = node.outputs[i],
                                   .op = node.op,
                                   .apart = error_of(other->second, exact[made]),
                                   .fused = error_of(values.at(made), exact[made]),
                                   .allowed = wide ? 1e-5 : 1e-4});
        }
    }
}

}  // namespace

std::vector<std::byte> bytes_of(isa::DataType type, const std::vector<double>& elements) {
    std::vector<std::byte> bytes(isa::bytes_of(type, elements.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
        host::write_element(type, bytes, i, elements[i]);
    }
    return bytes;
}

std::vector<double> elements_of(isa::DataType type, std::span<const std::byte> bytes, std::uint64_t count) {
    std::vector<double> elements(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        elements[i] = host::read_element(type, bytes, i);
    }
    return elements;
}

namespace {

/// Throws the list of nodes that cannot run for a reason of their own.
void refuse_unless_complete(const NetworkPlan& plan) {
    constexpr std::size_t most = 10;
    std::set<std::string> results;  // of refused nodes
    std::vector<std::string> sentences;
    for (const PlannedNode& node : plan.nodes) {
        if (node.refusal.empty()) {
            continue;
        }
        const bool follows = std::ranges::any_of(
            node.inputs, [&results](const std::string& input) { return results.contains(input); });
        results.insert(node.outputs.begin(), node.outputs.end());
        if (!follows) {
            sentences.push_back(fmt::format("{}: {}", title_of(node), node.refusal));
        }
    }
    if (sentences.empty()) {
        return;
    }
    const std::size_t more = sentences.size() - std::min(most, sentences.size());
    sentences.resize(sentences.size() - more);
    throw UserError{"{}{}",
                    fmt::join(sentences, "\n  "),
                    more == 0 ? "" : fmt::format("\n  and {} more operators", more)};
}

/// What a plan's reference makes of these contents; other inputs hold what the plan fills them with.
std::map<std::string, std::vector<double>, std::less<>> reference_of(const host::Plan& plan,
                                                                     const runtime::Contents& contents) {
    constexpr std::uint64_t seed = 1;
    std::map<std::string, std::vector<std::byte>> bytes;
    host::ReferenceData data;
    for (const host::Buffer& buffer : plan.buffers) {
        std::vector<std::byte>& content = bytes[buffer.name];
        if (const auto given = contents.find(buffer.name); given != contents.end()) {
            content = given->second;
        } else {
            content.resize(buffer.bytes());
            if (buffer.role == host::Role::input) {
                host::write_content(buffer, seed, content);
            }
        }
        data.add(buffer, content);
    }
    std::map<std::string, std::vector<double>, std::less<>> expected;
    if (plan.reference) {
        plan.reference(data);
        for (const host::Tolerance& tolerance : plan.tolerances) {
            expected[tolerance.output] = std::move(data.expected(tolerance.output));
        }
    }
    return expected;
}

/// Puts what a node's tasks should make behind its operands.
void run_exactly(const PlannedNode& node,
                 const ChipSpec& chip,
                 const toolchain::Installation& installation,
                 Values& values) {
    for (const Task& task : node.tasks) {
        if (task.on_host) {
            run_on_host(task, values);
            continue;
        }
        const host::Plan plan = planned(task, chip, installation).plan;
        const runtime::PlanOutcome outcome{.outputs = {},
                                           .comparisons = {},
                                           .expected = reference_of(plan, contents_of(task, plan, values))};
        take_exact(task, plan, outcome, values);
        if (!task.makes.empty() && values.back().size() != task.makes.back().count()) {
            throw UserError{"{}: '{}' has no float64 reference", title_of(node), kernel_name(task)};
        }
    }
}

}  // namespace

Elements compute_exactly(const NetworkPlan& plan,
                         const ChipSpec& chip,
                         const toolchain::Installation& installation,
                         Elements elements,
                         const std::vector<std::string>& outputs) {
    refuse_unless_complete(plan);
    for (const PlannedNode& node : plan.nodes) {
        Values values;
        for (const std::string& input : node.inputs) {
            const auto found = elements.find(input);
            values.push_back(found == elements.end() ? std::vector<double>{} : found->second);
        }
        run_exactly(node, chip, installation, values);
        for (std::size_t i = 0; i < node.results.size() && i < node.outputs.size(); ++i) {
            elements[node.outputs[i]] =
                node.results[i].known() ? *node.results[i].values : values.at(node.made.at(i));
        }
    }
    Elements made;
    for (const std::string& output : outputs) {
        const auto found = elements.find(output);
        check(found != elements.end(), "nobody made output '{}'", output);
        made[output] = std::move(found->second);
    }
    return made;
}

ReadyTasks ready_tasks(const NetworkPlan& plan,
                       const ChipSpec& chip,
                       const toolchain::Installation& installation) {
    refuse_unless_complete(plan);
    ReadyTasks tasks;
    for (const PlannedNode& node : plan.nodes) {
        for (const Task& task : node.tasks) {
            if (task.on_host) {
                continue;
            }
            if (task.makes.empty()) {
                throw UserError{"{}: its kernels stand for its time alone", title_of(node)};
            }
            try {
                tasks.push_back(std::make_unique<runtime::ReadyPlan>(
                    planned(task, chip, installation), chip, installation));
            } catch (const UserError& error) {
                const std::string text = error.what();
                throw UserError{"{}: {}", title_of(node), text};
            }
        }
    }
    return tasks;
}

std::vector<Difference> compare_nodes(const NetworkPlan& plan,
                                      const ReadyTasks& tasks,
                                      Elements apart,
                                      const runtime::RunPlan& run) {
    Numbers numbers;
    std::vector<Difference> differences;
    std::size_t next = 0;
    for (const PlannedNode& node : plan.nodes) {
        Values exact;
        const Values values = run_node(node, apart, tasks, next, run, numbers, &exact);
        compare_node(node, values, exact, apart, differences);
    }
    return differences;
}

Numbers compute(const NetworkPlan& plan,
                const ReadyTasks& tasks,
                Elements elements,
                const std::vector<std::string>& outputs,
                const runtime::RunPlan& run) {
    Numbers numbers;
    std::size_t next = 0;
    for (const PlannedNode& node : plan.nodes) {
        const Values values = run_node(node, elements, tasks, next, run, numbers);
        for (std::size_t i = 0; i < node.results.size() && i < node.outputs.size(); ++i) {
            elements[node.outputs[i]] =
                node.results[i].known() ? *node.results[i].values : values.at(node.made.at(i));
        }
    }
    for (const std::string& output : outputs) {
        const auto found = elements.find(output);
        check(found != elements.end(), "nobody made output '{}'", output);
        numbers.outputs[output] = found->second;
    }
    return numbers;
}

}  // namespace ascendsim::networks
