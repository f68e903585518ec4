// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/recorded_plots.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {
namespace {

constexpr std::size_t most_plots = 64;
constexpr std::size_t most_series = 32;
constexpr std::size_t most_plot_points = 20'000;  // of a series
constexpr std::size_t most_bars = 200;
constexpr std::array<std::string_view, 3> kind_names{"lines", "stack", "bars"};

nlohmann::json series_json(const PlotSeries& series) {
    nlohmann::json x = nlohmann::json::array();
    nlohmann::json y = nlohmann::json::array();
    for (const auto& [at, value] : series.points) {
        x.push_back(at);
        y.push_back(value);
    }
    return {{"name", series.name}, {"x", std::move(x)}, {"y", std::move(y)}};
}

PlotSeries series_from(const nlohmann::json& values) {
    PlotSeries series{.name = recorded_text(values, "name"), .points = {}};
    const nlohmann::json& x = recorded_list(values, "x");
    const nlohmann::json& y = recorded_list(values, "y");
    const std::size_t count = std::min({x.size(), y.size(), most_plot_points});
    for (std::size_t i = 0; i < count; ++i) {
        const double at = recorded_number(x[i]);
        if (series.points.empty() || at >= series.points.back().first) {
            series.points.emplace_back(at, recorded_number(y[i]));
        }
    }
    return series;
}

PlotKind kind_from(const std::string& word) {
    const auto found = std::ranges::find(kind_names, word);
    return found == kind_names.end() ? PlotKind::lines : static_cast<PlotKind>(found - kind_names.begin());
}

/// Layers are added up point by point: only those with the x of the first can be.
void keep_equal_layers(RecordedPlot& plot) {
    const auto differs = [&plot](const PlotSeries& series) {
        return !std::ranges::equal(series.points,
                                   plot.series.front().points,
                                   [](const auto& a, const auto& b) { return a.first == b.first; });
    };
    if (plot.kind == PlotKind::stack && !plot.series.empty()) {
        const auto behind = std::stable_partition(
            plot.series.begin() + 1, plot.series.end(), [&](const PlotSeries& one) { return !differs(one); });
        plot.series.erase(behind, plot.series.end());
    }
}

RecordedPlot plot_from(const nlohmann::json& values) {
    RecordedPlot plot{.title = recorded_text(values, "title"),
                      .note = recorded_text(values, "note"),
                      .kind = kind_from(recorded_text(values, "kind")),
                      .x = recorded_text(values, "x_label"),
                      .y = recorded_text(values, "y_label"),
                      .over_time = recorded_value(values, "over_time") == true,
                      .log_x = recorded_value(values, "log_x") == true,
                      .steps = recorded_value(values, "steps") == true};
    if (const nlohmann::json& limit = recorded_value(values, "limit"); limit.is_number()) {
        plot.limit = recorded_number(limit);
    }
    for (const auto& series : recorded_list(values, "series")) {
        if (plot.series.size() < most_series) {
            plot.series.push_back(series_from(series));
        }
    }
    std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
    keep_equal_layers(plot);
    for (const auto& bar : recorded_list(values, "bars")) {
        if (plot.bars.size() < most_bars) {
            plot.bars.push_back({.name = recorded_text(bar, "name"),
                                 .value = recorded_figure(bar, "value"),
                                 .text = recorded_text(bar, "text")});
        }
    }
    return plot;
}

}  // namespace

PlotSeries thinned(PlotSeries series, std::size_t most) {
    const std::size_t group = (series.points.size() + most - 1) / std::max<std::size_t>(1, most);
    if (group < 2) {
        return series;
    }
    PlotSeries few{.name = series.name, .points = {}};
    for (std::size_t at = 0; at < series.points.size(); at += group) {
        const auto begin = series.points.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end =
            series.points.begin() + static_cast<std::ptrdiff_t>(std::min(at + group, series.points.size()));
        const auto largest =
            std::max_element(begin, end, [](const auto& a, const auto& b) { return a.second < b.second; });
        few.points.emplace_back(begin->first, largest->second);
    }
    return few;
}

nlohmann::json to_json(const std::vector<RecordedPlot>& plots) {
    nlohmann::json values = nlohmann::json::array();
    for (const RecordedPlot& plot : plots) {
        nlohmann::json series = nlohmann::json::array();
        nlohmann::json bars = nlohmann::json::array();
        for (const PlotSeries& one : plot.series) {
            series.push_back(series_json(one));
        }
        for (const PlotBar& bar : plot.bars) {
            bars.push_back({{"name", bar.name}, {"value", bar.value}, {"text", bar.text}});
        }
        nlohmann::json object{{"title", plot.title},
                              {"note", plot.note},
                              {"kind", kind_names.at(static_cast<std::size_t>(plot.kind))},
                              {"x_label", plot.x},
                              {"y_label", plot.y},
                              {"over_time", plot.over_time},
                              {"log_x", plot.log_x},
                              {"steps", plot.steps},
                              {"series", std::move(series)},
                              {"bars", std::move(bars)}};
        if (plot.limit) {
            object["limit"] = *plot.limit;
        }
        values.push_back(std::move(object));
    }
    return values;
}

std::vector<RecordedPlot> plots_from_json(const nlohmann::json& values) {
    std::vector<RecordedPlot> plots;
    if (!values.is_array()) {
        return plots;
    }
    for (const auto& value : values) {
        if (plots.size() == most_plots) {
            break;
        }
        RecordedPlot plot = plot_from(value);
        if (plot.kind == PlotKind::bars ? !plot.bars.empty() : !plot.series.empty()) {
            plots.push_back(std::move(plot));
        }
    }
    return plots;
}

std::vector<RecordedPlot> plots_of(const record::Recording& recording) {
    return plots_from_json(recorded_value(recording.metadata(), "plots"));
}

}  // namespace ascendsim::analysis
