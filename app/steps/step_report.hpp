// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/analysis/energy.hpp"
#include "app/steps/step_advice.hpp"
#include "app/steps/step_run.hpp"
#include "models/node/host_energy.hpp"
#include "models/node/occupation.hpp"

namespace ascendsim::steps {

using node::Share;

/// Where one rank's time went.
struct RankTimes {
    std::vector<Share> parts;  // computing, communication not overlapped, …, free; they add up to the step
    std::vector<Share> free;   // free time by cause, largest first; adds up to it
    node::Picoseconds communication = 0;  // all of it, hidden or not
};

/// The four times of an entry of the program, of one call on average over ranks.
struct EntryTimes {
    std::string name;
    std::uint64_t calls = 0;
    double device_us = 0;       // alone on the device
    double contended_us = 0;    // as it ran, beside others
    double with_launch_us = 0;  // from the host's call to its end
    double critical_us = 0;     // on the critical path, all calls
};

/// Joules of a step over all its devices and their hosts.
struct StepEnergy {
    analysis::Energy devices;   // idle chips, kernels that the detailed level ran, bytes over links
    double idle = 0;            // of these, idle chips for as long as the step takes
    double links = 0;           // copies and collectives, by the bytes that they move over links
    double transfer_hbm = 0;    // the same, by the bytes that they read from and write to HBM
    double kernels = 0;         // the rest
    node::HostEnergy host;      // of the devices' share of their servers
    double joules = 0;          // all of it
    double spread = 0;          // J, either way: those of the parts, taken as independent
    std::uint64_t unknown = 0;  // calls of kernels with stated times: what these take is not known
    double limit_w = 0;         // of a device
    double average_w = 0;       // of a device, without the host
};

struct StepFigures {
    double step_us = 0;
    std::vector<RankTimes> ranks;
    std::vector<EntryTimes> entries;   // as in the program
    std::vector<Share> critical;       // the critical path by task, largest first; adds up to the step
    std::optional<StepEnergy> energy;  // where the chip's power parameters have been read
};

[[nodiscard]] StepFigures figures_of(const StepProgram& program, const StepRun& run);

/// The rank that computes longest, which the others wait for; its computing is its first part.
[[nodiscard]] std::size_t slowest_rank(const StepFigures& figures);

/// For people.
[[nodiscard]] std::string step_text(const StepProgram& program,
                                    const StepFigures& figures,
                                    const std::vector<StepAdvice>& advice = {});

/// For programs: step_us, ranks[].{parts, free}.<what> (us), ranks[].bubbles[].{cause, us, place},
/// tasks[].{name, problem, calls, device_us, contended_us, with_launch_us, critical_us}, critical_path.<what>
/// (us), advice[].{text, change, place, step_us, gain}.
[[nodiscard]] nlohmann::ordered_json step_json(const StepProgram& program,
                                               const StepFigures& figures,
                                               const std::vector<StepAdvice>& advice = {});

/// Chrome trace JSON: a process for each rank, a thread for each host thread, stream and engine.
[[nodiscard]] std::string step_trace(const StepProgram& program, const StepRun& run);

}  // namespace ascendsim::steps
