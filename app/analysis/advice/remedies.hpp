// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/blame/critical_path.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// The part of a run that a remedy changes, which bounds how much of the critical path can go.
enum class Reach : std::uint8_t {
    cause,    // what it names, and nothing else
    order,    // when and from where data come: copies, their latency, synchronisation
    size,     // how work is cut: all but the computing of a unit at its rate
    overlap,  // what happens at the same time: all but the busiest pipe's own work
    cores,    // how many share the work: all but what the problem needs
    problem,  // what is computed, too: all but what comes with every launch
};

/// A way a knob may go.
enum class Turn : std::uint8_t { up, down, other };

/// A knob of kernels that does what a remedy says.
struct Handle {
    std::string_view knob;
    Turn turn = Turn::other;
};

/// Something to do about a cause.
struct Remedy {
    std::string sentence;
    Reach reach = Reach::cause;
    std::vector<Handle> handles{};  // best first
    bool conflicts = false;         // takes away no more than the bank conflicts of the cause's pipe
};

/// What decides between remedies besides the cause.
struct Situation {
    const RunSummary& summary;
    double efficiency = 0;           // of the cause's unit while it works; 0 if unknown
    bool more_cores = false;         // would make the run shorter, the longer launch included
    bool fewer_cores = false;        // likewise
    bool double_buffers = false;     // every queue of the pipe concerned has two buffers already
    bool by_elements = false;        // the scalar unit's line calls GetValue or SetValue
    std::string_view instruction{};  // the cause's
};

/// What helps against a cause of the critical path.
[[nodiscard]] Remedy remedy_for(const Root& root, const Situation& situation);

/// Against waiting for buffers: more of them, or where there are two already what empties them.
[[nodiscard]] Remedy more_buffers(const std::string& pipe,
                                  bool double_buffers,
                                  const std::string& emptied_by);

/// Against cores that stand idle behind their last instruction.
[[nodiscard]] Remedy even_shares();

/// Against cores that never take part, where nothing is known of what starting them costs.
[[nodiscard]] Remedy idle_cores();

/// Another number of cores, which best_core_count() prefers.
[[nodiscard]] Remedy other_core_count(std::uint32_t best, std::uint32_t now, std::uint32_t available);

/// True of the pipes whose results are there some cycles after they were computed, which no buffer hides.
[[nodiscard]] bool is_unit(std::string_view pipe);

/// True if a unit works at so low a rate that the sizes of its instructions are to blame.
[[nodiscard]] bool works_slowly(double efficiency);

/// A knob of the run, as "kernel.buffers = 1", and what it is.
struct FoundKnob {
    std::string setting;
    std::string meaning;  // "buffers of each operand (1 to 4)"; empty if the recording does not say
    std::vector<std::string> tries{};  // the next settings that way, as for --set: "kernel.buffers=2"
    std::map<std::string, std::vector<std::string>> further{};  // behind one of `tries`, the nearest first
};

/// The first of a remedy's handles that the run's kernel has and that can still be turned that way.
[[nodiscard]] FoundKnob knob_for(const Remedy& remedy, const nlohmann::json& metadata);

}  // namespace ascendsim::analysis
