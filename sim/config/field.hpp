// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ascendsim {

/// Declares one parameter beside the struct that holds it: name in files and paths, allowed range, unit and
/// meaning. Reading, range checks, unknown-key errors, `describe` and the dashboard's knobs are all driven by
/// these.
template <class Owner, class Value>
struct Field {
    std::string_view name;
    Value Owner::*member;
    double min = 0;
    double max = 0;
    std::string_view unit;
    std::string_view meaning;
};

template <class Owner, class Value>
constexpr Field<Owner, Value> field(std::string_view name,
                                    Value Owner::*member,
                                    double min,
                                    double max,
                                    std::string_view unit,
                                    std::string_view meaning) {
    return {name, member, min, max, unit, meaning};
}

/// Declares a nested group of parameters, addressed as `group.name`.
template <class Owner, class Value>
struct Group {
    std::string_view name;
    Value Owner::*member;
    std::string_view meaning;
};

template <class Owner, class Value>
constexpr Group<Owner, Value> group(std::string_view name, Value Owner::*member, std::string_view meaning) {
    return {name, member, meaning};
}

}  // namespace ascendsim
