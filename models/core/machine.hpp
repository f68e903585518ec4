// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/core/ai_core.hpp"
#include "models/memory/memory_system.hpp"
#include "models/port/core_use.hpp"
#include "models/port/launch_observer.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {

/// One kernel launch: `blocks` times the programs of its kind.
struct Launch {
    std::string name;
    CoreUse kind = CoreUse::aiv;
    std::uint32_t blocks = 1;
    Program vector_program{};  // also the program of coupled cores
    Program cube_program{};
    std::uint32_t argument_bytes =
        0;                       // of arguments and tiling data, which each block reads before anything else
    std::uint32_t priority = 0;  // the lowest number gets free cores first
};

/// What a launch came to; one that a failure ended reaches as far as its cores came. Times in cycles of the
/// run's clock.
struct LaunchOutcome {
    std::string name;
    std::uint64_t start = 0;       // the task starts
    std::uint64_t first_core = 0;  // the first core's first instruction
    std::uint64_t cores_end = 0;   // the last core is done
    std::uint64_t end = 0;         // the task ends
    std::uint32_t cores = 0;
    std::uint32_t blocks = 0;
    std::uint64_t arithmetic_cycles =
        0;  // of all cores' scalar units: what the kernel's own code computes between its calls
};

/// No program and no pipe can go on; the message says who waits for what.
class Deadlock : public ProgramError {
public:
    using ProgramError::ProgramError;
};

/// How to run.
struct MachineOptions {
    bool functional = true;
    isa::AccessObserver* observer = nullptr;
    isa::LaunchObserver* launches = nullptr;  // the observer, if it tells launches apart
    std::string_view framework_folder{};  // where the kernel framework's own sources lie: "kernels/ascendc"
    ProgramLimits limits{};
    bool auto_sync = false;   // synchronisation is inserted as by --cce-auto-sync
    bool time_order = false;  // effects on global memory come in the order of the cores' times
    EffectTiming timing{};    // when effects happen; by default as programs issue them
    bool cold_code = true;    // cores fetch the code they meet; false: an earlier run left it in their caches
    bool from_idle = false;   // each launch finds the device idle, as a profiled one does
    bool launch_overhead = true;  // false: cores start at once, for studies of the kernel alone
    record::TrackPath track{{record::TrackKind::device, 0}};  // of the chip in the recording
};

/// Totals over the run.
struct MachineTotals {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t cube_work = 0;    // multiply-accumulates
    std::uint64_t vector_work = 0;  // elements
    std::uint64_t conflict_cycles = 0;
    std::vector<ConflictAt> conflicts;  // where, the most expensive first
    std::uint64_t late_transfers = 0;
    std::uint32_t cores_used = 0;
    std::vector<LaunchOutcome> launches;
    std::vector<InsertedSync>
        inserted;                     // by the compiler's automatic synchronisation, the most expensive first
    std::uint64_t repeated_sync = 0;  // of the kernels' own, what stands where the compiler inserts, too
};

/// A chip: cores, memory system and what starts kernels on them. A process simulates once (SystemC elaborates
/// once): one machine, or several of the same chip that follow the first. They share its global memory, its
/// time and its tickets; cores, L2 and memory traffic are each one's own.
class Machine : private CoreHost {
public:
    /// `chip`, `recorder` and what `options` points to must outlive the machine.
    Machine(const ChipSpec& chip, record::Recorder& recorder, const MachineOptions& options);
    /// Another chip beside `leader`, which must outlive it and not run yet; what `options` say of its track
    /// is its own.
    Machine(Machine& leader, const MachineOptions& options);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine() override;

    [[nodiscard]] isa::GlobalMemory& memory() { return *memory_; }

    [[nodiscard]] L2Cache& l2();

    /// Leaves the cores' stacks in L2, as any kernel before does.
    void warm_stacks();

    /// Runs `host` as the host program, of the first machine: it may call launch() any number of times.
    /// Returns when everything has ended; throws the first error (Deadlock if nobody can go on). After a
    /// kernel's error the others go on until what the failed program issued has been timed, and what they
    /// issued by then is timed too.
    void run(const std::function<void(Machine&)>& host);
    /// Names a launch that was submitted.
    enum class Ticket : std::uint64_t {};

    /// Puts a kernel behind those submitted before and returns at once: it starts when they have ended.
    /// Throws UserError for a launch that no chip of this kind takes. Only from within the host program of
    /// run(), which ends when all that was submitted has ended.
    [[nodiscard]] Ticket submit(Launch launch);
    /// Starts a kernel now, beside those that are under way: it takes cores as they become free, behind what
    /// waits for them already. Else as submit().
    [[nodiscard]] Ticket submit_beside(Launch launch);
    /// Waits for a launch's end; only from within the host program.
    LaunchOutcome wait(Ticket ticket);
    /// What a launch came to, if it has ended.
    [[nodiscard]] const std::optional<LaunchOutcome>& outcome(Ticket ticket) const;

    /// Brings kernels of this device together with those of others; must outlive the run.
    void serve_exchanges(isa::ExchangeServer& server) { exchange_server_ = &server; }

    /// A collective has gone on, or a kernel has asked for one: programs that wait look again, and so does
    /// who lets time pass.
    void exchange_moved();
    /// Lets time pass until a launch ends, exchange_moved() is called, or until `cycle` if it is given and
    /// comes first; only from within the host program.
    void let_pass(std::optional<std::uint64_t> cycle);
    /// The device's time in cycles.
    [[nodiscard]] std::uint64_t now() const;

    LaunchOutcome launch(Launch launch) { return wait(submit(std::move(launch))); }

    /// Ends the host program where it is, as its exit() does: run() returns, the program's stack is left as
    /// it stands. Only from within the host program.
    [[noreturn]] void end_host();
    /// Lets `cycles` pass on the device, as host work between launches does.
    void pause(std::uint64_t cycles);

    [[nodiscard]] MachineTotals totals() const;
    /// Between launches: what was inserted so far is not among the totals.
    void forget_inserted();
    /// For a crash handler: names the running core and the place it last issued from.
    [[nodiscard]] std::string running_place() const;
    /// For a crash handler: the running core's fault at `place`, which gets its cycle when run() throws it.
    [[nodiscard]] KernelFault running_fault(const std::string& place, std::string_view message) const;

    [[nodiscard]] const ChipSpec& chip() const { return chip_; }

private:
    struct Top;
    struct Running;
    struct Binding;

    void cross_arrive(
        std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival, Site site) override;
    std::optional<Raise> cross_take(std::uint32_t core,
                                    std::uint32_t mode,
                                    std::uint32_t id,
                                    std::uint64_t now) override;
    [[nodiscard]] std::optional<std::uint64_t> cross_earliest(std::uint32_t core,
                                                              std::uint32_t mode,
                                                              std::uint32_t id) const override;
    void program_arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id) override;
    bool program_take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) override;

    [[nodiscard]] bool programs_starve() const override;
    void resume_held_programs() override;

    void land_effects() override;

    void program_held(bool begins) override { held_ += begins ? 1 : -1; }

    void block_done(std::uint32_t core) override;
    void fail(std::exception_ptr error) override;

    [[nodiscard]] bool stopped() const override;

    [[nodiscard]] isa::ExchangeServer* exchange_server() const override { return exchange_server_; }

    void count_instructions(std::uint64_t n) override {
        instructions_ += n;
        if (instructions_ >= next_send_) {
            send();
        }
    }

    bool claim_look_ahead(std::uint64_t operations) override {
        if (operations < next_look_) {
            return false;
        }
        next_look_ = 2 * operations;
        return true;
    }

    void build_cores();
    void add_core(CoreKind kind, std::uint32_t index, std::uint32_t group);
    void check_launch(const Launch& launch) const;
    Ticket take(Launch launch, bool beside);
    void dispatch();
    void drain();
    [[nodiscard]] bool go_on();
    [[nodiscard]] bool begin_next();
    [[nodiscard]] bool end_next();
    [[nodiscard]] bool seat_next();
    [[nodiscard]] std::optional<std::uint64_t> next_change() const;
    [[nodiscard]] bool is_free(std::uint32_t core) const;
    [[nodiscard]] std::uint32_t number_of(const AiCore::Place& core) const;
    void begin(Running& launch);
    void seat(Running& launch, const std::vector<AiCore::Place>& cores);
    void start_block(std::uint32_t core, std::uint64_t cycle);
    void end(Running& launch);
    void announce(const Running& launch) const;
    void list_cores();
    void note(Running& launch);
    void note_unfinished();
    void note_unfinished(Running& launch);
    Machine(Machine* leader, const ChipSpec& chip, record::Recorder& recorder, const MachineOptions& options);
    [[nodiscard]] bool settled() const;
    void add_totals(MachineTotals& totals, InsertedCosts& inserted, ConflictPlaces& conflicts) const;
    [[noreturn]] void rethrow() const;
    void send();
    [[nodiscard]] std::uint64_t head_cycles(const Launch& launch, std::uint32_t cores) const;
    [[nodiscard]] std::uint64_t tail_cycles() const;
    [[nodiscard]] std::string deadlock() const;
    void flush_pokes();
    void fail_at_overflow(const Running& launch);

    const ChipSpec& chip_;
    record::Recorder& recorder_;
    MachineOptions options_;
    Machine* leader_;            // this, if it follows none
    std::vector<Machine*> all_;  // of the leader: itself and those that follow
    isa::ExchangeServer* exchange_server_ = nullptr;
    std::shared_ptr<isa::GlobalMemory> memory_;  // of all
    CodeLayout vector_code_;
    CodeLayout cube_code_;
    std::unique_ptr<Top> top_;
    std::vector<Binding> bindings_;         // by core number
    std::vector<std::uint32_t> cube_core_;  // or coupled ones: their numbers among all cores
    std::vector<std::uint32_t> vector_core_;
    std::vector<std::uint32_t> seated_;    // cores of all launches under way
    std::vector<std::uint32_t> pokes_;     // cores
    std::exception_ptr error_;             // of all, as what follows, where the leader has it
    Machine* failed_ = nullptr;            // whose error it is
    std::uint64_t last_instructions_ = 0;  // of the run, counted when it failed
    std::uint64_t instructions_ = 0;
    std::uint64_t next_send_ = 1U << 16U;  // instructions
    std::uint64_t next_look_;  // instructions of one program, at which it may be taken for endless
    std::uint64_t now_ = 0;    // cycle, before which no launch starts behind others
    std::int32_t held_ = 0;    // programs held back by their backlog
    bool unbounded_ = false;   // nobody is held back any more
    std::uint32_t cores_used_ = 0;
    bool poking_ = false;

    struct Submitted {
        Launch launch;
        std::uint64_t number;
        bool beside;
    };

    std::deque<Submitted> submitted_;                     // and not started yet
    std::vector<std::unique_ptr<Running>> running_;       // by priority, then as submitted
    std::vector<std::optional<LaunchOutcome>> outcomes_;  // of all: by ticket
    std::uint64_t ended_ = 0;                             // of these
    std::vector<LaunchOutcome> launches_;                 // of all: as they ended
};

}  // namespace ascendsim
