// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/studies/batch.hpp"
#include "app/validation/networks/networks_validation.hpp"
#include "app/validation/report.hpp"
#include "app/validation/serving/serving_validation.hpp"
#include "app/validation/system/system_validation.hpp"
#include "app/validation/validation.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class ValidateCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Compare simulated times with published measurements and print the errors";
    }

    void declare(Options& options) override {
        options.flag(
            "--system", system_, "compare machines instead: copies, transfers, collectives, host calls");
        options.flag(
            "--serving", serving_, "compare served language models instead, and kernels of their steps");
        options.flag(
            "--networks",
            networks_,
            "compare operators of networks instead: kernels of steps, their sums, what fusion gains");
        options.list(
            "--family", families_, "F", "rows of this family, as in GEMM; may be repeated (default: all)");
        options.option("--data",
                       data_,
                       "FILE",
                       "CSV file of measurements to use instead of those shipped, in the same form");
        options.option("--library",
                       library_,
                       "DIR",
                       "run black box rows by the kernels of DIR, a checkout of an operator library, too");
        options.list("--chip", chips_, "CHIP", "rows of this chip (default: 910b1 to 910b4)");
        options.list("--reliability", reliabilities_, "WORD", "high, medium or low (default: high)");
        options.flag("--all", all_, "all rows: every chip and every reliability");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--csv", csv_, Output::file, "FILE", "write a table of all rows");
        options.output("--html", html_, Output::file, "FILE", "write a page with the scatter plot");
        options.output("--document",
                       document_,
                       Output::folder,
                       "DIR",
                       "write DIR/fidelity.md and its plots in DIR/images");
        options.list("--set", sets_, "PATH=VALUE", "set a value in all runs, as in chip.l2.gb_per_s=5000");
        options.option("--jobs", jobs_, "N", "number of simulations at a time (default 2)");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (system_ || serving_ || networks_) {
            return run_system(installation);
        }
        const validation::Validation result = validation::validate(wanted(), installation);
        if (!csv_.empty()) {
            write_text(csv_, validation::validation_csv(result));
        }
        if (!html_.empty()) {
            write_text(html_, validation::validation_html(result));
        }
        if (!document_.empty()) {
            validation::write_document(result, document_, installation);
        }
        write_json(json_, "validate", validation::validation_json(result));
        if (takes_standard_output({json_, csv_, html_})) {
            return exit_good;
        }
        say(validation::validation_text(result, report::Style::of_terminal(STDOUT_FILENO)));
        return exit_good;
    }

private:
    [[nodiscard]] int run_system(const toolchain::Installation& installation) const {
        if (!families_.empty() || !chips_.empty() || !reliabilities_.empty() || all_ || !html_.empty() ||
            !document_.empty() || !sets_.empty()) {
            throw UserError{"--{} goes with --data, --json, --csv and --jobs only",
                            networks_  ? "networks"
                            : serving_ ? "serving"
                                       : "system"};
        }
        if (int{system_} + int{serving_} + int{networks_} > 1) {
            throw UserError{"--system, --serving and --networks are different comparisons: state one"};
        }
        const validation::SystemValidation result =
            networks_  ? validation::validate_networks(data_, installation, tasks())
            : serving_ ? validation::validate_serving(data_, installation, tasks())
                       : validation::validate_system(data_, installation);
        if (!csv_.empty()) {
            write_text(csv_, validation::system_csv(result));
        }
        write_json(json_, "validate", validation::system_json(result));
        if (!takes_standard_output({json_, csv_})) {
            say(validation::system_text(result));
        }
        return exit_good;
    }

    [[nodiscard]] networks::TaskOptions tasks() const {
        networks::TaskOptions options{.jobs = jobs_ != 0 ? jobs_ : 2, .progress = {}};
        if (const auto show = batch_progress()) {
            options.progress = [show](std::size_t done, std::size_t all) { show(done, all, "kernels"); };
        }
        return options;
    }

    [[nodiscard]] validation::ValidationOptions wanted() const {
        validation::ValidationOptions options{
            .data = data_, .all = all_, .jobs = jobs_, .progress = batch_progress()};
        options.library = library_;
        for (std::string family : families_) {
            for (char& letter : family) {
                letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
            }
            options.families.push_back(std::move(family));
        }
        for (const std::string& chip : chips_) {
            options.chips.push_back(normalized_chip_name(chip));
        }
        for (const std::string& word : reliabilities_) {
            if (word != "high" && word != "medium" && word != "low") {
                throw UserError{"--reliability {}: must be high, medium or low", word};
            }
            options.reliabilities.push_back(word);
        }
        for (const std::string& set : sets_) {
            options.set.push_back(scenario::parse_override(set));
        }
        return options;
    }

    std::vector<std::string> families_;
    std::string data_;
    std::string library_;
    std::vector<std::string> chips_;
    std::vector<std::string> reliabilities_;
    bool all_ = false;
    bool system_ = false;
    bool serving_ = false;
    bool networks_ = false;
    std::string json_;
    std::string csv_;
    std::string html_;
    std::string document_;
    std::vector<std::string> sets_;
    std::uint32_t jobs_ = 2;
};

}  // namespace

std::unique_ptr<Command> make_validate() {
    return std::make_unique<ValidateCommand>();
}

}  // namespace ascendsim::cli
