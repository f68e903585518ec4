// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::scenario {

/// What a recording says of how it was made. Whoever made the file chose these words: nothing of it is run
/// unless the user asks for that.
struct RecordedOrigin {
    std::filesystem::path
        file;  // scenario, source, host program or name of a shipped kernel; empty: not said
    std::filesystem::path project;    // files are named by their path in it; empty if it does not say
    std::vector<Override> overrides;  // what `--set` and the options of the command line gave
};

/// Reads the origin; paths are put together as the recording's place says.
[[nodiscard]] RecordedOrigin recorded_origin(const record::Recording& recording);

/// Sources that are not there any more, or whose text is another than when the recording was made.
[[nodiscard]] std::vector<std::filesystem::path> changed_sources(const record::Recording& recording);

/// The recording of a folder, which must have just one; those below it do not count, nor do runs that are
/// under way. Throws UserError that names those it has, or says what is there instead.
[[nodiscard]] std::filesystem::path recording_in(const std::filesystem::path& folder);

}  // namespace ascendsim::scenario
