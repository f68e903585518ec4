// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "app/scenario/library_operator.hpp"
#include "runtime/acl/operator_call.hpp"

namespace ascendsim::scenario {

/// A request as the operator's host code is asked: names of types and layouts become the graph engine's
/// numbers, values become bytes. Throws UserError.
[[nodiscard]] tiling::OperatorCall call_of(const OperatorRequest& request,
                                           const std::string& type,
                                           const std::string& chip);

/// The name of a layout by the graph engine's number; empty if it has none here.
[[nodiscard]] std::string format_name(std::int32_t number);

// An answer crosses from one process to another as JSON.
[[nodiscard]] nlohmann::ordered_json to_json(const tiling::OperatorAnswer& answer);
[[nodiscard]] tiling::OperatorAnswer answer_from(const nlohmann::ordered_json& json);

}  // namespace ascendsim::scenario
