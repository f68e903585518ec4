// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ascendsim {

/// The release, as in "0.1.0".
[[nodiscard]] std::string_view release();

/// The commit this was built from, as in "21a780e2b9f8" or "21a780e2b9f8, modified"; "unknown" outside git.
[[nodiscard]] std::string_view commit();

/// Both, as --version prints them.
[[nodiscard]] std::string version();

}  // namespace ascendsim
