// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/planned_work.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <unistd.h>

#include "kernels/plan/npy.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "runtime/session/plan_launch.hpp"
#include "runtime/session/tensors.hpp"
#include "runtime/twins/arrivals.hpp"
#include "runtime/twins/timings.hpp"
#include "runtime/twins/twins.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::runtime {
namespace {

constexpr std::uint64_t used_lines_a_dirty_one = 4;  // of what other kernels left; assumed
constexpr std::uint64_t chained_lines_a_dirty_one =
    2;  // where each writes about as much as it reads; assumed

using nlohmann::json;

/// Runs the request once more, for what its results are with another poison, or with other timings; those of
/// the latter go to `file`.
nlohmann::ordered_json run_twin(const RunRequest& request,
                                const toolchain::Installation& installation,
                                const TwinOrder& order,
                                int file) {
    RunRequest twin = request;
    twin.options.poison = order.poison;
    twin.options.twin = true;
    twin.options.perturb = 0;
    if (order.timing.number != 0) {
        twin.options.timing = order.timing;
        twin.options.time_order = true;
        draw_latencies(twin.chip, order.timing);
    }
    twin.options.results = file;
    twin.options.warm_up = 0;
    twin.options.repeat = 1;
    SessionProgress unseen;
    const SessionOutcome outcome = run_session(twin, installation, {}, unseen);
    if (outcome.failure) {
        std::rethrow_exception(outcome.failure);
    }
    return outcome.totals.at("results");
}

bool is_input(const host::Buffer& buffer) {
    return buffer.role != host::Role::output && buffer.role != host::Role::workspace;
}

class PlannedWork final : public Work {
public:
    PlannedWork(const RunRequest& request, const PlannedRun& run, const toolchain::Installation& installation)
        : options_{request.options},
          chip_{request.chip},
          run_{run},
          metadata_{request.metadata},
          twins_{make_twins(request, installation)},
          functions_{run, request.chip, installation} {}

    [[nodiscard]] std::vector<CodeRange> kernel_code() const override {
        std::vector<CodeRange> code;
        for (const std::string& file : functions_.files()) {
            const std::vector<CodeRange> ranges = code_of(file);
            code.insert(code.end(), ranges.begin(), ranges.end());
        }
        return code;
    }

    json begin(Session& session) override {
        session_ = &session;
        tensors_.emplace(run_.plan,
                         session.machine().memory(),
                         options_.seed,
                         options_.functional,
                         options_.sanitize ? options_.poison : std::nullopt);
        fill_lists();
        for (const host::Launch& launch : run_.plan.launches) {
            arguments_.emplace_back(launch, *tensors_);
        }
        declare_contents();
        json data = metadata();
        if (std::vector<std::string> warnings = functions_.warnings(); !warnings.empty()) {
            data["compiler_warnings"] = std::move(warnings);
        }
        return data;
    }

    void prepare() override {
        session_->progress().stage = "computing the reference";
        if (!options_.twin) {
            tensors_->compute_reference();
        }
        session_->progress().stage = "simulating";
        session_->progress().blocks_total = total_blocks();
    }

    void run(Session& session) override {
        for (std::uint32_t i = 0; i < options_.warm_up + options_.repeat; ++i) {
            if (i > 0) {
                tensors_->restore();
            } else {
                set_l2(session.machine());
            }
            if (i > 0 && i == options_.warm_up) {
                session.recorder().sums_from(executions_.back()["end"]);  // figures are without warm-up
                session.machine().forget_inserted();
            }
            execute(session, i < options_.warm_up);
        }
    }

    [[nodiscard]] json executions(const MachineTotals& /*machine*/) const override { return executions_; }

    [[nodiscard]] double flops(const MachineTotals& /*machine*/) const override {
        return run_.plan.work.flops();
    }

    void judge(Session& session, SessionOutcome& outcome, json& totals) override {
        if (outcome.failure) {
            return;
        }
        if (options_.twin) {
            totals["results"] = options_.timing.number == 0
                                    ? results()
                                    : nlohmann::ordered_json{{"cycles", totals["execution_cycles"]}};
            hand_over_results();
            return;
        }
        note_untouched();
        look_for_arrivals();
        try_timings(totals);
        session.progress().stage = "comparing";
        totals["numerics"] = runtime::to_json(tensors_->compare());
        outcome.passed = totals["numerics"]["passed"] != false;  // null: nothing was compared
        write_outputs();
    }

private:
    /// A buffer of the metadata's `lists` holds the places that other buffers got, one behind the other.
    void fill_lists() {
        for (const json& list : metadata_.value("lists", json::array())) {
            std::byte* at =
                tensors_->address(list["buffer"].get<std::string>()) + list["offset"].get<std::uint64_t>();
            for (const json& tensor : list["tensors"]) {
                const auto address =
                    reinterpret_cast<std::uintptr_t>(tensors_->address(tensor.get<std::string>()));
                std::memcpy(at, &address, sizeof address);
                at += sizeof address;
            }
        }
    }

    /// Outputs and workspace hold nothing until the kernel writes them; inputs stay as they are.
    void declare_contents() {
        sanitize::LaunchCheckers* checker = session_->checker();
        if (checker != nullptr && twins_) {
            checker->first().set_repeated();
        }
        for (const host::Buffer& buffer : run_.plan.buffers) {
            const std::uint64_t offset = offset_of(buffer);
            if (checker != nullptr && !is_input(buffer)) {
                checker->declare_unwritten(offset, buffer.bytes());
            } else if (checker != nullptr && buffer.role != host::Role::in_out) {
                checker->declare_read_only(offset, buffer.bytes());
            }
        }
    }

    /// Outputs, and parts of them, that nothing wrote; their bytes tell of stores that were not seen.
    void note_untouched() {
        sanitize::LaunchCheckers* checker = session_->checker();
        if (checker == nullptr || !options_.functional) {
            return;
        }
        for (const host::Buffer& buffer : run_.plan.buffers) {
            if (buffer.bytes() == 0 || buffer.role != host::Role::output) {
                continue;
            }
            const std::uint64_t offset = offset_of(buffer);
            auto runs = checker->unwritten_runs(offset, buffer.bytes());
            for (auto& [begin, end] : runs) {
                begin -= offset;
                end -= offset;
            }
            runs = tensors_->untouched(buffer, std::move(runs));
            if (!runs.empty() && runs.front() == std::pair{std::uint64_t{0}, buffer.bytes()}) {
                checker->note_unwritten(buffer.name, buffer.bytes(), skipped_work(run_, chip_));
            } else {
                checker->note_partly_unwritten(buffer.name, buffer.bytes(), runs, offset);
            }
        }
    }

    [[nodiscard]] static std::unique_ptr<Twins> make_twins(const RunRequest& request,
                                                           const toolchain::Installation& installation) {
        const RunOptions& options = request.options;
        if (!options.functional || !options.sanitize || !options.poison || options.twin) {
            return nullptr;
        }
        return std::make_unique<Twins>([&request, &installation](const TwinOrder& order, int file) {
            return run_twin(request, installation, order, file);
        });
    }

    [[nodiscard]] nlohmann::ordered_json results() const {
        return result_digests(
            run_.plan, *tensors_, session_->checker()->first(), session_->machine().memory());
    }

    /// Where bytes that nobody wrote were read beside others: did they arrive in a result?
    void look_for_arrivals() {
        sanitize::Checker* checker = session_->checker() == nullptr ? nullptr : &session_->checker()->first();
        if (twins_ && checker != nullptr && (!checker->suspects().empty() || checker->plain_pointers())) {
            session_->progress().stage = "running again with other bytes in unwritten memory";
            find_arrivals(*checker, results(), *twins_);
        }
    }

    /// What this timing came to, for the process that asked for it.
    void hand_over_results() const {
        if (options_.timing.number == 0) {
            return;
        }
        const std::string bytes =
            result_bytes(run_.plan, *tensors_, session_->checker()->first(), session_->machine().memory());
        for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t count =
                pwrite(options_.results, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
            check(count > 0, "results of a twin: {}", std::strerror(errno));
            done += static_cast<std::size_t>(count);
        }
    }

    /// Runs the plan with other legal timings: where results differ, something is not ordered.
    void try_timings(json& totals) {
        if (options_.perturb == 0 || !twins_) {
            return;
        }
        session_->progress().stage = "running with other timings";
        sanitize::Checker& checker = session_->checker()->first();
        totals["perturb"] =
            find_timing_races(checker,
                              run_.plan,
                              result_bytes(run_.plan, *tensors_, checker, session_->machine().memory()),
                              {.count = options_.perturb,
                               .seed = options_.perturb_seed,
                               .poison = *options_.poison,
                               .cycles = totals["execution_cycles"].get<double>()},
                              *twins_);
    }

    /// Programs that will be called, over all blocks, launches and executions.
    [[nodiscard]] std::uint64_t total_blocks() const {
        std::uint64_t total = 0;
        for (const host::Launch& launch : run_.plan.launches) {
            const bool mix = launch.cores == CoreUse::mix_1_1 || launch.cores == CoreUse::mix_1_2;
            const std::uint64_t programs = !mix || !chip_.cores.split         ? 1
                                           : launch.cores == CoreUse::mix_1_1 ? 2
                                                                              : 3;
            total += launch.blocks * programs;
        }
        return total * (options_.warm_up + options_.repeat);
    }

    /// Submits the launches in order; each begins when the one before has ended.
    void execute(Session& session, bool warm_up) {
        std::vector<Machine::Ticket> tickets;
        for (std::size_t launch = 0; launch < run_.plan.launches.size(); ++launch) {
            tickets.push_back(session.submit(launch_of(session, launch)));
        }
        json execution{{"start", nullptr}, {"warm_up", warm_up}};
        for (const Machine::Ticket ticket : tickets) {
            const LaunchOutcome outcome = session.wait(ticket);
            execution["start"] = execution["start"].is_null() ? json(outcome.start) : execution["start"];
            execution["end"] = outcome.end;
        }
        executions_.push_back(std::move(execution));
    }

    Launch launch_of(Session& session, std::size_t index) {
        Launch launch =
            machine_launch(session, run_.plan.launches[index], functions_.of(index), arguments_[index]);
        launch.argument_bytes = run_.argument_bytes.value_or(launch.argument_bytes);
        return launch;
    }

    [[nodiscard]] std::uint64_t lines_a_dirty_one(std::uint64_t assumed) const {
        return options_.l2_lines_a_dirty_one == 0 ? assumed : options_.l2_lines_a_dirty_one;
    }

    /// Leaves in L2 what the first launch is to find there.
    void set_l2(Machine& machine) {
        switch (options_.l2) {
            case L2State::cold:
                return;
            case L2State::warm:
                warm_inputs(machine);
                break;
            case L2State::used:
                machine.l2().use(lines_a_dirty_one(used_lines_a_dirty_one));
                break;
            case L2State::chained:
                machine.l2().use(lines_a_dirty_one(chained_lines_a_dirty_one));
                hand_on(machine);
                break;
            case L2State::dirty:
                machine.l2().use(1);  // every line
                break;
        }
        machine.warm_stacks();
    }

    /// The inputs, as far as they fit, as an earlier run would have left them.
    void warm_inputs(Machine& machine) {
        for (const host::Buffer& buffer : run_.plan.buffers) {
            if (is_input(buffer)) {
                machine.l2().warm(offset_of(buffer), buffer.bytes());
            }
        }
    }

    /// The first input, as far as it fits, as the kernel before has just written it.
    void hand_on(Machine& machine) {
        for (const host::Buffer& buffer : run_.plan.buffers) {
            if (is_input(buffer)) {
                machine.l2().warm(offset_of(buffer), buffer.bytes(), true);
                return;
            }
        }
    }

    void write_outputs() const {
        if (!options_.functional) {
            return;
        }
        for (const OutputFile& output : run_.outputs) {
            for (const host::Buffer& buffer : run_.plan.buffers) {
                if (buffer.name == output.buffer) {
                    host::write_npy(output.file, buffer.type, buffer.shape, tensors_->bytes(buffer));
                }
            }
        }
    }

    [[nodiscard]] json metadata() const {
        json launches = json::array();
        for (const host::Launch& launch : run_.plan.launches) {
            launches.push_back({{"entry", launch.entry},
                                {"label", launch.label.empty() ? launch.entry : launch.label},
                                {"blocks", launch.blocks},
                                {"cores", name(launch.cores)}});
        }
        const host::Work& work = run_.plan.work;
        return {{"problem", run_.plan.problem},
                {"work",
                 {{"cube_flops", work.cube_flops},
                  {"cube_type", isa::name(work.cube_type)},
                  {"vector_flops", work.vector_flops},
                  {"vector_type", isa::name(work.vector_type)},
                  {"gm_bytes", work.gm_bytes}}},
                {"buffers", tensors_->description()},
                {"launches", std::move(launches)}};
    }

    [[nodiscard]] std::uint64_t offset_of(const host::Buffer& buffer) const {
        return session_->machine().memory().offset_of(tensors_->address(buffer.name));
    }

    const RunOptions& options_;
    const ChipSpec& chip_;
    const PlannedRun& run_;
    const json& metadata_;          // of the request
    std::unique_ptr<Twins> twins_;  // made before the kernels are loaded; null: none are wanted
    PlanFunctions functions_;
    Session* session_ = nullptr;  // from begin() on
    std::optional<Tensors> tensors_;
    std::vector<PlanArguments> arguments_;
    json executions_ = json::array();
};

}  // namespace

std::unique_ptr<Work> make_planned_work(const RunRequest& request,
                                        const PlannedRun& run,
                                        const toolchain::Installation& installation) {
    return std::make_unique<PlannedWork>(request, run, installation);
}

}  // namespace ascendsim::runtime
