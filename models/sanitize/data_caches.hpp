// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/sanitize/core_state.hpp"
#include "models/sanitize/reporter.hpp"

namespace ascendsim::sanitize {

/// The data caches of the scalar units: which lines of global memory they have stored into in this launch,
/// and which of these stores get lost or are seen too late.
class DataCaches {
public:
    /// `reporter` must outlive it.
    DataCaches(std::uint64_t line_bytes, Reporter& reporter) : line_bytes_{line_bytes}, reporter_{reporter} {}

    /// `core` stores: reports the other cores' stores into the same lines that it may overwrite.
    void store(const CoreState& core, const Touch& touch);
    /// `reader` reads what `writer`, a scalar unit, stored: reports it if the store is still in the cache.
    void check_read(const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end);
    /// Core `core` cleans the line at `offset`, or its whole cache. Returns where the lines that leave it
    /// begin.
    std::vector<std::uint64_t> clean(std::uint16_t core, std::uint64_t offset, bool whole);
    /// True if `core`'s store at `offset` has not left its cache.
    [[nodiscard]] bool dirty(std::uint16_t core, std::uint64_t offset) const;
    void clear();

private:
    /// One core's last store into a line.
    struct Store {
        Touch touch;
        bool dirty = true;  // still in the core's cache only
    };

    /// The stores of other cores into the lines that `touch` stores into; remembers `touch`.
    std::vector<Store> remember(const Touch& touch);

    std::uint64_t line_bytes_;
    Reporter& reporter_;
    std::unordered_map<std::uint64_t, std::vector<Store>> lines_;
    std::unordered_map<std::uint16_t, std::vector<std::uint64_t>> dirty_of_;  // by core
};

}  // namespace ascendsim::sanitize
