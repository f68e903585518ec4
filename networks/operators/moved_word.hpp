// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/port/data_type.hpp"

namespace ascendsim::networks {

/// The word by which the kernel `rearrange` moves elements of this size.
[[nodiscard]] const char* moved_word(isa::DataType type);

}  // namespace ascendsim::networks
