// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::host {

/// Arithmetic that a scenario states: of the extents of a shape ("rows * cols"), or of each element of an
/// output
/// ("relu(x) + 0.5 * y"). Numbers, names, + - * /, parentheses, and abs, ceil, erf, exp, floor, log, max,
/// min, pow, relu, round, sigmoid, sqrt, tanh.
class Formula {
public:
    /// Throws UserError, which opens with `place`, for what is none.
    Formula(std::string_view text, std::string_view place);

    /// The names in it, each once, in the order of their first use.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// Its value, in double, where each of names() has the value at the same place.
    [[nodiscard]] double value(std::span<const double> values) const;

    [[nodiscard]] const std::string& text() const { return text_; }

    /// What a step does to the stack of values.
    enum class Step : std::uint8_t {
        number,
        name,
        negate,
        add,
        subtract,
        multiply,
        divide,
        abs,
        ceil,
        erf,
        exp,
        floor,
        log,
        max,
        min,
        pow,
        relu,
        round,
        sigmoid,
        sqrt,
        tanh,
    };

private:
    friend class FormulaParser;

    struct Operation {
        Step step = Step::number;
        double number = 0;
        std::uint32_t name = 0;
    };

    std::string text_;
    std::vector<std::string> names_;
    std::vector<Operation> operations_;  // in the order of a stack machine
    std::uint32_t depth_ = 0;            // of the stack
};

}  // namespace ascendsim::host
