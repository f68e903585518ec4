// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ascendsim::study {

/// A value and the arithmetic that led to it, with numbers in the place of names: "4.4e+12 / 0.0051".
struct Computed {
    double value = 0;
    std::string arithmetic;
};

/// Gives a name's value; none if there is no such name.
using Lookup = std::function<std::optional<double>(const std::string& name)>;

/// Computes an expression of numbers, names (letters, digits, `_`, `.`, and `@` with a variant), + - * / ^,
/// parentheses, and min, max, sqrt, ceil of such. Throws UserError, opening with `place`, for what is none,
/// for unknown names and for a division by zero.
[[nodiscard]] Computed compute(std::string_view expression, const Lookup& lookup, std::string_view place);

/// A number as people write it: 16384, 0.0051, 4.4e+12.
[[nodiscard]] std::string number_text(double value);

}  // namespace ascendsim::study
