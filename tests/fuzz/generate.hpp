// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "tests/fuzz/interpret.hpp"

namespace fuzz {

using Random = std::mt19937;

/// Numbers of every type, each in a quarter of the image: floats, halves, 32-bit and 16-bit integers.
void fill(Image& image, Random& random);

/// A legal instruction: operands aligned, inside of the image, and either apart or equal. Gathers get their
/// offsets written into `image`.
Instruction generate(Image& image, Random& random);

}  // namespace fuzz
