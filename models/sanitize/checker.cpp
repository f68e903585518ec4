// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/checker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ascendsim::sanitize {
namespace {

constexpr std::uint8_t set_of_flag = 0xff;  // in a Place, instead of the waiting pipe

std::string_view prefix(CoreKind kind) {
    return kind == CoreKind::aiv ? "aiv" : kind == CoreKind::aic ? "aic" : "core";
}

}  // namespace

Checker::Checker(const ChipSpec& chip)
    : chip_{chip}, lines_{chip.scalar.dcache_line}, words_{chip.scalar.dcache_line} {
    global_.clear(true);
}

Checker::~Checker() = default;

void Checker::declare_unwritten(std::uint64_t offset, std::uint64_t bytes) {
    global_.update(offset, offset + bytes, true, [](Bytes& state, std::uint64_t, std::uint64_t) {
        state.written = false;
    });
}

void Checker::declare_written(std::uint64_t offset, std::uint64_t bytes) {
    global_.update(offset, offset + bytes, true, [](Bytes& state, std::uint64_t, std::uint64_t) {
        state.written = true;
    });
}

void Checker::declare_read_only(std::uint64_t offset, std::uint64_t bytes) {
    read_only_[offset] = offset + bytes;
}

bool Checker::any_error() const {
    return std::ranges::any_of(findings(), [](const Finding& finding) { return is_error(finding.kind); });
}

void Checker::on_launch(std::span<const isa::LaunchCore> cores) {
    end_launch();
    cores_.clear();
    number_of_.clear();
    port_ = nullptr;
    core_ = nullptr;
    global_.forget_touches();
    logs_.clear();
    lines_.clear();
    cross_sets_.clear();
    std::vector<Participant> participants;
    for (const isa::LaunchCore& core : cores) {
        const auto number = static_cast<std::uint16_t>(cores_.size());
        number_of_[{core.kind, core.core}] = number;
        cores_.push_back(std::make_unique<CoreState>());
        cores_.back()->number = number;
        cores_.back()->title = fmt::format("{}{}", prefix(core.kind), core.core);
        participants.push_back({core.kind, core.group, core.core % std::max(1U, chip_.cores.aiv_per_aic)});
    }
    cross_ = std::make_unique<CrossClocks>(std::move(participants));
}

CoreState& Checker::state_of(const isa::CorePort& port) {
    const isa::CoreIdentity& identity = port.identity();
    const auto found = number_of_.find({identity.kind, identity.core});
    if (found == number_of_.end()) {
        // A core without a machine: a launch of its own.
        const isa::LaunchCore alone{identity.kind, identity.core, 0};
        on_launch({&alone, 1});
        return *cores_.front();
    }
    return *cores_[found->second];
}

CoreState& Checker::enter() {
    isa::CorePort& port = isa::CorePort::current();
    if (port_ != &port) {
        memory_ = &port.global();
        core_ = &state_of(port);
        core_->program = dynamic_cast<const ProgramClock*>(&port);
        port_ = &port;
        if (!core_->in_block) {
            core_->begin(port.identity().block);
        }
    }
    if (core_->cross_wait) {
        take_cross(*core_);
    }
    if (core_->looking_at) {
        // A program that polls lets the others run before it takes the value: it may be newer than the look.
        const std::uint64_t word = *core_->looking_at;
        if (learn_flags(*core_, word, word + 1)) {
            core_->cached[words_.line_of(word)].learned = true;
        }
        core_->looking_at.reset();
    }
    return *core_;
}

void Checker::on_begin() {
    port_ = nullptr;
    state_of(isa::CorePort::current()).in_block = false;
    enter().begun = ++order_;
}

void Checker::on_end() {
    CoreState& core = enter();
    check_flags_left(core, Ending::completed);
    close_peeks(core);
    core.in_block = false;
    port_ = nullptr;
}

Touch Checker::touch_of(const CoreState& core, const isa::TimedOp& op) const {
    const bool cube = op.pipe == Pipe::cube || op.pipe == Pipe::fixpipe;
    return {.info = op.info,
            .site = port_ == nullptr ? op.site : port_->kernel_line(op.site),
            .issue = core.issued,
            .block = core.block,
            .core = core.number,
            .strand = static_cast<std::uint8_t>(op.pipe),
            .unit_flag = cube && op.a >= 2};
}

void Checker::on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) {
    CoreState& core = enter();
    core.issued = core.next_issue();
    core.hand_over(op.pipe);
    switch (op.kind) {
        case isa::OpKind::compute:
        case isa::OpKind::transfer:
            core.last[index(op.pipe)] = core.issued;
            break;
        case isa::OpKind::scalar_work:
        case isa::OpKind::scalar_load:
        case isa::OpKind::system_cycle:
        case isa::OpKind::buffer:
            break;
        case isa::OpKind::set_flag:
        case isa::OpKind::wait_flag:
        case isa::OpKind::barrier:
        case isa::OpKind::barrier_all:
        case isa::OpKind::cross_set:
        case isa::OpKind::cross_wait:
        case isa::OpKind::sync_all:
            synchronise(core, op);
            return;
    }
    std::optional<Peek> peek = peek_of(core, op, accesses);
    peeking_ = peek ? &*peek : nullptr;
    for (const isa::Access& one : accesses) {
        if (one.extent() != 0) {
            access(core, op, one);
        }
    }
    peeking_ = nullptr;
    if (peek) {
        core.peeks.push_back(std::move(*peek));
    }
}

void Checker::synchronise(CoreState& core, const isa::TimedOp& op) {
    switch (op.kind) {
        case isa::OpKind::set_flag:
            return set_flag(core, op);
        case isa::OpKind::wait_flag:
            return wait_flag(core, op);
        case isa::OpKind::barrier:
        case isa::OpKind::barrier_all:
            return barrier(core, op);
        case isa::OpKind::cross_set:
        case isa::OpKind::cross_wait:
        case isa::OpKind::sync_all:
            return cross(core, op);
        case isa::OpKind::compute:
        case isa::OpKind::transfer:
        case isa::OpKind::scalar_work:
        case isa::OpKind::scalar_load:
        case isa::OpKind::system_cycle:
        case isa::OpKind::buffer:
            return;
    }
}

void Checker::set_flag(CoreState& core, const isa::TimedOp& op) {
    FlagState& flag = core.flag(op.a, op.b, op.id);
    const Touch touch = touch_of(core, op);
    const auto source = static_cast<Pipe>(op.a);
    if (!flag.early_waits.empty()) {
        flag.early_waits.pop_front();
        --core.stuck[op.b];
        core.learn(static_cast<Pipe>(op.b), core.complete(source));
        return;
    }
    if (!flag.raised.empty()) {
        if (Finding* finding = report(Kind::double_set, Memory::gm, touch, &flag.raised.back().touch, 0, 0)) {
            finding->message = fmt::format("flag {} from {} to {} is raised again before it was waited for",
                                           op.id,
                                           name(source),
                                           name(static_cast<Pipe>(op.b)));
            finding->hint = "Wait for the flag between the two sets, or use another event id.";
        }
        // Both waits to come are taken to know all that was set: the finding is the double set alone.
        flag.doubled = true;
        flag.raised.back().clock = core.complete(source);
    }
    flag.raised.push_back({core.complete(source), touch, core.last[op.a] == 0});
}

void Checker::wait_flag(CoreState& core, const isa::TimedOp& op) {
    FlagState& flag = core.flag(op.a, op.b, op.id);
    const Touch touch = touch_of(core, op);
    if (flag.raised.empty()) {
        flag.early_waits.push_back(touch);
        ++core.stuck[op.b];
        return;
    }
    const FlagRaise raise = std::move(flag.raised.front());
    flag.raised.pop_front();
    const auto destination = static_cast<Pipe>(op.b);
    const bool by_queue = op.scalar > chip_.scalar.issue_cycles;
    const bool from_scalar = static_cast<Pipe>(op.a) == Pipe::scalar;
    // The framework raises and awaits flags of its own; nobody can leave them out.
    if (!raise.idle && !by_queue && !from_scalar && !is_framework(op.site)) {
        const bool redundant = core.clocks[op.b].covers_all(raise.clock);
        Worth& worth = value(touch, op, redundant, false);
        Worth& set = worth_[{raise.touch.site.file, raise.touch.site.line, op.a, set_of_flag}];
        set.useful += redundant ? 0 : 1;
        if (std::ranges::find(worth.sets, &set) == worth.sets.end()) {
            worth.sets.push_back(&set);
        }
    }
    core.learn(destination, raise.clock);
}

void Checker::barrier(CoreState& core, const isa::TimedOp& op) {
    const Touch touch = touch_of(core, op);
    const std::size_t p = index(op.pipe);
    const bool all = op.kind == isa::OpKind::barrier_all;
    const Known& known = core.clocks[p].known;
    if (!is_framework(op.site)) {
        const bool idle = all ? core.last == Known{} : core.last[p] == 0;
        const bool redundant = all ? covers(known, core.last) : known[p] >= core.last[p];
        if (!idle) {
            value(touch, op, redundant, true);
        }
    }
    if (all) {
        core.complete_all();
    } else {
        core.learn(op.pipe, core.complete(op.pipe));
    }
}

void Checker::cross(CoreState& core, const isa::TimedOp& op) {
    const Touch touch = touch_of(core, op);
    const bool all = op.kind == isa::OpKind::sync_all;
    const std::uint32_t mode = !all        ? op.a
                               : op.a == 0 ? CrossFlags::mode_sync_kind
                                           : CrossFlags::mode_sync_all;
    if (op.kind != isa::OpKind::cross_wait) {
        // A message tells of everything its sender has issued: the framework orders its own copies.
        if (all || (mode == CrossFlags::mode_message && op.pipe == Pipe::scalar)) {
            core.complete_all();
        }
        Clock clock = core.complete(op.pipe);
        clock.known[scalar_reads] = core.last[scalar_reads];
        auto told = clock.foreign ? std::make_shared<Foreign>(*clock.foreign)
                                  : std::make_shared<Foreign>(cores_.size());
        raise_to((*told)[core.number], clock.known);
        clock.foreign = std::move(told);
        if (mode != CrossFlags::mode_message) {
            cross_sets_[{core.number, op.id}] = touch;
        }
        cross_->arrive(core.number, mode, all ? 0 : op.id, clock);
    }
    if (op.kind != isa::OpKind::cross_set) {
        core.cross_wait = {
            op.pipe, all || op.a == CrossFlags::mode_message ? mode : 0, all ? 0 : op.id, touch};
    }
}

void Checker::take_cross(CoreState& core) {
    const CoreState::CrossWait wait = *core.cross_wait;
    std::optional<Clock> clock = cross_->take(core.number, wait.mode, wait.id);
    core.cross_wait.reset();
    if (!clock) {
        return;  // a core without a machine does not wait for others
    }
    if (clock->foreign) {
        raise_to(clock->known, (*clock->foreign)[core.number]);
    }
    core.learn(wait.pipe, *clock);
}

Checker::Worth& Checker::value(const Touch& touch, const isa::TimedOp& op, bool redundant, bool barrier) {
    Worth& worth = worth_[{op.site.file, op.site.line, op.a, static_cast<std::uint8_t>(op.pipe)}];
    if (worth.useful + worth.redundant == 0) {
        worth.touch = touch;
        worth.barrier = barrier;
        worth.cycles = op.scalar +
                       (barrier ? chip_.sync.barrier_cycles
                                : chip_.sync.set_cycles + chip_.sync.wait_cycles + chip_.scalar.issue_cycles);
    }
    ++(redundant ? worth.redundant : worth.useful);
    return worth;
}

void Checker::on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) {
    CoreState& core = enter();
    if (notice == isa::BufferNotice::forgotten) {
        for (BufferMap& map : core.buffers) {
            map.note(notice, 0, 0, site);
        }
        return;
    }
    core.buffers[index(range.memory)].note(notice, range.offset, range.offset + range.row_bytes, site);
}

}  // namespace ascendsim::sanitize
