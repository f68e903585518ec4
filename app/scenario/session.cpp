// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/session.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/scenario/crash_guard.hpp"
#include "app/scenario/lanes.hpp"
#include "app/scenario/machine_options.hpp"
#include "app/scenario/program_session.hpp"
#include "app/scenario/programs.hpp"
#include "app/scenario/session_totals.hpp"
#include "app/scenario/source_texts.hpp"
#include "app/scenario/tensors.hpp"
#include "kernels/plan/npy.hpp"
#include "models/core/machine.hpp"
#include "models/sanitize/checker.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/record/recorder.hpp"

namespace ascendsim {
namespace {

constexpr std::uint64_t used_lines_a_dirty_one = 4;  // of what other kernels left; assumed
constexpr std::uint64_t chained_lines_a_dirty_one =
    2;  // where each writes about as much as it reads; assumed

using nlohmann::json;

struct Planned {
    host::Plan plan;
    json knobs = json::object();
    json ranges = json::object();
};

json to_json(const host::KnobValue& value) {
    return std::visit([](const auto& held) { return json(held); }, value);
}

/// What a knob is and may be, for advice that names it.
json range_json(const host::Knob& knob) {
    json range{{"meaning", knob.meaning}};
    if (!knob.allowed.empty()) {
        range["allowed"] = knob.allowed;
    } else if (std::holds_alternative<std::int64_t>(knob.value) ||
               std::holds_alternative<double>(knob.value)) {
        range["min"] = knob.min;
        range["max"] = knob.max;
    }
    return range;
}

Planned make_plan(const Scenario& scenario, const host::Installation& installation) {
    if (scenario.user) {
        return {.plan = scenario.user->plan};
    }
    const host::KernelHost& kernel = open_kernel(scenario.kernel, scenario.file.string(), installation);
    host::Knobs knobs{kernel.knobs()};
    for (const KnobSetting& setting : scenario.knobs) {
        if (setting.is_text) {
            knobs.set_text(setting.name, std::get<std::string>(setting.value), setting.place);
        } else {
            knobs.set(setting.name, setting.value, setting.place);
        }
    }
    Planned result{.plan = kernel.plan(knobs, scenario.planned_for.value_or(scenario.chip.spec))};
    for (const host::Knob& knob : knobs.all()) {
        result.knobs[knob.name] = to_json(knob.value);
        result.ranges[knob.name] = range_json(knob);
    }
    return result;
}

/// One session: the parts of a run and the order they come in.
class Session {
public:
    Session(const Scenario& scenario,
            const host::Installation& installation,
            const std::filesystem::path& recording,
            SessionProgress& progress)
        : scenario_{scenario},
          progress_{progress},
          chip_{scenario.chip.spec},
          planned_{make_plan(scenario, installation)},
          programs_{scenario, planned_.plan, installation},
          recorder_{recording},
          checker_{scenario.sanitize ? std::make_unique<sanitize::Checker>(chip_) : nullptr},
          machine_{std::make_unique<Machine>(chip_, recorder_, machine_options(scenario, checker_.get()))},
          tensors_{planned_.plan, machine_->memory(), scenario.seed, scenario.functional} {
        bind_arguments();
        declare_contents();
        recorder_.metadata(metadata());
        recorder_.flush();
    }

    SessionOutcome run() {
        SessionOutcome outcome;
        progress_.stage = "computing the reference";
        tensors_.compute_reference();
        progress_.stage = "simulating";
        progress_.blocks_total = total_blocks();
        const auto begin = std::chrono::steady_clock::now();
        try {
            simulate();
        } catch (...) {
            outcome.failure = std::current_exception();
        }
        outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        json totals = totals_json();
        outcome.instructions = totals["instructions"];
        if (!outcome.failure) {
            note_untouched();
        }
        report_hazards(checker_.get(), outcome, totals);
        if (outcome.failure) {
            totals["outcome"] = "failed";
            totals["error"] = message(outcome.failure);
            recorder_.event({{"kind", "failure"}, {"message", message(outcome.failure)}});
            // What ran is not unwound after a crash: the machine stays as it is until the process ends.
            static_cast<void>(machine_.release());
        } else {
            progress_.stage = "comparing";
            const std::vector<host::Comparison> compared = tensors_.compare();
            totals["numerics"] = ascendsim::to_json(compared);
            outcome.passed = totals["numerics"]["passed"] != false;  // null: nothing was compared
            write_outputs();
        }
        recorder_.finish(totals);
        outcome.totals = std::move(totals);
        outcome.totals["lanes"] = lanes_json(recorder_);
        outcome.sums = recorder_.take_sums();
        return outcome;
    }

private:
    /// Arguments as kernel functions take them: pointers to addresses and values that stay where they are.
    void bind_arguments() {
        for (const host::Launch& launch : planned_.plan.launches) {
            auto& arguments = arguments_.emplace_back();
            for (const host::Argument& argument : launch.arguments) {
                if (argument.buffer.empty()) {
                    arguments.values.push_back(argument.value);
                } else {
                    std::byte* address = tensors_.address(argument.buffer) + argument.offset;
                    const auto* raw = reinterpret_cast<const std::byte*>(&address);
                    arguments.values.emplace_back(raw, raw + sizeof address);
                }
            }
            for (std::vector<std::byte>& value : arguments.values) {
                arguments.pointers.push_back(value.data());
            }
        }
    }

    /// Outputs and workspace hold nothing until the kernel writes them; inputs stay as they are.
    void declare_contents() {
        if (!checker_) {
            return;
        }
        for (const host::Buffer& buffer : planned_.plan.buffers) {
            const std::uint64_t offset = machine_->memory().offset_of(tensors_.address(buffer.name));
            if (buffer.role == host::Role::output || buffer.role == host::Role::workspace) {
                checker_->declare_unwritten(offset, buffer.bytes());
            } else if (buffer.role != host::Role::in_out) {
                checker_->declare_read_only(offset, buffer.bytes());
            }
        }
    }

    /// Outputs that no instruction wrote; their bytes tell of stores through plain pointers, which are not
    /// seen.
    void note_untouched() {
        for (const host::Buffer& buffer : planned_.plan.buffers) {
            if (checker_ && scenario_.functional && buffer.bytes() != 0 &&
                buffer.role == host::Role::output &&
                checker_->unwritten(machine_->memory().offset_of(tensors_.address(buffer.name)),
                                    buffer.bytes()) &&
                tensors_.untouched(buffer)) {
                checker_->note_unwritten(buffer.name, buffer.bytes(), skipped_work(scenario_, planned_.plan));
            }
        }
    }

    /// Programs that will be called, over all blocks, launches and executions.
    [[nodiscard]] std::uint64_t total_blocks() const {
        std::uint64_t total = 0;
        for (const host::Launch& launch : planned_.plan.launches) {
            const bool mix = launch.cores == CoreUse::mix_1_1 || launch.cores == CoreUse::mix_1_2;
            const std::uint64_t programs = !mix || !chip_.cores.split         ? 1
                                           : launch.cores == CoreUse::mix_1_1 ? 2
                                                                              : 3;
            total += launch.blocks * programs;
        }
        return total * (scenario_.warm_up + scenario_.repeat);
    }

    void simulate() {
        std::vector<CodeRange> code;
        for (const std::string& file : programs_.files()) {
            const std::vector<CodeRange> ranges = code_of(file);
            code.insert(code.end(), ranges.begin(), ranges.end());
        }
        CrashGuard guard{
            {.kernel_code = std::move(code),
             .idle_limit_s = scenario_.idle_limit_s,
             .place = [this] { return isa::CorePort::running() ? machine_->running_place() : std::string{}; },
             .fault = [this](const std::string& place,
                             const std::string& words) { throw machine_->running_fault(place, words); }}};
        guard_ = &guard;
        guard.run([this] { machine_->run([this](Machine& machine) { host_program(machine); }); });
    }

    /// What the host does: the launches in order, as often as the scenario says.
    void host_program(Machine& machine) {
        for (std::uint32_t i = 0; i < scenario_.warm_up + scenario_.repeat; ++i) {
            if (i > 0) {
                tensors_.restore();
            } else if (scenario_.l2 == L2State::warm) {
                warm_l2(machine);
            } else if (scenario_.l2 == L2State::used) {
                machine.l2().use(used_lines_a_dirty_one);
            } else if (scenario_.l2 == L2State::chained) {
                machine.l2().use(chained_lines_a_dirty_one);
                hand_on(machine);
            } else if (scenario_.l2 == L2State::dirty) {
                machine.l2().use(1);  // every line
            }
            if (i == 0 && scenario_.l2 != L2State::cold) {
                machine.warm_stacks();
            }
            if (i > 0 && i == scenario_.warm_up) {
                recorder_.sums_from(executions_.back()["end"]);  // figures are without warm-up
            }
            json execution{{"start", nullptr}, {"warm_up", i < scenario_.warm_up}};
            for (std::size_t launch = 0; launch < planned_.plan.launches.size(); ++launch) {
                const LaunchOutcome outcome = start(machine, launch);
                execution["start"] = execution["start"].is_null() ? json(outcome.start) : execution["start"];
                execution["end"] = outcome.end;
            }
            executions_.push_back(std::move(execution));
        }
    }

    /// Kernels have no exceptions; what one throws all the same is its fault, unless it is an error of ours
    /// on its way out.
    void call(const host::Entry& entry, void** arguments) {
        try {
            guard_->protect([&entry, arguments] { entry.invoke(arguments); });
            progress_.blocks_done.fetch_add(1, std::memory_order_relaxed);
        } catch (const std::exception&) {
            throw;
        } catch (...) {
            throw ProgramError{"kernel function '{}' threw an exception; the chip has none", entry.name};
        }
    }

    LaunchOutcome start(Machine& machine, std::size_t index) {
        const host::Launch& launch = planned_.plan.launches[index];
        const Programs::Pair& pair = programs_.of(index);
        void** arguments = arguments_[index].pointers.data();
        const auto program = [this, arguments](const host::Entry* entry) {
            return entry == nullptr ? Program{}
                                    : Program{[this, entry, arguments] { call(*entry, arguments); }};
        };
        return machine.launch(
            {.name = launch.label.empty() ? launch.entry : launch.label,
             .kind = launch.cores,
             .blocks = launch.blocks,
             .vector_program = program(pair.vector),
             .cube_program = program(pair.cube),
             .argument_bytes = scenario_.argument_bytes.value_or(arguments_[index].bytes())});
    }

    /// Leaves in L2 what an earlier run would have: the inputs, as far as they fit.
    void warm_l2(Machine& machine) {
        for (const host::Buffer& buffer : planned_.plan.buffers) {
            if (buffer.role != host::Role::output && buffer.role != host::Role::workspace) {
                machine.l2().warm(machine.memory().offset_of(tensors_.address(buffer.name)), buffer.bytes());
            }
        }
    }

    /// Leaves in L2 what the kernel before has just written: the first input, as far as it fits.
    void hand_on(Machine& machine) {
        for (const host::Buffer& buffer : planned_.plan.buffers) {
            if (buffer.role != host::Role::output && buffer.role != host::Role::workspace) {
                machine.l2().warm(
                    machine.memory().offset_of(tensors_.address(buffer.name)), buffer.bytes(), true);
                return;
            }
        }
    }

    void write_outputs() const {
        if (!scenario_.user || !scenario_.functional) {
            return;
        }
        for (const UserKernel::OutputFile& output : scenario_.user->outputs) {
            for (const host::Buffer& buffer : planned_.plan.buffers) {
                if (buffer.name == output.buffer) {
                    host::write_npy(output.file, buffer.type, buffer.shape, tensors_.bytes(buffer));
                }
            }
        }
    }

    [[nodiscard]] json metadata() const {
        json launches = json::array();
        for (const host::Launch& launch : planned_.plan.launches) {
            launches.push_back({{"entry", launch.entry},
                                {"label", launch.label.empty() ? launch.entry : launch.label},
                                {"blocks", launch.blocks},
                                {"cores", name(launch.cores)}});
        }
        json overrides = json::object();
        for (const Override& set : scenario_.overrides) {
            overrides[set.path] = set.value;
        }
        const std::optional<UserKernel>& user = scenario_.user;
        const host::Work& work = planned_.plan.work;
        return {{"title", scenario_.title},
                {"scenario", scenario_.name},
                {"file", (user ? std::filesystem::absolute(scenario_.file) : scenario_.file).string()},
                {"problem", planned_.plan.problem},
                {"kernel", user ? user->source.stem().string() : scenario_.kernel},
                {"sources", user ? source_texts(user->more_sources, user->source) : json::object()},
                {"knobs", planned_.knobs},
                {"knob_ranges", planned_.ranges},
                {"chip", ascendsim::to_json(chip_)},
                {"clock_ghz", chip_.cores.clock_ghz},
                {"mode", scenario_.functional ? "functional" : "timing"},
                {"seed", scenario_.seed},
                {"overrides", std::move(overrides)},
                {"l2", name(scenario_.l2)},
                {"work",
                 {{"cube_flops", work.cube_flops},
                  {"cube_type", isa::name(work.cube_type)},
                  {"vector_flops", work.vector_flops},
                  {"vector_type", isa::name(work.vector_type)},
                  {"gm_bytes", work.gm_bytes}}},
                {"buffers", tensors_.description()},
                {"launches", std::move(launches)}};
    }

    [[nodiscard]] json totals_json() const {
        return ascendsim::totals_json(machine_->totals(), chip_, executions_, planned_.plan.work.flops());
    }

    struct Bound {
        std::vector<std::vector<std::byte>> values;
        std::vector<void*> pointers;

        [[nodiscard]] std::uint32_t bytes() const {
            std::size_t sum = 0;
            for (const std::vector<std::byte>& value : values) {
                sum += round_up<std::size_t>(value.size(), sizeof(void*));
            }
            return static_cast<std::uint32_t>(sum);
        }
    };

    const Scenario& scenario_;
    SessionProgress& progress_;
    const ChipSpec& chip_;
    Planned planned_;
    Programs programs_;
    record::Recorder recorder_;
    std::unique_ptr<sanitize::Checker> checker_;
    std::unique_ptr<Machine> machine_;
    Tensors tensors_;
    CrashGuard* guard_ = nullptr;  // while programs run
    std::vector<Bound> arguments_;
    json executions_ = json::array();
};

}  // namespace

SessionOutcome run_session(const Scenario& scenario,
                           const host::Installation& installation,
                           const std::filesystem::path& recording,
                           SessionProgress& progress) {
    if (scenario.program) {
        return run_program(scenario, installation, recording, progress);
    }
    Session session{scenario, installation, recording, progress};
    SessionOutcome outcome = session.run();
    outcome.recording = recording;
    return outcome;
}

}  // namespace ascendsim
