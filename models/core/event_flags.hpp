// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/cross_flags.hpp"
#include "models/isa/pipe.hpp"

namespace ascendsim {

/// The event flags inside a core, one for each ordered pair of pipes and id. The n-th wait takes the n-th
/// raise. Public documents call a flag one bit and a set of a set flag undefined, yet the queues of the
/// Ascend C framework hand an id out again as soon as its wait has been issued; so a raise that comes before
/// an earlier one is taken is kept. What is an error is a program that sets twice without a wait in between:
/// see set_issued().
class EventFlags {
public:
    static constexpr std::uint32_t max_ids = 16;

    /// One flag, as messages name it.
    struct Flag {
        Pipe source;
        Pipe destination;
        std::uint32_t id;
    };

    /// The program issued a set. False if it issued another one before, and no wait since.
    [[nodiscard]] bool set_issued(Flag flag) { return ++slot_of(flag).issued <= 1; }

    /// The program issued a wait.
    void wait_issued(Flag flag) { --slot_of(flag).issued; }

    void raise(Flag flag, Raise raise) { slot_of(flag).raises.push_back(raise); }

    [[nodiscard]] bool raised(Flag flag) const { return slot_of(flag).count() != 0; }

    /// Takes the oldest raise; the flag must be raised().
    Raise take(Flag flag) {
        Slot& slot = slot_of(flag);
        const Raise raise = slot.raises[slot.first++];
        if (slot.first == slot.raises.size()) {
            slot.raises.clear();
            slot.first = 0;
        }
        return raise;
    }

    /// Calls f(Flag, count) for every flag that is still up.
    template <class F>
    void for_each_raised(F&& f) const {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].count() != 0) {
                const std::size_t pair = i / max_ids;
                f(Flag{static_cast<Pipe>(pair / pipe_count),
                       static_cast<Pipe>(pair % pipe_count),
                       static_cast<std::uint32_t>(i % max_ids)},
                  slots_[i].count());
            }
        }
    }

    void clear() {
        for (Slot& slot : slots_) {
            slot = {};
        }
    }

private:
    struct Slot {
        std::vector<Raise> raises;  // those before `first` are taken
        std::uint32_t first = 0;
        std::int32_t issued = 0;  // sets less waits, in program order

        [[nodiscard]] std::uint32_t count() const {
            return static_cast<std::uint32_t>(raises.size()) - first;
        }
    };

    [[nodiscard]] static std::size_t at(Flag flag) {
        return (index(flag.source) * pipe_count + index(flag.destination)) * max_ids + flag.id % max_ids;
    }

    Slot& slot_of(Flag flag) { return slots_[at(flag)]; }

    [[nodiscard]] const Slot& slot_of(Flag flag) const { return slots_[at(flag)]; }

    std::array<Slot, pipe_count * pipe_count * max_ids> slots_{};
};

}  // namespace ascendsim
