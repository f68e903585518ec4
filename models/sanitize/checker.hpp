// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/port/core_port.hpp"
#include "models/sanitize/access_check.hpp"
#include "models/sanitize/cross_sync.hpp"
#include "models/sanitize/data_caches.hpp"
#include "models/sanitize/event_flags.hpp"
#include "models/sanitize/global_contents.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/memory_flags.hpp"
#include "models/sanitize/poison/local_poison.hpp"
#include "models/sanitize/reporter.hpp"
#include "models/sanitize/sync_worth.hpp"

namespace ascendsim::sanitize {

/// Watches a run and finds what the chip would not forgive: races inside a core and between cores, missing
/// barriers, reads of what was never written, use of memory that is not the kernel's, flags out of step,
/// caches not cleaned, and synchronisation that orders nothing.
///
///   instruction --> its accesses --> AccessCheck: bytes' last writers and readers, each must be known to be
///                                    complete; GlobalContents, DataCaches: what is known of global memory
///   flag, barrier -----------------> EventFlags  }
///   cross-core flag, SyncAll ------> CrossSync   } what each pipe knows to be complete (vector clocks)
///   flag in global memory ---------> MemoryFlags }
///   all of them -------------------> Reporter: findings
///
/// It runs with the program, ahead of the timing: when an operation ran is filled in at the end of its
/// launch. Sources: hardware.md 3.3 to 3.8 of the design notes (Ascend C documentation on SetFlag,
/// PipeBarrier, CrossCoreSetFlag, DataCacheCleanAndInvalid).
class Checker final : public isa::AccessObserver {
public:
    using Ending = sanitize::Ending;

    /// `chip`, and the memory of the cores that run, must outlive the checker.
    explicit Checker(const ChipSpec& chip);
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;
    ~Checker() override = default;

    /// Bytes of global memory that the host leaves without content: outputs and workspace.
    void declare_unwritten(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes of global memory that the host has given a content.
    void declare_written(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes of global memory that kernels only read: inputs. Not followed until one writes there.
    void declare_read_only(std::uint64_t offset, std::uint64_t bytes);
    /// True if no instruction wrote any of these bytes of global memory.
    [[nodiscard]] bool unwritten(std::uint64_t offset, std::uint64_t bytes) const;

    /// Of these bytes, the runs [begin, end) that no instruction wrote.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten_runs(
        std::uint64_t offset, std::uint64_t bytes) const {
        return contents_.unwritten_runs(offset, bytes);
    }

    /// Reports that of output `name`, which lies at `offset` of global memory, these runs of bytes from its
    /// start were left as they were, and names who wrote up to the first of them; as a note with `kind`
    /// copied_unwritten, which is of a host program's memory. Returns false where nothing but padding is
    /// left.
    bool note_partly_unwritten(const std::string& name,
                               std::uint64_t bytes,
                               std::span<const std::pair<std::uint64_t, std::uint64_t>> runs,
                               std::uint64_t offset,
                               Kind kind = Kind::never_written);
    /// Reports that output `name` of `bytes` was left as it was. `reason` replaces the usual guess,
    /// unless it is empty.
    void note_unwritten(const std::string& name, std::uint64_t bytes, const std::string& reason = {});

    /// Fills the memories of cores with poison before each block. Without it they keep what they held.
    void poison_cores(std::shared_ptr<LocalPoison> poison) { local_poison_ = std::move(poison); }

    /// The run will be repeated with other poison, so that reads of unwritten bytes are findings only where
    /// results depend on them. Else, and where it is cut short, those of whole vector repeats are.
    void set_repeated() { repeated_ = true; }

    /// After all it was not.
    void confirm_wide() { reporter_.confirm_wide(); }

    /// True if values decided: a vector comparison, or a read of the core's own memory by the scalar unit.
    [[nodiscard]] bool any_decision() const { return compares_ || accesses_.any_scalar_read(); }

    /// Reads of bytes that nobody wrote beside others.
    [[nodiscard]] const std::vector<Suspect>& suspects() const { return reporter_.suspects(); }

    /// True if a kernel took a plain pointer to what it reads or writes, which is not seen.
    [[nodiscard]] bool plain_pointers() const { return plain_pointers_; }

    /// What suspect number `i` read arrived at `where`; empty: what was read without being seen.
    void confirm(std::optional<std::size_t> suspect, std::string_view where) {
        suspect ? reporter_.confirm(*suspect, where) : reporter_.report_arrival(where);
    }

    /// `bytes` of output `name`, the first at byte `first`, depend on the timing, as `message` says.
    void report_timings(const std::string& name,
                        std::uint64_t first,
                        std::uint64_t bytes,
                        std::string message) {
        reporter_.report_timings(name, first, bytes, std::move(message));
    }

    /// True if something was added to atomically: in another order, sums of floats round otherwise.
    [[nodiscard]] bool any_update() const { return accesses_.any_update(); }

    /// Ends the check. After a run that was cut short only what is certain is reported.
    void finish(Ending ending = Ending::completed);

    [[nodiscard]] const std::vector<Finding>& findings() const { return reporter_.findings(); }

    /// True if something was found that makes the kernel wrong, not only slow.
    [[nodiscard]] bool any_error() const;

    /// As on_launch(). With `placed` it is told by place() which core runs what, as they begin.
    void start_launch(std::span<const isa::LaunchCore> cores, bool placed);
    /// Core number `member` of the launch is this one.
    void place(std::uint32_t member, const isa::CoreIdentity& core);
    /// The launch is over, before another one starts or the run ends.
    void launch_ended();

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override;

    void on_launch(std::span<const isa::LaunchCore> cores) override { start_launch(cores, false); }

    void on_begin() override;
    void on_end() override;
    void on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) override;
    void on_clean(std::uint64_t offset, bool whole) override;
    void on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;
    void on_late_fault(const isa::CorePort& core,
                       const isa::OpInfo& info,
                       Site site,
                       std::string_view message,
                       Pipe pipe) override;
    void on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;
    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override;
    isa::PlainRange plain_range(const isa::OpInfo& info,
                                const isa::Access& access,
                                std::optional<std::uint64_t> root,
                                Site site) override;
    void on_plain(const isa::OpInfo& info, const isa::Access& access, Site site) override;

private:
    CoreState& enter();
    CoreState& state_of(const isa::CorePort& port);
    /// `here` is where the stack has come to.
    void check_stack(CoreState& core, const isa::OpInfo& info, Site site, Pipe pipe, std::uintptr_t here);
    void check_accesses(CoreState& core, const isa::TimedOp& op, const isa::Accesses& accesses);
    void end_launch();
    void judge_launch();

    LaunchCores cores_;
    Reporter reporter_;
    SyncWorth worth_;
    EventFlags event_flags_;
    CrossSync cross_;
    DataCaches caches_;
    GlobalContents contents_;
    MemoryFlags memory_flags_;
    AccessCheck accesses_;
    std::shared_ptr<LocalPoison> local_poison_;  // of all checkers of a run; null: none
    bool plain_pointers_ = false;
    bool repeated_ = false;
    bool compares_ = false;
};

}  // namespace ascendsim::sanitize
