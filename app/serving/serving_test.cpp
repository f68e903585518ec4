// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/serving/serve_report.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::serving {
namespace {

using networks::llm::StepShape;
using networks::llm::StepTime;
using testing::HasSubstr;
using testing::ThrowsMessage;

const toolchain::Installation installation{.root = ASCENDSIM_ROOT, .libraries = {}};

/// A folder of this test's process, which goes with it.
const std::filesystem::path& test_folder() {
    static const process::TemporaryFolder folder;
    return folder.path();
}

/// A load on one die of an A3 server; steps cost no host time unless a test says so.
ServeConfig load_of(const std::string& requests, const std::string& more = {}) {
    const std::string text = R"(
[serve]
model = "qwen3_8b"
node = "atlas800t_a3"
)" + more + "\n[requests]\n" +
                             requests;
    ServeConfig config = parse_serving(text, test_folder() / "serving_of_test.toml", installation);
    if (more.find("step_host_us") == std::string::npos) {
        config.scheduler.step_host_us = 0;
    }
    return config;
}

constexpr double step_ms = 10;

/// Steps of 10 ms, whatever is in them.
StepTime equal_step(const StepShape&, node::IssueMode, std::uint32_t layers) {
    const double us = layers == 0 ? step_ms * us_a_ms : us_a_ms;
    return {.us = us, .parts = {{"attention", us}}};
}

/// Leaves room for so many blocks of the cache.
void limit_cache(ServeConfig& config, std::uint64_t blocks) {
    const networks::llm::MemoryUse use =
        networks::llm::memory_of(config.deployment(), config.scheduler.max_tokens);
    config.memory_share = 1;
    config.chip.hbm.bytes = use.weights + use.activations + blocks * config.cache_block * use.cache_of_token;
}

TEST(Serving, ARequestTakesOneStepForItsPromptAndOneForEachFurtherToken) {
    const ServedLoad load = serve_once(load_of("count = 1\nprompt = 100\noutput = 3"), equal_step);
    ASSERT_EQ(load.requests.size(), 1U);
    EXPECT_DOUBLE_EQ(load.requests[0].ttft_us(), 10'000);
    EXPECT_DOUBLE_EQ(load.requests[0].tpot_us(), 10'000);
    EXPECT_DOUBLE_EQ(load.requests[0].end_us, 30'000);
    EXPECT_EQ(load.steps.size(), 3U);
}

TEST(Serving, HostTimeBetweenStepsCountsUnlessItIsOverlapped) {
    const std::string requests = "count = 1\nprompt = 100\noutput = 3";
    const ServedLoad apart = serve_once(load_of(requests, "[scheduler]\nstep_host_us = 2000"), equal_step);
    EXPECT_DOUBLE_EQ(apart.end_us, 3 * 12'000);
    const ServedLoad overlapped = serve_once(
        load_of(requests, "[scheduler]\nstep_host_us = 2000\noverlapped = true\noverlapped_us = 100"),
        equal_step);
    EXPECT_DOUBLE_EQ(overlapped.end_us, 3 * 10'100);
}

TEST(Serving, AClosedLoopLetsTheNextComeWhenOneEnds) {
    const ServedLoad load = serve_once(
        load_of("arrivals = \"closed\"\nconcurrency = 1\ncount = 3\nprompt = 8\noutput = 2"), equal_step);
    EXPECT_DOUBLE_EQ(load.requests[1].arrival_us, load.requests[0].end_us);
    EXPECT_DOUBLE_EQ(load.requests[2].arrival_us, load.requests[1].end_us);
    EXPECT_DOUBLE_EQ(load.end_us, 3 * 20'000);
}

TEST(Serving, AClosedLoopWithARateWaitsForBoth) {
    const auto served = [](const char* rate) {
        return serve_once(load_of(std::string{"arrivals = \"closed\"\nconcurrency = 1\ncount = 3\nprompt = "
                                              "8\noutput = 2\nrate = "} +
                                  rate),
                          equal_step);
    };
    // a request takes 20 ms: with one in 1000 s nobody waits for another, with 10^6 a second each does
    const ServedLoad slow = served("0.001");
    EXPECT_GT(slow.requests[1].arrival_us, slow.requests[0].end_us);
    const ServedLoad crowded = served("1e6");
    EXPECT_DOUBLE_EQ(crowded.requests[1].arrival_us, crowded.requests[0].end_us);
    EXPECT_DOUBLE_EQ(crowded.requests[2].arrival_us, crowded.requests[1].end_us);
}

TEST(Serving, PromptsAreCutToTheTokensOfAStep) {
    const ServeConfig config =
        load_of("count = 1\nprompt = 250\noutput = 1", "[scheduler]\nmax_tokens = 100");
    std::vector<std::uint64_t> tokens;
    std::vector<std::uint64_t> past;
    (void)serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        tokens.push_back(shape.prompts.at(0).tokens);
        past.push_back(shape.prompts.at(0).past);
        EXPECT_EQ(mode, node::IssueMode::eager);  // only steps that decode are captured
        return equal_step(shape, mode, layers);
    });
    EXPECT_THAT(tokens, testing::ElementsAre(100, 100, 50));
    EXPECT_THAT(past, testing::ElementsAre(0, 100, 200));
}

TEST(Serving, PromptsThatAreNotCutRunApartFromDecoding) {
    const ServeConfig config =
        load_of("count = 3\nprompt = 60\noutput = 4", "[scheduler]\nmax_tokens = 100\nchunked = false");
    (void)serve_once(config, [](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        EXPECT_TRUE(shape.prompts.empty() || shape.decoding == 0);
        EXPECT_LE(shape.prompts.size(), 1U);  // two of 60 tokens do not fit a step of 100
        return equal_step(shape, mode, layers);
    });
}

TEST(Serving, GraphsRunTheNextLargerCapturedSize) {
    const ServeConfig config = load_of("count = 11\nprompt = 4\noutput = 3");
    std::vector<std::uint64_t> decoding;
    (void)serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        if (shape.prompts.empty()) {
            EXPECT_EQ(mode, node::IssueMode::graph);
            decoding.push_back(shape.decoding);
        }
        return equal_step(shape, mode, layers);
    });
    EXPECT_THAT(decoding, testing::Each(16));  // 11 run as 16
}

TEST(Serving, ASequenceLosesItsCacheWhenThereIsNoRoom) {
    ServeConfig config = load_of("count = 2\nprompt = 128\noutput = 128");
    limit_cache(config, 3);  // each grows to 256 tokens, two blocks
    const ServedLoad load = serve_once(config, equal_step);
    EXPECT_EQ(load.preemptions, 1U);
    EXPECT_EQ(load.requests[0].preempted, 0U);
    EXPECT_EQ(load.requests[1].preempted, 1U);
    EXPECT_LE(load.most_blocks, 3U);
    for (const ServedRequest& request : load.requests) {
        EXPECT_GT(request.end_us, request.first_us);
    }
}

TEST(Serving, AcceptedDraftsMakeSeveralTokensOfAStep) {
    // three drafted tokens, all accepted: four tokens a step; each draft costs a layer's step of 1 ms, and
    // each but the first 1 ms of the host
    const ServedLoad load =
        serve_once(load_of("count = 1\nprompt = 8\noutput = 9", "[speculation]\ndrafted = 3\nacceptance = 1"),
                   equal_step);
    EXPECT_EQ(load.steps.size(), 3U);  // the prompt, and twice four tokens
    EXPECT_DOUBLE_EQ(load.requests[0].tpot_us(), 2 * 15'000 / 8.0);
    EXPECT_EQ(load.accepted, 6U);
    const ServedLoad none =
        serve_once(load_of("count = 1\nprompt = 8\noutput = 9", "[speculation]\ndrafted = 3\nacceptance = 0"),
                   equal_step);
    EXPECT_EQ(none.accepted, 0U);
    EXPECT_EQ(none.steps.size(), 9U);
}

TEST(Serving, DraftsHideWhatTheHostDoesOnceTokensAreAccepted) {
    // a step of 10 ms makes four tokens of the eight behind the first, twice; three drafts take 3 ms
    const auto decoding_us = [](const std::string& host_us) {
        return serve_once(load_of("count = 1\nprompt = 8\noutput = 9",
                                  "[speculation]\ndrafted = 3\nacceptance = 1\n[scheduler]\noverlapped = "
                                  "true\noverlapped_us = 80\nstep_host_us = " +
                                      host_us),
                          equal_step)
                   .requests[0]
                   .tpot_us() *
               8 / 2;
    };
    EXPECT_NEAR(decoding_us("5000"), 13'000 + 2000, 1e-6);
    EXPECT_NEAR(decoding_us("3000"), 13'000 + 80, 1e-6);
}

TEST(Serving, ValuesOfTheChipAreSetByPath) {
    const std::string load = "count = 1\nprompt = 8\noutput = 2";
    const ServeConfig config = load_of(load, "[chip]\ncores.aic = 20\n");
    EXPECT_EQ(config.chip.cores.aic, 20U);
    EXPECT_EQ(config.chip.cores.aiv, 40U);  // two of each group follow
    EXPECT_THAT([&] { (void)load_of(load, "[chip]\ncores.aics = 20\n"); },
                testing::ThrowsMessage<UserError>(testing::HasSubstr("cores.aic")));
}

TEST(Serving, ThePaceOfPiecewiseGraphsIsThatOfTheSlower) {
    // a prompt of 10 ms, launched kernel by kernel, and a step of 10 ms, or of 36 layers of the host
    const auto decoding_us = [](const std::string& piece_us) {
        ServeConfig config = load_of("count = 1\nprompt = 513\noutput = 2",
                                     "[scheduler]\nstep_host_us = 0\npiece_us = " + piece_us);
        config.piecewise = true;
        const ServedLoad load = serve_once(config, equal_step);
        EXPECT_NEAR(load.requests[0].ttft_us(), 10'000, 1e-6);
        return load.requests[0].tpot_us();
    };
    EXPECT_NEAR(decoding_us("100"), 10'000, 1e-6);
    EXPECT_NEAR(decoding_us("1000"), 36'000, 1e-6);
}

TEST(Serving, PiecewiseGraphsHoldShortPromptsToo) {
    const auto first_us = [](const std::string& sequences) {
        ServeConfig config =
            load_of("count = 1\nprompt = 200\noutput = 2",
                    "[scheduler]\nstep_host_us = 0\npiece_us = 1000\nmax_sequences = " + sequences);
        config.piecewise = true;
        return serve_once(config, equal_step).requests[0].ttft_us();
    };
    EXPECT_NEAR(first_us("100"), 36'000, 1e-6);  // captured for up to 200 tokens
    EXPECT_NEAR(first_us("99"), 10'000, 1e-6);
}

TEST(Serving, LayersWithExpertsAreLaunchedAtThePaceOfTheHost) {
    const auto times = [](const std::string& mode) {
        const std::string text = "[serve]\nmodel = \"qwen3_30b_a3b\"\nnode = \"atlas800t_a2\"\nmode = \"" +
                                 mode +
                                 "\"\n[layout]\ntensor = 2\n[scheduler]\nstep_host_us = 0\nexpert_layer_us = "
                                 "1000\n[requests]\ncount = 1\nprompt = 8\noutput = 2\n";
        const ServeConfig config = parse_serving(text, test_folder() / "serving_of_test.toml", installation);
        const ServedLoad load = serve_once(config, equal_step);
        return std::pair{load.requests[0].ttft_us(), load.requests[0].tpot_us()};
    };
    // 48 layers of 1 ms, where the device needs 10 ms
    EXPECT_NEAR(times("eager").first, 48'000, 1e-6);
    EXPECT_NEAR(times("eager").second, 48'000, 1e-6);
    EXPECT_NEAR(times("graph").first, 48'000, 1e-6);  // prompts are launched
    EXPECT_NEAR(times("graph").second, 10'000, 1e-6);
}

TEST(Serving, PiecewiseGraphsLeaveCallsToTheHost) {
    ServeConfig config =
        load_of("count = 1\nprompt = 8\noutput = 2", "[scheduler]\nstep_host_us = 0\npiece_us = 1000");
    config.piecewise = true;
    const ServedLoad load =
        serve_once(config, [](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            StepTime time = equal_step(shape, mode, layers);
            time.between_graphs = 100;
            return time;
        });
    // 36 layers of 1 ms, and 100 operators of a framework
    EXPECT_NEAR(load.requests[0].tpot_us(), 36'000 + 100 * config.host.eager_us, 1e-6);
}

TEST(Serving, ABlockOfDraftsIsOnePassOfSeveralLayers) {
    std::vector<StepShape> drafts;
    const ServedLoad load = serve_once(
        load_of("count = 1\nprompt = 8\noutput = 9",
                "[speculation]\ndrafted = 7\nacceptance = 1\npasses = 1\nlayers = 5\nblock = true"),
        [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            if (layers != 0) {
                EXPECT_EQ(layers, 5U);
                drafts.push_back(shape);
            }
            return equal_step(shape, mode, layers);
        });
    ASSERT_EQ(drafts.size(), 1U);  // eight tokens of a step
    EXPECT_EQ(drafts.front().rows(), 8U);
    EXPECT_EQ(drafts.front().results, 7U);
    EXPECT_EQ(load.accepted, 7U);
}

TEST(Serving, ASharedPrefixIsComputedOnce) {
    const ServeConfig config =
        load_of("arrivals = \"closed\"\nconcurrency = 1\ncount = 2\nprompt = 300\noutput = 1\nprefix = 256");
    std::vector<std::uint64_t> tokens;
    (void)serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
        tokens.push_back(shape.prompts.at(0).tokens);
        return equal_step(shape, mode, layers);
    });
    EXPECT_THAT(tokens, testing::ElementsAre(300, 44));
}

TEST(Serving, AKeptPrefixTakesWholeBlocksOfTheCache) {
    const ServeConfig config =
        load_of("arrivals = \"closed\"\nconcurrency = 1\ncount = 2\nprompt = 300\noutput = 1\nprefix = 200");
    std::vector<std::uint64_t> tokens;
    const ServedLoad load =
        serve_once(config, [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
            tokens.push_back(shape.prompts.at(0).tokens);
            return equal_step(shape, mode, layers);
        });
    EXPECT_THAT(tokens, testing::ElementsAre(300, 300 - 128));  // one whole block of 128 tokens
    ASSERT_EQ(load.steps.size(), 2U);
    EXPECT_EQ(load.steps[0].cache_blocks, 3U);
    EXPECT_EQ(load.steps[1].cache_blocks, 3U);  // the one that is kept, and two for the other 172 tokens
}

TEST(Serving, OnlyPromptsWithThePrefixComputeAndUseIt) {
    std::string requests =
        "arrivals = \"closed\"\nconcurrency = 1\ncount = 40\nprompt = 300\noutput = 1\nprefix = 256\n";
    const auto tokens_of = [&](const std::string& share) {
        std::vector<std::uint64_t> tokens;
        (void)serve_once(load_of(requests + "prefix_share = " + share),
                         [&](const StepShape& shape, node::IssueMode mode, std::uint32_t layers) {
                             tokens.push_back(shape.prompts.at(0).tokens);
                             return equal_step(shape, mode, layers);
                         });
        return tokens;
    };
    EXPECT_THAT(tokens_of("0.0"), testing::Each(300));
    const std::vector<std::uint64_t> half = tokens_of("0.5");
    // 20 of 40 have it, give or take three standard deviations of sqrt(40) / 2; the first of them computes it
    EXPECT_NEAR(static_cast<double>(std::ranges::count(half, 44U)), 20, 10);
    EXPECT_NEAR(static_cast<double>(std::ranges::count(half, 300U)), 20, 10);
}

TEST(Serving, AKeptPrefixGivesWayToARequestThatNeedsItsRoom) {
    ServeConfig config = load_of(
        "arrivals = \"closed\"\nconcurrency = 1\ncount = 40\nprompt = 300\noutput = 1\nprefix = 256\n"
        "prefix_share = 0.5");
    limit_cache(config, 3);  // all that a prompt without the prefix takes
    const ServedLoad load = serve_once(config, equal_step);
    EXPECT_EQ(load.steps.size(), 40U);
    EXPECT_LE(load.most_blocks, 3U);
    for (const ServedRequest& request : load.requests) {
        EXPECT_GT(request.end_us, 0);
    }
}

TEST(Serving, ReplicasForPromptsHandTheirCachesOn) {
    const ServeConfig config =
        load_of("count = 1\nprompt = 4096\noutput = 3", "prompt_replicas = 1\n[layout]\nreplicas = 2");
    const ServedLoad load = serve_once(config, equal_step);
    // 4096 tokens of 147,456 B over a link of an A3 server: milliseconds between the prompt and the next step
    EXPECT_GT(load.transfer_us, 1'000);
    EXPECT_NEAR(load.end_us, 30'000 + load.transfer_us, 1e-6);
    EXPECT_EQ(load.steps.front().replica, 0U);
    EXPECT_EQ(load.steps.back().replica, 1U);
}

TEST(Serving, PromptsComputedElsewhereDecodeAtOnce) {
    const ServedLoad load =
        serve_once(load_of("count = 2\nprompt = 4096\noutput = 3\ncomputed = true"), equal_step);
    EXPECT_EQ(load.steps.front().decoding, 2U);
    EXPECT_NEAR(load.requests[0].ttft_us(), 0, 1e-9);
    EXPECT_NEAR(load.end_us, 20'000, 1e-6);  // the second and the third token
}

TEST(Serving, PartsOfAllStepsAddUpToTheirTime) {
    const ServedLoad load =
        serve_once(load_of("count = 20\nprompt = 500\nprompt_spread = 0.5\noutput = 20\noutput_spread = 0.9",
                           "[scheduler]\nstep_host_us = 700"),
                   equal_step);
    double steps = 0;
    for (const ServedStep& step : load.steps) {
        steps += step.us;
    }
    double parts = 0;
    for (const auto& [name, us] : load.parts_us) {
        parts += us;
    }
    EXPECT_NEAR(parts, steps, 1e-6 * steps);
}

TEST(Serving, PercentilesAreOfTheNearestRank) {
    std::vector<double> values;
    for (int i = 1; i <= 100; ++i) {
        values.push_back(i);
    }
    const Distribution of = distribution_of(values);
    EXPECT_DOUBLE_EQ(of.mean, 50.5);
    EXPECT_DOUBLE_EQ(of.p50, 50);
    EXPECT_DOUBLE_EQ(of.p90, 90);
    EXPECT_DOUBLE_EQ(of.p99, 99);
    // the deviation of a mean of 100 values of deviation 28.9 is 2.9: 95 % lie within twice that
    EXPECT_NEAR(of.high - of.low, 4 * 2.9, 2);
}

TEST(Serving, PercentilesLieBetweenTwoOfTheValues) {
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) {
        values.push_back(i);
    }
    const Distribution of = distribution_of(values);
    // 500 values lie below the middle, with a deviation of sqrt(1000 x 0.5 x 0.5) = 15.8: 31 either way
    EXPECT_DOUBLE_EQ(of.of_p50.low, 469);
    EXPECT_DOUBLE_EQ(of.of_p50.high, 532);
    // 990 below the P99, with a deviation of sqrt(1000 x 0.99 x 0.01) = 3.15: 6.2 either way
    EXPECT_DOUBLE_EQ(of.of_p99.low, 983);
    EXPECT_DOUBLE_EQ(of.of_p99.high, 998);
    const Distribution few = distribution_of({1, 2, 3});
    EXPECT_DOUBLE_EQ(few.of_p99.high, 3);
    EXPECT_DOUBLE_EQ(few.of_p50.low, 1);
}

TEST(Serving, BadFilesAreRefused) {
    const auto read = [](const std::string& requests, const std::string& more = {}) {
        return [=] { (void)load_of(requests, more); };
    };
    EXPECT_THAT(read("count = 1\nprompt = 10\noutput = 1\nconcurency = 4"),
                ThrowsMessage<UserError>(HasSubstr("concurency")));
    EXPECT_THAT(read("count = 1\nprompt = 100000000\noutput = 1"),
                ThrowsMessage<UserError>(HasSubstr("prompt")));
    EXPECT_THAT(
        read("count = 1\nprompt = 4000000\noutput = 1"),
        ThrowsMessage<UserError>(HasSubstr("may take 4000001 tokens, and the cache of a device has room")));
    EXPECT_THAT(read("count = 1\nprompt = 10\noutput = 1", "memory_share = 0.2"),
                ThrowsMessage<UserError>(HasSubstr("does not fit: weights take 15.3 GiB")));
    EXPECT_THAT(read("count = 1\nprompt = 200\noutput = 1", "[scheduler]\nchunked = false\nmax_tokens = 100"),
                ThrowsMessage<UserError>(HasSubstr("must fit a step")));
    EXPECT_THAT(read("count = 1\nprompt = 10\noutput = 2\ncomputed = true", "prompt_replicas = 1"),
                ThrowsMessage<UserError>(HasSubstr("leaves nothing to do for replicas of prompts")));
    EXPECT_THAT(read("count = 1\nprompt = 10\noutput = 2", "index_every = 4"),
                ThrowsMessage<UserError>(HasSubstr("picks no keys by an index")));
    EXPECT_THAT(read("arrivals = \"trace\"\nfile = \"no_such.csv\""),
                ThrowsMessage<UserError>(HasSubstr("no_such.csv")));
    EXPECT_THAT(
        [] {
            (void)parse_serving(
                "[serve]\nmodel = \"qwen3_9b\"\nnode = \"atlas800t_a3\"", "x.toml", installation);
        },
        ThrowsMessage<UserError>(AllOf(
            HasSubstr("'qwen3_9b' is no file beside this one and no shipped model, did you mean 'qwen3_"),
            HasSubstr("(known: "))));
}

TEST(Serving, WeightsAreAsStoredUnlessTheFileSays) {
    const std::filesystem::path folder = test_folder() / "stored_weights_of_test";
    std::filesystem::create_directories(folder);
    const auto weights_of = [&](const std::string& quantisation, const std::string& said) {
        std::ofstream{folder / "config.json"}
            << R"({"model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 256, "intermediate_size": 512,
               "num_attention_heads": 4, "head_dim": 64, "vocab_size": 1000, "quantization_config": )"
            << quantisation << "}";
        return parse_serving("[serve]\nmodel = \"config.json\"\nnode = \"atlas800t_a3\"\n" + said +
                                 "\n[requests]\ncount = 1\nprompt = 8\noutput = 1",
                             folder / "x.toml",
                             installation)
            .weights;
    };
    using networks::llm::Weights;
    const std::string four = R"({"quant_method": "awq", "bits": 4})";
    EXPECT_THAT([&] { (void)weights_of(four, ""); },
                ThrowsMessage<UserError>(HasSubstr("weights of 4 bits, activations of 16, whose products")));
    EXPECT_EQ(weights_of(four, "weights = \"half\""), Weights::half);
    EXPECT_THAT([&] { (void)weights_of(R"({"quant_method": "fp8"})", ""); },
                ThrowsMessage<UserError>(HasSubstr("8 bits (floating)")));
    const std::string bytes =
        R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8},
           "input_activations": {"num_bits": 8}}}})";
    EXPECT_EQ(weights_of(bytes, ""), Weights::int8);
}

TEST(Serving, ATraceGivesArrivalsAndLengths) {
    std::ofstream{test_folder() / "trace_of_test.csv"} << "arrival_s,prompt,output\n0.5,10,2\n0,20,3\n";
    const ServedLoad load =
        serve_once(load_of("arrivals = \"trace\"\nfile = \"trace_of_test.csv\""), equal_step);
    ASSERT_EQ(load.requests.size(), 2U);
    EXPECT_EQ(load.requests[0].prompt, 20U);
    EXPECT_DOUBLE_EQ(load.requests[1].arrival_us, 500'000);
    std::ofstream{test_folder() / "bad_trace.csv"} << "arrival_s,prompt,output\n0.5,ten,2\n";
    EXPECT_THAT([] { (void)load_of("arrivals = \"trace\"\nfile = \"bad_trace.csv\""); },
                ThrowsMessage<UserError>(HasSubstr("bad_trace.csv:2: 'ten' is no number")));
}

TEST(Serving, ShippedFilesAreRead) {
    for (const auto& entry : std::filesystem::directory_iterator{installation.scenarios() / "serving"}) {
        if (entry.path().extension() == ".toml") {
            EXPECT_NO_THROW((void)read_serving(entry.path(), {}, installation)) << entry.path();
        }
    }
}

TEST(Serving, TheSameLoadGivesTheSameReport) {
    const auto text = [] {
        ServeRun run{
            .config = load_of("arrivals = \"poisson\"\nrate = 20\ncount = 50\nprompt = 300\noutput = 30"),
            .load = {},
            .figures = {}};
        run.load = serve_once(run.config, equal_step);
        run.figures = figures_of(run.load);
        return serve_text(run) + serve_json(run, {}).dump() + serve_csv(run) + serve_trace(run).dump();
    };
    EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace ascendsim::serving
