// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The kernel uses `bytes` at byte `offset` of an array of its own that it has never written, at `line` of
/// `file`: the call is made by the compiler pass (toolchain/scalar_steps/local_arrays.cpp).
extern "C" void ascendsim_array_unwritten(const char* file,
                                          std::uint32_t line,
                                          std::uint64_t offset,
                                          std::uint64_t bytes);
