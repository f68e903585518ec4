// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/words/finding_words.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "models/sanitize/clock.hpp"

namespace ascendsim::sanitize {
namespace {

std::string_view verb(const Touch& touch) {
    return touch.atomic ? "atomically updates" : touch.write ? "writes" : "reads";
}

// What to do where the advice does not depend on the two touches.
std::string_view fixed_hint_of(Kind kind) {
    switch (kind) {
        case Kind::uninitialised_read:
            return "Write the bytes first (DataCopy, Duplicate, InitGlobalMemory), or read fewer.";
        case Kind::unallocated_use:
            return "Ask InitBuffer for enough bytes, or touch fewer.";
        case Kind::use_after_free:
            return "Use the tensor between AllocTensor (or DeQue) and FreeTensor.";
        case Kind::buffer_overrun:
            return "Make the buffer larger in InitBuffer, or the instruction's count smaller.";
        case Kind::out_of_range:
            return "Check sizes and offsets against the argument and the memory.";
        case Kind::input_written:
            return "Write to an output; if the kernel works in place, the argument's role is in_out.";
        case Kind::misaligned:
            return "Round the offset to the alignment, or use DataCopyPad.";
        case Kind::illegal:
            return "See the instruction's constraints.";
        case Kind::operands_overlap:
            return "Write elsewhere, or exactly over the source: within a repeat operands are the same or "
                   "apart.";
        case Kind::stack_overflow:
            return "Keep tables in UB or global memory, or make them smaller.";
        case Kind::cache_line_shared:
            return "Let one core write all of a 64-byte line, or write through UB with DataCopyPad.";
        case Kind::cache_not_cleaned:
            return "Call DataCacheCleanAndInvalid behind the stores, before others are told.";
        case Kind::cache_stale:
            return "Call DataCacheCleanAndInvalid on the line before each read.";
        case Kind::unproven_flag:
            return "If it is read in a loop until the value comes, all is well; read once, it is a race.";
        case Kind::redundant_flag:
        case Kind::redundant_barrier:
            return "Leave it out.";
        case Kind::race:
        case Kind::missing_barrier:
        case Kind::core_race:
        case Kind::stream_race:
        case Kind::rounded_count:
        case Kind::never_written:
        case Kind::copied_unwritten:
        case Kind::oversized:
        case Kind::double_set:
        case Kind::set_never_waited:
        case Kind::wait_never_set:
        case Kind::timings_differ:
            break;
    }
    return {};
}

// Of what the data cache of a core, or the lack of an order between cores, makes of bytes in global memory.
std::string cache_message_of(Kind kind, const Touch& later, const Touch* earlier, const std::string& range) {
    const std::string_view op = later.info->name;
    if (kind == Kind::cache_line_shared) {
        return fmt::format("{} and {} of another core store into one cache line; one of them is lost",
                           op,
                           earlier->info->name);
    }
    if (kind == Kind::cache_stale) {
        return fmt::format("{} reads {} from a line its data cache may hold from before {} of {} wrote there",
                           op,
                           range,
                           earlier->info->name,
                           earlier->core == later.core ? "the same core" : "another core");
    }
    if (kind == Kind::unproven_flag) {
        return fmt::format(
            "{} reads {} that another core stored, and goes on: nothing but the value can "
            "order the two, and it was there at the first look",
            op,
            range);
    }
    return fmt::format("{} reads {} which is still in the data cache of the core that stored it", op, range);
}

}  // namespace

// As the interface's PIPE_ names and its events have it.
static std::string_view pipe_name(std::uint8_t strand) {
    constexpr std::array<std::string_view, strand_count> pipe_words{
        "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "S"};
    return pipe_words[strand];
}

std::string event_name(std::uint8_t from, std::uint8_t to) {
    return fmt::format("{}_{}", pipe_name(from), pipe_name(to));
}

std::string hint_of(Kind kind, const Touch& later, const Touch* earlier) {
    if (kind == Kind::race) {
        return fmt::format(
            "Put SetFlag<HardEvent::{0}> behind {1} of line {2} and WaitFlag<HardEvent::{0}> before {3} of "
            "line {4}, or pass the tensor through a queue.",
            event_name(earlier->strand, later.strand),
            earlier->info->name,
            earlier->site.line,
            later.info->name,
            later.site.line);
    }
    if (kind == Kind::missing_barrier) {
        return fmt::format("Put PipeBarrier<PIPE_{}>() between the two.", pipe_name(later.strand));
    }
    if (kind == Kind::core_race) {
        return later.strand == scalar_reads
                   ? "Order the cores (SyncAll, CrossCoreSetFlag); a flag in global memory needs "
                     "DataCacheCleanAndInvalid behind its store and before each read."
                   : "Order the cores with SyncAll or CrossCoreSetFlag and CrossCoreWaitFlag, or give each "
                     "its own "
                     "range; sums may use SetAtomicAdd.";
    }
    if (kind == Kind::uninitialised_read && later.atomic) {
        return "What is added to must be there: clear it first (InitGlobalMemory). Where no sum is meant, "
               "SetAtomicNone is missing behind the last one.";
    }
    return std::string{fixed_hint_of(kind)};
}

std::string message_of(Kind kind, const Touch& later, const Touch* earlier, const std::string& range) {
    const std::string_view op = later.info->name;
    switch (kind) {
        case Kind::race:
            return fmt::format("{} {} {} while {} of another pipe may not have finished {} it",
                               op,
                               verb(later),
                               range,
                               earlier->info->name,
                               earlier->write ? "writing" : "reading");
        case Kind::missing_barrier:
            return fmt::format("{} {} {} while {} of the same pipe may not have finished writing it",
                               op,
                               verb(later),
                               range,
                               earlier->info->name);
        case Kind::core_race:
            return fmt::format("{} {} {} that another core {} without an order between the two",
                               op,
                               verb(later),
                               range,
                               verb(*earlier));
        case Kind::uninitialised_read:
            return fmt::format("{} reads {} that was never written", op, range);
        case Kind::unallocated_use:
            return fmt::format("{} {} {} that belongs to no buffer", op, verb(later), range);
        case Kind::use_after_free:
            return fmt::format("{} {} {} while its queue holds the buffer", op, verb(later), range);
        case Kind::input_written:
            return fmt::format("{} {} {} of an argument that is declared as input", op, verb(later), range);
        case Kind::buffer_overrun:
            return fmt::format("{} {} {} outside of its buffer", op, verb(later), range);
        case Kind::cache_line_shared:
        case Kind::cache_stale:
        case Kind::unproven_flag:
        case Kind::cache_not_cleaned:
            return cache_message_of(kind, later, earlier, range);
        default:
            return std::string{op};
    }
}

}  // namespace ascendsim::sanitize
