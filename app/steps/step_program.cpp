// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/node/node_file.hpp"
#include "sim/base/error.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::steps {
namespace {

constexpr double longest_us = 1e9;
constexpr double most_bytes = 1e13;

StepKind kind_of(TableReader& table) {
    const std::string word = table.choice("kind", {"kernel", "copy", "collective", "host", "sync"});
    const std::array<std::string_view, 5> names{"kernel", "copy", "collective", "host", "sync"};
    return static_cast<StepKind>(std::ranges::find(names, word) - names.begin());
}

void read_kernel(TableReader& table, StepTask& task) {
    task.us = table.get<double>("us", {0, longest_us});
    const std::string mode = table.choice("mode", {"eager", "launch", "triton", "queue", "graph"});
    task.mode = node::issue_mode(mode).value();
}

void read_copy(TableReader& table, StepTask& task) {
    task.bytes = table.get<std::uint64_t>("bytes", {1, most_bytes});
    task.to_device = table.choice("to", {"device", "host"}) == "device";
    task.pinned = table.get_or<bool>("pinned", true);
}

void read_collective(TableReader& table, StepTask& task) {
    task.bytes = table.get<std::uint64_t>("bytes", {1, most_bytes});
    const std::string word = table.choice(
        "collective",
        {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_receive"});
    task.collective = node::collective_kind(word).value();
}

StepTask read_task(TableReader& table, std::uint32_t ranks, const std::vector<StepTask>& before) {
    StepTask task;
    task.place = table.node().place();
    task.kind = kind_of(table);
    const bool sync = task.kind == StepKind::sync;
    task.name = sync ? table.get_or<std::string>("name", "synchronise") : table.get<std::string>("name");
    task.stream = table.get_or<std::string>("stream", sync ? "" : "main");
    task.times = table.get_or<std::uint32_t>("times", 1, {1, 1'000'000});
    task.after = table.list<std::string>("after");
    for (const std::string& name : task.after) {
        if (std::ranges::find(before, name, &StepTask::name) == before.end()) {
            throw table.error("after", "'" + name + "' is no task above this one");
        }
    }
    if (table.find("only_rank")) {
        task.only_rank = table.get<std::uint32_t>("only_rank", {0, static_cast<double>(ranks) - 1});
    }
    switch (task.kind) {
        case StepKind::kernel:
            read_kernel(table, task);
            break;
        case StepKind::copy:
            read_copy(table, task);
            break;
        case StepKind::collective:
            read_collective(table, task);
            break;
        case StepKind::host:
            task.us = table.get<double>("us", {0, longest_us});
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
    const TomlFile toml = TomlFile::open(file);
    TableReader root = toml.reader();
    TableReader head = root.require_table("step");
    StepProgram program;
    program.title = head.get_or<std::string>("title", file.stem().string());
    program.node = node::open_node(head.get<std::string>("node"), folders.nodes).spec;
    program.host = node::open_host(head.get_or<std::string>("host", program.node.host), folders.hosts).spec;
    program.ranks = head.get_or<std::uint32_t>(
        "ranks", program.node.size(), {1, static_cast<double>(program.node.size())});
    head.finish();
    for (TableReader& table : root.tables("task")) {
        program.tasks.push_back(read_task(table, program.ranks, program.tasks));
    }
    root.finish();
    if (program.tasks.empty()) {
        throw UserError{"{}:1: [[task]] is missing; a step has one task at least", file.string()};
    }
    return program;
}

}  // namespace ascendsim::steps
