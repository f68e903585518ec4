// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/cross_flags.hpp"

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

std::vector<std::uint32_t> CrossFlags::set(
    std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) {
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
    arrived[core].push_back({arrival, core, site});
    if (std::ranges::any_of(arrived, [](const auto& entry) { return entry.second.empty(); })) {
        return {};
    }
    Arrival last;
    for (auto& [other, queue] : arrived) {
        if (!last.raise.by.valid() || queue.front().raise.time > last.raise.time) {
            last = queue.front();
        }
        queue.pop_front();
    }
    std::vector<std::uint32_t> up;
    for (std::uint32_t other = 0; other < participants_.size(); ++other) {
        if (raised_by(other, core, mode, id)) {
            raise({other, space(mode), id}, last);
            up.push_back(other);
        }
    }
    return up;
}

void CrossFlags::raise(const Place& place, const Arrival& last) {
    Counter& counter = counters_[place];
    counter.raised.push_back(last);
    if (!limited(place) || counter.raised.size() > *counter_max_) {
        return;  // take() or finish() tells
    }
    // The raise that came `counter_max_` before this one has been taken; the latest was so many before.
    const std::size_t back = *counter_max_ - counter.raised.size();
    if (back < counter.taken.size()) {
        check(place, last, counter.taken[counter.taken.size() - 1 - back]);
    }
}

std::optional<Raise> CrossFlags::take(std::uint32_t core,
                                      std::uint32_t mode,
                                      std::uint32_t id,
                                      std::uint64_t now) {
    const Place place{core, space(mode), id};
    const auto found = counters_.find(place);
    if (found == counters_.end() || found->second.raised.empty()) {
        return std::nullopt;
    }
    Counter& counter = found->second;
    const Raise raise = counter.raised.front().raise;
    counter.raised.pop_front();
    if (limited(place)) {
        const std::uint64_t time = std::max(now, raise.time);
        counter.taken.push_back(time);
        if (counter.taken.size() > *counter_max_) {
            counter.taken.pop_front();
        }
        if (counter.raised.size() >= *counter_max_) {
            check(place, counter.raised[*counter_max_ - 1], time);
        }
    }
    return raise;
}

void CrossFlags::check(const Place& place, const Arrival& raise, std::uint64_t freed) {
    if (!overflow_ && raise.raise.time < freed) {
        overflow_ = {.setter = raise.core,
                     .waiter = std::get<0>(place),
                     .id = std::get<2>(place),
                     .time = raise.raise.time,
                     .site = raise.site};
    }
}

void CrossFlags::finish() {
    for (const auto& [place, counter] : counters_) {
        if (limited(place) && counter.raised.size() > *counter_max_) {
            check(place, counter.raised[*counter_max_], ~std::uint64_t{0});
        }
    }
}

std::optional<std::uint64_t> CrossFlags::earliest(std::uint32_t core,
                                                  std::uint32_t mode,
                                                  std::uint32_t id) const {
    const auto found = counters_.find({core, space(mode), id});
    if (found == counters_.end() || found->second.raised.empty()) {
        return std::nullopt;
    }
    return found->second.raised.front().raise.time;
}

std::size_t CrossFlags::raised(std::uint32_t core, std::uint32_t mode, std::uint32_t id) const {
    const auto found = counters_.find({core, space(mode), id});
    return found == counters_.end() ? 0 : found->second.raised.size();
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
