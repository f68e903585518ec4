// SPDX-License-Identifier: Apache-2.0
// How tokens come to their experts: sent row by row, sent at once, or gathered by all.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/node/call_sums.hpp"
#include "models/node/node_file.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/llm/step_costs.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks::llm {
namespace {

/// A step of a mixture of experts on dies of an A3 server.
class ExpertStep : public ::testing::Test {
protected:
    static inline const std::filesystem::path place{ASCENDSIM_ROOT};
    ChipSpec chip = load_chip("910c", place / "models" / "chips");
    node::NodeSpec server = node::open_node("atlas800t_a3", place / "models" / "nodes").spec;
    node::HostSpec host = node::open_host("kunpeng920", place / "models" / "hosts").spec;

    [[nodiscard]] Deployment on(const std::string& model,
                                const Layout& layout,
                                Weights weights = Weights::half) const {
        return {.model = open_model(place / "scenarios" / "serving" / "models" / (model + ".json")),
                .layout = layout,
                .weights = weights,
                .routing = Routing::even,
                .chip = chip,
                .node = server};
    }

    [[nodiscard]] StepProgram program(const std::string& model,
                                      const Layout& layout,
                                      Weights weights = Weights::half) const {
        return step_program(on(model, layout, weights), 128);
    }

    static const StepOperator& find(const StepProgram& program, const std::string& name) {
        const auto found = std::ranges::find(program.operators, name, &StepOperator::name);
        return found == program.operators.end() ? throw UserError{"no operator {}", name} : *found;
    }

    static const StepExchange& exchange(const StepProgram& program, const std::string& name) {
        const auto found = std::ranges::find(program.exchanges, name, &StepExchange::name);
        return found == program.exchanges.end() ? throw UserError{"no exchange {}", name} : *found;
    }

    static bool has(const StepProgram& program, const std::string& name) {
        return std::ranges::count(program.operators, name, &StepOperator::name) +
                   std::ranges::count(program.exchanges, name, &StepExchange::name) >
               0;
    }

    template <class Value = std::int64_t>
    static Value knob(const Task& task, const std::string& name) {
        return std::get<Value>(
            std::ranges::find(task.knobs, name, &std::pair<std::string, host::KnobValue>::first)->second);
    }

    /// Time of an exchange in a step.
    static double exchange_us(StepCosts& costs, const StepShape& shape, const std::string& name) {
        const std::vector<double> us = costs.operator_us(shape);
        const std::vector<StepExchange>& all = costs.program().exchanges;
        const auto at = std::ranges::find(all, name, &StepExchange::name) - all.begin();
        return us.at(costs.program().operators.size() + static_cast<std::size_t>(at));
    }
};

TEST_F(ExpertStep, GathersTokensFromAStepOfSoManyOn) {
    const StepProgram step =
        program("qwen3_30b_a3b", {.tensor = 2, .replicas = 4, .expert_parallel = true, .gathers_from = 513});
    EXPECT_EQ(exchange(step, "dispatch").steps.most, 512U);
    EXPECT_TRUE(exchange(step, "dispatch").to_experts);
    EXPECT_FALSE(has(step, "sorted dispatch"));  // steps that are sent are all sent row by row
    EXPECT_EQ(exchange(step, "gathered").steps.least, 513U);
    EXPECT_EQ(exchange(step, "gathered").ranks, (std::vector<std::uint32_t>{0, 2, 4, 6}));
    EXPECT_DOUBLE_EQ(exchange(step, "gathered").bytes_of_row, 2048 * 2);  // the hidden states of a token
    EXPECT_EQ(exchange(step, "scattered").kind, node::CollectiveKind::reduce_scatter);
    // the kernels that send rows have put them in order and add up what comes back
    EXPECT_EQ(find(step, "MoeInitRouting").steps.least, 513U);
    EXPECT_EQ(find(step, "MoeFinalizeRouting").steps.least, 513U);
}

TEST_F(ExpertStep, SortsRowsOfLongStepsOnBothSides) {
    const Layout layout{.tensor = 8, .replicas = 2, .expert_parallel = true};
    const StepProgram step = program("deepseek_v3", layout, Weights::int8);
    for (const char* name :
         {"MoeTokenPermute", "MoeInitRouting", "MoeTokenUnpermute", "MoeFinalizeRouting"}) {
        EXPECT_EQ(find(step, name).steps.least, 513U) << name;
        EXPECT_EQ(find(step, name).times, 58U) << name;  // of 61 layers, 3 are dense
    }
    // Of 4096 tokens of a replica, each of eight devices sends 512, to eight experts each. Of the 8192 of
    // both replicas with 8 of 256 experts, 16 on a device, that of 16 has 4096 rows, which have come as
    // bytes: half as wide.
    const Task permute = find(step, "MoeTokenPermute").task(4096, 0);
    EXPECT_EQ(knob<host::Shape>(permute, "shape"), (host::Shape{512, 7168}));
    EXPECT_EQ(knob(permute, "count"), 512 * 8);
    const Task again = find(step, "MoeInitRouting").task(8192, 0);
    EXPECT_EQ(knob<host::Shape>(again, "shape"), (host::Shape{4096, 3584}));
    EXPECT_EQ(knob<host::Shape>(find(step, "MoeTokenUnpermute").task(8192, 0), "shape"),
              (host::Shape{4096, 7168}));
    EXPECT_EQ(knob(find(step, "MoeGatingTopK").task(4096, 0), "tokens"), 512);
    // scales of four bytes, rows of bytes there and of 16 bits back, each token's eight shared by eight
    // devices
    EXPECT_DOUBLE_EQ(exchange(step, "scales").bytes_of_row, 4);
    EXPECT_DOUBLE_EQ(exchange(step, "sorted dispatch").bytes_of_row, 7168);
    EXPECT_DOUBLE_EQ(exchange(step, "sorted combine").bytes_of_row, 2 * 7168);
    EXPECT_DOUBLE_EQ(exchange(step, "counts").bytes_of_call, 4 * 256);
    EXPECT_TRUE(find(step, "RepeatInterleave").host_waits);
}

TEST_F(ExpertStep, SendsTokensOfOneReplicaToo) {
    const Layout layout{.tensor = 16, .expert_parallel = true};
    const StepProgram sent = program("deepseek_v3", layout);
    EXPECT_EQ(exchange(sent, "dispatch").ranks.size(), 16U);
    EXPECT_EQ(exchange(sent, "experts").kind, node::CollectiveKind::all_gather);
    const StepProgram gathered =
        program("deepseek_v3", {.tensor = 16, .expert_parallel = true, .gathers_from = 1});
    EXPECT_FALSE(has(gathered, "dispatch"));
    EXPECT_FALSE(has(gathered, "gathered"));  // all have the tokens
    EXPECT_EQ(exchange(gathered, "experts").kind, node::CollectiveKind::all_reduce);
}

TEST_F(ExpertStep, AddsUpSharedExpertsApartFromThoseThatTokensAreSentTo) {
    const Layout layout{.tensor = 8, .replicas = 2, .expert_parallel = true};
    const StepProgram sent = program("deepseek_v3", layout);
    EXPECT_EQ(exchange(sent, "shared experts").kind, node::CollectiveKind::all_reduce);
    EXPECT_EQ(knob(find(sent, "MatMul shared gate_up").task(64, 0), "n"), 2 * 2048 / 8);
    const StepProgram gathered =
        program("deepseek_v3", {.tensor = 8, .replicas = 2, .expert_parallel = true, .gathers_from = 1});
    EXPECT_FALSE(has(gathered, "shared experts"));  // with the others' results
    const StepProgram whole =
        program("deepseek_v3", {.tensor = 8, .replicas = 2, .expert_parallel = true, .whole_shared = true});
    EXPECT_FALSE(has(whole, "shared experts"));
    const Task product = find(whole, "MatMul shared gate_up").task(64, 0);
    EXPECT_EQ(knob(product, "n"), 2 * 2048);
    EXPECT_EQ(knob(product, "m"), 64 / 8);
}

TEST_F(ExpertStep, SendsTokensAsOftenAsDevicesHaveThem) {
    const Layout layout{.tensor = 4, .replicas = 4, .expert_parallel = true, .repeated = true};
    const StepProgram step = program("hy3", layout);
    // 4 tokens with 8 of 192 experts, 12 on a device: two rows, from each of four devices
    EXPECT_EQ(knob(find(step, "GroupedMatmul down").task(4, 0), "m"), 4 * 2);
    EXPECT_DOUBLE_EQ(exchange(step, "dispatch").bytes_of_row, 8 * 4096 * 2);
    EXPECT_DOUBLE_EQ(exchange(step, "dispatch").choices_of_row, 8);
    EXPECT_FALSE(has(step, "experts"));  // all have all results
}

TEST_F(ExpertStep, GivesExpertsTheirTokens) {
    Deployment deployment = on("deepseek_v3", {.tensor = 8, .replicas = 2, .expert_parallel = true});
    const StepProgram step = step_program(deployment, 128);
    EXPECT_EQ(find(step, "GroupedMatmul down").axis, Axis::shared);
    const Task task = find(step, "GroupedMatmul down").task(128, 0);
    // two replicas of 64 tokens, each with 8 of 256 experts, of which a device has 16: 128 * 8 * 16 / 256
    // rows
    EXPECT_EQ(knob(task, "m"), 64);
    const auto ends = knob<host::Shape>(task, "group_ends");
    EXPECT_EQ(ends.back(), 64U);
    EXPECT_TRUE(std::ranges::is_sorted(ends));
    EXPECT_EQ(ends.size(), 16U);  // dealt out: all of them have work
    deployment.routing = Routing::drawn;
    EXPECT_GT(knob(find(step_program(deployment, 128), "GroupedMatmul down").task(128, 0), "m"), 64);
    EXPECT_EQ(find(step, "GroupedMatmul down").times, 58U);  // of 61 layers, 3 are dense
    EXPECT_EQ(find(step, "MatMul down").times, 3U);
}

TEST_F(ExpertStep, ReplicasChooseTheExchangesOfTheWidest) {
    const Deployment deployment =
        on("qwen3_30b_a3b", {.tensor = 2, .replicas = 4, .expert_parallel = true, .gathers_from = 513});
    StepCosts costs{deployment, step_program(deployment, 128), host};
    const auto us_of = [&](const StepShape& shape, const std::string& name) {
        return exchange_us(costs, shape, name);
    };
    const StepShape few{.decoding = 4, .keys = 512, .results = 4, .shared = 1012, .widest = 1000};
    const StepShape many{.decoding = 1000, .keys = 512, .results = 1000, .shared = 1012, .widest = 1000};
    // whoever has few tokens gathers, too, and is filled up: as long as the one with many
    EXPECT_EQ(us_of(few, "dispatch"), 0);
    EXPECT_GT(us_of(few, "gathered"), 0);
    EXPECT_EQ(us_of(few, "gathered"), us_of(many, "gathered"));
    EXPECT_LT(us_of(few, "attention"), us_of(many, "attention"));  // of its own tokens
    EXPECT_GT(us_of({.decoding = 4, .keys = 512, .results = 4, .shared = 16, .widest = 4}, "dispatch"), 0);
}

TEST_F(ExpertStep, TokensThatFillReplicasUpGoToOneDevice) {
    const Deployment deployment = on("qwen3_30b_a3b", {.tensor = 2, .replicas = 4, .expert_parallel = true});
    StepCosts costs{deployment, step_program(deployment, 128), host};
    const auto dispatch_us = [&](const StepShape& shape) {
        return exchange_us(costs, shape, "sorted dispatch");
    };
    const auto prompt = [](std::uint64_t tokens, std::uint64_t shared, std::uint64_t filling) {
        return StepShape{.prompts = {{.tokens = tokens}},
                         .results = 1,
                         .shared = shared,
                         .widest = tokens,
                         .filling = filling};
    };
    // 1000 tokens and 3000 that fill three replicas up. All eight experts of these are on one of eight
    // devices, which gets as many rows as of 1000 + 8 x 3000 tokens, 6250 of each replica.
    EXPECT_DOUBLE_EQ(dispatch_us(prompt(1000, 1000, 3000)), dispatch_us(prompt(6250, 25'000, 0)));
    EXPECT_LT(dispatch_us(prompt(1000, 1000, 0)), dispatch_us(prompt(1000, 1000, 3000)));
    // sent row by row, they are left out
    const auto rows_us = [&](const StepShape& shape) { return exchange_us(costs, shape, "dispatch"); };
    EXPECT_DOUBLE_EQ(rows_us(prompt(400, 400, 1200)), rows_us(prompt(400, 400, 0)));
}

TEST_F(ExpertStep, SendsRowsToExpertsOneByOne) {
    const Deployment deployment = on("deepseek_v3", {.replicas = 8, .expert_parallel = true}, Weights::int8);
    StepCosts costs{deployment, step_program(deployment, 128), host};
    const StepShape shape{.decoding = 128, .keys = 512, .results = 128};
    // measured on eight devices of A3: 132 and 126 us (step_experts.cpp has the source)
    EXPECT_NEAR(exchange_us(costs, shape, "dispatch"), 132, 1);
    EXPECT_NEAR(exchange_us(costs, shape, "combine"), 126, 1);
}

TEST_F(ExpertStep, TheHostWaitsForTheNumberOfRowsInEachLayer) {
    node::CallSums calls;
    calls.add(host, node::IssueMode::eager, 1000, 10);
    const double alone = calls.us();
    calls.wait(host, node::IssueMode::eager, 2);
    // twice the stream has nothing to do until the host goes on and has issued a call
    EXPECT_DOUBLE_EQ(calls.us(), alone + 2 * (host.sync_us + host.eager_us));
    calls.wait(host, node::IssueMode::graph, 2);
    EXPECT_DOUBLE_EQ(calls.us(), alone + 2 * (host.sync_us + host.eager_us));
}

}  // namespace
}  // namespace ascendsim::networks::llm
