// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ascendsim::analysis {

/// A path's last part.
[[nodiscard]] inline std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace ascendsim::analysis
