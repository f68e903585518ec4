// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/toasts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ascendsim::gui {
namespace {

constexpr std::size_t most_shown = 5;

double lifetime(ToastKind kind) {
    switch (kind) {
        case ToastKind::note:
        case ToastKind::success:
            return 4.0;
        case ToastKind::warning:
            return 10.0;
        case ToastKind::error:
            return std::numeric_limits<double>::infinity();
    }
    return 4.0;
}

}  // namespace

void Toasts::add(ToastKind kind, std::string text) {
    const auto same =
        std::ranges::find_if(shown_, [&](const Toast& t) { return t.kind == kind && t.text == text; });
    if (same != shown_.end()) {
        ++same->times;
        same->seconds_left = lifetime(kind);
        return;
    }
    if (shown_.size() == most_shown) {
        shown_.erase(shown_.begin());
    }
    shown_.push_back({kind, std::move(text), lifetime(kind), 1});
}

void Toasts::advance(double seconds) {
    for (Toast& toast : shown_) {
        toast.seconds_left -= seconds;
    }
    std::erase_if(shown_, [](const Toast& toast) { return toast.seconds_left <= 0; });
}

void Toasts::dismiss(std::size_t index) {
    if (index < shown_.size()) {
        shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(index));
    }
}

}  // namespace ascendsim::gui
