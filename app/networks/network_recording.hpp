// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "app/networks/figures_of.hpp"
#include "networks/operators/operators.hpp"

namespace ascendsim::report {

/// Recordings of tasks, as networks::record_tasks() makes them.
using RecordTasks = std::function<std::vector<std::filesystem::path>(const std::vector<networks::Task>&)>;

/// Instructions of all cores that a network's recording holds at most: some 40 MB of file, and 300 MB of
/// memory where it is read.
inline constexpr std::uint64_t most_recorded_instructions = 2'000'000;

/// Which launches of a network are recorded with the pipes of their cores: of each different kernel the first
/// launch, then further launches from the beginning on, as long as there is room for their instructions.
/// `kernels` says of each launch which kernel it is, `instructions` how many each launch takes.
[[nodiscard]] std::vector<bool> launches_to_record(const std::vector<std::size_t>& kernels,
                                                   const std::vector<std::uint64_t>& instructions,
                                                   std::uint64_t most);

/// Writes a recording of a network: a track of operators, one of kernels, and the pipes of the cores, copied
/// from recordings of the kernels and moved to the time of each launch. Where a launch is not recorded, the
/// cores' pipes say so.
void write_recording(const std::filesystem::path& file,
                     const NetworkRun& run,
                     const NetworkPicture& picture,
                     const ChipSpec& chip,
                     const RecordTasks& record);

}  // namespace ascendsim::report
