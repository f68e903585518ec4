// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ascendsim::analysis {

/// The result of running one setting that advice names.
struct AdviceTrial {
    std::string setting;  // as for --set: "launch.blocks=12"
    double time_us = 0;
    double gain = 0;  // share of the run's time; negative: slower
    std::string
        problem;  // why its time says nothing: it could not run, its numbers are wrong, it moves other bytes
};

/// What a run with `setting` says beside the one without: `run` and `base` as `run --json` writes them, null
/// if there is none; `error` the sentence of a run that failed.
[[nodiscard]] AdviceTrial judge_trial(const std::string& setting,
                                      const nlohmann::json& run,
                                      const std::string& error,
                                      const nlohmann::json& base);

/// True for the JSON of a run that came to its end, whatever was found in it.
[[nodiscard]] bool ended(const nlohmann::json& run);

}  // namespace ascendsim::analysis
