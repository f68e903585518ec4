// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// The pipe that an instruction runs on; of illegal ones too.
template <class Instruction>
[[nodiscard]] Pipe pipe_of(const Instruction& instruction, const ChipSpec& chip) {
    TimedOp op;
    instruction.time(chip, op);
    return op.pipe;
}

/// Applies an instruction's effect, now or when its pipe comes to it. One that `borrows` its operands cannot
/// be kept.
template <class Instruction>
void apply(const Instruction& instruction, CorePort& core, Pipe pipe, const Accesses& accesses) {
    if (EffectKeeper* keeper = core.keeper()) [[unlikely]] {
        if constexpr (requires { Instruction::borrows; }) {
            keeper->keep_writes(pipe, accesses, [&] { instruction.execute(core); });
        } else {
            keeper->keep(pipe, accesses, [instruction](CorePort& later) { instruction.execute(later); });
        }
        return;
    }
    instruction.execute(core);
}

/// Issues one instruction on the running core: checks its accesses, applies its effect, hands its timing
/// over.
///
/// An instruction is a struct with named operands and
///   static constexpr OpInfo info;                       its name (or a reference to a constant)
///   void accesses(Accesses&) const;                     what it reads and writes
///   void time(const ChipSpec&, TimedOp&) const;         fills pipe, kind, occupies, latency, conflict,
///   bytes, work void execute(CorePort&) const;                      its effect on the data Transfer
///   transfer(const CorePort&) const;           only if it moves bytes to or from global memory bool legal()
///   const; std::string fault() const;      only if operands can be illegal: alignment, ranges of fields
///   bool tangled() const; std::string overlap() const;   only if operands can overlap where they must not
template <class Instruction>
void issue(const Instruction& instruction, Site site) {
    CorePort& core = CorePort::current();
    if constexpr (requires { instruction.legal(); }) {
        if (!instruction.legal()) [[unlikely]] {
            core.fail(instruction.info, site, instruction.fault(), pipe_of(instruction, core.chip()));
        }
    }
    Accesses accesses;
    instruction.accesses(accesses);
    if (!core.all_within(accesses)) [[unlikely]] {
        core.check(accesses, instruction.info, site, pipe_of(instruction, core.chip()));
    }
    if constexpr (requires { instruction.overlap(); }) {
        if (core.observer() != nullptr && instruction.tangled()) [[unlikely]] {
            core.note_overlap(
                instruction.info, site, instruction.overlap(), pipe_of(instruction, core.chip()));
        }
    }
    TimedOp& op = core.next();
    op = {.info = &instruction.info, .site = site, .scalar = core.chip().scalar.call_cycles};
    instruction.time(core.chip(), op);
    const Pipe pipe = op.pipe;
    if (AccessObserver* observer = core.observer()) {
        observer->on_issue(op, accesses);
    }
    if constexpr (requires { instruction.transfer(core); }) {
        const Transfer transfer = instruction.transfer(core);
        if (core.functional() || core.global().steers(transfer.offset)) {
            apply(instruction, core, pipe, accesses);
        }
        core.commit(transfer);
    } else {
        if (core.functional()) {
            apply(instruction, core, pipe, accesses);
        }
        core.commit();
    }
}

}  // namespace ascendsim::isa
