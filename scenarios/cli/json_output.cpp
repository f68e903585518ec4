// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli/json_output.hpp"

#include <cstdio>

#include "scenarios/studies/batch.hpp"

namespace ascendsim::cli {

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_json(const std::string& place, const nlohmann::ordered_json& json) {
    const std::string text = json_text(json);
    if (json_alone(place)) {
        std::fwrite(text.data(), 1, text.size(), stdout);
    } else if (!place.empty()) {
        study::write_file(place, text);
    }
}

}  // namespace ascendsim::cli
