// SPDX-License-Identifier: Apache-2.0
#include "gui/document/traffic_series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/port/pipe.hpp"

namespace ascendsim::gui {

using record::Lane;
using record::Reason;
using record::Recording;

std::string_view curve_label(std::size_t curve) {
    constexpr std::array<std::string_view, curve_count> labels{"HBM",
                                                               "L2 reads",
                                                               "L2 writes",
                                                               "GM to UB",
                                                               "GM to L1",
                                                               "GM to L1, ND to NZ",
                                                               "GM to L0",
                                                               "UB to GM",
                                                               "L1 to GM",
                                                               "L0C to GM",
                                                               "L0C to GM, NZ to ND",
                                                               "scalar reads",
                                                               "scalar writes",
                                                               "L1 to L0A",
                                                               "L1 to L0B",
                                                               "L1 to tables",
                                                               "L0C to L1"};
    return labels.at(curve);
}

std::string_view short_curve_label(std::size_t curve) {
    constexpr std::array<std::string_view, curve_count> labels{"HBM",
                                                               "L2 reads",
                                                               "L2 writes",
                                                               "GM to UB",
                                                               "GM to L1",
                                                               "GM\u2192L1 nz",
                                                               "GM to L0",
                                                               "UB to GM",
                                                               "L1 to GM",
                                                               "L0C\u2192GM",
                                                               "L0C\u2192GM nd",
                                                               "scalar rd",
                                                               "scalar wr",
                                                               "L1\u2192L0A",
                                                               "L1\u2192L0B",
                                                               "L1\u2192tables",
                                                               "L0C\u2192L1"};
    return labels.at(curve);
}

TrafficSums::TrafficSums(std::uint64_t cycles)
    : cycles_{static_cast<double>(std::max<std::uint64_t>(1, cycles))},
      bucket_{std::max(1.0, std::ceil(cycles_ / static_cast<double>(most_buckets)))},
      buckets_{static_cast<std::size_t>(cycles_ / bucket_) + 2} {}

void TrafficSums::add(const Lane& lane) {
    Routes used{};
    if (lane.core_index) {
        add_transfers(lane, used);
    }
    add_core_routes(lane, used);
    for (std::size_t route = 0; route < used.size(); ++route) {
        lanes_[route] += used[route] ? 1 : 0;
    }
}

void TrafficSums::add(const TrafficSums& other) {
    for (std::size_t curve = 0; curve < curve_count; ++curve) {
        if (other.sums_[curve].empty()) {
            continue;
        }
        sums_[curve].resize(buckets_ + 1);
        slopes_[curve].resize(buckets_ + 1);
        for (std::size_t n = 0; n <= buckets_; ++n) {
            sums_[curve][n] += other.sums_[curve][n];
            slopes_[curve][n] += other.slopes_[curve][n];
        }
    }
    for (std::size_t route = 0; route < lanes_.size(); ++route) {
        lanes_[route] += other.lanes_[route];
    }
}

void TrafficSums::add_transfers(const Lane& lane, Routes& used) {
    const auto& t = lane.transfers;
    for (std::size_t n = 0; n < t.size(); ++n) {
        const std::size_t i = t.row[n];
        const std::uint64_t from = lane.start[i];
        const std::uint64_t to = std::max(lane.complete[i], lane.end[i]);
        spread(analysis::writes_gm(t.route[n]) ? l2_write_curve : l2_read_curve, lane.bytes[i], from, to);
        spread(hbm_curve, double{1} * t.hbm_read_bytes[n] + t.hbm_write_bytes[n], from, to);
        if (t.route[n] < analysis::gm_route_count) {
            spread(first_route_curve + t.route[n], lane.bytes[i], from, to);
            used[t.route[n]] = true;
        }
    }
}

void TrafficSums::add_core_routes(const Lane& lane, Routes& used) {
    std::array<std::size_t, memory_count> routes{};
    bool any = false;
    for (std::size_t memory = 0; memory < memory_count; ++memory) {
        routes[memory] = analysis::core_route(lane.path.pipe(), static_cast<std::uint8_t>(memory));
        any = any || routes[memory] < analysis::route_names.size();
    }
    if (!any) {
        return;
    }
    record::for_each_span(lane, 0, [&](const record::ChunkColumns& of, std::size_t k, std::size_t) {
        const std::size_t memory = of.memory[k];
        if (of.reason[k] == Reason::none && memory < memory_count &&
            routes[memory] < analysis::route_names.size()) {
            spread(first_route_curve + routes[memory], of.bytes[k], of.start[k], of.end[k]);
            used[routes[memory]] = used[routes[memory]] || of.bytes[k] != 0;
        }
        return true;
    });
}

void TrafficSums::spread(std::size_t curve, double bytes, std::uint64_t from, std::uint64_t to) {
    if (bytes <= 0) {
        return;
    }
    if (sums_[curve].empty()) {
        sums_[curve].resize(buckets_ + 1);
        slopes_[curve].resize(buckets_ + 1);
    }
    const double begin = std::min(static_cast<double>(from) / bucket_, static_cast<double>(buckets_ - 1));
    const double end = std::clamp(
        static_cast<double>(std::max(to, from + 1)) / bucket_, begin, static_cast<double>(buckets_));
    const auto first = static_cast<std::size_t>(begin);
    const auto last = std::min(static_cast<std::size_t>(end), buckets_ - 1);
    std::vector<double>& sums = sums_[curve];
    if (first == last || end <= begin) {
        sums[first] += bytes;
        return;
    }
    const double rate = bytes / (end - begin);
    sums[first] += rate * (static_cast<double>(first + 1) - begin);
    sums[last] += rate * (end - static_cast<double>(last));
    slopes_[curve][first + 1] += rate;
    slopes_[curve][last] -= rate;
}

TrafficSeries::TrafficSeries(TrafficSums sums, const analysis::ChipNumbers& chip)
    : cycles_{sums.cycles_}, bucket_{sums.bucket_}, sums_{std::move(sums.sums_)} {
    integrate(sums.slopes_);
    peaks_[hbm_curve] = chip.number("hbm.gb_per_s", 0) / chip.clock_ghz();
    peaks_[l2_read_curve] = chip.number("l2.gb_per_s", 0) / chip.clock_ghz();
    peaks_[l2_write_curve] = peaks_[l2_read_curve];
    for (std::size_t route = 0; route < sums.lanes_.size(); ++route) {
        peaks_[first_route_curve + route] = analysis::route_peak(route, chip) * sums.lanes_[route];
    }
}

void TrafficSeries::integrate(std::array<std::vector<double>, curve_count>& slopes) {
    for (std::size_t curve = 0; curve < curve_count; ++curve) {
        std::vector<double>& sums = sums_[curve];
        double rate = 0;
        double before = 0;
        for (std::size_t n = 0; n < sums.size(); ++n) {
            rate += slopes[curve][n];
            const double here = sums[n] + rate;
            sums[n] = before;
            before += here;
        }
    }
}

double TrafficSeries::upto(std::size_t curve, double cycle) const {
    const std::vector<double>& sums = sums_[curve];
    const double place = std::clamp(cycle / bucket_, 0.0, static_cast<double>(sums.size() - 1));
    const auto low = std::min(static_cast<std::size_t>(place), sums.size() - 2);
    return sums[low] + (sums[low + 1] - sums[low]) * (place - static_cast<double>(low));
}

double TrafficSeries::bytes(std::size_t curve, double from, double to) const {
    return used(curve) && to > from ? upto(curve, to) - upto(curve, from) : 0;
}

double TrafficSeries::mean_rate(std::size_t curve, double from, double to) const {
    const double begin = std::max(0.0, from);
    const double end = std::min(cycles_, to);
    return end > begin ? bytes(curve, begin, end) / (end - begin) : 0;
}

double TrafficSeries::total(std::size_t curve) const {
    return used(curve) ? sums_[curve].back() : 0;
}

}  // namespace ascendsim::gui
