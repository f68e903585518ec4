// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "models/port/pipe.hpp"

namespace ascendsim::sanitize {

/// What is wrong. The words are those of reports and of `hazards` in --json.
enum class Kind : std::uint8_t {
    race,                // two pipes of a core, one range, one a write, no order between them
    missing_barrier,     // the same within one pipe whose instructions overlap
    core_race,           // two cores, or two blocks
    stream_race,         // two works of different streams, or of a stream and the host
    uninitialised_read,  // bytes that nobody ever wrote
    unallocated_use,     // outside of every buffer of the core
    use_after_free,      // a tensor that went back to its queue, or was never taken from it
    buffer_overrun,      // from one buffer into the next
    out_of_range,        // outside of a memory or of every argument
    input_written,       // an argument that the host declares as input
    misaligned,          // an address the instruction cannot take
    illegal,             // other operands the instruction cannot take
    operands_overlap,    // of one instruction, in part
    stack_overflow,      // more local variables than the scalar unit's stack holds
    double_set,          // a flag is raised that is still up
    set_never_waited,    // the flag stays up and leaks into what runs next
    wait_never_set,      // the pipe would wait for ever
    cache_line_shared,   // two cores store into one line of their data caches
    cache_not_cleaned,   // others read what a core stored before its cache was cleaned
    cache_stale,         // a scalar unit may find in its cache what was there before another wrote
    timings_differ,      // results depend on how fast instructions and cores are
    never_written,       // an output, or a part of one, is as the host left it
    // From here on no errors.
    unproven_flag,  // a core goes on because of what another stored, without having been seen to wait for it
    copied_unwritten,  // the host copies back what nobody wrote
    rounded_count,     // a copy moves fewer bytes than it was asked for
    oversized,         // a buffer or a tensor is larger than what it lies in
    redundant_flag,    // orders what is ordered already, every time
    redundant_barrier,
};

inline constexpr std::size_t kind_count = 28;

/// The word of a kind, as in "missing_barrier".
[[nodiscard]] std::string_view name(Kind kind);
/// The kind of a word, as in "missing_barrier"; nothing for other words.
[[nodiscard]] std::optional<Kind> kind_named(std::string_view word);
/// One sentence about a kind, for documentation and hovers.
[[nodiscard]] std::string_view meaning(Kind kind);

/// False for kinds that only cost time, or that may be right: they do not fail a run.
[[nodiscard]] constexpr bool is_error(Kind kind) {
    return kind < Kind::unproven_flag;
}

/// True for kinds that may be right, or that say what the numbers alone do not tell.
[[nodiscard]] constexpr bool is_note(Kind kind) {
    return kind == Kind::unproven_flag || kind == Kind::copied_unwritten || kind == Kind::rounded_count ||
           kind == Kind::oversized;
}

/// One of the two operations a finding names.
struct Party {
    std::string core;         // "aiv3"; empty: one for all cores of a launch, or no core's
    std::uint32_t block = 0;  // GetBlockIdx
    Pipe pipe = Pipe::scalar;
    std::string op;  // instruction, as in "copy_gm_to_ubuf"
    std::string file;
    std::uint32_t line = 0;
    std::uint64_t issue = 0;                   // its place in the core's program, from 1
    std::optional<std::uint64_t> cycle{};      // it starts; none: the run ended before
    std::optional<std::uint64_t> end_cycle{};  // its result may be used; none: it never ended
    // "read", "write", "atomic"; "leave" of bytes that it should have written; empty for flags and barriers
    std::string access;
    std::string buffer;        // "ub, buffer of kernel.cpp:12", or the name of a global buffer
    std::uint64_t offset = 0;  // B, from the start of the memory (of the buffer in global memory)
    std::uint64_t bytes = 0;   // from the first byte touched to behind the last
};

/// True if `a` began before `b` in simulated time, or at the same cycle on a core of a lower number. False
/// where a time is not known.
[[nodiscard]] bool is_before(const Party& a, const Party& b);

/// Something the checker found, with everything needed to see why.
struct Finding {
    Kind kind = Kind::race;
    Party later;                       // the operation at which it showed
    std::optional<Party> earlier;      // the one it conflicts with
    std::uint64_t overlap_offset = 0;  // first byte both touch, same origin as Party::offset
    std::uint64_t overlap_bytes = 0;
    std::uint64_t count = 1;        // times it happened at these two places
    std::uint64_t cost_cycles = 0;  // of redundant flags and barriers, an estimate over the run
    bool stops = false;             // it is what ended the run
    std::string message;            // one sentence
    std::string hint;               // what to do
};

/// The finding as in `hazards` of --json: kind, severity, message, hint, text, count, cost_cycles, overlap
/// {offset, bytes}, later and earlier {core, block, pipe, op, file, line, issue, cycle, end_cycle, access,
/// buffer, offset, bytes}; `stops` true for what ended the run. An output that was never written has no
/// operation: its `later` names the buffer alone.
[[nodiscard]] nlohmann::json to_json(const Finding& finding);

/// Findings for people: a paragraph each, errors first.
[[nodiscard]] std::string to_text(const std::vector<Finding>& findings);

}  // namespace ascendsim::sanitize
