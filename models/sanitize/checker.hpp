// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/port/core_port.hpp"
#include "models/sanitize/cache_lines.hpp"
#include "models/sanitize/collector.hpp"
#include "models/sanitize/core_state.hpp"
#include "models/sanitize/cross_clocks.hpp"
#include "models/sanitize/flag_words.hpp"

namespace ascendsim::sanitize {

/// Watches a run and finds what the chip would not forgive: races inside a core and between cores, missing
/// barriers, reads of what was never written, use of memory that is not the kernel's, flags out of step,
/// caches not cleaned, and synchronisation that orders nothing.
///
///   instruction --> its accesses --> bytes' last writers and readers: each must be known to be complete
///   flag, barrier, cross-core flag, flag made of a word of global memory --> what each pipe knows to be
///   complete (vector clocks)
///
/// It runs with the program, ahead of the timing: when an operation ran is filled in at the end of its
/// launch. Sources: hardware.md 3.3 to 3.8 of the design notes (Ascend C documentation on SetFlag,
/// PipeBarrier, CrossCoreSetFlag, DataCacheCleanAndInvalid).
class Checker final : public isa::AccessObserver {
public:
    /// `chip`, and the memory of the cores that run, must outlive the checker.
    explicit Checker(const ChipSpec& chip);
    ~Checker() override;

    /// Bytes of global memory that the host leaves without content: outputs and workspace.
    void declare_unwritten(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes of global memory that the host has given a content.
    void declare_written(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes of global memory that kernels only read: inputs. Not followed until one writes there.
    void declare_read_only(std::uint64_t offset, std::uint64_t bytes);
    /// True if no instruction wrote any of these bytes of global memory.
    [[nodiscard]] bool unwritten(std::uint64_t offset, std::uint64_t bytes) const;
    /// Adds the note that output `name` of `bytes` was left as it was. `reason` replaces the usual guess,
    /// unless it is empty.
    void note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason = {});

    /// How the run came to its end. In one that an error ended, flags wait because their sets never came:
    /// those waits follow from the error and are no findings of their own.
    enum class Ending : std::uint8_t { completed, stuck, failed };

    /// Ends the check. After a run that was cut short only what is certain is reported.
    void finish(Ending ending = Ending::completed);

    [[nodiscard]] const std::vector<Finding>& findings() const { return collector_.findings(); }

    /// True if something was found that makes the kernel wrong, not only slow.
    [[nodiscard]] bool any_error() const;

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override;
    void on_launch(std::span<const isa::LaunchCore> cores) override;
    void on_begin() override;
    void on_end() override;
    void on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) override;
    void on_clean(std::uint64_t offset, bool whole) override;
    void on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;
    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override;

private:
    /// How often a wait or barrier brought news.
    struct Worth {
        Touch touch;
        std::uint64_t useful = 0;
        std::uint64_t redundant = 0;
        std::uint32_t cycles = 0;  // each
        bool barrier = false;
        std::vector<const Worth*> sets;  // of the flags it waited for
        std::optional<OpTime> time;      // of `touch`
        bool timed = false;
    };

    /// What was read of a global buffer in this launch. It is looked up only if someone writes there as well.
    struct ReadLog {
        std::vector<std::pair<Touch, isa::Access>> reads;
        bool over = false;  // reads go to the range map at once
    };

    /// Bytes of an access that were never written.
    struct Unwritten {
        std::uint64_t total = 0;  // bytes of the access
        std::uint64_t bytes = 0;
        std::uint64_t longest = 0;  // run of them
        std::uint64_t first = 0;
        std::uint64_t last = 0;

        void see(bool written, std::uint64_t from, std::uint64_t to);
    };

    /// A party of a finding whose cycle is not known yet.
    struct Untimed {
        std::size_t finding;
        bool later;
        const ProgramClock* program;
        std::uint64_t issue;
    };

    using Place = std::tuple<std::string_view, std::uint32_t, std::uint8_t, std::uint8_t>;
    using Line = std::pair<std::string_view, std::uint32_t>;

    CoreState& enter();
    CoreState& state_of(const isa::CorePort& port);
    [[nodiscard]] Touch touch_of(const CoreState& core, const isa::TimedOp& op) const;
    /// Of what is not issued, or not yet.
    [[nodiscard]] static Touch touch_of(const CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe);

    /// True for lines of the kernel framework's own sources.
    [[nodiscard]] bool is_framework(Site site) const { return port_ != nullptr && port_->is_framework(site); }

    void synchronise(CoreState& core, const isa::TimedOp& op);
    void set_flag(CoreState& core, const isa::TimedOp& op);
    void wait_flag(CoreState& core, const isa::TimedOp& op);
    void barrier(CoreState& core, const isa::TimedOp& op);
    void cross(CoreState& core, const isa::TimedOp& op);
    void take_cross(CoreState& core);
    Worth& value(const Touch& touch, const isa::TimedOp& op, bool redundant, bool barrier);
    void check_flags_left(CoreState& core, Ending ending);
    void check_cross_waits();
    void check_cross_left();
    [[nodiscard]] const Touch* cross_set_of(const CoreState& core, std::uint32_t id) const;
    void report_worth();
    void end_launch();
    void fill_in_times();
    void await_time(const Touch& touch, bool later);

    void access(CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    void global_access(CoreState& core, const isa::TimedOp& op, Touch touch, const isa::Access& access);
    bool learn_flags(CoreState& core, std::uint64_t begin, std::uint64_t end);
    void tell_flag(const CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    void look(CoreState& core, Touch& touch);
    bool polls_again(CoreState& core, const Touch& touch);
    void doubt(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end);
    [[nodiscard]] bool stale(const Touch& reader, const Touch& writer) const;
    [[nodiscard]] std::optional<Peek> peek_of(const CoreState& core,
                                              const isa::TimedOp& op,
                                              const isa::Accesses& accesses) const;
    void use_peeks(CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    void take_flag(CoreState& core, const Peek& peek);
    void take_data(const Peek& peek);
    void report_race(const Suspects& pair);
    void close_peeks(CoreState& core);
    bool held_back(const Touch& later, const Touch& earlier, std::uint64_t begin, std::uint64_t end);
    void judge_flags();

    [[nodiscard]] bool in_read_only(std::uint64_t offset, std::uint64_t bytes) const;
    [[nodiscard]] bool only_read(const Touch& touch);
    [[nodiscard]] bool logged(const Touch& touch, const isa::Access& access);
    void check_written(const Touch& touch, const isa::Access& access, const Unwritten& unwritten);
    void check_buffer(CoreState& core, const Touch& touch, const isa::Access& access);
    void read(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map);
    void write(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map);
    void compare(const CoreState& core,
                 const Touch& later,
                 const Touch& earlier,
                 Memory memory,
                 std::uint64_t begin,
                 std::uint64_t end);
    void scalar_store(const CoreState& core, const Touch& touch);
    void check_cache(const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end);

    Finding* report(Kind kind,
                    Memory memory,
                    const Touch& later,
                    const Touch* earlier,
                    std::uint64_t begin,
                    std::uint64_t end);
    [[nodiscard]] std::string flags_up(const CoreState& core) const;
    /// What lies before a buffer, if something does; of the buffer that a fault's message names.
    [[nodiscard]] std::string neighbour_hint(const isa::GlobalBuffer& buffer) const;
    [[nodiscard]] std::string neighbour_hint(std::string_view message) const;
    [[nodiscard]] Party party(Memory memory, const Touch& touch) const;
    [[nodiscard]] std::string where(Memory memory, const Touch& touch, std::uint64_t offset) const;

    const ChipSpec& chip_;
    const isa::GlobalMemory* memory_ = nullptr;  // of the cores
    Collector collector_;
    std::vector<std::unique_ptr<CoreState>> cores_;  // of the launch
    std::map<std::pair<CoreKind, std::uint32_t>, std::uint16_t> number_of_;
    std::unique_ptr<CrossClocks> cross_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Touch> cross_sets_;  // by core and id
    RangeMap global_;
    std::map<std::uint64_t, std::uint64_t> read_only_;  // begin, end
    std::map<std::uint64_t, ReadLog> logs_;             // by the buffer's offset
    CacheLines lines_;
    std::map<Place, Worth> worth_;
    std::vector<Untimed> untimed_;
    FlagWords words_;
    std::set<Line> spun_;                  // reads that were seen to poll
    std::map<Line, Suspects> doubtful_;    // reads of flags that were not
    std::vector<Suspects> overwritten_;    // reads of words that others then wrote
    Peek* peeking_ = nullptr;              // of the operation being issued
    std::uint64_t order_ = 0;              // of the last access
    std::uint64_t stale_since_ = 0;        // when the line came in that a scalar read finds; 0: just now
    bool doubting_ = false;                // of the scalar read being issued
    const isa::CorePort* port_ = nullptr;  // of core_
    CoreState* core_ = nullptr;
};

}  // namespace ascendsim::sanitize
