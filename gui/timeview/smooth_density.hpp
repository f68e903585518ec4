// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gui/timeview/density.hpp"

namespace ascendsim::gui {

/// Spreads what equal parts of a row hold over their neighbours, so that a schedule whose period is near a
/// whole or half number of columns does not beat with them. The weights are those of a window of two pixels
/// and one of three, one after the other, on parts of half a pixel: what repeats within three pixels is
/// evened out, and the sum over all parts stays. Parts within `long_stretch` or more of one kind stay as they
/// are, and nothing is spread across them: a long wait has sharp edges.
class Smoother {
public:
    static constexpr std::size_t long_stretch =
        12;  ///< parts; six pixels hold no two of a schedule's periods

    /// `lengths` of the parts, equal but for the first and the last, and what fills each of them as a whole.
    Smoother(std::span<const double> lengths, std::span<const std::optional<std::uint8_t>> filled_by);

    /// Spreads one amount of every part.
    void apply(std::vector<double>& amounts) const;

private:
    struct Mixed {
        std::size_t first = 0;
        std::size_t last = 0;
    };

    std::vector<Mixed> mixed_;
};

/// How columns of `step` pixels are cut into parts of half a pixel, or about that.
class ColumnParts {
public:
    ColumnParts(const TimeAxis& axis, float step, const DensityEffort& effort)
        : left_{axis.left}, count_{std::max(1.0F, std::round(2 * step))}, width_{step / count_} {
        effort_ = effort;
        effort_.spans /= count_;
        effort_.buckets /= static_cast<double>(count_);
    }

    [[nodiscard]] float width() const { return width_; }

    /// Reads of the lane what whole columns would.
    [[nodiscard]] const DensityEffort& effort() const { return effort_; }

    /// The column of the part that begins at pixel `left`.
    [[nodiscard]] int column(float left) const {
        return static_cast<int>(std::floor(std::round((left - left_) / width_) / count_));
    }

private:
    float left_;
    float count_;
    float width_;
    DensityEffort effort_;
};

/// Smooths the cycles of every reason.
void smooth(std::vector<DensityColumn>& parts);

/// Calls `visit(DensityColumn)` for the columns of for_each_density_column(), smoothed: for rows with more
/// than a wait or two a column, whose heights would beat with the schedule.
template <class Visit>
void for_each_smooth_column(const record::Recording& recording,
                            std::uint32_t lane,
                            const record::Pyramid& pyramid,
                            const TimeAxis& axis,
                            float step,
                            const Visit& visit,
                            const DensityEffort& effort = {}) {
    const ColumnParts cut{axis, step, effort};
    std::vector<DensityColumn> parts;
    for_each_density_column(
        recording,
        lane,
        pyramid,
        axis,
        cut.width(),
        [&](const DensityColumn& part) { parts.push_back(part); },
        cut.effort());
    smooth(parts);
    std::optional<DensityColumn> column;
    for (const DensityColumn& part : parts) {
        if (!column || cut.column(part.left) != cut.column(column->left)) {
            if (column) {
                visit(*column);
            }
            column = part;
            continue;
        }
        column->right = part.right;
        column->end = part.end;
        for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
            column->cycles[reason] += part.cycles[reason];
        }
    }
    if (column) {
        visit(*column);
    }
}

/// What parts of columns hold of busy time.
struct BusyParts {
    std::vector<float> left;
    std::vector<float> right;
    std::vector<double> length;  ///< cycles
    std::vector<double> busy;    ///< cycles

    void smooth();
};

/// Calls `visit(left, right, share)` for the columns of for_each_busy_column(), smoothed.
template <class Visit>
void for_each_smooth_busy_column(const record::Recording& recording,
                                 std::uint32_t lane,
                                 const record::Pyramid& pyramid,
                                 const TimeAxis& axis,
                                 float step,
                                 const Visit& visit,
                                 const DensityEffort& effort = {}) {
    const ColumnParts cut{axis, step, effort};
    const auto run = static_cast<double>(pyramid.end());
    BusyParts parts;
    for_each_busy_column(
        recording,
        lane,
        pyramid,
        axis,
        cut.width(),
        [&](float left, float right, double share) {
            const double length = border_at(axis, right, run) - border_at(axis, left, run);
            parts.left.push_back(left);
            parts.right.push_back(right);
            parts.length.push_back(length);
            parts.busy.push_back(share * length);
        },
        cut.effort());
    parts.smooth();
    for (std::size_t n = 0; n < parts.left.size();) {
        const std::size_t first = n;
        double busy = 0;
        double length = 0;
        for (; n < parts.left.size() && cut.column(parts.left[n]) == cut.column(parts.left[first]); ++n) {
            busy += parts.busy[n];
            length += parts.length[n];
        }
        visit(parts.left[first], parts.right[n - 1], length > 0 ? busy / length : 0);
    }
}

}  // namespace ascendsim::gui
