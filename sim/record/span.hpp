// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ascendsim::record {

/// Why a pipe did nothing useful for a while. Words of reports, exports and pictures; the order is the
/// report's.
enum class Reason : std::uint8_t {
    none,         // busy, not waiting
    launch,       // before the core's first instruction
    issue,        // the scalar unit had not handed over the next instruction
    queue_full,   // scalar: the destination pipe's queue had no room
    flag_data,    // an event flag from a pipe upstream: the data is not there yet
    flag_buffer,  // an event flag from a pipe downstream: the buffer is not free yet
    flag_scalar,  // an event flag to or from the scalar unit
    barrier,      // PipeBarrier: the pipe's own (or every pipe's) earlier work
    memory,       // scalar: a read of global memory past the data cache
    fetch,        // scalar: code met for the first time is not in the instruction cache
    cross_core,   // a flag of another core
    sync_all,     // other cores have not arrived
    block,        // between two blocks on one core
    tail,         // this core is done, others are not
    unused,       // the pipe has no instruction in this run
};

inline constexpr std::size_t reason_count = 15;
inline constexpr std::array<std::string_view, reason_count> reason_names{"none",
                                                                         "launch",
                                                                         "issue",
                                                                         "queue_full",
                                                                         "flag_data",
                                                                         "flag_buffer",
                                                                         "flag_scalar",
                                                                         "barrier",
                                                                         "memory",
                                                                         "fetch",
                                                                         "cross_core",
                                                                         "sync_all",
                                                                         "block",
                                                                         "tail",
                                                                         "unused"};

[[nodiscard]] constexpr std::string_view name(Reason reason) {
    return reason_names[static_cast<std::size_t>(reason)];
}

/// What held a transfer's rate down for most of its life.
enum class Limiter : std::uint8_t {
    none,
    port,
    outstanding,
    l2_bandwidth,
    hbm_bandwidth,
    hbm_path,
    request_rate,
    same_line,
    start_up
};

inline constexpr std::array<std::string_view, 9> limiter_names{"none",
                                                               "port",
                                                               "outstanding",
                                                               "l2_bandwidth",
                                                               "hbm_bandwidth",
                                                               "hbm_path",
                                                               "request_rate",
                                                               "same_line",
                                                               "start_up"};

[[nodiscard]] constexpr std::string_view name(Limiter limiter) {
    return limiter_names[static_cast<std::size_t>(limiter)];
}

/// Instruction and source line of a span in one number; 0 if that is not known, or either number is too
/// large.
[[nodiscard]] constexpr std::uint32_t what_of(std::uint32_t op, std::uint32_t site) {
    constexpr std::uint32_t op_bits = 12;
    const bool fits = op < (1U << op_bits) && site < (1U << (32 - op_bits));
    return fits ? site << op_bits | op : 0;
}

[[nodiscard]] constexpr std::uint32_t op_of_what(std::uint32_t what) {
    return what & 0xfffU;
}

[[nodiscard]] constexpr std::uint32_t site_of_what(std::uint32_t what) {
    return what >> 12U;
}

/// Names one span of the run: lane and position in it.
struct SpanId {
    static constexpr std::uint32_t no_lane = 0xffffffffU;  // stored form of "none"

    constexpr SpanId() = default;

    constexpr SpanId(std::uint32_t in_lane, std::uint64_t at, std::uint32_t what_it_is = 0)
        : lane{in_lane}, what{what_it_is}, index{at} {}

    std::uint32_t lane = no_lane;
    std::uint32_t what = 0;  // what_of() the span, for sums kept while recording; not stored
    std::uint64_t index = 0;

    [[nodiscard]] constexpr bool valid() const { return lane != no_lane; }
};

/// One thing that happened on one lane. Spans of a lane are in order and do not overlap: [start, end). What
/// lies between two spans is waiting for issue (up to `issue` of the next span). A span with a reason is a
/// wait.
struct Span {
    std::uint64_t issue = 0;     // cycle at which the scalar unit handed it over
    std::uint64_t start = 0;     // first cycle on the pipe
    std::uint64_t end = 0;       // the pipe is free again
    std::uint64_t complete = 0;  // its result may be used
    std::uint32_t op = 0;        // Recorder::op()
    std::uint32_t site = 0;      // Recorder::site()
    Reason reason = Reason::none;
    bool inside = false;       // of a wait: within an instruction that had begun; profilers count it as work
    std::uint8_t memory = 0;   // index of the buffer it writes (or reads, when it writes global memory)
    std::uint32_t offset = 0;  // B, in that buffer
    std::uint32_t bytes = 0;   // moved or written
    std::uint32_t work = 0;    // elements, or multiply-accumulates for the cube
    std::uint32_t conflict = 0;  // of its cycles, lost to bank conflicts
    SpanId culprit{};            // what it waited for: the span whose completion ended this wait, or none
    // Transfers to and from global memory only; route_none otherwise.
    std::uint8_t route = route_none;
    Limiter limiter = Limiter::none;
    std::uint32_t requests = 0;
    std::uint64_t gm_offset = 0;
    std::uint32_t l2_hit_bytes = 0;
    std::uint32_t hbm_read_bytes = 0;
    std::uint32_t hbm_write_bytes = 0;  // including lines written back to make room

    static constexpr std::uint8_t route_none = 0xff;
};

}  // namespace ascendsim::record
