// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "scenarios/cli/json_output.hpp"
#include "scenarios/runner/result.hpp"

namespace ascendsim::cli {

/// What the user wants written, and where.
struct OutputChoice {
    std::string folder;  // --out: everything, named after the run
    std::string json;    // "-": standard output, and nothing else there
    std::string trace;
    std::string recording;
    std::string html;
    std::string csv;
    bool quiet = false;

    [[nodiscard]] bool report() const { return !quiet && !json_alone(json); }
};

/// Which of several runs.
struct RunPlace {
    std::string label;
    std::size_t number = 1;
    std::size_t count = 1;
};

/// Where a recording grows and where it ends up. They differ only where nobody asked for it: there the last
/// complete run of each name is kept.
struct RecordingPlace {
    std::filesystem::path during;
    std::filesystem::path after;
};

[[nodiscard]] RecordingPlace recording_place(const OutputChoice& choice, const RunPlace& place);

/// Writes the files of one run and prints its report, or its failure.
void write_outputs(const OutputChoice& choice, const RunPlace& place, const RunResult& result);

}  // namespace ascendsim::cli
