// SPDX-License-Identifier: Apache-2.0
#include "app/networks/network_recording.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/networks/joined_cores.hpp"
#include "app/networks/network_plots.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/record/recorder.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::report {
namespace {

namespace fs = std::filesystem;
using networks::PlannedNode;
using networks::Task;
using networks::TaskResult;
using record::Reason;

/// One kernel of a network on the axis of its recording.
struct Launch {
    std::size_t node = 0;  // of the plan
    const Task* task = nullptr;
    const TaskResult* result = nullptr;
    std::uint64_t start = 0;  // cycle
    std::uint64_t end = 0;
};

std::uint64_t cycles_of(double us, double clock_ghz) {
    return analysis::RecordedClock{clock_ghz}.of_us(us);
}

/// Kernels that run, one after the other.
std::vector<Launch> launches_of(const NetworkRun& run, double clock_ghz) {
    std::vector<Launch> launches;
    auto result = run.results.begin();
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < run.plan.nodes.size(); ++i) {
        const PlannedNode& node = run.plan.nodes[i];
        const auto first = result;
        result += static_cast<std::ptrdiff_t>(node.tasks.size());
        const auto ran = [](const TaskResult& task) { return task.error.empty(); };
        if (!node.refusal.empty() || !std::all_of(first, result, ran)) {
            continue;
        }
        for (std::size_t k = 0; k < node.tasks.size(); ++k) {
            const TaskResult& task = *(first + static_cast<std::ptrdiff_t>(k));
            if (task.time_us > 0) {  // else it is the AI CPU's
                const std::uint64_t end = now + cycles_of(task.time_us, clock_ghz);
                launches.push_back({i, &node.tasks[k], &task, now, end});
                now = end;
            }
        }
    }
    return launches;
}

/// The recordings of the launches that are recorded, each read once.
class Kernels {
public:
    Kernels(const std::vector<Launch>& launches, const RecordTasks& record) {
        std::map<std::string, std::size_t> known;
        std::vector<std::size_t> kernels;
        std::vector<std::uint64_t> instructions;
        for (const Launch& launch : launches) {
            kernels.push_back(known.try_emplace(launch.result->key, known.size()).first->second);
            instructions.push_back(launch.result->instructions);
        }
        const std::vector<bool> wanted =
            launches_to_record(kernels, instructions, most_recorded_instructions);
        std::vector<Task> tasks;
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (wanted[i]) {
                tasks.push_back(*launches[i].task);
            }
        }
        const std::vector<fs::path> files = record(tasks);
        auto file = files.begin();
        for (std::size_t i = 0; i < launches.size(); ++i) {
            files_.push_back(wanted[i] ? *file++ : fs::path{});
        }
    }

    /// Null for a launch that is not recorded.
    [[nodiscard]] const record::Recording* of(std::size_t launch) {
        const fs::path& file = files_[launch];
        if (file.empty()) {
            return nullptr;
        }
        auto& recording = open_[file];
        if (recording == nullptr) {
            recording = std::make_unique<record::Recording>(file);
        }
        return recording->complete() ? recording.get() : nullptr;
    }

private:
    std::vector<fs::path> files_;  // by launch
    std::map<fs::path, std::unique_ptr<record::Recording>> open_;
};

/// The tracks above the cores.
class Tracks {
public:
    explicit Tracks(record::Recorder& to)
        : to_{to},
          operators_{to.lane(analysis::operators_track())},
          kernels_{to.lane(analysis::kernels_track())} {}

    void add_kernel(const Launch& launch, double clock_ghz) {
        const std::uint64_t first =
            std::min(launch.end, launch.start + cycles_of(launch.result->head_us, clock_ghz));
        const std::uint64_t last = std::min(launch.end, first + cycles_of(launch.result->core_us, clock_ghz));
        put(kernels_, launch.start, first, "launch", Reason::launch, 0);
        put(kernels_, first, last, networks::kernel_name(*launch.task), Reason::none, 0);
        put(kernels_, last, launch.end, "launch", Reason::tail, 0);
    }

    void add_operator(std::uint64_t start, std::uint64_t end, const std::string& what, std::uint32_t site) {
        put(operators_, start, end, what, Reason::none, site);
    }

private:
    void put(std::uint32_t lane,
             std::uint64_t start,
             std::uint64_t end,
             std::string_view what,
             Reason reason,
             std::uint32_t site) {
        if (end > start) {
            to_.span(lane,
                     {.issue = start,
                      .start = start,
                      .end = end,
                      .complete = end,
                      .op = to_.op(what),
                      .site = site,
                      .reason = reason});
        }
    }

    record::Recorder& to_;
    std::uint32_t operators_;
    std::uint32_t kernels_;
};

nlohmann::json launches_json(const std::vector<Launch>& launches, double clock_ghz) {
    nlohmann::json list = nlohmann::json::array();
    for (const Launch& launch : launches) {
        const std::uint64_t first = launch.start + cycles_of(launch.result->head_us, clock_ghz);
        list.push_back(
            {{"name", networks::kernel_name(*launch.task)},
             {"start", launch.start},
             {"first_core", std::min(first, launch.end)},
             {"cores_end", std::min(first + cycles_of(launch.result->core_us, clock_ghz), launch.end)},
             {"end", launch.end},
             {"cores", launch.result->blocks},
             {"blocks", launch.result->blocks}});
    }
    return list;
}

/// Curves below the timeline, and those of a stability monitor.
std::vector<analysis::RecordedPlot> plots_of(const NetworkRun& run,
                                             const NetworkPicture& picture,
                                             const std::vector<Launch>& launches,
                                             const ChipSpec& chip) {
    std::vector<double> alive;  // of operators that take time
    for (const analysis::NetworkNode& node : picture.figures.graph.nodes) {
        if (node.span) {
            alive.push_back(node.alive_bytes);
        }
    }
    const double cycles_a_us = chip.cores.clock_ghz * 1e3;
    std::vector<TimedKernel> kernels;
    std::size_t operators = 0;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        operators += i > 0 && launches[i].node != launches[i - 1].node ? 1U : 0U;
        kernels.push_back({.start_us = static_cast<double>(launches[i].start) / cycles_a_us,
                           .end_us = static_cast<double>(launches[i].end) / cycles_a_us,
                           .result = launches[i].result,
                           .alive_bytes = operators < alive.size() ? alive[operators] : 0});
    }
    std::vector<analysis::RecordedPlot> plots = network_plots(kernels, chip, {{"power", run.power}});
    std::ranges::move(stability_plots(run.stability), std::back_inserter(plots));
    return plots;
}

nlohmann::json metadata_of(const NetworkRun& run,
                           const NetworkPicture& picture,
                           const ChipSpec& chip,
                           const std::vector<Launch>& launches,
                           std::uint64_t recorded) {
    analysis::NetworkFigures figures = picture.figures;
    figures.recorded = recorded;
    return {{"title", run.name},
            {"mode", "timing"},
            {"l2", "chained"},
            {"chip", to_json(chip)},
            {"clock_ghz", chip.cores.clock_ghz},
            {"sources", picture.sources},
            {"work", {{"cube_flops", figures.flops}}},
            {"plots", analysis::to_json(plots_of(run, picture, launches, chip))},
            {"network", analysis::to_json(figures)}};
}

/// A span for each operator, over all of its launches. Its place is the source of its kernel, if that was
/// generated.
void add_operators(record::Recorder& to,
                   Tracks& tracks,
                   const std::vector<Launch>& launches,
                   const analysis::NetworkGraph& graph) {
    std::vector<const analysis::NetworkNode*> nodes;
    for (const analysis::NetworkNode& node : graph.nodes) {
        if (node.span) {
            nodes.push_back(&node);
        }
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < launches.size() && next < nodes.size(); ++next) {
        const std::size_t first = i;
        while (i < launches.size() && launches[i].node == launches[first].node) {
            ++i;
        }
        const analysis::NetworkNode& node = *nodes[next];
        const std::uint32_t site = node.source.empty() ? 0 : to.site(node.source.c_str(), 1);
        tracks.add_operator(launches[first].start,
                            launches[i - 1].end,
                            node.name.empty() || node.name == node.kind
                                ? node.kind
                                : fmt::format("{} '{}'", node.kind, node.name),
                            site);
    }
}

}  // namespace

std::vector<bool> launches_to_record(const std::vector<std::size_t>& kernels,
                                     const std::vector<std::uint64_t>& instructions,
                                     std::uint64_t most) {
    std::vector<bool> wanted(kernels.size());
    std::set<std::size_t> seen;
    std::uint64_t taken = 0;
    for (const bool repeated : {false, true}) {
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const bool turn = repeated ? !wanted[i] && seen.contains(kernels[i]) : !seen.contains(kernels[i]);
            if (turn && instructions[i] <= most - taken) {
                wanted[i] = true;
                seen.insert(kernels[i]);
                taken += instructions[i];
            }
        }
    }
    return wanted;
}

void write_recording(const fs::path& file,
                     const NetworkRun& run,
                     const NetworkPicture& picture,
                     const ChipSpec& chip,
                     const RecordTasks& record) {
    const double clock_ghz = chip.cores.clock_ghz;
    const std::vector<Launch> launches = launches_of(run, clock_ghz);
    Kernels kernels{launches, record};
    record::Recorder recorder{file};
    std::uint64_t recorded = 0;
    std::vector<const record::Recording*> recordings;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        recordings.push_back(kernels.of(i));
        recorded += recordings.back() == nullptr ? 0U : 1U;
    }
    recorder.metadata(metadata_of(run, picture, chip, launches, recorded));
    Tracks tracks{recorder};
    JoinedCores cores{recorder};
    add_operators(recorder, tracks, launches, picture.figures.graph);
    for (std::size_t i = 0; i < launches.size(); ++i) {
        tracks.add_kernel(launches[i], clock_ghz);
        if (recordings[i] == nullptr) {
            cores.leave_out(launches[i].end);
        } else {
            cores.copy(*recordings[i], launches[i].start, launches[i].end);
        }
    }
    const std::uint64_t cycles = launches.empty() ? 0 : launches.back().end;
    recorder.finish({{"outcome", "complete"},
                     {"cycles", cycles},
                     {"time_us", picture.figures.time_us},
                     {"cores_used", cores.count()},
                     {"flops", picture.figures.flops},
                     {"launches", launches_json(launches, clock_ghz)}});
}

}  // namespace ascendsim::report
