// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "runtime/session/l2_state.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim {

/// The state a table names under `key`, cold if it names none. Throws UserError for any other word.
[[nodiscard]] inline L2State read_l2_state(TableReader& table, std::string_view key) {
    const std::string word = table.choice(key, {l2_state_names.begin(), l2_state_names.end()});
    return static_cast<L2State>(std::ranges::find(l2_state_names, word) - l2_state_names.begin());
}

}  // namespace ascendsim
