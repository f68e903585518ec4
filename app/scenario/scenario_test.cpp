// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/scenario.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "app/scenario/result.hpp"
#include "sim/base/error.hpp"
#include "sim/config/text_mutation.hpp"

namespace ascendsim::scenario {
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
    toolchain::Installation installation = toolchain::Installation::find();
    fs::path file =
        fs::path{testing::TempDir()} /
        (std::string{"scenario_"} + testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml");

    void TearDown() override { fs::remove(file); }

    [[nodiscard]] ScenarioFile open(const std::string& text, std::vector<Override> overrides = {}) const {
        std::ofstream{file} << text;
        return {file.string(), installation, std::move(overrides)};
    }
};

TEST_F(ScenarioText, AnUnknownChipIsToldAtItsLine) {
    const auto reading = [](const ScenarioFile& opened) {
        try {
            static_cast<void>(opened.read(opened.runs()[0]));
        } catch (const UserError& error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    const std::string text = "[scenario]\nkernel = \"add\"\n\nchip = \"910d3\"\n";
    EXPECT_THAT(reading(open(text)),
                testing::HasSubstr(file.string() + ":4: scenario.chip: chip \"910d3\": no such chip"));
    EXPECT_THAT(reading(open(text, {{"scenario.chip", "\"910e3\""}})),
                testing::StartsWith("chip \"910e3\": no such chip"));
    EXPECT_THAT(reading(open("[scenario]\nkernel = \"add\"\n", {{"command.arguments", "[\"more\"]"}})),
                testing::HasSubstr("'more' is not expected behind it"));
    const ScenarioFile unknown = open("[scenario]\n\nkernel = \"adx\"\n");
    EXPECT_EQ(unknown.read(unknown.runs()[0]).kernel_place, file.string() + ":3: scenario.kernel");
}

TEST_F(ScenarioText, IsReadWhole) {
    const ScenarioFile opened = open(full);
    const Scenario scenario = opened.read(opened.runs()[0]);
    EXPECT_EQ(scenario.title, "All of it");
    EXPECT_EQ(scenario.chip.spec.name, "910b1");
    EXPECT_EQ(scenario.chip.spec.l2.gb_per_s, 5000);
    EXPECT_FALSE(scenario.functional);
    EXPECT_EQ(scenario.seed, 7);
    EXPECT_EQ(scenario.l2, runtime::L2State::warm);
    EXPECT_EQ(scenario.warm_up, 1);
    EXPECT_EQ(scenario.repeat, 3);
    EXPECT_EQ(scenario.expectations.size(), 3);
    ASSERT_EQ(scenario.claims.size(), 1);
    EXPECT_EQ(scenario.claims[0].when[0].value, "scalar");
}

TEST_F(ScenarioText, NamesFilesOfInputsAndResults) {
    const ScenarioFile opened =
        open("[scenario]\nkernel = \"add\"\n[data]\nx = \"a.npy\"\n[results]\nz = \"out/z.npy\"\n");
    const Scenario scenario = opened.read(opened.runs()[0]);
    ASSERT_EQ(scenario.data.size(), 1);
    EXPECT_EQ(scenario.data[0].buffer, "x");
    EXPECT_EQ(scenario.data[0].file, file.parent_path() / "a.npy");
    EXPECT_THAT(scenario.data[0].place, HasSubstr(".toml:4"));
    ASSERT_EQ(scenario.results.size(), 1);
    EXPECT_EQ(scenario.results[0].file, file.parent_path() / "out/z.npy");
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

TEST_F(ScenarioText, LimitsThatNothingBreaksOrMeetsAreMistakes) {
    const auto said = [&](const std::string& limit) -> std::string {
        const ScenarioFile opened =
            open("[scenario]\nkernel = \"add\"\nchip = \"910b1\"\n[expect]\ntime_us = " + limit + "\n");
        try {
            static_cast<void>(opened.read(opened.runs()[0]));
        } catch (const UserError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(said("{ min = 1, max = 1 }"), "");
    EXPECT_THAT(said("{}"), HasSubstr(".toml:5: expect.time_us: expects nothing"));
    for (const char* none : {"nan", "{ min = nan }", "{ min = 1, max = inf }"}) {
        EXPECT_THAT(said(none), HasSubstr("must be a finite number")) << none;
    }
    EXPECT_THAT(said("{ min = 5, max = 1 }"), HasSubstr("nothing is at least 5 and at most 1"));
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

TEST_F(ScenarioText, LimitsMaySpeakOfSomeRunsAlone) {
    const ScenarioFile opened = open(std::string{R"(
[scenario]
kernel = "add"
[variants]
"kernel.blocks" = [1, 2]
[expect]
time_us = { max = 5 }
[expect."kernel.blocks=2"]
time_us = { max = 3 }
error = "deadlock"
)"});
    const Scenario scenario = opened.read(opened.runs()[0]);
    ASSERT_EQ(scenario.expectations.size(), 3);
    EXPECT_EQ(scenario.expectations[2].word, "deadlock");
    EXPECT_TRUE(speaks_of(scenario.expectations[0], opened.runs()[0]));
    EXPECT_FALSE(speaks_of(scenario.expectations[1], opened.runs()[0]));
    EXPECT_TRUE(speaks_of(scenario.expectations[1], opened.runs()[1]));
}

TEST_F(ScenarioText, RacesThatAreExpectedNotToBeAreLookedForWithoutNumbersToo) {
    const std::string timing = "[scenario]\nkernel = \"add\"\nchip = \"910b1\"\nmode = \"timing\"\n";
    const auto looks = [&](const std::string& text) { return open(text, {}).read({}).sanitize; };
    EXPECT_FALSE(looks(timing));
    EXPECT_TRUE(looks(timing + "[expect]\nraces = \"none\"\n"));
    EXPECT_FALSE(looks(timing + "[run]\nsanitize = false\n[expect]\nraces = \"none\"\n"));
}

TEST_F(ScenarioText, AnotherMachineIsPlannedForTheChipItself) {
    const ScenarioFile opened = open("[scenario]\nkernel = \"add\"\nchip = \"910b1\"\n",
                                     {{"chip.l2.gb_per_s", "4000"}, {"whatif.l2.gb_per_s", "9000"}});
    const Scenario scenario = opened.read(opened.runs()[0]);
    EXPECT_EQ(scenario.chip.spec.l2.gb_per_s, 9000);
    ASSERT_TRUE(scenario.planned_for.has_value());
    EXPECT_EQ(scenario.planned_for->l2.gb_per_s, 4000);
}

// `softmax` is a kernel of kernels/ops and no scenario; `swiglu_910b` is a scenario.
TEST(ScenarioName, MayBeThatOfAShippedKernelWithItsDefaults) {
    const toolchain::Installation installation = toolchain::Installation::find();
    const ScenarioFile file{"softmax", installation, {{"scenario.chip", "\"310p3\""}}};
    const Scenario scenario = file.read(file.runs().front());
    EXPECT_EQ(scenario.kernel, "softmax");
    EXPECT_TRUE(scenario.knobs.empty());
    EXPECT_EQ(scenario.chip.spec.name, "310p3");
    try {
        const ScenarioFile wrong{"softmaxx", installation, {}};
        FAIL() << "no such name";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'softmax'?"));
        EXPECT_THAT(error.what(), HasSubstr("swiglu_910b"));
    }
}

TEST(RunName, OfAMainIsThatOfItsFolder) {
    EXPECT_EQ(run_name("/home/me/gelu/main.cpp"), "gelu");
    EXPECT_EQ(run_name("/home/me/gelu/src/main.cpp"), "gelu");
    EXPECT_EQ(run_name("kernels/my_add.cpp"), "my_add");
    EXPECT_EQ(run_name("add.toml"), "add");
}

TEST(Expectations, SayWhatDidNotHold) {
    const nlohmann::ordered_json result{{"time_us", 3.0},
                                        {"chip", "910b1"},
                                        {"numerics", {{"passed", true}}},
                                        {"hazards", nlohmann::json::array()}};
    const auto expect = [&](std::string path, std::optional<double> min, std::optional<double> max) {
        return unmet(
            Expectation{.path = std::move(path), .min = min, .max = max, .word = {}, .when = {}, .place = {}},
            result);
    };
    EXPECT_EQ(expect("time_us", 1, 4), "");
    EXPECT_EQ(expect("numerics.passed", 1, 1), "");
    EXPECT_EQ(expect("hazards", 0, 0), "");
    EXPECT_EQ(expect("time_us", {}, 2), "time_us is 3, at most 2 expected");
    EXPECT_EQ(expect("time_us", 4, {}), "time_us is 3, at least 4 expected");
    EXPECT_THAT(expect("tim", {}, 2), HasSubstr("no such figure"));
}

TEST(Expectations, NeverHoldOfWhatIsNoNumber) {
    const nlohmann::ordered_json result{{"numerics", {{"max_abs_error", "nan"}, {"max_rel_error", "inf"}}}};
    const auto at_most_one = [&](const char* path) {
        return unmet(Expectation{.path = path, .min = {}, .max = 1, .word = {}, .when = {}, .place = {}},
                     result);
    };
    EXPECT_EQ(at_most_one("numerics.max_abs_error"), "numerics.max_abs_error is nan, at most 1 expected");
    EXPECT_EQ(at_most_one("numerics.max_rel_error"), "numerics.max_rel_error is inf, at most 1 expected");
}

TEST(Expectations, OfWordsErrorsAndRaces) {
    nlohmann::ordered_json result{{"chip", "910b1"},
                                  {"hazards", {{{"kind", "redundant_flag"}, {"severity", "waste"}}}}};
    const auto expect = [&](std::string path, std::string word) {
        return unmet(Expectation{.path = std::move(path),
                                 .min = {},
                                 .max = {},
                                 .word = std::move(word),
                                 .when = {},
                                 .place = {}},
                     result);
    };
    EXPECT_EQ(expect("chip", "910b1"), "");
    EXPECT_EQ(expect("chip", "910b2"), "chip is '910b1', '910b2' expected");
    EXPECT_EQ(expect("races", "none"), "");
    EXPECT_THAT(expect("error", "deadlock"), HasSubstr("ended well"));
    result["hazards"].push_back({{"kind", "race"}, {"severity", "error"}});
    result["error"] = "a deadlock at cycle 7";
    EXPECT_EQ(expect("races", "none"), "1 races or other hazards, none expected");
    EXPECT_EQ(expect("error", "deadlock"), "");
    result.erase("hazards");  // nobody looked for them
    EXPECT_THAT(expect("races", "none"), HasSubstr("not looked for"));
    EXPECT_THAT(expect("error", "overflow"), HasSubstr("'overflow' expected"));
}

}  // namespace
}  // namespace ascendsim::scenario
