// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/run_origin.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/scenario/recorded_origin.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

/// Whether `ascendsim run` takes it as the name of a kernel that is there without a scenario.
bool is_shipped_kernel(const std::filesystem::path& name) {
    std::error_code error;
    if (name.empty() || std::filesystem::is_regular_file(name, error)) {
        return false;
    }
    try {
        return !toolchain::Installation::find().kernel_source(name.string()).empty();
    } catch (const UserError&) {  // the program has been moved away from its files
        return false;
    }
}

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

/// Whoever made the recording chose what it names: what runs is what it shows, or nothing.
std::optional<std::string> changed(const Run& run) {
    const std::vector<std::filesystem::path> files = scenario::changed_sources(run.recording());
    if (files.empty()) {
        return std::nullopt;
    }
    return fmt::format(
        "{} is not what this recording was made of{}; open the scenario to run what is there now",
        files.front().string(),
        files.size() == 1 ? "" : fmt::format(", nor are {} more", files.size() - 1));
}

}  // namespace

RunOrigin origin_of(const Run& run) {
    RunOrigin origin;
    scenario::RecordedOrigin recorded = scenario::recorded_origin(run.recording());
    origin.scenario = std::move(recorded.file);
    for (scenario::Override& given : recorded.overrides) {
        origin.settings.emplace_back(std::move(given.path), std::move(given.value));
    }
    origin.shipped_kernel = is_shipped_kernel(origin.scenario);
    origin.missing = origin.shipped_kernel ? std::nullopt : missing(origin.scenario);
    if (!origin.missing) {
        origin.missing = changed(run);
    }
    return origin;
}

}  // namespace ascendsim::gui
