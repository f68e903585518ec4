// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_devices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

constexpr double cycles_per_us = 1000;  // at 1 GHz

}  // namespace

void ProgramDevices::note(const LaunchOutcome& outcome) {
    first_start_ = launched_ == 0 ? outcome.start : std::min(first_start_, outcome.start);
    last_end_ = std::max(last_end_, outcome.end);
    ++launched_;
}

/// A program of which nobody saw that it uses several devices has one chip for all.
Machine& ProgramDevices::machine_of(std::uint32_t device) const {
    if (machines_.size() > 1 && device >= machines_.size()) {
        throw UserError{
            "a kernel is launched on device {}: {} chips are simulated at a time, devices 0 to {}",
            device,
            machines_.size(),
            machines_.size() - 1};
    }
    return *machines_[machines_.size() == 1 ? 0 : device];
}

node::KernelLoad ProgramDevices::execute(std::uint32_t device,
                                         const Launch& launch,
                                         sanitize::StreamWork work) {
    Machine& machine = machine_of(device);
    const Machine::Ticket ticket = machine.submit(launch);
    if (checker_ != nullptr) {
        checker_->watch(static_cast<std::uint64_t>(ticket), std::move(work), machine.memory());
    }
    const LaunchOutcome outcome = machine.wait(ticket);
    note(outcome);
    starts_.push_back({.cycle = outcome.start});
    const CoresSpec& cores = chip_.cores;
    const auto share = [&](std::uint32_t all, std::uint32_t each) {
        return all == 0 ? 0.0 : std::min(1.0, static_cast<double>(launch.blocks) * each / all);
    };
    const bool cube = cores.split ? launch.kind != CoreUse::aiv : false;
    const bool vector = !cores.split || launch.kind != CoreUse::aic;
    const std::uint32_t vector_cores = cores.split ? cores.aiv : cores.aic;
    return {.us = static_cast<double>(outcome.end - outcome.start) / cores.clock_ghz / cycles_per_us,
            .cube_share = cube ? share(cores.aic, 1) : 0,
            .vector_share =
                vector ? share(vector_cores, launch.kind == CoreUse::mix_1_2 && cores.split ? 2 : 1) : 0};
}

std::uint64_t ProgramDevices::add(std::uint32_t device, Launch launch, sanitize::StreamWork work) {
    waiting_.emplace(next_, Waiting{device, std::move(launch), std::move(work)});
    return next_++;
}

void ProgramDevices::note_accesses(sanitize::StreamWork work,
                                   const program::CallPlace& call,
                                   const isa::Access& read,
                                   const isa::Access& written) {
    if (checker_ != nullptr) {
        checker_->note(std::move(work),
                       std::array{read, written},
                       {.op = call.name, .file = call.site.file, .line = call.site.line},
                       machines_.front()->memory());
    }
}

void ProgramDevices::note_copy(sanitize::StreamWork work,
                               const program::CallPlace& call,
                               const program::CopyRequest& request) {
    note_accesses(std::move(work),
                  call,
                  {.memory = Memory::gm,
                   .offset = request.read_at.value_or(0),
                   .row_bytes = request.read_at ? request.length : 0},
                  {.memory = Memory::gm,
                   .write = true,
                   .offset = request.written_at.value_or(0),
                   .row_bytes = request.written_at ? request.length : 0});
}

void ProgramDevices::note_free(sanitize::StreamWork work,
                               const program::CallPlace& call,
                               std::uint64_t offset,
                               std::uint64_t bytes) {
    note_accesses(std::move(work),
                  call,
                  {.memory = Memory::gm},
                  {.memory = Memory::gm, .write = true, .offset = offset, .row_bytes = bytes});
}

void ProgramDevices::note_exchange(sanitize::StreamWork work,
                                   const program::CallPlace& call,
                                   const program::ExchangePart& part) {
    note_accesses(std::move(work),
                  call,
                  {.memory = Memory::gm, .offset = part.from_at, .row_bytes = part.from_bytes},
                  {.memory = Memory::gm, .write = true, .offset = part.to_at, .row_bytes = part.to_bytes});
}

node::Picoseconds ProgramDevices::time_of(std::uint64_t cycle) const {
    return base_ + node::picoseconds(static_cast<double>(cycle - base_cycle_) / chip_.cores.clock_ghz /
                                     cycles_per_us);
}

std::uint64_t ProgramDevices::cycle_of(node::Picoseconds time) const {
    return base_cycle_ + static_cast<std::uint64_t>(std::floor(node::microseconds(time - base_) *
                                                               chip_.cores.clock_ghz * cycles_per_us));
}

void ProgramDevices::start(std::uint64_t kernel, node::Picoseconds now) {
    if (under_way_.empty()) {
        base_ = now;
        base_cycle_ = machines_.front()->now();
        starts_.push_back({.cycle = base_cycle_, .at = base_});
    }
    auto entry = waiting_.extract(kernel);
    Waiting& waiting = entry.mapped();
    Machine& machine = machine_of(waiting.device);
    bool beside = false;
    for (UnderWay& other : under_way_) {
        if (&machine_of(other.device) == &machine) {
            other.beside = true;
            beside = true;
        }
    }
    const Machine::Ticket ticket = machine.submit_beside(std::move(waiting.launch));
    if (checker_ != nullptr) {
        checker_->watch(static_cast<std::uint64_t>(ticket), std::move(waiting.work), machine.memory());
    }
    under_way_.push_back({kernel, waiting.device, ticket, beside});
}

void ProgramDevices::at_cycle(std::uint64_t cycle, std::function<void(node::Picoseconds)> what) {
    requests_.emplace(cycle, std::move(what));
    machines_.front()->exchange_moved();
}

/// The first request, if its time has come and no kernel ended before.
std::vector<node::KernelRunner::Ended> ProgramDevices::take_request(std::optional<node::Picoseconds> until) {
    if (requests_.empty() || requests_.begin()->first > machines_.front()->now()) {
        return {};
    }
    const node::Picoseconds at = time_of(requests_.begin()->first);
    const bool later = std::ranges::any_of(under_way_, [&](const UnderWay& one) {
        const std::optional<LaunchOutcome>& outcome = machines_.front()->outcome(one.ticket);
        return outcome && time_of(outcome->end) < at;
    });
    if (later || (until && at > *until)) {
        return {};
    }
    const auto request = requests_.extract(requests_.begin());
    request.mapped()(at);
    return {{.kernel = {}, .at = at}};
}

/// Those that ended first.
std::vector<node::KernelRunner::Ended> ProgramDevices::take_ended(std::optional<node::Picoseconds> until) {
    std::vector<Ended> result;
    for (const UnderWay& one : under_way_) {
        if (const std::optional<LaunchOutcome>& outcome = machines_.front()->outcome(one.ticket)) {
            result.push_back({one.kernel, time_of(outcome->end), one.beside});
        }
    }
    if (std::vector<Ended> asked = take_request(until); !asked.empty()) {
        return asked;
    }
    const auto earliest = std::ranges::min_element(result, {}, &Ended::at);
    if (earliest == result.end() || (until && earliest->at > *until)) {
        return {};
    }
    const node::Picoseconds at = earliest->at;
    std::erase_if(result, [at](const Ended& one) { return one.at != at; });
    for (const Ended& one : result) {
        const auto done = std::ranges::find(under_way_, one.kernel.value(), &UnderWay::kernel);
        note(*machines_.front()->outcome(done->ticket));
        under_way_.erase(done);
    }
    return result;
}

std::vector<node::KernelRunner::Ended> ProgramDevices::go_on(std::optional<node::Picoseconds> until) {
    const std::optional<std::uint64_t> to = until ? std::optional{cycle_of(*until)} : std::nullopt;
    for (;;) {
        std::vector<Ended> done = take_ended(until);
        if (!done.empty() || (to && machines_.front()->now() >= *to)) {
            return done;
        }
        const std::optional<std::uint64_t> asked =
            requests_.empty() ? std::nullopt : std::optional{requests_.begin()->first};
        machines_.front()->let_pass(to && asked ? std::min(*to, *asked) : to ? to : asked);
    }
}

}  // namespace ascendsim::runtime
