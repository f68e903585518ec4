// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/run_origin.hpp"

#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ascendsim::gui {
namespace {

std::optional<std::string> missing(const std::filesystem::path& scenario) {
    if (scenario.empty()) {
        return "The recording does not say which scenario made it";
    }
    std::error_code error;
    if (std::filesystem::is_regular_file(scenario, error)) {
        return std::nullopt;
    }
    return fmt::format(
        "{}: the scenario of this run is not there{}",
        scenario.string(),
        scenario.is_relative() ? " when seen from the folder the dashboard was started in" : " any more");
}

}  // namespace

RunOrigin origin_of(const Run& run) {
    RunOrigin origin;
    const nlohmann::json& metadata = run.recording().metadata();
    if (metadata.is_object()) {
        origin.scenario = metadata.value("file", std::string{});
        const nlohmann::json given = metadata.value("overrides", nlohmann::json::object());
        for (const auto& [path, value] : given.items()) {
            origin.settings.emplace_back(path, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    origin.missing = missing(origin.scenario);
    return origin;
}

}  // namespace ascendsim::gui
