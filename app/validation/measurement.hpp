// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::validation {

/// One figure somebody published, as its row states it.
struct Measurement {
    std::string id;  // "GEMM-001"; "GEMM-001.3" is a breakdown of it
    std::string source;
    std::string chip;
    std::string kernel;
    std::string shape;
    std::string dtype;
    std::string metric;  // "task_duration", "aic_mte2_time", "throughput"
    double value = 0;
    std::string unit;  // "us", "TFLOPS", "%", …
    std::string cores;
    std::string notes;
    std::string reliability;  // "high", "medium", "low"
    std::string place;        // "measurements.csv:12"

    /// "GEMM" of "GEMM-001.3".
    [[nodiscard]] std::string family() const;
    /// "GEMM-001" of "GEMM-001.3", and of itself.
    [[nodiscard]] std::string run_id() const;

    /// True for a pipe's time, a ratio or a counter of another row's run.
    [[nodiscard]] bool is_breakdown() const { return run_id() != id; }
};

/// Reads a CSV file with a header that names at least the columns above, in any order. Throws UserError with
/// file and line for a missing column, a row of another length, an unclosed quote, a value that is no number
/// or an id given twice.
[[nodiscard]] std::vector<Measurement> read_measurements(const std::filesystem::path& file);

/// The same of a text; `name` stands in messages where a file's name would.
[[nodiscard]] std::vector<Measurement> parse_measurements(const std::string& text, const std::string& name);

}  // namespace ascendsim::validation
