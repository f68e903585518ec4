// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "runtime/acl/operator_call.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::scenario {

/// Whether an operator of a library can be called by its name, and if not, what stands in the way.
struct ListedOperator {
    std::string type;
    std::filesystem::path folder;
    std::filesystem::path kernel;
    std::string obstacle;                 // in few words, to be counted; empty: nothing stands in the way
    std::string reason;                   // the words of the compiler or of the operator
    std::vector<std::string> signature;   // of its inputs and outputs: "x float16 | float32"
    std::vector<std::string> attributes;  // "epsilon a Float"
    std::vector<std::string> left_out;    // host sources that do not compile
    std::vector<tiling::DescribedParameter> parameters{};
};

/// What an operator's own host code defines, as it is on a chip. Throws UserError where that does not
/// compile.
[[nodiscard]] tiling::DescribedOperator described_operator(const toolchain::LibraryOperator& one,
                                                           const ChipSpec& chip,
                                                           const toolchain::Installation& installation);

/// Compiles the host code of an operator and asks it what it defines.
[[nodiscard]] ListedOperator listed(const toolchain::LibraryOperator& one,
                                    const ChipSpec& chip,
                                    const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
