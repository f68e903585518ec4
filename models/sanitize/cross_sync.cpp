// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/cross_sync.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ascendsim::sanitize {

void CrossSync::start(std::span<const isa::LaunchCore> cores) {
    sets_.clear();
    std::vector<Participant> participants;
    for (const isa::LaunchCore& core : cores) {
        participants.push_back({core.kind, core.group, core.core % std::max(1U, chip_.cores.aiv_per_aic)});
    }
    participants_ = participants;
    clocks_.emplace(std::move(participants));
}

void CrossSync::synchronise(CoreState& core, const isa::TimedOp& op) {
    const bool all = op.kind == isa::OpKind::sync_all;
    const std::uint32_t mode = !all        ? op.a
                               : op.a == 0 ? CrossFlags::mode_sync_kind
                                           : CrossFlags::mode_sync_all;
    if (op.kind != isa::OpKind::cross_wait) {
        // A message tells of everything its sender has issued: the framework orders its own copies.
        const bool message =
            mode == CrossFlags::mode_message && (op.pipe == Pipe::scalar || op.pipe == Pipe::mte3);
        if (all || message) {
            core.complete_all();
        }
        arrive(core, op, mode);
    }
    if (op.kind != isa::OpKind::cross_set) {
        core.cross_wait = {op.pipe,
                           all || op.a == CrossFlags::mode_message ? mode : 0,
                           all ? 0 : op.id,
                           cores_.touch_of(core, op)};
    }
}

void CrossSync::arrive(const CoreState& core, const isa::TimedOp& op, std::uint32_t mode) {
    Clock clock = core.complete(op.pipe);
    clock.known[scalar_reads] = core.last[scalar_reads];
    auto told =
        clock.foreign ? std::make_shared<Foreign>(*clock.foreign) : std::make_shared<Foreign>(cores_.size());
    raise_to((*told)[core.number], clock.known);
    clock.foreign = std::move(told);
    if (mode == CrossFlags::mode_group) {
        check_partner(core, op);
    }
    if (mode != CrossFlags::mode_message) {
        sets_[{core.number, op.id}] = cores_.touch_of(core, op);
    }
    clocks_->arrive(core.number, mode, op.kind == isa::OpKind::sync_all ? 0 : op.id, clock);
}

/// A set of mode 2 is for the cores of the other kind in the group: there may be none in the launch.
void CrossSync::check_partner(const CoreState& core, const isa::TimedOp& op) {
    const Participant& own = participants_[core.number];
    const bool has_partner = std::ranges::any_of(participants_, [&own](const Participant& other) {
        return other.group == own.group && other.kind != own.kind;
    });
    if (has_partner) {
        return;
    }
    const bool vector = own.kind == CoreKind::aiv;
    if (Finding* finding = reporter_.report(Kind::set_never_waited, cores_.touch_of(core, op))) {
        finding->message = fmt::format(
            "cross-core flag {} of mode 2 is for the {} of the group, of which the launch has none",
            op.id,
            vector ? "cube core" : "vector cores");
        finding->hint =
            fmt::format("Mode 0 meets all cores of one kind{}; or launch the kernel as a mixed one.",
                        vector ? ", mode 1 the vector cores of a group" : "");
    }
}

void CrossSync::take(CoreState& core) {
    const CoreState::CrossWait wait = *core.cross_wait;
    std::optional<Clock> clock = clocks_->take(core.number, wait.mode, wait.id);
    core.cross_wait.reset();
    if (!clock) {
        return;  // a core without a machine does not wait for others
    }
    if (clock->foreign) {
        raise_to(clock->known, (*clock->foreign)[core.number]);
    }
    core.learn(wait.pipe, *clock);
}

void CrossSync::check_waits() {
    for (const auto& core : cores_) {
        if (!core->cross_wait ||
            clocks_->raised(core->number, core->cross_wait->mode, core->cross_wait->id) != 0) {
            continue;
        }
        const CoreState::CrossWait wait = *core->cross_wait;
        core->cross_wait.reset();
        if (Finding* finding = reporter_.report(Kind::wait_never_set, wait.touch)) {
            finding->message = fmt::format(
                "{} waits for cores that never arrive{}", wait.touch.info->name, absent(*core, wait));
            finding->hint =
                "Every core that takes part must set the flag, or call SyncAll, as often." + flags_up(*core);
        }
    }
}

/// The cores that a wait lacks, as far as others have arrived.
std::string CrossSync::absent(const CoreState& core, const CoreState::CrossWait& wait) const {
    constexpr std::size_t most = 4;
    std::vector<std::string> names;
    for (const std::uint32_t other : clocks_->awaited(core.number, wait.mode, wait.id)) {
        names.push_back(cores_[other].title);
    }
    if (names.empty() || names.size() + 1 >= cores_.size()) {
        return {};
    }
    const std::size_t more = names.size() - std::min(names.size(), most);
    names.resize(names.size() - more);
    return fmt::format(": {}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

void CrossSync::check_left() {
    for (const auto& core : cores_) {
        if (core->cross_wait) {
            take(*core);
        }
    }
    for (const auto& core : cores_) {
        for (std::uint32_t id = 0; id < chip_.sync.cross_flag_ids; ++id) {
            const Touch* set = clocks_->raised(core->number, 0, id) == 0 ? nullptr : set_of(*core, id);
            if (set == nullptr) {
                continue;
            }
            if (Finding* finding = reporter_.report(Kind::set_never_waited, *set)) {
                finding->message = fmt::format(
                    "cross-core flag {} is still up on {} at the end of the launch", id, core->title);
                finding->hint =
                    "Add the CrossCoreWaitFlag on that core, or leave the last CrossCoreSetFlag out.";
            }
        }
    }
}

const Touch* CrossSync::set_of(const CoreState& core, std::uint32_t id) const {
    const auto own = sets_.find({core.number, id});
    if (own != sets_.end()) {
        return &own->second;
    }
    const auto other =
        std::ranges::find_if(sets_, [id](const auto& entry) { return entry.first.second == id; });
    return other == sets_.end() ? nullptr : &other->second;
}

const Touch* CrossSync::set_at(const CoreState& core, Site site) const {
    const auto found = std::ranges::find_if(sets_, [&](const auto& entry) {
        const Touch& touch = entry.second;
        return entry.first.first == core.number && touch.site.line == site.line &&
               std::string_view{touch.site.file} == site.file;
    });
    return found == sets_.end() ? nullptr : &found->second;
}

/// Cross-core flags that this core could take and does not ask for: one of them may be the one that was
/// meant.
std::string CrossSync::flags_up(const CoreState& core) const {
    std::string text;
    for (std::uint32_t id = 0; id < chip_.sync.cross_flag_ids; ++id) {
        if (const Touch* set = clocks_->raised(core.number, 0, id) == 0 ? nullptr : set_of(core, id)) {
            text += fmt::format(
                " Flag {} is up and nobody waits for it: {}:{} sets it.", id, set->site.file, set->site.line);
        }
    }
    return text;
}

}  // namespace ascendsim::sanitize
