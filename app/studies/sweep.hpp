// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "app/scenario/scenario.hpp"

namespace ascendsim::study {

/// One `--over path=a,b,c`, or several paths whose values go together: `--over a,b=1:2,3:4`.
struct Axis {
    std::string path;                 // "a,b"
    std::vector<std::string> values;  // "1:2", "3:4"

    /// The paths by themselves, and a value's parts for them.
    [[nodiscard]] std::vector<std::string> paths() const;
    [[nodiscard]] std::vector<std::string> parts(const std::string& value) const;
};

/// Splits "path=a,b,c"; commas within brackets belong to a value, and a colon stands between values that go
/// together. "@FILE.csv" is a table of such: paths in its first line, a point in every other. Throws
/// UserError if there is no path or no value, or a point with another number of values.
[[nodiscard]] Axis parse_axis(const std::string& text);

/// One place of the grid.
struct Cell {
    std::vector<std::string> values;      // one of each axis
    std::vector<scenario::Override> run;  // the whole of its overrides
    std::string label;
};

/// All places, the last axis fastest; a scenario's own variants multiply them.
[[nodiscard]] std::vector<Cell> grid_of(const scenario::ScenarioFile& file,
                                        const std::vector<Axis>& axes,
                                        std::size_t given_overrides);

/// The result at a place: the run's JSON, or one with `outcome` ("failed", or "not_run" where the user
/// stopped the sweep before) and `error`.
struct SweepRow {
    Cell cell;
    nlohmann::ordered_json json;
};

/// What `run` ends with for a run's JSON: 1 for wrong numbers, 2 for a run that could not start, 3 for
/// hazards and for a kernel that failed.
[[nodiscard]] int exit_of(const nlohmann::ordered_json& run);

/// A row a run, figures in columns; the axes come first.
[[nodiscard]] std::string sweep_csv(const std::vector<Axis>& axes, const std::vector<SweepRow>& rows);
[[nodiscard]] nlohmann::ordered_json sweep_json(const std::vector<Axis>& axes,
                                                const std::vector<SweepRow>& rows);
/// One axis: a table with bars. Two: a heat map. More: the fastest runs.
[[nodiscard]] std::string sweep_text(const std::vector<Axis>& axes,
                                     const std::vector<SweepRow>& rows,
                                     const report::Style& style);

/// An array script for Slurm: task i runs place i and writes FOLDER/i.json. `program` and `scenario` as the
/// tasks find them.
[[nodiscard]] std::string slurm_script(const std::vector<Cell>& cells,
                                       const std::string& program,
                                       const std::string& scenario,
                                       const std::filesystem::path& folder,
                                       std::size_t at_a_time);

}  // namespace ascendsim::study
