// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/memory_flags.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>

namespace ascendsim::sanitize {
namespace {

constexpr std::uint64_t flag_bytes = 256;   // written for a flag at most
constexpr std::uint64_t look_bytes = 8192;  // read at a time: the flags of all cores

bool one_row(const isa::Access& access, std::uint64_t most) {
    return access.rows <= 1 && access.planes <= 1 && access.row_bytes <= most;
}

// True if the lines around a read hold a loop that may be waiting, or it is one of the framework's that do.
bool in_a_loop(const Site& site) {
    constexpr std::array<std::string_view, 6> loops{
        "while", "for (;;)", "IBWait", "IBSet", "WaitPreBlock", "NotifyNextBlock"};
    constexpr std::uint32_t before = 4;
    constexpr std::uint32_t behind = 2;
    std::ifstream source{site.file};
    std::string text;
    for (std::uint32_t line = 1; std::getline(source, text) && line <= site.line + behind; ++line) {
        const bool loop = std::ranges::any_of(
            loops, [&](std::string_view word) { return text.find(word) != std::string::npos; });
        if (line + before >= site.line && loop) {
            return true;
        }
    }
    return false;
}

}  // namespace

void MemoryFlags::catch_up(CoreState& core) {
    // A program that polls lets the others run before it takes the value: it may be newer than the look.
    const std::uint64_t word = *core.looking_at;
    if (learn(core, word, word + 1)) {
        core.cached[words_.line_of(word)].learned = true;
    }
    core.looking_at.reset();
}

void MemoryFlags::begin_operation(const CoreState& core,
                                  const isa::TimedOp& op,
                                  const isa::Accesses& accesses) {
    peeking_ = peek_of(core, op, accesses);
}

void MemoryFlags::end_operation(CoreState& core) {
    if (peeking_) {
        core.peeks.push_back(std::move(*peeking_));
        peeking_.reset();
    }
}

bool MemoryFlags::learn(CoreState& core, std::uint64_t begin, std::uint64_t end) {
    bool news = false;
    words_.for_each(begin, end, [&](const FlagWords::Told& told) {
        const Clock& own = core.clocks[index(Pipe::scalar)];
        const bool known = own.foreign != nullptr && covers((*own.foreign)[told.core], told.clock.known) &&
                           covers(own.foreign.get(), told.clock.foreign.get());
        if (told.issue != 0) {
            core.flags_seen.emplace(told.core, told.issue);
        }
        if (told.core == core.number || known) {
            return;
        }
        auto all = told.clock.foreign ? std::make_shared<Foreign>(*told.clock.foreign)
                                      : std::make_shared<Foreign>(cores_.size());
        raise_to((*all)[told.core], told.clock.known);
        core.learn(Pipe::scalar, {.known = (*all)[core.number], .foreign = all});
        news = true;
    });
    return news;
}

void MemoryFlags::tell(const CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    if (access.write && op.pipe != Pipe::scalar && one_row(access, flag_bytes)) {
        // What the pipe knows to be complete when it starts; its own earlier copies may still be under way.
        const std::uint64_t end = access.offset + access.row_bytes;
        words_.tell(access.offset, end, {core.number, core.clocks[index(op.pipe)], core.issued});
    }
}

void MemoryFlags::clean(CoreState& core, std::uint64_t offset, bool whole) {
    const std::vector<std::uint64_t> stored = caches_.clean(core.number, offset, whole);
    // The scalar unit's stores have reached memory: what it issues from now on finds them.
    core.clocks[index(Pipe::scalar)].known[index(Pipe::scalar)] = core.last[index(Pipe::scalar)];
    ++core.scalar_version;
    const Clock clock = core.complete(Pipe::scalar);
    for (const std::uint64_t line : stored) {
        words_.tell(line, line + 1, {core.number, clock});
    }
    if (whole) {
        core.cleaned_whole = count_access();
        return;
    }
    CachedLine& line = core.cached[words_.line_of(offset)];
    // Nobody sees a store through a plain pointer; a line cleaned but never used otherwise may hold one.
    if (stored.empty() && line.filled == 0 && line.polls == 0 && !contents_.read_only(offset, 1)) {
        words_.tell(offset, offset + 1, {core.number, clock});
    }
    const bool news = learn(core, offset, offset + 1);
    ++line.polls;
    line.unproven = news && line.polls < 2;
    line.learned = line.learned || news;
    line.cleaned = count_access();
    core.looking_at = offset;
}

void MemoryFlags::look(CoreState& core, Touch& touch) {
    CachedLine& line = core.cached[words_.line_of(touch.offset)];
    const std::uint64_t cleaned = std::max(line.cleaned, core.cleaned_whole);
    touch.fresh = cleaned > std::max(line.filled, core.begun);
    stale_since_ = touch.fresh ? 0 : line.filled;
    doubting_ = false;
    if (!touch.write) {
        if (touch.fresh && core.cleaned_whole > line.cleaned) {
            line.unproven = learn(core, touch.offset, touch.offset + touch.extent);
            line.learned = line.learned || line.unproven;
        }
        doubting_ = !polls_again(core, touch) && touch.fresh && line.unproven;
        if (touch.fresh) {
            core.looking_at = touch.offset;
        }
    }
    line.unproven = false;
    if (touch.fresh || line.filled == 0) {
        line.filled = count_access();
    }
}

bool MemoryFlags::polls_again(CoreState& core, const Touch& touch) {
    const CoreState::LastLook last = core.last_look;
    core.last_look = {touch.offset, touch.site};
    const bool again = last.offset == touch.offset && last.site.line == touch.site.line;
    if (again) {
        spun_.emplace(touch.site.file, touch.site.line);
    }
    return again;
}

void MemoryFlags::doubt(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end) {
    doubtful_.try_emplace({later.site.file, later.site.line}, Suspects{later, earlier, begin, end});
}

void MemoryFlags::doubt_if_unproven(const Touch& reader,
                                    const Touch& writer,
                                    std::uint64_t begin,
                                    std::uint64_t end) {
    if (doubting_ && reader.strand == scalar_reads && writer.core != reader.core) {
        doubt(reader, writer, begin, end);
    }
}

bool MemoryFlags::stale(const Touch& reader, const Touch& writer) const {
    const bool through_same_cache = writer.core == reader.core && writer.strand == index(Pipe::scalar);
    return reader.strand == scalar_reads && stale_since_ != 0 && writer.order > stale_since_ &&
           !through_same_cache;
}

std::optional<Peek> MemoryFlags::peek_of(const CoreState& core,
                                         const isa::TimedOp& op,
                                         const isa::Accesses& accesses) const {
    if (op.kind != isa::OpKind::transfer || op.pipe != Pipe::mte2) {
        return std::nullopt;
    }
    Peek peek{.copy = cores_.touch_of(core, op), .suspects = {}};
    for (const isa::Access& access : accesses) {
        if (access.memory == Memory::gm) {
            if (access.write || !one_row(access, look_bytes) ||
                contents_.read_only(access.offset, access.row_bytes)) {
                return std::nullopt;
            }
            peek.copy.offset = access.offset;
            peek.copy.extent = access.extent();
        } else if (access.memory == Memory::ub && access.write) {
            peek.begin = access.offset;
            peek.end = access.offset + access.extent();
        }
    }
    return peek.end == 0 || peek.copy.extent == 0 ? std::nullopt : std::optional{std::move(peek)};
}

void MemoryFlags::use_peeks(CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    const std::uint64_t end = access.offset + access.extent();
    const bool looks = op.pipe == Pipe::scalar && !access.write;
    std::erase_if(core.peeks, [&](const Peek& peek) {
        if (access.memory != Memory::ub || access.offset >= peek.end || peek.begin >= end) {
            return false;
        }
        looks ? take_flag(core, peek) : take_data(peek);
        return true;
    });
}

void MemoryFlags::take_flag(CoreState& core, const Peek& peek) {
    const Touch& copy = peek.copy;
    core.flag_copies.insert(copy.issue);
    const bool news = learn(core, copy.offset, copy.offset + copy.extent);
    const bool again = polls_again(core, copy);
    const Clock& clock = core.clocks[index(Pipe::scalar)];
    for (const Suspects& pair : peek.suspects) {
        if (pair.later.issue != copy.issue || pair.later.core != copy.core) {
            continue;  // a later write to the flag
        }
        const Touch& write = pair.earlier;
        const bool known = clock.knows_of(write.core, write.strand, write.issue);
        if (!known && core.flags_seen.count({write.core, write.issue}) == 0) {
            reporter_.report_race(pair);
        } else if (news && !again) {
            doubt(copy, write, pair.begin, pair.end);
        }
    }
}

void MemoryFlags::take_data(const Peek& peek) {
    for (const Suspects& pair : peek.suspects) {
        reporter_.report_race(pair);
    }
}

void MemoryFlags::close(CoreState& core) {
    for (const Peek& peek : core.peeks) {
        take_data(peek);
    }
    core.peeks.clear();
}

bool MemoryFlags::hold_back(const Touch& later,
                            const Touch& earlier,
                            std::uint64_t begin,
                            std::uint64_t end) {
    if (earlier.write && cores_[later.core].flags_seen.count({earlier.core, earlier.issue}) != 0) {
        return true;
    }
    if (peeking_ && !later.write) {
        peeking_->suspects.push_back({later, earlier, begin, end});
        return true;
    }
    if (!later.write && earlier.strand == index(Pipe::scalar) && later.strand == scalar_reads) {
        return caches_.dirty(earlier.core, begin);  // which is reported itself
    }
    const bool may_be_flag = later.strand == index(Pipe::scalar) || later.extent <= flag_bytes;
    if (!later.write || earlier.write || !may_be_flag) {
        return false;
    }
    if (earlier.strand == scalar_reads && earlier.fresh) {
        overwritten_.push_back({later, earlier, begin, end});
        return true;
    }
    return earlier.strand == index(Pipe::mte2) && hold_for_peek(later, earlier, begin, end);
}

// `earlier` is a copy. Was it of a flag, or may it still turn out to be?
bool MemoryFlags::hold_for_peek(const Touch& later,
                                const Touch& earlier,
                                std::uint64_t begin,
                                std::uint64_t end) {
    CoreState& other = cores_[earlier.core];
    if (other.flag_copies.count(earlier.issue) != 0) {
        return true;
    }
    const auto open =
        std::ranges::find_if(other.peeks, [&](const Peek& peek) { return peek.copy.issue == earlier.issue; });
    if (open == other.peeks.end()) {
        return false;
    }
    open->suspects.push_back({later, earlier, begin, end});
    return true;
}

void MemoryFlags::judge() {
    for (const auto& core : cores_) {
        close(*core);
    }
    for (const Suspects& pair : overwritten_) {
        // Who polls looks again, or has found there what it waited for.
        const CachedLine& line = cores_[pair.earlier.core].cached[words_.line_of(pair.begin)];
        if (!line.learned && line.cleaned < pair.later.order) {
            reporter_.report_race(pair);
        }
    }
    overwritten_.clear();
    for (const auto& [place, pair] : doubtful_) {
        if (spun_.count(place) == 0 && !in_a_loop(pair.later.site)) {
            reporter_.report(
                Kind::unproven_flag, Memory::gm, pair.later, &pair.earlier, pair.begin, pair.end);
        }
    }
    doubtful_.clear();
    words_.clear();
}

}  // namespace ascendsim::sanitize
