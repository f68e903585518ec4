// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/record/span.hpp"

namespace ascendsim {

/// What all cores share on the way to memory. L2 takes and gives at the same time: bytes and requests of
/// writes are counted apart from those of reads [FA-009: 605 MB read and 404 MB written in 151 us, 6.7 TB/s
/// in all of 5.9 in one direction].
enum class Shared : std::uint8_t { l2, hbm, requests, l2_writes, write_requests };
inline constexpr std::size_t shared_count = 5;

[[nodiscard]] constexpr std::size_t index(Shared resource) {
    return static_cast<std::size_t>(resource);
}

/// A copy under way, as the bandwidth arithmetic sees it.
struct Flow {
    double remaining = 0;                                 // B still to move
    double cap = 0;                                       // B/cycle it could take alone
    double rate = 0;                                      // B/cycle it gets now
    std::array<double, shared_count> demand{};            // of each shared resource for each byte moved
    double hbm_share = 1;                                 // its rate where memory is the limit, others have 1
    std::array<double, shared_count> held{};              // cycles it was held back by each
    double started = 0;                                   // cycle
    record::Limiter own_limiter = record::Limiter::none;  // what makes its cap
    bool in_step = false;  // with other cores at the same lines: its requests take longer than others
    std::uint32_t held_by = shared_count;  // resource that limits it now; shared_count: its own cap
};

/// Divides the shared resources among flows by max-min fairness: all rates rise together until a flow reaches
/// its own cap or a resource it needs is used up.
class BandwidthShare {
public:
    /// Capacities per cycle, by resource.
    explicit BandwidthShare(const std::array<double, shared_count>& capacity) : capacity_{capacity} {}

    /// Of one resource, per cycle.
    [[nodiscard]] double capacity(Shared resource) const { return capacity_[index(resource)]; }

    /// Sets rate and held_by of every flow.
    void divide(std::vector<Flow*>& flows);

private:
    /// Every flow can go as fast as its cap allows.
    [[nodiscard]] bool leaves_all_alone(const std::vector<Flow*>& flows) const;
    /// A flow's rate where resource `r` is the limit, over the common rate.
    [[nodiscard]] static double share(const Flow& flow, std::size_t r);
    /// The common rate at which resource `r` is used up by the open flows, or infinity.
    [[nodiscard]] double level(const std::vector<Flow*>& open, std::size_t r, double capacity) const;

    std::array<double, shared_count> capacity_;
    std::vector<Flow*> open_;
};

}  // namespace ascendsim
