// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/analysis/blame/critical_path.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What one line of a source cost, in cycles of all cores. A line of the kernel that calls the kernel
/// framework has the costs of what it called as well, which also stand at the framework's own line.
struct AnnotatedLine {
    std::uint64_t busy = 0;
    std::uint64_t wait = 0;
    std::uint64_t path = 0;   // of the critical path, which is of one core at a time
    std::uint64_t bytes = 0;  // moved or written
    std::uint64_t count = 0;  // of instructions and waits
    std::string reason;       // of most of the waiting
};

/// The costs of a file's lines, by their number.
using FileCosts = std::map<std::uint32_t, AnnotatedLine>;

/// Costs by file and line. `path` is the run's critical path.
[[nodiscard]] std::map<std::string, FileCosts> line_costs(const record::Recording& recording,
                                                          const CriticalPath& path);

/// The lines of a source as they were when it ran, where the recording holds them; else of the file at its
/// place or below `root`. Empty if neither is there.
[[nodiscard]] std::vector<std::string> source_lines(const record::Recording& recording,
                                                    const std::string& file,
                                                    const std::string& root);

}  // namespace ascendsim::analysis
