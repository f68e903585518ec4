// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "sim/config/table_reader.hpp"

namespace ascendsim::node {

/// How far the times of a host's calls are spread, as a benchmark or a scenario states it: nobody has
/// published how they are on these hosts.
struct Jitter {
    enum class Shape : std::uint8_t { none, normal, lognormal, exponential, uniform };

    Shape shape = Shape::none;
    double spread = 0;        // standard deviation, as a share of a call's time; the mean stays
    double stall_chance = 0;  // that something else holds up the thread in a call
    double stall_us = 0;      // for so long on average, exponentially distributed

    [[nodiscard]] bool any() const { return shape != Shape::none || stall_chance > 0; }
};

/// Reads `distribution`, `spread`, `stall_chance`, `stall_us`. Throws UserError with file and line.
[[nodiscard]] Jitter read_jitter(TableReader& table);

/// "lognormal, standard deviation 20 % of a call; 1 % of calls stall for 200 us"; "none".
[[nodiscard]] std::string text_of(const Jitter& jitter);

/// Draws the times of calls: the same ones for the same seed.
class JitteredHost {
public:
    JitteredHost(const Jitter& jitter, std::uint64_t seed) : jitter_{jitter}, engine_{seed} {}

    /// What a call takes that takes `us` on average without stalls.
    [[nodiscard]] double operator()(double us);

private:
    [[nodiscard]] double chance();
    [[nodiscard]] double normal();
    [[nodiscard]] double spread_of(double us);

    Jitter jitter_;
    std::mt19937_64 engine_;
};

}  // namespace ascendsim::node
