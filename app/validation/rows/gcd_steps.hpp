// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/validation/catalogue.hpp"

namespace ascendsim::validation {

/// Subtractions of the smaller from the larger until one of two numbers is 0: the sum of Euclid's quotients.
[[nodiscard]] std::uint64_t subtractions(std::int64_t a, std::int64_t b);

/// The subtractions of the slowest of `tile` pairs, the mean over many tiles. `alike` neighbours share their
/// second operand. The pairs are drawn evenly from the ranges, the same ones in every run.
[[nodiscard]] double most_subtractions(const ValueRange& first,
                                       const ValueRange& second,
                                       std::uint64_t tile,
                                       std::uint64_t alike);

}  // namespace ascendsim::validation
