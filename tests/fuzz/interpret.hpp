// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tests/fuzz/numbers.hpp"

namespace fuzz {

using Image = std::array<std::uint8_t, image_bytes>;

/// What the documentation says about the result of an instruction.
struct Verdict {
    bool defined = true;      // false: comparisons with a number that is none
    std::uint32_t ulps = 0;   // how far elements may lie from the interpreter's
    bool only_first = false;  // only the first result is defined; `slack` is its absolute tolerance
    double slack = 0;
    Type results = Type::f32;  // type of the destination's elements
};

/// Follows `instruction` on `image`, element by element.
Verdict interpret(const Instruction& instruction, Image& image);

}  // namespace fuzz
