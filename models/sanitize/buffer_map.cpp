// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/buffer_map.hpp"

#include <algorithm>
#include <iterator>

namespace ascendsim::sanitize {

void BufferMap::note(isa::BufferNotice notice, std::uint64_t begin, std::uint64_t end, Site site) {
    good_begin_ = good_end_ = 0;
    if (notice == isa::BufferNotice::raw) {
        raw_ = true;
        return;
    }
    if (notice == isa::BufferNotice::forgotten) {
        parts_.clear();
        return;
    }
    tracked_ = true;
    const auto same = parts_.find(begin);
    if (same != parts_.end() && same->second.end == end) {
        same->second.state = notice;  // taken from its queue, or given back
        same->second.changed = site;
        return;
    }
    // Cut what lies there at both ends, then replace it.
    for (const std::uint64_t cut : {begin, end}) {
        const auto after = parts_.upper_bound(cut);
        if (after == parts_.begin()) {
            continue;
        }
        const auto part = std::prev(after);
        if (part->first < cut && part->second.end > cut) {
            parts_[cut] = part->second;
            part->second.end = cut;
        }
    }
    parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
    parts_[begin] = {.end = end, .state = notice, .origin = site, .changed = {}};
}

std::optional<Kind> BufferMap::judge(std::uint64_t begin, std::uint64_t end) {
    if ((begin >= good_begin_ && end <= good_end_) || !tracked_ || raw_) {
        return std::nullopt;
    }
    const Part* part = find(begin);
    if (part == nullptr) {
        return Kind::unallocated_use;
    }
    if (part->state != isa::BufferNotice::live) {
        return Kind::use_after_free;
    }
    if (end > part->end) {
        return find(part->end) == nullptr ? Kind::unallocated_use : Kind::buffer_overrun;
    }
    good_begin_ = std::prev(parts_.upper_bound(begin))->first;
    good_end_ = part->end;
    return std::nullopt;
}

const BufferMap::Part* BufferMap::find(std::uint64_t offset) const {
    const auto after = parts_.upper_bound(offset);
    if (after == parts_.begin()) {
        return nullptr;
    }
    const Part& part = std::prev(after)->second;
    return offset < part.end ? &part : nullptr;
}

std::pair<std::uint64_t, std::uint64_t> BufferMap::bounds(std::uint64_t offset) const {
    const Part* part = find(offset);
    return part == nullptr ? std::pair{offset, offset}
                           : std::pair{std::prev(parts_.upper_bound(offset))->first, part->end};
}

void BufferMap::clear() {
    parts_.clear();
    good_begin_ = good_end_ = 0;
    tracked_ = raw_ = false;
}

}  // namespace ascendsim::sanitize
