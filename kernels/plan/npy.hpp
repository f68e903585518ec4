// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/plan/buffer.hpp"

namespace ascendsim::host {

/// A tensor as a `.npy` file holds it.
struct NpyArray {
    isa::DataType type = isa::DataType::float32;
    Shape shape;
    std::vector<std::byte> bytes;
};

/// Reads a `.npy` file of format 1 to 3. Throws UserError "`where`: file: ..." if it cannot be read, is cut
/// short, is in Fortran or big-endian order, or holds a type the chip has not. Two-byte void elements are
/// bfloat16.
[[nodiscard]] NpyArray read_npy(const std::filesystem::path& file, std::string_view where = {});

/// Reads the header and the bytes of a file already in memory; `name` opens messages.
[[nodiscard]] NpyArray parse_npy(std::span<const std::byte> content, std::string_view name);

/// Writes a `.npy` file; bfloat16 as two-byte void, int4 as int8. Throws UserError if it cannot.
void write_npy(const std::filesystem::path& file,
               isa::DataType type,
               const Shape& shape,
               std::span<const std::byte> bytes);

}  // namespace ascendsim::host
