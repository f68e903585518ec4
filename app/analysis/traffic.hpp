// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/analysis/chip_numbers.hpp"
#include "sim/record/lane_sums.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// The ways bytes take: the first ten are to and from global memory and numbered as Span::route, the rest lie
/// within a core and follow from lane and memory.
inline constexpr std::array<std::string_view, 14> route_names{"gm_to_ub",
                                                              "gm_to_l1",
                                                              "gm_to_l1_nd2nz",
                                                              "gm_to_l0",
                                                              "ub_to_gm",
                                                              "l1_to_gm",
                                                              "l0c_to_gm",
                                                              "l0c_to_gm_nz2nd",
                                                              "scalar_read",
                                                              "scalar_write",
                                                              "l1_to_l0a",
                                                              "l1_to_l0b",
                                                              "l1_to_tables",
                                                              "l0c_to_l1"};
inline constexpr std::size_t gm_route_count = 10;

/// The pipe that moves them, as record names it.
inline constexpr std::array<std::string_view, route_names.size()> route_pipes{"mte2",
                                                                              "mte2",
                                                                              "mte2",
                                                                              "mte2",
                                                                              "mte3",
                                                                              "mte3",
                                                                              "fixpipe",
                                                                              "fixpipe",
                                                                              "scalar",
                                                                              "scalar",
                                                                              "mte1",
                                                                              "mte1",
                                                                              "mte1",
                                                                              "fixpipe"};

/// True if a route, numbered as in route_names, brings bytes to global memory.
[[nodiscard]] constexpr bool writes_gm(std::size_t route) {
    return (route >= 4 && route <= 7) || route == 9;
}

/// True if it takes bytes from global memory.
[[nodiscard]] constexpr bool reads_gm(std::size_t route) {
    return route < gm_route_count && !writes_gm(route);
}

/// What went one way in the whole run.
struct RouteTraffic {
    std::string_view name;
    std::uint64_t bytes = 0;
    std::uint64_t transfers = 0;
    std::uint64_t requests = 0;       // to L2; 0 within a core
    std::uint64_t active_cycles = 0;  // sum over lanes of the transfers' time on their pipe
    std::uint64_t l2_hit_bytes = 0;
    std::uint64_t hbm_read_bytes = 0;
    std::uint64_t hbm_write_bytes = 0;
    std::uint32_t lanes = 0;          // pipes that used it
    double peak_bytes_per_cycle = 0;  // of one core; 0 if the recording does not say
    std::array<std::uint64_t, record::limiter_names.size()> limited_cycles{};  // by what held the rate down

    /// Bytes per cycle of one core while a transfer was under way.
    [[nodiscard]] double active_rate() const {
        return active_cycles == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(active_cycles);
    }

    /// True if it brings bytes to global memory.
    [[nodiscard]] bool writes_gm() const;

    /// What held the rate down for most of the time.
    [[nodiscard]] record::Limiter limiter() const;
};

/// The run's memory traffic. Bytes.
struct Traffic {
    std::vector<RouteTraffic> routes;  // those used, in the order of route_names
    std::uint64_t gm_read_bytes = 0;
    std::uint64_t gm_write_bytes = 0;
    std::uint64_t l2_hit_bytes = 0;
    std::uint64_t hbm_read_bytes = 0;
    std::uint64_t hbm_write_bytes = 0;

    [[nodiscard]] std::uint64_t gm_bytes() const { return gm_read_bytes + gm_write_bytes; }

    [[nodiscard]] std::uint64_t hbm_bytes() const { return hbm_read_bytes + hbm_write_bytes; }

    /// Share of the sectors that cores asked L2 for and that it served without fetching them; writes it
    /// absorbs count as served. Sectors, not bytes: a request for a few bytes moves a whole one. 0 without
    /// any.
    [[nodiscard]] double l2_hit_rate() const {
        const std::uint64_t asked = l2_hit_bytes + hbm_read_bytes;
        return asked == 0 ? 0 : static_cast<double>(l2_hit_bytes) / static_cast<double>(asked);
    }
};

/// Adds up the traffic of what runs in [from, to).
[[nodiscard]] Traffic traffic_of(const record::Recording& recording,
                                 const ChipNumbers& chip,
                                 std::uint64_t from,
                                 std::uint64_t to);

/// The same from sums, one for each lane of `recording`, whose spans are not asked for.
[[nodiscard]] Traffic traffic_of(const record::Recording& recording,
                                 const ChipNumbers& chip,
                                 const std::vector<record::LaneSums>& sums);

/// What one core moves at most on a route, numbered as in route_names; bytes per cycle, 0 if the recording
/// does not say.
[[nodiscard]] double route_peak(std::size_t route, const ChipNumbers& chip);

/// The route of a span within a core, or route_names.size() if it moves nothing. `pipe` is its lane's.
[[nodiscard]] std::size_t core_route(std::string_view pipe, std::uint8_t memory);

}  // namespace ascendsim::analysis
