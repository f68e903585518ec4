// SPDX-License-Identifier: Apache-2.0
#include "sim/base/missing_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

}  // namespace

std::vector<std::string> names_beside(const fs::path& file) {
    constexpr std::size_t most = 1000;  // of a folder with more, nobody waits for the nearest
    std::vector<std::string> names;
    std::error_code unreadable;
    for (fs::directory_iterator at{folder_of(file), unreadable}, end; !unreadable && at != end;
         at.increment(unreadable)) {
        if (names.size() == most) {
            return {};  // which names come first is the file system's choice
        }
        std::string name = at->path().filename().string();
        if (!name.starts_with('.')) {
            names.push_back(std::move(name));
        }
    }
    std::ranges::sort(names);
    return names;
}

std::string nearest_file_hint(const fs::path& file) {
    const std::string name = file.filename().string();
    std::vector<std::string> names = names_beside(file);
    std::erase(names, name);  // it is there, but as a folder, or as a link to nothing
    return nearest_hint(name, names);
}

std::string why_unreadable(const fs::path& file) {
    std::error_code failure;
    const fs::file_status status = fs::status(file, failure);
    if (fs::exists(status)) {
        return fs::is_regular_file(status) ? "cannot be read" : "not a file";
    }
    if (status.type() != fs::file_type::not_found) {
        return fmt::format("cannot be read: {}", failure.message());
    }
    const fs::path folder = folder_of(file);
    if (!fs::exists(folder, failure)) {
        return fmt::format("no such file: there is no folder '{}'", folder.string());
    }
    return "no such file" + nearest_file_hint(file);
}

std::string why_no_folder(const fs::path& folder) {
    const fs::path place = folder.has_filename() ? folder : folder.parent_path();  // as in "baselines/"
    std::error_code failure;
    const fs::file_status status = fs::status(place, failure);
    if (fs::exists(status)) {
        return "not a folder";
    }
    if (status.type() != fs::file_type::not_found) {
        return fmt::format("no such folder: {}", failure.message());
    }
    const fs::path above = folder_of(place);
    if (!fs::exists(above, failure)) {
        return fmt::format("no such folder: there is no folder '{}'", above.string());
    }
    std::vector<std::string> names = names_beside(place);
    std::erase_if(names, [&](const std::string& name) { return !fs::is_directory(above / name, failure); });
    return "no such folder" + nearest_hint(place.filename().string(), names);
}

}  // namespace ascendsim
