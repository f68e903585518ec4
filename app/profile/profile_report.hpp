// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "app/profile/profile_comparison.hpp"
#include "app/report/style.hpp"

namespace ascendsim::profile {

/// For people: where devices starved, which operators lost how much, which were not simulated and why.
[[nodiscard]] std::string profile_text(const ProfileComparison& comparison, const report::Style& style);

/// `chip`, `files`, `totals` (`real_us`, `compared_us`, `simulated_us`, `lost_us`, `mean_error`), `operators`
/// (`type`, `shapes`, `types`, `count`, `real_us`, `simulated_us`, `lost_us`, `refused`, …), `devices`,
/// `causes`, `gaps` (the longest 1,000), `steps`, `notes`.
[[nodiscard]] nlohmann::ordered_json to_json(const ProfileComparison& comparison);

/// A row for each kind of task.
[[nodiscard]] std::string profile_csv(const ProfileComparison& comparison);

/// The same as the text, as a page.
[[nodiscard]] std::string profile_html(const ProfileComparison& comparison);

}  // namespace ascendsim::profile
