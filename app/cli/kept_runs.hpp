// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ascendsim::cli {

/// Where the last runs of each name are kept: NAME.rec, and those before it as NAME~1.rec (the youngest) to
/// NAME~3.rec.
[[nodiscard]] std::filesystem::path kept_runs();

/// The same folder, created if it is missing. Throws UserError if it cannot be created.
std::filesystem::path make_kept_runs();

/// Where a run is recorded until it ends, NAME.PROCESS.part.rec, in the folder made for it. A signal that
/// ends this process deletes it (sim/process/passing_names.hpp). Throws as make_kept_runs() does.
[[nodiscard]] std::filesystem::path place_under_way(const std::string& name);

/// The same in another folder, which is there.
[[nodiscard]] std::filesystem::path place_under_way(const std::string& name,
                                                    const std::filesystem::path& folder);

/// What such a recording's name ends in, before `.rec`.
inline constexpr const char* under_way = ".part";

/// Makes `recording` the last run of that name; the one before becomes NAME~1, and the fourth is deleted.
/// Keeps the cache below its bound. Returns the recording's new path.
std::filesystem::path keep_run(const std::string& name, const std::filesystem::path& recording);

/// The name under which the run before is kept, if there is one: "my_add~1".
[[nodiscard]] std::string run_before(const std::string& name);

}  // namespace ascendsim::cli
