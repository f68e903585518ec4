// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/library.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "gui/canvas/format.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (fs::directory_iterator it{folder, ignored}, end; it != end; it.increment(ignored)) {
        if (it->path().extension() == extension) {
            files.push_back(it->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The first of two keys that holds a text, looked up at the top, in [lesson] and in [scenario].
std::string text_of(const toml::table& file, const char* first, const char* second) {
    for (const char* key : {first, second}) {
        for (const toml::node_view<const toml::node> place :
             {file[key], file["lesson"][key], file["scenario"][key]}) {
            if (const auto text = place.value<std::string>()) {
                return *text;
            }
        }
    }
    return {};
}

LibraryEntry described(const fs::path& path) {
    LibraryEntry entry{
        .name = path.stem().string(), .path = path.string(), .title = path.stem().string(), .summary = {}};
    try {
        const toml::table file = toml::parse_file(path.string());
        const std::string title = text_of(file, "title", "name");
        entry.title = title.empty() ? entry.name : title;
        entry.summary = text_of(file, "summary", "description");
    } catch (const toml::parse_error& error) {
        entry.summary =
            fmt::format("cannot be read: line {}: {}", error.source().begin.line, error.description());
    }
    std::ranges::replace(entry.summary, '\n', ' ');
    return entry;
}

std::vector<LibraryEntry> described_all(const fs::path& folder) {
    std::vector<LibraryEntry> entries;
    for (const fs::path& path : files_of(folder, ".toml")) {
        entries.push_back(described(path));
    }
    return entries;
}

std::vector<LibraryEntry> newest_runs(const fs::path& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code ignored;
    for (const fs::path& path : files_of(folder, ".rec")) {
        files.emplace_back(fs::last_write_time(path, ignored), path);
    }
    std::ranges::stable_sort(files, std::greater{}, &std::pair<fs::file_time_type, fs::path>::first);
    std::vector<LibraryEntry> entries;
    for (const auto& [time, path] : files) {
        const std::uintmax_t size = fs::file_size(path, ignored);
        entries.push_back({.name = path.stem().string(),
                           .path = path.string(),
                           .title = path.stem().string(),
                           .summary = ignored ? std::string{} : "recording, " + format_bytes(size)});
    }
    return entries;
}

}  // namespace

FolderLibrary::FolderLibrary(fs::path scenarios, fs::path runs)
    : scenario_folder_{std::move(scenarios)}, run_folder_{std::move(runs)} {}

void FolderLibrary::refresh() {
    scenarios_ = described_all(scenario_folder_);
    lessons_ = described_all(scenario_folder_ / "lessons");
    // Those about the machine around the chip come last, as `ascendsim lesson` numbers them.
    std::ranges::move(described_all(scenario_folder_ / "steps" / "lessons"), std::back_inserter(lessons_));
    runs_ = newest_runs(run_folder_);
}

}  // namespace ascendsim::gui
