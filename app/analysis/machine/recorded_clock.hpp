// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// From time to the cycles of a recording. Where no chip gives them their length, a cycle is a nanosecond.
class RecordedClock {
public:
    explicit RecordedClock(double ghz = 1) : ghz_{ghz} {}

    [[nodiscard]] double ghz() const { return ghz_; }

    [[nodiscard]] std::uint64_t of_us(double us) const { return rounded(std::max(0.0, us) * ghz_ * 1e3); }

    [[nodiscard]] std::uint64_t of_ps(std::uint64_t ps) const {
        return rounded(static_cast<double>(ps) / 1e3 * ghz_);
    }

private:
    [[nodiscard]] static std::uint64_t rounded(double cycles) {
        return static_cast<std::uint64_t>(std::llround(cycles));
    }

    double ghz_;
};

/// What the metadata of every recording begins with that is none of a detailed run: its title, the machine's
/// name, its clock.
[[nodiscard]] inline nlohmann::json recorded_head(const std::string& title,
                                                  const std::string& machine,
                                                  const RecordedClock& clock) {
    return {{"title", title},
            {"problem", title},
            {"mode", "timing"},
            {"chip", {{"name", machine}, {"cores", {{"clock_ghz", clock.ghz()}}}}},
            {"clock_ghz", clock.ghz()}};
}

}  // namespace ascendsim::analysis
