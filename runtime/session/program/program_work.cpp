// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_work.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include "models/isa/sync/synchronise.hpp"
#include "runtime/launches/program_plugin.hpp"
#include "runtime/session/program/program_operators.hpp"
#include "runtime/session/program/program_streams.hpp"
#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::json;
using program::KernelCall;
using program::LaunchRequest;

/// A program, and the device it runs against.
class ProgramWork final : public Work, public program::Device {
public:
    ProgramWork(const RunRequest& request,
                const HostProgram& program,
                const toolchain::Installation& installation,
                SessionProgress& progress)
        : options_{request.options},
          chip_{request.chip},
          program_{program},
          built_{build(request, program, installation, progress)},
          vector_{built_.vector.empty() ? nullptr : std::make_unique<ProgramPlugin>(built_.vector)},
          cube_{built_.cube.empty() ? nullptr : std::make_unique<ProgramPlugin>(built_.cube)},
          devices_{request.chip},
          streams_{program.node, program.host, program.issue, devices_},
          operators_{program.operators.get(), chip_, installation, streams_} {
        streams_.set_memory_rate(chip_.hbm.gb_per_s * chip_.hbm.efficiency);
    }

    [[nodiscard]] std::vector<CodeRange> kernel_code() const override {
        std::vector<CodeRange> code;
        for (const ProgramPlugin* plugin : {vector_.get(), cube_.get()}) {
            if (plugin != nullptr) {
                const std::vector<CodeRange> more = code_of(plugin->file().string());
                code.insert(code.end(), more.begin(), more.end());
            }
        }
        return code;
    }

    [[nodiscard]] std::vector<CodeRange> host_code() const override { return code_of(built_.host.string()); }

    [[nodiscard]] std::string host_place() const override { return "the host program"; }

    [[nodiscard]] std::string about_address(Session& session, std::uintptr_t address) const override {
        return session.machine().memory().owns(reinterpret_cast<const void*>(address))
                   ? std::string{"which is device memory; use aclrtMemcpy"}
                   : std::string{};
    }

    json begin(Session& session) override {
        session_ = &session;
        devices_.run_on(session.machines(), session.checker());
        streams_.threads().run_on(session.machine(), [this](int code) { end_program(code); });
        streams_.serve_kernels(options_.functional, [this](std::uint64_t offset, std::uint64_t bytes) {
            host_wrote(offset, bytes);
        });
        json files = json::array();
        for (const std::filesystem::path& file : program_.sources.files) {
            files.push_back(file.string());
        }
        json data{{"files", std::move(files)},
                  {"arguments", program_.arguments},
                  {"buffers", json::array()},
                  {"launches", json::array()}};
        if (!built_.warnings.empty()) {
            data["compiler_warnings"] = built_.warnings;
        }
        return data;
    }

    void prepare() override {
        session_->progress().stage = "running the program";
        program::set_current_device(this);
    }

    void load() override { main_ = load_main(); }

    void run(Session& /*session*/) override {
        std::vector<std::string> words{program_.sources.files.front().string()};
        words.insert(words.end(), program_.arguments.begin(), program_.arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        const pid_t own = getpid();
        try {
            exit_code_ = main_(static_cast<int>(words.size()), pointers.data());
            if (getpid() != own) {  // a copy that the program has made ends where its main does
                std::fflush(nullptr);
                _exit(exit_code_);
            }
        } catch (const std::bad_alloc&) {
            throw ProgramError{"the host program ran out of memory: 'new' failed"};
        }
        left_ = streams_.finish();
    }

    void stopped() const override {
        if (streams_.threads().failure()) {
            std::rethrow_exception(streams_.threads().failure());
        }
    }

    void ended() override {
        program::set_current_device(nullptr);
        std::cout.flush();
        std::fflush(stdout);
    }

    /// From the first launch to the last, one that failed among them: it has not come back, but reaches as
    /// far as its cores came.
    [[nodiscard]] json executions(const MachineTotals& machine) const override {
        return json::array({{{"start", devices_.first_start()},
                             {"end", std::max(devices_.last_end(), machine.cycles)},
                             {"warm_up", false}}});
    }

    [[nodiscard]] double flops(const MachineTotals& machine) const override {
        return 2 * static_cast<double>(machine.cube_work) + static_cast<double>(machine.vector_work);
    }

    void judge(Session& session, SessionOutcome& outcome, json& totals) override {
        outcome.program_exit = exit_code_;
        outcome.passed = exit_code_ == 0;
        totals["program"] = {{"exit_code", exit_code_}};
        if (json called = operators_.figures(); !called.empty()) {
            totals["program"]["operators"] = std::move(called);
        }
        if (!outcome.failure) {
            if (!left_.empty()) {
                fmt::print(stderr, "ascendsim: {}\n", left_);
            }
            json& timeline = totals["program"]["timeline"];
            timeline = streams_.figures();
            timeline["mode"] = node::name(program_.issue.mode);
            const double ghz = chip_.cores.clock_ghz;
            totals["program"]["axis"] = streams_.axis(ghz);
            session.add_metadata(streams_.recorded_metadata());
            streams_.record(session.recorder(), ghz, program_.sources.files);
            if (program_.issue.jitter.any()) {
                timeline["jitter"] =
                    fmt::format("{}, seed {}", node::text_of(program_.issue.jitter), program_.issue.seed);
            }
            if (program_.clock_offset_us != 0 || program_.clock_drift_ppm != 0) {
                timeline["device_clock"] = {{"offset_us", program_.clock_offset_us},
                                            {"drift_ppm", program_.clock_drift_ppm}};
            }
        }
    }

    /// Where the program called exit, its stack still stands.
    [[nodiscard]] bool unwinds() const override { return false; }

    void conclude(const SessionOutcome& outcome) const override {
        if (!outcome.failure && exit_code_ == 0 && devices_.launched() == 0 && !streams_.worked()) {
            throw UserError{
                "{}: nothing was simulated: the program ended without launching a kernel, a copy or "
                "a collective{}",
                program_.sources.files.front().string(),
                built_.launches == 0 ? "; it holds no kernel<<<…>>> either" : ""};
        }
    }

    [[nodiscard]] const ChipSpec& chip() const override { return chip_; }

    [[nodiscard]] isa::GlobalMemory& memory() override { return session_->machine().memory(); }

    void host_wrote(std::uint64_t offset, std::uint64_t bytes) override {
        if (checker() != nullptr) {
            checker()->declare_written(offset, bytes);
        }
    }

    void host_forgot(std::uint64_t offset, std::uint64_t bytes) override {
        if (checker() != nullptr) {
            checker()->declare_unwritten(offset, bytes);
            checker()->forget(offset, offset + bytes);
        }
        if (poisons(bytes)) {
            options_.poison->fill({memory().base() + offset, bytes}, Memory::gm, offset);
        }
    }

    /// Bytes of a result that nothing has touched are noted, once a buffer: a program may copy more than it
    /// looks at, as of a collective's or a search's result.
    void host_reads(std::uint64_t offset, std::uint64_t bytes) override {
        const isa::GlobalBuffer* buffer = memory().find(offset);
        if (checker() == nullptr || devices_.launched() == 0 || buffer == nullptr ||
            noted_.contains(buffer->offset)) {
            return;
        }
        std::vector<std::pair<std::uint64_t, std::uint64_t>> runs = checker()->unwritten_runs(offset, bytes);
        std::erase_if(runs, [&](const auto& run) {
            const std::span<const std::byte> left{memory().base() + run.first, run.second - run.first};
            return poisons(buffer->bytes)
                       ? !options_.poison->left(left, Memory::gm, run.first)
                       : !std::ranges::all_of(left, [](std::byte byte) { return byte == std::byte{}; });
        });
        if (runs.empty()) {
            return;
        }
        for (auto& [begin, end] : runs) {
            begin -= buffer->offset;
            end -= buffer->offset;
        }
        if (checker()->note_partly_unwritten(buffer->name,
                                             offset + bytes - buffer->offset,
                                             runs,
                                             buffer->offset,
                                             sanitize::Kind::copied_unwritten)) {
            noted_.insert(buffer->offset);
        }
    }

    [[nodiscard]] program::Streams& streams() override { return streams_; }

    [[nodiscard]] std::shared_ptr<program::PreparedOperator> prepare(const program::OperatorAsk& ask,
                                                                     std::string& refusal) override {
        return operators_.prepare(*session_, ask, refusal);
    }

    [[nodiscard]] std::vector<program::CallTensor> infer(const program::OperatorAsk& ask,
                                                         std::string& refusal) override {
        return operators_.infer(ask, refusal);
    }

    [[nodiscard]] program::OwnCode own_code(const std::string& function) override {
        return operators_.own_code(function);
    }

    [[nodiscard]] std::string program_file() const override {
        return std::filesystem::absolute(program_.sources.files.front()).replace_extension().string();
    }

    [[nodiscard]] program::HostThreads& threads() override { return streams_.threads(); }

    [[nodiscard]] bool on_host_thread() const override { return streams_.threads().current().has_value(); }

    [[noreturn]] void end_program(int code) override {
        if (streams_.threads().current() != program::ThreadNumber{}) {
            streams_.threads().exit(code);
        }
        exit_code_ = code;
        left_ = streams_.finish();
        session_->machine().end_host();
    }

    [[nodiscard]] std::optional<CoreUse> cores_of(const LaunchRequest& request) const override {
        return kind_of(request);
    }

    void launch(const LaunchRequest& request) override {
        const Calls calls = calls_of(request);
        const auto bound = std::make_shared<BoundArguments>(bind(request, *calls.any()));
        const auto program = [&](const KernelCall* call, const ProgramPlugin* plugin) {
            if (call == nullptr) {
                return Program{};
            }
            const void* kernel = call->takes_kernel ? plugin->kernel_of(request) : nullptr;
            return Program{[call, kernel, bound, key = request.tiling_key, this] {
                isa::set_tiling_key(key);
                session_->run_block([&] { call->invoke(bound->pointers(), kernel); });
            }};
        };
        session_->progress().blocks_total.fetch_add(request.blocks, std::memory_order_relaxed);
        const program::CallPlace call{request.text, request.site};
        streams_.launch(request.number,
                        call,
                        {.name = request.text,
                         .kind = calls.kind,
                         .blocks = request.blocks,
                         .vector_program = program(calls.vector, vector_.get()),
                         .cube_program = program(calls.cube, cube_.get())});
        if (request.host_waits) {
            streams_.synchronise(request.number, call, std::nullopt);
        }
    }

private:
    /// The programs of one launch.
    struct Calls {
        CoreUse kind = CoreUse::aiv;
        const KernelCall* vector = nullptr;
        const KernelCall* cube = nullptr;

        [[nodiscard]] const KernelCall* any() const { return vector != nullptr ? vector : cube; }
    };

    static toolchain::BuiltProgram build(const RunRequest& request,
                                         const HostProgram& program,
                                         const toolchain::Installation& installation,
                                         SessionProgress& progress) {
        progress.stage = "compiling";
        toolchain::ProgramSources sources = program.sources;
        const ChipSpec& chip = request.chip;
        sources.arch = chip.arch.empty() ? std::string{"2201"} : chip.arch;
        sources.coupled = !chip.cores.split;
        toolchain::BuiltProgram built = toolchain::build_program(sources, {.installation = installation});
        if (request.options.verbose) {
            fmt::print(
                stderr,
                "ascendsim: {} launches written <<<…>>> were rewritten as calls before compiling; {} of the "
                "passes were compiled, the others came from the cache\n",
                built.launches,
                built.compiled);
        }
        process::close_sandbox();
        return built;
    }

    /// The cores a launch takes: as the test says, as the kernel says, as its code tells.
    [[nodiscard]] CoreUse kind_of(const LaunchRequest& request) const {
        const std::string kernel = kernel_name(request);
        if (const auto given = program_.cores.find(kernel); given != program_.cores.end()) {
            return given->second;
        }
        if (request.cores) {
            return *request.cores;
        }
        const ProgramPlugin& any = vector_ ? *vector_ : *cube_;
        if (const std::optional<CoreUse> stated = any.stated(kernel, request.tiling_key)) {
            return *stated;
        }
        if (!vector_) {
            return CoreUse::aic;
        }
        if (!cube_ || !cube_->uses_cube(request)) {
            return CoreUse::aiv;
        }
        return vector_->uses_vector(request) ? CoreUse::mix_1_2 : CoreUse::aic;
    }

    [[nodiscard]] Calls calls_of(const LaunchRequest& request) const {
        Calls calls{.kind = kind_of(request)};
        if (!chip_.cores.split) {
            calls.vector = &found(*vector_, request);
            return calls;
        }
        if (calls.kind != CoreUse::aic && !vector_) {
            throw UserError{
                "{}:{}: kernel '{}' is to run on vector cores, but was compiled for cube cores alone",
                request.site.file,
                request.site.line,
                request.text};
        }
        calls.vector = calls.kind == CoreUse::aic ? nullptr : &found(*vector_, request);
        if (calls.kind != CoreUse::aiv && !cube_) {
            throw UserError{
                "{}:{}: kernel '{}' is to run on cube cores, but was compiled for vector cores alone: the "
                "program says KernelMode::AIV_MODE wherever it says a mode, or --cce-aicore-arch names them",
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

    /// Loads the host's side; its constructors run now.
    [[nodiscard]] auto load_main() const -> int (*)(int, char**) {
        void* library = dlopen(built_.host.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* main = library == nullptr ? nullptr : dlsym(library, "main");
        if (main == nullptr) {
            throw UserError{"{}: cannot be loaded: {}", built_.host.string(), dlerror()};
        }
        return reinterpret_cast<int (*)(int, char**)>(main);
    }

    [[nodiscard]] sanitize::LaunchCheckers* checker() { return session_->checker(); }

    /// True if fresh memory of so many bytes holds poison. Larger ones would take the host's memory.
    [[nodiscard]] bool poisons(std::uint64_t bytes) const {
        constexpr std::uint64_t most = std::uint64_t{64} << 20U;
        return options_.functional && options_.sanitize && options_.poison && bytes <= most;
    }

    const RunOptions& options_;
    const ChipSpec& chip_;
    const HostProgram& program_;
    toolchain::BuiltProgram built_;
    std::unique_ptr<ProgramPlugin> vector_;  // also whole cores; none for cube cores alone
    std::unique_ptr<ProgramPlugin> cube_;
    ProgramDevices devices_;
    ProgramStreams streams_;
    ProgramOperators operators_;
    Session* session_ = nullptr;  // from begin() on
    int (*main_)(int, char**) = nullptr;
    int exit_code_ = 0;
    std::string left_;               // what could not start when the program ended
    std::set<std::uint64_t> noted_;  // where results lie that nobody wrote
};

BoundArguments ProgramWork::bind(const LaunchRequest& request, const KernelCall& call) {
    BoundArguments bound{request, call};
    for (std::uint32_t i = 0; i < call.count; ++i) {
        if (request.arguments[i].kind != program::ArgumentKind::address) {
            continue;
        }
        const void* address = *static_cast<void* const*>(request.arguments[i].value);
        if (address != nullptr && !memory().owns(address)) {
            // A pointer that its program never set does no harm on the chip as long as the kernel leaves it
            // alone.
            fmt::print(stderr,
                       "ascendsim: {}:{}: argument {} of kernel '{}' is no address of device memory, but "
                       "host memory or a pointer that was never set; the kernel sees nullptr\n",
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

std::unique_ptr<Work> make_program_work(const RunRequest& request,
                                        const HostProgram& program,
                                        const toolchain::Installation& installation,
                                        SessionProgress& progress) {
    return std::make_unique<ProgramWork>(request, program, installation, progress);
}

}  // namespace ascendsim::runtime
