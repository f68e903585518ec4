// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/record/axis_shift.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// The axis of a host program, which goes on while none of its kernels is under way. The tracks of its
/// machine lie on it; cycles of cores, which stand still meanwhile, come onto it by the map.
struct ProgramAxis {
    record::AxisMap map;
    std::uint64_t length = 0;  // cycles
};

/// Reads `program.axis` of the recording's totals; nothing if there is none, or it is damaged.
[[nodiscard]] std::optional<ProgramAxis> program_axis_of(const record::Recording& recording);

/// False for a track of a program's machine in a recording whose cores are on their own axis, as they are
/// read: pictures of cores leave it out.
[[nodiscard]] bool on_axis_of_cores(const record::Recording& recording, const record::Lane& lane);

}  // namespace ascendsim::analysis
