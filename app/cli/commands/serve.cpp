// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/text_output.hpp"
#include "app/serving/serve_html.hpp"
#include "app/serving/serve_recording.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::cli {
namespace {

class ServeCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Serve a language model to many requests, on simulated kernels, and tell latencies and what "
               "limits";
    }

    void declare(Options& options) override {
        options.positional("CONFIG", file_, "file of a serving system, as scenarios/serving/*.toml");
        options.list(
            "--set", settings_, "PATH=VALUE", "set a value of the file, as in scheduler.max_sequences=64");
        options.list("--over",
                     over_,
                     "PATH=V1,V2,…",
                     "serve the load with each of these values too, and compare; several: every combination");
        options.flag(
            "--ladder", ladder_, "serve the load with each [[rung]] of the file, one on top of the other");
        options.flag("--advise", advise_, "try what usually helps, one by one, and tell what it gains");
        options.option(
            "--jobs", jobs_, "N", "simulate N kernels at a time; as many as there are cores if left out");
        options.output("--json", json_, Output::file, "FILE", "write JSON");
        options.output("--csv", csv_, Output::file, "FILE", "write a line for each request");
        options.output(
            "--html", html_, Output::file, "FILE", "write a page: requests over time, latencies, ladder");
        options.output("--record",
                       record_,
                       Output::recording,
                       "FILE",
                       "write a recording for the dashboard: steps, requests, the cache, latencies");
        options.output("--trace", trace_, Output::file, "FILE", "write the steps as Chrome trace JSON");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const serving::ServeRun base = served(settings_, installation);
        std::vector<serving::Variant> variants;
        for (const serving::Settings& one : combinations()) {
            variants.push_back(variant(one, {}, installation));
        }
        if (advise_) {
            for (const auto& [setting, what] : advice_for(base)) {
                variants.push_back(variant({setting}, what, installation));
            }
        }
        const std::vector<serving::Variant> rungs =
            ladder_ ? climbed(base.config, installation) : std::vector<serving::Variant>{};
        std::vector<serving::Variant> all = variants;
        all.insert(all.end(), rungs.begin(), rungs.end());
        write_json(json_, "serve", serving::serve_json(base, all));
        write_text(html_, html_.empty() ? std::string{} : serving::serve_html(base, variants, rungs));
        write_text(csv_, csv_.empty() ? std::string{} : serving::serve_csv(base));
        if (!record_.empty()) {
            serving::write_serve_recording(record_, base, variants, rungs);
        }
        if (!trace_.empty()) {
            write_plain_json(trace_, serving::serve_trace(base));
        }
        if (!takes_standard_output({json_, csv_, trace_, html_})) {
            say(serving::serve_text(base) +
                (variants.empty() ? std::string{} : serving::variants_text(base, variants)) +
                (rungs.empty() ? std::string{} : serving::ladder_text(base, rungs)));
        }
        return exit_good;
    }

private:
    [[nodiscard]] serving::ServeRun served(const serving::Settings& settings,
                                           const toolchain::Installation& installation) const {
        serving::ServeRun run{
            .config = serving::read_serving(file_, settings, installation), .load = {}, .figures = {}};
        const networks::llm::Deployment deployment = run.config.deployment();
        networks::llm::StepCosts costs{deployment, run.config.program(), run.config.host};
        const auto show = batch_progress();
        networks::TaskOptions options{
            .jobs = jobs_ != 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency()), .progress = {}};
        if (show) {
            options.progress = [&show](std::size_t done, std::size_t all) { show(done, all, "kernels"); };
        }
        run.load = serving::serve(run.config, costs, installation, options);
        run.figures = serving::figures_of(run.load);
        return run;
    }

    [[nodiscard]] serving::Variant variant(const serving::Settings& more,
                                           const std::string& what,
                                           const toolchain::Installation& installation) const {
        serving::Settings settings = settings_;
        settings.insert(settings.end(), more.begin(), more.end());
        serving::Variant result{.what = what};
        for (const std::string& one : more) {
            result.setting += (result.setting.empty() ? "" : " ") + one;
        }
        try {
            result.figures = served(settings, installation).figures;
        } catch (const UserError& error) {
            result.problem = error.what();
        }
        return result;
    }

    /// Each rung with the settings of those before it.
    [[nodiscard]] std::vector<serving::Variant> climbed(const serving::ServeConfig& config,
                                                        const toolchain::Installation& installation) const {
        if (config.ladder.empty()) {
            throw UserError{"--ladder: {} has no [[rung]]", file_};
        }
        std::vector<serving::Variant> rungs;
        serving::Settings all;
        for (const serving::Rung& rung : config.ladder) {
            all.insert(all.end(), rung.settings.begin(), rung.settings.end());
            rungs.push_back(variant(all, rung.name, installation));
        }
        return rungs;
    }

    /// Settings of --over: each value of the first with each of the second, and so on.
    [[nodiscard]] std::vector<serving::Settings> combinations() const {
        std::vector<serving::Settings> all;
        for (const std::string& one : over_) {
            const std::size_t equals = one.find('=');
            if (equals == std::string::npos || equals == 0 || equals + 1 == one.size()) {
                throw UserError{
                    "--over {}: a path and its values are wanted, as in scheduler.max_sequences=32,64", one};
            }
            std::vector<serving::Settings> next;
            for (const serving::Settings& before : all.empty() ? std::vector<serving::Settings>{{}} : all) {
                for (std::size_t at = equals + 1; at <= one.size();) {
                    const std::size_t end = std::min(one.find(',', at), one.size());
                    serving::Settings with = before;
                    with.push_back(one.substr(0, equals + 1) + one.substr(at, end - at));
                    next.push_back(std::move(with));
                    at = end + 1;
                }
            }
            all = std::move(next);
        }
        return all;
    }

    using Advice = std::vector<std::pair<std::string, std::string>>;

    /// What is worth a try, by how the system is set.
    [[nodiscard]] static Advice advice_for(const serving::ServeRun& run) {
        const serving::ServeConfig& config = run.config;
        Advice advice;
        if (config.mode != node::IssueMode::graph) {
            advice.emplace_back("serve.mode=graph", "capture decoding steps as graphs");
        }
        if (!config.scheduler.overlapped) {
            advice.emplace_back("scheduler.overlapped=true",
                                "prepare a step on the host while the one before it runs");
        }
        if (config.weights == networks::llm::Weights::half) {
            advice.emplace_back("serve.weights=int8", "hold weights in 8 bits");
        }
        if (config.cache == networks::llm::Cache::half &&
            config.attention == networks::llm::AttentionKernels::fused) {
            advice.emplace_back("serve.cache=int8", "hold keys and values in 8 bits");
        }
        const std::uint32_t tensor = 2 * config.layout.tensor;
        if (tensor * config.layout.replicas <= config.node.size()) {
            advice.emplace_back("layout.tensor=" + std::to_string(tensor),
                                "share each layer by twice the devices");
        }
        const std::uint32_t replicas = 2 * config.layout.replicas;
        if (replicas * config.layout.tensor <= config.node.size()) {
            advice.emplace_back("layout.replicas=" + std::to_string(replicas),
                                "serve with twice the replicas");
        }
        advice.emplace_back(fmt::format("scheduler.chunked={}", !config.scheduler.chunked),
                            config.scheduler.chunked ? "compute prompts apart from decoding" : "cut prompts");
        if (run.figures.mean_sequences > config.scheduler.max_sequences / 2.0) {
            advice.emplace_back(fmt::format("scheduler.max_sequences={}", 2 * config.scheduler.max_sequences),
                                "let twice as many sequences run");
        }
        return advice;
    }

    std::string file_;
    serving::Settings settings_;
    std::vector<std::string> over_;
    bool ladder_ = false;
    bool advise_ = false;
    std::uint32_t jobs_ = 0;
    std::string json_;
    std::string csv_;
    std::string trace_;
    std::string record_;
    std::string html_;
};

}  // namespace

std::unique_ptr<Command> make_serve() {
    return std::make_unique<ServeCommand>();
}

}  // namespace ascendsim::cli
