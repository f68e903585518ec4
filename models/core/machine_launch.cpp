// SPDX-License-Identifier: Apache-2.0
// Kernel launches: which cores run which blocks, from when, and what they came to.
#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/core/machine_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {

Machine::Running::Running(const ChipSpec& chip, Launch what, std::uint64_t its_number)
    : launch{std::move(what)},
      number{its_number},
      crew{chip, launch.kind},
      seats{std::min(launch.blocks, crew.places())} {
    std::vector<Participant> participants;
    for (std::uint32_t seat = 0; seat < seats; ++seat) {
        first.push_back(static_cast<std::uint32_t>(members.size()));
        for (const AiCore::Place& core : crew.cores(seat)) {
            members.push_back({.as = core});
            participants.push_back({core.kind, core.group, crew.sub_of(core)});
        }
    }
    first.push_back(static_cast<std::uint32_t>(members.size()));
    open = static_cast<std::uint32_t>(members.size());
    times.emplace(participants, chip.sync.cross_flag_max);
    programs.emplace(std::move(participants));
}

std::uint64_t Machine::head_cycles(const Launch& launch, std::uint32_t cores) const {
    if (!options_.launch_overhead) {
        return 0;
    }
    const LaunchSpec& spec = chip_.launch;
    const bool mixed = launch.kind == CoreUse::mix_1_1 || launch.kind == CoreUse::mix_1_2;
    const double share = std::min(1.0, static_cast<double>(launch.blocks) / chip_.cores.aic);
    const double us = spec.head_us + spec.per_core_us * (cores - 1) +
                      (mixed ? spec.mix_extra_us + spec.mix_share_us * share : 0) +
                      (options_.from_idle ? spec.idle_us : 0);
    return static_cast<std::uint64_t>(std::llround(us * 1000 * chip_.cores.clock_ghz));
}

std::uint64_t Machine::tail_cycles() const {
    const double tail = options_.launch_overhead ? chip_.launch.tail_us * 1000 * chip_.cores.clock_ghz : 0;
    return static_cast<std::uint64_t>(std::llround(tail));
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

Machine::Ticket Machine::take(Launch launch, bool beside) {
    check_launch(launch);
    const std::uint64_t number = leader_->outcomes_.size();
    submitted_.push_back({std::move(launch), number, beside});
    leader_->outcomes_.emplace_back();
    top_->changed.notify(sc_core::SC_ZERO_TIME);
    return Ticket{number};
}

Machine::Ticket Machine::submit(Launch launch) {
    return take(std::move(launch), false);
}

Machine::Ticket Machine::submit_beside(Launch launch) {
    return take(std::move(launch), true);
}

const std::optional<LaunchOutcome>& Machine::outcome(Ticket ticket) const {
    return leader_->outcomes_[static_cast<std::size_t>(ticket)];
}

LaunchOutcome Machine::wait(Ticket ticket) {
    while (!outcome(ticket)) {
        sc_core::wait(leader_->top_->launch_ended);
    }
    return *outcome(ticket);
}

void Machine::let_pass(std::optional<std::uint64_t> cycle) {
    if (!cycle) {
        sc_core::wait(leader_->top_->launch_ended);
    } else if (*cycle > now_cycles()) {
        sc_core::wait(to_time(*cycle - now_cycles()), leader_->top_->launch_ended);
    }
}

void Machine::exchange_moved() {
    for (const std::uint32_t core : seated_) {
        top_->cores[core]->exchange_moved();
    }
    leader_->top_->launch_ended.notify(sc_core::SC_ZERO_TIME);
}

std::uint64_t Machine::now() const {
    return now_cycles();
}

void Machine::drain() {
    while (ended_ < outcomes_.size()) {
        sc_core::wait(leader_->top_->launch_ended);
    }
}

/// Begins launches, gives them cores, and ends them, each when its time has come.
void Machine::dispatch() {
    for (;;) {
        while (go_on()) {
        }
        if (const std::optional<std::uint64_t> next = next_change()) {
            sc_core::wait(to_time(*next - now_cycles()), top_->changed);
        } else {
            sc_core::wait(top_->changed);
        }
    }
}

bool Machine::go_on() {
    return end_next() || begin_next() || seat_next();
}

/// When something is to be done that is known already: a launch ends, a core becomes free, one may begin.
std::optional<std::uint64_t> Machine::next_change() const {
    const std::uint64_t now = now_cycles();
    std::optional<std::uint64_t> next;
    const auto at = [&](std::uint64_t cycle) {
        if (cycle > now) {
            next = std::min(next.value_or(cycle), cycle);
        }
    };
    bool waiting = false;
    for (const auto& launch : running_) {
        waiting = waiting || launch->seated < launch->seats;
        if (launch->open == 0) {
            at(launch->outcome.end);
        }
    }
    for (const Binding& binding : bindings_) {
        if (waiting && binding.launch != nullptr && binding.of().done) {
            at(binding.free_at);
        }
    }
    if (!submitted_.empty() && running_.empty()) {
        at(now_);
    }
    return next;
}

bool Machine::end_next() {
    Running* next = nullptr;
    for (const auto& launch : running_) {
        const bool due = launch->open == 0 && launch->outcome.end <= now_cycles();
        if (due && (next == nullptr || launch->outcome.end < next->outcome.end)) {
            next = launch.get();
        }
    }
    if (next == nullptr) {
        return false;
    }
    end(*next);
    return true;
}

bool Machine::begin_next() {
    if (submitted_.empty()) {
        return false;
    }
    const bool due = submitted_.front().beside || (running_.empty() && now_ <= now_cycles());
    if (!due) {
        return false;
    }
    Submitted next = std::move(submitted_.front());
    submitted_.pop_front();
    auto launch = std::make_unique<Running>(chip_, std::move(next.launch), next.number);
    launch->any_time = next.beside;
    const auto place = std::ranges::upper_bound(
        running_, launch->launch.priority, {}, [](const auto& other) { return other->launch.priority; });
    begin(**running_.insert(place, std::move(launch)));
    return true;
}

void Machine::begin(Running& launch) {
    if (exchange_server_ != nullptr) {
        exchange_server_->launch_begins();
    }
    launch.beside = running_.size() > 1;
    const auto cores = static_cast<std::uint32_t>(launch.members.size());
    launch.outcome = {
        .name = launch.launch.name, .start = now_cycles(), .cores = cores, .blocks = launch.launch.blocks};
    launch.outcome.first_core = launch.outcome.start + head_cycles(launch.launch, cores);
    announce(launch);
}

void Machine::announce(const Running& launch) const {
    if (options_.observer == nullptr) {
        return;
    }
    std::vector<isa::LaunchCore> cores;
    for (const Running::Member& member : launch.members) {
        cores.push_back({member.as.kind, member.as.index, member.as.group});
    }
    if (options_.launches != nullptr) {
        options_.launches->on_start(launch.number, cores, launch.beside);
    } else {
        options_.observer->on_launch(cores);
    }
    for (std::uint32_t core = 0; core < bindings_.size() && !launch.beside; ++core) {
        top_->cores[core]->forget_times();
    }
}

std::uint32_t Machine::number_of(const AiCore::Place& core) const {
    return (core.kind == CoreKind::aiv ? vector_core_ : cube_core_)[core.index];
}

bool Machine::is_free(std::uint32_t core) const {
    const Binding& binding = bindings_[core];
    return binding.launch == nullptr || (binding.of().done && binding.free_at <= now_cycles());
}

/// Launches take free cores in turn: one that waits for some keeps those behind it from taking them.
bool Machine::seat_next() {
    bool any = false;
    std::vector<bool> reserved(top_->cores.size());
    for (const auto& launch : running_) {
        const bool waits = launch->seated < launch->seats;
        for (std::uint32_t place = 0; place < launch->crew.places() && waits; ++place) {
            const std::vector<AiCore::Place> cores = launch->crew.cores(place);
            const bool free = std::ranges::all_of(cores, [&](const AiCore::Place& core) {
                return !reserved[number_of(core)] && is_free(number_of(core));
            });
            if (free && launch->seated < launch->seats) {
                seat(*launch, cores);
                any = true;
            }
            for (const AiCore::Place& core : cores) {
                reserved[number_of(core)] = true;
            }
        }
    }
    if (any) {
        list_cores();
    }
    return any;
}

void Machine::seat(Running& launch, const std::vector<AiCore::Place>& cores) {
    const std::uint32_t seat = launch.seated++;
    std::uint32_t number = launch.first[seat];
    const bool waited = now_cycles() > launch.outcome.start;  // for others to leave their places
    const std::uint64_t begin =
        std::max(launch.outcome.first_core, now_cycles() + (waited ? chip_.launch.block_cycles : 0));
    for (const AiCore::Place& as : cores) {
        const std::uint32_t core = number_of(as);
        Running::Member& member = launch.members[number];
        Binding& binding = bindings_[core];
        AiCore& of = *top_->cores[core];
        if (waited) {
            of.timeline().idle_until(begin, record::Reason::block);
        } else if (launch.any_time) {
            of.timeline().idle_until(launch.outcome.start, record::Reason::unused);
        }
        if (launch.beside) {
            of.forget_times();
        }
        of.timeline().idle_until(begin, record::Reason::launch);
        binding = {&launch, number};
        member.core = core;
        member.blocks = launch.crew.blocks_of(as, seat, launch.launch.blocks);
        member.arithmetic_before = of.arithmetic_cycles();
        start_block(core, begin);
        if (options_.launches != nullptr) {
            options_.launches->on_place(launch.number, number, of);
        }
        ++number;
    }
}

/// Lists the cores that work, in order.
void Machine::list_cores() {
    seated_.clear();
    for (std::uint32_t core = 0; core < bindings_.size(); ++core) {
        if (bindings_[core].launch != nullptr && !bindings_[core].of().done) {
            seated_.push_back(core);
        }
    }
    cores_used_ = std::max(cores_used_, static_cast<std::uint32_t>(seated_.size()));
}

void Machine::start_block(std::uint32_t core, std::uint64_t cycle) {
    const Binding& binding = bindings_[core];
    Running::Member& member = binding.of();
    const isa::CoreIdentity identity = member.blocks.front();
    member.blocks.pop_front();
    const Launch& launch = binding.launch->launch;
    top_->cores[core]->start(
        identity,
        cycle,
        binding.launch->crew.runs_vector_program(member.as) ? launch.vector_program : launch.cube_program,
        launch.argument_bytes);
}

void Machine::block_done(std::uint32_t core) {
    Binding& binding = bindings_[core];
    Running::Member& member = binding.of();
    Running& launch = *binding.launch;
    member.end = top_->cores[core]->timeline().finish();
    if (!member.blocks.empty()) {
        const std::uint64_t next = member.end + chip_.launch.block_cycles;
        top_->cores[core]->timeline().idle_until(next, record::Reason::block);
        start_block(core, next);
        return;
    }
    member.done = true;
    binding.free_at = member.end;
    launch.outcome.arithmetic_cycles += top_->cores[core]->arithmetic_cycles() - member.arithmetic_before;
    launch.outcome.cores_end = std::max(launch.outcome.cores_end, member.end);
    if (--launch.open == 0) {
        launch.outcome.end = launch.outcome.cores_end + tail_cycles();
    }
    if (launch.open == 0 || running_.size() > 1 || launch.seated < launch.seats) {
        top_->changed.notify(sc_core::SC_ZERO_TIME);
    }
}

void Machine::end(Running& launch) {
    const bool alone = running_.size() == 1;
    for (std::uint32_t core = 0; core < bindings_.size(); ++core) {
        const bool used = bindings_[core].launch == &launch;
        if (used || alone) {
            top_->cores[core]->timeline().idle_until(launch.outcome.end,
                                                     used ? record::Reason::tail : record::Reason::unused);
        }
    }
    note(launch);
    list_cores();
}

/// The launch is over.
void Machine::note(Running& launch) {
    launch.times->finish();
    fail_at_overflow(launch);
    const LaunchOutcome outcome = launch.outcome;
    now_ = std::max(now_, outcome.end);
    recorder_.event({{"kind", "launch"},
                     {"name", outcome.name},
                     {"start", outcome.start},
                     {"first_core", outcome.first_core},
                     {"cores_end", outcome.cores_end},
                     {"end", outcome.end},
                     {"cores", outcome.cores},
                     {"blocks", outcome.blocks}});
    leader_->launches_.push_back(outcome);
    leader_->outcomes_[launch.number] = outcome;
    ++leader_->ended_;
    if (options_.launches != nullptr) {
        options_.launches->on_done(launch.number);
    }
    for (Binding& binding : bindings_) {
        if (binding.launch == &launch) {
            binding = {};
        }
    }
    std::erase_if(running_, [&](const auto& other) { return other.get() == &launch; });
    leader_->top_->launch_ended.notify(sc_core::SC_ZERO_TIME);
}

void Machine::note_unfinished() {
    for (Machine* machine : all_) {
        while (!machine->running_.empty()) {
            machine->note_unfinished(*machine->running_.front());
        }
    }
}

void Machine::note_unfinished(Running& launch) {
    if (launch.open == 0) {
        end(launch);
        return;
    }
    LaunchOutcome& outcome = launch.outcome;
    const auto each = [&](const auto& work) {
        for (std::uint32_t core = 0; core < bindings_.size(); ++core) {
            if (bindings_[core].launch == &launch) {
                work(*top_->cores[core], bindings_[core].of());
            }
        }
    };
    each([&](AiCore& core, const Running::Member& member) {
        core.timeline().stop();
        outcome.cores_end = std::max(outcome.cores_end, core.timeline().complete());
        outcome.arithmetic_cycles += member.done ? 0 : core.arithmetic_cycles() - member.arithmetic_before;
    });
    each([&](AiCore& core, const Running::Member& /*member*/) {
        outcome.cores_end = std::max(outcome.cores_end, core.timeline().end_waits(outcome.cores_end));
    });
    outcome.end = outcome.cores_end;
    note(launch);
}

}  // namespace ascendsim
