// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/view_state.hpp"

#include <algorithm>

namespace ascendsim::gui {
namespace {

constexpr std::size_t longest_history = 100;
constexpr double pause_between_bursts = 0.6;  // seconds

/// Cut to [0, extent] by moving first, so that the length is kept where it can be.
TimeRange cut(TimeRange range, double extent) {
    const double longest = std::max(extent, shortest_window);
    const double length = std::clamp(range.length(), shortest_window, longest);
    const double begin = std::clamp(range.begin, 0.0, longest - length);
    return {begin, begin + length};
}

void remember(std::vector<std::optional<TimeRange>>& history, const std::optional<TimeRange>& window) {
    if (history.size() == longest_history) {
        history.erase(history.begin());
    }
    history.push_back(window);
}

}  // namespace

TimeRange ViewState::visible() const {
    return window.value_or(TimeRange{0, std::max(extent, shortest_window)});
}

void ViewState::show(TimeRange range_wanted) {
    if (!(range_wanted.length() > 0)) {
        range_wanted = {range_wanted.begin - shortest_window / 2, range_wanted.begin + shortest_window / 2};
    }
    const TimeRange next = cut(range_wanted, extent);
    if (next == visible()) {
        return;
    }
    remember(back, window);
    forward.clear();
    window = next;
    gliding = false;
}

void ViewState::show_all() {
    if (window) {
        remember(back, window);
        forward.clear();
        window.reset();
        gliding = false;
    }
}

void ViewState::glide_to(std::optional<TimeRange> next) {
    still = 0;
    if (next == window) {
        return;
    }
    if (!gliding) {
        remember(back, window);
        forward.clear();
        gliding = true;
    }
    window = next;
}

void ViewState::rest(double seconds) {
    still += seconds;
    gliding = gliding && still < pause_between_bursts;
}

void ViewState::zoom(double factor, double about) {
    const TimeRange now = visible();
    const double length =
        std::clamp(now.length() / factor, shortest_window, std::max(extent, shortest_window));
    const double share = std::clamp((about - now.begin) / now.length(), 0.0, 1.0);
    const double begin = now.begin + share * (now.length() - length);
    const TimeRange next = cut({begin, begin + length}, extent);
    glide_to(next.length() >= extent ? std::nullopt : std::optional{next});
}

void ViewState::pan(double share) {
    const TimeRange now = visible();
    const double by = share * now.length();
    if (window) {
        glide_to(cut({now.begin + by, now.end + by}, extent));
    }
}

bool ViewState::go_back() {
    if (back.empty()) {
        return false;
    }
    gliding = false;
    remember(forward, window);
    window = back.back();
    back.pop_back();
    return true;
}

bool ViewState::go_forward() {
    if (forward.empty()) {
        return false;
    }
    gliding = false;
    remember(back, window);
    window = forward.back();
    forward.pop_back();
    return true;
}

}  // namespace ascendsim::gui
