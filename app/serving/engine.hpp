// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/analysis/energy.hpp"
#include "app/serving/serve_config.hpp"
#include "models/node/host_energy.hpp"
#include "networks/llm/step_costs.hpp"

namespace ascendsim::serving {

/// What became of a request. Times are from the start of the run, in us.
struct ServedRequest {
    std::uint64_t prompt = 0;
    std::uint64_t output = 0;
    double arrival_us = 0;
    double scheduled_us = 0;  // its first token of prompt began
    double first_us = 0;      // its first token of output was there
    double end_us = 0;
    std::uint32_t replica = 0;
    std::uint32_t preempted = 0;  // how often it lost its cache
    std::uint64_t input = 0;      // of Copies::distinct

    [[nodiscard]] double ttft_us() const { return first_us - arrival_us; }

    /// Mean time of a token of output behind the first.
    [[nodiscard]] double tpot_us() const {
        return output > 1 ? (end_us - first_us) / static_cast<double>(output - 1) : 0;
    }
};

/// One step of a replica, for timelines.
struct ServedStep {
    double start_us = 0;
    double us = 0;
    std::uint32_t replica = 0;
    std::uint64_t decoding = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t cache_blocks = 0;     // in use
    networks::llm::StepShape shape;     // as it ran: of a captured size
    networks::llm::StepWork work = {};  // of all devices that it ran on
    double host_busy_us = 0;            // of host threads, all together
};

/// One operator of a step.
struct OperatorTime {
    std::string name;
    std::string part;
    std::uint32_t times = 1;
    double us = 0;  // once
};

/// A load that has been served.
struct ServedLoad {
    std::vector<ServedRequest> requests;     // by arrival
    std::vector<ServedStep> steps;           // by start
    std::map<std::string, double> parts_us;  // of all steps: kernels by part, exchanges, "launch",
                                             // "host", "copies", "stages" (waiting for these, and sending)

    std::uint64_t blocks = 0;                // of the cache, of a device
    std::uint64_t most_blocks = 0;           // in use at once
    std::vector<OperatorTime> typical = {};  // of the step that half of those that decode are not longer than
    std::size_t typical_step = 0;            // of `steps`
    std::uint64_t preemptions = 0;
    std::uint64_t drafted = 0;
    std::uint64_t accepted = 0;
    double transfer_us = 0;  // of caches from replicas for prompts to those that decode
    double end_us = 0;
    networks::llm::StepWork work = {};  // of all devices
    double joules = 0;                  // of all devices, idle or not
    node::HostEnergy host = {};         // of the devices' share of their servers
};

/// What steps did that takes energy.
[[nodiscard]] analysis::EnergyUse energy_use(const networks::llm::StepWork& work);

/// Serves the load once, with the times of steps that `timer` tells, and `prompts` of replicas for prompts
/// alone that have a layout of their own (left out: the same).
[[nodiscard]] ServedLoad serve_once(const ServeConfig& config,
                                    const networks::llm::StepTimer& timer,
                                    const networks::llm::StepTimer& prompts = {});

/// A load that is served again and again, until the kernels of its steps are known well enough.
class LoadRun {
public:
    /// `config` and `costs` must outlive it.
    LoadRun(const ServeConfig& config, networks::llm::StepCosts& costs);
    LoadRun(const LoadRun&) = delete;
    LoadRun& operator=(const LoadRun&) = delete;
    ~LoadRun() = default;

    /// Serves the load once, with what is known. True if that is enough: then the load is there. Throws
    /// UserError if it never is.
    [[nodiscard]] bool serve();

    /// Kernels to simulate before it is served again.
    [[nodiscard]] std::vector<networks::Task> tasks() const;

    /// Takes the results of tasks(), in their order. Throws UserError for a kernel that cannot run.
    void take(const std::vector<networks::TaskResult>& results);

    /// Once.
    [[nodiscard]] ServedLoad load() { return std::move(load_); }

private:
    const ServeConfig& config_;
    networks::llm::StepCosts& costs_;
    ServeConfig prompts_;
    networks::llm::StepCosts prompt_costs_;  // of replicas for prompts alone
    ServedLoad load_;
    int rounds_ = 0;
    bool typical_known_ = false;
};

/// Serves the load, and simulates kernels until all that its steps need are known. Throws UserError for a
/// kernel that cannot run.
[[nodiscard]] ServedLoad serve(const ServeConfig& config,
                               networks::llm::StepCosts& costs,
                               const toolchain::Installation& installation,
                               const networks::TaskOptions& options);

}  // namespace ascendsim::serving
