// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/sync_worth.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ascendsim::sanitize {
namespace {

constexpr std::uint8_t set_of_flag = 0xff;  // in a Place, instead of the waiting pipe

}  // namespace

SyncWorth::Worth& SyncWorth::count(const Touch& touch, const isa::TimedOp& op, bool barrier, bool redundant) {
    Worth& worth = worth_[{op.site.file, op.site.line, op.a, static_cast<std::uint8_t>(op.pipe)}];
    if (worth.useful + worth.redundant == 0) {
        worth.touch = touch;
        worth.barrier = barrier;
        worth.cycles = op.scalar +
                       (barrier ? chip_.sync.barrier_cycles
                                : chip_.sync.set_cycles + chip_.sync.wait_cycles + chip_.scalar.issue_cycles);
    }
    ++(redundant ? worth.redundant : worth.useful);
    if (!worth.party) {
        if (worth.met.size() <= touch.core) {
            worth.met.resize(std::size_t{touch.core} + 1);
        }
        if (!worth.met[touch.core]) {
            worth.met[touch.core] = true;
            worth.first_of_cores.push_back(touch);
        }
    }
    return worth;
}

void SyncWorth::count_wait(const Touch& wait, const isa::TimedOp& op, const Touch& set, bool redundant) {
    Worth& worth = count(wait, op, false, redundant);
    Worth& raised = worth_[{set.site.file, set.site.line, op.a, set_of_flag}];
    raised.useful += redundant ? 0 : 1;
    if (std::ranges::find(worth.sets, &raised) == worth.sets.end()) {
        worth.sets.push_back(&raised);
    }
}

void SyncWorth::end_launch() {
    for (auto& [place, worth] : worth_) {
        if (worth.party || worth.touch.info == nullptr) {
            continue;
        }
        for (const Touch& touch : worth.first_of_cores) {
            if (Party party = timed(touch); !worth.party || is_before(party, *worth.party)) {
                worth.party = std::move(party);
            }
        }
        worth.first_of_cores = {};
        worth.met = {};
    }
}

Party SyncWorth::timed(const Touch& touch) const {
    Party party = reporter_.describe(touch);
    const ProgramClock* program = cores_[touch.core].program;
    if (const auto time = program == nullptr ? std::nullopt : program->time_of(touch.issue - 1)) {
        party.cycle = time->start;
        party.end_cycle = time->end;
    }
    return party;
}

void SyncWorth::report() {
    for (const auto& [place, worth] : worth_) {
        // A wait may only go together with its sets, which other waits may need.
        const bool needed =
            std::ranges::any_of(worth.sets, [](const Worth* set) { return set->useful != 0; });
        if (worth.useful != 0 || worth.redundant == 0 || needed) {
            continue;
        }
        const Kind kind = worth.barrier ? Kind::redundant_barrier : Kind::redundant_flag;
        if (Finding* finding = reporter_.report(kind, worth.touch, *worth.party)) {
            finding->count = worth.redundant;
            finding->cost_cycles = worth.redundant * worth.cycles;
            finding->message = worth.barrier
                                   ? "the barrier waits for work that is known to be complete already"
                                   : "the flag orders what earlier flags or barriers have ordered already";
        }
    }
    worth_.clear();
}

}  // namespace ascendsim::sanitize
