// SPDX-License-Identifier: Apache-2.0
#include "app/studies/baseline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/scenario/result.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/config/table_reader.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::ordered_json;

// More of these is worse. Time is that of the run, traffic what it moves, hazards what is wrong with it.
constexpr std::array<std::string_view, 6> judged_paths{"cycles",
                                                       "memory.gm_read_bytes",
                                                       "memory.gm_write_bytes",
                                                       "memory.hbm_read_bytes",
                                                       "memory.hbm_write_bytes",
                                                       "hazards"};

constexpr std::array<std::string_view, 10> kept_paths{"time_us",
                                                      "cores_used",
                                                      "launch_cycles",
                                                      "bubbles.fraction",
                                                      "memory.l2_hit_rate",
                                                      "memory.device_bytes",
                                                      "flops",
                                                      "tflops",
                                                      "bounds.speed_of_light_us",
                                                      "bounds.efficiency"};

// Nine digits: what a double keeps safely through text, and more than any limit looks at.
double rounded(double value) {
    constexpr int digits = 9;
    if (value == 0 || !std::isfinite(value)) {
        return 0;
    }
    const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

void keep(Baseline& baseline, const ordered_json& run, const std::string& path) {
    if (const std::optional<double> value = scenario::value_at(run, path)) {
        baseline.figures[path] = rounded(*value);
    }
}

void keep_members(Baseline& baseline,
                  const ordered_json& run,
                  const std::string& table,
                  std::string_view member) {
    if (!run.contains(table) || !run[table].is_object()) {
        return;
    }
    for (const auto& [key, value] : run[table].items()) {
        const std::string path = fmt::format("{}.{}{}", table, key, member);
        if (scenario::value_at(run, path).value_or(0) != 0) {
            keep(baseline, run, path);
        }
    }
}

bool is_judged(const std::string& path) {
    return std::ranges::find(judged_paths, path) != judged_paths.end();
}

// Shares are below 1, cycles and bytes are large: the larger group comes first among what only tells why.
double moved(const Drift& drift) {
    return std::abs(drift.now - drift.before);
}

}  // namespace

std::optional<double> Baseline::find(const std::string& path) const {
    const auto found = figures.find(path);
    return found == figures.end() ? std::nullopt : std::optional{found->second};
}

Baseline baseline_of(const ordered_json& run) {
    Baseline baseline{.scenario = run.value("scenario", std::string{}), .figures = {}};
    for (const std::string_view path : judged_paths) {
        keep(baseline, run, std::string{path});
    }
    for (const std::string_view path : kept_paths) {
        keep(baseline, run, std::string{path});
    }
    if (run.contains("hazards")) {
        baseline.figures["hazards"] = static_cast<double>(scenario::count_errors(run["hazards"]));
    }
    keep_members(baseline, run, "pipes", ".busy_cycles");
    keep_members(baseline, run, "pipes", ".instructions");
    keep_members(baseline, run, "waits", "");
    return baseline;
}

std::optional<Baseline> read_baseline(const std::filesystem::path& folder, const std::string& label) {
    const std::filesystem::path file = folder / (label + ".json");
    std::ifstream stream{file};
    if (!stream) {
        return std::nullopt;
    }
    const auto json = json_of<ordered_json>(std::string{std::istreambuf_iterator<char>{stream}, {}});
    if (!json.is_object() || !json.contains("figures") || !json["figures"].is_object() ||
        (json.contains("scenario") && !json["scenario"].is_string())) {
        throw UserError{"{}: is not a baseline; 'ascendsim check --update' writes one", file.string()};
    }
    Baseline baseline{.scenario = json.value("scenario", std::string{}), .figures = {}};
    for (const auto& [path, value] : json["figures"].items()) {
        if (!value.is_number()) {
            throw UserError{"{}: figures.{}: must be a number", file.string(), path};
        }
        baseline.figures[path] = value.get<double>();
    }
    return baseline;
}

std::string text_of(const Baseline& baseline) {
    ordered_json figures = ordered_json::object();
    for (const auto& [path, value] : baseline.figures) {
        constexpr double exact = 9e15;  // integers beyond are no longer told apart
        if (value == std::floor(value) && std::abs(value) < exact) {
            figures[path] = static_cast<std::int64_t>(value);
        } else {
            figures[path] = value;
        }
    }
    const ordered_json json{{"scenario", baseline.scenario}, {"figures", std::move(figures)}};
    return json.dump(2) + "\n";
}

namespace {

namespace fs = std::filesystem;

fs::path kept_recordings() {
    return toolchain::cache_folder() / "baselines";
}

/// LABEL-HASH.rec, the hash (FNV-1a) being that of the figures.
std::string kept_name(const std::string& label, const Baseline& baseline) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text_of(baseline)) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return fmt::format("{}-{:016x}.rec", label, hash);
}

void drop_oldest(const fs::path& folder, std::size_t most) {
    std::error_code gone;  // another check may be at work
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder, gone}) {
        files.emplace_back(entry.last_write_time(gone), entry.path());
    }
    std::ranges::sort(files);
    for (std::size_t i = 0; i + most < files.size(); ++i) {
        fs::remove(files[i].second, gone);
    }
}

}  // namespace

void remember_recording(const std::string& label, const Baseline& baseline, const fs::path& recording) {
    constexpr std::size_t most = 64;
    const fs::path folder = kept_recordings();
    const fs::path file = folder / kept_name(label, baseline);
    std::error_code failed;  // a cache that cannot be written is none
    try {
        toolchain::make_cache_folder(folder);
    } catch (const UserError&) {
        return;
    }
    if (!fs::exists(file, failed)) {
        fs::copy_file(recording, file, failed);
        drop_oldest(folder, most);
    }
}

fs::path recording_of(const std::string& label, const fs::path& folder) {
    const fs::path beside = folder / (label + ".rec");
    if (fs::is_regular_file(beside)) {
        return beside;
    }
    const std::optional<Baseline> baseline = read_baseline(folder, label);
    const fs::path kept = baseline ? kept_recordings() / kept_name(label, *baseline) : fs::path{};
    return !kept.empty() && fs::is_regular_file(kept) ? kept : fs::path{};
}

BaselineLimits read_limits(const TomlFile& file) {
    BaselineLimits limits;
    TableReader root = file.reader();
    if (const std::optional<Node> table = root.find("baseline")) {
        for (const Node& member : table->members()) {
            const auto value = member.as<double>({0, 1e6});
            if (member.key() == "tolerance") {
                limits.tolerance = value;
            } else {
                limits.of[member.key()] = value;
            }
        }
    }
    return limits;
}

std::vector<Drift> drifts(const Baseline& before, const Baseline& now, const BaselineLimits& limits) {
    std::set<std::string> paths;
    for (const Baseline* one : {&before, &now}) {
        for (const auto& [path, value] : one->figures) {
            paths.insert(path);
        }
    }
    std::vector<Drift> all;
    for (const std::string& path : paths) {
        // A judged figure that the baseline does not know yet cannot have got worse.
        all.push_back({.path = path,
                       .before = before.find(path).value_or(0),
                       .now = now.find(path).value_or(0),
                       .limit = limits.limit(path),
                       .judged = is_judged(path) && before.find(path).has_value()});
    }
    std::ranges::stable_sort(all, [](const Drift& a, const Drift& b) {
        return a.judged != b.judged ? a.judged : moved(a) > moved(b);
    });
    return all;
}

}  // namespace ascendsim::study
