// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/sanitize/finding.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/words/buffer_names.hpp"

namespace ascendsim::sanitize {

/// A read that took bytes nobody wrote along with others. Nothing is wrong unless they arrive somewhere.
struct Suspect {
    Memory memory = Memory::ub;
    std::uint64_t begin = 0;  // of all such reads at this place; B, from the start of the memory
    std::uint64_t end = 0;
    bool wide = false;  // a whole repeat of a vector instruction, or more
    Finding finding;    // what it is if they do
};

/// Turns what the parts of the checker see into findings: one for each kind and pair of source lines, with a
/// message and a hint, and, at the end of their launch, with cycles. Of several cores of the launch that had
/// it, the finding is that of the first one in simulated time.
class Reporter {
public:
    /// `cores` must outlive the reporter.
    explicit Reporter(const LaunchCores& cores) : cores_{cores} {}

    /// Reports `later`, in conflict with `earlier` if not null, on the bytes [begin, end) they share. Null:
    /// it was reported before at these places on this core, or in an earlier launch, and is counted once
    /// more.
    Finding* report(Kind kind,
                    Memory memory,
                    const Touch& later,
                    const Touch* earlier,
                    std::uint64_t begin,
                    std::uint64_t end);

    /// Reports an operation where the bytes it touches do not matter, such as a wait.
    Finding* report(Kind kind, const Touch& later, const Touch* earlier = nullptr) {
        return report(kind, Memory::gm, later, earlier, 0, 0);
    }

    /// Keeps a read, or an atomic update, of [begin, end) that nobody wrote, and of other bytes. `writer`, if
    /// not null, wrote what lies beside them. A `wide` one is a finding where the run cannot be repeated.
    void suspect(Memory memory,
                 const Touch& later,
                 const Touch* writer,
                 std::uint64_t begin,
                 std::uint64_t end,
                 bool wide = false);

    /// One for each place that such reads were at.
    [[nodiscard]] const std::vector<Suspect>& suspects() const { return suspects_; }

    /// What suspect number `i` read arrived at `where`, as in "output 'y'": that is a finding.
    void confirm(std::size_t i, std::string_view where);
    /// The run is not repeated: all wide suspects are findings.
    void confirm_wide();
    /// Bytes that nobody wrote arrived at `where`, and no read of them was seen.
    void report_arrival(std::string_view where);

    /// Reports an operation of any launch, described as `party` while its launch ran.
    Finding* report(Kind kind, const Touch& later, Party party);
    /// An operation of this launch in words, without the bytes it touches.
    [[nodiscard]] Party describe(const Touch& touch) const;

    /// Reports a race on global memory.
    void report_race(const Suspects& pair);
    /// Reports an illegal operation, which ends the run.
    void report_fault(const Touch& touch, std::string_view message);
    /// Reports what reaches beyond an end and does not end the run: a read of global memory, a buffer.
    void report_beyond(const Touch& touch, std::string_view message);
    /// Adds the note that a copy of `asked` bytes moves another number of them.
    void note_rounded(const Touch& touch, std::uint64_t asked, std::uint64_t moved);
    /// Reports that output `name` of `bytes` was left as it was. `reason` replaces the usual guess,
    /// unless it is empty.
    void note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason);

    /// Reports that of output `name`, `left` of its bytes were left as they were; those that `first` begins
    /// and ends are the first of them in one piece. As a note where a host program only copies it. `writer`,
    /// if not null, is the operation that wrote up to there.
    void note_partly_unwritten(Kind kind,
                               const std::string& name,
                               std::uint64_t bytes,
                               std::pair<std::uint64_t, std::uint64_t> first,
                               std::uint64_t left,
                               const Touch* writer);

    /// Reports that `bytes` of output `name`, the first at byte `first`, depend on the timing.
    void report_timings(const std::string& name,
                        std::uint64_t first,
                        std::uint64_t bytes,
                        std::string message);

    /// Enters the cycles of what was reported in this launch, and keeps of each finding what the first core
    /// had.
    void fill_in_times();
    /// Says of every finding of `kind` that it ended the run.
    void ended_by(Kind kind);

    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

private:
    using Place = std::tuple<std::string_view, std::string_view, std::uint32_t, std::uint8_t>;
    using Key = std::tuple<Kind, Place, Place>;

    /// Where a finding is kept, with its number there.
    struct Kept {
        enum class List : std::uint8_t { findings, suspects, rivals };

        List list = List::findings;
        std::size_t number = 0;

        friend auto operator<=>(const Kept&, const Kept&) = default;
    };

    /// A finding as another core of the launch had it. Programs run ahead of their times: which core was the
    /// first is known at the end of the launch.
    struct Rival {
        Kept known;
        Finding finding;
    };

    /// A party of a finding whose cycle is not known yet.
    struct Untimed {
        Kept finding;
        bool later;
        const ProgramClock* program;
        std::uint64_t issue;
    };

    [[nodiscard]] static Key key(Kind kind, const Touch& later, const Touch* earlier);
    [[nodiscard]] Finding finding_of(Kind kind,
                                     Memory memory,
                                     const Touch& later,
                                     const Touch* earlier,
                                     std::uint64_t begin,
                                     std::uint64_t end) const;
    [[nodiscard]] Finding& at(Kept kept);
    /// True if `core` has not had this finding in the launch, which is the one that found it.
    [[nodiscard]] bool is_rival(Kept known, const Touch& later);
    /// Keeps `finding`, which is as `known` but on another core.
    Finding& add_rival(Kept known, Finding finding, const Touch& later, const Touch* earlier);
    void await_times(Kept finding, const Touch& later, const Touch* earlier);
    void await_time(Kept finding, const Touch& touch, bool later);
    void keep_first_cores();
    [[nodiscard]] Party party(Memory memory, const Touch& touch) const;
    [[nodiscard]] std::string where(Memory memory, const Touch& touch, std::uint64_t offset) const;
    /// What lies before a buffer, if something does; of the buffer that a fault's message names.
    [[nodiscard]] std::string neighbour_hint(const isa::GlobalBuffer& buffer) const;
    [[nodiscard]] std::string neighbour_hint(std::string_view message) const;

    const LaunchCores& cores_;
    mutable BufferNames names_;  // what was looked up changes no answer
    std::vector<Finding> findings_;
    std::map<Key, std::size_t> known_;  // the finding of a kind at two places
    std::vector<Suspect> suspects_;
    std::map<Key, std::size_t> suspected_;
    std::vector<Untimed> untimed_;
    std::deque<Rival> rivals_;                         // of this launch
    std::set<std::pair<Kept, std::uint16_t>> had_by_;  // which core had what in this launch
    std::size_t old_findings_ = 0;                     // from earlier launches
    std::size_t old_suspects_ = 0;
};

}  // namespace ascendsim::sanitize
