// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/installation.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::host {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "kernels" / "host" / "entry.hpp", ignored) &&
           fs::exists(folder / "models" / "chips", ignored);
}

}  // namespace

Installation Installation::find() {
    const fs::path program = fs::canonical("/proc/self/exe");
    const fs::path prefix = program.parent_path().parent_path();
    if (const fs::path share = prefix / "share" / "ascendsim"; is_root(share)) {
        return {.root = share, .libraries = prefix / "lib"};
    }
    for (fs::path folder = prefix; folder.has_relative_path(); folder = folder.parent_path()) {
        if (is_root(folder)) {
            return {.root = folder, .libraries = prefix / "lib"};
        }
    }
    throw UserError{
        "{}: its headers, chips and kernels are neither in {} nor in a source tree above it; install it with "
        "'cmake --install'",
        program.string(),
        (prefix / "share" / "ascendsim").string()};
}

std::vector<std::string> Installation::kernels() const {
    constexpr std::string_view ending = ".host.so";
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{plugins(), missing}) {
        const std::string name = file.path().filename().string();
        if (name.ends_with(ending)) {
            names.push_back(name.substr(0, name.size() - ending.size()));
        }
    }
    std::ranges::sort(names);
    return names;
}

fs::path cache_folder() {
    if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/') {
        return fs::path{folder} / "ascendsim";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/' && access(home, W_OK) == 0) {
        return fs::path{home} / ".cache" / "ascendsim";
    }
    return fs::temp_directory_path() / ("ascendsim-" + std::to_string(getuid()));
}

}  // namespace ascendsim::host
