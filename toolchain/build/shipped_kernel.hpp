// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

/// The plug-in of an operator that comes with the simulator, kernels/ops/<family>/<kernel>, for one pass. One
/// that the build or the package made is taken if nothing it was made of is newer; else it is compiled
/// through the cache, as users' kernels are, and with it, side by side, the other passes of that kernel which
/// a run will want. `arch` matters for whole cores alone. Throws UserError if there is no such kernel.
[[nodiscard]] std::filesystem::path shipped_plugin(const std::string& kernel,
                                                   Pass pass,
                                                   const std::string& arch,
                                                   const Toolchain& with);

}  // namespace ascendsim::toolchain
