// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/base/nesting.hpp"

namespace ascendsim {

/// What a JSON text holds; is_discarded() for one that is broken, or nested deeper than any of ours.
template <class Json = nlohmann::json>
[[nodiscard]] Json json_of(std::string_view text) {
    return nested_deeper(text) ? Json{Json::value_t::discarded} : Json::parse(text, nullptr, false);
}

}  // namespace ascendsim
