// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/networks/network_report.hpp"
#include "app/report/style.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::report {

/// Something that stands in the way of a network on a chip.
struct Challenge {
    std::string code;  // "refused", "host", "memory", "bandwidth", "launches", "cube", "precision", "target"
    std::string text;
};

/// Operators of one part of the network: those whose names begin the same, or of one kind.
struct Module {
    std::string name;
    std::uint64_t operators = 0;
    std::uint64_t kernels = 0;
    double time_us = 0;
    double core_us = 0;  // without launches
    double flops = 0;
    double hbm_bytes = 0;
    double result_bytes = 0;
    std::string limit;                         // of its longest operator
    std::vector<std::string> recommendations;  // may be empty
};

/// What a network needs of a chip, and what it has. Scores are shares of 1.
struct Feasibility {
    std::string network;
    std::string chip;
    double time_us = 0;
    double flops = 0;
    double least_bytes = 0;  // weights, inputs and results once
    double hbm_bytes = 0;    // as simulated
    double peak_tflops = 0;
    double hbm_gb_per_s = 0;
    double memory_bytes = 0;  // weights, inputs and the most between operators
    double capacity_bytes = 0;
    std::uint64_t operators = 0;
    std::uint64_t on_host = 0;
    std::uint64_t refused = 0;
    double support = 0;     // operators that are kernels; half of those on the AI CPU
    double memory = 0;      // 1: it fits
    double efficiency = 0;  // least time for its arithmetic and bytes, by the simulated time
    double precision = -1;  // 1: numbers are within the tolerance; below 0: not computed
    double score = 0;       // of 100
    std::string verdict;    // "feasible", "feasible with work", "not as it is"
    std::vector<Challenge> challenges;
    std::vector<Module> modules;  // the longest first

    /// Operations for each byte that must move, and those for which the chip's arithmetic and memory take as
    /// long.
    [[nodiscard]] double intensity() const { return least_bytes > 0 ? flops / least_bytes : 0; }

    [[nodiscard]] double ridge() const { return hbm_gb_per_s > 0 ? peak_tflops * 1e3 / hbm_gb_per_s : 0; }

    /// GB/s of HBM while it runs.
    [[nodiscard]] double bandwidth_gb_per_s() const { return time_us > 0 ? hbm_bytes / time_us / 1e3 : 0; }
};

/// Judges a network that was simulated on the chip, as far as its operators can run. `target_us`: the time
/// that is wanted, 0: none. `problem`: why it could not be lowered at all; empty if it was.
[[nodiscard]] Feasibility feasibility_of(const NetworkRun& run,
                                         const ChipSpec& chip,
                                         double target_us = 0,
                                         const std::string& problem = {});

[[nodiscard]] std::string feasibility_text(const Feasibility& of, const Style& style);

/// `network`, `chip`, `score`, `verdict`, `scores` {support, memory, efficiency, precision}, `needs`
/// {intensity, ridge, bandwidth_gb_per_s, memory_bytes, …}, `challenges` [{code, text}], `modules`.
[[nodiscard]] nlohmann::ordered_json feasibility_json(const Feasibility& of);

}  // namespace ascendsim::report
