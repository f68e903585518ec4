// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "runtime/session/l2_state.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// The state a table names under `key`, cold if it names none. Throws UserError for any other word.
[[nodiscard]] inline runtime::L2State read_l2_state(TableReader& table, std::string_view key) {
    const std::string word =
        table.choice(key, {runtime::l2_state_names.begin(), runtime::l2_state_names.end()});
    return static_cast<runtime::L2State>(std::ranges::find(runtime::l2_state_names, word) -
                                         runtime::l2_state_names.begin());
}

}  // namespace ascendsim::scenario
