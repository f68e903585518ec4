// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/advice_trial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"

namespace ascendsim::analysis {

namespace {

using nlohmann::json;

constexpr double same_traffic = 0.02;  // shares that do not fill their last tile move a little more

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Bytes that copies moved; what scalar units read follows from their program.
double copied_bytes(const json& run) {
    double sum = 0;
    const json routes = run.value(json::json_pointer{"/memory/routes"}, json::object());
    for (const auto& [route, traffic] : routes.items()) {
        sum += route.starts_with("scalar") ? 0.0 : traffic.value("bytes", 0.0);
    }
    return sum;
}

}  // namespace

bool ended(const json& run) {
    return run.is_object() && run.value("outcome", std::string{}) == "complete";
}

AdviceTrial judge_trial(const std::string& setting,
                        const json& run,
                        const std::string& error,
                        const json& base) {
    AdviceTrial trial{.setting = setting, .problem = {}};
    if (!ended(run)) {
        trial.problem = fmt::format("cannot run: {}", first_line(error));
        return trial;
    }
    trial.time_us = run.value("time_us", 0.0);
    const double before = base.value("time_us", 0.0);
    trial.gain = before > 0 ? 1 - trial.time_us / before : 0;
    const std::vector<std::string> faults = faults_of(run);
    const double more = copied_bytes(run) / std::max(1.0, copied_bytes(base)) - 1;
    const bool checked = run.value(json::json_pointer{"/numerics/checked"}, false);
    if (!faults.empty() && faults_of(base).empty()) {
        trial.problem = first_line(faults.front());
    } else if (!checked && std::abs(more) > same_traffic && setting.starts_with("launch.")) {
        trial.problem =
            fmt::format("moves {:+.0f} % bytes: the kernel's own shares do not follow", more * 100);
    }
    return trial;
}

}  // namespace ascendsim::analysis
