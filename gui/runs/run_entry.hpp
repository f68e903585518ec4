// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/lessons/lesson.hpp"

namespace ascendsim::gui {

enum class RunStatus : std::uint8_t {
    running,
    complete,
    failed,
    cancelled,
    incomplete,  ///< a recording that ends before its run did
};

[[nodiscard]] constexpr std::string_view name(RunStatus status) {
    switch (status) {
        case RunStatus::running:
            return "running";
        case RunStatus::complete:
            return "complete";
        case RunStatus::failed:
            return "failed";
        case RunStatus::cancelled:
            return "cancelled";
        case RunStatus::incomplete:
            return "incomplete";
    }
    return {};
}

/// One run of the history.
struct RunEntry {
    int number = 0;    ///< counts from 1 in the order they were started
    std::string name;  ///< chosen by the user, or what was changed: "buffers=2"
    std::filesystem::path scenario;
    std::vector<lessons::Setting> settings;
    bool sandbox = false;  ///< what runs was named by a recording, not by the user
    std::filesystem::path recording;
    RunStatus status = RunStatus::running;
    double seconds = 0;  ///< wall time
    std::string error;   ///< what the simulator said when it failed
    nlohmann::json figures;
    bool step = false;  ///< of several devices, which `ascendsim step` runs

    /// A figure at the top of `run --json`, or 0.
    [[nodiscard]] double figure(const char* key) const {
        const auto found = figures.find(key);
        return found != figures.end() && found->is_number() ? found->get<double>() : 0;
    }
};

}  // namespace ascendsim::gui
