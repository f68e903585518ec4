// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// A path's last part.
[[nodiscard]] inline std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

/// A place as people read it: "my_add.cpp:42"; of one in a library also the kernel's line that called it:
/// "engine.h:310 for matmul.cpp:42". Empty where the recording has none.
[[nodiscard]] std::string place_text(const record::Recording& recording, std::uint32_t site);

}  // namespace ascendsim::analysis
