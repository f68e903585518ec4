// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "models/port/core_port.hpp"
#include "models/spec/chip_file.hpp"
#include "runtime/acl/device.hpp"
#include "runtime/acl/process/kept_state.hpp"
#include "runtime/ranks/ranked_work.hpp"
#include "runtime/session/lanes.hpp"
#include "runtime/session/planned_work.hpp"
#include "runtime/session/program/program_chips.hpp"
#include "runtime/session/program/program_work.hpp"
#include "runtime/session/session_totals.hpp"
#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::json;

/// The launches of a plan come one after the other, those of a program or of ranks as streams allow.
MachineOptions machine_options(const RunRequest& request, sanitize::LaunchCheckers* checker) {
    const RunOptions& options = request.options;
    const bool program = !std::holds_alternative<PlannedRun>(request.work);
    isa::AccessObserver* observer = checker;
    if (checker != nullptr && !program) {
        observer = &checker->first();
    }
    return {.functional = options.functional,
            .observer = observer,
            .launches = program ? checker : nullptr,
            .framework_folder = toolchain::Installation::framework_folder,
            .limits = options.limits,
            .auto_sync = options.auto_sync,
            .time_order = options.time_order,
            .timing = options.timing,
            .cold_code = options.l2 != L2State::warm,
            .from_idle = options.from_idle,
            .launch_overhead = options.launch_overhead};
}

/// The way from a recording to the project it was made in, where it lies in that; else the project's place.
std::string way_to(const std::filesystem::path& project, const std::filesystem::path& recording) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(fs::absolute(recording).parent_path(), error);
    const fs::path way = fs::weakly_canonical(project, error).lexically_relative(folder);
    const bool up =
        std::ranges::all_of(way, [](const fs::path& step) { return step == ".." || step == "."; });
    return error || way.empty() || !up ? project.string() : way.string();
}

json metadata_of(const RunRequest& request, const std::filesystem::path& recording) {
    json data = request.metadata;
    if (!request.project.empty() && !recording.empty()) {
        data["project"] = way_to(request.project, recording);
    }
    data["chip"] = to_json(request.chip);
    data["clock_ghz"] = request.chip.cores.clock_ghz;
    data["mode"] = request.options.functional ? "functional" : "timing";
    data["seed"] = request.options.seed;
    data["l2"] = name(request.options.l2);
    return data;
}

std::uint32_t chips_of(const RunRequest& request) {
    if (const auto* program = std::get_if<HostProgram>(&request.work)) {
        return chips_of(*program);
    }
    std::uint32_t chips = 1;
    if (const auto* ranked = std::get_if<RankedRun>(&request.work)) {
        for (const RankedRun::Rank& rank : ranked->ranks) {
            chips = std::max(chips, rank.device + 1);
        }
    }
    return chips;
}

std::unique_ptr<Work> make_work(const RunRequest& request,
                                const toolchain::Installation& installation,
                                SessionProgress& progress) {
    if (const auto* program = std::get_if<HostProgram>(&request.work)) {
        return make_program_work(request, *program, installation, progress);
    }
    if (const auto* ranked = std::get_if<RankedRun>(&request.work)) {
        return make_ranked_work(request, *ranked, installation);
    }
    return make_planned_work(request, std::get<PlannedRun>(request.work), installation);
}

}  // namespace

Session::Session(const RunRequest& request, const std::filesystem::path& recording, SessionProgress& progress)
    : request_{request},
      progress_{progress},
      recorder_{recording},
      checker_{request.options.sanitize ? std::make_unique<sanitize::LaunchCheckers>(request.chip) : nullptr},
      machine_{std::make_unique<Machine>(request.chip, recorder_, machine_options(request, checker_.get()))} {
    const std::uint32_t chips = chips_of(request);
    for (std::uint32_t chip = 1; chip < chips; ++chip) {
        MachineOptions options = machine_options(request, checker_.get());
        options.track = {{record::TrackKind::device, chip}};
        others_.push_back(std::make_unique<Machine>(*machine_, options));
    }
    recorder_.relative_to(request.project);
    if (checker_ && request.options.functional && request.options.poison) {
        checker_->poison_cores(*request.options.poison);
    }
    metadata_ = metadata_of(request, recording);
}

std::vector<Machine*> Session::machines() {
    std::vector<Machine*> machines{machine_.get()};
    for (const auto& other : others_) {
        machines.push_back(other.get());
    }
    return machines;
}

void Session::add_metadata(const json& values) {
    metadata_.update(values);
    recorder_.metadata(metadata_);
}

namespace {

/// Ends a process that simulated code has made of the one of `own`, which goes on alone: both would judge the
/// run and write its files.
void end_copy(pid_t own, const std::exception_ptr& failure) {
    if (getpid() != own) {
        std::fflush(nullptr);
        _exit(failure ? exit_code(failure) : 0);
    }
}

}  // namespace

SessionOutcome Session::run(Work& work) {
    metadata_.update(work.begin(*this));
    recorder_.metadata(metadata_);
    recorder_.flush();
    work.prepare();
    SessionOutcome outcome;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t own = getpid();
    try {
        simulate(work);
    } catch (...) {
        outcome.failure = std::current_exception();
    }
    end_copy(own, outcome.failure);
    work.ended();
    outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const MachineTotals machine = machine_->totals();
    json totals = totals_json(machine, chip(), work.executions(machine), work.flops(machine));
    outcome.instructions = machine.instructions;
    work.judge(*this, outcome, totals);
    if (request_.options.auto_sync) {
        totals["auto_sync"] = inserted_json(machine);
    }
    report_hazards(checker_.get(), request_.options.allowed, outcome, totals);
    if (outcome.failure) {
        note_failure(outcome, totals);
    }
    if (outcome.failure || !work.unwinds()) {
        // What ran is not unwound: the machine stays as it is until the process ends.
        for (auto& other : others_) {
            static_cast<void>(other.release());
        }
        static_cast<void>(machine_.release());
    }
    recorder_.finish(totals);
    outcome.totals = std::move(totals);
    outcome.totals["lanes"] = lanes_json(recorder_);
    outcome.sums = recorder_.take_sums();
    return outcome;
}

void Session::note_failure(const SessionOutcome& outcome, json& totals) {
    totals["outcome"] = "failed";
    totals["error"] = message(outcome.failure);
    recorder_.event({{"kind", "failure"}, {"message", message(outcome.failure)}});
}

namespace {

// A C function has no other way to it: the process that simulates.
pid_t simulating = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// A kernel that ends the process stops the run as one that crashes does; a host program ends with its code.
void end_of_simulated_process(int code) {
    if (getpid() != simulating) {
        return;  // the end of a copy, which a host program has made
    }
    if (isa::CorePort::running()) {
        static_cast<void>(std::raise(SIGABRT));
    }
    program::Device* device = program::current_device();
    if (device != nullptr && device->on_host_thread()) {
        device->end_program(code);
    }
}

/// Sends exit and the like there while it lives, and keeps kernels from what the process needs.
class ExitGuard {
public:
    ExitGuard() {
        simulating = getpid();
        program::set_end_of_process(&end_of_simulated_process);
        program::set_state_keeper(&CrashGuard::keep_state);
    }

    ExitGuard(const ExitGuard&) = delete;
    ExitGuard& operator=(const ExitGuard&) = delete;

    ~ExitGuard() {
        program::set_state_keeper(nullptr);
        program::set_end_of_process(nullptr);
    }
};

}  // namespace

void Session::simulate(Work& work) {
    const ExitGuard exits;
    work.load();
    CrashGuard guard{
        {.kernel_code = work.kernel_code(),
         .host_code = work.host_code(),
         .idle_limit_s = request_.options.idle_limit_s,
         .place = [&] { return isa::CorePort::running() ? machine_->running_place() : work.host_place(); },
         .fault = [this](const std::string& place,
                         const std::string& words) { throw machine_->running_fault(place, words); },
         .flush = [this] { recorder_.flush(); },
         .about_address = [&](std::uintptr_t address) { return work.about_address(*this, address); }}};
    guard_ = &guard;
    guard.run([&] {
        machine_->run([&](Machine&) { work.run(*this); });
        work.stopped();
    });
}

void Session::add_kernel_code(const std::string& file) {
    guard_->add_kernel_code(code_of(file));
}

void Session::run_block(const std::function<void()>& block) {
    guard_->protect(block);
    progress_.blocks_done.fetch_add(1, std::memory_order_relaxed);
}

namespace {

/// Other timings are tried where the work can be done again, and shows in numbers.
void check_timings(const RunRequest& request) {
    const RunOptions& options = request.options;
    if (options.perturb == 0) {
        return;
    }
    if (!std::holds_alternative<PlannedRun>(request.work)) {
        throw UserError{
            "run.perturb: tries other timings of the launches of one scenario; host programs run once, as "
            "what they "
            "print and write cannot be done again, and so do ranks"};
    }
    if (!options.functional || !options.sanitize || !options.poison) {
        throw UserError{
            "run.perturb: other timings show in numbers, so the run must compute and check them: not with "
            "--timing-only, nor with run.sanitize = false"};
    }
}

}  // namespace

SessionOutcome run_session(const RunRequest& request,
                           const toolchain::Installation& installation,
                           const std::filesystem::path& recording,
                           SessionProgress& progress) {
    if (!recording.empty()) {
        process::keep_writable(recording);
    }
    check_timings(request);
    const std::unique_ptr<Work> work = make_work(request, installation, progress);
    Session session{request, recording, progress};
    SessionOutcome outcome = session.run(*work);
    outcome.recording = recording;
    work->conclude(outcome);
    return outcome;
}

}  // namespace ascendsim::runtime
