// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/steps/step_report.hpp"

namespace ascendsim::cli {
namespace {

class StepCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run a step of several devices at task level and tell where its time went";
    }

    void declare(Options& options) override {
        options.positional("STEP", step_, "file of a step, as scenarios/steps/*.toml");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--trace", trace_, Output::file, "FILE", "write Chrome trace JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::filesystem::path models = installation.root / "models";
        const steps::StepProgram program =
            steps::read_step(step_, {.nodes = models / "nodes", .hosts = models / "hosts"});
        const steps::StepRun ran = steps::run_step(program);
        const steps::StepFigures figures = steps::figures_of(program, ran);
        if (!trace_.empty()) {
            write_text(trace_, steps::step_trace(program, ran));
        }
        write_json(json_, steps::step_json(program, figures));
        if (!takes_standard_output({json_, trace_})) {
            say(steps::step_text(program, figures));
        }
        return exit_good;
    }

private:
    std::string step_;
    std::string json_;
    std::string trace_;
};

}  // namespace

std::unique_ptr<Command> make_step() {
    return std::make_unique<StepCommand>();
}

}  // namespace ascendsim::cli
