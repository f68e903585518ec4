// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/analysis/chip_numbers.hpp"
#include "app/analysis/traffic.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::gui {

/// Curves of memory traffic: HBM, then L2 (all bytes to and from global memory), then every route. L2 gives
/// and takes at the same time, as much each way: a curve for either direction.
inline constexpr std::size_t hbm_curve = 0;
inline constexpr std::size_t l2_read_curve = 1;
inline constexpr std::size_t l2_write_curve = 2;
inline constexpr std::size_t first_route_curve = 3;
inline constexpr std::size_t curve_count = first_route_curve + analysis::route_names.size();

/// "HBM", "L2 reads", "GM to UB" …
[[nodiscard]] std::string_view curve_label(std::size_t curve);
/// The same for narrow places, in at most 10 letters: formats are named by what is written.
[[nodiscard]] std::string_view short_curve_label(std::size_t curve);

/// What lanes of a recording move over time, as it is added up.
class TrafficSums {
public:
    /// `cycles` of the run.
    explicit TrafficSums(std::uint64_t cycles);

    /// Adds the transfers of a lane.
    void add(const record::Lane& lane);
    /// Adds what was added to `other`, of the same run.
    void add(const TrafficSums& other);

private:
    friend class TrafficSeries;

    using Routes = std::array<bool, analysis::route_names.size()>;

    void add_transfers(const record::Lane& lane, Routes& used);
    void add_core_routes(const record::Lane& lane, Routes& used);
    /// Adds `bytes` evenly over [from, to) to the slopes of a curve.
    void spread(std::size_t curve, double bytes, std::uint64_t from, std::uint64_t to);

    static constexpr std::size_t most_buckets = std::size_t{1} << 16U;

    double cycles_ = 0;
    double bucket_ = 1;  // cycles
    std::size_t buckets_ = 0;
    std::array<std::vector<double>, curve_count> sums_;         // bytes within a bucket
    std::array<std::vector<double>, curve_count> slopes_;       // change of the rate at a bucket
    std::array<double, analysis::route_names.size()> lanes_{};  // that use a route
};

/// Bytes over time. A transfer's bytes are spread evenly over its time from start to completion, so the area
/// under a curve is exactly the bytes moved.
class TrafficSeries {
public:
    TrafficSeries() = default;
    TrafficSeries(TrafficSums sums, const analysis::ChipNumbers& chip);

    /// Bytes of a curve in [from, to), cycles, as the buckets say; the first and last are shared out evenly.
    [[nodiscard]] double bytes(std::size_t curve, double from, double to) const;
    /// Bytes per cycle of a curve on average over [from, to), as far as the run goes: beside a longer run
    /// what is seen goes on behind its end.
    [[nodiscard]] double mean_rate(std::size_t curve, double from, double to) const;
    /// All bytes of a curve.
    [[nodiscard]] double total(std::size_t curve) const;

    /// The most that can flow, bytes per cycle of all cores that use it; 0 if the recording does not say.
    [[nodiscard]] double peak(std::size_t curve) const { return peaks_[curve]; }

    [[nodiscard]] bool used(std::size_t curve) const { return !sums_[curve].empty(); }

    /// Cycles of the finest bucket.
    [[nodiscard]] double bucket() const { return bucket_; }

private:
    void integrate(std::array<std::vector<double>, curve_count>& slopes);
    [[nodiscard]] double upto(std::size_t curve, double cycle) const;

    double cycles_ = 0;  // of the run
    double bucket_ = 1;
    std::array<std::vector<double>, curve_count> sums_;  // bytes before bucket i
    std::array<double, curve_count> peaks_{};
};

}  // namespace ascendsim::gui
