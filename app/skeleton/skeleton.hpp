// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::skeleton {

/// A scenario for kernel `entry` of an existing source, with one [[args]] for each parameter and what the
/// text tells of it, its tiling struct from the operator's host side where that defines it, to be completed
/// by the user. Without `entry` the source must have one kernel only. Throws UserError that lists the kernels
/// there are.
[[nodiscard]] std::string scenario_skeleton(const std::filesystem::path& source,
                                            const std::string& entry,
                                            const toolchain::Installation& installation);

}  // namespace ascendsim::skeleton
