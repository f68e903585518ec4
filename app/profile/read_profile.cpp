// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <system_error>

#include <fmt/ranges.h>

#include "app/profile/vendor_profile.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::profile {
namespace {

namespace fs = std::filesystem;

enum class FileKind : std::uint8_t { kernel_details, op_summary, step_trace, trace, other };

FileKind kind_of(const fs::path& file) {
    const std::string name = file.filename().string();
    if (name.starts_with("kernel_details") && name.ends_with(".csv")) {
        return FileKind::kernel_details;
    }
    if (name.starts_with("op_summary") && name.ends_with(".csv")) {
        return FileKind::op_summary;
    }
    if (name.starts_with("step_trace_time") && name.ends_with(".csv")) {
        return FileKind::step_trace;
    }
    return name.starts_with("trace_view") && name.ends_with(".json") ? FileKind::trace : FileKind::other;
}

using Read = void (*)(const std::string&, const std::string&, Profile&);

Read reader_of(FileKind kind) {
    switch (kind) {
        case FileKind::kernel_details:
        case FileKind::op_summary:
            return read_operators;
        case FileKind::step_trace:
            return read_steps;
        case FileKind::trace:
            return read_trace;
        case FileKind::other:
            break;
    }
    return nullptr;
}

/// Files below a folder, by name.
std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failed;
    for (auto at =
             fs::recursive_directory_iterator{folder, fs::directory_options::skip_permission_denied, failed};
         !failed && at != fs::recursive_directory_iterator{};
         at.increment(failed)) {
        std::error_code unknown;
        if (at->is_regular_file(unknown) && kind_of(at->path()) != FileKind::other) {
            files.push_back(at->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

std::string text_of_file(const fs::path& file) {
    constexpr std::uintmax_t most = std::uintmax_t{2} << 30U;
    std::error_code failed;
    if (fs::file_size(file, failed) > most || failed) {
        throw UserError{"{}: has more than 2 GiB, or cannot be read", file.string()};
    }
    return process::read_text(file);
}

/// Reads a file that is named by itself: by its content where its name tells nothing.
void read_one(const fs::path& file, Profile& profile) {
    const std::string text = text_of_file(file);
    FileKind kind = kind_of(file);
    if (kind == FileKind::other && file.extension() == ".json") {
        kind = FileKind::trace;
    } else if (kind == FileKind::other) {
        const bool steps = text.substr(0, text.find('\n')).find("Computing") != std::string::npos;
        kind = steps ? FileKind::step_trace : FileKind::kernel_details;
    }
    reader_of(kind)(text, file.string(), profile);
    profile.files.push_back(file.string());
}

}  // namespace

Profile read_profile(const fs::path& place) {
    Profile profile;
    if (!fs::is_directory(place)) {
        if (!fs::is_regular_file(place)) {
            throw UserError{"{}: no such file or folder{}", place.string(), nearest_file_hint(place)};
        }
        read_one(place, profile);
    } else {
        std::vector<fs::path> files = files_below(place);
        const bool details = std::ranges::any_of(
            files, [](const fs::path& file) { return kind_of(file) == FileKind::kernel_details; });
        // op_summary holds the same tasks; traces come last, as they give tasks only where no table does.
        std::erase_if(files,
                      [&](const fs::path& file) { return details && kind_of(file) == FileKind::op_summary; });
        std::ranges::stable_sort(files, {}, kind_of);
        for (const fs::path& file : files) {
            const std::size_t before = profile.operators.size();
            try {
                reader_of(kind_of(file))(text_of_file(file), file.string(), profile);
                profile.files.push_back(file.string());
            } catch (const UserError& error) {
                profile.operators.resize(before);  // no half of a file
                profile.notes.emplace_back(error.what());
            }
        }
    }
    if (profile.operators.empty() && profile.steps.empty()) {
        throw UserError{
            "{}: holds no task of a device; kernel_details.csv, op_summary*.csv, "
            "step_trace_time.csv and trace_view.json are read{}{}",
            place.string(),
            profile.notes.empty() ? "" : "; ",
            fmt::join(profile.notes, "; ")};
    }
    return profile;
}

}  // namespace ascendsim::profile
