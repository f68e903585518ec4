// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ascendsim {
namespace {

/// Letters to change, add, leave out, or swap with the next ("hieght" is one away from "height").
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);  // the row above the last
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row.back();
}

/// True if all of the name's letters stand in the other in this order, from its first on: "gbps" in
/// "gb_per_s".
bool abbreviates(std::string_view name, std::string_view other) {
    constexpr std::size_t fewest = 3;
    if (name.size() < fewest || other.empty() || name.front() != other.front()) {
        return false;
    }
    std::size_t found = 0;
    for (const char letter : other) {
        found += found < name.size() && name[found] == letter ? 1U : 0U;
    }
    return found == name.size();
}

/// How far a candidate is from what was written: letters to change; what the candidate has beyond a beginning
/// like the name ("swiglo", "swiglu_910b") or between its letters counts little.
std::size_t distance(std::string_view name, std::string_view candidate) {
    constexpr std::size_t weight = 4;
    const std::size_t whole = weight * edit_distance(name, candidate);
    const std::size_t begun = name.size() < candidate.size() && name.size() >= 4
                                  ? weight * edit_distance(name, candidate.substr(0, name.size())) +
                                        (candidate.starts_with(name) ? 1U : 2U)
                                  : whole;
    const std::size_t short_form = abbreviates(name, candidate) ? weight : whole;
    return std::min({whole, begun, short_form});
}

}  // namespace

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
    // Of candidates that begin alike the shortest, whatever order they come in.
    const auto nearest = std::ranges::min_element(known, {}, [&](const std::string& candidate) {
        return std::pair{distance(name, candidate), candidate.size()};
    });
    constexpr std::size_t weight = 4;
    if (nearest == known.end() ||
        distance(name, *nearest) > weight * std::max<std::size_t>(2, name.size() / 3)) {
        return {};
    }
    return fmt::format(", did you mean '{}'?", *nearest);
}

}  // namespace ascendsim
