// SPDX-License-Identifier: Apache-2.0
#include "networks/llm/routing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

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

/// A draw from the numbers between 0 and 1, without these.
double unit_draw(std::mt19937_64& engine) {
    constexpr int bits = 52;
    return std::ldexp(static_cast<double>(engine() >> (64 - bits)) + 0.5, -bits);
}

/// How popular the experts of a layer are: a log-normal distribution, the best of several for tokens of
/// DeepSeek-V3 (deepseek-ai/DeepEP, pull request 393). With 1.15, 256 experts on 32 devices that have 1024
/// rows on average deviate by 0.49 of that, and the busiest has 2.5 times as many; DeepSeek-R1 did by 0.48,
/// and had 2.56 times as many (NVIDIA/TensorRT-LLM, examples/wide_ep/ep_load_balancer/README.md, averages of
/// layers and steps). Of other models, nothing of the kind is known.
std::vector<double> popularity(std::uint32_t experts, std::mt19937_64& engine) {
    constexpr double deviation = 1.15;
    constexpr double turn = 6.283185307179586;
    std::vector<double> up_to;  // shares of this expert and those before it
    double sum = 0;
    for (std::uint32_t i = 0; i < experts; ++i) {
        const double length = std::sqrt(-2 * std::log(unit_draw(engine)));
        sum += std::exp(deviation * length * std::cos(turn * unit_draw(engine)));
        up_to.push_back(sum);
    }
    for (double& one : up_to) {
        one /= sum;
    }
    return up_to;
}

/// Rows of each expert of a layer whose experts are not equally popular. What many tokens choose differs
/// little from what they are expected to: more than so many have that many times as much.
Rows draw_trained(const Dealing& dealing, std::uint64_t seed) {
    constexpr std::uint64_t enough = 2048;
    constexpr int patience = 64;
    std::mt19937_64 engine{seed};
    const std::vector<double> up_to = popularity(dealing.experts, engine);
    Rows rows(dealing.experts, 0);
    const std::uint64_t tokens = std::min(dealing.tokens, enough);
    std::vector<std::uint64_t> last(dealing.experts, 0);  // token that chose the expert, counted from 1
    for (std::uint64_t token = 1; token <= tokens; ++token) {
        for (std::uint32_t i = 0; i < dealing.chosen; ++i) {
            std::size_t expert = 0;
            for (int tries = 0; tries < patience; ++tries) {
                const auto found = std::ranges::upper_bound(up_to, unit_draw(engine));
                expert = std::min<std::size_t>(static_cast<std::size_t>(found - up_to.begin()),
                                               dealing.experts - 1);
                if (last[expert] != token) {
                    break;
                }
            }
            while (last[expert] == token) {
                expert = (expert + 1) % dealing.experts;
            }
            last[expert] = token;
            ++rows[expert];
        }
    }
    if (tokens < dealing.tokens) {
        // The ends of experts' rows are rounded, so that all rows are there.
        std::uint64_t sum = 0;
        std::uint64_t begin = 0;
        for (std::uint64_t& one : rows) {
            sum += one;
            const std::uint64_t end = sum * dealing.tokens / tokens;
            one = end - std::exchange(begin, end);
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

Rows with_rows(Rows rows) {
    std::ranges::sort(rows, std::greater{});
    std::erase(rows, std::uint64_t{0});
    return rows.empty() ? Rows{1} : rows;
}

}  // namespace

std::uint64_t usual_layer(Dealing dealing) {
    constexpr std::uint64_t draws = 61;
    constexpr std::uint64_t many = 512;
    constexpr std::uint64_t few = 64;  // that leave experts without rows
    const bool alone = dealing.devices < 2;
    dealing.tokens = alone ? few : many;
    std::vector<double> of_draw;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
        const Rows rows = of_busiest(draw_trained(dealing, seed), dealing.devices);
        of_draw.push_back(static_cast<double>(alone ? with_rows(rows).size() : sum_of(rows)));
    }
    const double mean = std::accumulate(of_draw.begin(), of_draw.end(), 0.0) / draws;
    const auto nearest =
        std::ranges::min_element(of_draw, {}, [&](double one) { return std::abs(one - mean); });
    return static_cast<std::uint64_t>(nearest - of_draw.begin());
}

std::vector<std::uint64_t> busiest_device(const Dealing& dealing) {
    if (dealing.routing == Routing::even) {
        return dealt(dealing);
    }
    if (dealing.routing == Routing::trained) {
        const std::uint64_t layer = dealing.layer ? *dealing.layer : usual_layer(dealing);
        return with_rows(of_busiest(draw_trained(dealing, layer), dealing.devices));
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
    return with_rows(*middle);
}

double busiest_share(const Dealing& dealing) {
    const double mean =
        static_cast<double>(dealing.tokens) * dealing.chosen / static_cast<double>(dealing.devices);
    return mean > 0 ? std::max(1.0, static_cast<double>(sum_of(busiest_device(dealing))) / mean) : 1.0;
}

}  // namespace ascendsim::networks::llm
