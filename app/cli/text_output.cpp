// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_output.hpp"

#include <cstdio>

#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {

void write_text(const std::string& place, const std::string& text) {
    if (place == standard_output) {
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
            throw UserError{"standard output: cannot be written"};
        }
    } else if (!place.empty()) {
        study::write_file(place, text);
    }
}

void write_json(const std::string& place, const nlohmann::ordered_json& json) {
    if (!place.empty()) {
        write_text(place, json_text(json));
    }
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ascendsim::cli
