// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/core/machine.hpp"
#include "models/sanitize/launch_checkers.hpp"
#include "runtime/crashes/crash_guard.hpp"
#include "runtime/session/failure.hpp"
#include "runtime/session/run_request.hpp"
#include "sim/record/lane_sums.hpp"
#include "sim/record/recorder.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::runtime {

/// How far a session has come; another thread may look at it.
struct SessionProgress {
    std::atomic<const char*> stage{"preparing"};
    std::atomic<std::uint64_t> blocks_done{0};
    std::atomic<std::uint64_t> blocks_total{0};
};

/// What a run leaves behind besides its recording.
struct SessionOutcome {
    std::filesystem::path recording;
    bool passed = true;          // numbers within tolerance; of a program: it ended with 0
    std::string hazards;         // what would go wrong on the chip, for people; empty if nothing was found
    std::exception_ptr failure;  // what stopped the run; the recording holds what was before
    std::optional<int> program_exit;  // of a host program
    std::uint64_t instructions = 0;
    double wall_s = 0;  // of the simulation alone
    /// The recording's totals, known even if the recording is kept nowhere, and `lanes`: for each pipe of
    /// each kind of core that ran ("aic_mte2") {cores, busy_cycles, active_cycles, span_cycles,
    /// conflict_cycles, moved_bytes, l2_hit_bytes, hbm_read_bytes, hbm_write_bytes}, summed over the cores.
    nlohmann::json totals;
    std::vector<record::LaneSums> sums;  // by lane of the recording, of the executions reported
};

class Session;

/// What a session runs: the launches of a plan, or a host program.
class Work {
public:
    virtual ~Work() = default;

    /// Machine code of the kernels, for the crash guard.
    [[nodiscard]] virtual std::vector<CodeRange> kernel_code() const = 0;

    /// Machine code of the host program, if there is one.
    [[nodiscard]] virtual std::vector<CodeRange> host_code() const { return {}; }

    /// What computes while no kernel does, for messages about crashes; empty if nothing of the user's.
    [[nodiscard]] virtual std::string host_place() const { return {}; }

    /// More to say about an address that native code must not touch, or nothing.
    [[nodiscard]] virtual std::string about_address(Session& /*session*/, std::uintptr_t /*address*/) const {
        return {};
    }

    /// Allocates and fills what is needed, and returns what it adds to the recording's metadata.
    virtual nlohmann::json begin(Session& session) = 0;

    /// Loads what is native code of the user's; what it throws ends the run as a failure.
    virtual void load() {}

    /// Does what is no simulation, before it starts.
    virtual void prepare() {}

    /// The host's part of the run, within the simulation: submits launches and waits for them.
    virtual void run(Session& session) = 0;

    /// After the simulation has stopped: throws what stopped the host where it stood, if that was an error.
    virtual void stopped() const {}

    /// After the simulation, even a failed one.
    virtual void ended() {}

    /// Executions as the recording's totals list them: {start, end, warm_up}, in cycles.
    [[nodiscard]] virtual nlohmann::json executions(const MachineTotals& machine) const = 0;
    /// Floating-point operations of one execution.
    [[nodiscard]] virtual double flops(const MachineTotals& machine) const = 0;
    /// Judges what came out; `outcome.failure` tells whether the run reached its end.
    virtual void judge(Session& session, SessionOutcome& outcome, nlohmann::json& totals) = 0;

    /// After the recording is finished; throws UserError for a run that did nothing.
    virtual void conclude(const SessionOutcome& /*outcome*/) const {}

    /// False where the host's stack must be left as it stands, as after a program's exit().
    [[nodiscard]] virtual bool unwinds() const { return true; }
};

/// One simulated machine with its recording, its hazard checker and the guard around native code. A process
/// has one session, since SystemC elaborates once per process.
class Session {
public:
    /// An empty `recording` keeps no spans: for runs of which the totals are enough. `request` and `progress`
    /// must outlive the session.
    Session(const RunRequest& request, const std::filesystem::path& recording, SessionProgress& progress);

    /// Runs `work` to its end or its failure, and finishes the recording.
    SessionOutcome run(Work& work);

    /// Within Work::run(): puts a launch behind those submitted before. See Machine::submit.
    [[nodiscard]] Machine::Ticket submit(Launch launch) { return machine_->submit(std::move(launch)); }

    /// Within Work::run(): waits for the launch's end.
    LaunchOutcome wait(Machine::Ticket ticket) { return machine_->wait(ticket); }

    /// Within a program of a launch: calls native code of the kernel's, and counts its block as done.
    void run_block(const std::function<void()>& block);

    /// Within Work::run(): a library with kernels that was loaded meanwhile.
    void add_kernel_code(const std::string& file);

    [[nodiscard]] const RunRequest& request() const { return request_; }

    [[nodiscard]] const ChipSpec& chip() const { return request_.chip; }

    [[nodiscard]] Machine& machine() { return *machine_; }

    /// All chips, machine() first: by device.
    [[nodiscard]] std::vector<Machine*> machines();

    /// Null if nobody watches.
    [[nodiscard]] sanitize::LaunchCheckers* checker() { return checker_.get(); }

    [[nodiscard]] record::Recorder& recorder() { return recorder_; }

    /// Adds to the recording's metadata what is known after the run alone.
    void add_metadata(const nlohmann::json& values);

    [[nodiscard]] SessionProgress& progress() { return progress_; }

private:
    void simulate(Work& work);
    void note_failure(const SessionOutcome& outcome, nlohmann::json& totals);

    const RunRequest& request_;
    SessionProgress& progress_;
    record::Recorder recorder_;
    nlohmann::json metadata_;
    std::unique_ptr<sanitize::LaunchCheckers> checker_;
    std::unique_ptr<Machine> machine_;
    std::vector<std::unique_ptr<Machine>> others_;  // that follow it
    CrashGuard* guard_ = nullptr;                   // while programs run
};

/// Compiles, plans nothing, runs and records one request. A process runs one.
///
/// The recording's metadata holds what the request says, and: `chip` (resolved parameters), `clock_ghz`,
/// `mode`, `seed`, `l2`, of a plan `work` {cube_flops, cube_type, vector_flops, vector_type, gm_bytes},
/// `buffers`
/// [{name, role, type, shape, offset, bytes}] and `launches` [{entry, label, blocks, cores}]. Its totals:
/// `cycles`, `time_us`, `outcome` ("complete" or "failed"), `error`, `instructions`, `cores_used`, `flops`,
/// `numerics` {checked, passed, max_abs_error, max_rel_error, outputs: [...]}, `launches` [{name, start,
/// first_core, cores_end, end, cores}] in cycles, `executions` [{start, end, warm_up}], and of a program
/// `program` {exit_code, timeline}.
[[nodiscard]] SessionOutcome run_session(const RunRequest& request,
                                         const toolchain::Installation& installation,
                                         const std::filesystem::path& recording,
                                         SessionProgress& progress);

}  // namespace ascendsim::runtime
