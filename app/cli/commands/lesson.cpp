// SPDX-License-Identifier: Apache-2.0
#include "app/lessons/lesson.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"
#include "app/scenario/overrides.hpp"
#include "app/steps/kernel_times.hpp"
#include "app/steps/step_report.hpp"
#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

using lessons::Goal;
using lessons::GoalState;
using lessons::Lesson;
using report::Tone;

class LessonCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Work through a lesson: its task, how a run stands to its goals, and hints";
    }

    void declare(Options& options) override {
        options.positional("LESSON", name_, "number or name of a lesson; without one all are listed", false);
        options.list("--set", sets_, "PATH=VALUE", "try a value, as in kernel.buffers=2");
        options.flag("--hint", hint_, "tell a hint");
        options.option("--hints", hints_, "N", "tell the first N hints");
        options.flag("--check", check_, "print no text, and exit with 1 unless every goal is reached");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        std::vector<Lesson> all = lessons::read_lessons(installation.lessons());
        std::ranges::move(lessons::read_lessons(installation.scenarios() / "steps" / "lessons"),
                          std::back_inserter(all));
        if (name_.empty()) {
            return list(all);
        }
        const Lesson& lesson = find(all);
        const nlohmann::ordered_json figures = run_of(lesson, installation);
        const bool solved = lessons::solved(lesson, figures);
        write_json(json_, "lesson", json_of(lesson, figures, solved));
        if (!takes_standard_output({json_})) {
            print(lesson, static_cast<std::size_t>(&lesson - all.data()) + 1, figures, solved);
        }
        return check_ && !solved ? exit_check_failed : exit_good;
    }

private:
    int list(const std::vector<Lesson>& all) const {
        nlohmann::ordered_json names = nlohmann::ordered_json::array();
        std::size_t number = 0;
        for (const Lesson& lesson : all) {
            names.push_back({{"number", ++number}, {"name", lesson.name}, {"title", lesson.title}});
            if (!takes_standard_output({json_})) {
                say(fmt::format("  {:>2}  {}\n      {}\n", number, lesson.title, lesson.summary));
            }
        }
        write_json(json_, "lesson", {{"lessons", std::move(names)}});
        return exit_good;
    }

    [[nodiscard]] const Lesson& find(const std::vector<Lesson>& all) const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string number = std::to_string(i + 1);
            const std::string& name = all[i].name;
            if (name_ == number || name_ == name || name_ == "lessons/" + name ||
                name.starts_with(name_ + "_")) {
                return all[i];
            }
            names.push_back(name);
        }
        throw UserError{"lesson {}: no such lesson{} (lessons: {})",
                        name_,
                        nearest_hint(name_, names),
                        fmt::join(names, ", ")};
    }

    [[nodiscard]] nlohmann::ordered_json run_of(const Lesson& lesson,
                                                const toolchain::Installation& installation) const {
        std::vector<scenario::Override> overrides;
        for (const std::string& set : sets_) {
            overrides.push_back(scenario::parse_override(set));
        }
        if (is_step(lesson)) {
            return figures_of_step(lesson, overrides, installation);
        }
        const std::size_t given = overrides.size();
        const scenario::ScenarioFile file{lesson.file.string(), installation, std::move(overrides)};
        const std::vector<study::BatchRun> runs = study::runs_of(file, given);
        const study::BatchResult result =
            study::run_batch(
                {runs.front()}, installation, {.jobs = 1, .look = {}, .progress = batch_progress()})
                .front();
        if (!result.complete()) {
            throw UserError{"lesson {}: {}", lesson.name, result.error};
        }
        return result.json;
    }

    /// About the machine around the chip.
    [[nodiscard]] static bool is_step(const Lesson& lesson) {
        return lesson.file.parent_path().parent_path().filename() == "steps";
    }

    /// As 'ascendsim step' has them.
    [[nodiscard]] static nlohmann::ordered_json figures_of_step(
        const Lesson& lesson,
        const std::vector<scenario::Override>& overrides,
        const toolchain::Installation& installation) {
        const std::filesystem::path models = installation.root / "models";
        std::vector<steps::StepProgram> programs{
            steps::read_step(scenario::with_overrides(TomlFile::open(lesson.file), overrides),
                             {.nodes = models / "nodes", .hosts = models / "hosts"})};
        steps::time_kernels(programs, installation, {.jobs = 2, .progress = {}});
        const steps::StepProgram& program = programs.front();
        return steps::step_json(program, steps::figures_of(program, steps::run_step(program)));
    }

    void print(const Lesson& lesson,
               std::size_t number,
               const nlohmann::ordered_json& figures,
               bool solved) const {
        const report::Style style = report::Style::of_terminal(STDOUT_FILENO);
        if (!check_) {
            say(fmt::format("{}\n{}\n\nTask: {}\n",
                            report::toned(style, Tone::strong, fmt::format("{}  {}", number, lesson.title)),
                            lesson.text,
                            lesson.task));
        }
        for (const Goal& goal : lesson.goals) {
            const GoalState state = lessons::state_of(goal, figures);
            say(fmt::format("  {}  {}: {} is {}\n",
                            state.met ? report::toned(style, Tone::good, "reached")
                                      : report::toned(style, Tone::poor, "missed "),
                            goal.words,
                            goal.path,
                            state.value ? fmt::format("{:.6g}", *state.value) : "no figure of this run"));
        }
        if (solved) {
            say(lesson.after + "\n");
            return;
        }
        if (!check_) {
            say(fmt::format("Try values with --set: {}\n", fmt::join(lesson.knobs, ", ")));
        }
        const std::size_t told =
            std::min<std::size_t>(lesson.hints.size(), std::max(hints_, hint_ ? 1U : 0U));
        for (std::size_t i = 0; i < told; ++i) {
            say(fmt::format("  Hint {} of {}: {}\n", i + 1, lesson.hints.size(), lesson.hints[i]));
        }
        if (!check_ && told < lesson.hints.size()) {
            say(fmt::format("  --hints {} tells {} hint\n", told + 1, told == 0 ? "a" : "one more"));
        }
    }

    [[nodiscard]] static nlohmann::ordered_json json_of(const Lesson& lesson,
                                                        const nlohmann::ordered_json& figures,
                                                        bool solved) {
        nlohmann::ordered_json goals = nlohmann::ordered_json::array();
        for (const Goal& goal : lesson.goals) {
            const GoalState state = lessons::state_of(goal, figures);
            goals.push_back({{"goal", goal.words},
                             {"figure", goal.path},
                             {"value", state.value ? nlohmann::ordered_json(*state.value) : nullptr},
                             {"reached", state.met}});
        }
        return {{"lesson", lesson.name},
                {"title", lesson.title},
                {"solved", solved},
                {"goals", std::move(goals)}};
    }

    std::string name_;
    std::vector<std::string> sets_;
    bool hint_ = false;
    std::uint32_t hints_ = 0;
    bool check_ = false;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_lesson() {
    return std::make_unique<LessonCommand>();
}

}  // namespace ascendsim::cli
