// SPDX-License-Identifier: Apache-2.0
// The unit flag of L0C: Mmad hands a result to Fixpipe, and Fixpipe the place back, without event flags of
// the kernel.
//
//   Mmad 2 … Mmad 3 --result--> Fixpipe 2 … Fixpipe 3 --place--> Mmad 2 …      (2: goes on, 3: the last of
//   its kind)
//
// The hardware hands over 512 bytes at a time, so that the two overlap; here a whole result is handed over,
// which costs one result's way out where L0C has a single buffer (1 % of a large matrix multiplication:
// GEMM-008 and GEMM-009).
#pragma once

#include <cstdint>

#include "models/port/pipe.hpp"

namespace ascendsim::isa {

/// Call around an Mmad whose result is at byte `result` of L0C. Nothing happens where `unit_flag` is 0.
void before_unit_mmad(std::uint32_t result, std::uint8_t unit_flag, Site site);
void after_unit_mmad(std::uint32_t result, std::uint8_t unit_flag, Site site);
/// Call around a Fixpipe that reads at byte `result` of L0C.
void before_unit_fixpipe(std::uint32_t result, std::uint8_t unit_flag, Site site);
void after_unit_fixpipe(std::uint32_t result, std::uint8_t unit_flag, Site site);

}  // namespace ascendsim::isa
