// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "networks/patterns/view.hpp"

namespace ascendsim::networks {

/// What an expression found in a network.
struct Found {
    std::map<std::string, std::string> tensors;  // by the names of any()
    std::map<std::string, double> numbers;       // by the names of some_number()
    std::map<std::string, std::size_t> nodes;    // by the names of op()
    std::set<std::size_t> all;                   // nodes
};

/// A tensor by how it is made. Operands of Add, Mul, Max, Min and Sum match in either order.
struct Expression {
    enum class Kind : std::uint8_t { any, number, some_number, op, either };

    Kind kind = Kind::any;
    std::string name;              // under which it is found; empty: not kept
    std::vector<std::string> ops;  // of Kind::op
    std::vector<Expression> operands;
    double value = 0;
};

/// Whichever tensor; the same name is the same tensor.
[[nodiscard]] Expression any(std::string name);
/// One known element, within 1/1000: exports round their constants.
[[nodiscard]] Expression number(double value);
/// One known element.
[[nodiscard]] Expression some_number(std::string name);
/// The first result of a node of one of these kinds that has exactly these operands; without any, whichever.
[[nodiscard]] Expression op(std::vector<std::string> ops,
                            std::vector<Expression> operands,
                            std::string name = {});
/// The first of these that matches.
[[nodiscard]] Expression either(std::vector<Expression> expressions);

/// Matches the tensor and what makes it.
[[nodiscard]] std::optional<Found> match(const PatternView& view,
                                         const Expression& expression,
                                         const std::string& tensor);

}  // namespace ascendsim::networks
