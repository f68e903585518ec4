// SPDX-License-Identifier: Apache-2.0
// Pipelines of layers, copies between host and devices, energy, and ladders.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/analysis/machine/recorded_plots.hpp"
#include "app/analysis/machine/recorded_report.hpp"
#include "app/serving/serve_html.hpp"
#include "app/serving/serve_recording.hpp"
#include "models/node/collectives.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim::serving {
namespace {

using networks::llm::StepShape;
using networks::llm::StepTime;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double step_us = 40'000;

ServeConfig config_of(const std::string& tables, const std::string& requests) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    const std::string text = "[serve]\nmodel = \"qwen3_8b\"\nnode = \"atlas800t_a2\"\n" + tables +
                             "\n[scheduler]\nstep_host_us = 0\n[requests]\n" + requests;
    return parse_serving(text, std::filesystem::path{"/tmp"} / "layouts_of_test.toml", installation);
}

/// Steps of 40 ms, whatever is in them; a tenth of it is the head's.
StepTime step_with_head(const StepShape&, node::IssueMode, std::uint32_t) {
    StepTime time{.us = step_us, .parts = {{"attention", 0.9 * step_us}, {"head", 0.1 * step_us}}};
    time.work.cube_cycles = 1e9;
    return time;
}

double sum_of_parts(const ServedLoad& load) {
    double sum = 0;
    for (const auto& [name, us] : load.parts_us) {
        sum += us;
    }
    return sum;
}

double sum_of_steps(const ServedLoad& load) {
    double sum = 0;
    for (const ServedStep& step : load.steps) {
        sum += step.us;
    }
    return sum;
}

TEST(ServedPipeline, AStepGoesThroughItsStages) {
    const ServeConfig config = config_of("[layout]\npipeline = 4", "count = 1\nprompt = 8\noutput = 1");
    const ServedLoad load = serve_once(config, step_with_head);
    const double send = node::collective_us(
        config.node, {.kind = node::CollectiveKind::send_receive, .bytes = 8 * 4096 * 2, .ranks = {0, 1}});
    EXPECT_NEAR(load.requests[0].ttft_us(), step_us + 3 * send, 1e-6);
    EXPECT_NEAR(load.parts_us.at("stages"), 3 * send, 1e-6);
}

TEST(ServedPipeline, StepsOfItsSchedulersFollowEachOther) {
    const ServeConfig config = config_of("[layout]\npipeline = 2", "count = 2\nprompt = 8\noutput = 50");
    const ServedLoad load = serve_once(config, step_with_head);
    // Two sequences, one of each scheduler, take turns on two stages: the slower one, with the head, sets the
    // pace.
    const double slower = 0.55 * step_us;
    EXPECT_NEAR(load.end_us, 100 * slower, 3 * step_us);
    EXPECT_NEAR(sum_of_parts(load), sum_of_steps(load), 1e-3);
}

TEST(ServedPipeline, HoldsAPartOfWeightsAndCache) {
    const ServeConfig one = config_of({}, "count = 1\nprompt = 8\noutput = 1");
    const ServeConfig four = config_of("[layout]\npipeline = 4", "count = 1\nprompt = 8\noutput = 1");
    const auto whole = networks::llm::memory_of(one.deployment(), 0);
    const auto part = networks::llm::memory_of(four.deployment(), 0);
    EXPECT_EQ(part.cache_of_token, whole.cache_of_token / 4);
    // Qwen3-8B does not tie its tables: each end has one of 151,936 x 4096 in 16 bits.
    const std::uint64_t table = 151936ULL * 4096 * 2;
    EXPECT_NEAR(static_cast<double>(part.weights),
                static_cast<double>(whole.weights - 2 * table) / 4 + static_cast<double>(table),
                1e6);
}

TEST(ServedPrompts, RunOnReplicasOfALayoutOfTheirOwn) {
    const ServeConfig config =
        config_of("[layout]\ntensor = 2\nreplicas = 2\n[prompts]\ntensor = 4\nmax_tokens = 64",
                  "count = 1\nprompt = 128\noutput = 3");
    EXPECT_EQ(config.devices(), 8U);
    std::uint32_t prompts = 0;
    const ServedLoad load = serve_once(
        config, step_with_head, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            ++prompts;
            return step_with_head(shape, mode, layers);
        });
    // two steps of 64 tokens make the first token, the cache moves, whoever asked has it, two steps make the
    // others
    EXPECT_EQ(prompts, 2U);
    EXPECT_NEAR(load.requests[0].ttft_us(), 2 * step_us + load.transfer_us, 1e-6);
    EXPECT_GT(load.transfer_us, 0);
    EXPECT_NEAR(load.end_us, 4 * step_us + load.transfer_us, 1e-6);
    EXPECT_THAT(
        [] {
            (void)config_of("[layout]\nreplicas = 6\n[prompts]\ntensor = 4",
                            "count = 1\nprompt = 8\noutput = 1");
        },
        ThrowsMessage<UserError>(HasSubstr("[layout] and [prompts] take 10 devices")));
}

/// Steps of 1 ms for each token of all replicas that share experts.
StepTime step_of_tokens(const StepShape& shape, node::IssueMode, std::uint32_t) {
    const double us = 1000.0 * static_cast<double>(shape.shared);
    return {.us = us, .parts = {{"experts", us}}};
}

TEST(ServedExperts, ReplicasThatShareThemEndTheirStepsTogether) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    ServeConfig config = parse_serving(
        "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\n[layout]\ntensor = 2\nreplicas = "
        "2\nexpert_parallel = true\n[scheduler]\nexpert_layer_us = 0\nstep_host_us = 0\n[requests]\ncount = "
        "2\nprompt = "
        "100\nprompt_spread = 0.5\noutput = 3",
        "x.toml",
        installation);
    const ServedLoad load = serve_once(config, step_of_tokens);
    // One prompt on each replica: both steps have the tokens of both, and the two that decode after them.
    const double prompts = 1000.0 * static_cast<double>(load.requests[0].prompt + load.requests[1].prompt);
    EXPECT_NE(load.requests[0].prompt, load.requests[1].prompt);
    EXPECT_NE(load.requests[0].replica, load.requests[1].replica);
    EXPECT_NEAR(load.requests[0].ttft_us(), prompts, 1e-6);
    EXPECT_NEAR(load.requests[1].ttft_us(), prompts, 1e-6);
    EXPECT_NEAR(load.end_us, prompts + 2 * 2000, 1e-6);
    EXPECT_NEAR(sum_of_parts(load), sum_of_steps(load), 1e-6);
}

TEST(ServedExperts, ReplicasRunTheGraphOfTheOneWithMostSequences) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    const ServeConfig config = parse_serving(
        "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\n[layout]\ntensor = 2\nreplicas = "
        "4\nexpert_parallel = true\n[scheduler]\nexpert_layer_us = 0\n[requests]\narrivals = "
        "\"closed\"\nconcurrency = 9\ncount = 9\nprompt = "
        "100\noutput = 2\ncomputed = true",
        "x.toml",
        installation);
    const ServedLoad load = serve_once(config, step_of_tokens);
    // Nine sequences, three of them on one replica: its graph is for four, and so are those of the others.
    ASSERT_EQ(load.steps.size(), 4U);
    for (const ServedStep& step : load.steps) {
        EXPECT_EQ(step.shape.decoding, 4U);
        EXPECT_EQ(step.shape.shared, 16U);
    }
}

TEST(ServedPrompts, HaveAModeOfTheirOwn) {
    const std::string load = "count = 1\nprompt = 8\noutput = 1";
    const ServeConfig piecewise = config_of("[layout]\nreplicas = 1\n[prompts]\nmode = \"piecewise\"", load);
    EXPECT_TRUE(piecewise.prompt_config().piecewise);
    EXPECT_EQ(piecewise.prompt_config().mode, node::IssueMode::graph);
    EXPECT_FALSE(piecewise.piecewise);  // the server that decodes
    const ServeConfig queue = config_of("[layout]\nreplicas = 1\n[prompts]\nmode = \"queue\"", load);
    EXPECT_FALSE(queue.prompt_config().piecewise);
}

TEST(ServedExperts, DraftsAreOfTheSequencesThatDecodeOnAnyReplica) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    const ServeConfig config = parse_serving(
        "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\n[layout]\ntensor = 2\nreplicas = "
        "2\nexpert_parallel = true\n[scheduler]\nexpert_layer_us = 0\nmax_tokens = 8\n[speculation]\ndrafted "
        "= 1\nacceptance = "
        "0.5\n[requests]\narrivals = \"all\"\ncount = 2\nprompt = 1000\nprompt_spread = 1\noutput = 20",
        "x.toml",
        installation);
    std::size_t drafts = 0;
    (void)serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        if (layers > 0) {  // two tokens of each sequence; the other replica may compute eight of its prompt
            ++drafts;
            EXPECT_LE(shape.shared, 4U);
            EXPECT_GE(shape.shared, shape.decoding);
            EXPECT_LE(shape.widest, 2U);
        }
        return step_of_tokens(shape, mode, layers);
    });
    EXPECT_GT(drafts, 0U);
}

TEST(ServedExperts, APromptOnOneReplicaHasAllLaunchKernelByKernel) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    const ServeConfig config = parse_serving(
        "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\n[layout]\ntensor = 2\nreplicas = "
        "2\nexpert_parallel = true\n[scheduler]\nexpert_layer_us = 0\nmax_tokens = 8\n[requests]\narrivals = "
        "\"all\"\ncount = "
        "2\nprompt = 1000\nprompt_spread = 1\noutput = 20",
        "x.toml",
        installation);
    bool apart = false;
    const ServedLoad load =
        serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            const bool decodes_beside = shape.prompts.empty() && mode == node::IssueMode::eager;
            apart = apart || decodes_beside;
            if (decodes_beside) {  // and knows how many tokens the other has: 8, or the last of its prompt
                EXPECT_GE(shape.widest_rows(), shape.shared - shape.rows());
            }
            return step_of_tokens(shape, mode, layers);
        });
    EXPECT_NE(load.requests[0].prompt, load.requests[1].prompt);
    EXPECT_TRUE(apart);  // the one with the shorter prompt decodes while the other computes the rest of its
}

TEST(ServedExperts, AreFilledUpWhereNothingIsCaptured) {
    const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};
    const ServeConfig config = parse_serving(
        "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\n[layout]\ntensor = 2\nreplicas = "
        "2\nexpert_parallel = true\nfilled_up = true\n[scheduler]\nexpert_layer_us = 0\nmax_tokens = "
        "8\n[requests]\narrivals = "
        "\"all\"\ncount = 2\nprompt = 1000\nprompt_spread = 1\noutput = 20",
        "x.toml",
        installation);
    bool filled = false;
    (void)serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        // one that decodes, or has nothing to do, beside one with eight tokens of a prompt
        const bool captured = mode == node::IssueMode::graph;
        EXPECT_EQ(shape.filling, captured ? 0 : 2 * shape.widest - shape.shared);
        filled = filled || shape.filling > 0;
        return step_of_tokens(shape, mode, layers);
    });
    EXPECT_TRUE(filled);
}

TEST(ServedPipeline, LayersMustDivide) {
    EXPECT_THAT([] { (void)config_of("[layout]\npipeline = 5", "count = 1\nprompt = 8\noutput = 1"); },
                ThrowsMessage<UserError>(HasSubstr("36 layers cannot be shared evenly by 5 stages")));
}

TEST(ServedExchanges, OfFewBytesAreNotTheVectorCoresWhereAiCpusUnfoldThem) {
    const auto sum_us = [](const char* expansion) {
        const ServeConfig config = parse_serving(
            fmt::format("[serve]\nmodel = \"qwen3_8b\"\nnode = \"atlas800t_a3\"\nexpansion = \"{}\"\n"
                        "[requests]\nprompt = 8\noutput = 1\n",
                        expansion),
            std::filesystem::path{"/tmp"} / "exchanges_of_test.toml",
            {.root = ASCENDSIM_ROOT, .libraries = {}});
        std::vector<std::uint32_t> ranks(16);
        std::iota(ranks.begin(), ranks.end(), 0U);
        return node::collective_us(config.node, {.bytes = 16384, .ranks = ranks});
    };
    // Two steps to all others at once (models/nodes/atlas800t_a3.toml: direct_us), or fifteen that add up and
    // fifteen that gather, neighbour to neighbour (step_us, reduce_step_us), and next to nothing for 16 KiB.
    EXPECT_NEAR(sum_us("aiv"), 2 * 5.3, 1);
    EXPECT_NEAR(sum_us("ai_cpu"), 15 * (5.0 + 1.8) + 15 * 5.0, 1);
    EXPECT_THAT([&] { (void)sum_us("host"); }, ThrowsMessage<UserError>(HasSubstr("aiv")));
}

double copy_us(const ServeConfig& config, double kb) {
    return node::host_copy_us(
        config.node, node::Direction::to_device, static_cast<std::uint64_t>(kb * 1000), true);
}

TEST(ServedCopies, HoldTheStepUp) {
    const ServeConfig config =
        config_of("[copies]\nrequest_in_kb = 1000\ntoken_in_kb = 10\nresult_out_kb = 100",
                  "count = 1\nprompt = 8\noutput = 2");
    const ServedLoad load = serve_once(config, step_with_head);
    const double out = node::host_copy_us(config.node, node::Direction::to_host, 100'000, true);
    EXPECT_NEAR(
        load.requests[0].ttft_us(), step_us + copy_us(config, 1000) + copy_us(config, 80) + out, 1e-6);
    EXPECT_NEAR(load.requests[0].tpot_us(), step_us + copy_us(config, 10) + out, 1e-6);
    EXPECT_NEAR(sum_of_parts(load), sum_of_steps(load), 1e-6);
    EXPECT_GT(figures_of(load).copies, 0);
}

TEST(ServedCopies, OfInputsHideBehindStepsWhereTheyAreDoubleBuffered) {
    const std::string tables = "[copies]\ndouble_buffered = true\nrequest_in_kb = 1000\ntoken_in_kb = 10";
    const ServeConfig config = config_of(tables, "count = 2\nprompt = 8\noutput = 3");
    const ServedLoad load = serve_once(config, step_with_head);
    // The first request waits for its inputs; those of the second come while its first step runs.
    EXPECT_NEAR(load.requests[0].scheduled_us, copy_us(config, 1000), 1e-6);
    EXPECT_NEAR(load.requests[1].scheduled_us, load.requests[0].first_us, 1e-6);
    EXPECT_NEAR(load.requests[0].tpot_us(), step_us, 1e-6);
}

TEST(ServedCopies, AreLeftOutForInputsThatTheDeviceKeeps) {
    const std::string requests = "arrivals = \"closed\"\nconcurrency = 1\ncount = 50\nprompt = 8\noutput = 1";
    const auto copies = [&](const std::string& more) {
        const ServedLoad load =
            serve_once(config_of("[copies]\nrequest_in_kb = 1000\n" + more, requests), step_with_head);
        return load.parts_us.at("copies");
    };
    const double all = copies("");
    const double each = all / 50;
    EXPECT_NEAR(copies("distinct = 4\ncached = 4"), 4 * each, 1e-6);  // 50 draws of four meet all
    EXPECT_NEAR(copies("distinct = 4"), all, 1e-6);
    const double some = copies("distinct = 4\ncached = 2");
    EXPECT_GT(some, 10 * each);
    EXPECT_LT(some, 40 * each);
    EXPECT_THAT([] { (void)config_of("[copies]\ncached = 4", "count = 1\nprompt = 8\noutput = 1"); },
                ThrowsMessage<UserError>(HasSubstr("set distinct")));
}

TEST(ServedEnergy, CountsIdleDevicesAndTheirWork) {
    const std::string requests = "count = 1\nprompt = 8\noutput = 4";
    const ServeConfig one = config_of({}, requests);
    const ServedLoad load = serve_once(one, step_with_head);
    const double seconds = 4 * step_us / us_a_second;
    const double work = 4 * 1e9 * one.power.cube.cost * 1e-9;  // nJ a busy cycle
    EXPECT_NEAR(load.joules, one.power.idle.cost * seconds + work, 1e-6);
    EXPECT_NEAR(figures_of(load).joules_a_token, load.joules / 4, 1e-9);
    const ServedLoad two = serve_once(config_of("[layout]\ntensor = 2", requests), step_with_head);
    EXPECT_NEAR(two.joules, 2 * load.joules, 1e-6);
}

TEST(ServedEnergy, CountsHostsThatScheduleAndIssue) {
    const auto issued = [](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        StepTime time = step_with_head(shape, mode, layers);
        time.issue_us = 500;
        return time;
    };
    const std::string requests = "count = 1\nprompt = 8\noutput = 4";
    ServeConfig config = config_of("[layout]\ntensor = 2", requests);
    const ServedLoad load = serve_once(config, issued);
    EXPECT_DOUBLE_EQ(load.host.busy_us, 4 * 2 * 500) << "four steps of two devices, no scheduling";
    // Two of eight devices have a quarter of a server.
    const double joules = 4000e-6 * config.host.core_w + 4 * step_us * 1e-6 * config.host.idle_w / 4;
    EXPECT_NEAR(load.host.joules, joules, 1e-9);
    EXPECT_NEAR(figures_of(load).host_joules_a_token, joules / 4, 1e-9);
    config.scheduler.step_host_us = 3000;
    EXPECT_DOUBLE_EQ(serve_once(config, issued).host.busy_us, 4 * (2 * 500 + 3000));
    config.scheduler.overlapped = true;  // as much work, beside the step
    EXPECT_DOUBLE_EQ(serve_once(config, issued).host.busy_us, 4 * (2 * 500 + 3000));
}

TEST(ServeRecording, HasStepsRequestsAndPlots) {
    const ServeConfig config = config_of({}, "count = 5\nprompt = 8\noutput = 4\n");
    ServeRun run{.config = config, .load = serve_once(config, step_with_head), .figures = {}};
    run.figures = figures_of(run.load);
    const record::testing::TemporaryFile file;
    write_serve_recording(file.path(), run, {}, {});
    const record::Recording recording{file.path()};
    const auto cycles = [](double us) { return static_cast<std::uint64_t>(std::llround(us * 1e3)); };
    EXPECT_EQ(recording.cycles(), cycles(run.load.end_us));
    const auto steps = recording.find(record::TrackPath::parse("device0/stream:steps"));
    ASSERT_TRUE(steps.has_value());
    EXPECT_EQ(recording.lane(*steps).size(), run.load.steps.size());
    // All come at once, so each has a slot of its own, from its arrival to its last token.
    for (std::size_t i = 0; i < run.load.requests.size(); ++i) {
        const auto slot =
            recording.find(record::TrackPath::parse("requests:0/stream:slot " + std::to_string(i)));
        ASSERT_TRUE(slot.has_value()) << i;
        EXPECT_EQ(recording.lane(*slot).end.back(), cycles(run.load.requests[i].end_us));
    }
    const std::vector<analysis::RecordedPlot> plots = analysis::plots_of(recording);
    EXPECT_EQ(plots[0].title, "Requests over time");
    EXPECT_TRUE(std::ranges::any_of(plots, [](const auto& plot) {
        return plot.title == "The cache over time" && plot.limit.value_or(0) > 0;
    }));
    EXPECT_THAT(analysis::report_of(recording)->verdict, HasSubstr("5 requests"));
    const auto power = std::ranges::find(plots, "Power", &analysis::RecordedPlot::title);
    ASSERT_TRUE(power != plots.end() && power->series.size() == 2);
    const auto joules = [](const analysis::PlotSeries& series) {  // below the steps
        double sum = 0;
        for (std::size_t i = 1; i < series.points.size(); ++i) {
            sum += series.points[i - 1].second * (series.points[i].first - series.points[i - 1].first) * 1e-6;
        }
        return sum;
    };
    EXPECT_NEAR(joules(power->series[0]), run.load.joules, 1e-6 * run.load.joules);
    EXPECT_NEAR(joules(power->series[1]), run.load.host.joules, 1e-6 * run.load.host.joules);
}

TEST(ServedLadder, IsReadAndDrawn) {
    const std::string text =
        "count = 3\nprompt = 8\noutput = 2\n[[rung]]\nname = \"graphs\"\nset = [\"serve.mode=graph\"]\n";
    const ServeConfig config = config_of({}, text);
    ASSERT_EQ(config.ladder.size(), 1U);
    EXPECT_EQ(config.ladder[0].settings[0], "serve.mode=graph");
    ServeRun run{.config = config, .load = serve_once(config, step_with_head), .figures = {}};
    run.figures = figures_of(run.load);
    const std::vector<Variant> rungs{
        {.setting = "serve.mode=graph", .what = "graphs", .figures = run.figures}};
    EXPECT_THAT(ladder_text(run, rungs), HasSubstr("graphs"));
    const std::string page = serve_html(run, {}, rungs);
    EXPECT_THAT(page, HasSubstr("Ladder: P99 of whole requests"));
    EXPECT_THAT(page, HasSubstr("The cache over time"));
    EXPECT_THAT([&] { (void)config_of({}, text + "[[rung]]\nname = \"none\"\n"); },
                ThrowsMessage<UserError>(HasSubstr("a rung changes a value")));
}

}  // namespace
}  // namespace ascendsim::serving
