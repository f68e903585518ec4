// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ascendsim::gui {

/// In what unit times are shown; the T key goes round.
enum class TimeUnit : std::uint8_t { cycles, nanoseconds, microseconds, milliseconds };

/// How cycles become text: the unit, and the clock that turns cycles into time (GHz, above 0).
struct TimeScale {
    TimeUnit unit = TimeUnit::cycles;
    double clock_ghz = 1.0;
};

/// "cycles", "ns", "us" or "ms", as used in files and scripts.
[[nodiscard]] std::string_view unit_name(TimeUnit unit);
/// The reverse of unit_name().
[[nodiscard]] std::optional<TimeUnit> unit_from_name(std::string_view name);
/// The unit as shown to people: "cycles", "ns", "µs", "ms".
[[nodiscard]] std::string_view unit_label(TimeUnit unit);
[[nodiscard]] TimeUnit next_unit(TimeUnit unit);

/// "1,234,567".
[[nodiscard]] std::string format_count(std::uint64_t count);
/// "+1,234", "-5" or "0".
[[nodiscard]] std::string format_change(std::int64_t change);
/// A number with `decimals` places and separated thousands: "12,345.68".
[[nodiscard]] std::string format_number(double value, int decimals);
/// Cycles as text with unit: "12,345 cycles", "6,858.33 ns", "6.858 µs", "0.00686 ms".
[[nodiscard]] std::string format_time(double cycles, TimeScale scale);
/// As format_time() without the unit, for table columns whose head names it.
[[nodiscard]] std::string format_time_value(double cycles, TimeScale scale);
/// "512 B", "1.50 KiB", "24.0 MiB"; whole numbers of a unit have no places: "192 KiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// A share of one: 0.1234 as "12.3 %"; above 0 but below 0.05 % as "<0.1 %".
[[nodiscard]] std::string format_percent(double share);
/// Bytes per cycle and per second: "64.0 B/cycle (115 GB/s)".
[[nodiscard]] std::string format_rate(double bytes_per_cycle, double clock_ghz);

/// The smallest step of 1, 2 or 5 times a power of ten that cuts `range` into at most `most` parts.
[[nodiscard]] double tick_step(double range, int most);
/// A tick of an axis in the unit of `scale`; `step` (in shown units) decides the places.
[[nodiscard]] std::string format_tick(double cycles, double step, TimeScale scale);
/// How many cycles one shown unit is.
[[nodiscard]] double cycles_per_unit(TimeScale scale);

}  // namespace ascendsim::gui
