// SPDX-License-Identifier: Apache-2.0
#include "app/studies/sweep.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/source_options.hpp"
#include "app/cli/text_output.hpp"
#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/interruption.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

class SweepCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override { return "Run a scenario over a grid of values"; }

    void declare(Options& options) override {
        options.positional("SCENARIO",
                           scenario_,
                           "SCENARIO.toml, the name of a scenario or a shipped kernel, or KERNEL.cpp");
        source_.declare_words(options);
        options.list(
            "--over",
            over_,
            "PATH=A,B,C",
            "values to run; several --over make a grid. Values that go together: PATH,PATH=A:B,C:D, or a "
            "table of them, @FILE.csv, whose first line has the paths");
        options.output("--out",
                       out_,
                       Output::folder,
                       "DIR",
                       "write sweep.csv and sweep.json to DIR (default: only print the table)");
        options.option("--jobs", jobs_, "N", "number of runs at a time (default 2)");
        limits_.declare_bounds(options);
        options.option("--chip", chip_, "CHIP", "simulate CHIP instead of the scenario's chip");
        options.list("--set", sets_, "PATH=VALUE", "set a value in all runs");
        options.flag("--timing-only", timing_only_, "simulate the time without the arithmetic");
        options.flag("--slurm", slurm_, "write DIR/sweep.sbatch for Slurm instead of running");
        options.flag("--collect", collect_, "read the results of the tasks of --slurm instead of running");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        source_.declare(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (over_.empty()) {
            throw UserError{"sweep: needs at least one --over path=value,value,..."};
        }
        if (out_.empty() && (slurm_ || collect_)) {
            throw UserError{"sweep: {} needs --out DIR", slurm_ ? "--slurm" : "--collect"};
        }
        std::vector<study::Axis> axes;
        for (const std::string& over : over_) {
            axes.push_back(study::parse_axis(over));
        }
        const scenario::ScenarioFile file = open_scenario(scenario_, installation, overrides());
        const std::vector<study::Cell> cells = study::grid_of(file, axes, file.overrides().size());
        if (!out_.empty()) {
            study::make_folder(out_);
        }
        if (slurm_) {
            return write_script(cells);
        }
        const process::Interruption interruption;  // what has been run by then is told
        const std::vector<study::SweepRow> rows =
            collect_ ? collected(cells) : simulated(file, cells, installation);
        const bool alone = takes_standard_output({json_});
        write_json(json_, "sweep", study::sweep_json(axes, rows));
        say(alone ? std::string{} : study::sweep_text(axes, rows, report::Style::of_terminal(STDOUT_FILENO)));
        if (!out_.empty()) {
            const fs::path table = fs::path{out_} / "sweep.csv";
            const fs::path figures = fs::path{out_} / "sweep.json";
            study::write_file(table, study::sweep_csv(axes, rows));
            write_json(figures.string(), "sweep", study::sweep_json(axes, rows));
            say(alone ? std::string{}
                      : fmt::format("  figures    {}\n  table      {}\n", figures.string(), table.string()));
        }
        if (process::Interruption::came()) {
            return exit_interrupted;
        }
        const bool any = std::ranges::any_of(rows, [](const study::SweepRow& row) {
            return row.json.value("outcome", std::string{}) == "complete";
        });
        if (!any && worst_exit(rows) == exit_good) {
            throw UserError{"sweep: all {} runs failed; the first error: {}",
                            rows.size(),
                            rows.front().json.value("error", std::string{})};
        }
        return worst_exit(rows);
    }

private:
    /// What `run` gives for the worst run that started; places of the grid where none can start are no fault.
    [[nodiscard]] static int worst_exit(const std::vector<study::SweepRow>& rows) {
        constexpr int cannot_start = 2;
        int worst = exit_good;
        for (const study::SweepRow& row : rows) {
            const int exit = study::exit_of(row.json);
            worst = exit == cannot_start ? worst : std::max(worst, exit);
        }
        return worst;
    }

    [[nodiscard]] std::vector<scenario::Override> overrides() const {
        std::vector<scenario::Override> result = source_.overrides();
        if (!chip_.empty()) {
            result.push_back({"scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        if (timing_only_) {
            result.push_back({"scenario.mode", "timing"});
        }
        for (const std::string& set : sets_) {
            result.push_back(scenario::parse_override(set));
        }
        return result;
    }

    [[nodiscard]] std::vector<study::SweepRow> simulated(const scenario::ScenarioFile& file,
                                                         const std::vector<study::Cell>& cells,
                                                         const toolchain::Installation& installation) const {
        std::vector<study::BatchRun> runs;
        for (const study::Cell& cell : cells) {
            runs.push_back({.file = file, .run = cell.run, .label = cell.label, .recording = {}});
        }
        const std::vector<study::BatchResult> results =
            study::run_batch(runs,
                             installation,
                             {.jobs = jobs_,
                              .look = {},
                              .progress = batch_progress(),
                              .limits = limits_.bounds(),
                              .stopped = &process::Interruption::came});
        std::vector<study::SweepRow> rows;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            ordered_json json = results[i].json;
            if (results[i].stopped) {  // says nothing of its place
                json = {{"outcome", "not_run"}, {"error", "the sweep was stopped before"}};
            } else if (!json.is_object()) {
                json = {{"outcome", "failed"}, {"error", results[i].error}, {"exit", results[i].exit}};
            }
            json.erase("recording");  // not kept
            rows.push_back({.cell = cells[i], .json = std::move(json)});
        }
        return rows;
    }

    [[nodiscard]] std::vector<study::SweepRow> collected(const std::vector<study::Cell>& cells) const {
        std::vector<study::SweepRow> rows;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            auto json = json_of<ordered_json>(process::text_of(fs::path{out_} / fmt::format("{}.json", i)));
            if (json.is_object()) {
                json.erase("schema");
            } else {
                json = {{"outcome", "failed"}, {"error", fmt::format("task {} left no result", i)}};
            }
            rows.push_back({.cell = cells[i], .json = std::move(json)});
        }
        return rows;
    }

    [[nodiscard]] int write_script(const std::vector<study::Cell>& cells) const {
        const fs::path script = fs::path{out_} / "sweep.sbatch";
        const fs::path program = fs::read_symlink("/proc/self/exe");
        const bool is_file = fs::exists(scenario_);
        study::write_file(script,
                          study::slurm_script(cells,
                                              program.string(),
                                              is_file ? fs::absolute(scenario_).string() : scenario_,
                                              fs::absolute(out_),
                                              jobs_));
        say(fmt::format("{} tasks; start them with: sbatch {}\n", cells.size(), script.string()));
        return exit_good;
    }

    std::string scenario_;
    std::vector<std::string> over_;
    std::string out_;
    std::uint32_t jobs_ = 2;
    Limits limits_;
    SourceOptions source_;
    std::string json_;
    std::string chip_;
    std::vector<std::string> sets_;
    bool timing_only_ = false;
    bool slurm_ = false;
    bool collect_ = false;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
    return std::make_unique<SweepCommand>();
}

}  // namespace ascendsim::cli
