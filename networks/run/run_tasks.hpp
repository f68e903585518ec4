// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/spec/chip_spec.hpp"
#include "networks/operators/operators.hpp"
#include "runtime/session/run_request.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {

/// What the simulation of one task found.
struct TaskResult {
    std::string problem;  // as the kernel states it
    std::string error;    // why there are no figures; empty if there are
    double time_us = 0;   // with head and tail of the launch
    double core_us = 0;   // from the first core's start to the last one's end
    double head_us = 0;   // until the first core's start
    double flops = 0;
    double moved_bytes = 0;  // between cores and L2
    double hbm_read_bytes = 0;
    double hbm_write_bytes = 0;
    double least_bytes = 0;  // each operand and each result once
    double cube_cycles = 0;  // busy, summed over the units; so the next two
    double vector_cycles = 0;
    double scalar_cycles = 0;
    std::string busiest;    // the pipe that works longest, as in "aic_mte2"
    double busy_share = 0;  // of the cores' time, of that pipe
    std::string work_type;  // cores that run: "AI_CORE", "AI_VECTOR_CORE" or "MIX"
    std::uint32_t blocks = 0;
    std::uint64_t instructions = 0;
    std::string key{};  // equal tasks have the same; empty for the AI CPU's
};

/// A result as the cache holds it, and back; throws json's exceptions for what is none.
[[nodiscard]] nlohmann::ordered_json to_json(const TaskResult& result);
[[nodiscard]] TaskResult task_result_of(const nlohmann::json& json);

/// Names the simulator and its kernels: what is kept of one is nothing to another.
[[nodiscard]] std::string simulator_key(const toolchain::Installation& installation);

/// Names a task on a chip, with what `surroundings` name: equal tasks have equal keys.
[[nodiscard]] std::string task_key(const Task& task,
                                   const ChipSpec& chip,
                                   const std::string& surroundings = {});

/// What runs a task for its times; as `l2` is left out, as a kernel in the middle of a network.
[[nodiscard]] runtime::RunRequest timing_request(const Task& task,
                                                 const ChipSpec& chip,
                                                 const toolchain::Installation& installation,
                                                 runtime::L2State l2 = runtime::L2State::chained);

/// How tasks are run.
struct TaskOptions {
    std::size_t jobs = 2;
    std::function<void(std::size_t done, std::size_t all)> progress;
    runtime::L2State l2 = runtime::L2State::chained;  // what each task finds
};

/// Simulates each task for its times, in a process of its own; as `l2` is left out, as a kernel in the middle
/// of a network: its first operand has just been written to L2. Equal tasks are simulated once, and what the
/// cache knows of the same simulator, kernels and chip is taken from there.
[[nodiscard]] std::vector<TaskResult> run_tasks(const std::vector<Task>& tasks,
                                                const ChipSpec& chip,
                                                const toolchain::Installation& installation,
                                                const TaskOptions& options);

/// Recordings of tasks that run_tasks() has simulated, each as long as there. Equal tasks have the same file,
/// which the cache keeps; it is empty for a task that cannot run.
[[nodiscard]] std::vector<std::filesystem::path> record_tasks(const std::vector<Task>& tasks,
                                                              const ChipSpec& chip,
                                                              const toolchain::Installation& installation,
                                                              const TaskOptions& options);

}  // namespace ascendsim::networks
