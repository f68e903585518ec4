// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ascendsim::profile {

/// Extents of a tensor.
using Extents = std::vector<std::uint64_t>;

/// A tensor as a profile states it.
struct ProfiledTensor {
    Extents extents;
    std::string type;    // "FLOAT16", "DT_BF16", …; empty: not stated
    std::string format;  // "ND", "FRACTAL_NZ", …
};

/// A task of the device.
struct ProfiledOperator {
    std::string name;
    std::string type;      // "MatMulV2"
    std::string core;      // "AI_VECTOR_CORE", "AI_CPU", "HCCL", …; empty: not stated
    std::string step;      // empty: not stated
    std::size_t rank = 0;  // a file, and a device in it
    std::string stream;
    std::optional<double> start_us;
    double us = 0;
    std::optional<std::uint32_t> blocks;
    std::vector<ProfiledTensor> inputs;
    std::vector<ProfiledTensor> outputs;
    std::string unread;               // why its shapes are not known; empty if they are
    std::optional<double> clock_ghz;  // from its cycles, time and cores
    std::string place;                // "kernel_details.csv:12"

    /// True for a collective or a transfer between devices, whose time holds the waiting for others.
    [[nodiscard]] bool communicates() const;

    /// True for a copy between host and device, in which the device does not compute.
    [[nodiscard]] bool copies() const;
};

/// A row of step_trace_time.csv, us.
struct ProfiledStep {
    std::string device;
    std::string step;
    double computing = 0;
    double communication_not_overlapped = 0;
    double overlapped = 0;
    double communication = 0;
    double free = 0;
    double stage = 0;
    double bubble = 0;
    double preparing = 0;
};

/// Something that a thread of the host did.
struct HostCall {
    std::string name;
    double start_us = 0;
    double end_us = 0;
};

/// The host's call at `host_us` put the task that began at `device_us` on its stream.
struct LaunchFlow {
    double host_us = 0;
    double device_us = 0;
};

/// What a profiler has written of a run.
struct Profile {
    std::vector<std::string> files;  // that were read
    std::vector<std::string> ranks;  // where each one's tasks are from
    std::vector<ProfiledOperator> operators;
    std::vector<ProfiledStep> steps;
    std::vector<HostCall> calls;     // by start
    std::vector<LaunchFlow> flows;   // by device_us
    std::vector<std::string> notes;  // what could not be read, a sentence each
};

/// Reads a profile: a file, or all of a folder and those below: kernel_details.csv, or op_summary*.csv where
/// there is none, step_trace_time.csv, and trace_view.json. A file that is damaged becomes a note if others
/// of the folder tell something. Throws UserError if nothing can be read.
[[nodiscard]] Profile read_profile(const std::filesystem::path& place);

/// The same of texts, for tests and readers of single files; `name` stands in messages.
void read_operators(const std::string& text, const std::string& name, Profile& profile);
void read_steps(const std::string& text, const std::string& name, Profile& profile);
void read_trace(const std::string& text, const std::string& name, Profile& profile);

}  // namespace ascendsim::profile
