// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/explain.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/explain_report.hpp"
#include "app/report/power_report.hpp"
#include "app/studies/advice_trials.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class ExplainCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Explain why a run took as long as it did";
    }

    void declare(Options& options) override {
        options.positional("RUN", run_, "a recording, the name of a run, or a scenario, which is run first");
        options.flag(
            "--try",
            try_,
            "run the changes that the advice proposes, and the run without each cause, to see what each "
            "gains; done without asking where the run takes a second or two");
        options.flag("--no-try", estimate_, "run nothing but the scenario itself: gains are bounds");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        limits_.declare_bounds(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (try_ && estimate_) {
            throw UserError{"explain: --try and --no-try exclude each other"};
        }
        if (try_) {
            check_may_be_run(run_);
        }
        // Nobody runs what a file from anywhere names, and nobody waits for what was not asked for.
        const bool tries = try_ || (!estimate_ && !names_a_recording(run_));
        const record::Recording recording{find_or_run(run_, installation)};
        check_holds_something(recording, run_);
        analysis::Explanation explanation = analysis::explain(recording);
        if (tries) {
            study::try_advice(
                explanation,
                recording,
                installation,
                {.jobs = 2, .look = {}, .progress = batch_progress(), .limits = limits_.bounds()},
                try_ ? study::Trying::all : study::Trying::cheap);
        }
        constexpr std::size_t stretches = 400;
        const std::optional<analysis::PowerCurve> power =
            analysis::power_curve(recording, explanation.summary, stretches);
        nlohmann::ordered_json json = analysis::to_json(explanation, recording);
        json["power"] = power ? to_json(*power) : nlohmann::ordered_json{};
        write_json(json_, "explain", json);
        if (takes_standard_output({json_})) {
            return exit_good;
        }
        std::ostringstream text;
        report::print_explanation(text, explanation, recording, report::Style::of_terminal(STDOUT_FILENO));
        say(text.str() +
            (power ? report::power_text(*power, report::Style::of_terminal(STDOUT_FILENO)) : ""));
        const bool more = std::ranges::any_of(explanation.advice, [](const analysis::Advice& advice) {
            return advice.trials.empty() && !advice.without;
        });
        if (more && !tries && !names_a_recording(run_)) {
            say(fmt::format(
                "\n  ascendsim explain {} --try  runs the changes above, to see what each gains\n", run_));
        }
        return exit_good;
    }

private:
    std::string run_;
    std::string json_;
    bool try_ = false;
    bool estimate_ = false;
    Limits limits_;
};

}  // namespace

std::unique_ptr<Command> make_explain() {
    return std::make_unique<ExplainCommand>();
}

}  // namespace ascendsim::cli
