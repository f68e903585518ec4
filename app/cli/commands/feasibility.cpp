// SPDX-License-Identifier: Apache-2.0
#include "app/networks/feasibility.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/networks/functional.hpp"
#include "app/networks/fuse_network.hpp"
#include "app/networks/training_report.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/wide_ranges.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class FeasibilityCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Judge whether a network suits a chip: support, memory, bandwidth, precision, and what to "
               "change";
    }

    void declare(Options& options) override {
        options.positional("NET", file_, "an ONNX file, or one in ONNX's text form (.onnxtxt)");
        options.option("--chip", chips_, "CHIP,…", "one report for each chip; 910b3 if left out");
        options.list("--input",
                     inputs_,
                     "NAME=1x3x224x224|EXTENT=128",
                     "what the network leaves open: the shape of an input, or an extent by its name");
        options.option("--batch", batch_, "N", "the first extent of inputs");
        options.option(
            "--fuse", fuse_, "none|graph|ub|all|search", "join operators, as of 'ascendsim model'");
        options.flag("--train", train_, "a step of training instead of inference");
        options.flag("--functional", functional_, "compute the network's numbers, and compare with float64");
        options.option("--target-ms", target_ms_, "MS", "the time that is wanted");
        options.option(
            "--jobs", jobs_, "N", "simulate N kernels at a time; as many as there are cores if left out");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        networks::Graph graph =
            networks::read_onnx(file_, functional_ ? networks::Weights::all : networks::Weights::small);
        if (batch_ != 0) {
            graph = networks::with_open_batch(std::move(graph));
        }
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        std::string text;
        std::istringstream names{chips_};
        for (std::string name; std::getline(names, name, ',');) {
            const report::Feasibility one =
                judged(graph, load_chip(name, installation.chips()), installation);
            all.push_back(report::feasibility_json(one));
            text += (text.empty() ? "" : "\n") +
                    report::feasibility_text(one, report::Style::of_terminal(STDOUT_FILENO));
        }
        if (all.empty()) {
            throw UserError{"--chip {}: no chip is named", chips_};
        }
        write_json(
            json_, "feasibility", all.size() == 1 ? all.front() : nlohmann::ordered_json{{"runs", all}});
        if (!takes_standard_output({json_})) {
            say(text);
        }
        return exit_good;
    }

private:
    [[nodiscard]] report::Feasibility judged(networks::Graph graph,
                                             const ChipSpec& chip,
                                             const toolchain::Installation& installation) const {
        const std::string title = graph.name.empty() ? file_ : graph.name;
        auto shapes = networks::bind_inputs(graph, inputs_, std::max<std::uint64_t>(1, batch_));
        const networks::Lowering lowering{.precision = networks::Precision::half, .chip = chip};
        graph = networks::with_known_control_flow(std::move(graph), shapes, lowering);
        report::NetworkRun run{.name = title, .chip = chip.name, .plan = {}, .results = {}, .memory = {}};
        std::string problem;
        if (train_) {
            run.name += ", a step of training";
            try {
                networks::TrainingGraph step =
                    networks::training_graph(graph, shapes, lowering, report::training_options({}, {}));
                graph = std::move(step.graph);
                shapes = std::move(step.shapes);
            } catch (const UserError& error) {
                problem = error.what();  // what can run of the forward pass is judged all the same
            }
        }
        graph = networks::with_wide_ranges(std::move(graph), shapes, lowering);
        run.plan = networks::plan_network(graph, shapes, lowering);
        const networks::TimeTasks time = [&](const std::vector<networks::Task>& tasks) {
            return simulated(tasks, chip, installation);
        };
        if (const report::Fusing fusing = report::fusing_of(fuse_); fusing != report::Fusing::none) {
            report::FusedNetwork fused =
                report::fuse_network({graph, shapes, lowering}, run.plan, fusing, time);
            graph = std::move(fused.graph);
            run.plan = std::move(fused.plan);
        }
        if (functional_ && !train_) {
            const networks::Elements elements = report::input_elements(graph, shapes, {});
            run.numerics = report::compute_network(graph, run.plan, elements, chip, installation, {});
        }
        run.memory = networks::plan_memory(run.plan, graph.outputs);
        std::vector<networks::Task> tasks;
        for (networks::PlannedNode& node : run.plan.nodes) {
            std::erase_if(node.tasks,
                          [](const networks::Task& task) { return !task.timed && !task.on_host; });
            std::ranges::copy(node.tasks, std::back_inserter(tasks));
        }
        run.results = time(tasks);
        return report::feasibility_of(run, chip, target_ms_ * 1e3, problem);
    }

    [[nodiscard]] std::vector<networks::TaskResult> simulated(
        const std::vector<networks::Task>& tasks,
        const ChipSpec& chip,
        const toolchain::Installation& installation) const {
        const auto counted = batch_progress();
        return run_tasks(tasks,
                         chip,
                         installation,
                         {.jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency()),
                          .progress = [&counted](std::size_t done, std::size_t all) {
                              if (counted) {
                                  counted(done, all, "kernels");
                              }
                          }});
    }

    std::string file_;
    std::string chips_ = "910b3";
    std::vector<std::string> inputs_;
    std::uint32_t batch_ = 0;
    std::string fuse_ = "none";
    bool train_ = false;
    bool functional_ = false;
    std::uint32_t target_ms_ = 0;
    std::uint32_t jobs_ = 0;
    std::string json_;
};

}  // namespace

std::unique_ptr<Command> make_feasibility() {
    return std::make_unique<FeasibilityCommand>();
}

}  // namespace ascendsim::cli
