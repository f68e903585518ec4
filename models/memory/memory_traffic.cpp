// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_traffic.hpp"

#include <algorithm>
#include <cmath>

namespace ascendsim {

void MemoryTraffic::pass(double cycles, double share) {
    constexpr double load_cycles = 2000;  // over which the load is taken; assumed, a few round trips
    const double fade = std::exp(-cycles / load_cycles);
    load_ = load_ * fade + std::min(1.0, share) * (1 - fade);
}

void MemoryTraffic::move(double read, double requests, double past_l2, double written) {
    constexpr double memory_bytes =
        1 << 20;  // over which the share of reads is taken; assumed, short beside any kernel
    const double fade = std::exp(-(read + written) / memory_bytes);
    read_ = read_ * fade + read;
    requests_ = requests_ * fade + requests;
    past_l2_ = past_l2_ * fade + past_l2;
    written_ = written_ * fade + written;
}

double MemoryTraffic::wait(double queue_cycles) const {
    constexpr double most = 0.95;
    const double load = std::min(most, load_);
    return queue_cycles * load / (1 - load);
}

double MemoryTraffic::turnarounds(double lines) const {
    return written_ > 0 ? lines * std::min(1.0, read_ / written_) : 0.0;
}

double MemoryTraffic::past_l2() const {
    return read_ > 0 ? past_l2_ / read_ : 0.0;
}

}  // namespace ascendsim
