// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "app/analysis/machine/recorded_plots.hpp"

namespace ascendsim::analysis {

/// Amounts (bytes, joules) that are spent evenly over stretches of a time, added up in a thousand parts of
/// equal length.
class AmountsOverTime {
public:
    explicit AmountsOverTime(double length_us) : length_{std::max(1e-6, length_us)} {}

    /// From `start` to `end`, us; all at once where these are the same.
    void add(double amount, double start, double end) {
        const double begin = start / length_ * parts;
        const double stop = std::max(begin, end / length_ * parts);
        const auto first = std::min(static_cast<std::size_t>(begin), parts - 1);
        const auto last = std::min(static_cast<std::size_t>(stop), parts - 1);
        for (std::size_t part = first; part <= last; ++part) {
            const double here =
                std::min(stop, static_cast<double>(part + 1)) - std::max(begin, static_cast<double>(part));
            sums_.at(part) += stop > begin ? amount * here / (stop - begin) : amount;
        }
    }

    /// `ground` and `scale` times each part's amount for each second, as steps over us; a step of no height
    /// is left out unless `all`.
    [[nodiscard]] PlotSeries rates(std::string name, double scale, double ground, bool all) const {
        const double us_a_part = length_ / parts;
        PlotSeries series{.name = std::move(name), .points = {}};
        for (std::size_t part = 0; part < parts; ++part) {
            const double value = ground + scale * sums_.at(part) / (us_a_part * 1e-6);
            if (all || series.points.empty() || series.points.back().second != value) {
                series.points.emplace_back(static_cast<double>(part) * us_a_part, value);
            }
        }
        series.points.emplace_back(length_, 0);
        return series;
    }

private:
    static constexpr std::size_t parts = 1000;

    double length_;  // us
    std::array<double, parts> sums_{};
};

}  // namespace ascendsim::analysis
