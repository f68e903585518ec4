// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/sanitize/range_map.hpp"

namespace ascendsim::sanitize {

/// Lines of global memory that scalar units have stored into through their data caches, in this launch.
class CacheLines {
public:
    /// One core's last store into a line.
    struct Store {
        Touch touch;
        bool dirty = true;  // still in the core's cache only
    };

    explicit CacheLines(std::uint64_t line_bytes) : line_bytes_{line_bytes} {}

    /// The stores of other cores into the lines that `touch` stores into; remembers `touch`.
    std::vector<Store> store(const Touch& touch);
    /// Core `core` cleans the line at `offset`, or its whole cache. Returns where the lines that leave it
    /// begin.
    std::vector<std::uint64_t> clean(std::uint16_t core, std::uint64_t offset, bool whole);
    /// True if `core`'s store at `offset` has not left its cache.
    [[nodiscard]] bool dirty(std::uint16_t core, std::uint64_t offset) const;
    void clear();

private:
    std::uint64_t line_bytes_;
    std::unordered_map<std::uint64_t, std::vector<Store>> lines_;
    std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> dirty_of_;  // by core
};

}  // namespace ascendsim::sanitize
