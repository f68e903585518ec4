// SPDX-License-Identifier: Apache-2.0
#include "app/studies/whatif.hpp"

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

class WhatifCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run again with one resource faster at a time, to find what limits the run";
    }

    void declare(Options& options) override {
        options.positional("SCENARIO",
                           scenario_,
                           "SCENARIO.toml, the name of a scenario, a shipped kernel or a run, or KERNEL.cpp");
        options.option("--chip", chip_, "CHIP", "simulate CHIP instead of the scenario's chip");
        options.list(
            "--set", sets_, "PATH=VALUE", "set a value of the scenario, as in kernel.schedule=fused");
        options.flag("--timing-only", timing_only_, "simulate the time without the arithmetic");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.option("--jobs", jobs_, "N", "number of runs at a time (default 2)");
        limits_.declare_bounds(options);
        source_.declare(options);
        source_.declare_words(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        std::vector<scenario::Override> overrides = source_.overrides();
        if (!chip_.empty()) {
            overrides.push_back({"scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        if (timing_only_) {
            overrides.push_back({"scenario.mode", "timing"});
        }
        for (const std::string& set : sets_) {
            overrides.push_back(scenario::parse_override(set));
        }
        const scenario::ScenarioFile file = open_scenario(scenario_, installation, std::move(overrides));
        const process::Interruption interruption;  // what has been found by then is told
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        const std::vector<study::BatchRun> runs = study::runs_of(file, file.overrides().size());
        for (const study::BatchRun& run : runs) {
            try {
                add(list, run, installation);
            } catch (const UserError& error) {
                if (!process::Interruption::came()) {
                    throw;
                }
                complain(fmt::format("ascendsim: {}\n", error.what()));
            }
            if (process::Interruption::came()) {
                break;
            }
        }
        if (!list.empty()) {
            write_json(json_, "whatif", runs.size() == 1 ? list.front() : list);
        }
        return process::Interruption::came() ? exit_interrupted : exit_good;
    }

private:
    /// Tries what limits a run, prints that and adds it to `list`.
    void add(nlohmann::ordered_json& list,
             const study::BatchRun& run,
             const toolchain::Installation& installation) const {
        const study::WhatIf result = study::what_if(run,
                                                    installation,
                                                    {.jobs = jobs_,
                                                     .look = {},
                                                     .progress = batch_progress(),
                                                     .limits = limits_.bounds(),
                                                     .stopped = &process::Interruption::came});
        list.push_back(study::to_json(result));
        if (!takes_standard_output({json_})) {
            say(fmt::format("{}\n", study::whatif_text(result, report::Style::of_terminal(STDOUT_FILENO))));
            std::fflush(stdout);
        }
    }

    std::string scenario_;
    std::string chip_;
    std::vector<std::string> sets_;
    bool timing_only_ = false;
    std::string json_;
    std::uint32_t jobs_ = 2;
    Limits limits_;
    SourceOptions source_;
};

}  // namespace

std::unique_ptr<Command> make_whatif() {
    return std::make_unique<WhatifCommand>();
}

}  // namespace ascendsim::cli
