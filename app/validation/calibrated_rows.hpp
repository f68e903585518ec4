// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/validation/measurement.hpp"

namespace ascendsim::validation {

/// The rows that parameters were calibrated on: those that the source of a parameter tagged `calibrated` in a
/// chip's file names, or the reason of a rule of sources.toml ("VEC-003 to VEC-005", "BW and L2 rows"). How
/// others fit tells more of rows that nobody has seen.
class CalibratedRows {
public:
    /// Reads chips' files, sources.toml and measurements.csv. Throws UserError for what cannot be read.
    CalibratedRows(const std::filesystem::path& chips, const std::filesystem::path& measurements);
    /// Of texts that name rows, and the measurements they mean.
    CalibratedRows(const std::vector<std::string>& texts, const std::vector<Measurement>& known);

    /// True for a row of measurements.csv that is named. A row of another file is none, whatever its id.
    [[nodiscard]] bool holds(const Measurement& row) const;

private:
    void read(std::string_view text);
    void know(const std::vector<Measurement>& known);

    // A family in capitals, and the numbers of rows from the first to the second.
    std::vector<std::pair<std::string, std::pair<std::uint64_t, std::uint64_t>>> named_;
    std::map<std::string, Measurement> known_;
};

}  // namespace ascendsim::validation
