// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "models/sanitize/data_caches.hpp"
#include "models/sanitize/flag_words.hpp"
#include "models/sanitize/global_contents.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/reporter.hpp"

namespace ascendsim::sanitize {

/// Follows flags that kernels make of words of global memory. One core stores and cleans its data cache, or
/// copies a small block; another invalidates the line and reads, or copies it and looks at the copy with its
/// scalar unit, until the value is there. Reading such a word is no race, and what was complete for the
/// writer is then so for the reader. A read that may have found an old line, and what the flag does not
/// cover, stay findings.
class MemoryFlags {
public:
    /// What it is given must outlive it.
    MemoryFlags(std::uint64_t line_bytes,
                const LaunchCores& cores,
                Reporter& reporter,
                const GlobalContents& contents,
                DataCaches& caches)
        : words_{line_bytes}, cores_{cores}, reporter_{reporter}, contents_{contents}, caches_{caches} {}

    /// Numbers an access of the run.
    std::uint64_t count_access() { return ++order_; }

    /// `core` begins a block.
    void begin_block(CoreState& core) { core.begun = count_access(); }

    /// `core` goes on after it has looked at a word: learns what others told it meanwhile.
    void catch_up(CoreState& core);
    /// `core` issues an operation, whose accesses follow; then it has issued it.
    void begin_operation(const CoreState& core, const isa::TimedOp& op, const isa::Accesses& accesses);
    void end_operation(CoreState& core);
    /// `core` cleans and invalidates the line at `offset` of its data cache, or the whole cache.
    void clean(CoreState& core, std::uint64_t offset, bool whole);
    /// The scalar unit of `core` reads or writes global memory; sets whether the line is fresh.
    void look(CoreState& core, Touch& touch);
    /// A pipe of `core` makes this access to global memory, which may write a flag.
    void tell(const CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    /// `core` learns what others told the words of [begin, end). True if that is new to it.
    bool learn(CoreState& core, std::uint64_t begin, std::uint64_t end);
    /// `core` uses what small copies have brought: they were of flags if the scalar unit looks at them first.
    void use_peeks(CoreState& core, const isa::TimedOp& op, const isa::Access& access);

    /// True if the scalar read finds the line as it was before `writer` wrote.
    [[nodiscard]] bool stale(const Touch& reader, const Touch& writer) const;
    /// Notes a scalar read that found a flag at its first look: nothing shows that it waits for the value.
    void doubt_if_unproven(const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end);
    /// True if one of two accesses without order belongs to a flag, or may, which is decided later.
    bool hold_back(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end);

    /// `core` has come to its end: copies that nobody looked at were no flags.
    void close(CoreState& core);
    /// The launch has ended: reports what was held back and turned out to be no flag.
    void judge();

private:
    using Line = std::pair<std::string_view, std::uint32_t>;

    [[nodiscard]] std::optional<Peek> peek_of(const CoreState& core,
                                              const isa::TimedOp& op,
                                              const isa::Accesses& accesses) const;
    void take_flag(CoreState& core, const Peek& peek);
    void take_data(const Peek& peek);
    bool polls_again(CoreState& core, const Touch& touch);
    void doubt(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end);
    bool hold_for_peek(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end);

    FlagWords words_;
    const LaunchCores& cores_;
    Reporter& reporter_;
    const GlobalContents& contents_;
    DataCaches& caches_;
    std::set<Line> spun_;                // reads that were seen to poll
    std::map<Line, Suspects> doubtful_;  // reads of flags that were not
    std::vector<Suspects> overwritten_;  // reads of words that others then wrote
    std::optional<Peek> peeking_;        // of the operation being issued
    std::uint64_t order_ = 0;            // of the last access
    std::uint64_t stale_since_ = 0;      // when the line came in that a scalar read finds; 0: just now
    bool doubting_ = false;              // of the scalar read being issued
};

}  // namespace ascendsim::sanitize
