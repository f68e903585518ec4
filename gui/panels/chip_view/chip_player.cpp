// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/chip_player.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gui/document/selection.hpp"
#include "gui/panels/chip_view/chip_moment.hpp"

namespace ascendsim::gui {
namespace {

constexpr double seconds_for_a_run = 60;  // at factor 1
constexpr int most_steps = 64;            // at once

bool same(const std::optional<record::SpanId>& a, const std::optional<record::SpanId>& b) {
    return a.has_value() == b.has_value() && (!a || (a->lane == b->lane && a->index == b->index));
}

}  // namespace

void ChipPlayer::follow(const Run& run, const ViewState& view) {
    const std::optional<record::SpanId> selection =
        view.selected.empty() ? std::nullopt : std::optional{view.selected.back()};
    if (selection && !same(selection, seen_selection_)) {
        if (const std::optional<Pick> pick = selected(run, view)) {
            cycle_ = (pick->range().begin + pick->range().end) / 2;
            placed_ = true;
        }
    } else if (view.cursor && view.cursor != seen_cursor_) {
        cycle_ = *view.cursor;
        placed_ = true;
    }
    seen_selection_ = selection;
    seen_cursor_ = view.cursor;
    if (!placed_) {
        const TimeRange seen = view.visible();
        cycle_ = (seen.begin + seen.end) / 2;
    }
}

void ChipPlayer::advance(const Run& run, const CoreLanes& core, const ViewState& view, double seconds) {
    follow(run, view);
    factor_ = view.play_speed;
    steps_ = std::clamp(steps_, -most_steps, most_steps);
    for (; steps_ != 0; steps_ -= steps_ > 0 ? 1 : -1) {
        if (const std::optional<double> next = next_event(run, core, cycle_, steps_ > 0)) {
            move_to(*next);
        }
        direction_ = 0;
    }
    if (direction_ != 0) {
        move_to(cycle_ + direction_ * speed(run) * seconds);
        if (cycle_ <= 0 || cycle_ >= run.cycles()) {
            direction_ = 0;
        }
    }
    cycle_ = std::clamp(cycle_, 0.0, std::max(0.0, run.cycles()));
}

std::optional<double> ChipPlayer::take_move() {
    if (!std::exchange(moved_, false)) {
        return std::nullopt;
    }
    seen_cursor_ = cycle_;
    return cycle_;
}

void ChipPlayer::toggle(bool forward) {
    const int wanted = forward ? 1 : -1;
    direction_ = direction_ == wanted ? 0 : wanted;
}

void ChipPlayer::move_to(double cycle) {
    cycle_ = cycle;
    placed_ = true;
    moved_ = true;
}

double ChipPlayer::speed(const Run& run) const {
    return std::max(1.0, run.cycles() / seconds_for_a_run * factor_);
}

double ChipPlayer::window(const Run& run) {
    constexpr double least = 64;
    constexpr double most = 2048;
    constexpr double shares = 200;
    return std::clamp(run.cycles() / shares, least, most);
}

}  // namespace ascendsim::gui
