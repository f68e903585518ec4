// SPDX-License-Identifier: Apache-2.0
#include "models/isa/sync/synchronise.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/port/kernel_fault.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo set_info{"set_flag", "Raises a flag for another pipe once earlier work is complete."};
constexpr OpInfo wait_info{"wait_flag", "Waits for a flag of another pipe and clears it."};
constexpr OpInfo barrier_info{"pipe_barrier", "Waits for the earlier work of its pipe."};
constexpr OpInfo barrier_all_info{"pipe_barrier_all", "Waits for the earlier work of every pipe."};
constexpr OpInfo cross_set_info{"cross_core_set_flag", "Raises a flag for other cores."};
constexpr OpInfo cross_wait_info{"cross_core_wait_flag", "Waits for a flag of other cores."};
constexpr OpInfo sync_all_info{"sync_all", "Waits until every core of the launch has arrived."};
constexpr OpInfo scalar_info{"scalar", "Scalar work of the kernel."};
constexpr OpInfo load_info{"scalar_buffer_load", "The scalar unit reads a buffer of the core."};
constexpr OpInfo store_info{"scalar_buffer_store", "The scalar unit writes a buffer of the core."};
constexpr std::uint64_t polls_before_yield = 2;

// Slots of Registers::user that detect polling.
constexpr std::size_t polled_address = 6;
constexpr std::size_t poll_count = 7;
constexpr std::size_t tiling_key_slot = 4;

constexpr OpInfo buffer_info{"buffer", "The kernel framework hands a buffer on."};

void push(const TimedOp& op, const Accesses& accesses) {
    CorePort& core = CorePort::current();
    if (AccessObserver* observer = core.observer()) {
        observer->on_issue(op, accesses);
    }
    core.push(op);
}

/// Inlined, so that an operation is written field by field where it is to stand, not copied there.
[[gnu::always_inline]] inline void push(const TimedOp& op) {
    CorePort& core = CorePort::current();
    core.next() = op;
    if (AccessObserver* observer = core.observer()) [[unlikely]] {
        observer->on_issue(core.next(), Accesses{});
    }
    core.commit();
}

void check_flag(std::uint32_t id, const OpInfo& info, Site site) {
    CorePort& core = CorePort::current();
    const std::uint32_t ids = core.chip().sync.flag_ids;
    if (id >= ids) [[unlikely]] {
        core.fail(info, site, fmt::format("flag {}: each pair of pipes has flags 0 to {}", id, ids - 1));
    }
}

void check_cross(std::uint32_t id, const OpInfo& info, Site site) {
    CorePort& core = CorePort::current();
    const SyncSpec& sync = core.chip().sync;
    if (!sync.hardware_cross_core) [[unlikely]] {
        core.fail(info, site, "this chip has no cross-core flags");
    }
    if (id >= sync.cross_flag_ids) [[unlikely]] {
        core.fail(
            info,
            site,
            fmt::format("cross-core flag {}: this chip has flags 0 to {}", id, sync.cross_flag_ids - 1));
    }
}

/// Blocks beyond the cores begin when those before them have ended, which here wait for them: the chip hangs
/// [API reference, SyncAll: blocks must not outnumber the cores].
void check_all_run(const CorePort& core, Site site) {
    const CoreIdentity& self = core.identity();
    const CoresSpec& cores = core.chip().cores;
    const bool whole = !cores.split || self.kind == CoreKind::aic;  // a coupled core is both
    const std::uint32_t at_once = whole ? cores.aic : cores.aiv / self.task_ratio;
    if (self.block_count > at_once) {
        kernel_fault("sync_all",
                     fmt::format("{} blocks cannot meet on {} cores: those that run wait for others that "
                                 "begin when these end; "
                                 "launch at most {} blocks, or share the work out among them in a loop",
                                 self.block_count,
                                 at_once,
                                 at_once),
                     site);
    }
}

}  // namespace

Instructions synchronise_instructions() {
    return {&set_info,
            &wait_info,
            &barrier_info,
            &barrier_all_info,
            &cross_set_info,
            &cross_wait_info,
            &sync_all_info,
            &scalar_info,
            &load_info,
            &store_info,
            &buffer_info};
}

void set_flag(
    Pipe source, Pipe destination, std::uint32_t id, Site site, std::uint32_t extra, const BufferNews& news) {
    check_flag(id, set_info, site);
    push({.info = &set_info,
          .site = site,
          .kind = OpKind::set_flag,
          .pipe = source,
          .a = static_cast<std::uint8_t>(source),
          .b = static_cast<std::uint8_t>(destination),
          .id = id,
          .scalar = extra,
          .bytes = news.bytes,
          .offset = news.where.offset,
          .memory = news.step == BufferStep::none ? Memory::gm : news.where.memory,
          .step = news.step,
          .position = news.position});
}

void wait_flag(
    Pipe source, Pipe destination, std::uint32_t id, Site site, std::uint32_t extra, const BufferNews& news) {
    check_flag(id, wait_info, site);
    push({.info = &wait_info,
          .site = site,
          .kind = OpKind::wait_flag,
          .pipe = destination,
          .a = static_cast<std::uint8_t>(source),
          .b = static_cast<std::uint8_t>(destination),
          .id = id,
          .scalar = extra,
          .bytes = news.bytes,
          .offset = news.where.offset,
          .memory = news.step == BufferStep::none ? Memory::gm : news.where.memory,
          .step = news.step,
          .position = news.position});
}

void buffer_news(const BufferNews& news, Site site) {
    CorePort::current().push({.info = &buffer_info,
                              .site = site,
                              .kind = OpKind::buffer,
                              .pipe = Pipe::scalar,
                              .a = static_cast<std::uint8_t>(news.holder),
                              .b = static_cast<std::uint8_t>(news.holder),
                              .bytes = news.bytes,
                              .offset = news.where.offset,
                              .memory = news.where.memory,
                              .step = news.step,
                              .position = news.position});
}

void pipe_barrier(Pipe pipe, Site site) {
    const ScalarSpec& scalar = CorePort::current().chip().scalar;
    push({.info = &barrier_info,
          .site = site,
          .kind = OpKind::barrier,
          .pipe = pipe,
          .scalar = scalar.issue_cycles});
}

void barrier_all(Site site) {
    const ScalarSpec& scalar = CorePort::current().chip().scalar;
    push({.info = &barrier_all_info,
          .site = site,
          .kind = OpKind::barrier_all,
          .pipe = Pipe::scalar,
          .scalar = scalar.issue_cycles});
}

void cross_core_set(Pipe pipe, std::uint32_t mode, std::uint32_t id, Site site) {
    check_cross(id, cross_set_info, site);
    CorePort& core = CorePort::current();
    if (mode > 2) {
        core.fail(cross_set_info, site, fmt::format("mode {}: the modes are 0, 1 and 2", mode));
    }
    push({.info = &cross_set_info,
          .site = site,
          .kind = OpKind::cross_set,
          .pipe = pipe,
          .a = static_cast<std::uint8_t>(mode),
          .id = id,
          .scalar = core.chip().scalar.issue_cycles});
    core.raise_cross_flag(mode, id, site);
}

void cross_core_wait(Pipe pipe, std::uint32_t id, Site site) {
    check_cross(id, cross_wait_info, site);
    CorePort& core = CorePort::current();
    push({.info = &cross_wait_info,
          .site = site,
          .kind = OpKind::cross_wait,
          .pipe = pipe,
          .id = id,
          .scalar = core.chip().scalar.issue_cycles});
    core.await_cross_flag(id, site);
}

void sync_all(bool both_kinds, Site site) {
    CorePort& core = CorePort::current();
    check_all_run(core, site);
    push({.info = &sync_all_info,
          .site = site,
          .kind = OpKind::sync_all,
          .pipe = Pipe::scalar,
          .a = static_cast<std::uint8_t>(both_kinds ? 1 : 0),
          .scalar = core.chip().scalar.issue_cycles});
    core.await_all(both_kinds, site);
}

void scalar_work(std::uint32_t cycles, Site site) {
    push({.info = &scalar_info,
          .site = site,
          .kind = OpKind::scalar_work,
          .pipe = Pipe::scalar,
          .scalar = cycles});
}

void scalar_buffer_access(Local where, std::uint32_t bytes, bool write, Site site) {
    CorePort& core = CorePort::current();
    const OpInfo& info = write ? store_info : load_info;
    Accesses accesses;
    write ? accesses.write(where, bytes) : accesses.read(where, bytes);
    core.check(accesses, info, site);
    push({.info = &info,
          .site = site,
          .kind = OpKind::scalar_work,
          .pipe = Pipe::scalar,
          .scalar = core.chip().scalar.buffer_access_cycles,
          .bytes = bytes,
          .offset = where.offset,
          .memory = where.memory},
         accesses);
}

void scalar_gm_access(const void* pointer, std::uint32_t bytes, bool write, Site site) {
    CorePort& core = CorePort::current();
    core.scalar_global_access(pointer, bytes, write, site);
    if (write) {
        return;
    }
    Registers& registers = core.registers();
    const std::uint64_t address = core.global().offset_of(pointer);
    const bool again = registers.user[polled_address] == address + 1;
    registers.user[poll_count] = again ? registers.user[poll_count] + 1 : 0;
    registers.user[polled_address] = address + 1;
    if (registers.user[poll_count] >= polls_before_yield) {
        core.yield();
    }
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
