// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/port/access.hpp"
#include "models/port/effect_keeper.hpp"
#include "models/port/global_memory.hpp"
#include "models/port/registers.hpp"
#include "models/port/scalar_steps.hpp"
#include "models/port/timed_op.hpp"
#include "models/spec/chip_spec.hpp"
#include "sim/base/lazy_array.hpp"

namespace ascendsim::isa {

/// A core that takes part in a launch.
struct LaunchCore {
    CoreKind kind = CoreKind::aiv;
    std::uint32_t core = 0;   // index among the cores of its kind
    std::uint32_t group = 0;  // a cube core and its vector cores share it
};

class CorePort;

/// What the kernel framework did with a part of a core's memory.
enum class BufferNotice : std::uint8_t {
    reserved,   // given to a queue; no tensor of it is out
    live,       // a plain buffer, or a tensor taken from a queue
    freed,      // the tensor went back to its queue
    forgotten,  // every buffer of every memory was dropped
    raw,        // the kernel makes a tensor of an address itself
    pointer,    // the next instruction takes a plain pointer where others take a tensor
    outside,    // the next instruction takes a tensor beyond the one it was cut from
    frame,      // a function has begun whose local variables reach down to host address `offset`
};

/// Where a tensor was cut from that is none: it was declared and never got a place.
constexpr std::uint32_t no_tensor = 0xFFFFFFFF;

/// What is asked of a scalar access through a plain pointer, so that the next ones of its place in the source
/// need not ask again (plain_access.hpp).
struct PlainRange {
    std::uint64_t begin = 0;  // bytes of its memory within which others like it are answered, too
    std::uint64_t end = 0;
    bool noted = false;    // what it touches is to be told by on_plain()
    bool at_once = false;  // before anything else happens: nobody has written what it reads
};

/// Sees what a kernel does, in program order of each core; the hazard checker is one. The core is
/// CorePort::current().
class AccessObserver {
public:
    virtual ~AccessObserver() = default;
    virtual void on_issue(const TimedOp& op, const Accesses& accesses) = 0;

    /// A launch of these cores starts; everything before it is complete.
    virtual void on_launch(std::span<const LaunchCore> /*cores*/) {}

    /// The current core begins a block, and has come to its end.
    virtual void on_begin() {}

    virtual void on_end() {}

    virtual void on_buffer(BufferNotice /*notice*/, const Access& /*range*/, Site /*site*/) {}

    /// DataCacheCleanAndInvalid of the line at `offset` of global memory, or of the whole cache.
    virtual void on_clean(std::uint64_t /*offset*/, bool /*whole*/) {}

    /// An instruction for `pipe` is illegal and stops the run.
    virtual void on_fault(const OpInfo& /*info*/,
                          Site /*site*/,
                          std::string_view /*message*/,
                          Pipe /*pipe*/) {}

    /// The run stops because of what `core`, which need not be the current one, had issued earlier.
    virtual void on_late_fault(const CorePort& /*core*/,
                               const OpInfo& /*info*/,
                               Site /*site*/,
                               std::string_view /*message*/,
                               Pipe /*pipe*/) {}

    /// A read of global memory reaches beyond its buffer, a buffer beyond its memory, or operands of one
    /// instruction overlap where they must not; the run goes on.
    virtual void on_beyond(const OpInfo& /*info*/,
                           Site /*site*/,
                           std::string_view /*message*/,
                           Pipe /*pipe*/) {}

    /// A copy on `pipe` moves `moved` of the `asked` bytes: whole blocks only.
    virtual void on_rounded(Site /*site*/, Pipe /*pipe*/, std::uint64_t /*asked*/, std::uint64_t /*moved*/) {}

    /// The scalar unit is about to make `access`, one run of bytes, through a plain pointer computed from one
    /// to `root` of the same memory, if that is known.
    virtual PlainRange plain_range(const OpInfo& /*info*/,
                                   const Access& /*access*/,
                                   std::optional<std::uint64_t> /*root*/,
                                   Site /*site*/) {
        return {0, std::uint64_t{1} << 62U};  // everything: nobody looks
    }

    /// The scalar unit has made accesses to all bytes of `access`, one run, through a plain pointer since the
    /// core's last operation.
    virtual void on_plain(const OpInfo& /*info*/, const Access& /*access*/, Site /*site*/) {}
};

/// Who a core is within a launch.
struct CoreIdentity {
    std::uint32_t core = 0;         // index among the cores of its kind
    std::uint32_t block = 0;        // GetBlockIdx
    std::uint32_t block_count = 1;  // GetBlockNum
    std::uint32_t sub_block = 0;    // GetSubBlockIdx
    std::uint32_t sub_blocks = 1;   // GetSubBlockNum
    std::uint32_t task_ratio = 1;   // GetTaskRation: vector cores for one cube core of this launch
    CoreKind kind = CoreKind::aiv;
};

/// What a kernel sees of the core that runs it. The Ascend C headers reach it through current(); the machine
/// derives from it. Functional effects happen at once, in program order; timing receives TimedOps and follows
/// behind.
class CorePort {
public:
    CorePort(const ChipSpec& chip, GlobalMemory& memory);
    CorePort(const CorePort&) = delete;
    CorePort& operator=(const CorePort&) = delete;
    virtual ~CorePort();

    /// The core whose program is running now. Kernels may only be called while one is.
    [[nodiscard]] static CorePort& current() { return *current_; }

    [[nodiscard]] static bool running() { return current_ != nullptr; }

    /// Hands over an operation. May suspend the program until the timing has caught up.
    void push(const TimedOp& op) {
        next() = op;
        commit();
    }

    /// Hands over a copy to or from global memory described by `transfer`.
    void push(const TimedOp& op, const Transfer& transfer) {
        next() = op;
        commit(transfer);
    }

    /// The place of the next operation, to be filled and then handed over by commit().
    [[nodiscard]] TimedOp& next() { return *cursor_; }

    void commit() {
        if (ascendsim_scalar_steps != 0) {
            take_steps();
        }
        ++cursor_;
        if (cursor_ == end_) [[unlikely]] {
            drain();
        }
    }

    /// The same for a copy described by `transfer`.
    void commit(const Transfer& transfer);

    /// Suspends until flag `id` (CrossCoreWaitFlag) has been raised by the programs it waits for.
    virtual void await_cross_flag(std::uint32_t id, Site site) = 0;
    /// Announces CrossCoreSetFlag to the other programs.
    virtual void raise_cross_flag(std::uint32_t mode, std::uint32_t id, Site site) = 0;
    /// Suspends until all programs of the launch (of this core's kind, or of both) have arrived.
    virtual void await_all(bool both_kinds, Site site) = 0;

    /// Messages between a cube core and its vector cores (mailbox.hpp), by flag: announces that an answer is
    /// under way, suspends until it has been announced, and suspends until a request's time has come, the
    /// earliest first.
    virtual void raise_answer(std::uint32_t /*id*/, Site /*site*/) {}

    virtual void await_answer(std::uint32_t /*id*/, Site /*site*/) {}

    virtual std::uint32_t await_message(std::span<const std::uint32_t> ids, Site /*site*/) {
        return ids.back();
    }

    /// Hands everything issued so far to the timing, so that a message posted arrives.
    virtual void note_message() {}

    /// Lets the other programs run; called when a program polls global memory.
    virtual void yield() = 0;
    /// The core's clock in cycles, once everything issued so far has been timed up to the scalar unit.
    [[nodiscard]] virtual std::uint64_t system_cycle(Site site) = 0;
    /// Stops the run: the kernel is at fault. Adds core, pipe and cycle to the message; `pipe` is that of the
    /// instruction. Names the kernel's own line where a call of the framework's issued it (CallScope).
    [[noreturn]] virtual void fail(const OpInfo& info,
                                   Site site,
                                   std::string_view message,
                                   Pipe pipe = Pipe::scalar) = 0;

    /// The place to name for what stands at `site`: where that is in the framework's own sources, the
    /// kernel's line that called them.
    [[nodiscard]] Site kernel_line(Site site) const {
        return call_.line != 0 && is_framework(site) ? call_ : site;
    }

    /// True for lines of the kernel framework's own sources.
    [[nodiscard]] bool is_framework(Site site) const {
        return !framework_folder_.empty() &&
               std::string_view{site.file}.find(framework_folder_) != std::string_view::npos;
    }

    /// Sources below a folder of this path are the kernel framework's own; none are if it is empty.
    void set_framework_folder(std::string_view folder) {
        framework_folder_ = folder.empty() ? std::string{} : std::string{folder} + "/";
    }

    [[nodiscard]] const ChipSpec& chip() const { return chip_; }

    [[nodiscard]] GlobalMemory& global() { return global_; }

    [[nodiscard]] const CoreIdentity& identity() const { return identity_; }

    [[nodiscard]] Registers& registers() { return registers_; }

    /// False in a timing-only run: effects on data are skipped, except of copies that touch a control buffer.
    [[nodiscard]] bool functional() const { return functional_; }

    [[nodiscard]] AccessObserver* observer() const { return observer_; }

    /// Who holds effects back; null: they happen at once, as in every run but those with other timings.
    [[nodiscard]] EffectKeeper* keeper() const { return keeper_; }

    /// Tells the observer, if there is one, about `bytes` at `where`.
    void notice(BufferNotice what, Local where, std::uint32_t bytes, Site site) {
        if (observer_ != nullptr) [[unlikely]] {
            observer_->on_buffer(
                what, {.memory = where.memory, .offset = where.offset, .row_bytes = bytes}, site);
        }
    }

    /// The bytes of one of the core's memories; empty for gm and for memories this kind of core lacks.
    [[nodiscard]] std::span<std::byte> local(Memory memory) { return locals_[index(memory)]; }

    [[nodiscard]] std::byte* at(Local where) { return locals_[index(where.memory)].data() + where.offset; }

    /// The buffer and offset that `pointer` points into; empty if it is in none of this core's buffers.
    [[nodiscard]] std::optional<Local> find_local(const void* pointer) const;

    /// Checks every access against capacity, alignment being the instruction's own business; fails with a
    /// sentence. A read that runs over the end of a buffer in global memory is noted: the chip reads what
    /// lies behind it.
    void check(const Accesses& accesses, const OpInfo& info, Site site, Pipe pipe = Pipe::scalar) {
        for (const Access& access : accesses) {
            if (!within(access)) [[unlikely]] {
                leave(access, info, site, pipe);
            }
        }
    }

    /// Tells who watches the run of an access that leaves its buffer; fails in a strict run.
    void tell_beyond(const OpInfo& info, Site site, std::string_view message, Pipe pipe);

    /// Tells who watches the run of a call that asks for more memory than there is, which the chip does not
    /// check; fails in a strict run.
    void note_oversized(const OpInfo& info, Site site, std::string_view message);

    /// Tells who watches the run that operands of an instruction overlap where they must not; fails in a
    /// strict run.
    void note_overlap(const OpInfo& info, Site site, std::string_view message, Pipe pipe) {
        tell_beyond(info, site, message, pipe);
    }

    /// False if an access leaves its memory; check() then says which.
    [[nodiscard]] bool all_within(const Accesses& accesses) const {
        return std::ranges::all_of(accesses, [this](const Access& access) { return within(access); });
    }

    /// A scalar access to global memory: data cache first. Returns the cost as a pushed operation.
    void scalar_global_access(const void* pointer, std::uint32_t bytes, bool write, Site site);
    /// What that costs, of an access that the kernel makes by itself, through a reference.
    void scalar_global_reference(const void* pointer, std::uint32_t bytes, Site site);
    /// What an access costs that the kernel makes through a plain pointer into global memory, line by line.
    /// Lines that the data cache holds are counted (ascendsim_scalar_hits) and no operation. Nothing for the
    /// element of the last reference given, which has its cost.
    void scalar_pointer_access(const void* pointer, std::uint64_t bytes, bool write, Site site);
    /// Starts to load the line of `pointer` into the data cache and goes on; whoever touches it waits until
    /// it is there.
    void preload_line(const void* pointer, Site site);
    /// The program sets up an object of so many lines of the data cache on its stack, which lies in global
    /// memory.
    void touch_stack(std::uint32_t lines, Site site);
    /// Cleans and invalidates the data cache (whole, or the line of `pointer`).
    void clean_data_cache(const void* pointer, bool whole);

    /// Where the next operation goes: changes whenever the program issues one; for a watchdog.
    [[nodiscard]] const void* progress() const { return cursor_; }

    /// How long the program may compute between two operations, in cycles of the scalar unit: beyond it is
    /// endless.
    void set_arithmetic_limit(std::uint32_t cycles) { arithmetic_limit_ = cycles; }

    [[nodiscard]] std::uint32_t arithmetic_limit() const { return arithmetic_limit_; }

    /// Whether what the chip does not check stops the run all the same.
    void set_strict(bool strict) { strict_ = strict; }

    /// True if the running program, which must be this core's, has computed beyond its limit; for a watchdog.
    [[nodiscard]] bool computes_too_long() const { return counted_cycles() > arithmetic_limit_; }

    /// Cycles of the scalar unit that operations issued so far took along: the programs' own arithmetic.
    [[nodiscard]] std::uint64_t arithmetic_cycles() const { return arithmetic_cycles_; }

    /// One pointer of the kernel framework's own per core: its current TPipe.
    void* framework = nullptr;

protected:
    /// Consumes [begin, cursor) and rewinds the cursor; called when the buffer is full and at the program's
    /// end.
    virtual void drain() = 0;

    [[nodiscard]] std::span<const TimedOp> pending() const { return {buffer_.list.data(), cursor_}; }

    void rewind() { cursor_ = buffer_.list.data(); }

    void allocate_locals(CoreKind kind);

    static CorePort* current_;  // NOLINT: the core that runs, see runtime/README.md

    /// Takes the description of a pushed copy out of the pool.
    Transfer take_transfer(std::uint32_t id) {
        free_transfers_.push_back(id);
        return transfers_[id];
    }

    std::vector<Transfer> transfers_;  // a pool: TimedOp::id is a place in it
    std::vector<std::uint32_t> free_transfers_;
    CoreIdentity identity_;
    static constexpr std::uint64_t stack_held = ~std::uint64_t{0};
    std::uint64_t stack_ = 0;  // in global memory, until its lines are in the data cache
    bool functional_ = true;
    AccessObserver* observer_ = nullptr;
    EffectKeeper* keeper_ = nullptr;

private:
    [[nodiscard]] bool within(const Access& access) const {
        if (access.memory == Memory::gm) {
            return global_.contains(access);
        }
        return access.offset + access.extent() <= locals_[index(access.memory)].size();
    }

    friend class CallScope;

    /// A line of the data cache, which is direct mapped.
    struct CacheLine {
        std::uint64_t number = 0;  // of the line in global memory
        std::uint32_t load = 0;    // the preload that brings it, if nobody has touched it since; 0: none
    };

    [[nodiscard]] CacheLine& cache_place(std::uint64_t line) {
        return data_cache_[line % data_cache_.size()];
    }

    void push_global_access(std::uint64_t offset, TimedOp op, Route route);
    [[nodiscard]] Transfer line_transfer(std::uint64_t line, Route route) const;
    /// Lets the next operation carry the scalar work that the kernel has counted.
    void take_steps();
    /// What that comes to.
    [[nodiscard]] std::uint64_t counted_cycles() const;
    void fail_endless();
    void leave(const Access& access, const OpInfo& info, Site site, Pipe pipe);
    [[nodiscard]] std::string range_message(const Access& access) const;

    static constexpr std::size_t buffer_size = 1024;
    const ChipSpec& chip_;
    GlobalMemory& global_;
    Registers registers_;
    std::array<std::span<std::byte>, memory_count> locals_{};
    std::optional<LazyArray<std::byte>> storage_;  // timing alone never touches it

    union Operations {
        // NOLINTNEXTLINE(modernize-use-equals-default): a defaulted one would set them all
        Operations() {}

        std::array<TimedOp, buffer_size> list;  // set from the front as the program issues
    };

    Operations buffer_;
    TimedOp* cursor_ = buffer_.list.data();
    TimedOp* end_ = buffer_.list.data() + buffer_size;
    std::vector<CacheLine> data_cache_;
    Site call_;  // of the CallScope that is open
    std::string framework_folder_;
    std::uint64_t arithmetic_cycles_ = 0;
    bool strict_ = false;
    const OpInfo* too_much_ =
        nullptr;  // the first call that asked for more memory than there is, and its line
    Site too_much_at_;
    std::uint32_t arithmetic_limit_ = 2'000'000'000;  // about a second; leaves room in 32 bits
    std::uint32_t preloads_ = 0;                      // so many were started
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
    std::uint64_t referenced_ = nowhere;  // in global memory: the last reference given, until it is used
};

/// While it lives, what the running core issues belongs to the kernel's call at `site`: faults and findings
/// name that line, not those of the framework's own sources. The outermost one counts.
class CallScope {
public:
    explicit CallScope(Site site) : core_{CorePort::current()}, outer_{core_.call_} {
        if (outer_.line == 0) {
            core_.call_ = site;
        }
    }

    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

    ~CallScope() { core_.call_ = outer_; }

private:
    CorePort& core_;
    Site outer_;
};

}  // namespace ascendsim::isa
