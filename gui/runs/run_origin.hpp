// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "gui/document/run.hpp"

namespace ascendsim::gui {

/// What made a recording, so that it can be made again with something changed.
struct RunOrigin {
    std::filesystem::path scenario;  ///< scenario, source, host program or a kernel's name; may be gone
    bool shipped_kernel = false;     ///< `scenario` is the name of a kernel, as `run` takes it
    std::vector<lessons::Setting> settings;  ///< what `--set` and the options of the command line gave
    std::optional<std::string> missing;      ///< why it cannot be run again, as a sentence; nothing if it can
};

/// Reads the origin off the recording and looks whether the file is there still.
[[nodiscard]] RunOrigin origin_of(const Run& run);

}  // namespace ascendsim::gui
