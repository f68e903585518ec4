// SPDX-License-Identifier: Apache-2.0
#include "models/core/ai_core.hpp"

#include <algorithm>

#include "models/port/mailbox.hpp"
#include "models/port/plain_access.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/clock.hpp"

namespace ascendsim {
namespace {

constexpr std::size_t backlog_limit = 2048;  // operations issued ahead of their timing: fit the host's caches
constexpr std::size_t thread_stack = 1024 * 1024;  // B; kernels keep small tables on their stack

std::string_view prefix(CoreKind kind) {
    return kind == CoreKind::aiv ? "aiv" : kind == CoreKind::aic ? "aic" : "core";
}

}  // namespace

AiCore::AiCore(const sc_core::sc_module_name& name,
               const ChipSpec& chip,
               isa::GlobalMemory& memory,
               record::Recorder& recorder,
               CoreHost& host,
               const Place& place)
    : sc_module{name},
      CorePort{chip, memory},
      port{"port"},
      place_{place},
      title_{fmt::format("{}{}", prefix(place.kind), place.index)},
      host_{host},
      timeline_{chip, recorder, *this},
      reserved_{chip} {
    SC_HAS_PROCESS(AiCore);
    stack_ = reserved_.stack(place.number);
    allocate_locals(place.kind);
    for (std::size_t p = 0; p < pipe_count; ++p) {
        requests_[p] = new MemoryRequest;  // NOLINT(cppcoreguidelines-owning-memory): the payload deletes it
        payloads_[p] = std::make_unique<tlm::tlm_generic_payload>();
        payloads_[p]->set_extension(requests_[p]);
    }
    port.register_nb_transport_bw(this, &AiCore::respond);
    SC_THREAD(run);
    set_stack_size(thread_stack);
}

void AiCore::start(const isa::CoreIdentity& identity,
                   std::uint64_t cycle,
                   Program program,
                   std::uint32_t argument_bytes) {
    argument_bytes_ = argument_bytes;
    identity_ = identity;
    begin_cycle_ = cycle;
    program_ = std::move(program);
    program_state_ = ProgramState::settling;  // until its thread takes it up
    start_event_.notify(sc_core::SC_ZERO_TIME);
}

void AiCore::run() {
    for (;;) {
        wait(start_event_);
        stay_if_stopped();
        try {
            run_block();
        } catch (...) {
            look_ahead_.stay_with_the_others();
            current_ = nullptr;
            host_.fail(std::current_exception());
            end_program();
            return;
        }
    }
}

/// What a failed program had issued is still to be timed, so that the recording reaches to its failure.
void AiCore::end_program() {
    program_state_ = ProgramState::failed;
    try {
        collect();
    } catch (...) {
        host_.fail(std::current_exception());  // comes second and is not told
    }
}

void AiCore::run_block() {
    registers() = {};
    framework = nullptr;
    contexts_ = {};
    clean_data_cache(nullptr, true);
    timeline_.begin(begin_cycle_);
    polls_ = 0;
    current_ = this;
    ascendsim_scalar_steps = 0;
    ascendsim_scalar_divisions = 0;
    ascendsim_scalar_hits = 0;
    ascendsim_stack_marks = 0;
    ops_before_ = program_ops_;
    program_state_ = ProgramState::issuing;
    if (observer_ != nullptr) {
        observer_->on_begin();
    }
    read_arguments();
    program_();
    land_effects();
    if (ascendsim_scalar_steps != 0) {  // what it computed behind its last instruction
        static constexpr isa::OpInfo info{"return", "The kernel comes to its end."};
        push({.info = &info, .site = {"return", 0}, .kind = isa::OpKind::scalar_work, .pipe = Pipe::scalar});
    }
    if (observer_ != nullptr) {
        observer_->on_end();
    }
    program_state_ = ProgramState::settling;
    collect();
    while (!backlog_.empty() || !timeline_.settled()) {
        suspend(room_event_);
    }
    if (identity_.kind == CoreKind::aiv) {
        // A cube core that serves this core's requests learns that there will be no more.
        host_.cross_arrive(place_.number,
                           CrossFlags::mode_message,
                           isa::message_id(identity_, identity_.sub_block, isa::message_goodbye),
                           {.time = timeline_.complete() + chip().sync.cross_flag_latency, .by = {}},
                           {});
    }
    current_ = nullptr;
    program_state_ = ProgramState::idle;
    host_.block_done(place_.number);
}

void AiCore::read_arguments() {
    static constexpr isa::OpInfo info{"load_arguments",
                                      "Reads a line of the kernel's arguments and tiling data."};
    const std::uint32_t line = chip().scalar.dcache_line;
    const std::uint64_t base = reserved_.arguments();
    for (std::uint32_t at = 0; at < argument_bytes_; at += line) {
        push({.info = &info,
              .site = {"arguments", 0},
              .kind = isa::OpKind::scalar_load,
              .pipe = Pipe::scalar,
              .scalar = chip().scalar.dcache_hit_cycles,
              .bytes = line},
             {.offset = base + at, .row_bytes = line, .route = isa::Route::scalar_read});
    }
}

void AiCore::suspend(const sc_core::sc_event& event) {
    isa::close_plain_runs();
    const isa::StepsAside aside;
    current_ = nullptr;
    sc_core::wait(event);
    stay_if_stopped();
    current_ = this;
}

/// In a failed run a program never goes on; its timeline does.
void AiCore::stay_if_stopped() {
    while (host_.stopped()) {
        sc_core::wait(start_event_);
    }
}

std::string AiCore::place_of(std::string_view operation, Pipe pipe, Site site) const {
    return fmt::format("{} (block {}): {}{}{}",
                       title_,
                       identity_.block,
                       operation,
                       pipe == Pipe::scalar ? "" : fmt::format(" on {}", ascendsim::name(pipe)),
                       site.line == 0 ? "" : fmt::format(" at {}:{}", site.file, site.line));
}

void AiCore::fail_at_limit(std::string_view limit, std::uint64_t most) const {
    throw KernelFault{
        place_.number,
        place_of(last_op_.info->name, last_op_.pipe, last_op_.site),
        fmt::format(
            "the kernel has gone on for more than {} {}; is this loop endless? (limits.{} sets the limit)",
            most,
            limit,
            limit)};
}

void AiCore::collect() {
    look_ahead_.stay_with_the_others();
    std::span<const isa::TimedOp> fresh = pending();
    if (!fresh.empty()) {
        last_op_ = fresh.back();
        program_ops_ += fresh.size();
        if (backlog_.empty() && !advancing_) {
            fresh = fresh.subspan(consume(fresh));
        }
        backlog_.append(fresh);
        rewind();
    }
    advance();
    if (block_ops() > limits_.instructions) {
        fail_at_limit("instructions", limits_.instructions);
    }
    if (issues() && timeline_.scalar_time() > begin_cycle_ + limits_.cycles) {
        fail_at_limit("cycles", limits_.cycles);
    }
}

void AiCore::drain() {
    if (look_ahead_.alone()) {
        count_alone();
        return;
    }
    collect();
    suspect();
    if (!look_ahead_.alone()) {
        hold_back();
    }
}

void AiCore::suspect() {
    if (!host_.claim_look_ahead(block_ops())) {
        return;
    }
    if (const std::optional<isa::TimedOp> last = look_ahead_.fork()) {
        last_op_ = *last;
        fail_at_limit("instructions", limits_.instructions);
    }
    if (look_ahead_.alone()) {
        go_alone();
    }
}

void AiCore::go_alone() {
    observer_ = nullptr;
    keeper_ = nullptr;
    functional_ = false;
    LookAhead::lock({global().base(), chip().hbm.bytes});
    for (std::size_t memory = 0; memory < memory_count; ++memory) {
        LookAhead::lock(local(static_cast<Memory>(memory)));
    }
}

void AiCore::count_alone() {
    const std::span<const isa::TimedOp> fresh = pending();
    for (const isa::TimedOp& op : fresh) {
        if (op.kind == isa::OpKind::transfer) {
            static_cast<void>(take_transfer(op.id));
        }
    }
    program_ops_ += fresh.size();
    look_ahead_.count(fresh, block_ops(), limits_.instructions);
    rewind();
}

void AiCore::hold_back() {
    while (backlog_.size() > backlog_limit && !host_.programs_starve()) {
        host_.program_held(true);
        suspend(room_event_);
        host_.program_held(false);
    }
}

std::size_t AiCore::consume(std::span<const isa::TimedOp> ops) {
    advancing_ = true;
    const std::uint64_t before = timeline_.issued();
    const std::size_t taken = timeline_.consume(ops);
    advancing_ = false;
    host_.count_instructions(timeline_.issued() - before);
    return taken;
}

void AiCore::advance() {
    // Timing an operation may release other cores, and they this one: note it and go round again.
    again_ = true;
    if (advancing_) {
        return;
    }
    while (again_) {
        again_ = false;
        bool goes_on = true;
        while (goes_on) {
            const std::span<const isa::TimedOp> ops = backlog_.front();
            const std::size_t taken = consume(ops);
            backlog_.take(taken);
            goes_on = taken == ops.size() && !backlog_.empty();
        }
    }
    if (!issues() || backlog_.size() <= backlog_limit / 2) {
        room_event_.notify();
    }
    if (starves()) {
        host_.resume_held_programs();
    }
}

void AiCore::submit(Pipe pipe, const isa::TimedOp& op, std::uint64_t begin) {
    send(pipe, take_transfer(op.id), std::max(op.occupies, 1U), begin);
}

void AiCore::fetch_code(std::uint32_t unit, std::uint64_t begin) {
    const std::uint32_t bytes = chip().icache.fill_bytes;
    send(Pipe::scalar,
         {.offset = reserved_.code(place_.kind) + std::uint64_t{unit} * bytes % ReservedMemory::most_code,
          .row_bytes = bytes,
          .route = isa::Route::scalar_read},
         1,
         begin);
}

void AiCore::send(Pipe pipe, const isa::Transfer& transfer, std::uint32_t floor, std::uint64_t begin) {
    MemoryRequest& request = *requests_[index(pipe)];
    request.transfer = transfer;
    request.core = place_.number;
    request.begin = begin;
    request.floor = floor;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port->nb_transport_fw(*payloads_[index(pipe)], phase, delay);
}

tlm::tlm_sync_enum AiCore::respond(tlm::tlm_generic_payload& payload,
                                   tlm::tlm_phase& /*phase*/,
                                   sc_core::sc_time& /*delay*/) {
    const auto found =
        std::ranges::find(payloads_, &payload, &std::unique_ptr<tlm::tlm_generic_payload>::get);
    const auto pipe = static_cast<std::size_t>(found - payloads_.begin());
    try {
        timeline_.finish_transfer(static_cast<Pipe>(pipe), requests_[pipe]->result);
        advance();
    } catch (...) {
        host_.fail(std::current_exception());
    }
    return tlm::TLM_COMPLETED;
}

void AiCore::cross_arrive(std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) {
    host_.cross_arrive(place_.number, mode, id, arrival, site);
}

std::optional<Raise> AiCore::cross_take(std::uint32_t mode, std::uint32_t id, std::uint64_t now) {
    return host_.cross_take(place_.number, mode, id, now);
}

void AiCore::fail(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) {
    const Site line = kernel_line(site);
    if (observer_ != nullptr) {
        observer_->on_fault(info, line, message, pipe);
    }
    collect();
    throw KernelFault{place_.number, place_of(info.name, pipe, line), message};
}

std::optional<OpTime> AiCore::time_of(std::uint64_t number) const {
    if (number == times_.next()) {
        return OpTime{.start = timeline_.scalar_time(),
                      .end = {}};  // it was to come next: the run ended at it
    }
    return times_.find(number);
}

Site AiCore::last_site() const {
    const std::span<const isa::TimedOp> fresh = pending();
    return fresh.empty() ? last_op_.site : fresh.back().site;
}

}  // namespace ascendsim
