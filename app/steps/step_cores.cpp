// SPDX-License-Identifier: Apache-2.0
#include "app/steps/step_cores.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "app/analysis/machine/recorded_clock.hpp"
#include "app/networks/joined_cores.hpp"
#include "app/networks/network_recording.hpp"
#include "app/steps/kernel_times.hpp"
#include "models/spec/chip_file.hpp"

namespace ascendsim::steps {
namespace {

namespace fs = std::filesystem;

/// A kernel of the first rank at its time, in cycles.
struct StepLaunch {
    std::size_t entry = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
};

std::vector<StepLaunch> first_rank_launches(const StepProgram& program,
                                            const StepRun& run,
                                            double clock_ghz) {
    const analysis::RecordedClock clock{clock_ghz};
    std::vector<StepLaunch> launches;
    for (const PlacedTask& placed : run.placed) {
        if (placed.rank == 0 && placed.work && program.tasks[placed.entry].kind == StepKind::kernel) {
            const std::size_t task = node::index(*placed.work);
            launches.push_back(
                {placed.entry, clock.of_ps(run.schedule.start[task]), clock.of_ps(run.schedule.end[task])});
        }
    }
    std::ranges::stable_sort(launches, {}, &StepLaunch::start);
    return launches;
}

std::uint64_t instructions_of(const record::Recording& recording) {
    std::uint64_t count = 0;
    for (const record::Lane& lane : recording.lanes()) {
        count += lane.size();
    }
    return count;
}

}  // namespace

KernelRecordings record_kernels(const StepProgram& program,
                                const toolchain::Installation& installation,
                                const networks::TaskOptions& options) {
    KernelRecordings kernels{.files = std::vector<fs::path>(program.tasks.size())};
    std::vector<networks::Task> tasks;
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < program.tasks.size(); ++i) {
        if (!program.tasks[i].kernel.empty()) {
            tasks.push_back(timed_task(program.tasks[i]));
            entries.push_back(i);
        }
    }
    if (tasks.empty()) {
        return kernels;
    }
    const ChipFile chip = open_chip(program.chip, installation.chips());
    kernels.clock_ghz = chip.spec.cores.clock_ghz;
    const std::vector<fs::path> files = networks::record_tasks(tasks, chip.spec, installation, options);
    for (std::size_t i = 0; i < files.size(); ++i) {
        kernels.files[entries[i]] = files[i];
    }
    return kernels;
}

std::size_t write_step_cores(record::Recorder& to,
                             const StepProgram& program,
                             const StepRun& run,
                             const KernelRecordings& kernels) {
    std::map<fs::path, std::unique_ptr<record::Recording>> open;
    std::vector<StepLaunch> launches = first_rank_launches(program, run, kernels.clock_ghz);
    std::erase_if(launches, [&](const StepLaunch& launch) {
        return launch.entry >= kernels.files.size() || kernels.files[launch.entry].empty();
    });
    std::vector<std::size_t> entries;
    std::vector<std::uint64_t> instructions;
    for (const StepLaunch& launch : launches) {
        const fs::path& file = kernels.files[launch.entry];
        auto& recording = open[file];
        if (recording == nullptr) {
            recording = std::make_unique<record::Recording>(file);
        }
        entries.push_back(launch.entry);
        instructions.push_back(instructions_of(*recording));
    }
    const std::vector<bool> wanted =
        report::launches_to_record(entries, instructions, report::most_recorded_instructions);
    report::JoinedCores cores{
        to, {{record::TrackKind::node, std::uint32_t{0}}, {record::TrackKind::device, std::uint32_t{0}}}};
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const StepLaunch& launch = launches[i];
        if (launch.start < now || launch.end <= launch.start) {
            continue;  // cores that two kernels share are in neither recording
        }
        cores.wait(launch.start);
        if (wanted[i]) {
            cores.copy(*open[kernels.files[launch.entry]], launch.start, launch.end);
        } else {
            cores.leave_out(launch.end);
        }
        now = launch.end;
    }
    return cores.count();
}

}  // namespace ascendsim::steps
