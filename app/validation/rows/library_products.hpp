// SPDX-License-Identifier: Apache-2.0
// How the operator library cuts its products, where its host code is published (hicann ops-transformer and
// ops-nn).
#pragma once

#include <cstdint>

#include "app/validation/rows/matmul_rows.hpp"

namespace ascendsim::validation {

/// What starting all vector cores besides the cube cores adds to a launch, us.
[[nodiscard]] double mixed_launch_us(const ChipSpec& chip);

/// Tiles, steps and cores of the library's grouped product, whose largest group has `rows` rows.
void add_grouped_tiling(KernelRun& run, const Product& product, std::uint64_t rows, const ChipSpec& chip);

/// Tiles of the library's product of int8 matrices, where its basic blocks take it, or its rows are few;
/// others are left to our tiling.
void add_quantised_tiling(KernelRun& run, const Product& product, const ChipSpec& chip);

/// Of a product of 16-bit matrices, puts first what the library's vector cores do to an operand whose rows
/// are no multiples of 256 bytes: they turn all of it into NZ, in global memory, and only then the cube cores
/// start. The product itself, the case's last run, is left without ragged rows.
void reformat_unaligned(Case& result, const Product& product, const Context& context);

/// Appends the scaling of `product`'s last round of basic blocks, which nothing hides: one vector core beside
/// each cube reads the int32 sums of a block back and scales them.
void add_scaling_of_last_round(Case& result, const Product& product, const Context& context);

}  // namespace ascendsim::validation
