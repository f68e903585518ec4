// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ascendsim::gui {
namespace {

struct UnitText {
    TimeUnit unit;
    std::string_view name;
    std::string_view label;
};

constexpr std::array units{UnitText{TimeUnit::cycles, "cycles", "cycles"},
                           UnitText{TimeUnit::nanoseconds, "ns", "ns"},
                           UnitText{TimeUnit::microseconds, "us", "\u00b5s"},
                           UnitText{TimeUnit::milliseconds, "ms", "ms"}};

/// Puts commas between groups of three of the digits before the point.
std::string separated(std::string text) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::size_t first = text.empty() || text[0] != '-' ? 0 : 1;
    for (std::size_t place = point; place > first + 3;) {
        place -= 3;
        text.insert(place, 1, ',');
    }
    return text;
}

/// Places that show a value with four significant digits, at most six.
int places_for(double value) {
    const double size = std::abs(value);
    if (size < 1e-12) {
        return 0;
    }
    const int digits_before = static_cast<int>(std::floor(std::log10(size))) + 1;
    return std::clamp(4 - digits_before, 0, 6);
}

}  // namespace

std::string_view unit_name(TimeUnit unit) {
    return units.at(static_cast<std::size_t>(unit)).name;
}

std::string_view unit_label(TimeUnit unit) {
    return units.at(static_cast<std::size_t>(unit)).label;
}

std::optional<TimeUnit> unit_from_name(std::string_view name) {
    const auto found = std::ranges::find(units, name, &UnitText::name);
    return found == units.end() ? std::nullopt : std::optional{found->unit};
}

TimeUnit next_unit(TimeUnit unit) {
    return static_cast<TimeUnit>((static_cast<std::size_t>(unit) + 1) % units.size());
}

std::string format_count(std::uint64_t count) {
    return separated(fmt::format("{}", count));
}

std::string format_change(std::int64_t change) {
    const std::string digits = separated(fmt::format("{}", change));
    return change > 0 ? "+" + digits : digits;
}

std::string format_number(double value, int decimals) {
    return separated(fmt::format("{:.{}f}", value, decimals));
}

double cycles_per_unit(TimeScale scale) {
    switch (scale.unit) {
        case TimeUnit::cycles:
            return 1.0;
        case TimeUnit::nanoseconds:
            return scale.clock_ghz;
        case TimeUnit::microseconds:
            return scale.clock_ghz * 1e3;
        case TimeUnit::milliseconds:
            return scale.clock_ghz * 1e6;
    }
    return 1.0;
}

std::string format_time_value(double cycles, TimeScale scale) {
    const double value = cycles / cycles_per_unit(scale);
    const bool whole = scale.unit == TimeUnit::cycles;
    return format_number(value, whole ? 0 : places_for(value));
}

std::string format_time(double cycles, TimeScale scale) {
    const bool single = scale.unit == TimeUnit::cycles && std::round(cycles) == 1.0;
    return fmt::format("{} {}", format_time_value(cycles, scale), single ? "cycle" : unit_label(scale.unit));
}

std::string format_bytes(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (unit + 1 < names.size() && bytes >> (10 * (unit + 1)) != 0) {
        ++unit;
    }
    const std::uint64_t one = std::uint64_t{1} << (10 * unit);
    if (bytes % one == 0) {
        return fmt::format("{} {}", format_count(bytes / one), names.at(unit));
    }
    const double value = static_cast<double>(bytes) / static_cast<double>(one);
    return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : 1, names.at(unit));
}

std::string format_percent(double share) {
    const double percent = share * 100.0;
    if (percent > 0 && percent < 0.05) {
        return "<0.1 %";
    }
    return fmt::format("{:.1f} %", percent);
}

std::string format_rate(double bytes_per_cycle, double clock_ghz) {
    const double gigabytes = bytes_per_cycle * clock_ghz;
    return fmt::format("{} B/cycle ({} GB/s)",
                       format_number(bytes_per_cycle, bytes_per_cycle < 100 ? 1 : 0),
                       format_number(gigabytes, gigabytes < 100 ? 1 : 0));
}

double tick_step(double range, int most) {
    if (!(range > 0) || most < 1) {
        return 1.0;
    }
    const double least = range / most;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-12)) {
            return factor * power;
        }
    }
    return 10.0 * power;
}

std::string format_tick(double cycles, double step, TimeScale scale) {
    const int places = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
    return format_number(cycles / cycles_per_unit(scale), std::clamp(places, 0, 9));
}

}  // namespace ascendsim::gui
