// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/acl/op_api/types.hpp"

namespace ascendsim::op_api {

/// Writes element `i`; nothing where it does not lie in `bytes`, or of a type that has no numbers.
void write_element(std::vector<std::byte>& bytes, std::size_t i, op::DataType type, double value);

/// The elements as numbers.
[[nodiscard]] std::vector<double> elements_of(const std::vector<std::byte>& bytes, op::DataType type);

}  // namespace ascendsim::op_api
