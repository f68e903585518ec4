// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/validation/statistics.hpp"
#include "app/validation/system/system_row.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// One row with the model's answer.
struct JudgedSystemRow {
    SystemRow row;
    std::string group;                // "copies", "transfers", … ; rows of no group are inputs of others
    std::optional<double> simulated;  // in the row's unit
    std::string run;                  // what ran
    std::string configuration;        // the file that `ascendsim serve` runs as well; empty if there is none
    std::string why_not;              // why none did
    std::vector<std::string> parts;   // of what the simulated time consists, for people
    std::string diagnosis;            // why the model and the row differ, as far as is known

    [[nodiscard]] double error() const { return *simulated / row.value - 1; }
};

/// Rows of one kind and the mean error the model is held to.
struct SystemGroup {
    std::string name;
    std::string title;
    double target = 0;  // mean absolute error, a fraction; 0: none is asked for
    /// Of ratios: the part of which shall lie on the right side of 1; 0: they are no ratios.
    double signed_target = 0;
    double order_target = 0;  // Kendall's tau at least, of SystemValidation::order_of(); 0: none is asked for
};

/// A part of the rows of which so many shall run, however well.
struct SystemCoverage {
    std::string name;
    std::string title;
    std::size_t rows = 0;
    std::size_t ran = 0;
    double target = 0;  // a fraction

    [[nodiscard]] double share() const {
        return rows == 0 ? 1 : static_cast<double>(ran) / static_cast<double>(rows);
    }
};

struct SystemValidation {
    std::string data;
    std::vector<SystemGroup> groups;
    std::vector<JudgedSystemRow> rows;  // in the order of the file
    std::vector<SystemCoverage> coverage = {};

    [[nodiscard]] std::size_t count(const std::string& group) const;
    [[nodiscard]] Fit fit_of(const std::string& group) const;

    /// The part of the group's ratios that lie on the side of 1 on which they were measured; 1 of none.
    [[nodiscard]] double signs_right(const std::string& group) const;

    /// Kendall's tau-b of the group: how far rows of one unit have the order in which they were measured (1:
    /// wholly, 0: not at all), by pairs of rows; 0 of fewer than two.
    [[nodiscard]] double order_of(const std::string& group) const;
};

/// Copies, transfers, large and small collectives, host calls, power.
[[nodiscard]] const std::vector<SystemGroup>& system_groups();

/// Compares the machines of models/nodes with the rows of `data` (empty: those shipped). Throws UserError for
/// data that cannot be read.
[[nodiscard]] SystemValidation validate_system(const std::filesystem::path& data,
                                               const toolchain::Installation& installation);

/// For people: errors by group, the worst rows with their diagnoses, and why rows did not run.
[[nodiscard]] std::string system_text(const SystemValidation& validation);

/// For programs. `groups.<name>`: {rows, ran, mape, median_ape, p90_ape, bias, target}, of ratios also
/// {signs_right, signs_target}, where an order is asked for {kendall, kendall_target}; `coverage.<name>`:
/// {rows, ran, target}; `rows`: {id, group, metric, unit, measured, simulated, error, run, parts, why_not,
/// diagnosis}. Errors are fractions; what did not run, or has no target, has null.
[[nodiscard]] nlohmann::ordered_json system_json(const SystemValidation& validation);

/// One line a row.
[[nodiscard]] std::string system_csv(const SystemValidation& validation);

}  // namespace ascendsim::validation
