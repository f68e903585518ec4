// SPDX-License-Identifier: Apache-2.0
// Headers aclnn_<operator>.h for a host program: those of a library with bodies behind them, and those that
// the vendor's build would have generated.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/acl/operator_call.hpp"
#include "toolchain/build/program_build.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// The first phase of an aclnn function as a header declares it.
struct CallSignature {
    /// A parameter: "const aclTensor*" and "x".
    struct Parameter {
        std::string type;
        std::string name;
    };

    std::string function;               // "aclnnRmsNorm"
    std::vector<Parameter> parameters;  // without workspaceSize and executor
};

/// The functions that a header's text declares.
[[nodiscard]] std::vector<CallSignature> signatures_in(const std::string& text);

/// The function that the vendor's build generates for a definition: inputs, attributes, outputs, in order;
/// those that are there since the version of `function` (…V2).
[[nodiscard]] CallSignature generated_signature(const tiling::DescribedOperator& one,
                                                const std::string& function);

/// The names of headers aclnn_….h that the files of a program include, by themselves or through others.
[[nodiscard]] std::vector<std::string> call_headers_of(const toolchain::ProgramSources& sources,
                                                       const toolchain::Installation& installation);

/// The headers aclnn_….h of a library, by name.
[[nodiscard]] std::map<std::string, std::vector<std::filesystem::path>> call_headers_in(
    const std::filesystem::path& library);

/// A header whose functions have bodies that hand their arguments to the simulator. `declared` is included in
/// front of them; empty: there is none.
[[nodiscard]] std::string header_with_bodies(const std::vector<CallSignature>& signatures,
                                             const std::filesystem::path& declared);

}  // namespace ascendsim::scenario
