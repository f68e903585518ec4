// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// What the instructions of a source line cost, over all cores.
struct LineTotal {
    std::uint64_t count = 0;
    std::uint64_t busy = 0;  ///< cycles on pipes
    std::uint64_t wait = 0;  ///< cycles
    std::uint64_t bytes = 0;
    std::uint64_t inserted = 0;         ///< of `count`, synchronisation that the compiler inserted before it
    std::uint64_t inserted_cycles = 0;  ///< of `busy` and `wait`, at that
    std::optional<Pick> largest;        ///< the longest instruction or wait of it
};

/// A source file that instructions of a run name.
struct SourceText {
    std::string path;                ///< as recorded
    std::string label;               ///< without folders
    bool found = false;              ///< whether its text could be read
    std::vector<std::string> lines;  ///< line 1 first; as many as are named if the text was not found
    std::vector<LineTotal> totals;   ///< of every line
    std::uint64_t cycles = 0;        ///< busy and waiting, of all lines
    std::uint64_t most = 0;          ///< of the costliest line
};

/// The files of a run, the costliest first. Reads every span, and the files: from where they were recorded,
/// or below the folder of the recording.
[[nodiscard]] std::vector<SourceText> source_report(const Run& run);

}  // namespace ascendsim::gui
