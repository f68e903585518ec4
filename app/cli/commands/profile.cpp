// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/profile/profile_report.hpp"

namespace ascendsim::cli {
namespace {

class ProfileCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Read a profile of the vendor's profiler and show its operators beside their simulation";
    }

    void declare(Options& options) override {
        options.positional(
            "IMPORT",
            import_,
            "a folder of the profiler, or a kernel_details.csv, op_summary.csv, step_trace_time.csv or "
            "trace_view.json");
        options.option("--chip", chip_, "CHIP", "the chip it was measured on; 910b3 if left out");
        options.option("--jobs", jobs_, "N", "number of simulations at a time (default 2)");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--csv", csv_, Output::file, "FILE", "write a row for each kind of operator");
        options.output("--html", html_, Output::file, "FILE", "write a page");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const profile::ProfileComparison comparison = profile::compare_profile(
            profile::read_profile(import_),
            installation,
            {.chip = chip_.empty() ? "910b3" : chip_, .jobs = jobs_, .progress = batch_progress()});
        write_json(json_, "profile", to_json(comparison));
        write_text(csv_, profile_csv(comparison));
        write_text(html_, profile_html(comparison));
        if (!takes_standard_output({json_, csv_, html_})) {
            say(profile_text(comparison, report::Style::of_terminal(STDOUT_FILENO)));
        }
        return exit_good;
    }

private:
    std::string import_;
    std::string chip_;
    std::uint32_t jobs_ = 2;
    std::string json_;
    std::string csv_;
    std::string html_;
};

}  // namespace

std::unique_ptr<Command> make_profile() {
    return std::make_unique<ProfileCommand>();
}

}  // namespace ascendsim::cli
