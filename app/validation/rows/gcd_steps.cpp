// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/gcd_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

namespace ascendsim::validation {
namespace {

/// Evenly drawn; std::uniform_int_distribution gives other numbers with another library.
std::int64_t drawn(std::mt19937_64& engine, const ValueRange& range) {
    const auto values = static_cast<std::uint64_t>(range.most - range.least) + 1;
    return range.least + static_cast<std::int64_t>(engine() % values);
}

}  // namespace

std::uint64_t subtractions(std::int64_t a, std::int64_t b) {
    auto large = static_cast<std::uint64_t>(std::abs(a));
    auto small = static_cast<std::uint64_t>(std::abs(b));
    if (large < small) {
        std::swap(large, small);
    }
    std::uint64_t count = 0;
    while (small != 0) {
        count += large / small;
        large = std::exchange(small, large % small);
    }
    return count;
}

double most_subtractions(const ValueRange& first,
                         const ValueRange& second,
                         std::uint64_t tile,
                         std::uint64_t alike) {
    constexpr std::uint64_t pairs = 1 << 20;
    constexpr std::uint64_t least_tiles = 64;  // whose second operand may be one for all
    const std::uint64_t tiles = std::max(pairs / tile, least_tiles);
    std::mt19937_64 engine{1};
    double sum = 0;
    for (std::uint64_t t = 0; t < tiles; ++t) {
        std::uint64_t most = 0;
        std::int64_t b = 0;
        for (std::uint64_t i = 0; i < tile; ++i) {
            b = i % alike == 0 ? drawn(engine, second) : b;
            most = std::max(most, subtractions(drawn(engine, first), b));
        }
        sum += static_cast<double>(most);
    }
    return sum / static_cast<double>(tiles);
}

}  // namespace ascendsim::validation
