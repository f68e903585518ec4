// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/profile/gaps.hpp"
#include "app/profile/vendor_profile.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::profile {

/// Tasks of one type, shape and element type, and what one of them takes in the simulation.
struct ComparedOperator {
    std::string type;
    std::string shapes;  // "32x1024; 1024x2048 -> 32x2048"
    std::string types;   // "float16+float16"
    std::string name;    // of the first
    std::string place;   // of the first
    std::size_t count = 0;
    double real_us = 0;  // all of them
    double least_us = 0;
    double most_us = 0;
    std::optional<double> simulated_us;  // of one
    std::string refused;                 // why there is none
    std::string assumed;                 // what the profile leaves open and was decided
    std::string account;                 // what the simulated time is made of
    std::string command;                 // that runs it alone

    /// Time that all of them take beyond the simulation; below 0 where they are faster.
    [[nodiscard]] double lost_us() const {
        return simulated_us ? real_us - *simulated_us * static_cast<double>(count) : 0;
    }
};

/// A profile beside its simulation.
struct ProfileComparison {
    std::string chip;
    std::vector<std::string> files;
    std::vector<ComparedOperator> operators;  // most lost first, then those refused, longest first
    Starvation starvation;
    std::vector<ProfiledStep> steps;
    std::vector<std::string> notes;

    [[nodiscard]] double real_us() const;                    // of all tasks
    [[nodiscard]] double compared_us() const;                // of those that were simulated
    [[nodiscard]] double simulated_us() const;               // the same in the simulation
    [[nodiscard]] std::optional<double> mean_error() const;  // of a kind of task, without sign
};

/// How a profile is compared.
struct ProfileOptions {
    std::string chip = "910b3";
    std::size_t jobs = 2;
    std::function<void(std::size_t, std::size_t, const std::string&)> progress{};
};

/// Simulates each kind of task that a profile states wholly, as an operator in the middle of a network, by
/// the families that validation knows; the others say why not. Throws UserError for an unknown chip.
[[nodiscard]] ProfileComparison compare_profile(const Profile& profile,
                                                const toolchain::Installation& installation,
                                                const ProfileOptions& options);

/// Why an operator cannot be simulated, by the profile alone; empty if it may be.
[[nodiscard]] std::string refusal_of(const ProfiledOperator& one);

/// An element type by the vendor's name: "DT_BF16", "FLOAT16"; empty if it is none of ours.
[[nodiscard]] std::string type_of(const std::string& vendor_name);

}  // namespace ascendsim::profile
