// SPDX-License-Identifier: Apache-2.0
#include "models/core/cross_flags.hpp"

#include <algorithm>

namespace ascendsim {
namespace {

/// SyncAll has counters of its own; modes 0 to 2 share one counter for each id.
std::uint32_t space(std::uint32_t mode) {
    return mode < CrossFlags::mode_sync_kind ? 0 : mode;
}

bool whole_chip(std::uint32_t mode) {
    return mode == CrossFlags::mode_all_of_kind || mode == CrossFlags::mode_sync_kind ||
           mode == CrossFlags::mode_sync_all;
}

}  // namespace

bool CrossFlags::arrives(std::uint32_t other, std::uint32_t core, std::uint32_t mode) const {
    const Participant& a = participants_[other];
    const Participant& b = participants_[core];
    if (mode == mode_sync_all) {
        return true;
    }
    if (mode == mode_message) {
        return other == core;
    }
    return a.kind == b.kind && (whole_chip(mode) || a.group == b.group);
}

bool CrossFlags::raised_by(std::uint32_t other,
                           std::uint32_t core,
                           std::uint32_t mode,
                           std::uint32_t id) const {
    if (mode == mode_group || mode == mode_message) {
        const Participant& a = participants_[other];
        const Participant& b = participants_[core];
        const bool addressed = mode == mode_group || a.kind == CoreKind::aic || a.sub == message_sub(id);
        return a.group == b.group && a.kind != b.kind && addressed;
    }
    return arrives(other, core, mode);
}

std::vector<std::uint32_t> CrossFlags::set(std::uint32_t core,
                                           std::uint32_t mode,
                                           std::uint32_t id,
                                           Raise arrival) {
    const Participant& self = participants_[core];
    const Meeting meeting{
        mode, id, whole_chip(mode) ? 0 : self.group, mode == mode_sync_all ? CoreKind::aic : self.kind};
    auto& arrived = arrivals_[meeting];
    if (arrived.empty()) {
        for (std::uint32_t other = 0; other < participants_.size(); ++other) {
            if (arrives(other, core, mode)) {
                arrived[other] = {};
            }
        }
    }
    arrived[core].push_back(arrival);
    if (std::ranges::any_of(arrived, [](const auto& entry) { return entry.second.empty(); })) {
        return {};
    }
    Raise last;
    for (auto& [other, queue] : arrived) {
        if (!last.by.valid() || queue.front().time > last.time) {
            last = queue.front();
        }
        queue.pop_front();
    }
    std::vector<std::uint32_t> up;
    for (std::uint32_t other = 0; other < participants_.size(); ++other) {
        if (raised_by(other, core, mode, id)) {
            raises_[{other, space(mode), id}].push_back(last);
            up.push_back(other);
        }
    }
    return up;
}

std::optional<Raise> CrossFlags::take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    const auto found = raises_.find({core, space(mode), id});
    if (found == raises_.end() || found->second.empty()) {
        return std::nullopt;
    }
    const Raise raise = found->second.front();
    found->second.pop_front();
    return raise;
}

std::optional<std::uint64_t> CrossFlags::earliest(std::uint32_t core,
                                                  std::uint32_t mode,
                                                  std::uint32_t id) const {
    const auto found = raises_.find({core, space(mode), id});
    if (found == raises_.end() || found->second.empty()) {
        return std::nullopt;
    }
    return found->second.front().time;
}

std::size_t CrossFlags::raised(std::uint32_t core, std::uint32_t mode, std::uint32_t id) const {
    const auto found = raises_.find({core, space(mode), id});
    return found == raises_.end() ? 0 : found->second.size();
}

std::vector<std::uint32_t> CrossFlags::awaited(std::uint32_t core,
                                               std::uint32_t mode,
                                               std::uint32_t id) const {
    std::vector<std::uint32_t> missing;
    for (const auto& [meeting, arrived] : arrivals_) {
        if (space(std::get<0>(meeting)) != space(mode) || std::get<1>(meeting) != id) {
            continue;
        }
        for (const auto& [other, queue] : arrived) {
            if (queue.empty() && (raised_by(other, core, std::get<0>(meeting), id) || other == core)) {
                missing.push_back(other);
            }
        }
    }
    return missing;
}

}  // namespace ascendsim
