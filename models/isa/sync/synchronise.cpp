// SPDX-License-Identifier: Apache-2.0
#include "models/isa/sync/synchronise.hpp"

#include <fmt/format.h>

#include "models/port/kernel_fault.hpp"
#include "models/port/observed_push.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo set_info{"set_flag", "Raises a flag for another pipe once earlier work is complete."};
constexpr OpInfo wait_info{"wait_flag", "Waits for a flag of another pipe and clears it."};
constexpr OpInfo barrier_info{"pipe_barrier", "Waits for the earlier work of its pipe."};
constexpr OpInfo barrier_all_info{"pipe_barrier_all", "Waits for the earlier work of every pipe."};
constexpr OpInfo cross_set_info{"cross_core_set_flag", "Raises a flag for other cores."};
constexpr OpInfo cross_wait_info{"cross_core_wait_flag", "Waits for a flag of other cores."};
constexpr OpInfo sync_all_info{"sync_all", "Waits until every core of the launch has arrived."};

/// Flags behind the documented ones that kernels get and are told of: attention kernels of ops-transformer
/// for the A2 and A3 (fia_block_vec_flashdecode.h, kv_quant_sparse_flash_attention) set flags 8 to 13 of a
/// pair that is documented to have 0 to 7, and run. Whether those are flags of their own or the first ones
/// again is not published; these kernels' results are the same either way. Those of the cube and Fixpipe are
/// the unit flag's.
constexpr std::uint32_t undocumented_ids = 6;

void check_flag(Pipe source, Pipe destination, std::uint32_t id, const OpInfo& info, Site site) {
    CorePort& core = CorePort::current();
    const std::uint32_t ids = core.chip().sync.flag_ids;
    if (id < ids) [[likely]] {
        return;
    }
    const std::string message = fmt::format("flag {}: each pair of pipes has flags 0 to {}", id, ids - 1);
    const bool between_results = source == Pipe::fixpipe || destination == Pipe::fixpipe;
    if (id >= ids + undocumented_ids || between_results) {
        core.fail(info, site, message);
    }
    core.tell_beyond(info, site, message, source);
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
            &sync_all_info};
}

void set_flag(
    Pipe source, Pipe destination, std::uint32_t id, Site site, std::uint32_t extra, const BufferNews& news) {
    check_flag(source, destination, id, set_info, site);
    push_observed({.info = &set_info,
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
    check_flag(source, destination, id, wait_info, site);
    push_observed({.info = &wait_info,
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

void pipe_barrier(Pipe pipe, Site site) {
    const ScalarSpec& scalar = CorePort::current().chip().scalar;
    push_observed({.info = &barrier_info,
                   .site = site,
                   .kind = OpKind::barrier,
                   .pipe = pipe,
                   .scalar = scalar.issue_cycles});
}

void barrier_all(Site site) {
    const ScalarSpec& scalar = CorePort::current().chip().scalar;
    push_observed({.info = &barrier_all_info,
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
    push_observed({.info = &cross_set_info,
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
    push_observed({.info = &cross_wait_info,
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
    push_observed({.info = &sync_all_info,
                   .site = site,
                   .kind = OpKind::sync_all,
                   .pipe = Pipe::scalar,
                   .a = static_cast<std::uint8_t>(both_kinds ? 1 : 0),
                   .scalar = core.chip().scalar.issue_cycles});
    core.await_all(both_kinds, site);
}

}  // namespace ascendsim::isa
