// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <unistd.h>

#include "app/analysis/file_name.hpp"
#include "app/analysis/line_costs.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

using analysis::AnnotatedLine;
using analysis::FileCosts;
using nlohmann::ordered_json;
using report::Tone;

std::uint64_t cycles_of(const FileCosts& costs) {
    return std::accumulate(
        costs.begin(), costs.end(), std::uint64_t{0}, [](std::uint64_t sum, const auto& line) {
            return sum + line.second.busy + line.second.wait;
        });
}

class AnnotateCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Show the sources of a run with what each line cost and waited for";
    }

    void declare(Options& options) override {
        options.positional("RUN", run_, "a recording, the name of a run, or a scenario, which is run first");
        options.option("--file", file_, "NAME", "show this file alone, the framework's among them");
        options.flag("--all-lines", all_lines_, "show lines without cost that are far from others, too");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const record::Recording recording{find_or_run(run_, installation)};
        check_holds_something(recording, run_);
        const analysis::RunSummary summary = analysis::summarise(recording);
        const analysis::CriticalPath path = analysis::critical_path(recording, summary.from, summary.to);
        const std::map<std::string, FileCosts> files = analysis::line_costs(recording, path);
        const std::vector<std::string> shown = shown_files(files);
        write_json(json_, "annotate", json_of(recording, files, shown, installation));
        if (takes_standard_output({json_})) {
            return exit_good;
        }
        if (!summary.complete) {
            say(report::toned(report::Style::of_terminal(STDOUT_FILENO), Tone::poor, report::not_ended) +
                "\n\n");
        }
        for (const std::string& file : shown) {
            print(recording, file, files.at(file), path.cycles(), installation);
        }
        return exit_good;
    }

private:
    /// Files to show, the most expensive first: the kernel's own unless one is asked for.
    [[nodiscard]] std::vector<std::string> shown_files(const std::map<std::string, FileCosts>& files) const {
        std::vector<std::string> names;
        std::vector<std::string> known;
        for (const auto& [file, costs] : files) {
            const bool framework = file.find("kernels/ascendc/") != std::string::npos;
            known.push_back(analysis::file_name(file));
            if (file_.empty() ? !framework : file == file_ || analysis::file_name(file) == file_) {
                names.push_back(file);
            }
        }
        if (names.empty() && file_.empty()) {
            throw UserError{"annotate {}: the recording names no line of a kernel", run_};
        }
        if (names.empty()) {
            throw UserError{
                "annotate --file {}: the run has no such file{}", file_, nearest_hint(file_, known)};
        }
        std::ranges::stable_sort(names, std::ranges::greater{}, [&](const std::string& name) {
            return cycles_of(files.at(name));
        });
        return names;
    }

    void print(const record::Recording& recording,
               const std::string& file,
               const FileCosts& costs,
               std::uint64_t path_cycles,
               const toolchain::Installation& installation) const {
        const report::Style style = report::Style::of_terminal(STDOUT_FILENO);
        const std::vector<std::string> lines =
            analysis::source_lines(recording, file, installation.root.string());
        say(fmt::format(
            "{}{}\n", report::toned(style, Tone::strong, file), lines.empty() ? " (no text here)" : ""));
        say(report::toned(
            style, Tone::dim, "   path %        busy       waits  mostly       times   line\n"));
        const std::uint32_t last = std::max<std::uint32_t>(static_cast<std::uint32_t>(lines.size()),
                                                           costs.empty() ? 0 : costs.rbegin()->first);
        bool gap = false;
        for (std::uint32_t number = 1; number <= last; ++number) {
            if (!all_lines_ && is_far(costs, number)) {
                say(gap ? "" : report::toned(style, Tone::dim, "   ...\n"));
                gap = true;
                continue;
            }
            gap = false;
            const std::string text = number <= lines.size() ? lines[number - 1] : std::string{};
            say(line(style, number, text, costs, path_cycles));
        }
        say("\n");
    }

    /// True for lines with no cost within some lines of them.
    static bool is_far(const FileCosts& costs, std::uint32_t number) {
        constexpr std::uint32_t near = 3;
        const auto next = costs.lower_bound(number > near ? number - near : 0);
        return next == costs.end() || next->first > number + near;
    }

    static std::string line(const report::Style& style,
                            std::uint32_t number,
                            const std::string& text,
                            const FileCosts& costs,
                            std::uint64_t path_cycles) {
        const auto found = costs.find(number);
        if (found == costs.end()) {
            return fmt::format(
                "{:56}{}  {}\n", "", report::toned(style, Tone::dim, fmt::format("{:6}", number)), text);
        }
        const AnnotatedLine& cost = found->second;
        const double share =
            path_cycles == 0 ? 0 : static_cast<double>(cost.path) / static_cast<double>(path_cycles);
        constexpr double much = 0.1;
        const Tone tone = share >= much ? Tone::poor : share > 0 ? Tone::fair : Tone::plain;
        return fmt::format("{} {:>11} {:>11}  {:<11} {:>7}  {}  {}\n",
                           report::toned(style, tone, fmt::format("{:>9.1f}", 100 * share)),
                           report::count_text(cost.busy),
                           report::count_text(cost.wait),
                           cost.reason,
                           report::count_text(cost.count),
                           report::toned(style, Tone::dim, fmt::format("{:6}", number)),
                           text);
    }

    [[nodiscard]] static ordered_json json_of(const record::Recording& recording,
                                              const std::map<std::string, FileCosts>& files,
                                              const std::vector<std::string>& shown,
                                              const toolchain::Installation& installation) {
        ordered_json list = ordered_json::array();
        for (const std::string& file : shown) {
            const std::vector<std::string> lines =
                analysis::source_lines(recording, file, installation.root.string());
            ordered_json rows = ordered_json::array();
            for (const auto& [number, cost] : files.at(file)) {
                rows.push_back(
                    {{"line", number},
                     {"text", number <= lines.size() && number > 0 ? lines[number - 1] : std::string{}},
                     {"busy_cycles", cost.busy},
                     {"wait_cycles", cost.wait},
                     {"path_cycles", cost.path},
                     {"mostly", cost.reason.empty() ? ordered_json{} : ordered_json(cost.reason)},
                     {"bytes", cost.bytes},
                     {"times", cost.count}});
            }
            list.push_back({{"file", file}, {"lines", std::move(rows)}});
        }
        return {{"complete", recording.complete()}, {"files", std::move(list)}};
    }

    std::string run_;
    std::string file_;
    bool all_lines_ = false;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_annotate() {
    return std::make_unique<AnnotateCommand>();
}

}  // namespace ascendsim::cli
