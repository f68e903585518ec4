// SPDX-License-Identifier: Apache-2.0
#include "gui/timeview/smooth_density.hpp"

#include <array>

namespace ascendsim::gui {
namespace {

constexpr double rounding = 1e-6;  // of a part, in what is sums of fractions of cycles

/// Windows of four and of six parts, one after the other: the weight of a part and of those beside it.
constexpr std::array<double, 5> weights{4.0 / 24, 4.0 / 24, 3.0 / 24, 2.0 / 24, 1.0 / 24};

/// The place among `count` that `n` stands for, which may lie outside: they are mirrored at both ends, so
/// that what would leave stays.
std::size_t mirrored(std::ptrdiff_t n, std::ptrdiff_t count) {
    const std::ptrdiff_t turn = ((n % (2 * count)) + 2 * count) % (2 * count);
    return static_cast<std::size_t>(turn < count ? turn : 2 * count - 1 - turn);
}

std::vector<double> spread(std::span<const double> amounts) {
    const auto count = static_cast<std::ptrdiff_t>(amounts.size());
    std::vector<double> sums(amounts.size());
    for (std::ptrdiff_t n = 0; n < count; ++n) {
        double sum = weights[0] * amounts[static_cast<std::size_t>(n)];
        for (std::size_t off = 1; off < weights.size(); ++off) {
            const auto far = static_cast<std::ptrdiff_t>(off);
            sum += weights[off] * (amounts[mirrored(n - far, count)] + amounts[mirrored(n + far, count)]);
        }
        sums[static_cast<std::size_t>(n)] = sum;
    }
    return sums;
}

std::optional<std::uint8_t> filled_by(const DensityColumn& part) {
    const double whole = (part.end - part.begin) * (1 - rounding);
    for (std::size_t reason = 0; reason < record::reason_count; ++reason) {
        if (part.cycles[reason] >= whole) {
            return static_cast<std::uint8_t>(reason);
        }
    }
    return std::nullopt;
}

}  // namespace

Smoother::Smoother(std::span<const double> lengths, std::span<const std::optional<std::uint8_t>> filled_by) {
    const std::size_t count = lengths.size();
    if (count < 2) {
        return;
    }
    // The run may begin or end within a part, which then weighs less than the others.
    const double whole = *std::ranges::max_element(lengths) * (1 - rounding);
    const std::size_t first = lengths.front() < whole ? 1 : 0;
    const std::size_t last = lengths.back() < whole ? count - 1 : count;
    std::size_t from = first;  // of what is mixed and not yet noted
    for (std::size_t n = first; n < last;) {
        std::size_t end = n + 1;
        while (filled_by[n] && end < last && filled_by[end] == filled_by[n]) {
            ++end;
        }
        if (end - n >= long_stretch) {
            mixed_.push_back({from, n});
            from = end;
        }
        n = end;
    }
    mixed_.push_back({from, last});
    std::erase_if(mixed_, [](const Mixed& part) { return part.first >= part.last; });
}

void Smoother::apply(std::vector<double>& amounts) const {
    for (const Mixed& part : mixed_) {
        const std::span<double> inside{amounts.data() + part.first, part.last - part.first};
        std::ranges::copy(spread(inside), inside.begin());
    }
}

void smooth(std::vector<DensityColumn>& parts) {
    std::vector<double> lengths;
    std::vector<std::optional<std::uint8_t>> filled;
    std::array<bool, record::reason_count> occurs{};
    for (const DensityColumn& part : parts) {
        lengths.push_back(part.end - part.begin);
        filled.push_back(filled_by(part));
        for (std::size_t reason = 0; reason < occurs.size(); ++reason) {
            occurs[reason] = occurs[reason] || part.cycles[reason] > 0;
        }
    }
    const Smoother smoother{lengths, filled};
    std::vector<double> amounts(parts.size());
    for (std::size_t reason = 0; reason < occurs.size(); ++reason) {
        if (!occurs[reason]) {
            continue;
        }
        std::ranges::transform(
            parts, amounts.begin(), [&](const DensityColumn& part) { return part.cycles[reason]; });
        smoother.apply(amounts);
        for (std::size_t n = 0; n < parts.size(); ++n) {
            parts[n].cycles[reason] = amounts[n];
        }
    }
}

void BusyParts::smooth() {
    std::vector<std::optional<std::uint8_t>> filled;
    for (std::size_t n = 0; n < busy.size(); ++n) {
        const double margin = rounding * length[n];
        const bool idle = busy[n] <= margin;
        const bool full = busy[n] >= length[n] - margin;
        filled.push_back(idle   ? std::optional<std::uint8_t>{0}
                         : full ? std::optional<std::uint8_t>{1}
                                : std::nullopt);
    }
    Smoother{length, filled}.apply(busy);
}

}  // namespace ascendsim::gui
