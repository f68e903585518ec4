// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/energy.hpp"
#include "kernels/plan/knob.hpp"
#include "models/node/collectives.hpp"
#include "models/node/host_calls.hpp"
#include "models/node/node_spec.hpp"
#include "sim/config/toml_file.hpp"

namespace ascendsim::steps {

/// What a task of a step does.
enum class StepKind : std::uint8_t { kernel, copy, collective, host, sync };

/// One task of the program that every rank runs, in the order the host comes to it.
struct StepTask {
    std::string name;
    StepKind kind = StepKind::kernel;
    std::string stream;           // where it runs; of sync: which one, empty: all
    std::string thread = "host";  // of the rank's host, which calls for it
    double us = 0;                // device time of a kernel, host time of host work
    std::string kernel;           // of kernels/ops, whose time time_kernels() finds
    std::vector<std::pair<std::string, host::KnobValue>> knobs;  // of it
    std::optional<analysis::EnergyUse> use = {};    // of one call, where the detailed level found it
    std::string problem;                            // as that kernel states it
    std::uint32_t times = 1;                        // in a row
    node::IssueMode mode = node::IssueMode::eager;  // of a kernel
    std::uint64_t bytes = 0;                        // of a copy or collective
    bool to_device = true;                          // of a copy
    bool pinned = true;                             // of a copy
    node::CollectiveKind collective = node::CollectiveKind::all_reduce;
    std::vector<std::string> after;          // names of tasks, as events of other streams
    std::optional<std::uint32_t> only_rank;  // on one rank alone: one that is slower
    std::string place;                       // file:line
};

/// A step of several devices.
struct StepProgram {
    std::string title;
    node::NodeSpec node;
    node::HostSpec host;
    std::string chip;        // of models/chips
    nlohmann::json power{};  // its PowerSpec as JSON, once time_kernels() has read it
    std::uint32_t ranks = 1;
    std::vector<StepTask> tasks;
};

/// Where machines are described.
struct MachineFolders {
    std::filesystem::path nodes;
    std::filesystem::path hosts;
};

/// Reads a step's file. Throws UserError with file, line and key for whatever is wrong.
[[nodiscard]] StepProgram read_step(const std::filesystem::path& file, const MachineFolders& folders);
[[nodiscard]] StepProgram read_step(const TomlFile& file, const MachineFolders& folders);

}  // namespace ascendsim::steps
