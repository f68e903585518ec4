// SPDX-License-Identifier: Apache-2.0
#include "app/doctor/doctor.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"
#include "app/version/version.hpp"

namespace ascendsim::cli {
namespace {

void print_findings(const std::vector<doctor::Finding>& findings) {
    const report::Style style = report::Style::of_terminal(STDOUT_FILENO);
    say(fmt::format("ascendsim {}\n", version()));
    for (const doctor::Finding& one : findings) {
        const report::Tone tone = one.state == doctor::State::good      ? report::Tone::good
                                  : one.state == doctor::State::warning ? report::Tone::fair
                                                                        : report::Tone::poor;
        say(fmt::format("  {}{}{}\n",
                        report::toned(style, tone, report::left(std::string{doctor::name(one.state)}, 9)),
                        report::left(one.subject, 14),
                        one.found));
        if (!one.advice.empty()) {
            say(fmt::format("  {}{}\n", report::left("", 23), one.advice));
        }
    }
    say(fmt::format("{}\n",
                    doctor::is_ready(findings)
                        ? "Kernels can be compiled and run."
                        : "Kernels cannot be compiled and run until the problems above are solved."));
}

nlohmann::ordered_json as_json(const std::vector<doctor::Finding>& findings) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const doctor::Finding& one : findings) {
        all.push_back({{"subject", one.subject},
                       {"state", doctor::name(one.state)},
                       {"found", one.found},
                       {"advice", one.advice}});
    }
    return {{"ready", doctor::is_ready(findings)},
            {"version", release()},
            {"commit", commit()},
            {"findings", std::move(all)}};
}

class DoctorCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Check this machine: what is missing, how to install it, and whether a kernel runs";
    }

    void declare(Options& options) override {
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::vector<doctor::Finding> findings =
            doctor::examine(installation, std::filesystem::canonical("/proc/self/exe"));
        if (!takes_standard_output({json_})) {
            print_findings(findings);
        }
        write_json(json_, "doctor", as_json(findings));
        return doctor::is_ready(findings) ? exit_good : exit_check_failed;
    }

private:
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_doctor() {
    return std::make_unique<DoctorCommand>();
}

}  // namespace ascendsim::cli
