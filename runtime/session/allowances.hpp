// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/sanitize/finding.hpp"

namespace ascendsim::runtime {

/// A finding that is known and meant. It stays in the report and fails nothing.
struct Allowance {
    sanitize::Kind kind = sanitize::Kind::race;
    std::string file;        // that the place of either side ends with; empty: any
    std::uint32_t line = 0;  // of either side; 0: any
    std::string why;
    bool usual = false;  // of many runs that nobody stated it for: not missed where it allows nothing
};

/// The allowances of a comment, as in `// ascendsim: allow core_race, cache_stale: each writes the same
/// value`; empty for every other line, and for words that are no kind.
[[nodiscard]] std::vector<Allowance> allowances_of_line(std::string_view line);

/// What allows findings: those of a scenario, and comments on the lines that a finding names.
class Allowances {
public:
    explicit Allowances(const std::vector<Allowance>& stated)
        : stated_{stated}, used_(stated.size(), false) {}

    /// Why the finding is meant; nothing if nobody says so. What ended the run is never meant.
    [[nodiscard]] std::optional<std::string> reason(const sanitize::Finding& finding);

    /// Of those stated, what allowed nothing: its defect is gone, or its place has moved.
    [[nodiscard]] std::vector<std::string> unused() const;

private:
    const std::vector<Allowance>& stated_;
    std::vector<bool> used_;
};

}  // namespace ascendsim::runtime
