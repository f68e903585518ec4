// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// A line, or a layer of a stack.
struct PlotSeries {
    std::string name;
    std::vector<std::pair<double, double>> points;  // by x
};

/// A bar with the words behind it.
struct PlotBar {
    std::string name;
    double value = 0;
    std::string text;
};

enum class PlotKind : std::uint8_t { lines, stack, bars };

/// A plot that whoever wrote a recording put into it.
struct RecordedPlot {
    std::string title;
    std::string note;  // what it means, in a sentence
    PlotKind kind = PlotKind::lines;
    std::string x;  // what runs along the axes, with the unit
    std::string y;
    bool over_time = false;  // x is us of the recording's time: the plot stands below the timeline
    bool log_x = false;
    bool steps = false;             // a value holds until the next
    std::optional<double> limit{};  // of y: a line across
    std::vector<PlotSeries> series{};
    std::vector<PlotBar> bars{};
};

/// Of a value that changes by steps, at most `most` points: of others in between, the largest stays.
[[nodiscard]] PlotSeries thinned(PlotSeries series, std::size_t most = 1000);

/// The plots as `plots` in a recording's metadata has them.
[[nodiscard]] nlohmann::json to_json(const std::vector<RecordedPlot>& plots);

/// Reads what to_json() wrote; what does not fit (numbers that are none, too many of anything, plots of
/// nothing, points that go back) is left out: the file may come from anyone.
[[nodiscard]] std::vector<RecordedPlot> plots_from_json(const nlohmann::json& values);

[[nodiscard]] std::vector<RecordedPlot> plots_of(const record::Recording& recording);

}  // namespace ascendsim::analysis
