// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>
#include <vector>

#include "models/port/access.hpp"
#include "models/port/timed_op.hpp"

namespace ascendsim::sanitize {

/// An access as it is remembered until another one conflicts with it.
struct Touch {
    const isa::OpInfo* info = nullptr;
    Site site;
    std::uint64_t issue = 0;   // in its core's program, from 1
    std::uint64_t order = 0;   // among all accesses of the run
    std::uint64_t offset = 0;  // of the whole access, B
    std::uint64_t extent = 0;
    std::uint32_t block = 0;
    std::uint16_t core = 0;
    std::uint8_t strand = 0;
    bool write = false;
    bool atomic = false;
    bool covering = false;
    bool unit_flag = false;  // hands over in hardware, step by step
    bool fresh = false;      // a scalar read of a line just invalidated
    bool plain = false;      // through a plain pointer, before operation `issue`, which may never come
    bool scattered = false;  // covering: of its bytes only the first and the last are known to be touched
};

/// A few accesses; most runs of bytes have one writer and one reader.
class TouchList {
public:
    [[nodiscard]] std::size_t size() const { return count_; }

    [[nodiscard]] const Touch& operator[](std::size_t i) const {
        return i < inside_.size() ? inside_[i] : more_[i - inside_.size()];
    }

    /// Puts `touch` in place of what its strand did before.
    void remember(const Touch& touch) {
        for (std::size_t i = 0; i < count_; ++i) {
            const Touch& old = (*this)[i];
            if (old.strand == touch.strand && old.core == touch.core && old.block == touch.block) {
                (i < inside_.size() ? inside_[i] : more_[i - inside_.size()]) = touch;
                return;
            }
        }
        if (count_ < inside_.size()) {
            inside_[count_] = touch;
        } else {
            more_.push_back(touch);
        }
        ++count_;
    }

    void clear() {
        count_ = 0;
        more_.clear();
    }

private:
    std::array<Touch, 1> inside_;
    std::vector<Touch> more_;
    std::size_t count_ = 0;
};

/// The state of a run of bytes that were always treated alike.
struct Bytes {
    TouchList writers;  // the last write, or the atomic updates since
    TouchList readers;  // of each strand the last read since
    bool written = false;

    void forget() {
        writers.clear();
        readers.clear();
    }
};

/// A memory's bytes by runs of equal state: exact to the byte, small while accesses repeat.
class RangeMap {
public:
    RangeMap() : runs_{&pool_} { runs_[0].written = false; }

    RangeMap(const RangeMap&) = delete;
    RangeMap& operator=(const RangeMap&) = delete;
    ~RangeMap() = default;

    /// Calls f(state, begin, end) for every run of [begin, end), splitting runs at both ends. With `same`,
    /// f leaves all of them in one state, and if they are many they become one.
    template <class F>
    void update(std::uint64_t begin, std::uint64_t end, bool same, F&& f) {
        if (begin >= end) {
            return;
        }
        auto run = std::prev(runs_.upper_bound(begin));
        if (run->first < begin) {
            run = runs_.emplace_hint(std::next(run), begin, run->second);
        }
        const auto first = run;
        std::size_t count = 0;
        while (run != runs_.end() && run->first < end) {
            auto next = std::next(run);
            if (next == runs_.end() || next->first > end) {
                next = runs_.emplace_hint(next, end, run->second);
            }
            f(run->second, run->first, next->first);
            run = next;
            ++count;
        }
        if (same && count > most_alike) {
            runs_.erase(std::next(first), run);
        }
    }

    /// Calls f(state, begin, end) for every run of [begin, end) and splits none.
    template <class F>
    void visit(std::uint64_t begin, std::uint64_t end, F&& f) const {
        for (auto run = std::prev(runs_.upper_bound(begin)); run != runs_.end() && run->first < end;) {
            const auto next = std::next(run);
            const std::uint64_t from = std::max(run->first, begin);
            f(run->second, from, next == runs_.end() ? end : std::min(next->first, end));
            run = next;
        }
    }

    /// Where the bytes that were written end, from `begin` on and up to `end`; `begin` if the first was not.
    [[nodiscard]] std::uint64_t written_end(std::uint64_t begin, std::uint64_t end) const {
        auto run = std::prev(runs_.upper_bound(begin));
        for (std::size_t count = 0; count < most_alike && run->second.written; ++count) {
            ++run;
            if (run == runs_.end() || run->first >= end) {
                return end;
            }
            begin = run->first;
        }
        return begin;
    }

    /// Drops what is known of who touched what; what was written stays so.
    void forget_touches() {
        for (auto run = runs_.begin(); run != runs_.end();) {
            run->second.forget();
            const bool same = run != runs_.begin() && std::prev(run)->second.written == run->second.written;
            run = same ? runs_.erase(run) : std::next(run);
        }
    }

    /// Forgets everything; all bytes are `written` or not.
    void clear(bool written) {
        runs_.clear();
        runs_[0].written = written;
    }

    [[nodiscard]] std::size_t size() const { return runs_.size(); }

private:
    // Buffers are written whole and read in parts, again and again: joining the parts each time would cost
    // more.
    static constexpr std::size_t most_alike = 256;

    std::pmr::unsynchronized_pool_resource pool_;
    std::pmr::map<std::uint64_t, Bytes> runs_;  // by first byte; the last one has no end
};

/// Calls f(begin, end) for every run of lanes of a row at `start` that take part.
template <class F>
void for_each_lane_run(const isa::Access& access, std::uint64_t start, F&& f) {
    const std::uint64_t count = access.row_bytes / access.lane_bytes;
    const auto active = [&access](std::uint64_t lane) {
        return (access.lanes[lane / 64] >> (lane % 64) & 1U) != 0;
    };
    for (std::uint64_t lane = 0; lane < count;) {
        const std::uint64_t first = lane;
        while (lane < count && active(lane)) {
            ++lane;
        }
        if (lane != first) {
            f(start + first * access.lane_bytes, start + lane * access.lane_bytes);
        }
        while (lane < count && !active(lane)) {
            ++lane;
        }
    }
}

/// Calls f(begin, end) for every contiguous run of an access.
template <class F>
void for_each_run(const isa::Access& access, F&& f) {
    if (access.lane_bytes != 0) {
        for (std::uint64_t row = 0; row < access.rows; ++row) {
            for_each_lane_run(access, access.offset + row * access.pitch, f);
        }
        return;
    }
    const bool dense = access.rows <= 1 || access.pitch == access.row_bytes;
    for (std::uint64_t plane = 0; plane < access.planes; ++plane) {
        const std::uint64_t start = access.offset + plane * access.plane_pitch;
        if (dense) {
            f(start, start + access.rows * access.row_bytes);
            continue;
        }
        for (std::uint64_t row = 0; row < access.rows; ++row) {
            f(start + row * access.pitch, start + row * access.pitch + access.row_bytes);
        }
    }
}

}  // namespace ascendsim::sanitize
