// SPDX-License-Identifier: Apache-2.0
// A recording whose cores are put onto another axis of time.
#include "sim/record/axis_shift.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "sim/record/recording.hpp"

namespace ascendsim::record {
namespace {

/// Of an object with `start`, `end` and the like.
void shift(nlohmann::json& values, const AxisMap& axis) {
    for (const char* const key : {"start", "first_core", "cycle"}) {
        if (const auto at = values.find(key); at != values.end() && at->is_number_unsigned()) {
            *at = axis.begin(at->get<std::uint64_t>());
        }
    }
    for (const char* const key : {"end", "cores_end"}) {
        if (const auto at = values.find(key); at != values.end() && at->is_number_unsigned()) {
            *at = axis.end(at->get<std::uint64_t>());
        }
    }
}

}  // namespace

std::uint64_t AxisMap::begin(std::uint64_t cycle) const {
    const auto behind = std::ranges::upper_bound(shifts_, cycle, {}, &AxisShift::from);
    return cycle + (behind == shifts_.begin() ? 0 : std::prev(behind)->by);
}

std::uint64_t AxisMap::end(std::uint64_t cycle) const {
    const auto behind = std::ranges::lower_bound(shifts_, cycle, {}, &AxisShift::from);
    return cycle + (behind == shifts_.begin() ? 0 : std::prev(behind)->by);
}

void Recording::put_cores_on(const AxisMap& axis, std::uint64_t length) {
    const auto shared = std::make_shared<const AxisMap>(axis);
    for (Lane& lane : lanes_) {
        if (lane.core_index) {
            lane.spans->put_on(shared);
        }
    }
    for (std::uint64_t& start : core_starts_) {
        start = start == ~std::uint64_t{0} ? start : axis.begin(start);
    }
    for (Buffer& buffer : buffers_) {
        buffer.from = axis.begin(buffer.from);
        buffer.to = buffer.to == 0 ? 0 : std::max(buffer.from, axis.end(buffer.to));
    }
    for (nlohmann::json& event : events_) {
        if (event.is_object()) {
            shift(event, axis);
        }
    }
    // The totals' cycles are the cores': the last one of all tracks may be another one's, on the axis
    // already.
    last_cycle_ = std::max(length, axis.end(cycles()));
    if (!totals_.is_object()) {
        return;
    }
    for (const char* const key : {"launches", "executions"}) {
        if (const auto list = totals_.find(key); list != totals_.end() && list->is_array()) {
            for (nlohmann::json& one : *list) {
                shift(one, axis);
            }
        }
    }
    totals_["cycles"] = last_cycle_;
}

}  // namespace ascendsim::record
