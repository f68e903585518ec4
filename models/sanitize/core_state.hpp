// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "models/port/core_port.hpp"
#include "models/sanitize/buffer_map.hpp"
#include "models/sanitize/clock.hpp"
#include "models/sanitize/flag_words.hpp"
#include "models/sanitize/range_map.hpp"
#include "models/timeline/op_times.hpp"

namespace ascendsim::sanitize {

/// A raise of an event flag: what is complete once it is up.
struct FlagRaise {
    Clock clock;
    Touch touch;
    bool idle = false;      // the source pipe had done nothing yet: a flag set ahead of a loop
    bool by_queue = false;  // raised by a queue, with the buffer that it hands on
};

/// One event flag of a core.
struct FlagState {
    std::deque<FlagRaise> raised;
    std::deque<Touch> early_waits;  // issued before their set
    bool doubled = false;           // was set again before its wait: reported once, as that
};

/// What the checker knows of one core.
struct CoreState {
    static constexpr std::size_t max_ids = 16;

    /// A cross-core wait whose other side may not have been seen yet.
    struct CrossWait {
        Pipe pipe;
        std::uint32_t mode;
        std::uint32_t id;
        Touch touch;
    };

    /// The scalar read before, to see a loop that polls.
    struct LastLook {
        std::uint64_t offset = 0;
        Site site;
    };

    /// A tensor of the operation to come that begins beyond the one it was cut from.
    struct Outside {
        Memory memory = Memory::ub;
        std::uint64_t offset = 0;
        std::uint64_t home = 0;  // where the tensor that it was cut from begins
    };

    std::string title;
    const ProgramClock* program = nullptr;  // null: a core without a machine, whose operations have no time
    const isa::CorePort* port = nullptr;    // of its last block, where memories hold poison
    std::uint16_t number = 0;               // among the cores of the launch
    std::uint32_t block = 0;
    bool in_block = false;
    std::uint64_t issued = 0;
    Known last{};  // of each strand its last operation
    std::array<Clock, pipe_count> clocks;
    std::uint64_t scalar_version = 1;  // counts what the scalar unit's clock learns
    std::array<std::uint64_t, pipe_count> scalar_seen{};
    std::array<std::unique_ptr<RangeMap>, memory_count> bytes;
    std::array<BufferMap, memory_count> buffers;
    std::deque<std::pair<Memory, Touch>> idle;  // the last writes of no bytes: of no repeats
    std::array<std::unique_ptr<FlagState>, pipe_count * pipe_count * max_ids> flags;
    std::optional<CrossWait> cross_wait;
    std::vector<Outside> outside;
    std::uintptr_t stack = 0;                       // where the block's frames begin; 0: not known
    std::array<std::uint32_t, pipe_count> stuck{};  // waits of each pipe whose set has not been seen
    std::unordered_map<std::uint64_t, CachedLine> cached;
    std::uint64_t begun = 0;                        // when the block did, in accesses of the run
    std::uint64_t cleaned_whole = 0;                // when the whole data cache was, in accesses of the run
    std::vector<Peek> peeks;                        // copies that may be of flags
    std::unordered_set<std::uint64_t> flag_copies;  // issue numbers of those that were
    std::set<std::pair<std::uint16_t, std::uint64_t>>
        flags_seen;  // core and issue of copies that wrote flags
    LastLook last_look;
    std::optional<std::uint64_t> looking_at;  // in global memory, until the next operation

    /// The number of the operation being issued, from 1.
    [[nodiscard]] std::uint64_t next_issue() const {
        return program == nullptr ? issued + 1 : program->issued() + 1;
    }

    /// Starts a block: nothing is known, local memories hold nothing.
    void begin(std::uint32_t block_index);

    [[nodiscard]] FlagState& flag(std::uint8_t source, std::uint8_t destination, std::uint32_t id);

    /// What is complete when all issued work of `pipe` is, and what `pipe` knows.
    [[nodiscard]] Clock complete(Pipe pipe) const;
    /// The pipe learns `clock`.
    void learn(Pipe pipe, const Clock& clock);
    /// An operation goes from the scalar unit to `pipe`: it starts after what the scalar unit waited for.
    void hand_over(Pipe pipe);
    /// Everything issued so far is complete.
    void complete_all();

    /// True if `pipe` knows that all of `strands` issued work is complete.
    [[nodiscard]] bool all_known(Pipe pipe) const { return covers(clocks[index(pipe)].known, last); }
};

}  // namespace ascendsim::sanitize
