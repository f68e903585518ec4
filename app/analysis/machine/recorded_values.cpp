// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/recorded_values.hpp"

#include <algorithm>
#include <cmath>

namespace ascendsim::analysis {

const nlohmann::json& recorded_value(const nlohmann::json& object, const char* key) {
    static const nlohmann::json nothing;
    if (!object.is_object()) {
        return nothing;
    }
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

const nlohmann::json& recorded_list(const nlohmann::json& object, const char* key) {
    static const nlohmann::json nothing = nlohmann::json::array();
    const nlohmann::json& value = recorded_value(object, key);
    return value.is_array() ? value : nothing;
}

std::string recorded_text(const nlohmann::json& object, const char* key) {
    constexpr std::size_t longest = 2000;
    const nlohmann::json& value = recorded_value(object, key);
    std::string text = value.is_string() ? value.get<std::string>() : std::string{};
    if (text.size() > longest) {
        std::size_t end = longest;  // of a whole character
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
            --end;
        }
        text.resize(end);
    }
    return text;
}

double recorded_number(const nlohmann::json& value) {
    constexpr double largest = 1e18;
    const double number = value.is_number() ? value.get<double>() : 0;
    return std::isfinite(number) ? std::clamp(number, -largest, largest) : 0;
}

double recorded_figure(const nlohmann::json& object, const char* key) {
    return std::max(0.0, recorded_number(recorded_value(object, key)));
}

std::uint64_t recorded_count(const nlohmann::json& object, const char* key) {
    return static_cast<std::uint64_t>(recorded_figure(object, key));
}

const nlohmann::json& recorded_program(const nlohmann::json& totals) {
    return recorded_value(totals, "program");
}

const nlohmann::json& recorded_timeline(const nlohmann::json& totals) {
    return recorded_value(recorded_program(totals), "timeline");
}

}  // namespace ascendsim::analysis
