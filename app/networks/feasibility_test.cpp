// SPDX-License-Identifier: Apache-2.0
#include "app/networks/feasibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/networks/training_report.hpp"
#include "models/spec/chip_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

class FeasibilityOf : public testing::Test {
protected:
    void SetUp() override {
        const networks::Tensor y{.type = isa::DataType::half, .shape = {1000, 500}, .values = {}};
        run_.plan.weight_bytes = 3'000'000;
        run_.plan.input_bytes = 1'000'000;
        run_.plan.nodes = {
            {.name = "/block1/fc/MatMul", .op = "MatMul", .results = {y}, .tasks = {{"matmul", {}}}},
            {.name = "/block1/act/Relu", .op = "Relu", .results = {y}, .tasks = {{"elementwise", {}}}},
            {.name = "/head/MatMul", .op = "MatMul", .results = {y}, .tasks = {{"matmul", {}}}}};
        // Two fifths of the time are arithmetic at the chip's peak.
        const double us = 100;
        const double flops = 0.4 * us * 1e-6 * peak_flops(chip_, isa::DataType::half);
        run_.results = {{.time_us = us, .core_us = us, .flops = flops},
                        {.time_us = 10, .core_us = 1},
                        {.time_us = 10, .core_us = 9, .hbm_read_bytes = 8e6}};
        run_.memory.peak_bytes = 2'000'000;
    }

    toolchain::Installation installation_ = toolchain::Installation::find();
    ChipSpec chip_ = load_chip("910b3", installation_.chips());
    NetworkRun run_{.name = "net", .chip = "910b3", .plan = {}, .results = {}, .memory = {}};
};

TEST_F(FeasibilityOf, ScoresWhatIsThere) {
    const Feasibility of = feasibility_of(run_, chip_);
    EXPECT_EQ(of.support, 1);
    EXPECT_EQ(of.memory, 1);
    EXPECT_NEAR(of.efficiency, 40.0 / 120, 1e-9);  // 40 us are needed, 120 are taken
    EXPECT_NEAR(of.score, 100 * (2 + 40.0 / 120) / 3, 1e-9);
    EXPECT_EQ(of.verdict, "feasible with work");
    EXPECT_EQ(of.least_bytes, 4e6 + 1e6);  // weights, inputs, and 500,000 results of two bytes
    EXPECT_EQ(of.memory_bytes, 6e6);
}

TEST_F(FeasibilityOf, GroupsOperatorsByTheirNames) {
    const Feasibility of = feasibility_of(run_, chip_);
    ASSERT_EQ(of.modules.size(), 3U);
    EXPECT_EQ(of.modules[0].name, "block1/fc");
    EXPECT_EQ(of.modules[1].name, "block1/act");
    EXPECT_THAT(of.modules[0].recommendations, Contains(HasSubstr("neither arithmetic (40.0 %)")));
    EXPECT_THAT(of.modules[1].recommendations, Contains(HasSubstr("launches take 90.0 %")));
    EXPECT_EQ(of.modules[2].name, "head");
}

TEST_F(FeasibilityOf, NamesChallenges) {
    run_.plan.nodes.push_back({.name = "odd", .op = "Einsum", .refusal = "no kernel does 'Einsum'"});
    run_.memory.peak_bytes = static_cast<std::uint64_t>(chip_.hbm.bytes);
    run_.numerics = {{"passed", false}};
    const Feasibility of = feasibility_of(run_, chip_, 60);
    EXPECT_EQ(of.verdict, "not as it is");
    EXPECT_EQ(of.support, 0.75);
    for (const char* code : {"refused", "memory", "precision", "target"}) {
        EXPECT_THAT(of.challenges, Contains(Field(&Challenge::code, code)));
    }
    const std::string text = feasibility_text(of, {});
    EXPECT_THAT(text, HasSubstr("1 operator cannot run: Einsum: no kernel does 'Einsum'"));
    EXPECT_THAT(text, HasSubstr("120.00 us where 60.00 us is wanted"));
    EXPECT_EQ(feasibility_json(of)["challenges"].size(), of.challenges.size());
}

TEST_F(FeasibilityOf, SaysWhyANetworkCannotBeTrained) {
    const Feasibility of = feasibility_of(run_, chip_, 0, "the network cannot be trained");
    EXPECT_EQ(of.support, 0);
    EXPECT_EQ(of.verdict, "not as it is");
    EXPECT_THAT(of.challenges[0].text, HasSubstr("cannot be trained"));
}

}  // namespace
}  // namespace ascendsim::report
