// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "app/validation/catalogue.hpp"
#include "app/validation/family.hpp"
#include "app/validation/measurement.hpp"
#include "app/validation/statistics.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// Which rows are judged: by default, those of reliability `high` on 910B1 to 910B4.
struct ValidationOptions {
    std::filesystem::path data;              // a CSV file; empty: measurements.csv of the installation
    std::vector<std::string> families;       // empty: all
    std::vector<std::string> chips;          // names of models/chips; empty: 910b1 to 910b4
    std::vector<std::string> reliabilities;  // empty: high
    bool all = false;                        // every row of the file
    std::vector<scenario::Override> set;     // of every run, for calibration: chip parameters
    std::filesystem::path library;           // whose operators run black box rows, too; empty: none
    std::size_t jobs = 2;
    std::function<void(std::size_t, std::size_t, const std::string&)> progress;
};

/// A pipe's time that a source gives for a run.
struct PipeComparison {
    std::string id;
    std::string run;   // id of the row it breaks down
    std::string pipe;  // "cube", "vector", "mte1", "mte2", "mte3", "fixpipe", "scalar"
    SourceClass which = SourceClass::black_box;  // of that row
    TimePair us;
};

/// One row with its result.
struct JudgedRow {
    Measurement measurement;
    std::string family;  // "GEMM"; by the id, or by the kernel
    SourceClass which = SourceClass::black_box;
    std::string chip;                   // of models/chips; empty if it is none
    std::optional<double> measured_us;  // nothing if the figure is no time
    std::optional<double> simulated_us;
    std::string why_not;  // why it did not run, or cannot be compared
    std::string assumed;
    bool calibrated = false;  // a parameter was calibrated on it
    /// Of the measured time, as a part of it: where the same work was measured more than once.
    std::optional<double> standard_error;
    std::string command;    // the run as a command line
    std::string cause;      // what the time is made of in the simulation; of rows that ran
    std::string published;  // the operator of the library that has the row's name; empty: none has
    std::optional<double> published_us;  // simulated of that operator's own kernel
    std::string published_why_not;
    std::string published_command;

    [[nodiscard]] bool ran() const { return simulated_us && measured_us; }

    [[nodiscard]] bool published_ran() const { return published_us && measured_us; }

    [[nodiscard]] TimePair published_pair() const {
        return {measured_us.value_or(0), published_us.value_or(0)};
    }

    [[nodiscard]] TimePair us() const { return {measured_us.value_or(0), simulated_us.value_or(0)}; }
};

struct Validation {
    std::string data;
    std::vector<JudgedRow> rows;        // in the order of the file; breakdowns apart
    std::vector<PipeComparison> pipes;  // of runs among the rows
    double wall_s = 0;
    std::size_t simulations = 0;  // different ones that ran

    /// How the rows that pass a filter fit.
    [[nodiscard]] Fit fit_of(const std::function<bool(const JudgedRow&)>& filter) const;
    /// Pipe times of one class, by pipe.
    [[nodiscard]] std::map<std::string, std::vector<TimePair>> pipes_of(SourceClass which) const;
    /// How many rows pass a filter.
    [[nodiscard]] std::size_t count(const std::function<bool(const JudgedRow&)>& filter) const;
    /// Names of the families that occur, sorted.
    [[nodiscard]] std::vector<std::string> families() const;
    /// The rows that ran, worst error first, at most `most`.
    [[nodiscard]] std::vector<const JudgedRow*> worst(std::size_t most, SourceClass which) const;
};

/// Reads the data, runs every case that can be run (each simulation once, in processes of their own) and
/// compares. Throws UserError for data that cannot be read and names that do not exist.
[[nodiscard]] Validation validate(const ValidationOptions& options,
                                  const toolchain::Installation& installation);

/// The same of rows that no file holds: all of them, in their order. `data`, `all` and what chooses rows are
/// not looked at.
[[nodiscard]] std::vector<JudgedRow> validate_rows(const std::vector<Measurement>& rows,
                                                   const ValidationOptions& options,
                                                   const toolchain::Installation& installation);

}  // namespace ascendsim::validation
