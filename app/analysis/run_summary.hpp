// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/auto_sync.hpp"
#include "app/analysis/bounds.hpp"
#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/energy.hpp"
#include "app/analysis/traffic.hpp"
#include "sim/record/lane_sums.hpp"
#include "sim/record/occupancy.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// One kind of pipe over all cores that used it, or over those of one kind.
struct PipeUse {
    std::string name;  // as PipeUnit::name
    std::string pipe;
    std::string cores;        // kind of core; empty for all
    std::uint32_t lanes = 0;  // cores that ran an instruction on it
    std::uint64_t instructions = 0;
    std::uint64_t work = 0;  // elements, or multiply-accumulates of the cube
    std::uint64_t bytes = 0;
    std::uint64_t conflict_cycles = 0;
    record::Occupancy cycles;  // sums to lanes x run time
    /// As the vendor's profiler counts: from an instruction's start until its result is there, with what it
    /// waits for within. Nothing if nobody counted.
    std::optional<std::uint64_t> active_cycles{};

    /// Busy share of the run time of the cores that used it.
    [[nodiscard]] double utilization() const {
        return cycles.total() == 0 ? 0
                                   : static_cast<double>(cycles.busy()) / static_cast<double>(cycles.total());
    }
};

/// The profiler's cycles of each pipe of each kind of core, "aic_mte2", summed over cores.
using ActiveCycles = std::map<std::string, std::uint64_t>;

/// What L2 held when the executions reported began.
struct StartOfL2 {
    std::string state;        // as the scenario has it: "cold", "warm"; "warmed_up": executions came before
    bool could_hold = false;  // all buffers of the run fit, and what was read came from HBM all the same
};

/// A cause of waiting: an instruction at a source line, or nothing that could be named.
struct Cause {
    std::uint32_t op = 0;
    std::uint32_t site = 0;
    std::string pipe;  // of the instruction waited for; empty if none
    std::uint64_t cycles = 0;

    friend bool operator==(const Cause&, const Cause&) = default;
};

/// The waits of one pipe for one reason.
struct Bubble {
    record::Reason reason = record::Reason::none;
    std::uint64_t cycles = 0;
    Cause top;  // what it waited for most
};

/// What a source line cost on one kind of pipe.
struct LineCost {
    std::uint32_t site = 0;
    std::uint32_t op = 0;  // the instruction there that takes most
    std::string pipe;
    std::uint64_t count = 0;
    std::uint64_t busy_cycles = 0;
    std::uint64_t wait_cycles = 0;
};

/// The figures of a run, all taken from its recording.
struct RunSummary {
    std::string scenario;
    std::string title;
    std::string chip;
    std::string mode;
    bool complete = false;
    std::string error;             // why the run failed, if it did
    std::uint64_t from = 0;        // the figures are of [from, to): the executions reported, without warm-up
    std::uint64_t to = 0;          // cycle
    std::uint64_t executions = 1;  // reported, back to back
    std::uint64_t cycles = 0;      // of one execution, on average
    double clock_ghz = 1;
    double time_us = 0;  // of one execution, on average
    std::uint32_t cores_used = 0;
    std::uint64_t launch_cycles = 0;  // before the first core begins and after the last ends, of all launches
    std::uint64_t launch_head_cycles = 0;  // of these, before the first core begins
    std::vector<PipeUse> pipes;            // those used, by kind of core, in the order of pipe_names
    std::vector<PipeUse> all_cores;        // the same pipes over all kinds of cores
    std::string main_pipe;                 // name of the busiest, the scalar unit only if alone
    std::vector<Bubble> bubbles;           // of the main pipe, largest first
    std::vector<LineCost> lines;           // largest first
    Traffic traffic;
    std::uint64_t arithmetic_cycles =
        0;             // of the scalar units' busy ones: what kernels compute themselves between two calls
    double flops = 0;  // of one execution
    Bounds bounds;
    std::optional<Energy> energy;  // of one execution; nothing if the recording does not say what work costs
    std::optional<Energy> program_energy;  // of a host program: all of its time, its devices, links and host
    nlohmann::json numerics;               // as in the totals
    nlohmann::json hazards = nlohmann::json::array();
    nlohmann::json perturb{};  // other timings that were tried: {timings, seed, differ, …}; null: none
    nlohmann::json notes = nlohmann::json::array();  // other events
    nlohmann::json simulator;                        // as in the totals
    std::optional<AutoSyncFigures> auto_sync;        // of a kernel of one's own
    std::optional<StartOfL2> l2;                     // of a kernel; nothing if the recording does not say

    /// A pipe by its name in `pipes`, else over all cores.
    [[nodiscard]] const PipeUse* find(std::string_view pipe) const;
    /// Share of the main pipe's time in which it waits.
    [[nodiscard]] double bubble_fraction() const;

    /// Share of the scalar units' busy cycles that is the kernel's own arithmetic; empty where that was not
    /// counted.
    [[nodiscard]] std::optional<double> arithmetic_share() const;

    /// Time of a pipe as a column of the vendor's profiler has it: of one execution and one core, on average.
    [[nodiscard]] std::optional<double> profiler_us(const PipeUse& use) const;

    [[nodiscard]] double tflops() const { return time_us > 0 ? flops / time_us / 1e6 : 0; }

    /// Bytes to and from global memory over the run time, GB/s decimal.
    [[nodiscard]] double achieved_gbps() const {
        return to > from
                   ? static_cast<double>(traffic.gm_bytes()) / static_cast<double>(to - from) * clock_ghz
                   : 0;
    }
};

/// The stretch of a recording that its figures are about: the executions reported, back to back, without
/// warm-up.
struct Reported {
    std::uint64_t from = 0;  // cycle
    std::uint64_t to = 0;
    std::uint64_t executions = 1;
};

/// The whole recording if its totals name no executions.
[[nodiscard]] Reported reported(const record::Recording& recording);

/// Adds up a recording, complete or not.
[[nodiscard]] RunSummary summarise(const record::Recording& recording);

/// The same from sums kept while recording, one for each lane from reported().from on; the spans of
/// `recording` are not asked for.
[[nodiscard]] RunSummary summarise(const record::Recording& recording,
                                   const std::vector<record::LaneSums>& sums);

/// The profiler's cycles from the spans of a recording that end after `from`, as record::LaneTotals adds them
/// up while it grows.
[[nodiscard]] ActiveCycles active_cycles_of(const record::Recording& recording, std::uint64_t from);

/// Puts the profiler's cycles beside those of the summary's pipes.
void note_active(RunSummary& summary, const ActiveCycles& active);

/// What L2 held at the start of a kernel's run of this traffic.
[[nodiscard]] std::optional<StartOfL2> start_of_l2(const record::Recording& recording,
                                                   const Traffic& traffic,
                                                   const ChipNumbers& chip);

/// The object that `run --json` prints; names are a contract.
[[nodiscard]] nlohmann::ordered_json to_json(const RunSummary& summary);

}  // namespace ascendsim::analysis
