// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/compare.hpp"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/compare_report.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class CompareCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Compare two runs: what changed, on which pipe, and why";
    }

    void declare(Options& options) override {
        options.positional("A", a_, "the run to start from: a recording or the name of a run");
        options.positional("B", b_, "the run to compare with it");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--html", html_, Output::file, "FILE", "write a page with both timelines, A over B");
        options.option("--threshold", threshold_, "PERCENT", "treat smaller changes as noise (default 1)");
    }

    [[nodiscard]] int run(const toolchain::Installation& /*installation*/) override {
        const record::Recording a{find_recording(a_)};
        const record::Recording b{find_recording(b_)};
        check_holds_something(a, a_);
        check_holds_something(b, b_);
        const analysis::Comparison comparison = analysis::compare(a, b, threshold());
        if (!html_.empty()) {
            std::ostringstream page;
            report::write_comparison_html(page, comparison, a, b);
            write_text(html_, page.str());
        }
        write_json(json_, "compare", analysis::to_json(comparison));
        if (takes_standard_output({json_, html_})) {
            return exit_good;
        }
        std::ostringstream text;
        report::print_comparison(text, comparison, report::Style::of_terminal(STDOUT_FILENO));
        say(text.str());
        return exit_good;
    }

private:
    /// As a share. Throws UserError if it is none.
    [[nodiscard]] double threshold() const {
        constexpr double otherwise = 0.01;
        constexpr double percent = 100;
        if (threshold_.empty()) {
            return otherwise;
        }
        std::istringstream text{threshold_};
        double value = -1;
        std::string rest;
        text >> value;
        if (!text || value < 0 || value > percent || (text >> rest && rest != "%")) {
            throw UserError{"compare --threshold {}: must be a percentage from 0 to 100", threshold_};
        }
        return value / percent;
    }

    std::string a_;
    std::string b_;
    std::string json_;
    std::string html_;
    std::string threshold_;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
    return std::make_unique<CompareCommand>();
}

}  // namespace ascendsim::cli
