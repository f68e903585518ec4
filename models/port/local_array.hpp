// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The kernel uses `bytes` at byte `offset` of an array of its own that it has never written, at `line` of
/// `file`: the call is made by the compiler pass (toolchain/scalar_steps/local_arrays.cpp).
extern "C" void ascendsim_array_unwritten(const char* file,
                                          std::uint32_t line,
                                          std::uint64_t offset,
                                          std::uint64_t bytes);

/// The kernel takes `what`, a variable of its own that it has never set, for a condition, an address or an
/// argument, at `line` of `file`: the call is made by the compiler pass
/// (toolchain/scalar_steps/unset_values.cpp).
extern "C" void ascendsim_value_unset(const char* file, std::uint32_t line, const char* what);

/// The kernel reads or writes element `index` of an array that is part of an object, or is made of objects,
/// and has `elements` elements, at `line` of `file`: the call is made by the compiler pass
/// (toolchain/scalar_steps/watch_subscripts.cpp).
extern "C" void ascendsim_index_beyond(
    const char* file, std::uint32_t line, std::int64_t index, std::uint64_t elements, std::uint32_t write);

/// Fills an array of `bytes` with elements of 4 or 8 bytes whose bits are `content`.
extern "C" void ascendsim_fill_unset(void* array,
                                     std::uint64_t bytes,
                                     std::uint64_t content,
                                     std::uint32_t element_bytes);
