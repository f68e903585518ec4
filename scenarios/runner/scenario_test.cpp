// SPDX-License-Identifier: Apache-2.0
#include "scenarios/runner/scenario.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "scenarios/runner/result.hpp"
#include "sim/base/error.hpp"
#include "sim/config/text_mutation.hpp"

namespace ascendsim {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string full = R"([scenario]
title = "All of it"
kernel = "add"
chip = "910b1"
mode = "timing"
seed = 7

[kernel]
schedule = "vector"
shape = [8, 16]

[variants]
"kernel.schedule" = ["vector", "scalar"]
"kernel.blocks" = [1, 2]

[chip.l2]
gb_per_s = 5000

[l2]
state = "warm"

[run]
warm_up = 1
repeat = 3

[expect]
time_us = { min = 1, max = 2 }
"numerics.passed" = true
hazards = 0

[[claims]]
quantity = "time_us"
value = 5100
unit = "us"
what = "5.1 ms"
when = { "kernel.schedule" = "scalar" }
)";

class ScenarioText : public testing::Test {
protected:
    host::Installation installation = host::Installation::find();
    fs::path file =
        fs::path{testing::TempDir()} /
        (std::string{"scenario_"} + testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml");

    void TearDown() override { fs::remove(file); }

    [[nodiscard]] ScenarioFile open(const std::string& text, std::vector<Override> overrides = {}) const {
        std::ofstream{file} << text;
        return {file.string(), installation, std::move(overrides)};
    }
};

TEST_F(ScenarioText, IsReadWhole) {
    const ScenarioFile opened = open(full);
    const Scenario scenario = opened.read(opened.runs()[0]);
    EXPECT_EQ(scenario.title, "All of it");
    EXPECT_EQ(scenario.chip.spec.name, "910b1");
    EXPECT_EQ(scenario.chip.spec.l2.gb_per_s, 5000);
    EXPECT_FALSE(scenario.functional);
    EXPECT_EQ(scenario.seed, 7);
    EXPECT_TRUE(scenario.warm_l2);
    EXPECT_EQ(scenario.warm_up, 1);
    EXPECT_EQ(scenario.repeat, 3);
    EXPECT_EQ(scenario.expectations.size(), 3);
    ASSERT_EQ(scenario.claims.size(), 1);
    EXPECT_EQ(scenario.claims[0].when[0].value, "scalar");
}

TEST_F(ScenarioText, VariantsAreCombined) {
    const ScenarioFile opened = open(full);
    std::vector<std::string> labels;
    for (const auto& run : opened.runs()) {
        labels.push_back(run_label(opened, run, 0).substr(file.stem().string().size()));
    }
    EXPECT_THAT(labels, ElementsAre("-vector-1", "-vector-2", "-scalar-1", "-scalar-2"));
}

TEST_F(ScenarioText, AChosenVariantIsNoVariantAnyMore) {
    const ScenarioFile opened = open(full, {{"kernel.schedule", "scalar"}});
    EXPECT_EQ(opened.runs().size(), 2);
    const Scenario scenario = opened.read(opened.runs()[1]);
    EXPECT_EQ(std::get<std::string>(scenario.knobs[0].value), "scalar");
}

TEST_F(ScenarioText, AnyDamageEndsInAUserErrorOrAScenario) {
    TextMutation mutated{5};
    for (int round = 0; round < 1500; ++round) {
        const std::string text = mutated(full);
        try {
            const ScenarioFile opened = open(text);
            for (const auto& run : opened.runs()) {
                static_cast<void>(opened.read(run));
            }
        } catch (const UserError&) {
        }
    }
}

TEST(Expectations, SayWhatDidNotHold) {
    const nlohmann::ordered_json result{
        {"time_us", 3.0}, {"numerics", {{"passed", true}}}, {"hazards", nlohmann::json::array()}};
    const auto expect = [](std::string path, std::optional<double> min, std::optional<double> max) {
        return Expectation{.path = std::move(path), .min = min, .max = max, .place = "s.toml:1"};
    };
    EXPECT_THAT(
        unmet({expect("time_us", 1, 4), expect("numerics.passed", 1, 1), expect("hazards", 0, 0)}, result),
        ElementsAre());
    EXPECT_THAT(unmet({expect("time_us", {}, 2)}, result),
                ElementsAre("s.toml:1: time_us is 3, at most 2 expected"));
    EXPECT_THAT(unmet({expect("time_us", 4, {})}, result),
                ElementsAre("s.toml:1: time_us is 3, at least 4 expected"));
    EXPECT_THAT(unmet({expect("tim", {}, 2)}, result), ElementsAre(HasSubstr("no such figure")));
}

}  // namespace
}  // namespace ascendsim
