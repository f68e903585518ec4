// SPDX-License-Identifier: Apache-2.0
#include "scenarios/analysis/explain.hpp"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "kernels/host/installation.hpp"
#include "scenarios/cli/command.hpp"
#include "scenarios/report/explain_report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

/// The recording a word means: a file, or the last run of that name.
fs::path find_recording(const std::string& name) {
    if (fs::is_regular_file(name)) {
        return name;
    }
    const fs::path last = host::cache_folder() / "runs" / (name + ".rec");
    if (fs::is_regular_file(last)) {
        return last;
    }
    throw UserError{"{}: neither a recording nor the name of a run (runs are kept in {})",
                    name,
                    last.parent_path().string()};
}

class ExplainCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Explain why a run took as long as it did";
    }

    void declare(Options& options) override {
        options.positional("RUN", run_, "a recording, or the name of the last run of a scenario");
        options.option("--json", json_, "-", "print JSON instead");
    }

    [[nodiscard]] int run(const host::Installation& /*installation*/) override {
        if (!json_.empty() && json_ != "-") {
            throw UserError{"explain --json {}: only standard output (-) is possible", json_};
        }
        const record::Recording recording{find_recording(run_)};
        const analysis::Explanation explanation = analysis::explain(recording);
        if (json_ == "-") {
            fmt::print("{}\n", analysis::to_json(explanation, recording).dump(2));
            return exit_good;
        }
        std::ostringstream text;
        report::print_explanation(text, explanation, recording, report::Style::of_terminal(STDOUT_FILENO));
        fmt::print("{}", text.str());
        return exit_good;
    }

private:
    std::string run_;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_explain() {
    return std::make_unique<ExplainCommand>();
}

}  // namespace ascendsim::cli
