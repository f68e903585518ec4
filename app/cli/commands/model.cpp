// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/commands/network_modes.hpp"
#include "app/cli/text_output.hpp"
#include "app/networks/batch_fusion.hpp"
#include "app/networks/compression/compression.hpp"
#include "app/networks/data_decided.hpp"
#include "app/networks/functional.hpp"
#include "app/networks/fuse_network.hpp"
#include "app/networks/fusion_report.hpp"
#include "app/networks/network_energy.hpp"
#include "app/networks/network_recording.hpp"
#include "app/networks/slower.hpp"
#include "app/networks/stability.hpp"
#include "app/networks/training_report.hpp"
#include "app/report/network_html.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/fusion/kept_times.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "networks/run/control_flow.hpp"
#include "networks/run/layouts.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::cli {
namespace {

class ModelCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Simulate the kernels of a whole network and report where its time goes";
    }

    void declare(Options& options) override {
        options.positional("NET", file_, "an ONNX file, or one in ONNX's text form (.onnxtxt)", false);
        options.option(
            "--chip", chip_, "CHIP", "simulate CHIP (see 'ascendsim list chips'); 910b3 if left out");
        options.list("--input",
                     inputs_,
                     "NAME=1x3x224x224|EXTENT=128",
                     "what the network leaves open: the shape of an input, or an extent by its name");
        options.option(
            "--batch",
            batch_,
            "N,…",
            "the first extent of inputs, one run for each; 1 if it is left open and this is left out");
        options.option(
            "--precision",
            precision_,
            "half|as_stated",
            "how float32 is held: as float16, which CANN's converter does by default, or as it is");
        options.option(
            "--fuse",
            fuse_,
            "none|graph|ub|all|search",
            "graph: rewrite by patterns; ub: write one kernel for neighbours whose elements can stay in the "
            "unified buffer; all: both; each where its simulation scores better; search: all, and the "
            "fastest "
            "tilings of the kernels that remain");
        options.option(
            "--score",
            score_,
            "L,T,M",
            "weights of latency, throughput and memory; 0.5,0.3,0.2 if left out, and nothing slower");
        options.option("--budget",
                       budget_,
                       "N",
                       "simulations of other tilings that --fuse search may take; 200 if left out");
        options.option("--sources", sources_, "DIR", "write the fused kernels there, each with a scenario");
        options.option("--quantise",
                       quantise_,
                       "none|int8",
                       "products by weights multiply bytes; what it gains and how far results are off "
                       "(with --functional) is compared with the network as it is");
        options.option(
            "--prune",
            prune_,
            "N|4:2",
            "of the channels between two products, and of heads, one in N stays; 4:2: of every four "
            "weights of a column two, as bytes; compared alike");
        options.flag("--train", train_, "one step of training: forward and backward pass, and the optimiser");
        options.option(
            "--optimizer", optimiser_, "sgd|adam|adamw", "of a step of training; adamw if left out");
        options.option("--loss",
                       loss_,
                       "cross_entropy|mean_square|sum",
                       "what the step makes smaller; cross_entropy of outputs [batch, classes], else "
                       "mean_square, if left out");
        options.option(
            "--steps",
            steps_,
            "N",
            "with --train --functional: train so many steps on the same samples, with a loss scale "
            "that follows overflows");
        options.option("--loss-scale", loss_scale_, "X", "that --steps begin with; 65536 if left out");
        options.flag("--functional",
                     functional_,
                     "compute the network's numbers on the simulated kernels, and compare each with float64");
        options.list("--inputs",
                     given_,
                     "DIR|NAME=FILE",
                     "elements of inputs, as .npy: NAME.npy below DIR, or one file; random if left out");
        options.option(
            "--weights", weights_, "file|random", "with --functional: those of the file, or random ones");
        options.option("--outputs", outputs_, "DIR", "write the results there, as NAME.npy");
        options.option(
            "--conformance", conformance_, "DIR", "run ONNX's backend tests below DIR instead of a network");
        options.option(
            "--only",
            only_,
            "TEXT",
            "of the backend tests, or of the patterns of --decisions, those with TEXT in their name");
        options.flag("--decisions",
                     decisions_,
                     "decide for each chip from which size on joining operators pays, instead of a network");
        options.output("--document",
                       document_,
                       Output::file,
                       "FILE",
                       "write docs/onnx.md from the backend tests, or docs/fusion.md from --decisions");
        options.option(
            "--op", op_, "NAME", "only the operators of this name or kind, and kernels that join one");
        options.option(
            "--jobs", jobs_, "N", "simulate N kernels at a time; as many as there are cores if left out");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output(
            "--csv", csv_, Output::file, "FILE", "write a table as kernel_details.csv of the profiler");
        options.output("--trace", trace_, Output::file, "FILE", "write a Chrome trace");
        options.output(
            "--html", html_, Output::file, "FILE", "write the report as an HTML page, with the graph");
        options.output("--record",
                       recording_,
                       Output::recording,
                       "FILE",
                       "write a recording: operators, kernels, and the pipes of the cores below them");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (decisions_) {
            return decide_joining(chip_, mode(), installation);
        }
        const ChipSpec chip = load_chip(chip_.empty() ? "910b3" : chip_, installation.chips());
        if (!conformance_.empty()) {
            return conform(conformance_, chip, mode(), installation);
        }
        if (file_.empty()) {
            throw UserError{"model: give a network, --conformance DIR or --decisions"};
        }
        if (!train_ && (!optimiser_.empty() || !loss_.empty())) {
            throw UserError{"--optimizer and --loss go with --train"};
        }
        if (steps_ != 0 && (!train_ || !functional_ || fuse_ != "none" || !outputs_.empty())) {
            throw UserError{
                "--steps goes with --train and --functional, and with neither --fuse nor --outputs"};
        }
        const networks::Compression compression = report::compression_of(quantise_, prune_);
        if (compression.any() && train_) {
            throw UserError{"--quantise and --prune are for inference, and go without --train"};
        }
        if (!functional_ && (!given_.empty() || !outputs_.empty())) {
            throw UserError{"--inputs and --outputs go with --functional"};
        }
        const std::vector<std::uint64_t> batches = batches_of(batch_);
        const bool random = weights_ == "random";
        if (!random && weights_ != "file") {
            throw UserError{"--weights {}: file or random", weights_};
        }
        if (random && !functional_) {
            throw UserError{"--weights random goes with --functional"};
        }
        networks::Graph graph = networks::read_onnx(
            file_, functional_ && !random ? networks::Weights::all : networks::Weights::small);
        if (random) {
            report::set_random_weights(graph);
        }
        if (!batches.empty()) {
            graph = networks::with_open_batch(std::move(graph));
        }
        return batches.size() > 1 ? run_batches(graph, batches, chip, installation)
                                  : run_one(graph, batches, chip, installation);
    }

private:
    [[nodiscard]] int run_one(const networks::Graph& graph,
                              const std::vector<std::uint64_t>& batches,
                              const ChipSpec& chip,
                              const toolchain::Installation& installation) const {
        const std::optional<std::uint64_t> batch = batches.empty() ? std::nullopt : std::optional{batches[0]};
        const networks::Compression compression = report::compression_of(quantise_, prune_);
        const report::NetworkRun run = compression.any()
                                           ? compressed(graph, batch, compression, chip, installation)
                                           : simulated(graph, batch, chip, installation, outputs_);
        write_pictures(run, chip, installation);
        write(run);
        return exit_code(run);
    }

    [[nodiscard]] int run_batches(const networks::Graph& graph,
                                  const std::vector<std::uint64_t>& batches,
                                  const ChipSpec& chip,
                                  const toolchain::Installation& installation) const {
        if (functional_ || !csv_.empty() || !trace_.empty() || !sources_.empty() || pictured() ||
            report::compression_of(quantise_, prune_).any()) {
            throw UserError{
                "--batch {}: --functional, --quantise, --prune, --csv, --trace, --html, --record and "
                "--sources go with one batch",
                batch_};
        }
        std::vector<report::BatchRun> runs;
        int code = exit_good;
        for (const std::uint64_t batch : batches) {
            runs.push_back({.batch = batch, .run = simulated(graph, batch, chip, installation, outputs_)});
            code = std::max(code, exit_code(runs.back().run));
        }
        nlohmann::ordered_json json = report::to_json(runs);
        if (fuses()) {
            json["fusion_by_batch"] = fusion_by_batch(runs, chip);
        }
        write_json(json_, "model", json);
        if (!takes_standard_output({json_})) {
            std::ostringstream text;
            report::print_batches(text, runs, report::Style::of_terminal(STDOUT_FILENO));
            if (fuses()) {
                report::print_batch_fusion(
                    text, json["fusion_by_batch"], report::Style::of_terminal(STDOUT_FILENO));
            }
            say(text.str());
        }
        return code;
    }

    [[nodiscard]] static nlohmann::ordered_json fusion_by_batch(const std::vector<report::BatchRun>& runs,
                                                                const ChipSpec& chip) {
        std::vector<report::BatchDecisions> batches;
        for (const report::BatchRun& one : runs) {
            batches.push_back({one.batch, one.run.decisions, one.run.not_joined});
        }
        return report::batch_fusion_json(batches, chip);
    }

    [[nodiscard]] static int exit_code(const report::NetworkRun& run) {
        const bool right = run.numerics.is_null() || run.numerics["passed"] == true;
        return right && report::to_json(run)["refused"].empty() ? exit_good : exit_check_failed;
    }

    using Shapes = std::map<std::string, host::Shape, std::less<>>;
    /// What is done to a network before it is planned.
    using Rewrite = std::function<void(networks::Graph&, Shapes&, const networks::Lowering&)>;

    /// The network as it is, then made smaller, with what that gains and loses.
    [[nodiscard]] report::NetworkRun compressed(const networks::Graph& graph,
                                                std::optional<std::uint64_t> batch,
                                                const networks::Compression& compression,
                                                const ChipSpec& chip,
                                                const toolchain::Installation& installation) const {
        const process::TemporaryFolder folder;
        const std::filesystem::path plain = folder.path() / "plain";
        const std::filesystem::path after =
            outputs_.empty() ? folder.path() / "after" : std::filesystem::path{outputs_};
        const report::NetworkRun before = simulated(graph, batch, chip, installation, plain);
        networks::CompressedNetwork made;
        const Rewrite rewrite = [&](networks::Graph& whole, Shapes& shapes, const auto& lowering) {
            made = networks::compress(whole, shapes, lowering, compression);
            whole = made.graph;
            shapes = made.shapes;
        };
        report::NetworkRun run = simulated(graph, batch, chip, installation, after, rewrite);
        run.compression = report::compression_json(
            made, before, run, functional_ ? report::precision_of(plain, after) : nlohmann::ordered_json{});
        return run;
    }

    /// Writes results below `outputs`, unless that is empty.
    [[nodiscard]] report::NetworkRun simulated(networks::Graph graph,
                                               std::optional<std::uint64_t> batch,
                                               const ChipSpec& chip,
                                               const toolchain::Installation& installation,
                                               const std::filesystem::path& outputs,
                                               const Rewrite& rewrite = {}) const {
        auto shapes = bind_inputs(graph, shapes_given(graph, !batch), batch.value_or(1));
        const std::string title = graph.name.empty() ? file_ : graph.name;
        const std::optional<networks::TrainingGraph> step = step_of(graph, shapes, chip);
        if (step) {
            graph = step->graph;
            shapes = step->shapes;
        }
        const networks::Elements elements = start_of(graph, shapes, step);
        networks::Lowering lowering{
            .precision = precision(), .chip = chip, .given = elements, .timing_only = !functional_};
        if (rewrite) {
            rewrite(graph, shapes, lowering);
        }
        report::DecidedNetwork decided =
            report::decide_network(graph, shapes, lowering, installation, functional_ && !train_);
        lowering.given.insert(decided.decisive.begin(), decided.decisive.end());
        graph = std::move(decided.graph);
        report::NetworkRun run{.name = step ? title + ", a step of training" : title,
                               .chip = chip.name,
                               .plan = std::move(decided.plan)};
        nlohmann::ordered_json equality;
        if (fuses()) {
            equality = fuse(run, graph, shapes, lowering, installation);
        }
        if (steps_ == 0) {
            run.plan = networks::with_conversions(run.plan, graph.outputs, chip);
        }
        if (run.before) {
            run.before->plan = networks::with_conversions(run.before->plan, graph.outputs, chip);
        }
        if (step && steps_ != 0) {
            run.stability = trained(*step, run.plan, elements, chip, installation);
        } else if (functional_) {
            run.numerics = report::compute_network(
                graph, run.plan, elements, chip, installation, outputs, decided.before);
            if (fuses()) {
                run.numerics["fused_against_apart"] = equality;
            }
        }
        report::finish(run, graph, chip_, installation.chips());
        run.host = usual_host(chip, installation);
        if (!op_.empty()) {
            keep_operators(run.plan, op_);
            run.before.reset();
        }
        run.results = simulated_tasks(run.plan, chip, installation);
        if (run.before) {
            run.before->results = simulated_tasks(run.before->plan, chip, installation);
        }
        if (step && op_.empty()) {
            run.training = report::training_json(
                run, *step, report::training_options(optimiser_, loss_).optimiser, chip);
        }
        return run;
    }

    /// The network as a step of training, with --train.
    [[nodiscard]] std::optional<networks::TrainingGraph> step_of(
        const networks::Graph& graph,
        const std::map<std::string, host::Shape, std::less<>>& shapes,
        const ChipSpec& chip) const {
        if (!train_) {
            return std::nullopt;
        }
        return training_graph(graph,
                              shapes,
                              {.precision = precision(), .chip = chip},
                              report::training_options(optimiser_, loss_));
    }

    /// Elements of the inputs, with --functional.
    [[nodiscard]] networks::Elements start_of(const networks::Graph& graph,
                                              const std::map<std::string, host::Shape, std::less<>>& shapes,
                                              const std::optional<networks::TrainingGraph>& step) const {
        networks::Elements elements;
        if (functional_) {
            elements = report::input_elements(graph, shapes, given_);
        }
        if (functional_ && step) {
            report::set_first_step(*step, given_, elements);
        }
        return elements;
    }

    [[nodiscard]] nlohmann::ordered_json trained(const networks::TrainingGraph& step,
                                                 const networks::NetworkPlan& plan,
                                                 const networks::Elements& elements,
                                                 const ChipSpec& chip,
                                                 const toolchain::Installation& installation) const {
        const networks::TrainingOptions options = report::training_options(optimiser_, loss_);
        return report::train_network({.step = step,
                                      .plan = plan,
                                      .options = options,
                                      .scale = {.start = static_cast<double>(loss_scale_)},
                                      .steps = steps_},
                                     elements,
                                     chip,
                                     installation);
    }

    /// Whether something is made that shows the network as a graph.
    [[nodiscard]] bool pictured() const { return !html_.empty() || !recording_.empty(); }

    /// As --input gives them; without --batch, open extents of other inputs as their files have them.
    [[nodiscard]] std::vector<std::string> shapes_given(const networks::Graph& graph, bool of_files) const {
        std::vector<std::string> shapes;
        if (of_files) {
            shapes = report::shapes_of_files(graph, given_);
        }
        shapes.insert(shapes.end(), inputs_.begin(), inputs_.end());
        return shapes;
    }

    [[nodiscard]] networks::Precision precision() const {
        if (precision_ != "half" && precision_ != "as_stated") {
            throw UserError{"--precision {}: half or as_stated", precision_};
        }
        return precision_ == "half" ? networks::Precision::half : networks::Precision::as_stated;
    }

    [[nodiscard]] report::Fusing fusing() const {
        const report::Fusing fusing = report::fusing_of(fuse_);
        const bool kernels = fusing != report::Fusing::none && fusing != report::Fusing::graph;
        if (!kernels && !sources_.empty()) {
            throw UserError{"--sources goes with --fuse ub, all or search"};
        }
        if (fusing == report::Fusing::none && !score_.empty()) {
            throw UserError{"--score goes with --fuse graph, ub, all or search"};
        }
        if (fusing != report::Fusing::search && budget_ != 0) {
            throw UserError{"--budget goes with --fuse search"};
        }
        return fusing;
    }

    [[nodiscard]] std::size_t budget() const { return budget_ != 0 ? budget_ : report::default_budget; }

    [[nodiscard]] bool fuses() const { return fusing() != report::Fusing::none; }

    /// Fuses; with numbers, again without what is too far off. Returns how far it is off otherwise.
    nlohmann::ordered_json fuse(report::NetworkRun& run,
                                networks::Graph& graph,
                                const std::map<std::string, host::Shape, std::less<>>& shapes,
                                const networks::Lowering& lowering,
                                const toolchain::Installation& installation) const {
        networks::FusionOptions options{.weights = report::score_weights(score_), .wrong = {}};
        networks::KeptTimes kept{
            functional_
                ? ""  // what is too far off is decided anew
                : report::decisions_key(
                      {graph, shapes, lowering}, installation, {fuse_, score_, std::to_string(budget())}),
            [&](const std::vector<networks::Task>& tasks) {
                return timed(tasks, lowering.chip, installation);
            }};
        const networks::TimeTasks time = [&kept](const auto& tasks) { return kept(tasks); };
        const auto fused = [&] {
            return report::fuse_network(
                {graph, shapes, lowering}, run.plan, fusing(), time, options, budget());
        };
        report::FusedNetwork result = fused();
        nlohmann::ordered_json equality;
        for (bool wrong = functional_; wrong;) {
            equality = report::compare_fused(
                {graph, run.plan, result.graph, result.plan}, lowering.given, lowering.chip, installation);
            wrong = report::note_wrong(equality, options.wrong);
            if (wrong) {
                result = fused();
            }
        }
        kept.keep();
        report::explain_slower(result.decisions, lowering.chip, installation, jobs());
        run.fusion = report::fusion_json(result.decisions, result.not_joined);
        run.decisions = result.decisions;
        run.not_joined = result.not_joined;
        if (result.search) {
            run.fusion["search"] = report::search_json(*result.search, budget());
        }
        if (!sources_.empty()) {
            report::write_fused_kernels(result.decisions, lowering.chip, sources_);
        }
        if (pictured()) {
            run.before = report::Unfused{.plan = run.plan, .results = {}};
        }
        graph = std::move(result.graph);
        run.plan = std::move(result.plan);
        return equality;
    }

    /// How many small networks are run instead of one.
    [[nodiscard]] NetworkMode mode() const {
        return {.only = only_, .json = json_, .document = document_, .jobs = jobs()};
    }

    [[nodiscard]] std::size_t jobs() const {
        return jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency());
    }

    /// The times of all of a plan's tasks that take time; those that do not are left out of it.
    [[nodiscard]] std::vector<networks::TaskResult> simulated_tasks(
        networks::NetworkPlan& plan,
        const ChipSpec& chip,
        const toolchain::Installation& installation) const {
        std::vector<networks::Task> tasks;
        for (networks::PlannedNode& node : plan.nodes) {
            std::erase_if(node.tasks, [](const networks::Task& task) { return !task.timed; });
            tasks.insert(tasks.end(), node.tasks.begin(), node.tasks.end());
        }
        return timed(tasks, chip, installation);
    }

    /// What run_tasks() and record_tasks() say about `tasks`, with a progress bar.
    template <class Work>
    [[nodiscard]] auto with_progress(Work work) const {
        const auto counted = batch_progress();
        return work(
            networks::TaskOptions{.jobs = jobs(), .progress = [&counted](std::size_t done, std::size_t all) {
                                      if (counted) {
                                          counted(done, all, "kernels");
                                      }
                                  }});
    }

    [[nodiscard]] std::vector<networks::TaskResult> timed(const std::vector<networks::Task>& tasks,
                                                          const ChipSpec& chip,
                                                          const toolchain::Installation& installation) const {
        return with_progress([&](const networks::TaskOptions& options) {
            return run_tasks(tasks, chip, installation, options);
        });
    }

    void write_pictures(const report::NetworkRun& run,
                        const ChipSpec& chip,
                        const toolchain::Installation& installation) const {
        if (!pictured()) {
            return;
        }
        const report::NetworkPicture picture = report::picture_of(run, chip);
        if (!recording_.empty()) {
            const auto record = [&](const std::vector<networks::Task>& tasks) {
                return with_progress([&](const networks::TaskOptions& options) {
                    return record_tasks(tasks, chip, installation, options);
                });
            };
            report::write_recording(recording_, run, picture, chip, record);
        }
        if (!html_.empty()) {
            std::ostringstream page;
            report::write_network_html(page, picture.figures);
            write_text(html_, page.str());
        }
        if (!picture.figures.no_picture.empty()) {
            complain(fmt::format("ascendsim: no picture of the graph: {}\n", picture.figures.no_picture));
        }
    }

    void write(const report::NetworkRun& run) const {
        write_json(json_, "model", report::to_json(run));
        write_text(csv_, report::kernel_details(run));
        write_plain_json(trace_, report::chrome_trace(run));
        if (!takes_standard_output({json_, csv_, trace_, html_})) {
            std::ostringstream text;
            report::print_network(text, run, report::Style::of_terminal(STDOUT_FILENO));
            say(text.str());
        }
    }

    std::string file_;
    std::string chip_;
    std::vector<std::string> inputs_;
    std::string batch_;
    std::string precision_ = "half";
    std::string op_;
    std::string fuse_ = "none";
    std::string score_;
    std::uint32_t budget_ = 0;
    std::string sources_;
    std::string quantise_ = "none";
    std::string prune_ = "1";
    bool train_ = false;
    std::string optimiser_;
    std::string loss_;
    std::uint32_t steps_ = 0;
    std::uint32_t loss_scale_ = 65536;
    bool functional_ = false;
    std::vector<std::string> given_;
    std::string outputs_;
    std::string weights_ = "file";
    std::string conformance_;
    bool decisions_ = false;
    std::string only_;
    std::string document_;
    std::uint32_t jobs_ = 0;
    std::string json_;
    std::string csv_;
    std::string trace_;
    std::string html_;
    std::string recording_;
};

}  // namespace

std::unique_ptr<Command> make_model() {
    return std::make_unique<ModelCommand>();
}

}  // namespace ascendsim::cli
