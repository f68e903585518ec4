// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "gui/document/run.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// Where the chip view stands in time, and how it moves: by steps, by itself, or with the cursor.
class ChipPlayer {
public:
    /// Lets time pass, follows what was selected elsewhere, and does the steps asked for.
    void advance(const Run& run, const CoreLanes& core, const ViewState& view, double seconds);

    [[nodiscard]] double cycle() const { return cycle_; }

    /// Where the cursor should go, if it moved since the last call.
    [[nodiscard]] std::optional<double> take_move();

    void step(bool forward) { steps_ += forward ? 1 : -1; }

    /// Plays in a direction, or stops if it does already.
    void toggle(bool forward);

    [[nodiscard]] bool plays(bool forward) const { return direction_ == (forward ? 1 : -1); }

    void move_to(double cycle);

    /// Whether it moves by itself.
    [[nodiscard]] bool playing() const { return direction_ != 0; }

    /// Cycles a second.
    [[nodiscard]] double speed(const Run& run) const;
    /// Cycles over which rates are averaged.
    [[nodiscard]] static double window(const Run& run);

private:
    void follow(const Run& run, const ViewState& view);

    double cycle_ = 0;
    bool placed_ = false;
    int direction_ = 0;
    int steps_ = 0;
    double factor_ = 1;  // as the view says
    bool moved_ = false;
    std::optional<double> seen_cursor_;
    std::optional<record::SpanId> seen_selection_;
};

}  // namespace ascendsim::gui
