// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "models/memory/memory_system.hpp"
#include "models/spec/chip_spec.hpp"
#include "models/timeline/buffer_lives.hpp"
#include "models/timeline/called_places.hpp"
#include "models/timeline/conflict_places.hpp"
#include "models/timeline/event_flags.hpp"
#include "models/timeline/inserted_costs.hpp"
#include "models/timeline/instruction_cache.hpp"
#include "models/timeline/op_times.hpp"
#include "models/timeline/pipe_queue.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim {

/// What a timeline needs of the machine around it.
class TimelineHost {
public:
    virtual ~TimelineHost() = default;
    /// A copy starts on `pipe` at `begin`; Timeline::finish_transfer answers.
    virtual void submit(Pipe pipe, const isa::TimedOp& op, std::uint64_t begin) = 0;
    /// The scalar unit needs a unit of code that its cache lacks, from `begin`; finish_transfer(Pipe::scalar)
    /// answers.
    virtual void fetch_code(std::uint32_t unit, std::uint64_t begin) = 0;
    /// This core arrives at a cross-core flag; others may be released by it.
    virtual void cross_arrive(std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) = 0;
    /// Takes a raise of this core's cross-core flag, if known, for a wait that begins at `now`.
    virtual std::optional<Raise> cross_take(std::uint32_t mode, std::uint32_t id, std::uint64_t now) = 0;
};

/// The clocks of one core. Operations arrive in program order; the scalar unit hands each to its pipe's
/// bounded queue, pipes run in order and in parallel, flags and barriers order them. All of it is arithmetic
/// on completion times: an operation is timed as soon as what it depends on is, and only copies and
/// cross-core flags have to be waited for.
class Timeline {
public:
    Timeline(const ChipSpec& chip, record::Recorder& recorder, TimelineHost& host);

    /// Names the lanes; must be called once before use. Lanes of pipes the core lacks are SpanId::no_lane.
    /// `core_index` is the core's number in the recording.
    void attach(const std::array<std::uint32_t, pipe_count>& lanes, std::uint32_t core_index) {
        lanes_ = lanes;
        lives_.emplace(recorder_, core_index);
    }

    /// Makes the scalar unit wait for code it meets for the first time; without, instructions are always
    /// there.
    void cache_code(CodeLayout& layout) { code_.emplace(chip_.icache, layout); }

    /// Writes down in `times` when each operation runs; null, the default: nothing is.
    void keep_times(OpTimes* times) { times_ = times; }

    /// A program starts at `cycle` on an idle core.
    void begin(std::uint64_t cycle);
    /// Times as many operations as can be; returns how many were taken, in order.
    std::size_t consume(std::span<const isa::TimedOp> ops);
    /// The copy at the front of `pipe` is done.
    void finish_transfer(Pipe pipe, const TransferResult& result);
    /// The scalar unit, which has done all that was issued, waits for something outside the device until
    /// `cycle`.
    void hold(const isa::TimedOp& op, std::uint64_t cycle);
    /// A cross-core flag of this core may have gone up: pipes that wait look again.
    void wake();

    /// Nothing issued is left untimed.
    [[nodiscard]] bool settled() const;

    [[nodiscard]] std::uint64_t scalar_time() const { return scalar_; }

    /// When everything timed so far is complete.
    [[nodiscard]] std::uint64_t complete() const;
    /// Ends a program that has settled: checks flags left over, writes what is pending. Returns its end.
    std::uint64_t finish();
    /// The run has failed: writes what is pending, for complete() to be its end.
    void stop();
    /// Behind stop(): records the waits that never ended as spans to `end` of the run at least, and returns
    /// where the last of them ends.
    std::uint64_t end_waits(std::uint64_t end);

    /// Appends a wait to every lane from where it ended to `to`.
    void idle_until(std::uint64_t to, record::Reason reason);

    /// For messages: what every pipe that cannot go on is waiting for, a line each.
    [[nodiscard]] std::string stuck() const;

    [[nodiscard]] std::uint64_t issued() const { return issued_; }

    [[nodiscard]] std::uint64_t cube_work() const { return cube_work_; }

    [[nodiscard]] std::uint64_t vector_work() const { return vector_work_; }

    [[nodiscard]] std::uint64_t conflict_cycles() const { return conflicts_; }

    [[nodiscard]] const EventFlags& flags() const { return flags_; }

    /// Where the cycles lost to bank conflicts went.
    [[nodiscard]] const ConflictPlaces& conflict_places() const { return conflict_places_; }

    /// What the synchronisation that the compiler inserts (AutoSync) came to.
    [[nodiscard]] const InsertedCosts& inserted() const { return inserted_; }

    void forget_inserted() { inserted_.forget(); }

private:
    using Op = isa::TimedOp;

    /// The numbers of an instruction and of the place it was issued from.
    struct Named {
        const isa::OpInfo* info = nullptr;
        const char* file = nullptr;
        std::uint32_t line = 0;
        std::uint32_t op = 0;
        std::uint32_t site = 0;
        std::uint32_t code = 0;  // unit of code it ends in, if code_
    };

    bool take(const Op& op);
    bool take_placed(const Op& op);
    void call_mark(const Op& op);
    [[nodiscard]] Op placed(const Op& op);
    bool dispatch(const Op& op);
    bool scalar_op(const Op& op);
    bool scalar_wait(const Op& op);
    bool scalar_barrier_all(const Op& op);
    bool scalar_sync_all(const Op& op);
    bool scalar_cross_wait(const Op& op);
    bool scalar_load(const Op& op);
    bool scalar_arrival(const Op& op);
    void await_line(const Op& op);
    void preload_started(const Op& op, const TransferResult& result);
    bool code_here(const Op& op);
    void scalar_news(const Op& op);
    void news(const Op& op, std::uint64_t cycle);
    void scalar_busy(const Op& op, std::uint64_t cycles);
    void scalar_pause(const Op& op, std::uint64_t until, record::Reason reason, record::SpanId culprit);
    void flush_scalar();
    /// The span of the scalar unit's latest work, recorded or still to be.
    record::SpanId scalar_span();

    void run();
    void run(Pipe pipe);
    bool start(Pipe pipe, const Op& op, std::uint64_t issue);
    void compute(Pipe pipe, const Op& op, std::uint64_t issue);
    bool transfer(Pipe pipe);
    void set_flag(Pipe pipe, const Op& op, std::uint64_t issue);
    bool wait_flag(Pipe pipe, const Op& op, std::uint64_t issue);
    void barrier(Pipe pipe, const Op& op, std::uint64_t issue);
    void cross_set(Pipe pipe, const Op& op, std::uint64_t issue);
    bool cross_wait(Pipe pipe, const Op& op, std::uint64_t issue);
    void raise(const Op& op, std::uint64_t time, record::SpanId by);
    std::uint64_t never_ends(Pipe pipe, const Op& op, std::uint64_t issue, std::uint64_t end);
    static record::Reason waits_for(const Op& op, Pipe pipe);

    record::Span base_span(const Op& op, std::uint64_t issue);
    record::Span transfer_span(Pipe pipe, const Op& op, const TransferResult& result);
    /// Of a flag, which names a buffer only for its `step`.
    record::Span flag_span(const Op& op, std::uint64_t issue);
    record::SpanId append(Pipe pipe, const record::Span& span);
    static void completes(PipeQueue& queue, std::uint64_t complete, record::SpanId span);
    const Named& named(const Op& op);
    void name_anew(Named& seen, const Op& op);
    [[noreturn]] static void lacks(Pipe pipe);
    std::uint32_t op_number(const isa::OpInfo* info);
    /// The recording's number of a place, with the kernel's line that called where it is the framework's.
    std::uint32_t site_number(Site site, bool inserted = false);
    /// Where the flag that `wait` waits for would be set.
    [[nodiscard]] std::string setter_of(const Op& wait) const;
    [[nodiscard]] std::string describe(const Op& op) const;

    [[nodiscard]] PipeQueue& queue(Pipe pipe) { return queues_[index(pipe)]; }

    [[nodiscard]] const PipeQueue& queue(Pipe pipe) const { return queues_[index(pipe)]; }

    [[nodiscard]] static EventFlags::Flag flag_of(const Op& op) {
        return {static_cast<Pipe>(op.a), static_cast<Pipe>(op.b), op.id};
    }

    void mark_runnable(Pipe pipe) { runnable_ |= 1U << index(pipe); }

    const ChipSpec& chip_;
    record::Recorder& recorder_;
    TimelineHost& host_;
    std::array<std::uint32_t, pipe_count> lanes_{};
    std::array<std::uint64_t, pipe_count> lane_end_{};
    std::array<PipeQueue, pipe_count> queues_;
    EventFlags flags_;
    std::optional<BufferLives> lives_;
    OpTimes* times_ = nullptr;
    std::unordered_map<const isa::OpInfo*, std::uint32_t> op_numbers_;
    static constexpr unsigned named_bits = 8;
    std::array<Named, 1U << named_bits> named_{};  // by instruction and line, which spares most searches
    std::uint32_t calls_ = 0;                      // that are open, of the framework's
    Site caller_;                                  // of the outermost
    CalledPlaces called_places_;
    std::map<std::pair<const char*, std::uint32_t>, std::uint32_t> called_numbers_;  // by name and line
    std::uint32_t runnable_ = 0;
    std::uint32_t scalar_op_number_ = 0;

    std::uint64_t scalar_ = 0;     // the scalar unit's clock
    std::uint64_t busy_from_ = 0;  // scalar work not yet recorded starts here
    Site busy_site_;
    record::SpanId last_scalar_;
    bool scalar_arrived_ = false;  // at the sync_all the scalar unit stands at
    bool scalar_loading_ = false;  // a scalar load is with the memory system
    bool scalar_loaded_ = false;   // and has come back

    /// A line that comes into the data cache while the scalar unit goes on.
    struct Preload {
        std::uint32_t number = 0;
        std::uint64_t arrives = 0;
    };

    std::array<Preload, 64> preloads_{};  // the latest, by number
    std::uint64_t line_arrives_ = 0;      // the one that the scalar unit has read and not waited for
    std::optional<InstructionCache> code_;
    bool fetching_ = false;        // a unit of code is with the memory system
    const Op* blocked_ = nullptr;  // the operation the scalar unit cannot get past
    std::uint64_t issued_ = 0;
    std::uint64_t cube_work_ = 0;
    std::uint64_t vector_work_ = 0;
    std::uint64_t conflicts_ = 0;
    ConflictPlaces conflict_places_;
    InsertedCosts inserted_;
};

}  // namespace ascendsim
