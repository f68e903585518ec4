// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/scenario/overrides.hpp"
#include "app/validation/family.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// The figures of one simulated kernel that comparisons need.
struct Simulated {
    std::string error;   // why there are none
    double task_us = 0;  // of one execution, launch included
    double core_us = 0;  // from the first core's start to the last one's end
    double clock_ghz = 1;
    nlohmann::json lanes;  // as in SessionOutcome::totals

    /// Busy time of a pipe ("cube", "aic_mte2") as the vendor's profiler counts it, us: from the start of an
    /// instruction until its result is there, mean over the cores that used the pipe; 0 if none did.
    [[nodiscard]] double pipe_us(std::string_view pipe) const;
    /// What the time went to, for people: "aiv_mte2 busy 94 %, 268 MB from HBM, launch 4.1 us".
    [[nodiscard]] std::string account() const;
};

/// Simulations to run, each distinct one once.
class SimulationSet {
public:
    /// The number of a run's simulation on a chip.
    [[nodiscard]] std::size_t add(const KernelRun& run,
                                  const std::string& chip,
                                  const std::vector<scenario::Override>& set);

    /// The same of a scenario of its own, by its file.
    [[nodiscard]] std::size_t add(const std::filesystem::path& scenario,
                                  const std::string& chip,
                                  const std::vector<scenario::Override>& set);

    [[nodiscard]] std::size_t size() const { return all_.size(); }

    /// A simulation as a command line.
    [[nodiscard]] std::string command(std::size_t number) const;

    /// Runs all simulations, `jobs` at a time, each in its own process; results by number. A simulation that
    /// fails or takes longer than `limit_s` has an error.
    [[nodiscard]] std::vector<Simulated> run(
        const toolchain::Installation& installation,
        std::size_t jobs,
        unsigned limit_s,
        const std::vector<double>& weight,
        const std::function<void(std::size_t, std::size_t, const std::string&)>& progress) const;

private:
    struct One {
        std::filesystem::path scenario;  // empty: case.toml
        std::vector<scenario::Override> set;
    };

    [[nodiscard]] std::size_t add(One one);

    std::vector<One> all_;
    std::map<std::string, std::size_t> numbers_;
};

/// A simulation of case.toml as a command line.
[[nodiscard]] std::string command_of(const std::vector<scenario::Override>& overrides);

}  // namespace ascendsim::validation
