// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// A figure with its unit, as a person reads it.
struct ReportFigure {
    std::string name;
    std::string value;
    std::string meaning;
};

/// What the writer of a recording says of the whole: of a load that was served, of a step of training.
struct RecordedReport {
    std::string verdict;  // a sentence
    std::vector<ReportFigure> figures;
};

/// As `report` in a recording's metadata has it.
[[nodiscard]] nlohmann::json to_json(const RecordedReport& report);

/// The report of a recording, or nothing if it has none. What does not fit is left out.
[[nodiscard]] std::optional<RecordedReport> report_of(const record::Recording& recording);

}  // namespace ascendsim::analysis
