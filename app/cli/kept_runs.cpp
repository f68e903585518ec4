// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kept_runs.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "sim/base/error.hpp"
#include "sim/process/passing_names.hpp"
#include "toolchain/installation/cache.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

namespace fs = std::filesystem;

namespace {

constexpr int most_before = 3;

/// What runs were recorded in that were killed: NAME.PROCESS.part.rec of a process that is no more.
void delete_left_over_parts(const fs::path& folder) {
    std::error_code gone;
    for (const fs::directory_entry& file : fs::directory_iterator{folder, gone}) {
        const fs::path name = file.path().stem();
        if (file.path().extension() != ".rec" || name.extension() != under_way) {
            continue;
        }
        const std::string process = name.stem().extension().string();
        pid_t number = 0;
        const auto [end, error] =
            std::from_chars(process.data() + 1, process.data() + process.size(), number);
        if (!process.empty() && error == std::errc{} && number > 0 && kill(number, 0) != 0 &&
            errno == ESRCH) {
            fs::remove(file.path(), gone);
        }
    }
}

fs::path place_of(const std::string& name, int before) {
    return kept_runs() / (before == 0 ? name + ".rec" : fmt::format("{}~{}.rec", name, before));
}

}  // namespace

fs::path kept_runs() {
    return toolchain::cache_folder() / "runs";
}

fs::path make_kept_runs() {
    return toolchain::made_cache_folder("runs");
}

fs::path place_under_way(const std::string& name) {
    return place_under_way(name, make_kept_runs());
}

fs::path place_under_way(const std::string& name, const fs::path& folder) {
    delete_left_over_parts(folder);
    fs::path place = folder / fmt::format("{}.{}{}.rec", name, getpid(), under_way);
    process::delete_at_signal(place);
    return place;
}

fs::path keep_run(const std::string& name, const fs::path& recording) {
    std::error_code missing;  // of runs before, there may be few
    for (int before = most_before; before > 0; --before) {
        fs::rename(place_of(name, before - 1), place_of(name, before), missing);
    }
    const fs::path last = place_of(name, 0);
    fs::rename(recording, last);
    process::keep_at_signal(recording);
    toolchain::trim_cache_now_and_then();
    return last;
}

std::string run_before(const std::string& name) {
    return fs::is_regular_file(place_of(name, 1)) ? name + "~1" : std::string{};
}

}  // namespace ascendsim::cli
