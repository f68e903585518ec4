// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/argument_fill.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"

namespace ascendsim::scenario {

host::Fill read_fill(const Node& node) {
    static const std::vector<std::string> names{
        "zeros", "ones", "constant", "uniform", "normal", "arange", "integers"};
    std::string kind;
    std::vector<double> numbers;
    if (node.is_string()) {
        kind = node.as<std::string>();
    } else if (const std::vector<Node> members = node.members(); members.size() == 1) {
        kind = members[0].key();
        numbers =
            members[0].is_array() ? members[0].list<double>() : std::vector<double>{members[0].as<double>()};
    }
    const auto number = [&](std::size_t i, double otherwise) {
        return i < numbers.size() ? numbers[i] : otherwise;
    };
    if (kind == "zeros" || kind == "ones" || kind == "constant") {
        return host::fill::Constant{kind == "zeros" ? 0 : number(0, 1)};
    }
    if (kind == "uniform") {
        return host::fill::Uniform{number(0, -1), number(1, 1)};
    }
    if (kind == "normal") {
        return host::fill::Normal{number(0, 0), number(1, 1)};
    }
    if (kind == "arange") {
        return host::fill::Arange{number(0, 0), number(1, 1)};
    }
    if (kind == "integers" && std::abs(number(0, 0)) < 0x1p62 && std::abs(number(1, 1)) < 0x1p62 &&
        number(0, 0) <= number(1, 1)) {
        return host::fill::Integers{static_cast<std::int64_t>(number(0, 0)),
                                    static_cast<std::int64_t>(number(1, 1))};
    }
    throw node.error(
        fmt::format("must be one of {}, or one of them with its numbers as in {{ uniform = [-1, 1] }}{}",
                    fmt::join(names, ", "),
                    nearest_hint(kind, names)));
}

}  // namespace ascendsim::scenario
