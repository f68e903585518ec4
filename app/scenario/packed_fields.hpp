// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// The bytes of a struct whose members are listed as `{ name = "total", type = "uint32", value = 16384 }`, a
/// list being an array, laid out as a C++ compiler would. Throws UserError for types and values that do not
/// fit.
[[nodiscard]] std::vector<std::byte> pack_fields(const Node& fields);

/// The bytes of one value of an element type.
[[nodiscard]] std::vector<std::byte> pack_value(const Node& type, const Node& value);

}  // namespace ascendsim::scenario
