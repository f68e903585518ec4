// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/config/toml_file.hpp"

namespace ascendsim::study {

/// The key figures of one run, kept to compare later runs with: path in the run's JSON, and value.
struct Baseline {
    std::string scenario;
    std::map<std::string, double> figures;

    [[nodiscard]] std::optional<double> find(const std::string& path) const;
};

/// The key figures of a run's JSON: time, work, traffic, pipes, waits, hazards.
[[nodiscard]] Baseline baseline_of(const nlohmann::ordered_json& run);

/// Reads FOLDER/LABEL.json; none if there is no such file. Throws UserError for any other file.
[[nodiscard]] std::optional<Baseline> read_baseline(const std::filesystem::path& folder,
                                                    const std::string& label);

/// What write_baseline() writes: sorted, the same bytes for the same run.
[[nodiscard]] std::string text_of(const Baseline& baseline);

/// Keeps the recording of the run whose figures `baseline` holds in the user's cache, for pages that show it
/// above a later one. At most 64 are kept; the oldest go.
void remember_recording(const std::string& label,
                        const Baseline& baseline,
                        const std::filesystem::path& recording);

/// The recording of the baseline FOLDER/LABEL.json: beside it, else in the cache; empty if there is none.
[[nodiscard]] std::filesystem::path recording_of(const std::string& label,
                                                 const std::filesystem::path& folder);

/// How far a figure may be above its baseline, relative; [baseline] of a scenario: `tolerance = 0.01` and
/// `"memory.hbm_read_bytes" = 0.05`.
struct BaselineLimits {
    double tolerance = 0.01;
    std::map<std::string, double> of;

    [[nodiscard]] double limit(const std::string& path) const {
        const auto found = of.find(path);
        return found == of.end() ? tolerance : found->second;
    }
};

/// The [baseline] table of a scenario, the defaults if there is none. Throws UserError with file and line.
[[nodiscard]] BaselineLimits read_limits(const TomlFile& file);

/// One figure against its baseline.
struct Drift {
    std::string path;
    double before = 0;
    double now = 0;
    double limit = 0;     // relative
    bool judged = false;  // a figure of which more is worse; the others only tell why

    /// Relative to the baseline; where that is 0, to 1.
    [[nodiscard]] double relative() const { return (now - before) / (before != 0 ? before : 1); }

    [[nodiscard]] bool worse() const { return judged && relative() > limit; }

    [[nodiscard]] bool better() const { return judged && relative() < -limit; }
};

/// All figures of either, judged ones first, then by how many cycles or bytes they moved.
[[nodiscard]] std::vector<Drift> drifts(const Baseline& before,
                                        const Baseline& now,
                                        const BaselineLimits& limits);

}  // namespace ascendsim::study
