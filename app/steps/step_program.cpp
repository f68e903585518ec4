// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "app/studies/expression.hpp"
#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::steps {
namespace {

constexpr double longest_us = 1e9;
constexpr double most_bytes = 1e13;
constexpr double most_times = 1e6;

StepKind kind_of(TableReader& table) {
    const std::string word = table.choice("kind", {"kernel", "copy", "collective", "host", "sync"});
    const std::array<std::string_view, 5> names{"kernel", "copy", "collective", "host", "sync"};
    return static_cast<StepKind>(std::ranges::find(names, word) - names.begin());
}

/// A number of [parameters].
struct Parameter {
    double value = 0;
    std::string place;
    mutable bool used = false;
};

using Parameters = std::map<std::string, Parameter, std::less<>>;

/// The value of "= 2 * batch"; nothing for what is no such text.
std::optional<double> computed(const Node& node, const Parameters& parameters) {
    const std::string text = node.is_string() ? node.as<std::string>() : std::string{};
    if (!text.starts_with('=')) {
        return std::nullopt;
    }
    const auto lookup = [&](const std::string& name) -> std::optional<double> {
        const auto found = parameters.find(name);
        if (found == parameters.end()) {
            return std::nullopt;
        }
        found->second.used = true;
        return found->second.value;
    };
    return study::compute(text.substr(1), lookup, node.place()).value;
}

/// A number within limits, given as one or as an expression.
double number(const Node& node, const Parameters& parameters, Limits limits) {
    const std::optional<double> value = computed(node, parameters);
    if (value && !(*value >= limits.min && *value <= limits.max)) {
        throw node.error(fmt::format("{} is outside [{:g}, {:g}]", *value, limits.min, limits.max));
    }
    return value ? *value : node.as<double>(limits);
}

std::uint64_t whole_number(const Node& node, const Parameters& parameters, Limits limits) {
    const double value = number(node, parameters, limits);
    if (value != std::floor(value)) {
        throw node.error(fmt::format("{} is no whole number", value));
    }
    return static_cast<std::uint64_t>(value);
}

/// One that nothing is computed from is a mistake, as of --set.
void check_used(const Parameters& parameters) {
    std::vector<std::string> used;
    for (const auto& [name, parameter] : parameters) {
        if (parameter.used) {
            used.push_back(name);
        }
    }
    for (const auto& [name, parameter] : parameters) {
        if (!parameter.used) {
            throw UserError{"{}: parameters.{}: nothing is computed from it{}",
                            parameter.place,
                            name,
                            nearest_hint(name, used)};
        }
    }
}

host::KnobValue knob_value(const Node& node, const Parameters& parameters) {
    if (const std::optional<double> value = computed(node, parameters)) {
        const bool whole = *value == std::floor(*value) && std::abs(*value) < most_bytes;
        return whole ? host::KnobValue{static_cast<std::int64_t>(*value)} : host::KnobValue{*value};
    }
    const auto& data = node.value().data;
    if (std::holds_alternative<bool>(data)) {
        return node.as<bool>();
    }
    if (std::holds_alternative<std::int64_t>(data)) {
        return node.as<std::int64_t>();
    }
    if (std::holds_alternative<double>(data)) {
        return node.as<double>();
    }
    if (!node.is_array()) {
        return node.as<std::string>();
    }
    host::Shape shape;
    for (const Node& item : node.items()) {
        shape.push_back(whole_number(item, parameters, {0, most_bytes}));
    }
    return shape;
}

void read_kernel(TableReader& table, const Parameters& parameters, StepTask& task) {
    if (const std::optional<Node> kernel = table.find("kernel")) {
        task.kernel = kernel->as<std::string>();
        if (const std::optional<Node> knobs = table.find("knobs")) {
            for (const Node& knob : knobs->members()) {
                task.knobs.emplace_back(knob.key(), knob_value(knob, parameters));
            }
        }
    } else {
        task.us = number(table.require("us"), parameters, {0, longest_us});
    }
    const std::string mode = table.choice("mode", {"eager", "launch", "triton", "queue", "graph"});
    task.mode = node::issue_mode(mode).value();
}

void read_copy(TableReader& table, const Parameters& parameters, StepTask& task) {
    task.bytes = whole_number(table.require("bytes"), parameters, {1, most_bytes});
    task.to_device = table.choice("to", {"device", "host"}) == "device";
    task.pinned = table.get_or<bool>("pinned", true);
}

void read_collective(TableReader& table, const Parameters& parameters, StepTask& task) {
    task.bytes = whole_number(table.require("bytes"), parameters, {1, most_bytes});
    const std::string word = table.choice("collective",
                                          {"all_reduce",
                                           "all_gather",
                                           "reduce_scatter",
                                           "all_to_all",
                                           "broadcast",
                                           "send_receive",
                                           "reduce",
                                           "scatter"});
    task.collective = node::collective_kind(word).value();
}

/// What tasks of every kind have.
void read_common(TableReader& table,
                 const Parameters& parameters,
                 std::uint32_t ranks,
                 const std::vector<StepTask>& before,
                 StepTask& task) {
    task.place = table.node().place();
    task.kind = kind_of(table);
    const bool sync = task.kind == StepKind::sync;
    task.name = sync ? table.get_or<std::string>("name", "synchronise") : table.get<std::string>("name");
    task.stream = table.get_or<std::string>("stream", sync ? "" : "main");
    task.thread = table.get_or<std::string>("thread", task.thread);
    if (const std::optional<Node> times = table.find("times")) {
        task.times = static_cast<std::uint32_t>(whole_number(*times, parameters, {1, most_times}));
    }
    task.after = table.list<std::string>("after");
    for (const std::string& name : task.after) {
        if (std::ranges::find(before, name, &StepTask::name) == before.end()) {
            throw table.error("after", "'" + name + "' is no task above this one");
        }
    }
    if (table.find("only_rank")) {
        task.only_rank = table.get<std::uint32_t>("only_rank", {0, static_cast<double>(ranks) - 1});
    }
}

StepTask read_task(TableReader& table,
                   const Parameters& parameters,
                   std::uint32_t ranks,
                   const std::vector<StepTask>& before) {
    StepTask task;
    read_common(table, parameters, ranks, before, task);
    switch (task.kind) {
        case StepKind::kernel:
            read_kernel(table, parameters, task);
            break;
        case StepKind::copy:
            read_copy(table, parameters, task);
            break;
        case StepKind::collective:
            read_collective(table, parameters, task);
            break;
        case StepKind::host:
            task.us = number(table.require("us"), parameters, {0, longest_us});
            break;
        case StepKind::sync:
            break;
    }
    if (task.kind == StepKind::collective && (task.only_rank || ranks < 2)) {
        throw table.error(task.only_rank ? "only_rank" : "kind",
                          "a collective that some ranks do not call never ends: all ranks call it, and "
                          "[step] ranks is 2 at least");
    }
    table.finish();
    return task;
}

}  // namespace

StepProgram read_step(const std::filesystem::path& file, const MachineFolders& folders) {
    return read_step(TomlFile::open(file), folders);
}

StepProgram read_step(const TomlFile& file, const MachineFolders& folders) {
    TableReader root = file.reader();
    TableReader head = root.require_table("step");
    StepProgram program;
    program.title = head.get_or<std::string>("title", std::filesystem::path{file.name()}.stem().string());
    program.node = node::open_node(head.get<std::string>("node"), folders.nodes).spec;
    program.host = node::open_host(head.get_or<std::string>("host", program.node.host), folders.hosts).spec;
    program.ranks = head.get_or<std::uint32_t>(
        "ranks", program.node.size(), {1, static_cast<double>(program.node.size())});
    program.chip = head.get_or<std::string>("chip", program.node.chip);
    head.finish();
    static_cast<void>(root.find("benchmark"));  // app/benchmark reads it
    static_cast<void>(root.find("lesson"));     // app/lessons reads it
    Parameters parameters;
    if (const std::optional<Node> table = root.find("parameters")) {
        for (const Node& member : table->members()) {
            parameters[member.key()] = {.value = number(member, parameters, {-most_bytes, most_bytes}),
                                        .place = member.place()};
        }
    }
    for (TableReader& table : root.tables("task")) {
        program.tasks.push_back(read_task(table, parameters, program.ranks, program.tasks));
    }
    root.finish();
    check_used(parameters);
    if (program.tasks.empty()) {
        throw UserError{"{}:1: [[task]] is missing; a step has one task at least", file.name()};
    }
    return program;
}

}  // namespace ascendsim::steps
