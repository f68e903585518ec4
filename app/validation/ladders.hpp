// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/validation/validation.hpp"

namespace ascendsim::validation {

/// One step of a ladder: a row of measurements.csv and what it changed.
struct Rung {
    std::string id;
    std::string what;
};

/// Measurements of one thing made better or worse step by step.
struct Ladder {
    std::string title;
    std::vector<Rung> rungs;
};

/// From one rung to the next: how many times shorter it became.
struct Step {
    double measured = 1;
    double simulated = 1;

    /// Simulated over measured, minus one.
    [[nodiscard]] double error() const { return simulated / measured - 1; }

    /// No step up where a step down was measured; differences below one per cent have no direction.
    [[nodiscard]] bool keeps_direction() const;
};

/// The step between two rows that ran.
[[nodiscard]] Step step_between(TimePair from, TimePair to);

/// The ladders of a file; throws UserError with the place of what is wrong.
[[nodiscard]] std::vector<Ladder> read_ladders(const std::filesystem::path& file);

/// A table for each ladder of which at least two rungs ran, as Markdown.
[[nodiscard]] std::string ladders_markdown(const Validation& validation, const std::vector<Ladder>& ladders);

}  // namespace ascendsim::validation
