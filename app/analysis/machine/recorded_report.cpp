// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/recorded_report.hpp"

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {

nlohmann::json to_json(const RecordedReport& report) {
    nlohmann::json figures = nlohmann::json::array();
    for (const ReportFigure& figure : report.figures) {
        figures.push_back({{"name", figure.name}, {"value", figure.value}, {"meaning", figure.meaning}});
    }
    return {{"verdict", report.verdict}, {"figures", std::move(figures)}};
}

std::optional<RecordedReport> report_of(const record::Recording& recording) {
    constexpr std::size_t most_figures = 100;
    const nlohmann::json& values = recorded_value(recording.metadata(), "report");
    if (!values.is_object()) {
        return std::nullopt;
    }
    RecordedReport report{.verdict = recorded_text(values, "verdict"), .figures = {}};
    for (const auto& figure : recorded_list(values, "figures")) {
        if (report.figures.size() < most_figures) {
            report.figures.push_back({.name = recorded_text(figure, "name"),
                                      .value = recorded_text(figure, "value"),
                                      .meaning = recorded_text(figure, "meaning")});
        }
    }
    return report;
}

}  // namespace ascendsim::analysis
