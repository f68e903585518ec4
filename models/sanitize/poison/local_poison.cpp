// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/poison/local_poison.hpp"

#include <algorithm>
#include <limits>

namespace ascendsim::sanitize {

void LocalPoison::begin(isa::CorePort& port, CoreState& core) {
    const auto [place, first] = written_.try_emplace(&port);
    core.port = &port;
    if (first) {
        Ranges all;
        for (std::size_t m = 0; m < memory_count; ++m) {
            all.push_back({static_cast<Memory>(m), 0, port.local(static_cast<Memory>(m)).size()});
        }
        fill(port, all);
        return;
    }
    add_written(core, place->second);
    fill(port, place->second);
    place->second.clear();
}

void LocalPoison::end_launch(const LaunchCores& cores) {
    for (const auto& core : cores) {
        if (const auto place = written_.find(core->port); place != written_.end()) {
            add_written(*core, place->second);
        }
    }
}

void LocalPoison::fill(isa::CorePort& port, const Ranges& ranges) const {
    for (const Range& range : ranges) {
        const std::span<std::byte> memory = port.local(range.memory);
        const std::uint64_t end = std::min<std::uint64_t>(range.end, memory.size());
        if (range.begin < end) {
            poison_.fill(memory.subspan(range.begin, end - range.begin), range.memory, range.begin);
        }
    }
}

void LocalPoison::add_written(const CoreState& core, Ranges& ranges) {
    for (std::size_t m = 0; m < memory_count; ++m) {
        if (static_cast<Memory>(m) == Memory::gm || !core.bytes[m]) {
            continue;
        }
        core.bytes[m]->visit(0,
                             std::numeric_limits<std::uint64_t>::max(),
                             [&](const Bytes& state, std::uint64_t begin, std::uint64_t end) {
                                 if (state.written) {
                                     ranges.push_back({static_cast<Memory>(m), begin, end});
                                 }
                             });
    }
}

}  // namespace ascendsim::sanitize
