// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli/find_run.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "kernels/host/installation.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> kept(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{folder, missing}) {
        if (file.path().extension() == ".rec") {
            names.push_back(file.path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

fs::path find_recording(const std::string& name) {
    if (fs::is_regular_file(name)) {
        return name;
    }
    const fs::path folder = host::cache_folder() / "runs";
    const fs::path last = folder / (name + ".rec");
    if (fs::is_regular_file(last)) {
        return last;
    }
    throw UserError{
        "{}: neither a recording nor the name of a run{} (the last run of each name is kept in {})",
        name,
        nearest_hint(name, kept(folder)),
        folder.string()};
}

}  // namespace ascendsim::cli
