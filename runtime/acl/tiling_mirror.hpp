// SPDX-License-Identifier: Apache-2.0
// Tiling structs that host code fills in field by field where the framework reads them.
#pragma once

#include <cstddef>

namespace ascendsim::tiling {

/// From now on what is set in the struct at `structure` shows at `target` too.
void begin_mirror(const void* structure, void* target);

/// Brings the target of a struct up to date, if it has one.
void mirror(const void* structure, std::size_t bytes);

}  // namespace ascendsim::tiling
