// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim {

/// A shipped scenario as lists show it.
struct ListedScenario {
    std::string name;
    std::string title;
    std::string lesson;  // what it teaches, if it is one of the lessons
    std::filesystem::path file;
};

/// The scenarios of the installation, by name. One that cannot be read is listed with the reason as its
/// title.
[[nodiscard]] std::vector<ListedScenario> list_scenarios(const host::Installation& installation);

/// An instruction of the machine as its declaration states it.
struct ListedInstruction {
    std::string name;
    std::string meaning;
    std::filesystem::path file;
};

/// The instructions declared by the headers of models/isa, by name.
[[nodiscard]] std::vector<ListedInstruction> list_instructions(const host::Installation& installation);

}  // namespace ascendsim
