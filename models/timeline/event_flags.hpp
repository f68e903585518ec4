// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/port/pipe.hpp"
#include "models/timeline/cross_flags.hpp"

namespace ascendsim {

/// The event flags inside a core, one for each ordered pair of pipes and id. The n-th wait takes the n-th
/// raise. Public documents call a flag one bit and a set of a set flag undefined, yet the queues of the
/// Ascend C framework hand an id out again as soon as its wait has been issued, and published kernels that
/// run set a flag twice before they wait for it twice (CATLASS, block_gemv_aiv.hpp). So a raise that comes
/// before an earlier one is taken is kept; the checker reports two sets without a wait in between.
class EventFlags {
public:
    static constexpr std::uint32_t max_ids = 16;

    /// One flag, as messages name it.
    struct Flag {
        Pipe source;
        Pipe destination;
        std::uint32_t id;
    };

    void raise(Flag flag, Raise raise) { slot_of(flag).put(raise); }

    [[nodiscard]] bool raised(Flag flag) const {
        const std::unique_ptr<Pair>& pair = pairs_[pair_of(flag)];
        return pair != nullptr && (*pair)[flag.id % max_ids].count != 0;
    }

    /// Takes the oldest raise; the flag must be raised().
    Raise take(Flag flag) { return slot_of(flag).take(); }

    /// Calls f(Flag, count) for every flag that is still up.
    template <class F>
    void for_each_raised(F&& f) const {
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            for (std::uint32_t id = 0; pairs_[pair] != nullptr && id < max_ids; ++id) {
                if (const std::uint32_t count = (*pairs_[pair])[id].count; count != 0) {
                    f(Flag{static_cast<Pipe>(pair / pipe_count), static_cast<Pipe>(pair % pipe_count), id},
                      count);
                }
            }
        }
    }

    void clear() {
        for (const std::unique_ptr<Pair>& pair : pairs_) {
            if (pair != nullptr) {
                for (Slot& slot : *pair) {
                    slot.later.clear();
                    slot.count = 0;
                }
            }
        }
    }

private:
    struct Slot {
        Raise oldest;              // most often the only one
        std::uint32_t count = 0;   // raises not taken
        std::vector<Raise> later;  // the others, in order

        void put(Raise raise) {
            if (count++ == 0) {
                oldest = raise;
            } else {
                later.push_back(raise);
            }
        }

        Raise take() {
            const Raise raise = oldest;
            if (--count != 0) [[unlikely]] {
                oldest = later.front();
                later.erase(later.begin());
            }
            return raise;
        }
    };

    using Pair = std::array<Slot, max_ids>;

    [[nodiscard]] static std::size_t pair_of(Flag flag) {
        return index(flag.source) * pipe_count + index(flag.destination);
    }

    Slot& slot_of(Flag flag) {
        std::unique_ptr<Pair>& pair = pairs_[pair_of(flag)];
        if (pair == nullptr) [[unlikely]] {
            pair = std::make_unique<Pair>();
        }
        return (*pair)[flag.id % max_ids];
    }

    std::array<std::unique_ptr<Pair>, pipe_count * pipe_count> pairs_;  // those used: a kernel has few
};

}  // namespace ascendsim
