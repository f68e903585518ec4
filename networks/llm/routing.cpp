// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/routing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace ascendsim::networks::llm {
namespace {

using Rows = std::vector<std::uint64_t>;

/// A whole number below `bound`, the same everywhere for a seed.
std::uint32_t below(std::mt19937_64& engine, std::uint32_t bound) {
    constexpr std::uint64_t bits = 32;
    return static_cast<std::uint32_t>(((engine() >> bits) * bound) >> bits);
}

/// Rows of each expert of a layer.
Rows draw(const Dealing& dealing, std::mt19937_64& engine) {
    Rows rows(dealing.experts, 0);
    std::vector<std::uint32_t> order(dealing.experts);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint64_t token = 0; token < dealing.tokens; ++token) {
        for (std::uint32_t i = 0; i < dealing.chosen; ++i) {  // the first of a shuffle: no expert twice
            std::swap(order[i], order[i + below(engine, dealing.experts - i)]);
            ++rows[order[i]];
        }
    }
    return rows;
}

/// The experts of the device with most rows; the first of several.
Rows of_busiest(const Rows& rows, std::uint32_t devices) {
    const std::size_t local = std::max<std::size_t>(1, rows.size() / devices);
    Rows best;
    std::uint64_t most = 0;
    for (std::size_t first = 0; first + local <= rows.size(); first += local) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = begin + static_cast<std::ptrdiff_t>(local);
        const std::uint64_t sum = std::accumulate(begin, end, std::uint64_t{0});
        if (sum > most) {
            most = sum;
            best.assign(begin, end);
        }
    }
    return best;
}

std::uint64_t sum_of(const Rows& rows) {
    return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
}

/// As many experts as have a token on average, with as many rows each.
Rows dealt(const Dealing& dealing) {
    const std::uint64_t local = std::max(1U, dealing.experts / dealing.devices);
    const double chosen = static_cast<double>(dealing.chosen) / dealing.experts;
    const auto tokens = static_cast<double>(dealing.tokens);
    const auto all = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(tokens * chosen * static_cast<double>(local))));
    // dealt in turn: no expert has a second row before all have one
    const std::uint64_t busy = std::min(local, all);
    Rows rows(busy, all / busy);
    for (std::uint64_t i = 0; i < all % busy; ++i) {
        ++rows[i];
    }
    return rows;
}

}  // namespace

std::vector<std::uint64_t> busiest_device(const Dealing& dealing) {
    if (dealing.routing == Routing::even) {
        return dealt(dealing);
    }
    // The more rows, the less a draw differs from another: fewer are enough.
    constexpr std::uint64_t choices = 1U << 18U;
    constexpr std::uint64_t most = 25;
    const std::uint64_t of_draw = std::max<std::uint64_t>(1, dealing.tokens * dealing.chosen);
    const std::uint64_t draws = std::clamp<std::uint64_t>(choices / of_draw, 1, most) | 1U;  // odd
    std::vector<Rows> all;
    for (std::uint64_t i = 0; i < draws; ++i) {
        // Not of the number of tokens: the first ones choose the same whatever comes behind them, so that
        // more of them never make an expert's rows fewer.
        std::mt19937_64 engine{i * 1'000'003 + dealing.experts};
        all.push_back(of_busiest(draw(dealing, engine), dealing.devices));
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle, {}, sum_of);
    Rows rows = *middle;
    std::ranges::sort(rows, std::greater{});
    std::erase(rows, std::uint64_t{0});
    return rows.empty() ? Rows{1} : rows;
}

double busiest_share(const Dealing& dealing) {
    const double mean =
        static_cast<double>(dealing.tokens) * dealing.chosen / static_cast<double>(dealing.devices);
    return mean > 0 ? std::max(1.0, static_cast<double>(sum_of(busiest_device(dealing))) / mean) : 1.0;
}

}  // namespace ascendsim::networks::llm
