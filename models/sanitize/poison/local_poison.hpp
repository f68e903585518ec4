// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/port/core_port.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/poison/poison.hpp"

namespace ascendsim::sanitize {

/// Sees to it that a block finds its core's memories unwritten: poison wherever blocks before it wrote.
class LocalPoison {
public:
    explicit LocalPoison(const Poison& poison) : poison_{poison} {}

    /// A block begins on the core behind `port`; `core` still knows what the block before it wrote.
    void begin(isa::CorePort& port, CoreState& core);
    /// A launch has ended: what its cores wrote is forgotten next.
    void end_launch(const LaunchCores& cores);

private:
    struct Range {
        Memory memory;
        std::uint64_t begin;
        std::uint64_t end;
    };

    using Ranges = std::vector<Range>;

    void fill(isa::CorePort& port, const Ranges& ranges) const;
    static void add_written(const CoreState& core, Ranges& ranges);

    Poison poison_;
    std::map<const isa::CorePort*, Ranges> written_;  // of cores that have run, until filled
};

}  // namespace ascendsim::sanitize
