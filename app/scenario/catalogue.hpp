// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// A shipped scenario as lists show it.
struct ListedScenario {
    std::string name;
    std::string title;
    std::string lesson;  // what it teaches, if it is one of the lessons
    std::filesystem::path file;
};

/// The scenarios of the installation, by name. One that cannot be read is listed with the reason as its
/// title.
[[nodiscard]] std::vector<ListedScenario> list_scenarios(const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
