// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/timed_op.hpp"

namespace ascendsim::isa {

inline constexpr OpInfo pointer_load_info{"pointer_load", "The scalar unit reads through a plain pointer."};
inline constexpr OpInfo pointer_store_info{"pointer_store",
                                           "The scalar unit writes through a plain pointer."};

inline Instructions pointer_access_instructions() {
    return {&pointer_load_info, &pointer_store_info};
}

}  // namespace ascendsim::isa

// What the code of kernels asks in front of loads and stores through plain pointers, so that they take the
// time of GetValue and SetValue. It is made by the compiler pass
// (toolchain/scalar_steps/charge_pointers.cpp).
extern "C" {

/// The host's bytes among which those of every GlobalMemory lie: a pointer from elsewhere leads to none.
extern std::uint64_t ascendsim_global_begin;  // NOLINT: C linkage, the compiler's pass names it
extern std::uint64_t ascendsim_global_bytes;  // NOLINT: the same

/// The kernel is about to read, or write, `bytes` at `pointer`, which may lead into global memory, at `line`
/// of `file`.
void ascendsim_pointer_access(
    const void* pointer, std::uint64_t bytes, std::uint32_t write, const char* file, std::uint32_t line);

}  // extern "C"
