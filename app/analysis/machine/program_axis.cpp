// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/machine/program_axis.hpp"

#include <vector>

#include "app/analysis/machine/recorded_values.hpp"

namespace ascendsim::analysis {

std::optional<ProgramAxis> program_axis_of(const record::Recording& recording) {
    constexpr std::uint64_t most_cycles = std::uint64_t{1} << 60U;
    const nlohmann::json& axis = recorded_value(recorded_program(recording.totals()), "axis");
    const nlohmann::json& from = recorded_list(axis, "from");
    const nlohmann::json& by = recorded_list(axis, "by");
    if (!axis.is_object() || from.size() != by.size()) {
        return std::nullopt;
    }
    std::vector<record::AxisShift> shifts;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!from[i].is_number_unsigned() || !by[i].is_number_unsigned()) {
            return std::nullopt;
        }
        const record::AxisShift shift{from[i].get<std::uint64_t>(), by[i].get<std::uint64_t>()};
        const bool ascends =
            shifts.empty() || (shift.from >= shifts.back().from && shift.by >= shifts.back().by);
        if (!ascends || shift.from > most_cycles || shift.by > most_cycles) {
            return std::nullopt;
        }
        shifts.push_back(shift);
    }
    return ProgramAxis{.map = record::AxisMap{std::move(shifts)}, .length = recorded_count(axis, "length")};
}

bool on_axis_of_cores(const record::Recording& recording, const record::Lane& lane) {
    return lane.core_index || !recorded_value(recorded_program(recording.totals()), "axis").is_object();
}

}  // namespace ascendsim::analysis
