// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/port/pipe.hpp"

namespace ascendsim::sanitize {

/// The lines of activity of a core whose operations are ordered among themselves: its pipes, the scalar unit
/// as the one that writes (pipe 0), and the scalar unit as the one that reads. A scalar read is over when the
/// next operation is issued, a scalar write is not.
inline constexpr std::size_t strand_count = pipe_count + 1;
inline constexpr std::size_t scalar_reads = pipe_count;

/// True for the two strands of the scalar unit.
[[nodiscard]] constexpr bool is_scalar(std::size_t strand) {
    return strand == index(Pipe::scalar) || strand == scalar_reads;
}

/// For each strand of a core, the last of its operations known to be complete (by issue number; 0: none).
using Known = std::array<std::uint64_t, strand_count>;

/// What is known of all cores of a launch, immutable once shared.
using Foreign = std::vector<Known>;

/// Adds to `into` what `from` knows besides.
inline void raise_to(Known& into, const Known& from) {
    for (std::size_t i = 0; i < strand_count; ++i) {
        into[i] = std::max(into[i], from[i]);
    }
}

/// True if `a` knows all that `b` does.
[[nodiscard]] inline bool covers(const Known& a, const Known& b) {
    for (std::size_t i = 0; i < strand_count; ++i) {
        if (a[i] < b[i]) {
            return false;
        }
    }
    return true;
}

/// The same of all cores; null knows nothing.
[[nodiscard]] inline bool covers(const Foreign* a, const Foreign* b) {
    if (b == nullptr || a == b) {
        return true;
    }
    if (a == nullptr) {
        return false;
    }
    return std::equal(b->begin(), b->end(), a->begin(), a->end(), [](const Known& y, const Known& x) {
        return covers(x, y);
    });
}

/// What one strand knows to be complete before its next operation starts: a vector clock, split into the own
/// core's part and the rest, which changes only when cores synchronise.
struct Clock {
    Known known{};
    std::shared_ptr<const Foreign> foreign;

    /// Learns everything `other` knows.
    void join(const Clock& other) {
        raise_to(known, other.known);
        join_foreign(other.foreign);
    }

    void join_foreign(const std::shared_ptr<const Foreign>& other) {
        if (foreign == other || covers(foreign.get(), other.get())) {
            return;
        }
        if (covers(other.get(), foreign.get())) {
            foreign = other;
            return;
        }
        auto joined = std::make_shared<Foreign>(*foreign);
        for (std::size_t core = 0; core < joined->size(); ++core) {
            raise_to((*joined)[core], (*other)[core]);
        }
        foreign = std::move(joined);
    }

    /// True if operation `issue` of another core's strand is known to be complete.
    [[nodiscard]] bool knows_of(std::size_t core, std::size_t strand, std::uint64_t issue) const {
        return foreign != nullptr && (*foreign)[core][strand] >= issue;
    }

    [[nodiscard]] bool covers_all(const Clock& other) const {
        return covers(known, other.known) && covers(foreign.get(), other.foreign.get());
    }
};

}  // namespace ascendsim::sanitize
