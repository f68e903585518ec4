// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/lanes.hpp"

#include <cstdint>
#include <string>

namespace ascendsim::runtime {

nlohmann::json lanes_json(const record::Recorder& recorder) {
    nlohmann::json lanes = nlohmann::json::object();
    for (std::uint32_t lane = 0; lane < recorder.lane_count(); ++lane) {
        const record::LaneTotals& totals = recorder.totals(lane);
        const record::TrackPath& path = recorder.path(lane);
        if (!path.on_core() || totals.busy_cycles == 0) {  // cores without a block only wait
            continue;
        }
        const std::string core{path.core()};
        nlohmann::json& sum =
            lanes[core.substr(0, core.find_first_of("0123456789")) + "_" + std::string{path.pipe()}];
        const auto add = [&](const char* name, std::uint64_t value) {
            sum[name] = (sum.contains(name) ? sum[name].get<std::uint64_t>() : 0) + value;
        };
        add("cores", 1);
        add("busy_cycles", totals.busy_cycles);
        add("active_cycles", totals.active_cycles);
        add("span_cycles", totals.last - totals.first);
        add("conflict_cycles", totals.conflict_cycles);
        add("moved_bytes", totals.moved_bytes);
        add("l2_hit_bytes", totals.l2_hit_bytes);
        add("hbm_read_bytes", totals.hbm_read_bytes);
        add("hbm_write_bytes", totals.hbm_write_bytes);
    }
    return lanes;
}

}  // namespace ascendsim::runtime
