// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/record/span_chunk.hpp"

namespace ascendsim::record {

/// What the spans of one source line came to on one lane.
struct SiteSum {
    std::uint64_t count = 0;
    std::uint64_t busy_cycles = 0;
    std::uint64_t wait_cycles = 0;
    std::uint64_t longest = 0;  // cycles of the longest span, at least 1; 0: none yet
    std::uint32_t op = 0;       // of that span
};

/// What instructions, not waits, moved into or out of one of a core's memories.
struct MemorySum {
    std::uint64_t moves = 0;
    std::uint64_t bytes = 0;
    std::uint64_t active_cycles = 0;
};

/// The transfers of one route.
struct RouteSum {
    std::uint64_t transfers = 0;
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    std::uint64_t active_cycles = 0;
    std::uint64_t l2_hit_bytes = 0;
    std::uint64_t hbm_read_bytes = 0;
    std::uint64_t hbm_write_bytes = 0;
    std::array<std::uint64_t, limiter_names.size()> limited_cycles{};
};

/// Cycles waited for one kind of span.
struct CauseSum {
    Reason reason = Reason::none;
    std::uint32_t what = 0;  // what_of() those spans
    std::uint64_t cycles = 0;
    std::uint64_t first = 0;         // index of the first such wait in its lane
    std::uint32_t culprit_lane = 0;  // where the span lies that this one waited for
};

/// What a lane's spans add up to, from a cycle on: everything a report of a run says of it. Kept while
/// recording, so that a report need not read the recording again; or taken from a recording.
class LaneSums {
public:
    static constexpr std::size_t memories = 8;
    static constexpr std::size_t routes = 10;

    /// Adds a chunk's spans that end after the cycle the sums begin at.
    void add(const SpanChunk& chunk);
    /// Adds one span; `transfer` is null if it is none.
    void add(const SpanRow& row, std::uint64_t duration, std::uint64_t index, const TransferRow* transfer);
    /// Forgets what was added; only spans that end after `cycle` count from now on.
    void begin_at(std::uint64_t cycle);

    /// What the lane did in [begin, to), as occupancy() of a recording says it; `core_start` is the first
    /// cycle of any span of its core.
    [[nodiscard]] std::array<std::uint64_t, reason_count> cycles(std::uint64_t core_start,
                                                                 std::uint64_t to) const;

    [[nodiscard]] std::uint64_t begin() const { return begin_; }

    /// True if there ever was a span, counted or not.
    [[nodiscard]] bool any() const { return any_; }

    /// First cycle of the lane's first span, counted or not.
    [[nodiscard]] std::uint64_t start() const { return start_; }

    /// An instruction or a wait of a program, not standing outside of one.
    [[nodiscard]] bool used() const { return used_; }

    std::uint64_t instructions = 0;  // spans that are no wait, and theirs:
    std::uint64_t work = 0;
    std::uint64_t bytes = 0;
    std::uint64_t conflict_cycles = 0;
    std::vector<SiteSum> sites;  // by number, of what is in a program
    std::array<MemorySum, memories> moved{};
    std::array<RouteSum, routes> transfers{};
    std::vector<CauseSum> causes;  // in the order of their first waits

private:
    void add_instruction(const SpanRow& row, std::uint64_t duration);
    void add_site(const SpanRow& row, Reason reason, std::uint64_t duration);
    void add_cause(const SpanRow& row, Reason reason, std::uint64_t duration, std::uint64_t index);
    void add_transfer(const SpanRow& row, std::uint64_t duration, const TransferRow& transfer);

    std::uint64_t begin_ = 0;
    std::uint64_t start_ = 0;
    std::uint64_t first_start_ = 0;  // of the first span counted
    std::uint64_t last_end_ = 0;     // of the last one
    std::uint64_t between_ = 0;      // cycles between spans counted
    std::array<std::uint64_t, reason_count> spans_{};
    std::uint32_t last_cause_ = 0;
    bool any_ = false;
    bool counted_ = false;
    bool before_ = false;  // there were spans before `begin_`
    bool used_ = false;
};

/// True for waits in which a lane stands outside of any program of its core.
[[nodiscard]] constexpr bool outside_program(Reason reason) {
    using enum Reason;
    return reason == launch || reason == block || reason == tail || reason == unused;
}

}  // namespace ascendsim::record
