// SPDX-License-Identifier: Apache-2.0
#include "toolchain/installation/installation.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::toolchain {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "models" / "port" / "entry.hpp", ignored) &&
           fs::exists(folder / "models" / "chips", ignored);
}

}  // namespace

Installation Installation::find() {
    const fs::path program = fs::canonical("/proc/self/exe");
    const fs::path prefix = program.parent_path().parent_path();
    if (const fs::path share = prefix / "share" / "ascendsim"; is_root(share)) {
        return {.root = share, .libraries = prefix / "lib" / "ascendsim"};
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

fs::path Installation::kernel_source(const std::string& kernel) const {
    std::error_code missing;
    for (const fs::directory_entry& family : fs::directory_iterator{root / "kernels" / "ops", missing}) {
        const fs::path source = family.path() / kernel / (kernel + ".cpp");
        if (fs::is_regular_file(source, missing)) {
            return source;
        }
    }
    return {};
}

std::vector<std::string> Installation::kernels() const {
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& family : fs::directory_iterator{root / "kernels" / "ops", missing}) {
        for (const fs::directory_entry& kernel : fs::directory_iterator{family.path(), missing}) {
            const std::string name = kernel.path().filename().string();
            if (fs::is_regular_file(kernel.path() / (name + ".cpp"), missing)) {
                names.push_back(name);
            }
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

}  // namespace ascendsim::toolchain
