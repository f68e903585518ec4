// SPDX-License-Identifier: Apache-2.0
// The code of a library's own around its operators (op_api), for the host: what stands behind an aclnn
// function.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

/// The sources of a library that define the first phase of an aclnn function, by the function's name
/// ("aclnnRmsNorm"). Tests, experiments and variants for another generation are left out.
[[nodiscard]] std::map<std::string, std::filesystem::path> own_sources(const std::filesystem::path& library);

/// The functions aclnnInner… that a source calls: the vendor's build generates them from definitions.
[[nodiscard]] std::vector<std::string> inner_functions(const std::filesystem::path& source);

/// That source as a plug-in, with the sources of the functions of single operators that it calls: those
/// beside the headers it includes. Headers `level0/x.h` of the vendor's package are looked for in all
/// `libraries`. `inner` is a header with the bodies of generated functions; it may be empty. Throws UserError
/// with the compiler's message.
[[nodiscard]] std::filesystem::path build_own_code(const std::filesystem::path& source,
                                                   const std::vector<std::filesystem::path>& libraries,
                                                   const std::string& inner,
                                                   const Toolchain& with);

}  // namespace ascendsim::toolchain
