// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/sanitize/checker.hpp"

namespace ascendsim::sanitize {
namespace {

constexpr std::uint64_t l0c_fractal_bytes = 1024;  // 16 x 16 results of 4 bytes
constexpr std::uint64_t barrier_fractals = 10;     // fewer, and the next MMAD overtakes [hardware.md 3.3]
constexpr std::size_t most_logged = 1U << 18U;     // reads of one buffer, some 50 MB
constexpr std::uint64_t repeat_bytes = 256;        // of a vector instruction
constexpr std::uint64_t block_bytes = 32;          // of a copy
constexpr std::size_t most_runs = 1U << 20U;       // of global memory, some 200 MB

bool of_cube(Memory memory) {
    return memory != Memory::ub && memory != Memory::gm;
}

// Within one pipe instructions start in order and may overlap: what does the chip not order by itself?
bool needs_barrier(const Touch& later, const Touch& earlier, Memory memory) {
    if (!earlier.write || later.covering || earlier.covering) {
        return false;
    }
    if (later.strand == index(Pipe::vector)) {
        return true;
    }
    const bool small = std::min(later.extent, earlier.extent) < barrier_fractals * l0c_fractal_bytes;
    const bool handed_over = later.unit_flag && earlier.unit_flag;
    return later.strand == index(Pipe::cube) && memory == Memory::l0c && !later.write && small &&
           !handed_over;
}

bool is_scalar(const Touch& touch) {
    return touch.strand == index(Pipe::scalar) || touch.strand == scalar_reads;
}

}  // namespace

void Checker::access(CoreState& core, const isa::TimedOp& op, const isa::Access& access) {
    Touch touch = touch_of(core, op);
    touch.order = ++order_;
    touch.offset = access.offset;
    touch.extent = access.extent();
    touch.write = access.write;
    touch.atomic = access.atomic;
    touch.covering = access.covering;
    if (op.pipe == Pipe::scalar) {
        touch.strand = access.write ? std::uint8_t{0} : std::uint8_t{scalar_reads};
        core.last[touch.strand] = core.issued;
    }
    if (access.memory == Memory::gm) {
        global_access(core, op, touch, access);
        return;
    }
    if (!core.peeks.empty()) {
        use_peeks(core, op, access);
    }
    check_buffer(core, touch, access);
    auto& map = core.bytes[index(access.memory)];
    if (!map) {
        map = std::make_unique<RangeMap>();
    }
    access.write ? write(core, touch, access, *map) : read(core, touch, access, *map);
}

bool Checker::in_read_only(std::uint64_t offset, std::uint64_t bytes) const {
    const auto after = read_only_.upper_bound(offset);
    return after != read_only_.begin() && std::prev(after)->second >= offset + bytes;
}

bool Checker::only_read(const Touch& touch) {
    const auto after = read_only_.upper_bound(touch.offset);
    if (after == read_only_.begin() || std::prev(after)->second < touch.offset + touch.extent) {
        return false;
    }
    if (touch.write) {
        read_only_.erase(std::prev(after));
    }
    return !touch.write;
}

// True if the access is a read of a buffer that nobody has written in this launch.
bool Checker::logged(const Touch& touch, const isa::Access& access) {
    const isa::GlobalBuffer* buffer = memory_->find(touch.offset);
    ReadLog& log = logs_[buffer == nullptr ? 0 : buffer->offset];
    if (log.over) {
        return false;
    }
    if (!touch.write && log.reads.size() < most_logged) {
        Unwritten unwritten;
        for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
            global_.visit(begin, end, [&](const Bytes& state, std::uint64_t from, std::uint64_t to) {
                unwritten.see(state.written, from, to);
            });
        });
        check_written(touch, access, unwritten);
        log.reads.emplace_back(touch, access);
        return true;
    }
    for (const auto& [reader, bytes] : log.reads) {
        for_each_run(bytes, [&](std::uint64_t begin, std::uint64_t end) {
            global_.update(begin, end, false, [&](Bytes& state, std::uint64_t, std::uint64_t) {
                state.readers.remember(reader);
            });
        });
    }
    log = {.reads = {}, .over = true};
    return false;
}

void Checker::global_access(CoreState& core, const isa::TimedOp& op, Touch touch, const isa::Access& access) {
    if (only_read(touch)) {
        return;
    }
    if (op.pipe == Pipe::scalar) {
        look(core, touch);
    } else {
        tell_flag(core, op, access);
    }
    if (logged(touch, access)) {
        return;
    }
    if (global_.size() > most_runs) {
        global_.clear(true);
    }
    access.write ? write(core, touch, access, global_) : read(core, touch, access, global_);
    if (access.write && op.pipe == Pipe::scalar) {
        scalar_store(core, touch);
    }
}

void Checker::check_buffer(CoreState& core, const Touch& touch, const isa::Access& access) {
    BufferMap& map = core.buffers[index(access.memory)];
    const std::uint64_t end = touch.offset + touch.extent;
    const std::optional<Kind> wrong = map.judge(touch.offset, end);
    if (!wrong) {
        return;
    }
    std::uint64_t begin = touch.offset;
    if (const BufferMap::Part* part = map.find(begin); part != nullptr && *wrong != Kind::use_after_free) {
        begin = part->end;
    }
    report(*wrong, access.memory, touch, nullptr, begin, end);
}

void Checker::Unwritten::see(bool written, std::uint64_t from, std::uint64_t to) {
    total += to - from;
    if (!written) {
        first = bytes == 0 ? from : first;
        bytes += to - from;
        last = to;
        longest = std::max(longest, to - from);
    }
}

void Checker::check_written(const Touch& touch, const isa::Access& access, const Unwritten& unwritten) {
    // The cube side works on whole fractals and the vector unit on whole repeats, whose unused parts are
    // dropped later: what leaves the core or reaches the scalar unit is looked at closely.
    const bool tail = touch.strand == index(Pipe::vector) && unwritten.longest < repeat_bytes;
    // Copies move whole 32-byte blocks: the rest of a block behind the last value written comes along.
    const bool rest =
        touch.strand == index(Pipe::mte2) && access.memory == Memory::gm && unwritten.longest < block_bytes;
    const bool partly = touch.covering || of_cube(access.memory) || tail || rest;
    if (unwritten.bytes != 0 && (!partly || unwritten.bytes == unwritten.total)) {
        report(Kind::uninitialised_read, access.memory, touch, nullptr, unwritten.first, unwritten.last);
    }
}

void Checker::read(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map) {
    Unwritten unwritten;
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        map.update(begin, end, false, [&](Bytes& state, std::uint64_t from, std::uint64_t to) {
            for (std::size_t i = 0; i < state.writers.size(); ++i) {
                const Touch& writer = state.writers[i];
                const bool global = access.memory == Memory::gm;
                if (global && stale(touch, writer)) {
                    report(Kind::cache_stale, access.memory, touch, &writer, from, to);
                    learn_flags(core, from, to);  // the flag itself is not to blame
                    continue;
                }
                if (global && doubting_ && touch.strand == scalar_reads && writer.core != touch.core) {
                    doubt(touch, writer, from, to);
                }
                compare(core, touch, writer, access.memory, from, to);
                if (global && writer.strand == index(Pipe::scalar)) {
                    check_cache(touch, writer, from, to);
                }
            }
            state.readers.remember(touch);
            unwritten.see(state.written, from, to);
        });
    });
    check_written(touch, access, unwritten);
}

void Checker::write(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map) {
    for_each_run(access, [&](std::uint64_t begin, std::uint64_t end) {
        map.update(begin, end, !touch.atomic, [&](Bytes& state, std::uint64_t from, std::uint64_t to) {
            for (std::size_t i = 0; i < state.writers.size(); ++i) {
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
            state.written = true;
        });
    });
}

void Checker::compare(const CoreState& core,
                      const Touch& later,
                      const Touch& earlier,
                      Memory memory,
                      std::uint64_t begin,
                      std::uint64_t end) {
    if (later.atomic && earlier.atomic) {
        return;
    }
    const std::size_t pipe = later.strand == scalar_reads ? 0 : later.strand;
    if (core.stuck[pipe] != 0) {
        return;  // it does not start as things are; the wait is reported
    }
    const Clock& clock = core.clocks[pipe];
    if (earlier.core == later.core && earlier.block == later.block) {
        const bool known = clock.known[earlier.strand] >= earlier.issue || earlier.issue == later.issue;
        if (known || earlier.strand == scalar_reads || (is_scalar(earlier) && is_scalar(later))) {
            return;
        }
        if (earlier.strand == later.strand) {
            if (needs_barrier(later, earlier, memory)) {
                report(Kind::missing_barrier, memory, later, &earlier, begin, end);
            }
            return;
        }
        const bool handed_over = later.unit_flag && earlier.unit_flag && memory == Memory::l0c;
        const bool of_flag = memory == Memory::gm && held_back(later, earlier, begin, end);
        if (!handed_over && !of_flag) {
            report(Kind::race, memory, later, &earlier, begin, end);
        }
        return;
    }
    const bool ordered =
        clock.foreign != nullptr && (*clock.foreign)[earlier.core][earlier.strand] >= earlier.issue;
    if (!ordered && !held_back(later, earlier, begin, end)) {
        report(Kind::core_race, memory, later, &earlier, begin, end);
    }
}

void Checker::scalar_store(const CoreState& core, const Touch& touch) {
    for (const CacheLines::Store& other : lines_.store(touch)) {
        const Touch& store = other.touch;
        const bool same_bytes =
            store.offset < touch.offset + touch.extent && touch.offset < store.offset + store.extent;
        const Clock& clock = core.clocks[index(Pipe::scalar)];
        const bool ordered =
            clock.foreign != nullptr && (*clock.foreign)[store.core][store.strand] >= store.issue;
        if (!same_bytes && (other.dirty || !ordered)) {
            report(Kind::cache_line_shared,
                   Memory::gm,
                   touch,
                   &store,
                   touch.offset,
                   touch.offset + touch.extent);
        }
    }
}

void Checker::check_cache(const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end) {
    const bool through_same_cache = reader.core == writer.core && is_scalar(reader);
    if (!through_same_cache && lines_.dirty(writer.core, begin)) {
        report(Kind::cache_not_cleaned, Memory::gm, reader, &writer, begin, end);
    }
}

}  // namespace ascendsim::sanitize
