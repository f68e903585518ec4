// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/checker.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "models/port/plain_access.hpp"
#include "models/port/scalar_steps.hpp"

namespace ascendsim::sanitize {

Checker::Checker(const ChipSpec& chip)
    : reporter_{cores_},
      worth_{chip, cores_, reporter_},
      event_flags_{cores_, reporter_, worth_},
      cross_{chip, cores_, reporter_},
      caches_{chip.scalar.dcache_line, reporter_},
      contents_{cores_, reporter_},
      memory_flags_{chip.scalar.dcache_line, cores_, reporter_, contents_, caches_},
      accesses_{cores_, reporter_, contents_, caches_, memory_flags_} {}

void Checker::declare_unwritten(std::uint64_t offset, std::uint64_t bytes) {
    contents_.declare_unwritten(offset, bytes);
}

void Checker::declare_written(std::uint64_t offset, std::uint64_t bytes) {
    contents_.declare_written(offset, bytes);
}

void Checker::declare_read_only(std::uint64_t offset, std::uint64_t bytes) {
    contents_.declare_read_only(offset, bytes);
}

bool Checker::unwritten(std::uint64_t offset, std::uint64_t bytes) const {
    return contents_.unwritten(offset, bytes);
}

void Checker::note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason) {
    reporter_.note_unwritten(name, bytes, reason);
}

bool Checker::note_partly_unwritten(const std::string& name,
                                    std::uint64_t bytes,
                                    std::span<const std::pair<std::uint64_t, std::uint64_t>> runs,
                                    std::uint64_t offset,
                                    Kind kind) {
    // Who makes an output as large as whole blocks, which copies move, has a rest that nobody uses.
    constexpr std::uint64_t block = 32;
    std::uint64_t left = 0;
    for (const auto& [begin, end] : runs) {
        left += end - begin;
    }
    const bool padding =
        runs.size() == 1 && left < block && runs.front().second == bytes && bytes % block == 0;
    if (left == 0 || padding) {
        return false;
    }
    const auto& [begin, end] = runs.front();
    reporter_.note_partly_unwritten(
        kind, name, bytes, runs.front(), left, contents_.writer_beside(offset + begin, end - begin));
    return true;
}

bool Checker::any_error() const {
    return std::ranges::any_of(findings(), [](const Finding& finding) { return is_error(finding.kind); });
}

void Checker::start_launch(std::span<const isa::LaunchCore> cores, bool placed) {
    end_launch();
    if (local_poison_) {
        local_poison_->end_launch(cores_);
    }
    cores_.start(cores, placed);
    cross_.start(cores);
    caches_.clear();
    contents_.start_launch();
}

void Checker::place(std::uint32_t member, const isa::CoreIdentity& core) {
    cores_.place(member, core);
}

void Checker::launch_ended() {
    end_launch();
    cores_.clear();
    cross_.clear();
}

CoreState& Checker::state_of(const isa::CorePort& port) {
    const isa::CoreIdentity& identity = port.identity();
    if (CoreState* core = cores_.find(identity)) {
        return *core;
    }
    // A core without a machine: a launch of its own.
    const isa::LaunchCore alone{identity.kind, identity.core, 0};
    on_launch({&alone, 1});
    return cores_[0];
}

CoreState& Checker::enter() {
    isa::CorePort& port = isa::CorePort::current();
    if (!cores_.runs(port)) {
        cores_.set_memory(port.global());
        CoreState& next = state_of(port);
        next.program = dynamic_cast<const ProgramClock*>(&port);
        cores_.run(port, next);
        if (!next.in_block) {
            if (local_poison_ && port.functional()) {
                local_poison_->begin(port, next);
            }
            next.begin(port.identity().block);
        }
    }
    CoreState& core = cores_.running();
    if (core.cross_wait) {
        cross_.take(core);
    }
    if (core.looking_at) {
        memory_flags_.catch_up(core);
    }
    return core;
}

void Checker::on_begin() {
    isa::close_plain_runs();
    cores_.leave();
    state_of(isa::CorePort::current()).in_block = false;
    CoreState& core = enter();
    accesses_.begin_block(core);
    memory_flags_.begin_block(core);
    core.stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

void Checker::on_end() {
    isa::close_plain_runs();
    CoreState& core = enter();
    event_flags_.check_left(core, Ending::completed);
    memory_flags_.close(core);
    core.in_block = false;
    cores_.leave();
}

namespace {

/// Whether an instruction finds out which of its numbers is the larger.
bool compares(std::string_view name) {
    constexpr std::array<std::string_view, 5> words{"cmp", "max", "min", "sort", "vbs"};  // vbs32 sorts
    return name.starts_with('v') && std::ranges::any_of(words, [name](std::string_view word) {
               return name.find(word) != std::string_view::npos;
           });
}

}  // namespace

void Checker::on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) {
    accesses_.settle();
    isa::close_plain_runs();
    CoreState& core = enter();
    core.issued = core.next_issue();
    core.hand_over(op.pipe);
    switch (op.kind) {
        case isa::OpKind::compute:
        case isa::OpKind::transfer:
            core.last[index(op.pipe)] = core.issued;
            compares_ = compares_ || compares(op.info->name);
            check_stack(core,
                        *op.info,
                        op.site,
                        op.pipe,
                        reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
            return check_accesses(core, op, accesses);
        case isa::OpKind::scalar_work:
        case isa::OpKind::scalar_load:
        case isa::OpKind::system_cycle:
        case isa::OpKind::buffer:
            return check_accesses(core, op, accesses);
        case isa::OpKind::set_flag:
            return event_flags_.set(core, op);
        case isa::OpKind::wait_flag:
            return event_flags_.wait(core, op);
        case isa::OpKind::barrier:
        case isa::OpKind::barrier_all:
            return event_flags_.barrier(core, op);
        case isa::OpKind::cross_set:
        case isa::OpKind::cross_wait:
        case isa::OpKind::sync_all:
            return cross_.synchronise(core, op);
    }
}

/// The program runs on a stack of the host's, whose frames are about as large as those of the scalar unit.
/// This is below the frames of the program's own functions.
void Checker::check_stack(
    CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe, std::uintptr_t here) {
    const std::uintptr_t whole = core.stack > here ? core.stack - here : 0;
    const std::uintptr_t depth = whole - std::min<std::uintptr_t>(whole, ascendsim_stack_marks);
    if (depth < ScalarSpec::stack_limit || core.stack == 0) [[likely]] {
        return;
    }
    core.stack = 0;  // told once a block
    if (Finding* finding =
            reporter_.report(Kind::stack_overflow, LaunchCores::touch_of(core, info, site, pipe))) {
        finding->message = fmt::format(
            "at {} the kernel's functions have about {} KiB of local variables on the stack of the scalar "
            "unit, which "
            "has {} KiB",
            info.name,
            depth / 1024,
            ScalarSpec::stack_limit / 1024);
    }
}

void Checker::check_accesses(CoreState& core, const isa::TimedOp& op, const isa::Accesses& accesses) {
    memory_flags_.begin_operation(core, op, accesses);
    for (const isa::Access& access : accesses) {
        if (access.extent() != 0) {
            accesses_.check(core, op, access);
        } else if (access.write && access.memory != Memory::gm) {
            accesses_.note_idle(core, op, access);
        }
    }
    memory_flags_.end_operation(core);
    core.outside.clear();
}

void Checker::on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) {
    isa::close_plain_runs();
    if (notice == isa::BufferNotice::pointer) {
        plain_pointers_ = true;
        return;
    }
    CoreState& core = enter();
    if (notice == isa::BufferNotice::frame) {
        static constexpr isa::OpInfo info{"local_variables", "A function's variables on the stack."};
        return check_stack(core, info, site, Pipe::scalar, range.offset);
    }
    if (notice == isa::BufferNotice::outside) {
        core.outside.push_back({range.memory, range.offset, range.row_bytes});
        return;
    }
    if (notice == isa::BufferNotice::forgotten) {
        for (BufferMap& map : core.buffers) {
            map.note(notice, 0, 0, site);
        }
        return;
    }
    core.buffers[index(range.memory)].note(notice, range.offset, range.offset + range.row_bytes, site);
}

void Checker::on_clean(std::uint64_t offset, bool whole) {
    isa::close_plain_runs();
    memory_flags_.clean(enter(), offset, whole);
}

void Checker::on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    isa::close_plain_runs();
    reporter_.report_fault(LaunchCores::touch_of(enter(), info, site, pipe), message);
}

void Checker::on_late_fault(
    const isa::CorePort& core, const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    if (const CoreState* state = cores_.find(core.identity())) {
        const Touch* set = cross_.set_at(*state, site);
        reporter_.report_fault(set == nullptr ? LaunchCores::touch_of(*state, info, site, pipe) : *set,
                               message);
    }
}

void Checker::on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    isa::close_plain_runs();
    reporter_.report_beyond(LaunchCores::touch_of(enter(), info, site, pipe), message);
}

void Checker::on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) {
    static constexpr isa::OpInfo info{"DataCopy", "Copies whole blocks of 32 bytes."};
    reporter_.note_rounded(LaunchCores::touch_of(enter(), info, site, pipe), asked, moved);
}

namespace {

isa::TimedOp plain_op(const isa::OpInfo& info, const isa::Access& access, Site site) {
    return {.info = &info,
            .site = site,
            .kind = isa::OpKind::scalar_work,
            .pipe = Pipe::scalar,
            .memory = access.memory};
}

}  // namespace

isa::PlainRange Checker::plain_range(const isa::OpInfo& info,
                                     const isa::Access& access,
                                     std::optional<std::uint64_t> root,
                                     Site site) {
    accesses_.settle();  // before a plain store changes what a copy has written
    return accesses_.plain_range(enter(), plain_op(info, access, site), access, root);
}

void Checker::on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) {
    accesses_.check_plain(enter(), plain_op(info, access, site), access);
}

void Checker::judge_launch() {
    accesses_.settle();
    memory_flags_.judge();
    reporter_.fill_in_times();
    worth_.end_launch();
}

void Checker::end_launch() {
    cross_.check_left();
    judge_launch();
}

void Checker::finish(Ending ending) {
    if (ending != Ending::failed) {
        cross_.check_waits();
    }
    for (const auto& core : cores_) {
        if (core->in_block) {
            event_flags_.check_left(*core, ending);
            core->in_block = false;
        }
    }
    if (ending == Ending::completed) {
        cross_.check_left();
    }
    if (ending == Ending::stuck) {
        reporter_.ended_by(Kind::wait_never_set);
    }
    judge_launch();
    worth_.report();
    if (!repeated_ || ending != Ending::completed) {
        reporter_.confirm_wide();
    }
    cores_.clear();
    cross_.clear();
}

}  // namespace ascendsim::sanitize
