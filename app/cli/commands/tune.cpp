// SPDX-License-Identifier: Apache-2.0
#include "app/studies/tune.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/source_options.hpp"
#include "app/cli/text_output.hpp"
#include "sim/base/error.hpp"
#include "sim/process/interruption.hpp"

namespace ascendsim::cli {
namespace {

class TuneCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Search for the best values of the knobs that a scenario lists under [tune]";
    }

    void declare(Options& options) override {
        options.positional("SCENARIO",
                           scenario_,
                           "SCENARIO.toml, the name of a scenario or a shipped kernel, or KERNEL.cpp");
        source_.declare_words(options);
        limits_.declare(options);
        options.option("--chip", chip_, "CHIP", "simulate CHIP instead of the scenario's chip");
        options.list("--set", sets_, "PATH=VALUE", "set a value of the scenario");
        options.option("--budget", budget_, "N", "most runs to make, instead of the scenario's limit");
        options.option("--jobs", jobs_, "N", "number of runs at a time (default 2)");
        options.output("--toml", toml_, Output::file, "FILE", "write a scenario with the best values");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        source_.declare(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const runtime::IsolatedLimits bounds = limits_.enter(
            {.sources = sources(), .folders = source_.folders(), .outputs = {toml_, json_}}, installation);
        std::vector<scenario::Override> overrides = source_.overrides();
        if (!chip_.empty()) {
            overrides.push_back({"scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        for (const std::string& set : sets_) {
            overrides.push_back(scenario::parse_override(set));
        }
        const scenario::ScenarioFile file = open_scenario(scenario_, installation, std::move(overrides));
        check_place_of_toml(file);
        study::TuneSpace space = study::read_tune(file.toml());
        space.budget = budget_ == 0 ? space.budget : budget_;
        const std::vector<study::BatchRun> runs = study::runs_of(file, file.overrides().size());
        if (runs.size() != 1 && !covers(space, runs.front(), file.overrides().size())) {
            throw UserError{"tune {}: has {} variants; choose one with --set, as in --set {}={}",
                            scenario_,
                            runs.size(),
                            runs.front().run.back().path,
                            runs.front().run.back().value};
        }
        const process::Interruption interruption;  // what has been tried by then is told
        const study::BatchOptions options{.jobs = jobs_,
                                          .look = {},
                                          .progress = batch_progress(),
                                          .limits = bounds,
                                          .stopped = &process::Interruption::came};
        try {
            print(study::tune(study::fastest_of(runs, installation, options), space, installation, options));
        } catch (const UserError& error) {
            if (!process::Interruption::came()) {
                throw;
            }
            complain(fmt::format("ascendsim: {}\n", error.what()));
        }
        return process::Interruption::came() ? exit_interrupted : exit_good;
    }

private:
    [[nodiscard]] std::vector<std::string> sources() const {
        std::vector<std::string> files = source_.files();
        files.push_back(scenario_);
        return files;
    }

    /// What is written names the sources and data of a kernel or a program of one's own as the scenario
    /// does: from its folder.
    void check_place_of_toml(const scenario::ScenarioFile& file) const {
        const scenario::Scenario scenario = file.read(file.runs().front());
        if (toml_.empty() || toml_ == "-" || (!scenario.user && !scenario.program)) {
            return;
        }
        namespace fs = std::filesystem;
        const fs::path folder = fs::weakly_canonical(fs::absolute(scenario.file)).parent_path();
        if (fs::weakly_canonical(fs::absolute(toml_)).parent_path() != folder) {
            throw UserError{
                "--toml {}: must lie in {}, from where the scenario names its files", toml_, folder.string()};
        }
    }

    /// True if whatever variants would choose is the tuner's to choose.
    [[nodiscard]] static bool covers(const study::TuneSpace& space,
                                     const study::BatchRun& run,
                                     std::size_t given) {
        return std::all_of(run.run.begin() + static_cast<std::ptrdiff_t>(given),
                           run.run.end(),
                           [&](const scenario::Override& variant) {
                               return std::ranges::find(space.knobs, variant.path, &study::TuneKnob::path) !=
                                      space.knobs.end();
                           });
    }

    void print(const study::Tuning& tuning) const {
        const std::string toml = study::tune_toml(tuning);
        if (!toml_.empty()) {
            write_text(toml_, toml);
        }
        write_json(json_, "tune", study::to_json(tuning));
        if (takes_standard_output({json_, toml_})) {
            return;
        }
        say(study::tune_text(tuning, report::Style::of_terminal(STDOUT_FILENO)));
        if (toml_.empty()) {
            say(fmt::format("\n{}", toml));
        } else {
            say(fmt::format("\nRun it with: ascendsim run {}\n", toml_));
        }
    }

    std::string scenario_;
    std::string chip_;
    std::vector<std::string> sets_;
    std::uint32_t budget_ = 0;
    std::uint32_t jobs_ = 2;
    Limits limits_;
    SourceOptions source_;
    std::string toml_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_tune() {
    return std::make_unique<TuneCommand>();
}

}  // namespace ascendsim::cli
