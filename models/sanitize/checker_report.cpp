// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "models/sanitize/checker.hpp"

namespace ascendsim::sanitize {
namespace {

std::string_view verb(const Touch& touch) {
    return touch.atomic ? "atomically updates" : touch.write ? "writes" : "reads";
}

// "MTE2_V": how the kernel would name the flag from one pipe to another.
std::string event_name(std::uint8_t from, std::uint8_t to) {
    constexpr std::array<std::string_view, strand_count> words{
        "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "S"};
    return fmt::format("{}_{}", words[from], words[to]);
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
        case Kind::misaligned:
            return "Round the offset to the alignment, or use DataCopyPad.";
        case Kind::illegal:
            return "See the instruction's constraints.";
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
        case Kind::rounded_count:
        case Kind::never_written:
        case Kind::double_set:
        case Kind::set_never_waited:
        case Kind::wait_never_set:
            break;
    }
    return {};
}

std::string hint_of(Kind kind, const Touch& later, const Touch* earlier) {
    if (kind == Kind::race) {
        return fmt::format(
            "Put SetFlag<HardEvent::{0}> behind the first and WaitFlag<HardEvent::{0}> before "
            "the second, or pass the tensor through a queue.",
            event_name(earlier->strand, later.strand));
    }
    if (kind == Kind::missing_barrier) {
        return fmt::format("Put PipeBarrier<PIPE_{}>() between the two.",
                           later.strand == index(Pipe::vector) ? "V" : "M");
    }
    if (kind == Kind::core_race) {
        return later.strand == scalar_reads
                   ? "Order the cores (SyncAll, CrossCoreSetFlag); a flag in global memory needs "
                     "DataCacheCleanAndInvalid behind its store and before each read."
                   : "Order the cores with SyncAll or CrossCoreSetFlag and CrossCoreWaitFlag, or give each "
                     "its own "
                     "range; sums may use SetAtomicAdd.";
    }
    return std::string{fixed_hint_of(kind)};
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
        case Kind::buffer_overrun:
            return fmt::format("{} {} {} past the end of its buffer", op, verb(later), range);
        case Kind::cache_line_shared:
        case Kind::cache_stale:
        case Kind::unproven_flag:
        case Kind::cache_not_cleaned:
            return cache_message_of(kind, later, earlier, range);
        default:
            return std::string{op};
    }
}

}  // namespace

std::string Checker::where(Memory memory, const Touch& touch, std::uint64_t offset) const {
    if (memory == Memory::gm) {
        const isa::GlobalBuffer* buffer = memory_->find(offset);
        return buffer == nullptr ? "gm" : buffer->name;
    }
    const BufferMap::Part* part = cores_[touch.core]->buffers[index(memory)].find(offset);
    if (part == nullptr || part->origin.line == 0) {
        return std::string{name(memory)};
    }
    return fmt::format("{} (buffer of line {})", name(memory), part->origin.line);
}

Party Checker::party(Memory memory, const Touch& touch) const {
    Party party{.core = cores_[touch.core]->title,
                .block = touch.block,
                .pipe = touch.strand == scalar_reads ? Pipe::scalar : static_cast<Pipe>(touch.strand),
                .op = std::string{touch.info->name},
                .file = touch.site.file,
                .line = touch.site.line,
                .issue = touch.issue};
    if (touch.extent != 0) {
        const isa::GlobalBuffer* global = memory == Memory::gm ? memory_->find(touch.offset) : nullptr;
        party.access = touch.atomic ? "atomic" : touch.write ? "write" : "read";
        party.buffer = where(memory, touch, touch.offset);
        party.offset = touch.offset - (global == nullptr ? 0 : global->offset);
        party.bytes = touch.extent;
    }
    return party;
}

Finding* Checker::report(Kind kind,
                         Memory memory,
                         const Touch& later,
                         const Touch* earlier,
                         std::uint64_t begin,
                         std::uint64_t end) {
    if (collector_.again(kind, later, earlier) != nullptr) {
        return nullptr;
    }
    const isa::GlobalBuffer* global = memory == Memory::gm && begin != end ? memory_->find(begin) : nullptr;
    const std::uint64_t base = global == nullptr ? 0 : global->offset;
    const std::string range =
        fmt::format("{} [{}, {})", where(memory, later, begin), begin - base, end - base);
    Finding finding{.kind = kind,
                    .later = party(memory, later),
                    .overlap_offset = begin - base,
                    .overlap_bytes = end - begin,
                    .message = message_of(kind, later, earlier, range),
                    .hint = hint_of(kind, later, earlier)};
    if (earlier != nullptr) {
        finding.earlier = party(memory, *earlier);
    }
    if (global != nullptr && kind == Kind::uninitialised_read) {
        finding.hint += neighbour_hint(*global);
    }
    Finding& added = collector_.add(std::move(finding), later, earlier);
    await_time(later, true);
    if (earlier != nullptr) {
        await_time(*earlier, false);
    }
    return &added;
}

void Checker::on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    const CoreState& core = enter();
    const bool aligned = message.find("multiple of") == message.npos && message.find("align") == message.npos;
    const bool inside = message.find(" bytes [") == std::string_view::npos &&
                        message.find("global memory") == std::string_view::npos &&
                        message.find("bytes of argument") == std::string_view::npos;
    const Kind kind = !inside ? Kind::out_of_range : !aligned ? Kind::misaligned : Kind::illegal;
    const Touch touch = touch_of(core, info, site, pipe);
    if (Finding* finding = report(kind, Memory::gm, touch, nullptr, 0, 0)) {
        finding->stops = true;
        finding->message = fmt::format("{}: {}", info.name, message);
        finding->hint += kind == Kind::out_of_range ? neighbour_hint(message) : "";
        if (message.find("bytes requested") != std::string_view::npos) {
            finding->hint = "Ask InitBuffer for less: smaller tiles, or fewer buffers.";
        } else if (message.find("FreeTensor one first") != std::string_view::npos) {
            finding->hint = "Each tensor that AllocTensor gave goes back by FreeTensor, every time round.";
        }
    }
}

void Checker::check_flags_left(CoreState& core, Ending ending) {
    for (std::size_t i = 0; i < core.flags.size(); ++i) {
        FlagState* flag = core.flags[i].get();
        if (flag == nullptr) {
            continue;
        }
        const std::size_t pair = i / CoreState::max_ids;
        const std::string event = fmt::format("{} with id {}",
                                              event_name(static_cast<std::uint8_t>(pair / pipe_count),
                                                         static_cast<std::uint8_t>(pair % pipe_count)),
                                              i % CoreState::max_ids);
        for (const FlagRaise& raise : flag->raised) {
            const bool told = flag->doubled && &raise == &flag->raised.back();  // as the second of two sets
            if (ending != Ending::completed || told) {
                break;
            }
            if (Finding* finding = report(Kind::set_never_waited, Memory::gm, raise.touch, nullptr, 0, 0)) {
                finding->message = fmt::format("flag {} is still up at the end of the program", event);
                finding->hint = "Add the WaitFlag, or leave the last SetFlag out.";
            }
        }
        for (const Touch& wait : flag->early_waits) {
            if (ending == Ending::failed) {
                break;
            }
            if (Finding* finding = report(Kind::wait_never_set, Memory::gm, wait, nullptr, 0, 0)) {
                finding->message = fmt::format("nobody raises flag {} that is waited for", event);
                finding->hint = "Add the SetFlag in the source pipe, before the wait.";
            }
        }
        flag->raised.clear();
        flag->early_waits.clear();
    }
}

void Checker::check_cross_left() {
    for (const auto& core : cores_) {
        if (core->cross_wait) {
            take_cross(*core);
        }
    }
    for (const auto& core : cores_) {
        for (std::uint32_t id = 0; id < chip_.sync.cross_flag_ids; ++id) {
            const Touch* set = cross_->raised(core->number, 0, id) == 0 ? nullptr : cross_set_of(*core, id);
            if (set == nullptr) {
                continue;
            }
            if (Finding* finding = report(Kind::set_never_waited, Memory::gm, *set, nullptr, 0, 0)) {
                finding->message = fmt::format(
                    "cross-core flag {} is still up on {} at the end of the launch", id, core->title);
                finding->hint =
                    "Add the CrossCoreWaitFlag on that core, or leave the last CrossCoreSetFlag out.";
            }
        }
    }
}

const Touch* Checker::cross_set_of(const CoreState& core, std::uint32_t id) const {
    const auto own = cross_sets_.find({core.number, id});
    if (own != cross_sets_.end()) {
        return &own->second;
    }
    const auto other =
        std::ranges::find_if(cross_sets_, [id](const auto& entry) { return entry.first.second == id; });
    return other == cross_sets_.end() ? nullptr : &other->second;
}

void Checker::report_worth() {
    for (const auto& [place, worth] : worth_) {
        // A wait may only go together with its sets, which other waits may need.
        const bool needed =
            std::ranges::any_of(worth.sets, [](const Worth* set) { return set->useful != 0; });
        if (worth.useful != 0 || worth.redundant == 0 || needed) {
            continue;
        }
        const Kind kind = worth.barrier ? Kind::redundant_barrier : Kind::redundant_flag;
        if (Finding* finding = report(kind, Memory::gm, worth.touch, nullptr, 0, 0)) {
            if (worth.time) {
                finding->later.cycle = worth.time->start;
                finding->later.end_cycle = worth.time->end;
            }
            finding->count = worth.redundant;
            finding->cost_cycles = worth.redundant * worth.cycles;
            finding->message = worth.barrier
                                   ? "the barrier waits for work that is known to be complete already"
                                   : "the flag orders what earlier flags or barriers have ordered already";
        }
    }
    worth_.clear();
}

void Checker::end_launch() {
    check_cross_left();
    judge_flags();
    fill_in_times();
}

void Checker::await_time(const Touch& touch, bool later) {
    const ProgramClock* program = cores_[touch.core]->program;
    if (program != nullptr) {
        untimed_.push_back({collector_.findings().size() - 1, later, program, touch.issue});
    }
}

void Checker::fill_in_times() {
    const auto time_of = [](const ProgramClock* program, std::uint64_t issue) {
        return program == nullptr ? std::nullopt : program->time_of(issue - 1);
    };
    for (const Untimed& one : untimed_) {
        Finding& finding = collector_.at(one.finding);
        Party& party = one.later ? finding.later : *finding.earlier;
        if (const std::optional<OpTime> time = time_of(one.program, one.issue)) {
            party.cycle = time->start;
            party.end_cycle = time->end;
        }
    }
    untimed_.clear();
    for (auto& [place, worth] : worth_) {
        if (!worth.timed && worth.touch.info != nullptr) {
            worth.time = time_of(cores_[worth.touch.core]->program, worth.touch.issue);
            worth.timed = true;
        }
    }
}

/// Cores that wait for others for ever.
void Checker::check_cross_waits() {
    for (const auto& core : cores_) {
        if (!core->cross_wait || cross_->raised(core->number, core->cross_wait->mode, core->cross_wait->id)) {
            continue;
        }
        const Touch touch = core->cross_wait->touch;
        core->cross_wait.reset();
        if (Finding* finding = report(Kind::wait_never_set, Memory::gm, touch, nullptr, 0, 0)) {
            finding->message = fmt::format("{} waits for cores that never arrive", touch.info->name);
            finding->hint =
                "Every core that takes part must set the flag, or call SyncAll, as often." + flags_up(*core);
        }
    }
}

void Checker::finish(Ending ending) {
    if (ending != Ending::failed) {
        check_cross_waits();
    }
    for (const auto& core : cores_) {
        if (core->in_block) {
            check_flags_left(*core, ending);
            core->in_block = false;
        }
    }
    if (ending == Ending::completed) {
        check_cross_left();
    }
    for (std::size_t i = 0; i < collector_.findings().size(); ++i) {
        Finding& finding = collector_.at(i);
        finding.stops = finding.stops || (ending == Ending::stuck && finding.kind == Kind::wait_never_set);
    }
    judge_flags();
    fill_in_times();
    report_worth();
    cores_.clear();
    number_of_.clear();
    cross_sets_.clear();
    port_ = nullptr;
}

}  // namespace ascendsim::sanitize
