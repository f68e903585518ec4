// SPDX-License-Identifier: Apache-2.0
// Where a core's program itself waits: for another program, for a message, for the clock.
#include "models/core/ai_core.hpp"
#include "models/port/plain_access.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {

void AiCore::await_program(std::uint32_t mode, std::uint32_t id, const std::string& what) {
    collect();
    if (host_.program_take(place_.number, mode, id)) {
        return;
    }
    if (late_effects_ && late_effects_->draw()) {
        land_effects();
    }
    program_stuck_ = what;
    do {
        program_state_ = ProgramState::at_flag;
        if (starves()) {
            host_.resume_held_programs();
        }
        suspend(program_event_);
    } while (!host_.program_take(place_.number, mode, id));
    program_state_ = ProgramState::issuing;
    program_stuck_.clear();
}

void AiCore::await_cross_flag(std::uint32_t id, Site site) {
    await_program(0, id, fmt::format("cross-core flag {} at {}:{}", id, site.file, site.line));
}

void AiCore::raise_cross_flag(std::uint32_t mode, std::uint32_t id, Site /*site*/) {
    collect();
    host_.program_arrive(place_.number, mode, id);
    hold_back();
}

void AiCore::await_all(bool both_kinds, Site site) {
    const std::uint32_t mode = both_kinds ? CrossFlags::mode_sync_all : CrossFlags::mode_sync_kind;
    collect();
    host_.program_arrive(place_.number, mode, 0);
    await_program(mode, 0, fmt::format("SyncAll at {}:{}", site.file, site.line));
}

void AiCore::raise_answer(std::uint32_t id, Site /*site*/) {
    land_effects();
    collect();
    host_.program_arrive(place_.number, CrossFlags::mode_message, id);
}

void AiCore::await_answer(std::uint32_t id, Site site) {
    await_program(
        CrossFlags::mode_message, id, fmt::format("the cube core's answer at {}:{}", site.file, site.line));
}

void AiCore::settle_backlog() {
    while (!backlog_.empty()) {
        suspend(room_event_);
    }
}

std::optional<std::uint32_t> AiCore::arrived(std::span<const std::uint32_t> ids, std::uint64_t& cycle) const {
    std::optional<std::uint32_t> first;
    for (const std::uint32_t id : ids) {
        const std::optional<std::uint64_t> time =
            host_.cross_earliest(place_.number, CrossFlags::mode_message, id);
        if (time && (!first || *time < cycle)) {
            first = id;
            cycle = *time;
        }
    }
    return first;
}

std::uint32_t AiCore::await_message(std::span<const std::uint32_t> ids, Site site) {
    // Which message comes first is a question of time, so the program waits for the clock here.
    land_effects();
    collect();
    program_state_ = ProgramState::settling;
    settle_backlog();
    program_stuck_ = fmt::format("a message of a vector core at {}:{}", site.file, site.line);
    await_time(ProgramState::at_message);
    std::uint64_t cycle = 0;
    std::optional<std::uint32_t> first = arrived(ids, cycle);
    isa::close_plain_runs();
    while (!first || cycle > now_cycles()) {
        const isa::StepsAside aside;
        current_ = nullptr;
        if (first) {
            sc_core::wait(to_time(cycle - now_cycles()), room_event_);
        } else {
            sc_core::wait(room_event_);
        }
        stay_if_stopped();
        current_ = this;
        first = arrived(ids, cycle);
    }
    program_state_ = ProgramState::issuing;
    program_stuck_.clear();
    return *first;
}

/// The program waits for time to pass, so those held back go on.
void AiCore::await_time(ProgramState how) {
    program_state_ = how;
    host_.resume_held_programs();
}

/// Everything issued before is timed, and the simulation has reached the time at which the scalar unit
/// stands.
void AiCore::await_its_time() {
    collect();
    program_state_ = ProgramState::settling;
    settle_backlog();
    await_time(ProgramState::polling);
    while (timeline_.scalar_time() > now_cycles()) {
        poll_event_.notify(to_time(timeline_.scalar_time() - now_cycles()));
        suspend(poll_event_);
    }
    program_state_ = ProgramState::issuing;
}

void AiCore::yield() {
    // What a polling program waits for appears when another program has executed its store: first let
    // programs run, then, as one of them may itself stand at its clock, let time pass.
    constexpr std::uint32_t polls_without_time = 16;
    constexpr std::uint64_t poll_cycles = 100;
    if (!look_ahead_.alone()) {
        collect();
        suspect();
    }
    if (look_ahead_.alone()) {
        return;  // if the program looks at what it polls, it gives up there
    }
    host_.land_effects();
    await_time(ProgramState::polling);
    ++polls_;
    poll_event_.notify(polls_ < polls_without_time ? sc_core::SC_ZERO_TIME : to_time(poll_cycles));
    suspend(poll_event_);
    program_state_ = ProgramState::issuing;
}

void AiCore::land_effects() {
    if (!late_effects_) {
        return;
    }
    isa::CorePort* running = current_;
    current_ = this;
    late_effects_->land_all();
    current_ = running;
}

std::uint64_t AiCore::system_cycle(Site site) {
    static constexpr isa::OpInfo info{"system_cycle", "The kernel reads the core's clock."};
    push({.info = &info, .site = site, .kind = isa::OpKind::system_cycle, .pipe = Pipe::scalar, .scalar = 1});
    return settled_cycle();
}

std::uint64_t AiCore::settled_cycle() {
    collect();
    program_state_ = ProgramState::settling;
    settle_backlog();
    program_state_ = ProgramState::issuing;
    return timeline_.scalar_time();
}

void AiCore::await_exchange(const isa::OpInfo& info,
                            Site site,
                            const std::function<std::optional<std::uint64_t>()>& end,
                            const std::function<std::string()>& why) {
    land_effects();
    static_cast<void>(settled_cycle());
    std::optional<std::uint64_t> cycle = end();
    exchange_stuck_ = why;
    while (!cycle) {
        await_time(ProgramState::at_exchange);
        suspend(program_event_);
        cycle = end();
    }
    program_state_ = ProgramState::issuing;
    exchange_stuck_ = {};
    timeline_.hold({.info = &info, .site = site, .pipe = Pipe::scalar}, *cycle);
}

}  // namespace ascendsim
