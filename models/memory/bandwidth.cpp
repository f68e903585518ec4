// SPDX-License-Identifier: Apache-2.0
#include "models/memory/bandwidth.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace ascendsim {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace

double BandwidthShare::share(const Flow& flow, std::size_t r) {
    return r == index(Shared::hbm) ? flow.hbm_share : 1;
}

double BandwidthShare::level(const std::vector<Flow*>& open, std::size_t r, double capacity) const {
    double demand = 0;
    double wanted = 0;
    for (const Flow* flow : open) {
        demand += flow->demand[r] * share(*flow, r);
        wanted += flow->demand[r] * flow->cap;
    }
    if (wanted <= capacity) {
        return unlimited;
    }
    // Flows whose cap lies below the level take only their cap; the others share what that leaves.
    double common = capacity / demand;
    for (;;) {
        double left = capacity;
        double sharing = 0;
        for (const Flow* flow : open) {
            if (flow->cap <= common * share(*flow, r)) {
                left -= flow->demand[r] * flow->cap;
            } else {
                sharing += flow->demand[r] * share(*flow, r);
            }
        }
        const double next = left / sharing;
        if (next <= common * (1 + 1e-12)) {
            return common;
        }
        common = next;
    }
}

bool BandwidthShare::leaves_all_alone(const std::vector<Flow*>& flows) const {
    std::array<double, shared_count> wanted{};
    for (const Flow* flow : flows) {
        for (std::size_t r = 0; r < shared_count; ++r) {
            wanted[r] += flow->demand[r] * flow->cap;
        }
    }
    return std::ranges::equal(wanted, capacity_, std::less_equal<>{});
}

void BandwidthShare::divide(std::vector<Flow*>& flows) {
    if (leaves_all_alone(flows)) {
        for (Flow* flow : flows) {
            flow->rate = flow->cap;
            flow->held_by = shared_count;
        }
        return;
    }
    open_ = flows;
    std::array<double, shared_count> left = capacity_;
    while (!open_.empty()) {
        double lowest = unlimited;
        std::size_t tight = shared_count;
        for (std::size_t r = 0; r < shared_count; ++r) {
            const double common = level(open_, r, left[r]);
            if (common < lowest) {
                lowest = common;
                tight = r;
            }
        }
        const auto settled = [&](Flow* flow) {
            if (tight != shared_count && flow->demand[tight] <= 0) {
                return false;
            }
            const double most = tight == shared_count ? unlimited : lowest * share(*flow, tight);
            flow->rate = std::min(flow->cap, most);
            flow->held_by = static_cast<std::uint32_t>(flow->cap > most ? tight : shared_count);
            for (std::size_t r = 0; r < shared_count; ++r) {
                left[r] = std::max(0.0, left[r] - flow->demand[r] * flow->rate);
            }
            return true;
        };
        std::erase_if(open_, settled);
    }
}

}  // namespace ascendsim
