// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// True if every queue that a pipe fills was seen with two buffers or more on some core. False too where the
/// recording has no lives of buffers: kernels that place their tensors by hand tell nothing.
[[nodiscard]] bool has_double_buffers(std::string_view pipe, const record::Recording& recording);

}  // namespace ascendsim::analysis
