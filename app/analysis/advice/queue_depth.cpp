// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/queue_depth.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ascendsim::analysis {

bool has_double_buffers(std::string_view pipe, const record::Recording& recording) {
    // A queue is known by the line that takes its buffers ("VECIN, mte2" from there on), and on each core by
    // itself.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> places;
    for (const record::Buffer& buffer : recording.buffers()) {
        const std::string_view label = recording.name(buffer.label);
        const std::size_t comma = label.find(", ");
        if (comma != std::string_view::npos && label.substr(comma + 2) == pipe) {
            places[{buffer.site, buffer.core_index}].insert(buffer.offset);
        }
    }
    std::map<std::uint32_t, std::size_t> depth;  // by line, the most of any core
    for (const auto& [queue, offsets] : places) {
        std::size_t& most = depth[queue.first];
        most = std::max(most, offsets.size());
    }
    return !depth.empty() && std::ranges::all_of(depth, [](const auto& queue) { return queue.second >= 2; });
}

}  // namespace ascendsim::analysis
