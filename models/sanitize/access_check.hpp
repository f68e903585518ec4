// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/sanitize/data_caches.hpp"
#include "models/sanitize/global_contents.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/memory_flags.hpp"
#include "models/sanitize/reporter.hpp"
#include "models/sanitize/unwritten_bytes.hpp"

namespace ascendsim::sanitize {

/// Judges each access of an operation: do the bytes belong to a buffer, were they written, and is what their
/// last writers and readers did known to be complete?
class AccessCheck {
public:
    /// What it is given must outlive it.
    AccessCheck(const LaunchCores& cores,
                Reporter& reporter,
                GlobalContents& contents,
                DataCaches& caches,
                MemoryFlags& flags)
        : cores_{cores}, reporter_{reporter}, contents_{contents}, caches_{caches}, flags_{flags} {}

    /// The operation that `core` issues makes `access`.
    void check(CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    /// Remembers a write of no bytes: where those are missing that it names, it may be what was to write
    /// them.
    void note_idle(CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    /// The scalar unit of `core` has made `access`, one run of bytes, through plain pointers since its last
    /// operation; `op` describes it.
    void check_plain(CoreState& core, const isa::TimedOp& op, const isa::Access& access);
    /// What is asked of such an access before it is made, as CorePort's observer is asked.
    [[nodiscard]] isa::PlainRange plain_range(CoreState& core,
                                              const isa::TimedOp& op,
                                              const isa::Access& access,
                                              std::optional<std::uint64_t> root);

    /// What was issued has had its effect: reports those of its writes that changed what another one, still
    /// under way, has written.
    void settle();

    /// A block begins on a core: its memory holds nothing.
    void begin_block(const CoreState& core);

    /// True if something was updated atomically.
    [[nodiscard]] bool any_update() const { return any_update_; }

    /// True if a scalar unit read its core's own memory.
    [[nodiscard]] bool any_scalar_read() const { return any_scalar_read_; }

private:
    void judge(CoreState& core, const isa::TimedOp& op, const isa::Access& access, Touch touch);
    void check_global(CoreState& core, const isa::TimedOp& op, Touch touch, const isa::Access& access);
    void check_buffer(CoreState& core, const Touch& touch, const isa::Access& access);
    void check_outside(const CoreState& core, const Touch& touch, Memory memory, const BufferMap& map);
    void read(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map);
    /// What has written nearest to the unwritten bytes of a core's own memory that `reader` reads, within the
    /// same buffer; or null. It may be what should have written those bytes, too.
    static const Touch* writer_beside(const CoreState& core,
                                      Memory memory,
                                      const RangeMap& map,
                                      const Touch& reader,
                                      const UnwrittenBytes& unwritten);
    void write(CoreState& core, const Touch& touch, const isa::Access& access, RangeMap& map);
    /// Compares a read of global memory with one of its writers.
    void compare_global(
        CoreState& core, const Touch& reader, const Touch& writer, std::uint64_t begin, std::uint64_t end);
    void compare(const CoreState& core,
                 const Touch& later,
                 const Touch& earlier,
                 Memory memory,
                 std::uint64_t begin,
                 std::uint64_t end);
    /// Reports two accesses of one program, or of two cores, that nothing orders.
    void report_in_core(
        const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end);
    void report_between_cores(
        const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end);

    /// A copy out over bytes of global memory that a copy before it, not known to be complete, has written.
    /// Whichever comes last, the same bytes are there if both bring the same, as where the last tile is moved
    /// back to end with the data.
    struct Rewrite {
        Touch later;
        Touch earlier;
        Memory memory = Memory::gm;
        std::uint64_t begin = 0;
        const std::byte* now = nullptr;  // where the bytes stand
        std::vector<std::byte> before;
    };

    void await_rewrite(
        const Touch& later, const Touch& earlier, Memory memory, std::uint64_t begin, std::uint64_t end);

    /// Bytes that one load brought over those of another are read, or written again.
    void end_unread(const Touch& touch, Memory memory, std::uint64_t begin, std::uint64_t end);

    const LaunchCores& cores_;
    Reporter& reporter_;
    GlobalContents& contents_;
    DataCaches& caches_;
    MemoryFlags& flags_;
    std::vector<Rewrite> rewrites_;  // of the operation that was issued last
    std::vector<Rewrite> unread_;    // of loads: told once somebody reads them, as some only fill L2
    bool any_update_ = false;
    bool any_scalar_read_ = false;
};

}  // namespace ascendsim::sanitize
