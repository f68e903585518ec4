// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/program_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <set>
#include <span>
#include <thread>

#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include "app/scenario/crash_guard.hpp"
#include "app/scenario/machine_options.hpp"
#include "app/scenario/program_plugin.hpp"
#include "app/scenario/session_totals.hpp"
#include "app/scenario/source_texts.hpp"
#include "models/core/machine.hpp"
#include "models/isa/sync/synchronise.hpp"
#include "models/sanitize/checker.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim {
namespace {

using nlohmann::json;
using program::KernelCall;
using program::LaunchRequest;

/// A program and the device it runs against.
class ProgramSession final : public program::Device {
public:
    ProgramSession(const Scenario& scenario,
                   const host::Installation& installation,
                   const std::filesystem::path& recording,
                   SessionProgress& progress)
        : scenario_{scenario},
          progress_{progress},
          chip_{scenario.chip.spec},
          built_{build(scenario, installation, progress)},
          vector_{built_.vector},
          cube_{built_.cube.empty() ? nullptr : std::make_unique<ProgramPlugin>(built_.cube)},
          recorder_{recording},
          checker_{scenario.sanitize ? std::make_unique<sanitize::Checker>(chip_) : nullptr},
          machine_{std::make_unique<Machine>(chip_, recorder_, machine_options(scenario, checker_.get()))} {
        recorder_.metadata(metadata());
        recorder_.flush();
    }

    SessionOutcome run() {
        SessionOutcome outcome;
        progress_.stage = "running the program";
        const auto begin = std::chrono::steady_clock::now();
        program::set_current_device(this);
        try {
            guarded();
        } catch (...) {
            outcome.failure = std::current_exception();
        }
        program::set_current_device(nullptr);
        std::cout.flush();
        std::fflush(stdout);
        outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        finish(outcome);
        if (!outcome.failure && exit_code_ == 0 && launched_ == 0) {
            throw UserError{"{}: nothing was simulated: the program ended without launching a kernel{}",
                            scenario_.program->sources.files.front().string(),
                            built_.launches == 0 ? "; it holds no kernel<<<…>>> either" : ""};
        }
        return outcome;
    }

    [[nodiscard]] const ChipSpec& chip() const override { return chip_; }

    [[nodiscard]] isa::GlobalMemory& memory() override { return machine_->memory(); }

    void host_wrote(std::uint64_t offset, std::uint64_t bytes) override {
        if (checker_) {
            checker_->declare_written(offset, bytes);
        }
    }

    void host_forgot(std::uint64_t offset, std::uint64_t bytes) override {
        if (checker_) {
            checker_->declare_unwritten(offset, bytes);
        }
    }

    /// A result that neither an instruction nor a store through a plain pointer, which is not seen, has
    /// touched is noted.
    void host_reads(std::uint64_t offset, std::uint64_t bytes) override {
        const std::span<const std::byte> result{machine_->memory().base() + offset, bytes};
        if (!checker_ || launched_ == 0 || !checker_->unwritten(offset, bytes) ||
            !std::ranges::all_of(result, [](std::byte byte) { return byte == std::byte{}; })) {
            return;
        }
        const isa::GlobalBuffer* buffer = machine_->memory().find(offset);
        if (buffer != nullptr && noted_.insert(buffer->offset).second) {
            checker_->note_unwritten(buffer->name, bytes);
        }
    }

    [[nodiscard]] double now_us() const override {
        constexpr double cycles_per_us = 1000;  // at 1 GHz
        return static_cast<double>(now_) / chip_.cores.clock_ghz / cycles_per_us;
    }

    [[nodiscard]] bool on_host_thread() const override { return std::this_thread::get_id() == thread_; }

    [[noreturn]] void end_program(int code) override {
        exit_code_ = code;
        machine_->end_host();
    }

    void launch(const LaunchRequest& request) override {
        const std::string label = request.text;
        const Calls calls = calls_of(request);
        BoundArguments bound = bind(request, *calls.any());
        const auto program = [&](const KernelCall* call, const ProgramPlugin& plugin) {
            if (call == nullptr) {
                return Program{};
            }
            const void* kernel = call->takes_kernel ? plugin.kernel_of(request) : nullptr;
            return Program{[call, kernel, pointers = bound.pointers(), key = request.tiling_key, this] {
                isa::set_tiling_key(key);
                guard_->protect([&] { call->invoke(pointers, kernel); });
                progress_.blocks_done.fetch_add(1, std::memory_order_relaxed);
            }};
        };
        progress_.blocks_total.fetch_add(request.blocks, std::memory_order_relaxed);
        const LaunchOutcome outcome =
            machine_->launch({.name = label,
                              .kind = calls.kind,
                              .blocks = request.blocks,
                              .vector_program = program(calls.vector, vector_),
                              .cube_program = program(calls.cube, cube_ ? *cube_ : vector_)});
        first_start_ = launched_ == 0 ? outcome.start : first_start_;
        ++launched_;
        now_ = outcome.end;
    }

private:
    /// The programs of one launch.
    struct Calls {
        CoreUse kind = CoreUse::aiv;
        const KernelCall* vector = nullptr;
        const KernelCall* cube = nullptr;

        [[nodiscard]] const KernelCall* any() const { return vector != nullptr ? vector : cube; }
    };

    static host::BuiltProgram build(const Scenario& scenario,
                                    const host::Installation& installation,
                                    SessionProgress& progress) {
        progress.stage = "compiling";
        host::ProgramSources sources = scenario.program->sources;
        const std::string& arch = scenario.chip.spec.arch;
        sources.arch = arch.empty() ? std::string{"2201"} : arch;
        sources.coupled = !scenario.chip.spec.cores.split;
        host::BuiltProgram built =
            host::build_program(sources, {.launcher = {}, .installation = installation});
        if (scenario.verbose) {
            fmt::print(
                stderr,
                "ascendsim: {} launches written <<<…>>> were rewritten as calls before compiling; {} of the "
                "passes were compiled, the others came from the cache\n",
                built.launches,
                built.compiled);
        }
        return built;
    }

    /// The cores a launch takes: as the test says, as the kernel says, as its code tells.
    [[nodiscard]] CoreUse kind_of(const LaunchRequest& request) const {
        const std::string kernel = kernel_name(request);
        if (const auto given = scenario_.program->cores.find(kernel);
            given != scenario_.program->cores.end()) {
            return given->second;
        }
        if (request.cores) {
            return *request.cores;
        }
        if (const std::optional<CoreUse> stated = vector_.stated(kernel, request.tiling_key)) {
            return *stated;
        }
        if (!cube_ || !cube_->uses_cube()) {
            return CoreUse::aiv;
        }
        return vector_.uses_vector() ? CoreUse::mix_1_2 : CoreUse::aic;
    }

    [[nodiscard]] Calls calls_of(const LaunchRequest& request) const {
        Calls calls{.kind = kind_of(request)};
        if (!chip_.cores.split) {
            calls.vector = &found(vector_, request);
            return calls;
        }
        calls.vector = calls.kind == CoreUse::aic ? nullptr : &found(vector_, request);
        if (calls.kind != CoreUse::aiv && !cube_) {
            throw UserError{
                "{}:{}: kernel '{}' is to run on cube cores, but this program says KernelMode::AIV_MODE "
                "wherever it "
                "says a mode and was compiled for vector cores alone",
                request.site.file,
                request.site.line,
                request.text};
        }
        calls.cube = calls.kind == CoreUse::aiv ? nullptr : &found(*cube_, request);
        return calls;
    }

    [[nodiscard]] static const KernelCall& found(const ProgramPlugin& plugin, const LaunchRequest& request) {
        if (const KernelCall* call = plugin.find(request)) {
            return *call;
        }
        const std::vector<std::string> names = plugin.names();
        throw UserError{"{}:{}: kernel '{}' is not among what was compiled for the cores{}; {}",
                        request.site.file,
                        request.site.line,
                        request.text,
                        request.call == nullptr ? nearest_hint(request.text, names) : std::string{},
                        request.call == nullptr
                            ? "is its file among the program's files?"
                            : "do macros of a kind of core hide this launch, or is the kernel no constant?"};
    }

    /// Arguments as the kernel takes them; addresses that are not the device's become null.
    BoundArguments bind(const LaunchRequest& request, const KernelCall& call);

    void guarded() {
        std::vector<CodeRange> code = code_of(vector_.file().string());
        if (cube_) {
            const std::vector<CodeRange> more = code_of(cube_->file().string());
            code.insert(code.end(), more.begin(), more.end());
        }
        auto* const main = load_main();
        const std::vector<CodeRange> host = code_of(built_.host.string());
        CrashGuard guard{
            {.kernel_code = std::move(code),
             .host_code = host,
             .idle_limit_s = scenario_.idle_limit_s,
             .place =
                 [this] { return isa::CorePort::running() ? machine_->running_place() : "the host program"; },
             .fault = [this](const std::string& place,
                             const std::string& words) { throw machine_->running_fault(place, words); },
             .about_address =
                 [this](std::uintptr_t address) {
                     return machine_->memory().owns(reinterpret_cast<const void*>(address))
                                ? std::string{"which is device memory; use aclrtMemcpy"}
                                : std::string{};
                 }}};
        guard_ = &guard;
        guard.run([&] {
            machine_->run([&](Machine&) {
                std::vector<std::string> words{scenario_.program->sources.files.front().string()};
                const std::vector<std::string>& given = scenario_.program->arguments;
                words.insert(words.end(), given.begin(), given.end());
                std::vector<char*> pointers;
                for (std::string& word : words) {
                    pointers.push_back(word.data());
                }
                pointers.push_back(nullptr);
                exit_code_ = main(static_cast<int>(words.size()), pointers.data());
            });
        });
    }

    /// Loads the host's side; its constructors run now.
    [[nodiscard]] auto load_main() const -> int (*)(int, char**) {
        void* library = dlopen(built_.host.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* main = library == nullptr ? nullptr : dlsym(library, "main");
        if (main == nullptr) {
            throw UserError{"{}: cannot be loaded: {}", built_.host.string(), dlerror()};
        }
        return reinterpret_cast<int (*)(int, char**)>(main);
    }

    void finish(SessionOutcome& outcome) {
        const MachineTotals machine = machine_->totals();
        json executions = json::array();
        // A launch that failed has not come back, but reaches as far as its cores came.
        executions.push_back(
            {{"start", first_start_}, {"end", std::max(now_, machine.cycles)}, {"warm_up", false}});
        json totals = totals_json(
            machine,
            chip_,
            executions,
            2 * static_cast<double>(machine.cube_work) + static_cast<double>(machine.vector_work));
        outcome.instructions = machine.instructions;
        outcome.program_exit = exit_code_;
        outcome.passed = exit_code_ == 0;
        totals["program"] = {{"exit_code", exit_code_}};
        report_hazards(checker_.get(), outcome, totals);
        if (outcome.failure) {
            totals["outcome"] = "failed";
            totals["error"] = message(outcome.failure);
            recorder_.event({{"kind", "failure"}, {"message", message(outcome.failure)}});
        }
        // Where the program called exit, or something crashed, its stack still stands: nothing is unwound.
        static_cast<void>(machine_.release());
        recorder_.finish(totals);
    }

    [[nodiscard]] json metadata() const {
        json files = json::array();
        for (const std::filesystem::path& file : scenario_.program->sources.files) {
            files.push_back(file.string());
        }
        json overrides = json::object();
        for (const Override& set : scenario_.overrides) {
            overrides[set.path] = set.value;
        }
        const std::filesystem::path& first = scenario_.program->sources.files.front();
        return {{"title", scenario_.title},
                {"scenario", scenario_.name},
                {"file", std::filesystem::absolute(scenario_.file).string()},
                {"problem", fmt::format("program {}", first.filename().string())},
                {"kernel", first.stem().string()},
                {"files", std::move(files)},
                {"sources", source_texts(scenario_.program->sources.files)},
                {"arguments", scenario_.program->arguments},
                {"knobs", json::object()},
                {"chip", ascendsim::to_json(chip_)},
                {"clock_ghz", chip_.cores.clock_ghz},
                {"mode", scenario_.functional ? "functional" : "timing"},
                {"seed", scenario_.seed},
                {"overrides", std::move(overrides)},
                {"l2", "cold"},
                {"buffers", json::array()},
                {"launches", json::array()}};
    }

    const Scenario& scenario_;
    SessionProgress& progress_;
    const ChipSpec& chip_;
    host::BuiltProgram built_;
    ProgramPlugin vector_;  // also whole cores
    std::unique_ptr<ProgramPlugin> cube_;
    record::Recorder recorder_;
    std::unique_ptr<sanitize::Checker> checker_;
    std::unique_ptr<Machine> machine_;
    CrashGuard* guard_ = nullptr;  // while programs run
    std::thread::id thread_ = std::this_thread::get_id();
    int exit_code_ = 0;
    std::uint64_t first_start_ = 0;
    std::uint64_t now_ = 0;  // cycles
    std::uint64_t launched_ = 0;
    std::set<std::uint64_t> noted_;  // where results lie that nobody wrote
};

BoundArguments ProgramSession::bind(const LaunchRequest& request, const KernelCall& call) {
    BoundArguments bound{request, call};
    for (std::uint32_t i = 0; i < call.count; ++i) {
        if (request.arguments[i].kind != program::ArgumentKind::address) {
            continue;
        }
        const void* address = *static_cast<void* const*>(request.arguments[i].value);
        if (address != nullptr && !machine_->memory().owns(address)) {
            // A pointer that its program never set does no harm on the chip as long as the kernel leaves it
            // alone.
            fmt::print(stderr,
                       "ascendsim: {}:{}: argument {} of kernel '{}' is no address of device memory, but "
                       "host memory or "
                       "a pointer that was never set; the kernel sees nullptr\n",
                       request.site.file,
                       request.site.line,
                       i + 1,
                       request.text);
            bound.set_null(i);
        }
    }
    return bound;
}

}  // namespace

SessionOutcome run_program(const Scenario& scenario,
                           const host::Installation& installation,
                           const std::filesystem::path& recording,
                           SessionProgress& progress) {
    ProgramSession session{scenario, installation, recording, progress};
    SessionOutcome outcome = session.run();
    outcome.recording = recording;
    return outcome;
}

}  // namespace ascendsim
