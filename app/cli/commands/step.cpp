// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/lessons/lesson_text.hpp"
#include "app/profile/step_export.hpp"
#include "app/scenario/overrides.hpp"
#include "app/steps/kernel_times.hpp"
#include "app/steps/step_recording.hpp"
#include "app/steps/step_report.hpp"

namespace ascendsim::cli {
namespace {

class StepCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run a step of several devices at task level and tell where its time went";
    }

    void declare(Options& options) override {
        options.positional("STEP", step_, "file of a step, as scenarios/steps/*.toml");
        options.list("--set", sets_, "PATH=VALUE", "set a value, as in parameters.batch=64");
        options.option("--jobs", jobs_, "N", "number of kernels simulated at a time (default 2)");
        options.flag("--no-advice", no_advice_, "do not try what would make the step shorter");
        options.output("--record",
                       record_,
                       Output::recording,
                       "FILE",
                       "write a recording: host threads, streams, copy engines and links, for the dashboard");
        options.output("--profile",
                       profile_,
                       Output::folder,
                       "DIR",
                       "write kernel_details.csv, op_summary.csv, step_trace_time.csv and trace_view.json of "
                       "each rank, as the vendor's profiler does");
        options.output(
            "--chakra", chakra_, Output::folder, "DIR", "write a Chakra execution trace of each rank");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--trace", trace_, Output::file, "FILE", "write Chrome trace JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const std::filesystem::path models = installation.root / "models";
        std::vector<steps::StepProgram> programs{read(models)};
        const auto progress = batch_progress();
        steps::time_kernels(
            programs, installation, {.jobs = jobs_, .progress = [&](std::size_t done, std::size_t all) {
                                         if (progress) {
                                             progress(done, all, "kernels");
                                         }
                                     }});
        const steps::StepProgram& program = programs.front();
        const steps::StepRun ran = steps::run_step(program);
        const steps::StepFigures figures = steps::figures_of(program, ran);
        constexpr std::size_t most_tried = 500'000;  // tasks of a step that is scheduled again for advice
        const std::vector<steps::StepAdvice> advice = no_advice_ || ran.graph.size() > most_tried
                                                          ? std::vector<steps::StepAdvice>{}
                                                          : steps::step_advice(program, figures.step_us);
        if (!record_.empty()) {
            const steps::KernelRecordings kernels =
                steps::record_kernels(program, installation, {.jobs = jobs_, .progress = {}});
            steps::write_step_recording(record_, program, ran, figures, advice, kernels);
        }
        if (!profile_.empty()) {
            profile::write_vendor_profile(profile_, program, ran, figures);
        }
        if (!chakra_.empty()) {
            profile::write_chakra(chakra_, program, ran);
        }
        if (!trace_.empty()) {
            write_text(trace_, steps::step_trace(program, ran));
        }
        nlohmann::ordered_json json = steps::step_json(program, figures, advice);
        const std::optional<lessons::Lesson> lesson = lessons::read_lesson(step_);
        if (lesson) {
            json["lesson"] = {{"title", lesson->title}, {"solved", lessons::solved(*lesson, json)}};
        }
        write_json(json_, "step", json);
        if (!takes_standard_output({json_, trace_})) {
            say(steps::step_text(program, figures, advice) +
                (lesson ? lessons::lesson_text(*lesson, json) : ""));
        }
        return exit_good;
    }

private:
    [[nodiscard]] steps::StepProgram read(const std::filesystem::path& models) const {
        std::vector<scenario::Override> overrides;
        for (const std::string& set : sets_) {
            overrides.push_back(scenario::parse_override(set));
        }
        return steps::read_step(scenario::with_overrides(TomlFile::open(step_), overrides),
                                {.nodes = models / "nodes", .hosts = models / "hosts"});
    }

    std::string step_;
    std::vector<std::string> sets_;
    std::uint32_t jobs_ = 2;
    bool no_advice_ = false;
    std::string record_;
    std::string profile_;
    std::string chakra_;
    std::string json_;
    std::string trace_;
};

}  // namespace

std::unique_ptr<Command> make_step() {
    return std::make_unique<StepCommand>();
}

}  // namespace ascendsim::cli
