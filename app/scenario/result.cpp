// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/result.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <sys/resource.h>

#include "app/analysis/faults.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/scenario/request.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::scenario {
namespace {

using nlohmann::ordered_json;

double peak_rss_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr double kib_per_mb = 1000.0 / 1.024;
    return static_cast<double>(usage.ru_maxrss) / kib_per_mb;
}

ordered_json simulator(const runtime::SessionOutcome& outcome) {
    const double rate = outcome.wall_s > 0 ? static_cast<double>(outcome.instructions) / outcome.wall_s : 0;
    return {{"instructions", outcome.instructions},
            {"wall_s", outcome.wall_s},
            {"instructions_per_s", rate},
            {"peak_rss_mb", peak_rss_mb()}};
}

/// Of all tensors of a kernel in global memory that the recording describes, workspaces among them.
std::uint64_t bytes_of_tensors(const nlohmann::json& metadata) {
    std::uint64_t bytes = 0;
    if (!metadata.is_object() || !metadata.contains("buffers") || !metadata["buffers"].is_array()) {
        return bytes;
    }
    for (const nlohmann::json& buffer : metadata["buffers"]) {
        bytes += buffer.is_object() ? buffer.value("bytes", std::uint64_t{0}) : 0;
    }
    return bytes;
}

}  // namespace

std::string file_word(std::string_view text) {
    constexpr unsigned char ascii_end = 0x80;
    std::string word;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = std::isalnum(byte) != 0 || byte >= ascii_end || letter == '.' || letter == '_';
        word += plain ? letter : '-';
    }
    return word;
}

const record::Recording& RunResult::content() const {
    if (!content_) {
        content_.emplace(recording);
    }
    return *content_;
}

namespace {

/// The profiler's cycles, as the session counted them while it recorded.
analysis::ActiveCycles active_cycles(const nlohmann::json& totals) {
    analysis::ActiveCycles active;
    if (const auto lanes = totals.find("lanes"); lanes != totals.end()) {
        for (const auto& [name, sum] : lanes->items()) {
            active[name] = sum.value("active_cycles", std::uint64_t{0});
        }
    }
    return active;
}

/// The figures of a session: from its sums if it kept those of the executions reported, else from the
/// recording.
analysis::RunSummary summary_of(const runtime::SessionOutcome& outcome, const RunResult& result) {
    const std::uint64_t from = analysis::reported(*result.heads).from;
    const bool kept =
        outcome.sums.size() == result.heads->lanes().size() &&
        std::ranges::all_of(outcome.sums, [&](const record::LaneSums& sums) { return sums.begin() == from; });
    if (!kept) {
        return analysis::summarise(result.content());
    }
    analysis::RunSummary summary = analysis::summarise(*result.heads, outcome.sums);
    analysis::note_active(summary, active_cycles(outcome.totals));
    return summary;
}

}  // namespace

RunResult execute(const ScenarioFile& file,
                  const std::vector<Override>& run,
                  const toolchain::Installation& installation,
                  const std::filesystem::path& recording,
                  runtime::SessionProgress& progress,
                  const BeforeRun& before) {
    const Scenario scenario = file.read(run);
    if (before) {
        before(scenario);
    }
    const runtime::SessionOutcome outcome =
        runtime::run_session(make_request(scenario, installation), installation, recording, progress);
    RunResult result;
    result.recording = recording;
    result.heads.emplace(recording, record::Extent::heads);
    result.summary = summary_of(outcome, result);
    result.json = analysis::to_json(result.summary);
    result.json["memory"]["device_bytes"] = bytes_of_tensors(result.heads->metadata());
    result.json["outcome"] = outcome.failure ? "failed" : "complete";
    if (outcome.failure) {
        result.error = runtime::message(outcome.failure);
        result.exit = runtime::exit_code(outcome.failure);
        result.json["error"] = result.error;
    } else {
        constexpr int check_failed = 1;
        constexpr int program = 3;
        result.exit = !outcome.hazards.empty() ? program : outcome.passed ? 0 : check_failed;
        if (outcome.program_exit.value_or(0) != 0) {
            result.error = fmt::format("the program ended with exit code {}", *outcome.program_exit);
        }
    }
    if (outcome.program_exit) {
        result.json["program"] = {{"exit_code", *outcome.program_exit}};
    }
    const nlohmann::json noted = result.heads->totals().value("program", nlohmann::json::object());
    if (noted.contains("timeline")) {
        ordered_json& program = result.json["program"];
        program["timeline"] = noted["timeline"];
        program["timeline"].erase("spans");  // which --trace writes
    }
    if (const auto warnings = result.heads->metadata().find("compiler_warnings");
        warnings != result.heads->metadata().end()) {
        result.json["compiler_warnings"] = *warnings;
    }
    result.hazards = outcome.hazards;
    ordered_json variant = ordered_json::object();
    for (const Override& set : run) {
        variant[set.path] = json_of_setting(set.value);
    }
    result.json["variant"] = std::move(variant);
    result.json["recording"] = recording.string();
    result.json["launches"] = result.heads->totals().value("launches", nlohmann::json::array());
    result.json["simulator"] = simulator(outcome);
    return result;
}

RunResult execute_apart(const ScenarioFile& file,
                        const std::vector<Override>& run,
                        const toolchain::Installation& installation,
                        const std::filesystem::path& recording,
                        const runtime::IsolatedLimits& limits,
                        const BeforeRun& before) {
    const auto work = [&]() -> ordered_json {
        runtime::SessionProgress unseen;
        RunResult result = execute(file, run, installation, recording, unseen, before);
        return {{"json", std::move(result.json)},
                {"exit", result.exit},
                {"error", result.error},
                {"hazards", result.hazards}};
    };
    ordered_json value = runtime::value_of(runtime::run_isolated(work, limits));
    RunResult result;
    result.json = std::move(value["json"]);
    result.exit = value["exit"];
    result.error = value["error"];
    result.hazards = value["hazards"];
    result.recording = recording;
    result.heads.emplace(recording, record::Extent::heads);
    result.summary = analysis::summarise(result.content());
    return result;
}

std::string run_label(const ScenarioFile& file,
                      const std::vector<Override>& run,
                      std::size_t given_overrides) {
    std::string label = file_word(run_name(file.path()));
    for (std::size_t i = given_overrides; i < run.size(); ++i) {
        label += "-" + file_word(run[i].value);
    }
    return label;
}

namespace {

const ordered_json* find_at(const ordered_json& result, std::string_view path) {
    const ordered_json* place = &result;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        if (!place->is_object()) {
            return nullptr;
        }
        const auto found = place->find(std::string{path.substr(0, dot)});
        if (found == place->end()) {
            return nullptr;
        }
        place = &*found;
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return place;
}

std::string unmet_error(const std::string& word, const ordered_json& result) {
    const std::string error = result.value("error", std::string{});
    if (error.empty()) {
        return fmt::format("the run ended well, an error with '{}' expected", word);
    }
    return error.find(word) == std::string::npos
               ? fmt::format("error '{}', one with '{}' expected", error, word)
               : std::string{};
}

}  // namespace

std::optional<double> value_at(const ordered_json& result, std::string_view path) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const ordered_json* const place = find_at(result, path);
    if (place == nullptr) {
        return std::nullopt;
    }
    if (place->is_number()) {
        return place->get<double>();
    }
    if (place->is_boolean()) {
        return place->get<bool>() ? 1 : 0;
    }
    if (*place == "inf" || *place == "-inf") {
        return *place == "inf" ? infinity : -infinity;
    }
    if (*place == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return place->is_array() ? std::optional{static_cast<double>(place->size())} : std::nullopt;
}

std::string shown_at(const ordered_json& result, std::string_view path) {
    const ordered_json* const place = find_at(result, path);
    if (place == nullptr || place->is_null()) {
        return {};
    }
    if (place->is_string()) {
        return place->get<std::string>();
    }
    if (place->is_boolean()) {
        return place->get<bool>() ? "true" : "false";
    }
    const std::optional<double> value = value_at(result, path);
    return value ? fmt::format("{:.6g}", *value) : std::string{};
}

std::size_t count_errors(const ordered_json& hazards) {
    return analysis::count_hazards(hazards);
}

std::string unmet(const Expectation& one, const ordered_json& result) {
    if (one.word && one.path == "error") {
        return unmet_error(*one.word, result);
    }
    if (one.word && one.path == "races") {
        if (!result.contains("hazards")) {
            return result.contains("cycles") ? "races were not looked for, as run.sanitize is false"
                                             : "races were not looked for, as the run did not start";
        }
        const std::size_t count = count_errors(result["hazards"]);
        return count == 0 ? std::string{} : fmt::format("{} races or other hazards, none expected", count);
    }
    if (one.word) {
        const std::string shown = shown_at(result, one.path);
        return shown == *one.word ? std::string{}
                                  : fmt::format("{} is '{}', '{}' expected", one.path, shown, *one.word);
    }
    const std::optional<double> value = value_at(result, one.path);
    if (!value) {
        return fmt::format("expect.{}: the run has no such figure", one.path);
    }
    if (one.max && !(*value <= *one.max)) {
        return fmt::format("{} is {:.6g}, at most {:.6g} expected", one.path, *value, *one.max);
    }
    if (one.min && !(*value >= *one.min)) {
        return fmt::format("{} is {:.6g}, at least {:.6g} expected", one.path, *value, *one.min);
    }
    return {};
}

bool speaks_of(const Expectation& expectation, const std::vector<Override>& run) {
    return std::ranges::all_of(expectation.when, [&](const Override& when) {
        // The last one given is the one that counts.
        const auto found = std::find_if(
            run.rbegin(), run.rend(), [&](const Override& set) { return set.path == when.path; });
        return found != run.rend() && found->value == when.value;
    });
}

}  // namespace ascendsim::scenario
