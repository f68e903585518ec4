// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ascendsim {

/// What went through global memory lately, and what a request has to expect there because of it.
class MemoryTraffic {
public:
    /// For `cycles`, a `share` (0 to 1) of the bandwidth was in use.
    void pass(double cycles, double share);

    /// Bytes of memory that a transfer reads, by so many requests, and writes; `past_l2` of those read leave
    /// nothing in L2.
    void move(double read, double requests, double past_l2, double written);

    /// Cycles that a read stands in memory's queues before it is served, where serving one takes
    /// `queue_cycles` of its channel: the mean wait of a queue with random arrivals and random service
    /// (M/M/1), q u / (1 - u) at a load u, as service varies with rows that are open or not, refresh and
    /// turns to writing. The load is that of the last 2000 cycles, a few round trips; above 0.95 a wait would
    /// outlast them.
    [[nodiscard]] double wait(double queue_cycles) const;

    /// How often memory turns from reading to writing for `lines` written: never while it only writes, once a
    /// line while it reads as much besides.
    [[nodiscard]] double turnarounds(double lines) const;

    /// Bytes that a request reads, on average; 0 where none has.
    [[nodiscard]] double read_bytes() const { return requests_ > 0 ? read_ / requests_ : 0; }

    /// Share of what is read that goes past L2, 0 to 1.
    [[nodiscard]] double past_l2() const;

private:
    double load_ = 0;      // share of the bandwidth, fading
    double read_ = 0;      // B, fading
    double requests_ = 0;  // that read, fading alike
    double past_l2_ = 0;   // the same
    double written_ = 0;   // the same
};

}  // namespace ascendsim
