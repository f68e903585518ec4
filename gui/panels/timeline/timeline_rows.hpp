// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "gui/document/run.hpp"

namespace ascendsim::gui {

/// One row of the timeline: the head of a core (with thin strips of its lanes while it is folded), or a lane.
struct TimelineRow {
    std::size_t core = 0;               ///< index into Run::cores()
    std::optional<std::uint32_t> lane;  ///< none: the core's head
    float top = 0;                      ///< from the top of all rows, pixels
    float height = 0;
};

/// Which cores are folded, and where every row lies.
class TimelineRows {
public:
    /// Lays the rows out for a run; folds all but the first core of each kind when it is first seen.
    /// `copies` is how many runs are shown below each other.
    void arrange(const Run& run, float lane_height, float scale, int copies = 1);

    [[nodiscard]] const std::vector<TimelineRow>& rows() const { return rows_; }

    [[nodiscard]] float height() const { return rows_.empty() ? 0 : rows_.back().top + rows_.back().height; }

    /// The row at a distance from the top of all rows.
    [[nodiscard]] const TimelineRow* at(float y) const;
    [[nodiscard]] const TimelineRow* of_lane(std::uint32_t lane) const;

    [[nodiscard]] bool folded(std::uint32_t core_index) const { return !open_.contains(core_index); }

    /// The unfolded cores by index.
    [[nodiscard]] const std::set<std::uint32_t>& open() const { return open_; }

    /// Unfolds exactly these cores; call after arrange().
    void set_open(const std::set<std::uint32_t>& cores) { open_ = cores; }

    void toggle(std::uint32_t core_index);
    void set_all(bool open);
    /// Unfolds the core of a lane.
    void reveal(const Run& run, std::uint32_t lane);

private:
    std::size_t known_cores_ = 0;
    std::set<std::uint32_t> all_;
    std::set<std::uint32_t> open_;
    std::vector<TimelineRow> rows_;
};

}  // namespace ascendsim::gui
