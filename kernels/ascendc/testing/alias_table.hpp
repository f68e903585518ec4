// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ascendsim::isa {

/// An intrinsic that takes `operands` tensors, and how a kernel calls it.
struct Alias {
    const char* name;
    std::uint32_t operands;
    /// On 64 lanes: the result, then the operands, offsets in the unified buffer.
    void (*call)(std::uint64_t to, std::uint64_t first, std::uint64_t second);
};

/// A list that ends with an entry without a name.
using AliasTable = const Alias*;

}  // namespace ascendsim::isa
