// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/training/training_html.hpp"
#include "app/training/training_plots.hpp"
#include "networks/run/run_tasks.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

using training::ClimbedRung;
using training::TrainingConfig;
using training::TrainingFigures;

class TrainCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Simulate a step of training on many devices: its time, memory, scaling and energy";
    }

    void declare(Options& options) override {
        options.positional("CONFIG", config_, "a configuration, as scenarios/training/*.toml");
        options.list("--set", settings_, "PATH=VALUE", "set a value of the file, as in training.batch=4");
        options.flag("--ladder", ladder_, "run each [[rung]] of the file too, one on top of the other");
        options.flag("--no-precision",
                     no_precision_,
                     "with --ladder: leave out how far each rung's gradients are from float64");
        options.option(
            "--jobs", jobs_, "N", "simulate N kernels at a time; as many as there are cores if left out");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--record",
                       record_,
                       Output::recording,
                       "FILE",
                       "write a recording for the dashboard: what stages do, memory, scaling, ladder");
        options.output(
            "--html", html_, Output::file, "FILE", "write a page: timeline, memory, scaling, ladder");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const TrainingConfig config = training::read_training(config_, installation, settings_);
        TrainingFigures figures{};
        std::vector<ClimbedRung> rungs;
        try {
            figures = training::train(config, simulator(config, installation));
        } catch (const UserError& error) {
            if (!ladder_ || config.ladder.empty()) {
                throw;
            }
            if (!record_.empty() || !html_.empty()) {
                throw UserError{"{}; --record and --html need a configuration that runs", error.what()};
            }
            return climb_from_nothing(config, error.what(), installation);
        }
        if (ladder_) {
            rungs = climbed(config, figures, {}, installation);
        }
        nlohmann::ordered_json json = training::training_json(config, figures);
        if (ladder_) {
            json["ladder"] = training::ladder_json(rungs);
        }
        write_json(json_, "train", json);
        if (!record_.empty()) {
            training::write_training_recording(record_, config, figures, rungs);
        }
        write_text(html_, html_.empty() ? std::string{} : training::training_html(config, figures, rungs));
        if (!takes_standard_output({json_, html_})) {
            say(training::training_text(config, figures, report::Style::of_terminal(STDOUT_FILENO)) +
                (ladder_ ? training::ladder_text(rungs) : std::string{}));
        }
        return exit_good;
    }

private:
    /// The ladder of a configuration that cannot run as it is.
    [[nodiscard]] int climb_from_nothing(const TrainingConfig& config,
                                         const std::string& problem,
                                         const toolchain::Installation& installation) const {
        const std::vector<ClimbedRung> rungs = climbed(config, {}, problem, installation);
        write_json(json_,
                   "train",
                   {{"title", config.title}, {"problem", problem}, {"ladder", training::ladder_json(rungs)}});
        if (!takes_standard_output({json_})) {
            say(config.title + "\n" + training::ladder_text(rungs));
        }
        return exit_good;
    }

    /// The configuration as it is, then each rung with the settings of those before it.
    [[nodiscard]] std::vector<ClimbedRung> climbed(const TrainingConfig& config,
                                                   const TrainingFigures& figures,
                                                   const std::string& problem,
                                                   const toolchain::Installation& installation) const {
        if (config.ladder.empty()) {
            throw UserError{"--ladder: {} has no [[rung]]", config_};
        }
        std::vector<ClimbedRung> rungs{
            {.name = "as it is", .config = config, .figures = figures, .problem = problem}};
        std::vector<std::string> settings = settings_;
        for (const training::TrainingRung& rung : config.ladder) {
            settings.insert(settings.end(), rung.settings.begin(), rung.settings.end());
            ClimbedRung& next = rungs.emplace_back(
                ClimbedRung{.name = rung.name, .config = config, .figures = {}, .problem = {}});
            try {
                next.config = training::read_training(config_, installation, settings);
                next.figures = training::train(next.config, simulator(next.config, installation));
            } catch (const UserError& error) {
                next.problem = error.what();
            }
        }
        if (!no_precision_) {
            add_precision(rungs, installation);
        }
        return rungs;
    }

    /// Computes a pass of each rung that runs on its chip, and compares it with float64.
    void add_precision(std::vector<ClimbedRung>& rungs, const toolchain::Installation& installation) const {
        training::StepPrecisions precisions{installation};
        for (ClimbedRung& rung : rungs) {
            if (!rung.problem.empty() || rung.config.inference) {  // no loss, no gradients to compare
                continue;
            }
            try {
                rung.precision = precisions.of(rung.config, simulator(rung.config, installation));
            } catch (const UserError& error) {
                rung.why_no_precision = error.what();
            }
        }
    }

    [[nodiscard]] networks::TimeTasks simulator(const TrainingConfig& config,
                                                const toolchain::Installation& installation) const {
        return [this, &config, &installation](const std::vector<networks::Task>& tasks) {
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
        };
    }

    std::string config_;
    std::vector<std::string> settings_;
    bool ladder_ = false;
    bool no_precision_ = false;
    std::uint32_t jobs_ = 0;
    std::string json_;
    std::string html_;
    std::string record_;
};

}  // namespace

std::unique_ptr<Command> make_train() {
    return std::make_unique<TrainCommand>();
}

}  // namespace ascendsim::cli
