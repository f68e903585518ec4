// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::testing {

/// A scenario of the repository, and what makes it short: paths with values, as --set takes them.
struct SmallScenario {
    std::string name;
    std::vector<std::string> sets;

    /// "--set path='value' ...", for a shell.
    [[nodiscard]] std::string options() const;
};

/// Every scenario and lesson that `ascendsim list scenarios` shows.
[[nodiscard]] std::vector<SmallScenario> small_scenarios(const toolchain::Installation& installation);

}  // namespace ascendsim::testing
