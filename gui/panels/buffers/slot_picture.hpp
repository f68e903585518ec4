// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "gui/canvas/geometry.hpp"
#include "gui/document/buffer_map.hpp"
#include "gui/timeview/time_axis.hpp"

namespace ascendsim::gui {

/// Where a memory is drawn: time to the right, addresses upwards.
struct SlotPlace {
    TimeAxis axis;
    Rect area;
    double bytes = 1;  ///< of the whole height

    /// The row of pixels at which `offset` bytes are, counted from below.
    [[nodiscard]] float height_of(double offset) const {
        return std::round(area.bottom - static_cast<float>(offset / bytes) * area.height());
    }
};

/// One or more neighbouring stretches of a slot as a box of whole pixels.
struct SlotBox {
    Rect box;
    std::size_t first = 0;  ///< of the slot's stretches
    std::size_t count = 1;  ///< that share the box, since less than a pixel parts them
};

/// Calls `visit(SlotBox)` for what is visible of a slot, from left to right: at most one box for every two
/// pixels, however many stretches there are.
template <class Visit>
void for_each_slot_box(const BufferSlot& slot, const SlotPlace& place, const Visit& visit) {
    constexpr float narrow = 3;  // pixels below which stretches may share a box
    const float bottom = place.height_of(slot.offset);
    const float top = std::min(bottom - 1, place.height_of(static_cast<double>(slot.offset) + slot.bytes));
    const auto ending_after = [&](double cycle) {
        return static_cast<std::size_t>(
            std::ranges::upper_bound(
                slot.stretches, cycle, {}, [](const BufferStretch& s) { return static_cast<double>(s.to); }) -
            slot.stretches.begin());
    };
    const auto left_of = [&](std::size_t i) {
        return place.axis.pixel(static_cast<double>(slot.stretches[i].from));
    };
    const auto right_of = [&](std::size_t i) {
        return std::max(left_of(i) + 1, place.axis.pixel(static_cast<double>(slot.stretches[i].to)));
    };
    std::size_t i = ending_after(place.axis.seen.begin);
    while (i < slot.stretches.size() && static_cast<double>(slot.stretches[i].from) < place.axis.seen.end) {
        const float left = left_of(i);
        float right = right_of(i);
        std::size_t next = i + 1;
        const bool alone = right - left >= narrow;
        while (!alone && next < slot.stretches.size()) {
            next = std::max(next, ending_after(place.axis.cycle(right + 0.5F)));
            if (next == slot.stretches.size() || left_of(next) > right ||
                right_of(next) - left_of(next) >= narrow) {
                break;
            }
            right = std::max(right + 1, right_of(next));
            ++next;
        }
        visit(
            SlotBox{{std::max(left, place.area.left - 2), top, std::min(right, place.area.right + 2), bottom},
                    i,
                    next - i});
        i = next;
    }
}

}  // namespace ascendsim::gui
