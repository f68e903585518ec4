// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// One figure in two runs.
struct Change {
    std::string name;
    double a = 0;
    double b = 0;
    bool significant = false;
    bool known_a = true;  // false: A is not whole, so that nothing tells it
    bool known_b = true;  // likewise of B

    [[nodiscard]] bool known() const { return known_a && known_b; }

    [[nodiscard]] double difference() const { return b - a; }

    /// Relative to the first; 0 if that is 0.
    [[nodiscard]] double relative() const { return a == 0 ? 0 : (b - a) / a; }
};

/// A parameter that differs, as text; empty where a run does not have it.
struct ParameterChange {
    std::string path;
    std::string a;
    std::string b;
};

/// A source line's cost in both runs, in cycles of all cores.
struct LineChange {
    std::string source;       // "kernel.cpp:12" of A; "kernel.cpp:12 (B)" for a line that is new in B
    std::string source_in_b;  // where it stands in B, if elsewhere
    std::string pipe;
    std::string instruction;
    Change busy;
    Change wait;
};

/// Where the two schedules part.
struct Divergence {
    bool program = false;  // another instruction; otherwise the same one at another time
    std::string core;
    std::string pipe;
    std::uint64_t index = 0;    // among the lane's spans
    std::uint64_t cycle_a = 0;  // since the beginning of the executions reported
    std::uint64_t cycle_b = 0;
    std::string what_a;  // "mmad at kernel.cpp:12 for 34 cycles"; empty where a lane has ended
    std::string what_b;
};

/// Two runs side by side.
struct Comparison {
    RunSummary a;
    RunSummary b;
    double threshold = 0;           // relative; less is noise
    std::string verdict;            // a sentence
    std::string wrong_a;            // why the time of A says nothing: "its recording ends …", or nothing
    std::string wrong_b;            // likewise of B
    Change time;                    // us
    std::vector<Change> figures;    // efficiency, rates, memory
    std::vector<Change> busy;       // by pipe, cycles of one core on average
    std::vector<Change> waits;      // "mte2 flag_buffer", likewise; largest change first
    std::vector<Change> traffic;    // by route and level, bytes
    std::vector<LineChange> lines;  // largest change first
    std::vector<ParameterChange> parameters;  // of chip, knobs and scenario
    std::optional<Divergence> divergence;
};

/// Compares run `b` with run `a`. A change counts as significant from `threshold` (relative) on.
[[nodiscard]] Comparison compare(const record::Recording& a,
                                 const record::Recording& b,
                                 double threshold = 0.01);

/// The same of runs whose summaries are known: they read all spans, which is most of a comparison.
[[nodiscard]] Comparison compare(const record::Recording& a,
                                 const record::Recording& b,
                                 RunSummary summary_a,
                                 RunSummary summary_b,
                                 double threshold);

/// The name of a wait as people read it: "mte2 waiting for a buffer" for "mte2 flag_buffer". Of a pipe alone,
/// its busy time: "mte2 busy".
[[nodiscard]] std::string in_words(std::string_view name);

/// The first place where the schedules of two recordings differ, in time.
[[nodiscard]] std::optional<Divergence> first_divergence(const record::Recording& a,
                                                         const record::Recording& b);

/// The parameters that differ between two recordings' metadata.
[[nodiscard]] std::vector<ParameterChange> changed_parameters(const nlohmann::json& a,
                                                              const nlohmann::json& b);

/// The object that `compare --json` prints.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace ascendsim::analysis
