// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/core/cross_flags.hpp"
#include "models/isa/pipe.hpp"

namespace ascendsim {

/// The event flags inside a core: one bit for each ordered pair of pipes and id. A raise is kept until its
/// wait takes it; timing may learn of the next raise before it has timed the wait of the one before.
class EventFlags {
public:
    static constexpr std::uint32_t max_ids = 16;
    static constexpr std::uint32_t max_known = 4;

    /// One flag, as messages name it.
    struct Flag {
        Pipe source;
        Pipe destination;
        std::uint32_t id;
    };

    /// Raises a flag. False if the flag was still up: an earlier raise had not been taken at that time.
    [[nodiscard]] bool raise(Flag flag, Raise raise) {
        Slot& slot = slot_of(flag);
        if (slot.count == max_known || raise.time < slot.taken) {
            return false;
        }
        slot.raises[(slot.first + slot.count++) % max_known] = raise;
        return true;
    }

    [[nodiscard]] bool raised(Flag flag) const { return slot_of(flag).count != 0; }

    /// Takes the oldest raise at cycle `at`; the flag must be raised().
    Raise take(Flag flag, std::uint64_t at) {
        Slot& slot = slot_of(flag);
        slot.taken = at;
        const Raise raise = slot.raises[slot.first];
        slot.first = static_cast<std::uint8_t>((slot.first + 1) % max_known);
        --slot.count;
        return raise;
    }

    /// The raise that would be taken next, if any.
    [[nodiscard]] std::optional<Raise> next(Flag flag) const {
        const Slot& slot = slot_of(flag);
        return slot.count == 0 ? std::nullopt : std::optional{slot.raises[slot.first]};
    }

    /// Calls f(Flag, count) for every flag that is still up.
    template <class F>
    void for_each_raised(F&& f) const {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (slots_[i].count != 0) {
                const std::size_t pair = i / max_ids;
                f(Flag{static_cast<Pipe>(pair / pipe_count),
                       static_cast<Pipe>(pair % pipe_count),
                       static_cast<std::uint32_t>(i % max_ids)},
                  slots_[i].count);
            }
        }
    }

    void clear() { slots_.fill({}); }

private:
    struct Slot {
        std::array<Raise, max_known> raises{};
        std::uint64_t taken = 0;  // when the last wait took its raise
        std::uint8_t first = 0;
        std::uint8_t count = 0;
    };

    [[nodiscard]] static std::size_t at(Flag flag) {
        return (index(flag.source) * pipe_count + index(flag.destination)) * max_ids + flag.id % max_ids;
    }

    Slot& slot_of(Flag flag) { return slots_[at(flag)]; }

    [[nodiscard]] const Slot& slot_of(Flag flag) const { return slots_[at(flag)]; }

    std::array<Slot, pipe_count * pipe_count * max_ids> slots_{};
};

}  // namespace ascendsim
