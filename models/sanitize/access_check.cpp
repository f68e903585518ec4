// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/access_check.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace ascendsim::sanitize {
namespace {

constexpr std::uint64_t l0c_fractal_bytes = 1024;  // 16 x 16 results of 4 bytes
constexpr std::uint64_t barrier_fractals = 10;     // fewer, and the next MMAD overtakes [hardware.md 3.3]

// The pipes whose copies bring what was elsewhere: two of the same bytes may change places unseen.
bool moves_data(std::size_t strand) {
    return strand == index(Pipe::mte2) || strand == index(Pipe::mte3);
}

// Within one pipe instructions start in order and may overlap: what does the chip not order by itself? Copies
// to one place are the author's to order [docs/sources.md, S34].
bool needs_barrier(const Touch& later, const Touch& earlier, Memory memory) {
    if (!earlier.write || later.covering || earlier.covering) {
        return false;
    }
    if (later.strand == index(Pipe::vector)) {
        return true;
    }
    if (moves_data(later.strand)) {
        return later.write && (later.strand == index(Pipe::mte2) || memory == Memory::gm);
    }
    const bool small = std::min(later.extent, earlier.extent) < barrier_fractals * l0c_fractal_bytes;
    const bool handed_over = later.unit_flag && earlier.unit_flag;
    return later.strand == index(Pipe::cube) && memory == Memory::l0c && !later.write && small &&
           !handed_over;
}

// Is what `earlier` did known to be complete for a later access of the same program?
bool ordered_in_core(const Clock& clock, const Touch& later, const Touch& earlier) {
    return clock.known[earlier.strand] >= earlier.issue ||
           (earlier.issue == later.issue && !earlier.plain && !later.plain) ||
           earlier.strand == scalar_reads || (is_scalar(earlier.strand) && is_scalar(later.strand));
}

// Whether bytes that both touch are certain to be among those that a covering one has not left out: the first
// or the last of what is scattered, else a whole block.
bool surely_touches(const Touch& touch, std::uint64_t begin, std::uint64_t end) {
    constexpr std::uint64_t block_bytes = 32;
    if (!touch.covering) {
        return true;
    }
    const std::uint64_t last = touch.offset + touch.extent - 1;
    return touch.scattered ? begin <= touch.offset || end > last : end - begin >= block_bytes;
}

// Where accesses like this one have the same answer: those behind it that stay in the buffer and, if they
// read, in what `written_end` says was written.
template <class WrittenEnd>
isa::PlainRange written_range(const isa::Access& access, std::uint64_t limit, WrittenEnd&& written_end) {
    const std::uint64_t end = access.offset + access.row_bytes;
    limit = std::max(limit, end);
    if (access.write) {
        return {access.offset, limit, true};
    }
    const std::uint64_t written = written_end(access.offset, limit);
    return written < end ? isa::PlainRange{access.offset, end, true, true}
                         : isa::PlainRange{access.offset, written, true};
}

}  // namespace

void AccessCheck::check(CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    judge(core, op, access, cores_.touch_of(core, op));
}

void AccessCheck::note_idle(CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    constexpr std::size_t most = 16;
    Touch touch = cores_.touch_of(core, op);
    touch.offset = access.offset;
    core.idle.emplace_back(access.memory, touch);
    if (core.idle.size() > most) {
        core.idle.pop_front();
    }
}

void AccessCheck::check_plain(CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    Touch touch = cores_.touch_of(core, op);
    touch.issue = core.next_issue();
    touch.plain = true;
    judge(core, op, access, touch);
}

void AccessCheck::judge(CoreState& core, const isa::TimedOp& op, const isa::Access& access, Touch touch) {
    touch.order = flags_.count_access();
    touch.offset = access.offset;
    touch.extent = access.extent();
    touch.write = access.write;
    touch.atomic = access.atomic;
    any_update_ = any_update_ || access.atomic;
    touch.covering = access.covering;
    touch.scattered = access.scattered;
    if (op.pipe == Pipe::scalar) {
        touch.strand = access.write ? std::uint8_t{0} : std::uint8_t{scalar_reads};
        core.last[touch.strand] = touch.issue;
    }
    if (access.memory == Memory::gm) {
        check_global(core, op, touch, access);
        return;
    }
    any_scalar_read_ = any_scalar_read_ || touch.strand == scalar_reads;
    if (!core.peeks.empty()) {
        flags_.use_peeks(core, op, access);
    }
    check_buffer(core, touch, access);
    auto& map = core.bytes[index(access.memory)];
    if (!map) {
        map = std::make_unique<RangeMap>();
    }
    access.write ? write(core, touch, access, *map) : read(core, touch, access, *map);
}

isa::PlainRange AccessCheck::plain_range(CoreState& core,
                                         const isa::TimedOp& op,
                                         const isa::Access& access,
                                         std::optional<std::uint64_t> root) {
    const std::uint64_t end = access.offset + access.row_bytes;
    if (access.memory == Memory::gm) {
        if (const auto range = contents_.read_only_range(access.offset, access.row_bytes);
            range && !access.write) {
            return {range->first, range->second};
        }
        const isa::GlobalBuffer* buffer = cores_.memory().find(access.offset);
        return written_range(
            access, buffer->offset + buffer->bytes, [this](std::uint64_t from, std::uint64_t to) {
                return contents_.written_end(from, to);
            });
    }
    BufferMap& buffers = core.buffers[index(access.memory)];
    const BufferMap::Part* part = buffers.find(access.offset);
    const BufferMap::Part* meant = root ? buffers.find(*root) : nullptr;
    if (part != nullptr && meant != nullptr && part->end != meant->end && !buffers.judge(*root, *root + 1)) {
        Touch touch = cores_.touch_of(core, op);
        touch.issue = core.next_issue();
        touch.plain = true;
        touch.strand = access.write ? std::uint8_t{0} : std::uint8_t{scalar_reads};
        touch.write = access.write;
        touch.offset = access.offset;
        touch.extent = access.row_bytes;
        reporter_.report(Kind::buffer_overrun, access.memory, touch, nullptr, access.offset, end);
    }
    const auto& map = core.bytes[index(access.memory)];
    return written_range(
        access, part == nullptr ? end : part->end, [&map](std::uint64_t from, std::uint64_t to) {
            return map ? map->written_end(from, to) : from;
        });
}

void AccessCheck::check_global(CoreState& core,
                               const isa::TimedOp& op,
                               Touch touch,
                               const isa::Access& access) {
    if (contents_.only_reads(touch)) {
        return;
    }
    if (op.pipe == Pipe::scalar) {
        flags_.look(core, touch);
    } else {
        flags_.tell(core, op, access);
    }
    if (contents_.keep_aside(touch, access)) {
        return;
    }
    RangeMap& runs = contents_.runs();
    access.write ? write(core, touch, access, runs) : read(core, touch, access, runs);
    if (access.write && op.pipe == Pipe::scalar) {
        caches_.store(core, touch);
    }
}

void AccessCheck::check_buffer(CoreState& core, const Touch& touch, const isa::Access& access) {
    BufferMap& map = core.buffers[index(access.memory)];
    const std::uint64_t end = touch.offset + touch.extent;
    const std::optional<Kind> wrong = map.judge(touch.offset, end);
    if (!wrong) {
        if (!core.outside.empty()) {
            check_outside(core, touch, access.memory, map);
        }
        return;
    }
    std::uint64_t begin = touch.offset;
    if (const BufferMap::Part* part = map.find(begin); part != nullptr && *wrong != Kind::use_after_free) {
        begin = part->end;
    }
    Finding* finding = reporter_.report(*wrong, access.memory, touch, nullptr, begin, end);
    const BufferMap::Part* held = map.find(begin);
    if (finding != nullptr && *wrong == Kind::use_after_free && held->changed.line != 0) {
        const Site freed = isa::CorePort::current().kernel_line(held->changed);
        finding->message += fmt::format(", since {}:{}", freed.file, freed.line);
    }
}

/// A tensor cut from another one lies before or behind all of it, and in another buffer.
void AccessCheck::check_outside(const CoreState& core,
                                const Touch& touch,
                                Memory memory,
                                const BufferMap& map) {
    for (const CoreState::Outside& one : core.outside) {
        const BufferMap::Part* home = map.find(one.home);
        if (one.memory == memory && one.offset == touch.offset && one.home == isa::no_tensor) {
            // An argument that was left out may have the place of another one, if there is something there.
            // A kernel that places all tensors itself may place one at the first byte.
            if (!map.tracked() || map.raw() || map.find(touch.offset) != nullptr) {
                continue;
            }
            reporter_.report(
                Kind::unallocated_use, memory, touch, nullptr, touch.offset, touch.offset + touch.extent);
        } else if (one.memory == memory && one.offset == touch.offset && home != nullptr &&
                   home != map.find(touch.offset)) {
            reporter_.report(
                Kind::buffer_overrun, memory, touch, nullptr, touch.offset, touch.offset + touch.extent);
        }
    }
}

void AccessCheck::read(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map) {
    UnwrittenBytes unwritten;
    const Touch* writer = nullptr;  // of what lies beside them; stays where it is until the map changes
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        if (!unread_.empty()) {
            end_unread(touch, access.memory, begin, end);
        }
        map.update(begin, end, false, [&](Bytes& state, std::uint64_t from, std::uint64_t to) {
            for (std::size_t i = 0; i < state.writers.size(); ++i) {
                if (access.memory == Memory::gm) {
                    compare_global(core, touch, state.writers[i], from, to);
                } else {
                    compare(core, touch, state.writers[i], access.memory, from, to);
                }
            }
            state.readers.remember(touch);
            unwritten.see(state.written, from, to);
            if (state.written && state.writers.size() != 0 && (writer == nullptr || !unwritten.any())) {
                writer = &state.writers[0];
            }
        });
    });
    if (unwritten.used(touch, access) && access.memory == Memory::gm) {
        contents_.report_unwritten(touch, unwritten.begin(), unwritten.end());
    } else if (unwritten.used(touch, access)) {
        writer = writer_beside(core, access.memory, map, touch, unwritten);
        reporter_.report(
            Kind::uninitialised_read, access.memory, touch, writer, unwritten.begin(), unwritten.end());
    } else if (unwritten.any()) {
        reporter_.suspect(
            access.memory, touch, writer, unwritten.begin(), unwritten.end(), unwritten.wide(touch));
    }
}

const Touch* AccessCheck::writer_beside(const CoreState& core,
                                        Memory memory,
                                        const RangeMap& map,
                                        const Touch& reader,
                                        const UnwrittenBytes& unwritten) {
    const std::uint64_t begin = unwritten.begin();
    auto [from, to] = core.buffers[index(memory)].bounds(begin);
    if (from == to) {  // a tensor that the kernel made of an address: as far as it is read at once
        from = reader.offset;
        to = reader.offset + reader.extent;
    }
    const Touch* before = nullptr;
    const Touch* behind = nullptr;
    if (from < begin) {
        map.visit(from, begin, [&before](const Bytes& state, std::uint64_t, std::uint64_t) {
            before = state.written && state.writers.size() != 0 ? &state.writers[0] : before;
        });
    }
    if (before == nullptr && begin < to) {  // or between rows of them
        map.visit(begin, to, [&behind](const Bytes& state, std::uint64_t, std::uint64_t) {
            const bool first = behind == nullptr && state.written && state.writers.size() != 0;
            behind = first ? &state.writers[0] : behind;
        });
    }
    if (before != nullptr || behind != nullptr) {
        return before != nullptr ? before : behind;
    }
    const auto idle = std::ranges::find_if(core.idle, [memory, from = from, to = to](const auto& one) {
        return one.first == memory && one.second.offset >= from && one.second.offset < to;
    });
    return idle == core.idle.end() ? nullptr : &idle->second;
}

void AccessCheck::write(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map) {
    UnwrittenBytes unwritten;
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        if (!unread_.empty()) {
            end_unread(touch, access.memory, begin, end);
        }
        map.update(begin, end, !touch.atomic, [&](Bytes& state, std::uint64_t from, std::uint64_t to) {
            // What was loaded and used is taken up by its users: it is they that the next load has to wait
            // for.
            const bool used = state.readers.size() != 0 && touch.strand == index(Pipe::mte2);
            for (std::size_t i = 0; i < state.writers.size(); ++i) {
                if (used && state.writers[i].strand == touch.strand) {
                    continue;
                }
                compare(core, touch, state.writers[i], access.memory, from, to);
            }
            for (std::size_t i = 0; i < state.readers.size(); ++i) {
                compare(core, touch, state.readers[i], access.memory, from, to);
            }
            state.readers.clear();
            if (!touch.atomic) {
                state.writers.clear();
            }
            state.writers.remember(touch);
            unwritten.see(state.written, from, to);
            state.written = true;
        });
    });
    if (touch.atomic && unwritten.any()) {  // adds to what is there
        reporter_.suspect(access.memory, touch, nullptr, unwritten.begin(), unwritten.end());
    }
}

void AccessCheck::compare_global(
    CoreState& core, const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end) {
    if (flags_.stale(reader, writer)) {
        reporter_.report(Kind::cache_stale, Memory::gm, reader, &writer, begin, end);
        flags_.learn(core, begin, end);  // the flag itself is not to blame
        return;
    }
    flags_.doubt_if_unproven(reader, writer, begin, end);
    compare(core, reader, writer, Memory::gm, begin, end);
    if (writer.strand == index(Pipe::scalar)) {
        caches_.check_read(reader, writer, begin, end);
    }
}

void AccessCheck::compare(const CoreState& core,
                          const Touch& later,
                          const Touch& earlier,
                          Memory memory,
                          std::uint64_t begin,
                          std::uint64_t end) {
    const bool both_update = later.atomic && earlier.atomic;
    if (both_update || !surely_touches(later, begin, end) || !surely_touches(earlier, begin, end)) {
        return;
    }
    const std::size_t pipe = later.strand == scalar_reads ? 0 : later.strand;
    if (core.stuck[pipe] != 0) {
        return;  // it does not start as things are; the wait is reported
    }
    const Clock& clock = core.clocks[pipe];
    const bool own = earlier.core == later.core && earlier.block == later.block;
    const bool ordered = own ? ordered_in_core(clock, later, earlier)
                             : clock.knows_of(earlier.core, earlier.strand, earlier.issue);
    if (!ordered) {
        own ? report_in_core(later, earlier, memory, begin, end)
            : report_between_cores(later, earlier, memory, begin, end);
    }
}

void AccessCheck::report_in_core(
    const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end) {
    if (earlier.strand == later.strand) {
        if (!needs_barrier(later, earlier, memory)) {
            return;
        }
        if (moves_data(later.strand)) {
            await_rewrite(later, earlier, memory, begin, end);
        } else {
            reporter_.report(Kind::missing_barrier, memory, later, &earlier, begin, end);
        }
        return;
    }
    const bool handed_over = later.unit_flag && earlier.unit_flag && memory == Memory::l0c;
    const bool of_flag = memory == Memory::gm && flags_.hold_back(later, earlier, begin, end);
    if (!handed_over && !of_flag) {
        reporter_.report(Kind::race, memory, later, &earlier, begin, end);
    }
}

void AccessCheck::await_rewrite(
    const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end) {
    isa::CorePort& core = isa::CorePort::current();
    if (!core.functional()) {
        return;  // without data nobody knows whether the second brings other bytes
    }
    const std::byte* from =
        (memory == Memory::gm ? cores_.memory().base() : core.local(memory).data()) + begin;
    rewrites_.push_back({.later = later,
                         .earlier = earlier,
                         .memory = memory,
                         .begin = begin,
                         .now = from,
                         .before = {from, from + (end - begin)}});
}

void AccessCheck::settle() {
    for (Rewrite& one : rewrites_) {
        if (std::equal(one.before.begin(), one.before.end(), one.now)) {
            continue;
        }
        if (one.memory != Memory::gm) {
            unread_.push_back(std::move(one));
            continue;
        }
        const std::uint64_t end = one.begin + one.before.size();
        reporter_.report(Kind::missing_barrier, one.memory, one.later, &one.earlier, one.begin, end);
    }
    rewrites_.clear();
}

void AccessCheck::end_unread(const Touch& touch, Memory memory, std::uint64_t begin, std::uint64_t end) {
    std::erase_if(unread_, [&](const Rewrite& one) {
        const std::uint64_t last = one.begin + one.before.size();
        if (one.later.core != touch.core || one.memory != memory || begin >= last || end <= one.begin) {
            return false;
        }
        if (!touch.write) {
            reporter_.report(Kind::missing_barrier, memory, one.later, &one.earlier, one.begin, last);
        }
        return !touch.write || (begin <= one.begin && end >= last);
    });
}

void AccessCheck::begin_block(const CoreState& core) {
    settle();
    std::erase_if(unread_, [&core](const Rewrite& one) { return one.later.core == core.number; });
}

void AccessCheck::report_between_cores(
    const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end) {
    if (!flags_.hold_back(later, earlier, begin, end)) {
        reporter_.report(Kind::core_race, memory, later, &earlier, begin, end);
    }
}

}  // namespace ascendsim::sanitize
