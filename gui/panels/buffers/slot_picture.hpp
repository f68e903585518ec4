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

/// A stretch of a slot as a box of whole pixels, or a column of pixels and how much of it stretches cover.
struct SlotBox {
    Rect box;
    std::size_t first = 0;  ///< of the slot's stretches
    std::size_t count = 1;  ///< that are in the column
    float share = 1;        ///< of the column's time, by area
    bool column = false;
};

/// Calls `visit(SlotBox)` for what is visible of a slot, from left to right: boxes of whole pixels for
/// stretches that lie apart, and where narrow ones follow each other closely, columns of one pixel with the
/// share that they cover. Rounding each of these to whole pixels would show waves that a regular schedule
/// does not have.
template <class Visit>
class SlotBoxes {
public:
    SlotBoxes(const BufferSlot& slot, const SlotPlace& place, const Visit& visit)
        : slot_{slot},
          axis_{place.axis},
          visit_{visit},
          crowded_{closest * place.axis.cycles_per_pixel()},
          bottom_{place.height_of(slot.offset)},
          top_{std::min(bottom_ - 1, place.height_of(static_cast<double>(slot.offset) + slot.bytes))} {}

    void draw() {
        std::size_t i = first_visible();
        while (i < slot_.stretches.size() && from(i) < axis_.seen.end) {
            i = is_crowded(i) ? draw_columns(i) : draw_box(i);
        }
    }

private:
    static constexpr double closest = 6;  // pixels between beginnings: about three for a stretch and a gap

    [[nodiscard]] double from(std::size_t i) const { return static_cast<double>(slot_.stretches[i].from); }

    [[nodiscard]] double to(std::size_t i) const { return static_cast<double>(slot_.stretches[i].to); }

    [[nodiscard]] std::size_t first_visible() const {
        const auto found =
            std::ranges::upper_bound(slot_.stretches, axis_.seen.begin, {}, [](const BufferStretch& s) {
                return static_cast<double>(s.to);
            });
        return static_cast<std::size_t>(found - slot_.stretches.begin());
    }

    [[nodiscard]] bool is_crowded(std::size_t i) const {
        return to(i) - from(i) < crowded_ &&
               ((i > 0 && from(i) - from(i - 1) < crowded_) ||
                (i + 1 < slot_.stretches.size() && from(i + 1) - from(i) < crowded_));
    }

    std::size_t draw_box(std::size_t i) {
        const float left = axis_.pixel(from(i));
        const float right = std::max(left + 1, axis_.pixel(to(i)));
        visit_(SlotBox{
            .box = {std::max(left, axis_.left - 2), top_, std::min(right, axis_.right() + 2), bottom_},
            .first = i});
        return i + 1;
    }

    /// Draws columns from that of stretch `i` on, up to the first stretch that lies apart, which it returns.
    std::size_t draw_columns(std::size_t i) {
        const std::size_t all = slot_.stretches.size();
        float left = std::max({std::floor(axis_.x(from(i))), done_, axis_.left});
        std::size_t known = slot_.first_from(axis_.cycle(left));
        double before = slot_.covered_before(axis_.cycle(left), known);
        while (left < axis_.right()) {
            const std::size_t next = slot_.first_from(axis_.cycle(left + 1), known);
            const double covered = slot_.covered_before(axis_.cycle(left + 1), next);
            if (covered > before) {
                const bool goes_on = known > 0 && (next == known || to(known - 1) > axis_.cycle(left));
                const std::size_t first = goes_on ? known - 1 : known;
                visit_(SlotBox{.box = {left, top_, left + 1, bottom_},
                               .first = first,
                               .count = next - first,
                               .share = static_cast<float>((covered - before) / axis_.cycles_per_pixel()),
                               .column = true});
            }
            done_ = ++left;
            if (next > i + 1 && !is_crowded(next - 1)) {
                return next - 1;
            }
            if (covered == before && next == known) {  // nothing here: on to the next that there is
                if (next == all || !is_crowded(next)) {
                    return next;
                }
                left = std::max(left, std::floor(axis_.x(from(next))));
            }
            before = covered;
            known = next;
        }
        return all;
    }

    const BufferSlot& slot_;
    const TimeAxis& axis_;
    const Visit& visit_;
    double crowded_;
    float bottom_;
    float top_;
    float done_ = -1e9F;  // columns up to here are drawn
};

template <class Visit>
void for_each_slot_box(const BufferSlot& slot, const SlotPlace& place, const Visit& visit) {
    SlotBoxes<Visit>{slot, place, visit}.draw();
}

}  // namespace ascendsim::gui
