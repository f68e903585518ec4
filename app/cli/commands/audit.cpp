// SPDX-License-Identifier: Apache-2.0
#include "app/studies/audit.hpp"

#include <functional>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
#include "app/networks/network_figures.hpp"
#include "app/serving/serve_report.hpp"
#include "app/studies/batch.hpp"
#include "app/training/training_text.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

class AuditCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Judge claims about performance by physics, algebra and simulated runs";
    }

    void declare(Options& options) override {
        options.positionals("SCENARIO", names_, "scenarios or files of claims (default: all)", false);
        options.option(
            "--baseline", baseline_, "DIR", "take the figures of runs from DIR instead of running");
        options.flag("--update",
                     update_,
                     "simulate the networks that claims ask for, and write their figures to the folder of "
                     "--baseline");
        options.output("--markdown", markdown_, Output::file, "FILE", "write Markdown");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.option("--jobs", jobs_, "N", "number of runs at a time (default 2)");
        limits_.declare_bounds(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (update_ && baseline_.empty()) {
            throw UserError{"--update goes with --baseline DIR"};
        }
        std::vector<study::Audit> audits;
        for (const fs::path& file : files(installation)) {
            const study::ClaimFile claims = study::read_claim_file(file, installation);
            if (claims.claims.empty()) {
                throw UserError{"{}: has no [[claims]]", file.string()};
            }
            audits.push_back(study::judge_claims(claims, figures(file, claims, installation)));
        }
        if (!markdown_.empty()) {
            write_text(markdown_, study::audit_markdown(audits));
        }
        write_json(json_, "audit", study::audit_json(audits));
        if (takes_standard_output({json_, markdown_})) {
            return exit_good;
        }
        say(study::audit_text(audits, report::Style::of_terminal(STDOUT_FILENO)));
        return exit_good;
    }

private:
    [[nodiscard]] std::vector<fs::path> files(const toolchain::Installation& installation) const {
        if (names_.empty()) {
            return study::claim_files(installation);
        }
        std::vector<fs::path> files;
        for (const std::string& name : names_) {
            const fs::path claims = installation.claims() / (name + ".toml");
            const bool bare = fs::path{name}.extension().empty() && !fs::exists(name);
            if (bare && fs::is_regular_file(claims)) {
                files.push_back(claims);
            } else if (bare) {
                files.emplace_back(scenario::ScenarioFile{name, installation, {}}.path());
            } else {
                files.emplace_back(name);
            }
        }
        return files;
    }

    /// The figures of a scenario's runs: from the baselines, or from running it.
    [[nodiscard]] study::RunFigures figures(const fs::path& file,
                                            const study::ClaimFile& claims,
                                            const toolchain::Installation& installation) const {
        study::RunFigures figures;
        if (!claims.runs) {
            return figures;
        }
        if (!claims.networks.empty() || !claims.systems.empty()) {
            study::RunFigures all = figures_of_networks(claims, installation);
            all.merge(figures_of_systems(claims, installation));
            return all;
        }
        const std::vector<study::BatchRun> runs =
            study::runs_of(scenario::ScenarioFile{file.string(), installation, {}}, 0);
        if (!baseline_.empty()) {
            for (const study::BatchRun& run : runs) {
                if (std::optional<study::Baseline> found = study::read_baseline(baseline_, run.label)) {
                    figures.emplace(run.label, std::move(*found));
                }
            }
            return figures;
        }
        for (const study::BatchResult& result : study::run_batch(
                 runs,
                 installation,
                 {.jobs = jobs_, .look = {}, .progress = batch_progress(), .limits = limits_.bounds()})) {
            if (result.complete()) {
                figures.emplace(result.label, study::baseline_of(result.json));
            }
        }
        return figures;
    }

    /// The figures of the networks of a file: from the baselines, or from simulating them.
    [[nodiscard]] study::RunFigures figures_of_networks(const study::ClaimFile& claims,
                                                        const toolchain::Installation& installation) const {
        study::RunFigures figures;
        for (const study::ClaimNetwork& one : claims.networks) {
            keep(figures, claims, one.label, [&] {
                return report::network_figures({.file = installation.scenarios() / one.network,
                                                .extents = one.extents,
                                                .fuse = one.fuse},
                                               claims.chip,
                                               installation,
                                               {.jobs = jobs_, .progress = {}});
            });
        }
        return figures;
    }

    /// The same of its serving systems and steps of training.
    [[nodiscard]] study::RunFigures figures_of_systems(const study::ClaimFile& claims,
                                                       const toolchain::Installation& installation) const {
        study::RunFigures figures;
        for (const study::ClaimSystem& one : claims.systems) {
            const fs::path file = installation.scenarios() / one.file;
            keep(figures, claims, one.label, [&] {
                return one.serves ? serving::served_figures(file, one.settings, installation, jobs_)
                                  : training::trained_figures(file, one.settings, installation, jobs_);
            });
        }
        return figures;
    }

    /// Puts the figures of a run there: as the baselines have them, or as `simulate` finds them.
    void keep(study::RunFigures& figures,
              const study::ClaimFile& claims,
              const std::string& run,
              const std::function<std::map<std::string, double>()>& simulate) const {
        const std::string label = fmt::format("{}-{}", claims.name, run);
        if (!baseline_.empty() && !update_) {
            if (std::optional<study::Baseline> found = study::read_baseline(baseline_, label)) {
                figures.emplace(label, std::move(*found));
            }
            return;
        }
        const study::Baseline found{.scenario = claims.name, .figures = simulate()};
        if (update_) {
            write_text((fs::path{baseline_} / (label + ".json")).string(), study::text_of(found));
        }
        figures.emplace(label, found);
    }

    std::vector<std::string> names_;
    std::string baseline_;
    bool update_ = false;
    std::string markdown_;
    std::string json_;
    std::uint32_t jobs_ = 2;
    Limits limits_;
};

}  // namespace

std::unique_ptr<Command> make_audit() {
    return std::make_unique<AuditCommand>();
}

}  // namespace ascendsim::cli
