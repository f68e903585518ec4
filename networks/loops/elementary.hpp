// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/loops.hpp"

namespace ascendsim::networks::loops {

/// Operands of one element.
struct Arguments {
    double a = 0;
    double b = 0;
    double c = 0;
};

/// An element-wise step on one element, in doubles. `operand` is the type of its last operand.
[[nodiscard]] double apply(const Step& step, const Arguments& x, isa::DataType operand);

/// A result as its type holds it: whole numbers wrap around, truth values are 0 and 1, floats stay as they
/// are.
[[nodiscard]] double in_type(double value, isa::DataType type);

/// True for whole numbers, truth values left out.
[[nodiscard]] bool is_integer(isa::DataType type);

}  // namespace ascendsim::networks::loops
