// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/advice/advice.hpp"
#include "app/analysis/blame/blame.hpp"
#include "app/analysis/blame/critical_path.hpp"
#include "app/analysis/components.hpp"
#include "app/analysis/machine/program_axis.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "app/analysis/network_figures.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// What kind of thing limits a run.
enum class Bottleneck : std::uint8_t {
    compute,
    transfer,
    memory,
    latency,
    scalar,
    synchronisation,
    launch,
    imbalance,
    unknown
};

inline constexpr std::array<std::string_view, 9> bottleneck_names{"compute",
                                                                  "transfer",
                                                                  "memory",
                                                                  "latency",
                                                                  "scalar",
                                                                  "synchronisation",
                                                                  "launch",
                                                                  "imbalance",
                                                                  "unknown"};

[[nodiscard]] constexpr std::string_view name(Bottleneck kind) {
    return bottleneck_names[static_cast<std::size_t>(kind)];
}

/// Why a run took as long as it did.
struct Explanation {
    RunSummary summary;
    Bottleneck bottleneck = Bottleneck::unknown;
    std::string component;  // the unit, route or memory that limits, if one does
    std::string verdict;    // a sentence
    std::vector<Component> components;
    CriticalPath path;
    std::vector<Blame> blame;  // empty if it was left out
    std::vector<Advice> advice;
    /// Of a network. What speaks of one kernel (bounds, components, path, blame, advice) is then empty.
    std::optional<NetworkFigures> network;
    std::optional<RecordedStep>
        step;  // of a step of several devices; the same then holds, but not of a host program
    std::optional<RecordedReport> report;  // of what is neither; the same holds

    /// True for a host program: what speaks of kernels is of those that it launched.
    [[nodiscard]] bool of_program() const { return step && step->program && !report; }

    /// True if it speaks of kernels that ran, of a host program or alone.
    [[nodiscard]] bool of_kernels() const { return !network && !report && (!step || of_program()); }
};

/// What is asked of a recording. Blame follows each wait to its roots, which takes longer than all the rest.
enum class Explained : std::uint8_t {
    whole,
    without_blame,
    figures,  // of kernels neither path nor advice, nor what follows from them
};

/// Explains a recording, complete or not.
[[nodiscard]] Explanation explain(const record::Recording& recording, Explained explained = Explained::whole);

/// The same with sums of its lanes in reported() that are there already.
[[nodiscard]] Explanation explain(const record::Recording& recording,
                                  const std::vector<record::LaneSums>& sums,
                                  Explained explained);

/// Puts the cycles of an explanation onto the axis of its program, as the recording's are put there. Figures
/// stay what they are: of the time in which kernels were under way.
void onto_axis(const ProgramAxis& axis, Explanation& all);

/// The object that `explain --json` prints: the run's figures and `explain`.
[[nodiscard]] nlohmann::ordered_json to_json(const Explanation& explanation,
                                             const record::Recording& recording);

}  // namespace ascendsim::analysis
