// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace ascendsim::isa {

/// The host's bytes [begin, end).
struct HostBytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    [[nodiscard]] bool hold(std::uint64_t address, std::uint64_t bytes) const {
        return address >= begin && address + bytes <= end;
    }

    /// Grows by `more` if that adjoins, else becomes it.
    void join(HostBytes more) {
        if (more.begin <= end && begin <= more.end) {
            more = {std::min(begin, more.begin), std::max(end, more.end)};
        }
        *this = more;
    }
};

/// Bytes that accesses through a pointer computed from `root` have been found to belong to.
struct RootBytes {
    const void* root = nullptr;
    HostBytes all;
    std::array<HostBytes, 2> noted;  // those of which a read, and a write, is only to be told
    std::uint64_t turn = 0;          // of `turns`
    std::uint64_t number = 0;        // of the root, in PlainSeen
};

}  // namespace ascendsim::isa
