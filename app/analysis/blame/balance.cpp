// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/balance.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/pipe_units.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;

struct Window {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};

// The lanes of each core, by its kind ("aic", "aiv", "core") and number.
using Core = std::vector<std::uint32_t>;
using Kinds = std::map<std::string, std::map<std::uint32_t, Core>>;

Kinds kinds_of(const record::Recording& recording) {
    Kinds kinds;
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const record::Lane& lane = recording.lane(number);
        if (lane.core_index) {
            kinds[core_kind(lane.path.core())][*lane.core_index].push_back(number);
        }
    }
    return kinds;
}

std::vector<Window> launches_of(const record::Recording& recording, std::uint64_t from, std::uint64_t to) {
    std::vector<Window> windows;
    const nlohmann::json& totals = recording.totals();  // null while the run goes on
    const nlohmann::json launches =
        totals.is_object() ? totals.value("launches", nlohmann::json::array()) : nlohmann::json::array();
    for (const nlohmann::json& launch : launches) {
        const Window window{std::max(from, launch.value("start", from)),
                            std::min(to, launch.value("end", to))};
        if (window.from < window.to) {
            windows.push_back(window);
        }
    }
    return windows.empty() ? std::vector<Window>{{from, to}} : windows;
}

struct Idle {
    std::uint64_t done = 0;
    std::uint64_t unused = 0;

    [[nodiscard]] std::uint64_t all() const { return done + unused; }
};

bool takes_part(const record::Recording& recording, const Core& core, Window window) {
    return std::ranges::any_of(
        core, [&](std::uint32_t lane) { return is_used(recording.lane(lane), window.from, window.to); });
}

// A core is idle while none of its pipes has more to do.
Idle idle_of(const record::Recording& recording, const Core& core, Window window) {
    Idle least{.done = window.to - window.from, .unused = 0};
    for (const std::uint32_t number : core) {
        if (recording.lane(number).size() == 0) {
            continue;
        }
        const record::Occupancy cycles = record::occupancy(recording, number, window.from, window.to);
        const Idle idle{.done = cycles[Reason::tail], .unused = cycles[Reason::unused]};
        least = idle.all() <= least.all() ? idle : least;
    }
    return least;
}

/// What the cores of a kind stand idle in a launch.
struct MeanIdle {
    std::uint64_t done = 0;  // of those that take part: a core without work has not finished early
    std::uint64_t all = 0;   // of all that could
};

/// None if the launch does not take the kind.
std::optional<MeanIdle> mean_idle(const record::Recording& recording,
                                  const std::map<std::uint32_t, Core>& cores,
                                  Window window) {
    MeanIdle sum;
    std::uint64_t taking_part = 0;
    for (const auto& [index, core] : cores) {
        const Idle idle = idle_of(recording, core, window);
        sum.all += idle.all();
        if (takes_part(recording, core, window)) {
            sum.done += idle.done;
            ++taking_part;
        }
    }
    return taking_part == 0 ? std::nullopt
                            : std::optional{MeanIdle{sum.done / taking_part, sum.all / cores.size()}};
}

bool has_spare(const record::Recording& recording,
               const std::map<std::uint32_t, Core>& cores,
               Window window) {
    const auto used = std::ranges::count_if(
        cores, [&](const auto& core) { return takes_part(recording, core.second, window); });
    return used > 0 && static_cast<std::size_t>(used) < cores.size();
}

}  // namespace

Balance balance_of(const record::Recording& recording, std::uint64_t from, std::uint64_t to) {
    Balance balance;
    const Kinds kinds = kinds_of(recording);
    for (const Window& launch : launches_of(recording, from, to)) {
        std::optional<MeanIdle> least;
        for (const auto& [kind, cores] : kinds) {
            const std::optional<MeanIdle> idle = mean_idle(recording, cores, launch);
            if (idle) {
                least = least ? MeanIdle{std::min(least->done, idle->done), std::min(least->all, idle->all)}
                              : idle;
            }
        }
        balance.done_cycles += least ? least->done : 0;
        balance.idle_cycles += least ? least->all : 0;
    }
    balance.spare_cores = std::ranges::any_of(kinds, [&](const auto& kind) {
        return has_spare(recording, kind.second, {from, to});
    });
    return balance;
}

}  // namespace ascendsim::analysis
