// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ascendsim {

/// Ranges of a large memory with the operation that touched each last, by growing numbers from 1. A few are
/// kept apart; more are taken together into one that spans them all.
class RecentRanges {
public:
    /// Operation `number`, the highest so far, touches [begin, end). What is not behind `settled` is dropped.
    void touch(std::uint64_t begin, std::uint64_t end, std::uint32_t number, std::uint32_t settled) {
        if (begin >= end) {
            return;
        }
        if (!ranges_.empty() && begin <= ranges_.back().end && end >= ranges_.back().begin) {
            Range& last = ranges_.back();  // the rest of one stream
            last = {std::min(last.begin, begin), std::max(last.end, end), number};
            return;
        }
        if (ranges_.size() >= most) {
            std::erase_if(ranges_, [settled](const Range& range) { return range.number <= settled; });
        }
        if (ranges_.size() >= most) {
            span_all();
        }
        ranges_.push_back({begin, end, number});
    }

    /// True if an operation behind `known` touched one of [begin, end).
    [[nodiscard]] bool touched_since(std::uint64_t begin, std::uint64_t end, std::uint32_t known) const {
        return std::ranges::any_of(ranges_, [&](const Range& range) {
            return range.number > known && range.begin < end && range.end > begin;
        });
    }

private:
    static constexpr std::size_t most = 64;

    struct Range {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t number = 0;
    };

    void span_all() {
        Range all = ranges_.front();
        for (const Range& range : ranges_) {
            all = {std::min(all.begin, range.begin),
                   std::max(all.end, range.end),
                   std::max(all.number, range.number)};
        }
        ranges_.assign(1, all);
    }

    std::vector<Range> ranges_;
};

}  // namespace ascendsim
