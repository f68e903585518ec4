// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

extern "C" {

/// Where a kernel's load or store of `bytes` at `pointer` goes: into the unified buffer of the running core
/// if the pointer is a number that lies in it, which is then an access of the scalar unit; else to the
/// pointer itself. `kind` is 1 for a store, and 2 more for a block of elements, which begins anywhere and may
/// be empty. Called by code that the compiler pass adds (toolchain/scalar_steps/number_addresses.cpp).
[[nodiscard]] void* ascendsim_scalar_place(
    void* pointer, std::uint32_t bytes, std::uint32_t kind, const char* file, std::uint32_t line);

}  // extern "C"
