// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/plan_sequence.hpp"

#include <algorithm>
#include <utility>

#include "runtime/session/plan_launch.hpp"
#include "runtime/session/tensors.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

class SequenceWork final : public Work {
public:
    SequenceWork(const RunOptions& options,
                 const std::vector<const ReadyPlan*>& plans,
                 const std::function<void(const RunPlan&)>& program)
        : options_{options}, plans_{plans}, program_{program} {}

    [[nodiscard]] std::vector<CodeRange> kernel_code() const override {
        std::map<std::string, std::vector<CodeRange>> files;
        for (const ReadyPlan* plan : plans_) {
            for (const std::string& file : plan->functions.files()) {
                files.try_emplace(file, code_of(file));
            }
        }
        std::vector<CodeRange> code;
        for (const auto& [file, ranges] : files) {
            code.insert(code.end(), ranges.begin(), ranges.end());
        }
        return code;
    }

    nlohmann::json begin(Session& /*session*/) override { return nlohmann::json::object(); }

    void run(Session& session) override {
        program_([&](const ReadyPlan& plan, const Contents& contents) {
            return run_plan(session, plan, contents);
        });
    }

    [[nodiscard]] nlohmann::json executions(const MachineTotals& /*machine*/) const override {
        return nlohmann::json::array({{{"start", first_}, {"end", last_}, {"warm_up", false}}});
    }

    [[nodiscard]] double flops(const MachineTotals& /*machine*/) const override { return flops_; }

    void judge(Session& /*session*/, SessionOutcome& /*outcome*/, nlohmann::json& /*totals*/) override {}

private:
    PlanOutcome run_plan(Session& session, const ReadyPlan& ready, const Contents& contents) {
        host::Plan plan = ready.run.plan;
        for (host::Buffer& buffer : plan.buffers) {
            if (const auto found = contents.find(buffer.name); found != contents.end()) {
                buffer.fill = host::fill::Content{found->second};
            }
        }
        isa::GlobalMemory& memory = session.machine().memory();
        Tensors tensors{plan, memory, options_.seed, options_.functional};
        tensors.compute_reference();
        PlanOutcome outcome{.outputs = {}, .comparisons = {}, .cycles = launch(session, ready, tensors)};
        outcome.comparisons = tensors.compare();
        outcome.expected = tensors.take_expected();
        flops_ += plan.work.flops();
        for (const host::Buffer& buffer : plan.buffers) {
            if (buffer.role == host::Role::output || buffer.role == host::Role::in_out) {
                const std::span<const std::byte> bytes = tensors.bytes(buffer);
                outcome.outputs[buffer.name].assign(bytes.begin(), bytes.end());
            }
        }
        for (const host::Buffer& buffer : plan.buffers) {
            memory.release(tensors.address(buffer.name));
        }
        return outcome;
    }

    /// The cycles from the first launch's start to the last one's end.
    std::uint64_t launch(Session& session, const ReadyPlan& ready, const Tensors& tensors) {
        std::vector<PlanArguments> arguments;
        for (const host::Launch& launch : ready.run.plan.launches) {
            arguments.emplace_back(launch, tensors);
        }
        std::uint64_t cycles = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const LaunchOutcome outcome = session.wait(session.submit(
                machine_launch(session, ready.run.plan.launches[i], ready.functions.of(i), arguments[i])));
            first_ = std::min<std::uint64_t>(first_, outcome.start);
            last_ = outcome.end;
            cycles += outcome.end - outcome.start;
        }
        return cycles;
    }

    const RunOptions& options_;
    const std::vector<const ReadyPlan*>& plans_;
    const std::function<void(const RunPlan&)>& program_;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
    double flops_ = 0;
};

}  // namespace

SessionOutcome run_sequence(const RunRequest& request,
                            const std::vector<const ReadyPlan*>& plans,
                            const std::function<void(const RunPlan&)>& program) {
    SequenceWork work{request.options, plans, program};
    SessionProgress progress;
    Session session{request, {}, progress};
    return session.run(work);
}

}  // namespace ascendsim::runtime
