// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/skeleton/argument_scan.hpp"
#include "models/port/core_use.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::skeleton {

/// A kernel function as its source tells it.
struct KernelSignature {
    std::string entry;
    bool is_template = false;  // a launch has to name its arguments, as in "add<half>"
    CoreUse cores = CoreUse::aiv;
    std::vector<ScannedArgument> arguments;
};

/// The kernel functions of a source, in its order, each with what becomes of its parameters.
[[nodiscard]] std::vector<KernelSignature> signatures(const std::filesystem::path& source,
                                                      const toolchain::Installation& installation);

/// A scenario for kernel `entry` of an existing source, with one [[args]] for each parameter and what the
/// text tells of it, its tiling struct from the operator's host side where that defines it, to be completed
/// by the user. Without `entry` the source must have one kernel only. Throws UserError that lists the kernels
/// there are.
[[nodiscard]] std::string scenario_skeleton(const std::filesystem::path& source,
                                            const std::string& entry,
                                            const toolchain::Installation& installation);

}  // namespace ascendsim::skeleton
