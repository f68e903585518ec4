// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "models/core/auto_sync.hpp"
#include "models/core/backlog.hpp"
#include "models/core/effect_order.hpp"
#include "models/core/late_effects.hpp"
#include "models/core/look_ahead.hpp"
#include "models/core/program_limits.hpp"
#include "models/core/reserved_memory.hpp"
#include "models/port/core_port.hpp"
#include "models/port/exchange_port.hpp"
#include "models/timeline/timeline.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {

/// A kernel program as a core runs it: called once a block.
using Program = std::function<void()>;

/// What the machine does for its cores.
class CoreHost {
public:
    virtual ~CoreHost() = default;
    virtual void cross_arrive(
        std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) = 0;
    virtual std::optional<Raise> cross_take(std::uint32_t core,
                                            std::uint32_t mode,
                                            std::uint32_t id,
                                            std::uint64_t now) = 0;
    /// When the oldest raise of this core's flag that is known and not taken comes.
    [[nodiscard]] virtual std::optional<std::uint64_t> cross_earliest(std::uint32_t core,
                                                                      std::uint32_t mode,
                                                                      std::uint32_t id) const = 0;
    /// The program side of the same flags: raises become visible when the other program has executed its set.
    virtual void program_arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id) = 0;
    virtual bool program_take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) = 0;
    /// Some program waits for another, and nothing it issued is left to time: nobody may be held back by its
    /// backlog.
    [[nodiscard]] virtual bool programs_starve() const = 0;
    /// A program begins to starve: programs that are held back go on.
    virtual void resume_held_programs() = 0;
    /// A program looks again and again at what others are to write: all they have issued happens.
    virtual void land_effects() = 0;
    /// A program is held back by its backlog, or no longer.
    virtual void program_held(bool begins) = 0;
    virtual void block_done(std::uint32_t core) = 0;
    /// Ends the run with an error of the kernel, the user or ours. After a kernel's, what was issued is timed
    /// first.
    virtual void fail(std::exception_ptr error) = 0;
    /// The run has failed and has been timed up to there: programs issue nothing more.
    [[nodiscard]] virtual bool stopped() const = 0;
    virtual void count_instructions(std::uint64_t n) = 0;
    /// True if a program that has issued so many operations is to be looked at ahead, for its loop may be
    /// endless; the next look at any program is at twice as many.
    virtual bool claim_look_ahead(std::uint64_t operations) = 0;
    /// Brings kernels together with those of other devices; null where there are none.
    [[nodiscard]] virtual isa::ExchangeServer* exchange_server() const = 0;
};

/// What a kernel did wrong. Its cycle is known once what the core had issued before has been timed.
class KernelFault : public ProgramError {
public:
    /// `place`: core, block, instruction and source line.
    KernelFault(std::uint32_t core, const std::string& place, std::string_view message)
        : ProgramError{"{}: {}", place, message}, core_{core}, place_{place}, message_{message} {}

    [[nodiscard]] std::uint32_t core() const { return core_; }

    /// The same error, at the cycle in which the scalar unit came to it.
    [[nodiscard]] ProgramError at(std::uint64_t cycle) const {
        return ProgramError{"{}, cycle {}: {}", place_, cycle, message_};
    }

private:
    std::uint32_t core_;
    std::string place_;
    std::string message_;
};

/// One core: its scalar unit is the kernel itself, running as a SystemC thread; its pipes are a Timeline.
///
///   kernel (SC_THREAD) --TimedOps--> Timeline {scalar, vector | cube, mte1, mte2, mte3, fixpipe} --TLM-->
///   memory
class AiCore : public sc_core::sc_module,
               public isa::CorePort,
               public isa::ExchangePort,
               public ProgramClock,
               private TimelineHost {
public:
    struct Place {
        std::uint32_t number = 0;  // among all cores
        std::uint32_t index = 0;   // among cores of its kind
        std::uint32_t group = 0;
        CoreKind kind = CoreKind::aiv;
    };

    AiCore(const sc_core::sc_module_name& name,
           const ChipSpec& chip,
           isa::GlobalMemory& memory,
           record::Recorder& recorder,
           CoreHost& host,
           const Place& place);

    tlm_utils::simple_initiator_socket<AiCore> port;

    /// An earlier kernel has left the stack's lines in the data cache.
    void hold_stack() { stack_ = stack_held; }

    /// Runs `program` as `identity` from `cycle` on; CoreHost::block_done tells when it has been timed to its
    /// end.
    /// Before it the scalar unit reads `argument_bytes` of arguments.
    void start(const isa::CoreIdentity& identity,
               std::uint64_t cycle,
               Program program,
               std::uint32_t argument_bytes = 0);
    /// Times what can be timed now.
    void advance();

    /// A program-side flag of this core went up.
    void program_wake() {
        if (program_state_ == ProgramState::at_flag) {
            program_state_ = ProgramState::woken;
        }
        program_event_.notify();
    }

    /// A program held back may look again whether it may go on.
    void lift() { room_event_.notify(); }

    /// The program waits for others and everything it issued has been handed out; or it waits for time to
    /// pass.
    [[nodiscard]] bool starves() const {
        return program_state_ == ProgramState::polling || program_state_ == ProgramState::at_message ||
               program_state_ == ProgramState::at_exchange ||
               (program_state_ == ProgramState::at_flag && backlog_.empty());
    }

    [[nodiscard]] Timeline& timeline() { return timeline_; }

    [[nodiscard]] const Place& place() const { return place_; }

    [[nodiscard]] const std::string& title() const { return title_; }

    /// Everything this core issued has been timed, or an error keeps the rest from it.
    [[nodiscard]] bool settled() const { return advancing_ || (backlog_.empty() && timeline_.settled()); }

    /// Its program has ended by an error.
    [[nodiscard]] bool failed() const { return program_state_ == ProgramState::failed; }

    [[nodiscard]] bool busy() const { return program_state_ != ProgramState::idle; }

    /// For deadlock messages: what the program itself waits for, or empty.
    [[nodiscard]] std::string program_stuck() const {
        return exchange_stuck_ ? exchange_stuck_() : program_stuck_;
    }

    void set_functional(bool on) { functional_ = on; }

    /// With an observer the times of operations are kept, for what it finds.
    void set_observer(isa::AccessObserver* observer) {
        observer_ = observer;
        timeline_.keep_times(observer == nullptr ? nullptr : &times_);
    }

    /// Effects on global memory come in the order of the cores' times, not of what their programs issued. To
    /// be called behind set_observer().
    void order_effects() {
        observer_ = &effect_order_.emplace(observer_, [this] { await_its_time(); });
    }

    /// Effects happen at other times than the program issues them. To be called behind order_effects().
    void delay_effects(const EffectTiming& timing) {
        keeper_ = &late_effects_.emplace(observer_, *this, timing, place_.number);
        observer_ = &*late_effects_;
    }

    /// Everything that the core has issued happens.
    void land_effects();

    /// Synchronisation is inserted as the vendor's compiler does, in front of the observer, which must be set
    /// before. Cube cores get none.
    void insert_synchronisation() {
        if (place_.kind != CoreKind::aic) {
            observer_ = &auto_sync_.emplace(observer_);
        }
    }

    /// Null where none is inserted.
    [[nodiscard]] AutoSync* auto_sync() { return auto_sync_ ? &*auto_sync_ : nullptr; }

    /// A launch begins: times of earlier ones go.
    void forget_times() { times_.forget(); }

    [[nodiscard]] std::uint64_t issued() const override { return program_ops_ + pending().size(); }

    [[nodiscard]] std::optional<OpTime> time_of(std::uint64_t number) const override;

    void set_limits(const ProgramLimits& limits) {
        limits_ = limits;
        set_arithmetic_limit(limits.arithmetic_cycles);
        set_strict(limits.strict);
    }

    /// The place the program last issued from; for crash reports.
    [[nodiscard]] Site last_site() const;

    void await_cross_flag(std::uint32_t id, Site site) override;
    void raise_cross_flag(std::uint32_t mode, std::uint32_t id, Site site) override;
    void await_all(bool both_kinds, Site site) override;
    void raise_answer(std::uint32_t id, Site site) override;
    void await_answer(std::uint32_t id, Site site) override;
    std::uint32_t await_message(std::span<const std::uint32_t> ids, Site site) override;

    void note_message() override {
        land_effects();
        collect();
    }

    void yield() override;
    std::uint64_t system_cycle(Site site) override;
    [[noreturn]] void fail(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override;

    [[nodiscard]] isa::ExchangeServer* exchange_server() const override { return host_.exchange_server(); }

    [[nodiscard]] std::uint64_t settled_cycle() override;
    void await_exchange(const isa::OpInfo& info,
                        Site site,
                        const std::function<std::optional<std::uint64_t>()>& end,
                        const std::function<std::string()>& why) override;

    [[nodiscard]] std::byte*& own_context(std::uint32_t index) override { return contexts_[index]; }

    /// A collective has gone on: a program that waits for it looks again.
    void exchange_moved() {
        if (program_state_ == ProgramState::at_exchange) {
            program_event_.notify();
        }
    }

private:
    /// Where the program itself stands; its pipes go on in any state.
    enum class ProgramState : std::uint8_t {
        idle,         // no block to run
        issuing,      // runs its block, or is held back by its backlog
        at_flag,      // at a flag of another program
        woken,        // which has gone up since
        polling,      // lets time pass between two looks at global memory
        settling,     // issues nothing until everything it issued has been timed
        at_message,   // settled, until a message comes
        at_exchange,  // settled, until a collective with other devices has gone on
        failed,       // ended by an error
    };

    /// The program may issue more before what it issued has been timed.
    [[nodiscard]] bool issues() const {
        return program_state_ >= ProgramState::issuing && program_state_ <= ProgramState::polling;
    }

    void submit(Pipe pipe, const isa::TimedOp& op, std::uint64_t begin) override;
    void send(Pipe pipe, const isa::Transfer& transfer, std::uint32_t floor, std::uint64_t begin);
    void fetch_code(std::uint32_t unit, std::uint64_t begin) override;
    void cross_arrive(std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) override;
    std::optional<Raise> cross_take(std::uint32_t mode, std::uint32_t id, std::uint64_t now) override;
    void drain() override;

    void run();
    void run_block();
    void read_arguments();
    void collect();
    void hold_back();
    void settle_backlog();
    [[nodiscard]] std::optional<std::uint32_t> arrived(std::span<const std::uint32_t> ids,
                                                       std::uint64_t& cycle) const;

    [[nodiscard]] std::uint64_t block_ops() const { return program_ops_ - ops_before_; }

    std::size_t consume(std::span<const isa::TimedOp> ops);
    void await_program(std::uint32_t mode, std::uint32_t id, const std::string& what);
    void await_time(ProgramState how);
    void await_its_time();
    void suspend(const sc_core::sc_event& event);
    void stay_if_stopped();
    void end_program();
    /// As messages name it: core, block, operation and line.
    [[nodiscard]] std::string place_of(std::string_view operation, Pipe pipe, Site site) const;
    /// `limit` is the scenario's key: "instructions", "cycles".
    [[noreturn]] void fail_at_limit(std::string_view limit, std::uint64_t most) const;

    /// Looks ahead if the program may be endless, and fails if it is. A copy of the process returns from it
    /// as well: drain() only counts there.
    void suspect();
    void go_alone();
    void count_alone();

    tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& payload,
                               tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);

    Place place_;
    std::string title_;
    CoreHost& host_;
    Timeline timeline_;
    OpTimes times_;
    std::optional<EffectOrder> effect_order_;
    std::optional<LateEffects> late_effects_;
    std::optional<AutoSync> auto_sync_;
    Backlog backlog_;
    std::array<MemoryRequest*, pipe_count> requests_{};  // owned by the payloads
    std::array<std::unique_ptr<tlm::tlm_generic_payload>, pipe_count> payloads_;
    sc_core::sc_event start_event_;
    sc_core::sc_event room_event_;
    sc_core::sc_event program_event_;
    sc_core::sc_event poll_event_;
    std::uint32_t polls_ = 0;
    Program program_;
    std::uint64_t begin_cycle_ = 0;
    std::uint32_t argument_bytes_ = 0;
    std::uint64_t program_ops_ = 0;  // of all blocks
    std::uint64_t ops_before_ = 0;   // of these, before the present block
    ProgramLimits limits_;
    std::string program_stuck_;
    std::function<std::string()> exchange_stuck_;  // the same of a collective, which others change
    std::array<std::byte*, isa::ExchangePort::contexts> contexts_{};
    isa::TimedOp last_op_;
    LookAhead look_ahead_;
    ReservedMemory reserved_;
    ProgramState program_state_ = ProgramState::idle;
    bool advancing_ = false;  // operations are being timed
    bool again_ = false;      // and more may be when that is done
};

}  // namespace ascendsim
