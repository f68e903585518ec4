// SPDX-License-Identifier: Apache-2.0
// A kernel launch: which cores run which blocks, from when, and what it came to.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/core/machine_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {
namespace {

/// The cores a launch runs on. A chip whose cores are not split has one kind, with both units: they are
/// coupled.
struct Crew {
    bool coupled;
    bool cube;            // cube cores of a split chip take part
    bool vector;          // vector cores, or coupled ones
    std::uint32_t ratio;  // vector cores of a group that take part where cube cores do, too
    std::uint32_t cores;  // as many blocks run at a time

    Crew(const ChipSpec& chip, const Launch& launch)
        : coupled{!chip.cores.split},
          cube{!coupled && launch.kind != CoreUse::aiv},
          vector{coupled || launch.kind != CoreUse::aic},
          ratio{launch.kind == CoreUse::mix_1_2 ? 2U : 1U},
          cores{coupled || cube ? chip.cores.aic : chip.cores.aiv} {}

    [[nodiscard]] bool mixed() const { return cube && vector; }

    /// True if cores of `kind` take part, of vector cores the one that is number `sub` of its group.
    [[nodiscard]] bool takes(CoreKind kind, std::uint32_t sub) const {
        if (coupled) {
            return true;
        }
        return kind == CoreKind::aiv ? vector && (!mixed() || sub < ratio) : cube;
    }

    /// What the core at `place` runs of `blocks` blocks, in order.
    [[nodiscard]] std::deque<isa::CoreIdentity> blocks_of(const AiCore::Place& place,
                                                          std::uint32_t sub,
                                                          std::uint32_t blocks) const {
        const bool beside_cube = mixed() && place.kind == CoreKind::aiv;
        std::deque<isa::CoreIdentity> result;
        for (std::uint32_t block = mixed() ? place.group : place.index; block < blocks; block += cores) {
            result.push_back({.core = place.index,
                              .block = beside_cube ? block * ratio + sub : block,
                              .block_count = blocks,
                              .sub_block = beside_cube ? sub : 0,
                              .sub_blocks = mixed() ? ratio : 1,
                              .task_ratio = mixed() ? ratio : 1,
                              .kind = place.kind});
        }
        return result;
    }
};

}  // namespace

std::uint64_t Machine::head_cycles(const Launch& launch, std::uint32_t cores) const {
    if (!options_.launch_overhead) {
        return 0;
    }
    const LaunchSpec& spec = chip_.launch;
    const bool mixed = launch.kind == CoreUse::mix_1_1 || launch.kind == CoreUse::mix_1_2;
    const double us = spec.head_us + spec.per_core_us * (cores - 1) + (mixed ? spec.mix_extra_us : 0) +
                      (options_.from_idle ? spec.idle_us : 0);
    return static_cast<std::uint64_t>(std::llround(us * 1000 * chip_.cores.clock_ghz));
}

void Machine::check_launch(const Launch& launch) const {
    if (launch.blocks == 0) {
        throw UserError{"launch of '{}': 0 blocks", launch.name};
    }
    const bool needs_cube = launch.kind != CoreUse::aiv;
    const bool needs_vector = launch.kind != CoreUse::aic;
    if (!chip_.cores.split) {
        return;
    }
    const std::uint32_t ratio = launch.kind == CoreUse::mix_1_2 ? 2 : 1;
    if (needs_cube && needs_vector && chip_.cores.aiv_per_aic < ratio) {
        throw UserError{"launch of '{}': chip {} has {} vector cores for one cube core, the kernel needs {}",
                        launch.name,
                        chip_.name,
                        chip_.cores.aiv_per_aic,
                        ratio};
    }
}

void Machine::assign(const Launch& launch) {
    const Crew crew{chip_, launch};
    std::vector<Participant> participants;
    participant_of_.assign(top_->cores.size(), 0);
    core_of_.clear();
    for (const auto& core : top_->cores) {
        const AiCore::Place& place = core->place();
        auto& assignment = assignments_[place.number];
        assignment = std::make_unique<Assignment>();
        const bool is_vector = place.kind == CoreKind::aiv;
        const std::uint32_t sub = is_vector ? place.index % std::max(1U, chip_.cores.aiv_per_aic) : 0;
        if (!crew.takes(place.kind, sub)) {
            continue;
        }
        assignment->blocks = crew.blocks_of(place, sub, launch.blocks);
        assignment->used = !assignment->blocks.empty();
        assignment->argument_bytes = launch.argument_bytes;
        assignment->program = is_vector || crew.coupled ? launch.vector_program : launch.cube_program;
        if (assignment->used) {
            participant_of_[place.number] = static_cast<std::uint32_t>(participants.size());
            core_of_.push_back(place.number);
            participants.push_back({place.kind, place.group, sub});
        }
    }
    times_ = std::make_unique<CrossFlags>(participants, chip_.sync.cross_flag_max);
    programs_ = std::make_unique<CrossFlags>(participants);
    cores_used_ = std::max(cores_used_, static_cast<std::uint32_t>(participants.size()));
}

void Machine::start_block(std::uint32_t core, std::uint64_t cycle) {
    Assignment& assignment = *assignments_[core];
    const isa::CoreIdentity identity = assignment.blocks.front();
    assignment.blocks.pop_front();
    top_->cores[core]->start(identity, cycle, assignment.program, assignment.argument_bytes);
}

void Machine::announce() const {
    if (options_.observer == nullptr) {
        return;
    }
    std::vector<isa::LaunchCore> cores;
    for (const std::uint32_t core : core_of_) {
        const AiCore::Place& place = top_->cores[core]->place();
        cores.push_back({place.kind, place.index, place.group});
    }
    options_.observer->on_launch(cores);
    for (const auto& core : top_->cores) {
        core->forget_times();
    }
}

Machine::Ticket Machine::submit(Launch launch) {
    check_launch(launch);
    submitted_.push_back(std::move(launch));
    top_->launch_submitted.notify(sc_core::SC_ZERO_TIME);
    return Ticket{tickets_++};
}

LaunchOutcome Machine::wait(Ticket ticket) {
    const auto number = static_cast<std::size_t>(ticket);
    while (launches_.size() <= number) {
        sc_core::wait(top_->launch_ended);
    }
    return launches_[number];
}

void Machine::drain() {
    while (launches_.size() < tickets_) {
        sc_core::wait(top_->launch_ended);
    }
}

/// Starts launches in the order they were submitted, each when the one before has ended.
void Machine::dispatch() {
    for (;;) {
        while (submitted_.empty()) {
            sc_core::wait(top_->launch_submitted);
        }
        const Launch launch = std::move(submitted_.front());
        submitted_.pop_front();
        start_launch(launch);
        top_->launch_ended.notify(sc_core::SC_ZERO_TIME);
    }
}

void Machine::start_launch(const Launch& launch) {
    assign(launch);
    now_ = std::max(now_, now_cycles());
    if (now_ > now_cycles()) {
        sc_core::wait(to_time(now_ - now_cycles()));
    }
    const auto cores = static_cast<std::uint32_t>(core_of_.size());
    LaunchOutcome& outcome = current_;
    outcome = {.name = launch.name, .start = now_, .cores = cores, .blocks = launch.blocks};
    outcome.first_core = now_ + head_cycles(launch, cores);
    running_blocks_ = cores;
    announce();
    for (const std::uint32_t core : core_of_) {
        top_->cores[core]->timeline().idle_until(outcome.first_core, record::Reason::launch);
        start_block(core, outcome.first_core);
    }
    sc_core::wait(top_->launch_done);
    for (const std::uint32_t core : core_of_) {
        outcome.cores_end = std::max(outcome.cores_end, assignments_[core]->end);
    }
    const double tail = options_.launch_overhead ? chip_.launch.tail_us * 1000 * chip_.cores.clock_ghz : 0;
    outcome.end = outcome.cores_end + static_cast<std::uint64_t>(std::llround(tail));
    for (const auto& core : top_->cores) {
        const bool used = assignments_[core->place().number]->used;
        core->timeline().idle_until(outcome.end, used ? record::Reason::tail : record::Reason::unused);
    }
    note(outcome);
}

void Machine::note(LaunchOutcome& outcome) {
    times_->finish();
    fail_at_overflow();
    now_ = outcome.end;
    for (const auto& core : top_->cores) {
        outcome.arithmetic_cycles += core->arithmetic_cycles();
    }
    outcome.arithmetic_cycles -= std::exchange(arithmetic_noted_, outcome.arithmetic_cycles);
    recorder_.event({{"kind", "launch"},
                     {"name", outcome.name},
                     {"start", outcome.start},
                     {"first_core", outcome.first_core},
                     {"cores_end", outcome.cores_end},
                     {"end", outcome.end},
                     {"cores", outcome.cores},
                     {"blocks", outcome.blocks}});
    launches_.push_back(outcome);
}

void Machine::note_unfinished() {
    if (running_blocks_ == 0) {
        return;
    }
    for (const std::uint32_t core : core_of_) {
        Timeline& timeline = top_->cores[core]->timeline();
        timeline.stop();
        current_.cores_end = std::max(current_.cores_end, timeline.complete());
    }
    for (const std::uint32_t core : core_of_) {
        current_.cores_end =
            std::max(current_.cores_end, top_->cores[core]->timeline().end_waits(current_.cores_end));
    }
    current_.end = current_.cores_end;
    note(current_);
}

void Machine::block_done(std::uint32_t core) {
    Assignment& assignment = *assignments_[core];
    assignment.end = top_->cores[core]->timeline().finish();
    if (!assignment.blocks.empty()) {
        const std::uint64_t next = assignment.end + chip_.launch.block_cycles;
        top_->cores[core]->timeline().idle_until(next, record::Reason::block);
        start_block(core, next);
        return;
    }
    if (--running_blocks_ == 0) {
        top_->launch_done.notify(sc_core::SC_ZERO_TIME);
    }
}

}  // namespace ascendsim
