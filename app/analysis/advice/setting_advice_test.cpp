// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/setting_advice.hpp"

#include <gmock/gmock.h>

namespace ascendsim::analysis {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Advice cause(const char* sentence, std::uint64_t cycles, std::vector<std::string> tries) {
    Advice advice{.sentence = sentence, .evidence = sentence, .root = {}};
    advice.cause_cycles = cycles;
    advice.gain_cycles = cycles;
    advice.knob = tries.empty() ? std::string{} : parameter_of(tries.front()) + " = 64";
    advice.tries = std::move(tries);
    return advice;
}

AdviceTrial ran(const char* setting, double gain) {
    return {.setting = setting, .time_us = 1, .gain = gain, .problem = {}};
}

// As found: a tile that was tried for short copies stood there once more as the gain against each other
// cause.
TEST(SettingAdvice, TellsAGainOnceWithAllCausesItServes) {
    std::vector<Advice> all{cause("copies", 100, {"kernel.tile=128", "kernel.tile=32"}),
                            cause("scalar", 300, {"kernel.tile=128"}),
                            cause("sync", 50, {})};
    tell_settings(all, {}, {ran("kernel.tile=128", 0.08), ran("kernel.tile=32", -0.2)});
    ASSERT_EQ(all.size(), 4U);
    const Advice& setting = all[3];
    EXPECT_EQ(setting.sentence, "Change kernel.tile from 64 to 128");
    EXPECT_EQ(setting.means(), "setting");
    EXPECT_EQ(setting.trials.size(), 2U);
    EXPECT_THAT(setting.serves, ElementsAre("copies", "scalar"));
    EXPECT_EQ(setting.evidence, "scalar");  // the larger of both
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_THAT(all[i].trials, IsEmpty());
        EXPECT_EQ(all[i].means(), "source");
    }
    EXPECT_EQ(all[0].by_setting, 0.08);
    EXPECT_EQ(all[2].by_setting, std::nullopt);
}

TEST(SettingAdvice, GoesOnInADirectionWhileThatGainsMore) {
    Advice one = cause("copies", 100, {"k=2", "k=0"});
    one.further = {{"k=2", {"k=3", "k=4"}}, {"k=0", {"k=-1"}}};
    const std::vector<Advice> all{one, one};  // of two causes, each step is run once
    EXPECT_THAT(next_steps(all, {}), IsEmpty());
    EXPECT_THAT(next_steps(all, {ran("k=2", 0.1), ran("k=0", -0.1)}), ElementsAre("k=3"));
    EXPECT_THAT(next_steps(all, {ran("k=2", 0.1), ran("k=3", 0.2)}), ElementsAre("k=4"));
    EXPECT_THAT(next_steps(all, {ran("k=2", 0.1), ran("k=3", 0.1)}), IsEmpty());
    EXPECT_THAT(next_steps(all, {ran("k=2", 0.1), ran("k=3", 0.2), ran("k=4", 0.3)}), IsEmpty());
    AdviceTrial wrong = ran("k=2", 0.5);
    wrong.problem = "its numbers are wrong";
    EXPECT_THAT(next_steps(all, {wrong}), IsEmpty());
}

TEST(SettingAdvice, OfNoGainNamesNoValueToSet) {
    std::vector<Advice> all{cause("copies", 100, {"kernel.tile=128"})};
    tell_settings(all, {}, {ran("kernel.tile=128", 0.001)});
    EXPECT_EQ(all[1].sentence, "Another value of kernel.tile than 64");
    EXPECT_EQ(all[1].means(), "");
    EXPECT_EQ(all[0].by_setting, 0.001);
}

TEST(SettingAdvice, OfAParameterThatNoCauseSpeaksOfServesNone) {
    std::vector<Advice> all{cause("copies", 100, {})};
    tell_settings(all, {cause("of [tune]", 0, {"args.n.value=2"})}, {ran("args.n.value=2", 0.3)});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].sentence, "Change args.n.value from 64 to 2");
    EXPECT_THAT(all[1].serves, IsEmpty());
    EXPECT_EQ(all[0].by_setting, std::nullopt);
}

}  // namespace

}  // namespace ascendsim::analysis
