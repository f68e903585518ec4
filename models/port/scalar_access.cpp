// SPDX-License-Identifier: Apache-2.0
#include "models/port/scalar_access.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "models/port/observed_push.hpp"
#include "models/port/plain_access.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo scalar_info{"scalar", "Scalar work of the kernel."};
constexpr OpInfo load_info{"scalar_buffer_load", "The scalar unit reads a buffer of the core."};
constexpr OpInfo store_info{"scalar_buffer_store", "The scalar unit writes a buffer of the core."};
constexpr OpInfo workspace_info{"workspace_load", "A call reads the counters of a workspace."};
constexpr std::uint64_t polls_before_yield = 2;

// Slots of Registers::user that detect polling.
constexpr std::size_t polled_address = 6;
constexpr std::size_t poll_count = 7;
constexpr std::size_t tiling_key_slot = 4;

TimedOp buffer_op(const CorePort& core, const OpInfo& info, Local where, std::uint32_t bytes, Site site) {
    return {.info = &info,
            .site = site,
            .kind = OpKind::scalar_work,
            .pipe = Pipe::scalar,
            .scalar = core.chip().scalar.buffer_access_cycles,
            .bytes = bytes,
            .offset = where.offset,
            .memory = where.memory};
}

/// A read of global memory repeated at one address lets the other programs run.
void watch_reads(CorePort& core, const void* pointer) {
    Registers& registers = core.registers();
    const std::uint64_t address = core.global().offset_of(pointer);
    const bool again = registers.user[polled_address] == address + 1;
    registers.user[poll_count] = again ? registers.user[poll_count] + 1 : 0;
    registers.user[polled_address] = address + 1;
    if (registers.user[poll_count] >= polls_before_yield) {
        core.yield();
    }
}

}  // namespace

Instructions scalar_access_instructions() {
    return {&scalar_info, &load_info, &store_info, &workspace_info};
}

void scalar_work(std::uint32_t cycles, Site site) {
    push_observed({.info = &scalar_info,
                   .site = site,
                   .kind = OpKind::scalar_work,
                   .pipe = Pipe::scalar,
                   .scalar = cycles});
}

void scalar_instructions(std::uint32_t count, Site site) {
    scalar_work(count * CorePort::current().chip().scalar.issue_cycles, site);
}

void need_written(const void* pointer, std::uint32_t bytes, Site site) {
    CorePort& core = CorePort::current();
    AccessObserver* observer = core.observer();
    if (observer == nullptr || !core.global().owns(pointer)) {
        return;
    }
    close_plain_runs();  // a plain store may just have written it
    const Access access{.memory = Memory::gm, .offset = core.global().offset_of(pointer), .row_bytes = bytes};
    if (core.global().contains(access) &&
        observer->plain_range(workspace_info, access, std::nullopt, site).at_once) {
        observer->on_plain(workspace_info, access, site);
    }
}

void scalar_buffer_block(Local where, std::uint32_t bytes, bool write, Site site) {
    CorePort& core = CorePort::current();
    const OpInfo& info = write ? store_info : load_info;
    Accesses accesses;
    write ? accesses.write(where, bytes) : accesses.read(where, bytes);
    core.check(accesses, info, site);
    push_observed(buffer_op(core, info, where, bytes, site), accesses);
}

void scalar_buffer_access(Local where, std::uint32_t bytes, bool write, Site site) {
    CorePort& core = CorePort::current();
    const OpInfo& info = write ? store_info : load_info;
    Accesses accesses;
    write ? accesses.write(where, bytes) : accesses.read(where, bytes);
    core.check(accesses, info, site);
    if (bytes > 1 && where.offset % bytes != 0) [[unlikely]] {
        core.fail(info,
                  site,
                  fmt::format("an element of {} bytes at {} offset {}, which is not a multiple of {}",
                              bytes,
                              name(where.memory),
                              where.offset,
                              bytes));
    }
    push_observed(buffer_op(core, info, where, bytes, site), accesses);
}

void scalar_buffer_reference(Local where, std::uint32_t bytes, Site site) {
    CorePort& core = CorePort::current();
    Accesses accesses;
    accesses.read(where, bytes);
    core.check(accesses, load_info, site);
    push_observed(buffer_op(core, load_info, where, bytes, site));
}

void scalar_gm_access(const void* pointer, std::uint32_t bytes, bool write, Site site) {
    CorePort& core = CorePort::current();
    core.scalar_global_access(pointer, bytes, write, site);
    if (!write) {
        watch_reads(core, pointer);
    }
}

void scalar_gm_reference(const void* pointer, std::uint32_t bytes, Site site) {
    CorePort& core = CorePort::current();
    core.scalar_global_reference(pointer, bytes, site);
    watch_reads(core, pointer);
}

void watch_poll(CorePort& core, PollKind kind, std::uint64_t place, std::uint32_t patience) {
    // One word of Registers::user for each kind: the place above a 16-bit count.
    constexpr unsigned count_bits = 16;
    std::uint64_t& word = core.registers().user[static_cast<std::size_t>(kind)];
    const bool again = word >> count_bits == place + 1;
    const std::uint64_t count = again ? std::min<std::uint64_t>((word & 0xFFFFU) + 1, 0xFFFFU) : 0;
    word = (place + 1) << count_bits | count;
    if (count >= patience) {
        core.yield();
    }
}

std::uint64_t tiling_key() {
    return CorePort::current().registers().user[tiling_key_slot];
}

void set_tiling_key(std::uint64_t key) {
    CorePort::current().registers().user[tiling_key_slot] = key;
}

}  // namespace ascendsim::isa
