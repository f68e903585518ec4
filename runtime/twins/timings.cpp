// SPDX-License-Identifier: Apache-2.0
#include "runtime/twins/timings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "kernels/plan/element.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::ordered_json;

/// Where an output of two runs differs.
struct Difference {
    std::uint64_t first = 0;  // element
    std::uint64_t count = 0;
    double here = 0;
    double there = 0;
};

/// The first timing in which an output differed, and in how many it did.
struct Seen {
    Difference difference;
    std::uint32_t timing = 0;
    double cycles = 0;
    std::uint32_t times = 0;
};

/// How far sums of floats in another order may be apart, relative to the largest value nearby.
double rounding_of(isa::DataType type) {
    switch (type) {
        case isa::DataType::float32:
            return 1e-4;
        case isa::DataType::half:
            return 1e-2;
        case isa::DataType::bfloat16:
            return 5e-2;
        default:
            return 0;
    }
}

bool same(double a, double b, double tolerance) {
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1.0});
}

std::optional<Difference> compare(const host::Buffer& buffer,
                                  std::span<const std::byte> a,
                                  std::span<const std::byte> b,
                                  bool sums) {
    if (std::ranges::equal(a, b)) {
        return std::nullopt;
    }
    const double tolerance = sums ? rounding_of(buffer.type) : 0;
    const std::uint64_t elements = buffer.bytes() * 8 / isa::bits(buffer.type);
    Difference found;
    for (std::uint64_t i = 0; i < elements; ++i) {
        const double here = host::read_element(buffer.type, a, i);
        const double there = host::read_element(buffer.type, b, i);
        if (same(here, there, tolerance)) {
            continue;
        }
        if (found.count++ == 0) {
            found.first = i;
            found.here = here;
            found.there = there;
        }
    }
    return found.count == 0 ? std::nullopt : std::optional{found};
}

std::span<const std::byte> part(const std::string& all, std::uint64_t at, std::uint64_t bytes) {
    return std::as_bytes(std::span{all}).subspan(at, bytes);
}

std::string words_of(const Seen& seen, const host::Buffer& buffer, const Timings& timings) {
    return fmt::format(
        "output '{}' depends on the timing: element {} is {} in program order ({:.0f} cycles), and {} in "
        "timing {} "
        "of seed {} ({:.0f} cycles), where {} of {} elements differ; {} of {} timings differ",
        buffer.name,
        seen.difference.first,
        seen.difference.here,
        timings.cycles,
        seen.difference.there,
        seen.timing,
        timings.seed,
        seen.cycles,
        seen.difference.count,
        buffer.bytes() * 8 / isa::bits(buffer.type),
        seen.times,
        timings.count);
}

}  // namespace

void draw_latencies(ChipSpec& chip, const EffectTiming& timing) {
    std::mt19937_64 random{timing.seed * 1000003 + timing.number};
    const auto draw = [&random](std::uint32_t& cycles) {
        constexpr std::uint64_t steps = 1024;
        const double exponent = 2 * static_cast<double>(random() % (steps + 1)) / steps - 1;
        cycles = static_cast<std::uint32_t>(std::lround(cycles * std::exp2(exponent)));
    };
    draw(chip.l2.read_latency);
    draw(chip.l2.write_latency);
    draw(chip.hbm.read_latency);
    draw(chip.hbm.write_latency);
    draw(chip.sync.flag_latency);
    draw(chip.sync.cross_flag_latency);
}

nlohmann::json find_timing_races(sanitize::Checker& checker,
                                 const host::Plan& plan,
                                 const std::string& results,
                                 const Timings& timings,
                                 Twins& twins) {
    std::map<std::string, Seen> seen;
    std::uint32_t differ = 0;
    std::uint32_t broken = 0;  // the first that did not come to its end
    double least = timings.cycles;
    double most = timings.cycles;
    for (std::uint32_t number = 1; number <= timings.count; ++number) {
        const std::optional<ordered_json> run =
            twins.run({.poison = timings.poison, .timing = {.seed = timings.seed, .number = number}});
        const std::string there = twins.bytes();
        if (!run || !run->is_object() || there.size() != results.size()) {
            broken = broken == 0 ? number : broken;
            ++differ;
            continue;
        }
        const auto cycles = (*run)["cycles"].get<double>();
        least = std::min(least, cycles);
        most = std::max(most, cycles);
        bool any = false;
        std::uint64_t at = 0;
        for (const host::Buffer& buffer : plan.buffers) {
            if (buffer.role != host::Role::output && buffer.role != host::Role::in_out) {
                continue;
            }
            const std::uint64_t bytes = buffer.bytes();
            if (const std::optional<Difference> difference =
                    compare(buffer, part(results, at, bytes), part(there, at, bytes), checker.any_update())) {
                Seen& one = seen.try_emplace(buffer.name, Seen{*difference, number, cycles, 0}).first->second;
                ++one.times;
                any = true;
            }
            at += bytes;
        }
        differ += any ? 1 : 0;
    }
    for (const host::Buffer& buffer : plan.buffers) {
        if (const auto found = seen.find(buffer.name); found != seen.end()) {
            const Difference& difference = found->second.difference;
            const std::uint64_t size = isa::bits(buffer.type);
            checker.report_timings(buffer.name,
                                   difference.first * size / 8,
                                   std::max<std::uint64_t>(difference.count * size / 8, 1),
                                   words_of(found->second, buffer, timings));
        }
    }
    if (broken != 0) {
        checker.report_timings(
            "",
            0,
            0,
            fmt::format("the kernel comes to its end in program order, and not in timing {} of seed {}",
                        broken,
                        timings.seed));
    }
    return {{"timings", timings.count},
            {"seed", timings.seed},
            {"differ", differ},
            {"least_cycles", least},
            {"most_cycles", most}};
}

}  // namespace ascendsim::runtime
