// SPDX-License-Identifier: Apache-2.0
#include "models/node/jitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ascendsim::node {

namespace {

constexpr std::array<std::string_view, 5> shape_names{
    "none", "normal", "lognormal", "exponential", "uniform"};

/// The largest standard deviation, as a share of the mean, with which no call takes less than no time: of a
/// normal one in seven hundred does, and is cut off at none.
double most_spread(Jitter::Shape shape) {
    constexpr double deviations = 3;
    constexpr double any = 10;
    switch (shape) {
        case Jitter::Shape::normal:
            return 1 / deviations;
        case Jitter::Shape::exponential:
            return 1;
        case Jitter::Shape::uniform:
            return std::numbers::inv_sqrt3;
        case Jitter::Shape::none:
        case Jitter::Shape::lognormal:
            break;
    }
    return any;
}

}  // namespace

Jitter read_jitter(TableReader& table) {
    Jitter jitter;
    const std::string word = table.choice("distribution", {shape_names.begin(), shape_names.end()});
    jitter.shape = static_cast<Jitter::Shape>(std::ranges::find(shape_names, word) - shape_names.begin());
    const double most = most_spread(jitter.shape);
    jitter.spread = table.get_or<double>("spread", 0, {0, most});
    if (jitter.shape == Jitter::Shape::none && jitter.spread > 0) {
        throw table.error("spread", "needs a distribution: normal, lognormal, exponential or uniform");
    }
    jitter.stall_chance = table.get_or<double>("stall_chance", 0, {0, 1});
    jitter.stall_us = table.get_or<double>("stall_us", 0, {0, 1e6});
    table.finish();
    return jitter;
}

std::string text_of(const Jitter& jitter) {
    constexpr double percent = 100;
    std::string text{shape_names.at(static_cast<std::size_t>(jitter.shape))};
    if (jitter.shape != Jitter::Shape::none) {
        text += fmt::format(", standard deviation {:g} % of a call", percent * jitter.spread);
    }
    if (jitter.stall_chance > 0) {
        text += fmt::format(
            "; {:g} % of calls stall for {:g} us on average", percent * jitter.stall_chance, jitter.stall_us);
    }
    return text;
}

double JitteredHost::chance() {
    constexpr double scale = 1.0 / 9007199254740992.0;  // 2^53
    return static_cast<double>(engine_() >> 11U) * scale;
}

double JitteredHost::normal() {
    // Box and Muller; 1 - chance() is never 0.
    const double radius = std::sqrt(-2 * std::log(1 - chance()));
    return radius * std::cos(2 * std::numbers::pi * chance());
}

double JitteredHost::spread_of(double us) {
    const double spread = jitter_.spread;
    switch (jitter_.shape) {
        case Jitter::Shape::none:
            break;
        case Jitter::Shape::normal:
            return us * std::max(0.0, 1 + spread * normal());
        case Jitter::Shape::lognormal: {
            const double variance = std::log(1 + spread * spread);  // of the logarithm, for a mean of 1
            return us * std::exp(std::sqrt(variance) * normal() - variance / 2);
        }
        case Jitter::Shape::exponential:
            return us * (1 - spread - spread * std::log(1 - chance()));
        case Jitter::Shape::uniform:
            return us * (1 + spread * std::numbers::sqrt3 * (2 * chance() - 1));
    }
    return us;
}

double JitteredHost::operator()(double us) {
    if (!(us > 0) || !jitter_.any()) {
        return us;
    }
    double time = spread_of(us);
    if (jitter_.stall_chance > 0 && chance() < jitter_.stall_chance) {
        time -= jitter_.stall_us * std::log(1 - chance());
    }
    return time;
}

}  // namespace ascendsim::node
