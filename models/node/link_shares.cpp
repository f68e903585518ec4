// SPDX-License-Identifier: Apache-2.0
#include "models/node/link_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/error.hpp"

namespace ascendsim::node {
namespace {

constexpr double bytes_per_ps = 1e-3;  // of 1 GB/s

constexpr double endless = std::numeric_limits<double>::infinity();

double limit_of(const Flow& flow) {
    return flow.limit_gb_per_s > 0 ? flow.limit_gb_per_s * bytes_per_ps : endless;
}

}  // namespace

void LinkShares::grow(const std::vector<Link>& links) {
    for (std::size_t i = loads_.size(); i < links.size(); ++i) {
        loads_.push_back({.rate = links[i].gb_per_s * bytes_per_ps, .flows = {}});
    }
}

void LinkShares::find_flows(const TaskGraph& graph) {
    for (const auto& [task, slot] : slots_) {
        active_[slot].flow = graph.flow(task);
    }
}

std::uint32_t LinkShares::slot_of(TaskId task) const {
    const auto at = std::ranges::lower_bound(slots_, task, {}, [](const auto& slot) { return slot.first; });
    check(at != slots_.end() && at->first == task, "flow {} is not under way", index(task));
    return at->second;
}

void LinkShares::touch(const Flow& flow) {
    for (const LinkId link : flow.route) {
        Load& load = loads_[index(link)];
        if (!load.touched) {
            load.touched = true;
            links_touched_.push_back(static_cast<std::uint32_t>(index(link)));
        }
    }
}

void LinkShares::begin(TaskId task, const Flow& flow, Picoseconds now) {
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
        slot = static_cast<std::uint32_t>(active_.size());
        active_.emplace_back();
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
    }
    active_[slot] = {.task = task, .flow = &flow, .left = static_cast<double>(flow.bytes), .since = now};
    const auto place =
        std::ranges::lower_bound(slots_, task, {}, [](const auto& other) { return other.first; });
    slots_.insert(place, {task, slot});
    for (const LinkId link : flow.route) {
        loads_[index(link)].flows.push_back(slot);
    }
    touch(flow);
    if (flow.route.empty()) {
        flows_touched_.push_back(slot);
    }
}

void LinkShares::end(TaskId task, Picoseconds /*now*/) {
    const std::uint32_t slot = slot_of(task);
    const Flow& flow = *active_[slot].flow;
    for (const LinkId link : flow.route) {
        std::erase(loads_[index(link)].flows, slot);
    }
    touch(flow);
    std::erase_if(slots_, [task](const auto& other) { return other.first == task; });
    active_[slot].flow = nullptr;
    free_slots_.push_back(slot);
}

void LinkShares::gather() {
    for (std::size_t i = 0; i < links_touched_.size(); ++i) {  // grows on the way
        for (const std::uint32_t slot : loads_[links_touched_[i]].flows) {
            Active& active = active_[slot];
            if (!active.settled) {
                active.settled = true;
                flows_touched_.push_back(slot);
                touch(*active.flow);
            }
        }
    }
    for (const std::uint32_t slot : flows_touched_) {
        active_[slot].settled = false;
    }
    std::ranges::sort(flows_touched_, {}, [this](std::uint32_t slot) { return active_[slot].task; });
    for (const std::uint32_t link : links_touched_) {
        Load& load = loads_[link];
        load.free = load.rate;
        load.open = static_cast<std::uint32_t>(load.flows.size());
        load.touched = false;
    }
}

void LinkShares::settle(Active& active, Picoseconds now, double rate) {
    active.left = std::max(0.0, active.left - active.rate * static_cast<double>(now - active.since));
    active.since = now;
    active.rate = rate;
    active.settled = true;
    for (const LinkId link : active.flow->route) {
        Load& load = loads_[index(link)];
        load.free = std::max(0.0, load.free - rate);
        --load.open;
    }
    constexpr double rounding_ps = 1e-3;  // of a quotient that is a whole number of picoseconds
    const double time = std::max(0.0, std::ceil(active.left / rate - rounding_ps));
    forecasts_.push_back({active.task, now + static_cast<Picoseconds>(time)});
}

double LinkShares::tightest() const {
    double share = endless;
    for (const std::uint32_t link : links_touched_) {
        const Load& load = loads_[link];
        if (load.open > 0) {
            share = std::min(share, load.free / load.open);
        }
    }
    for (const std::uint32_t slot : flows_touched_) {
        if (!active_[slot].settled) {
            share = std::min(share, limit_of(*active_[slot].flow));
        }
    }
    return share;
}

void LinkShares::fill(Picoseconds now) {
    constexpr double tie = 1 + 1e-12;  // shares that differ by rounding only
    std::size_t open = flows_touched_.size();
    while (open > 0) {
        const double share = tightest();
        check(std::isfinite(share) && share > 0, "a flow finds no rate");
        std::vector<std::uint32_t> held;
        for (const std::uint32_t slot : flows_touched_) {
            const Active& active = active_[slot];
            const bool at_link = std::ranges::any_of(active.flow->route, [&](LinkId link) {
                const Load& load = loads_[index(link)];
                return load.free / load.open <= share * tie;
            });
            if (!active.settled && (at_link || limit_of(*active.flow) <= share * tie)) {
                held.push_back(slot);
            }
        }
        for (const std::uint32_t slot : held) {
            settle(active_[slot], now, share);
        }
        open -= held.size();
    }
}

const std::vector<LinkShares::Forecast>& LinkShares::share(Picoseconds now) {
    forecasts_.clear();
    gather();
    fill(now);
    for (const std::uint32_t slot : flows_touched_) {
        active_[slot].settled = false;
    }
    flows_touched_.clear();
    links_touched_.clear();
    return forecasts_;
}

}  // namespace ascendsim::node
