// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "app/benchmark/benchmark_recording.hpp"
#include "app/benchmark/benchmark_report.hpp"
#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
#include "app/studies/batch.hpp"
#include "app/studies/sweep.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

class BenchCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Benchmark a scenario or a step: warm-up, percentiles, throughput, host jitter, baseline";
    }

    void declare(Options& options) override {
        options.positional(
            "FILE", file_, "a scenario, KERNEL.cpp, PROGRAM.cpp or a step, with or without [benchmark]");
        options.option("--over", over_, "PATH=A,B,C", "a case for each value, instead of benchmark.over");
        options.option("--items",
                       items_,
                       "N|PATH",
                       "items of an iteration, for items/s: a number or the path of one, as kernel.shape[0]");
        options.option("--chip", chip_, "CHIP", "simulate CHIP instead of the scenario's chip");
        options.list("--set", sets_, "PATH=VALUE", "set a value, as in benchmark.active=100");
        options.flag("--timing-only", timing_only_, "simulate the time without the arithmetic");
        options.option("--baseline", baseline_, "DIR", "folder with the figures of earlier benchmarks");
        options.flag("--update", update_, "write the figures of this one as the baseline");
        options.option("--jobs", jobs_, "N", "number of simulations at a time (default 2)");
        limits_.declare_bounds(options);
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--csv", csv_, Output::file, "FILE", "write a row for each case");
        options.output("--samples", samples_, Output::file, "FILE", "write a row for each iteration as CSV");
        options.output("--html", html_, Output::file, "FILE", "write a page with plots");
        options.output("--record",
                       record_,
                       Output::recording,
                       "FILE",
                       "write a recording for the dashboard: iterations of each case, and the plots");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (update_ && baseline_.empty()) {
            throw UserError{"bench --update: needs --baseline DIR, where it writes the figures"};
        }
        if (!update_ && !baseline_.empty() && !fs::is_directory(baseline_)) {
            throw UserError{"--baseline {}: there is nothing to compare with (--update creates it): {}",
                            baseline_,
                            why_no_folder(baseline_)};
        }
        const benchmark::Benchmark ran = simulated(installation);
        std::vector<benchmark::Change> changes;
        const fs::path kept = fs::path{baseline_} / (ran.name + ".bench.json");
        if (update_) {
            study::make_folder(baseline_);
            study::write_file(kept, benchmark::text_of(baseline_of(ran)));
        } else if (!baseline_.empty()) {
            const std::optional<benchmark::BenchmarkBaseline> before =
                benchmark::read_benchmark_baseline(kept);
            if (!before) {
                throw UserError{"{}: there is no such baseline; --update writes it", kept.string()};
            }
            changes = changes_of(*before, ran);
        }
        const std::vector<benchmark::LimitState> broken = broken_limits(ran);
        write_json(json_, "bench", to_json(ran, changes, broken));
        write_text(csv_, benchmark_csv(ran));
        write_text(samples_, samples_csv(ran));
        if (!record_.empty()) {
            benchmark::write_benchmark_recording(record_, ran);
        }
        if (!html_.empty()) {
            write_text(html_, benchmark_html(ran, changes, broken));
        }
        if (!takes_standard_output({json_, csv_, samples_, html_})) {
            say(benchmark_text(ran, changes, broken, report::Style::of_terminal(STDOUT_FILENO)));
        }
        const bool worse = std::ranges::any_of(changes, &benchmark::Change::worse);
        int exit = worse || !broken.empty() ? exit_check_failed : exit_good;
        for (const benchmark::Case& one : ran.cases) {
            exit = std::max(exit, one.exit);
        }
        return exit;
    }

private:
    /// True for a file of a step.
    [[nodiscard]] static bool is_step(const std::string& file) {
        return fs::path{file}.extension() == ".toml" && fs::is_regular_file(file) &&
               TomlFile::open(file).reader().find("step").has_value();
    }

    [[nodiscard]] std::vector<scenario::Override> overrides(bool step) const {
        std::vector<scenario::Override> result;
        if (!chip_.empty()) {
            result.push_back({step ? "step.chip" : "scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        if (timing_only_ && !step) {
            result.push_back({"scenario.mode", "timing"});
        }
        for (const std::string& set : sets_) {
            result.push_back(scenario::parse_override(set));
        }
        return result;
    }

    [[nodiscard]] benchmark::BenchmarkPlan plan_of(const TomlFile& file) const {
        benchmark::BenchmarkPlan plan = benchmark::read_plan(file);
        if (!over_.empty()) {
            const study::Axis axis = study::parse_axis(over_);
            benchmark::set_values(plan, axis.path, axis.values);
        }
        if (!items_.empty()) {
            plan.items = items_;
        }
        return plan;
    }

    [[nodiscard]] benchmark::Benchmark simulated(const toolchain::Installation& installation) const {
        const benchmark::BenchmarkOptions options{
            .jobs = jobs_, .progress = batch_progress(), .limits = limits_.bounds()};
        if (is_step(file_)) {
            const std::vector<scenario::Override> sets = overrides(true);
            const TomlFile step = TomlFile::open(file_);
            const benchmark::BenchmarkPlan plan = plan_of(scenario::with_overrides(step, sets));
            return benchmark::run_benchmark(step, sets, plan, installation, options);
        }
        const scenario::ScenarioFile file{file_, installation, overrides(false)};
        return benchmark::run_benchmark(file, plan_of(file.toml()), installation, options);
    }

    std::string file_;
    std::string over_;
    std::string items_;
    std::string chip_;
    std::vector<std::string> sets_;
    bool timing_only_ = false;
    std::string baseline_;
    bool update_ = false;
    std::uint32_t jobs_ = 2;
    Limits limits_;
    std::string json_;
    std::string csv_;
    std::string samples_;
    std::string html_;
    std::string record_;
};

}  // namespace

std::unique_ptr<Command> make_bench() {
    return std::make_unique<BenchCommand>();
}

}  // namespace ascendsim::cli
