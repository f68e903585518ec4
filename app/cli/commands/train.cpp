// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/training/training_text.hpp"
#include "networks/run/run_tasks.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class TrainCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Simulate a step of training on many devices: its time, memory, scaling and energy";
    }

    void declare(Options& options) override {
        options.positional("CONFIG", config_, "a configuration, as scenarios/training/*.toml");
        options.option(
            "--jobs", jobs_, "N", "simulate N kernels at a time; as many as there are cores if left out");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const training::TrainingConfig config = training::read_training(config_, installation);
        training::PlannedStep planned = training::planned_step(config);
        training::TrainingFigures figures{.step = {}, .memory = {}, .scaling = {}, .notes = {}};
        figures.memory = training::memory_of(config, training::memory_of(planned));
        training::check_memory(config, figures.memory);
        planned.run.results = simulated(config, planned, installation);
        const training::StepProfile profile = training::profile_of(config, planned);
        training::CollectiveTimes known;
        figures.step = training::times_of(config, profile, known);
        for (const std::uint32_t devices : config.scaling) {
            figures.scaling.push_back(training::times_of(on_devices(config, devices), profile, known));
        }
        figures.flops = profile.flops;
        figures.parameters = profile.parameters * config.layers;
        figures.notes = profile.notes;
        write_json(json_, training::training_json(config, figures));
        if (!takes_standard_output({json_})) {
            say(training::training_text(config, figures, report::Style::of_terminal(STDOUT_FILENO)));
        }
        return exit_good;
    }

private:
    [[nodiscard]] std::vector<networks::TaskResult> simulated(
        const training::TrainingConfig& config,
        const training::PlannedStep& planned,
        const toolchain::Installation& installation) const {
        std::vector<networks::Task> tasks;
        for (const networks::PlannedNode& node : planned.run.plan.nodes) {
            tasks.insert(tasks.end(), node.tasks.begin(), node.tasks.end());
        }
        const auto counted = batch_progress();
        return run_tasks(tasks,
                         config.chip.spec,
                         installation,
                         {.jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency()),
                          .progress = [&counted](std::size_t done, std::size_t all) {
                              if (counted) {
                                  counted(done, all, "kernels");
                              }
                          }});
    }

    std::string config_;
    std::uint32_t jobs_ = 0;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_train() {
    return std::make_unique<TrainCommand>();
}

}  // namespace ascendsim::cli
