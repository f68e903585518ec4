// SPDX-License-Identifier: Apache-2.0
#include "app/profile/step_export.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/studies/batch.hpp"
#include "sim/base/csv_cell.hpp"

namespace ascendsim::profile {
namespace {

using nlohmann::ordered_json;
using node::TaskId;
using steps::PlacedTask;
using steps::StepKind;
using steps::StepProgram;
using steps::StepRun;
using steps::StepTask;

double start_of(const StepRun& run, TaskId task) {
    return node::microseconds(run.schedule.start[node::index(task)]);
}

double end_of(const StepRun& run, TaskId task) {
    return node::microseconds(run.schedule.end[node::index(task)]);
}

/// When a task began on its device: a collective with its event behind the call, which is ready then.
double device_start(const StepProgram& program, const StepRun& run, const PlacedTask& placed) {
    if (program.tasks[placed.entry].kind == StepKind::collective) {
        return end_of(run, TaskId{static_cast<std::uint32_t>(node::index(*placed.issue)) + 1});
    }
    return start_of(run, *placed.work);
}

std::string vendor_type(const StepTask& task) {
    switch (task.kind) {
        case StepKind::kernel:
            return task.kernel.empty() ? task.name : task.kernel;
        case StepKind::copy:
            return "MEMCPY_ASYNC";
        case StepKind::collective:
            return fmt::format("hcom_{}_", node::name(task.collective));
        case StepKind::host:
        case StepKind::sync:
            break;
    }
    return {};
}

std::string vendor_core(const StepTask& task) {
    return task.kind == StepKind::kernel ? "AI_CORE" : task.kind == StepKind::collective ? "HCCL" : "N/A";
}

/// Tasks of a rank on its device, by their starts.
std::vector<const PlacedTask*> device_tasks(const StepProgram& program,
                                            const StepRun& run,
                                            std::uint32_t rank) {
    std::vector<const PlacedTask*> tasks;
    for (const PlacedTask& placed : run.placed) {
        if (placed.rank == rank && placed.work) {
            tasks.push_back(&placed);
        }
    }
    std::ranges::stable_sort(
        tasks, {}, [&](const PlacedTask* placed) { return device_start(program, run, *placed); });
    return tasks;
}

/// Numbers of streams, in the order in which they are met.
class StreamNumbers {
public:
    std::size_t operator()(const std::string& name) {
        return numbers_.try_emplace(name, numbers_.size()).first->second;
    }

private:
    std::map<std::string, std::size_t> numbers_;
};

/// One row with its cells in the order of kernel_details, which op_summary has in other words.
std::string task_rows(const StepProgram& program,
                      const StepRun& run,
                      std::uint32_t rank,
                      std::string_view before) {
    std::string text;
    StreamNumbers streams;
    std::map<std::size_t, double> ended;  // of each stream
    std::size_t number = 0;
    for (const PlacedTask* placed : device_tasks(program, run, rank)) {
        const StepTask& task = program.tasks[placed->entry];
        const std::size_t stream = streams(task.stream);
        const double start = device_start(program, run, *placed);
        const double end = end_of(run, *placed->work);
        const auto last = ended.try_emplace(stream, start).first;
        text +=
            fmt::format("{}{},{},{},{},N/A,{},\"{:.3f}\t\",{:.3f},{:.3f},0,0,NO,N/A,N/A,N/A,N/A,N/A,N/A\n",
                        before,
                        number++,
                        stream,
                        csv_cell(task.name),
                        csv_cell(vendor_type(task)),
                        vendor_core(task),
                        start,
                        end - start,
                        std::max(0.0, start - last->second));
        last->second = end;
    }
    return text;
}

ordered_json complete_event(
    const std::string& name, int process, const std::string& thread, double start, double us) {
    return {{"ph", "X"},
            {"name", name},
            {"pid", process},
            {"tid", thread},
            {"ts", fmt::format("{:.3f}", start)},
            {"dur", us}};
}

/// Numbers of Chakra's CollectiveCommType.
std::uint32_t chakra_collective(node::CollectiveKind kind) {
    switch (kind) {
        case node::CollectiveKind::all_reduce:
            return 0;
        case node::CollectiveKind::reduce:
            return 1;
        case node::CollectiveKind::all_gather:
            return 2;
        case node::CollectiveKind::scatter:
            return 4;
        case node::CollectiveKind::broadcast:
            return 5;
        case node::CollectiveKind::all_to_all:
            return 6;
        case node::CollectiveKind::reduce_scatter:
            return 7;
        case node::CollectiveKind::send_receive:
            break;
    }
    return 0;
}

/// Ids of the nodes of a placed task: its part on the host, and that on the device.
std::uint64_t host_id(std::size_t placed) {
    return 2 * placed + 1;
}

std::uint64_t device_id(std::size_t placed) {
    return 2 * placed + 2;
}

/// The node that a task of the graph belongs to.
std::optional<std::uint64_t> node_of(const StepRun& run, TaskId task) {
    const std::optional<std::size_t> owner = run.owner[node::index(task)];
    if (!owner) {
        return std::nullopt;
    }
    const steps::StepLane& lane = run.lanes[node::index(run.graph.lane(task))];
    const bool host =
        lane.kind == steps::StepLane::Kind::host || lane.kind == steps::StepLane::Kind::launcher;
    return host || !run.placed[*owner].work ? host_id(*owner) : device_id(*owner);
}

/// Which nodes of a rank wait for which others of it.
std::map<std::uint64_t, std::vector<std::uint64_t>> orders_of(const StepRun& run, std::uint32_t rank) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> after;
    const auto add = [&](TaskId first, TaskId second) {
        const std::optional<std::uint64_t> a = node_of(run, first);
        const std::optional<std::uint64_t> b = node_of(run, second);
        if (a && b && *a != *b && run.placed[*run.owner[node::index(first)]].rank == rank &&
            run.placed[*run.owner[node::index(second)]].rank == rank) {
            after[*b].push_back(*a);
        }
    };
    std::vector<std::optional<TaskId>> last(run.graph.lanes().size());
    for (std::uint32_t i = 0; i < run.graph.size(); ++i) {
        std::optional<TaskId>& before = last[node::index(run.graph.lane(TaskId{i}))];
        if (before) {
            add(*before, TaskId{i});
        }
        before = TaskId{i};
    }
    for (const node::TaskGraph::Edge& edge : run.graph.edges()) {
        add(edge.before, edge.after);
    }
    for (auto& [id, list] : after) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return after;
}

ChakraNode device_node(const StepProgram& program, const StepRun& run, std::size_t number) {
    const PlacedTask& placed = run.placed[number];
    const StepTask& task = program.tasks[placed.entry];
    const double start = device_start(program, run, placed);
    ChakraNode node{.id = device_id(number),
                    .name = task.name,
                    .kind = ChakraKind::compute,
                    .after = {},
                    .start_us = start,
                    .us = end_of(run, *placed.work) - start,
                    .on_host = false,
                    .bytes = task.bytes,
                    .collective = 0};
    if (task.kind == StepKind::copy) {
        node.kind = task.to_device ? ChakraKind::memory_load : ChakraKind::memory_store;
    } else if (task.kind == StepKind::collective) {
        node.kind = ChakraKind::collective;
        node.collective = chakra_collective(task.collective);
    }
    return node;
}

}  // namespace

std::string kernel_details(const StepProgram& program, const StepRun& run, std::uint32_t rank) {
    return "Step Id,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait "
           "Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input "
           "Formats,Output "
           "Shapes,Output Data Types,Output Formats\n" +
           task_rows(program, run, rank, "0,");
}

std::string op_summary(const StepProgram& program, const StepRun& run, std::uint32_t rank) {
    return "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task "
           "Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data "
           "Types,Input Formats,Output Shapes,Output Data Types,Output Formats\n" +
           task_rows(program, run, rank, fmt::format("{},4294967295,", rank));
}

std::string step_trace_time(const steps::StepFigures& figures, std::uint32_t rank) {
    const steps::RankTimes& times = figures.ranks[rank];
    const auto us = [&](std::size_t part) { return node::microseconds(times.parts[part].time); };
    // Copies that nothing hides are free time to the profiler: the device neither computes nor communicates.
    const double communication = node::microseconds(times.communication);
    return fmt::format(
        "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
        "Communication(Not Overlapped and Exclude Receive),Preparing\n"
        "{},0,{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},0,{:.3f},0\n",
        rank,
        us(0),
        us(1),
        communication - us(1),
        communication,
        us(2) + us(3),
        figures.step_us,
        us(1));
}

std::string trace_view(const StepProgram& program, const StepRun& run, std::uint32_t rank) {
    constexpr int host_process = 1;
    constexpr int device_process = 2;
    ordered_json events = ordered_json::array();
    for (const auto& [process, name] :
         {std::pair{host_process, "CANN"}, {device_process, "Ascend Hardware"}}) {
        events.push_back(
            {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
    }
    StreamNumbers streams;
    std::size_t arrow = 0;
    for (const PlacedTask& placed : run.placed) {
        if (placed.rank != rank || !placed.issue) {
            continue;
        }
        const StepTask& task = program.tasks[placed.entry];
        const double called = start_of(run, *placed.issue);
        const double call_end = end_of(run, *placed.issue);
        if (call_end > called) {
            events.push_back(complete_event(task.name, host_process, "host", called, call_end - called));
        }
        if (!placed.work) {
            continue;
        }
        const std::string stream = fmt::format("Stream {}", streams(task.stream));
        const double start = device_start(program, run, placed);
        events.push_back(
            complete_event(task.name, device_process, stream, start, end_of(run, *placed.work) - start));
        events.back()["args"] = {{"Task Type", vendor_core(task)}};
        for (const auto& [phase, at, process] :
             {std::tuple{"s", call_end, host_process}, std::tuple{"f", start, device_process}}) {
            events.push_back({{"ph", phase},
                              {"bp", "e"},
                              {"cat", "HostToDevice"},
                              {"name", "HostToDevice"},
                              {"id", std::to_string(arrow)},
                              {"pid", process},
                              {"tid", process == host_process ? "host" : stream},
                              {"ts", fmt::format("{:.3f}", at)}});
        }
        ++arrow;
    }
    return events.dump() + "\n";
}

std::vector<ChakraNode> chakra_nodes(const StepProgram& program, const StepRun& run, std::uint32_t rank) {
    const std::map<std::uint64_t, std::vector<std::uint64_t>> after = orders_of(run, rank);
    std::vector<ChakraNode> nodes;
    const auto add = [&](ChakraNode node) {
        if (const auto found = after.find(node.id); found != after.end()) {
            node.after = found->second;
        }
        nodes.push_back(std::move(node));
    };
    for (std::size_t i = 0; i < run.placed.size(); ++i) {
        const PlacedTask& placed = run.placed[i];
        if (placed.rank != rank) {
            continue;
        }
        if (placed.issue) {
            const double start = start_of(run, *placed.issue);
            add({.id = host_id(i),
                 .name = program.tasks[placed.entry].name,
                 .kind = ChakraKind::compute,
                 .after = {},
                 .start_us = start,
                 .us = end_of(run, *placed.issue) - start,
                 .on_host = true,
                 .bytes = 0,
                 .collective = 0});
        }
        if (placed.work) {
            add(device_node(program, run, i));
        }
    }
    return nodes;
}

void write_vendor_profile(const std::filesystem::path& folder,
                          const StepProgram& program,
                          const StepRun& run,
                          const steps::StepFigures& figures) {
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
        const std::filesystem::path place = folder / fmt::format("rank_{}", rank) / "ASCEND_PROFILER_OUTPUT";
        study::make_folder(place);
        study::write_file(place / "kernel_details.csv", kernel_details(program, run, rank));
        study::write_file(place / "op_summary.csv", op_summary(program, run, rank));
        study::write_file(place / "step_trace_time.csv", step_trace_time(figures, rank));
        study::write_file(place / "trace_view.json", trace_view(program, run, rank));
    }
}

void write_chakra(const std::filesystem::path& folder, const StepProgram& program, const StepRun& run) {
    study::make_folder(folder);
    for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
        study::write_file(folder / fmt::format("trace.{}.et", rank),
                          chakra_trace(chakra_nodes(program, run, rank)));
    }
}

}  // namespace ascendsim::profile
