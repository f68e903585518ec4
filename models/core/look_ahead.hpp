// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "models/port/timed_op.hpp"

namespace ascendsim {

/// An endless loop issues until its limit, and timing all of that takes minutes where it copies. So when a
/// program has issued part of its limit, a copy of the process runs it on alone, without timing:
///
///   program --1/64 of the limit--+-- fork --> alone: counts --> beyond the limit: tells its last operation
///                                |                          \-> anything it cannot know alone: gives up
///                                +-- waits, then fails as it would at the limit, or goes on
///
/// Alone, a program cannot know what another one or its own data would tell it. Data are not computed, so it
/// gives up at every read of the scalar unit, at every wait for others, and at a bare pointer into a memory,
/// which is locked. What reaches the limit nevertheless would have reached it in any case.
class LookAhead {
public:
    /// Copies the process. In the original waits for the copy's end and returns the operation beyond the
    /// limit, or nothing if the copy could not tell; returns nothing in the copy as well, where alone() is
    /// true then.
    [[nodiscard]] std::optional<isa::TimedOp> fork();

    [[nodiscard]] bool alone() const { return tell_.has_value(); }

    /// In the copy: makes every access to the whole pages of `memory` end it.
    static void lock(std::span<std::byte> memory);
    /// In the copy: the program has issued `fresh`, the last of `issued` operations. Tells that one and ends
    /// the copy if they are more than `limit`; gives up if what the program does next may depend on them.
    void count(std::span<const isa::TimedOp> fresh, std::uint64_t issued, std::uint64_t limit) const;

    /// Ends the copy, if this is one, where its program comes to what needs the others.
    void stay_with_the_others() const {
        if (alone()) {
            give_up();
        }
    }

private:
    [[noreturn]] static void give_up();
    void go_alone(int tell);

    std::optional<int> tell_;  // in the copy: where to tell what it found
};

}  // namespace ascendsim
