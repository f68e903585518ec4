// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/power_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/analysis/energy_prices.hpp"
#include "app/analysis/traffic.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {
namespace {

using record::Lane;
using record::Reason;

/// Amounts that were spent evenly over stretches of time, added up in parts of equal length.
class TimeParts {
public:
    TimeParts(std::uint64_t from, std::uint64_t to, std::size_t parts)
        : from_{static_cast<double>(from)},
          width_{static_cast<double>(to - from) / static_cast<double>(parts)},
          sums_(parts),
          rates_(parts + 1) {}

    /// Adds an amount of [start, end), which begins within.
    void add(double amount, std::uint64_t start, std::uint64_t end) {
        const auto last = static_cast<double>(sums_.size());
        const double begin = (static_cast<double>(start) - from_) / width_;
        const double stop = std::min(last, (static_cast<double>(end) - from_) / width_);
        const auto first = std::min(static_cast<std::size_t>(begin), sums_.size() - 1);
        const auto behind = static_cast<std::size_t>(stop);
        if (first == behind || stop <= begin) {
            sums_[first] += amount;
            return;
        }
        const double rate = amount / (stop - begin);
        sums_[first] += rate * (static_cast<double>(first + 1) - begin);
        rates_[first + 1] += rate;
        rates_[behind] -= rate;
        if (behind < sums_.size()) {
            sums_[behind] += rate * (stop - static_cast<double>(behind));
        }
    }

    [[nodiscard]] std::vector<double> take() {
        double rate = 0;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            rate += rates_[i];
            sums_[i] += rate;
        }
        return std::move(sums_);
    }

private:
    double from_;
    double width_;  // cycles
    std::vector<double> sums_;
    std::vector<double> rates_;  // added to each part from here on
};

/// What a span of a core's pipe takes energy for, but for global memory.
EnergyUse use_of(const Lane& lane, const record::ChunkColumns& chunk, std::size_t k) {
    EnergyUse use;
    const auto cycles = static_cast<double>(chunk.end[k] - chunk.start[k]);
    const std::string_view pipe = lane.path.pipe();
    use.cube_cycles = pipe == name(Pipe::cube) ? cycles : 0;
    use.vector_cycles = pipe == name(Pipe::vector) ? cycles : 0;
    use.scalar_cycles = pipe == name(Pipe::scalar) ? cycles : 0;
    const std::size_t route = chunk.bytes[k] == 0 ? route_names.size() : core_route(pipe, chunk.memory[k]);
    use.local_bytes = route >= gm_route_count && route < route_names.size() ? chunk.bytes[k] : 0;
    return use;
}

void add_lane(const Lane& lane, const RunSummary& summary, const EnergyPrices& prices, TimeParts& to) {
    const std::size_t first = lane.first_ending_after(summary.from);
    std::size_t behind = first;
    record::for_each_span(lane, first, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
        if (chunk.start[k] >= summary.to) {
            return false;
        }
        if (chunk.reason[k] == Reason::none) {
            const std::uint64_t start = std::max(chunk.start[k], summary.from);
            to.add(prices.of(use_of(lane, chunk, k)), start, chunk.end[k]);
        }
        behind = i + 1;
        return true;
    });
    const record::TransferColumns& transfers = lane.transfers;
    for (std::size_t i = lane.first_transfer_from(first); i < transfers.size() && transfers.row[i] < behind;
         ++i) {
        if (transfers.route[i] < gm_route_count) {
            const std::uint32_t row = transfers.row[i];
            EnergyUse use;
            use.l2_bytes = lane.bytes[row];
            use.hbm_bytes = static_cast<double>(transfers.hbm_read_bytes[i]) + transfers.hbm_write_bytes[i];
            to.add(prices.of(use), std::max(lane.start[row], summary.from), lane.end[row]);
        }
    }
}

}  // namespace

double PowerCurve::joules() const {
    return std::accumulate(watts.begin(), watts.end(), 0.0) * stretch_us * 1e-6;
}

std::optional<PowerCurve> power_curve(const record::Recording& recording,
                                      const RunSummary& summary,
                                      std::size_t stretches) {
    const std::optional<EnergyPrices> prices = prices_of(recording.metadata());
    if (!prices || !(summary.time_us > 0) || summary.to <= summary.from || stretches == 0) {
        return std::nullopt;
    }
    const auto parts =
        static_cast<std::size_t>(std::min<std::uint64_t>(stretches, summary.to - summary.from));
    TimeParts energy{summary.from, summary.to, parts};
    for (const Lane& lane : recording.lanes()) {
        if (lane.core_index) {
            add_lane(lane, summary, *prices, energy);
        }
    }
    PowerCurve curve{.watts = energy.take(), .idle_w = prices->idle_w, .limit_w = prices->limit_w};
    curve.run_us = summary.time_us * static_cast<double>(summary.executions);
    curve.stretch_us = curve.run_us / static_cast<double>(parts);
    if (summary.energy && summary.energy->joules > 0) {
        curve.spread = summary.energy->spread / summary.energy->joules;
    }
    for (double& watts : curve.watts) {
        watts = curve.idle_w + watts / (curve.stretch_us * 1e-6);
        curve.peak_w = std::max(curve.peak_w, watts);
        const bool above = curve.limit_w > curve.idle_w && watts > curve.limit_w;
        curve.above_us += above ? curve.stretch_us : 0;
        // The same work, spread over more time until what it adds to idle power fits.
        curve.limited_us +=
            curve.stretch_us * (above ? (watts - curve.idle_w) / (curve.limit_w - curve.idle_w) : 1.0);
    }
    return curve;
}

nlohmann::ordered_json to_json(const PowerCurve& curve) {
    return {{"stretch_us", curve.stretch_us},
            {"idle_w", curve.idle_w},
            {"limit_w", curve.limit_w},
            {"spread", curve.spread},
            {"peak_w", curve.peak_w},
            {"above_us", curve.above_us},
            {"limited_us", curve.limited_us},
            {"watts", curve.watts}};
}

}  // namespace ascendsim::analysis
