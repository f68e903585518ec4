// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

/// The plug-in of an operator's host source, compiled unless one of the same content is in the cache; it
/// exports what runtime/acl/tiling_request.hpp says. Throws UserError with the compiler's message.
[[nodiscard]] std::filesystem::path build_tiling(const std::filesystem::path& source, const Toolchain& with);

/// The host source of a kernel that lies in an operator project, `op_host/<operator>.cpp` beside its
/// op_kernel, if that defines an operator with a tiling function; else empty.
[[nodiscard]] std::filesystem::path tiling_source_of(const std::filesystem::path& kernel);

}  // namespace ascendsim::toolchain
