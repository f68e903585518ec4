// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "models/port/effect_keeper.hpp"
#include "models/port/passing_observer.hpp"

namespace ascendsim {

/// One of the legal timings of a kernel: which of its pipes are how far behind the program.
struct EffectTiming {
    std::uint64_t seed = 1;
    std::uint32_t number = 0;  // from 1; 0: none, effects happen as the program issues them
};

/// Lets the effects of a core's instructions happen at other times than the program issues them, as flags,
/// barriers and the order within a pipe allow, one for each core:
///
///   kernel --> instruction --> LateEffects: its pipe's queue --> later, in order --> memory
///                                 ^
///   flag, barrier ----------------'   a wait holds its pipe back until the set has come by
///
/// A pipe is early (it works as soon as it may), late (only when another one, the scalar unit or a full queue
/// waits for it), or draws lots. Queues are as deep as the chip's. The first five timings have each kind of
/// pipe late against early ones; further ones are drawn for each core and pipe. What the program forgot to
/// order then shows in the results. Two instructions of the vector unit of which the second reads what the
/// first writes, without a barrier between them, overlap: the second may read what was there before.
/// The same seed and number give the same order.
class LateEffects final : public isa::PassingObserver, public isa::EffectKeeper {
public:
    /// `next` sees what happens, or is null. `core` and `next` must outlive this.
    LateEffects(isa::AccessObserver* next,
                isa::CorePort& core,
                const EffectTiming& timing,
                std::uint32_t number);

    void on_begin() override;
    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override;
    void keep(Pipe pipe, const isa::Accesses& accesses, std::function<void(isa::CorePort&)> effect) override;
    void keep_writes(Pipe pipe, const isa::Accesses& accesses, const std::function<void()>& effect) override;

    /// Everything issued so far happens.
    void land_all();

    /// True or false by lot: time passes for a program that waits, and its pipes may go on meanwhile.
    [[nodiscard]] bool draw() { return (next_random() & 1U) != 0; }

private:
    enum class Haste : std::uint8_t { early, late, by_lot };

    /// What a pipe has to do.
    struct Step {
        enum class Kind : std::uint8_t { effect, landing, set, wait, barrier };

        Kind kind = Kind::effect;
        std::uint32_t flag = 0;
        std::vector<isa::Access> accesses{};
        std::function<void(isa::CorePort&)> effect{};
    };

    /// Bytes that an effect has changed.
    struct Change {
        std::byte* at;
        std::byte value;
    };

    using Queue = std::deque<Step>;

    void draw_haste(std::uint32_t timing);
    void add(Pipe pipe, Step step);
    /// Lets early pipes work, and late ones that are full.
    void stir();
    /// True if the first step of the queue need not wait.
    [[nodiscard]] bool ready(const Queue& queue);
    /// Does the first step of `pipe`; what it waits for happens first. False if there is none.
    bool force(std::size_t pipe);
    void land(std::size_t pipe);
    void await(std::uint32_t flag);
    void run(Queue& queue);
    void run_overlapped(Queue& queue);
    /// Runs `effect` and takes back what it wrote, which is returned.
    [[nodiscard]] std::vector<Change> changes_of(const std::vector<isa::Access>& accesses,
                                                 const std::function<void()>& effect);
    [[nodiscard]] static bool may_overlap(const Step& first, const Step& second);
    std::uint64_t next_random();

    isa::CorePort& core_;
    EffectTiming timing_;
    std::uint64_t state_;
    std::array<Haste, pipe_count> haste_{};
    std::array<Queue, pipe_count> queues_;
    std::array<bool, pipe_count> forcing_{};
    std::map<std::uint32_t, std::uint32_t> raised_;  // flags that are up, by pipes and id
};

}  // namespace ascendsim
