// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/document/run.hpp"
#include "gui/panels/timeline/timeline_groups.hpp"

namespace ascendsim::gui {

/// How many thin strips stand for a folded group: all pipes of a core, the first of other tracks.
[[nodiscard]] std::size_t strips_of(const TimelineCore& core);

/// One row of the timeline: the head of a core (with thin strips of its lanes while it is folded), or a lane.
struct TimelineRow {
    std::size_t core = 0;                 ///< index into TimelineRows::cores()
    bool head = false;                    ///< the core's, not one of its lanes'
    std::optional<std::uint32_t> lane;    ///< of run A
    std::optional<std::uint32_t> lane_b;  ///< of run B
    float top = 0;                        ///< from the top of all rows, pixels
    float height = 0;
};

/// How rows are laid out.
struct RowSpace {
    float lane_height = 20;  ///< pixels at scale 1
    float scale = 1;
    float room = 0;  ///< pixels: what is seen without scrolling
};

/// Which cores are folded, and where every row lies.
class TimelineRows {
public:
    /// Lays the rows out for a run and the one below it, if any: all cores of both. Of cores not seen before
    /// it unfolds all if they are few, else the first of each kind, and more as long as all rows have room.
    void arrange(const Run& run, const Run* other, const RowSpace& space);

    [[nodiscard]] const std::vector<TimelineCore>& cores() const { return cores_; }

    [[nodiscard]] const std::vector<TimelineRow>& rows() const { return rows_; }

    [[nodiscard]] float height() const { return rows_.empty() ? 0 : rows_.back().top + rows_.back().height; }

    /// The row at a distance from the top of all rows.
    [[nodiscard]] const TimelineRow* at(float y) const;
    /// The row of a lane of run A.
    [[nodiscard]] const TimelineRow* of_lane(std::uint32_t lane) const;

    [[nodiscard]] bool folded(const TimelineRow& row) const { return !open_.contains(cores_[row.core].key); }

    /// The unfolded cores by key.
    [[nodiscard]] const std::set<std::uint32_t>& open() const { return open_; }

    /// Unfolds exactly these cores; call after arrange().
    void set_open(const std::set<std::uint32_t>& cores) { open_ = cores; }

    void toggle(std::uint32_t key);
    void set_all(bool open);
    /// Unfolds the core of a lane of run A, and what holds it.
    void reveal(const Run& run, std::uint32_t lane);

private:
    void unfold_new(const RowSpace& space);
    /// False for what lies in something folded.
    [[nodiscard]] bool is_shown(std::size_t group) const;
    [[nodiscard]] float head_height(const TimelineCore& core, bool open, float scale) const;

    std::shared_ptr<const RunData> of_a_;  // what cores_ was made of
    std::shared_ptr<const RunData> of_b_;
    std::vector<TimelineCore> cores_;
    std::set<std::uint32_t> seen_;
    std::set<std::uint32_t> open_;
    std::vector<TimelineRow> rows_;
};

}  // namespace ascendsim::gui
