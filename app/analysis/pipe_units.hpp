// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/record/lane_sums.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// The same pipe of all cores of one kind: the lanes that figures are added up over.
struct PipeUnit {
    std::string name;   // "cube"; "aic_mte2" where cores of several kinds used such a pipe
    std::string pipe;   // "mte2"
    std::string cores;  // kind of core: "aic", "aiv", "core"
    std::vector<std::uint32_t> lanes;
};

/// A core's kind from its name: "aic3" is an "aic".
[[nodiscard]] std::string core_kind(std::string_view core);

/// The units of which any lane ran an instruction in [from, to), with those lanes, in the order of
/// pipe_names.
[[nodiscard]] std::vector<PipeUnit> pipe_units(const record::Recording& recording,
                                               std::uint64_t from,
                                               std::uint64_t to);

/// The same from sums, one for each lane of `recording`, whose spans are not asked for.
[[nodiscard]] std::vector<PipeUnit> pipe_units(const record::Recording& recording,
                                               const std::vector<record::LaneSums>& sums);

}  // namespace ascendsim::analysis
