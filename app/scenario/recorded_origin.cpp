// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/recorded_origin.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/scenario/source_texts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/portable_text.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_at(const json& values, const char* key) {
    const auto found = values.find(key);
    return found != values.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

/// Where the project lies that a recording was made in.
fs::path project_of_recording(const json& metadata, const fs::path& recording) {
    const fs::path stated = text_at(metadata, "project");
    if (stated.empty() || stated.is_absolute()) {
        return stated;
    }
    std::error_code error;
    const fs::path folder = fs::absolute(recording, error).parent_path();
    return (folder / stated / "").lexically_normal().parent_path();
}

}  // namespace

RecordedOrigin recorded_origin(const record::Recording& recording) {
    RecordedOrigin origin;
    const json& metadata = recording.metadata();
    if (!metadata.is_object()) {
        return origin;
    }
    origin.project = project_of_recording(metadata, recording.path());
    origin.file = text_at(metadata, "file");
    if (!origin.file.empty() && !origin.project.empty()) {
        origin.file = (origin.project / origin.file).lexically_normal();
    }
    if (origin.file.empty()) {
        origin.file = text_at(metadata, "shipped_kernel");
    }
    const auto given = metadata.find("overrides");
    if (given != metadata.end() && given->is_object()) {
        for (const auto& [path, value] : given->items()) {
            origin.overrides.push_back({path, value.is_string() ? value.get<std::string>() : value.dump()});
        }
    }
    return origin;
}

std::vector<fs::path> changed_sources(const record::Recording& recording) {
    std::vector<fs::path> changed;
    const json& metadata = recording.metadata();
    const auto sources = metadata.is_object() ? metadata.find("sources") : metadata.end();
    if (!metadata.is_object() || sources == metadata.end() || !sources->is_object()) {
        return changed;
    }
    const fs::path project = recorded_origin(recording).project;
    for (const auto& [name, text] : sources->items()) {
        const fs::path file = project / name;
        std::error_code missing;
        const bool same = text.is_string() && fs::is_regular_file(file, missing) &&
                          relative_to(project.string(), readable_text(process::text_of(file))) ==
                              text.get_ref<const std::string&>();
        if (!same) {
            changed.push_back(file);
        }
    }
    return changed;
}

fs::path recording_in(const fs::path& folder) {
    std::vector<std::string> recordings;
    std::vector<std::string> scenarios;
    std::error_code error;
    for (fs::directory_iterator at{folder, error}; !error && at != fs::end(at); at.increment(error)) {
        const fs::path& path = at->path();
        if (path.extension() == ".rec" && path.stem().extension() != ".part") {
            recordings.push_back(path.filename().string());
        } else if (path.extension() == ".toml") {
            scenarios.push_back(path.string());
        }
    }
    if (error) {
        throw UserError{"{}: cannot be read: {}", folder.string(), error.message()};
    }
    std::ranges::sort(recordings);
    std::ranges::sort(scenarios);
    if (recordings.size() == 1) {
        return folder / recordings.front();
    }
    const auto list = [](std::vector<std::string> names) {
        constexpr std::size_t most = 12;
        const std::size_t more = names.size() - std::min(most, names.size());
        names.resize(names.size() - more);
        return fmt::format(
            "{}{}", fmt::join(names, ", "), more == 0 ? std::string{} : fmt::format(" and {} more", more));
    };
    if (!recordings.empty()) {
        throw UserError{"{}: a folder; name a recording in it ({})", folder.string(), list(recordings)};
    }
    throw UserError{
        "{}: a folder without a recording (a .rec file, which 'ascendsim run' with --record or --out "
        "writes){}",
        folder.string(),
        scenarios.empty() ? std::string{} : "; name a scenario in it (" + list(scenarios) + ")"};
}

}  // namespace ascendsim::scenario
