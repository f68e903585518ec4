// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace ascendsim {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
    const auto nearest = std::ranges::min_element(
        known, {}, [&](const std::string& candidate) { return edit_distance(name, candidate); });
    if (nearest == known.end() || edit_distance(name, *nearest) > std::max<std::size_t>(2, name.size() / 3)) {
        return {};
    }
    return fmt::format(", did you mean '{}'?", *nearest);
}

}  // namespace ascendsim
