// SPDX-License-Identifier: Apache-2.0
#include "app/studies/tune_advice.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "sim/process/temporary_folder.hpp"

namespace ascendsim::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TuneAdvice : public testing::Test {
protected:
    /// What [tune] of a kernel with a tile of 4096 on 8 cores offers.
    [[nodiscard]] std::vector<analysis::Advice> of(const std::string& tune,
                                                   const std::vector<scenario::Override>& run = {},
                                                   const std::vector<analysis::Advice>& known = {}) const {
        const std::filesystem::path source = folder_.path() / "k.cpp";
        std::ofstream{source} << "extern \"C\" __global__ __aicore__ void k(GM_ADDR x, uint32_t tile) {}\n";
        std::ofstream{folder_.path() / "k.toml"}
            << "[scenario]\nchip = \"910b3\"\n[launch]\nblocks = 8\n[[args]]\nname = \"x\"\ntype = "
               "\"float16\"\n"
               "shape = [64]\n[[args]]\nname = \"tile\"\nrole = \"value\"\ntype = \"uint32\"\nvalue = 4096\n"
            << tune;
        const scenario::ScenarioFile file{source.string(), toolchain::Installation::find(), {}};
        return advice_of_tune({.file = file, .run = run, .label = "k", .recording = {}}, known);
    }

private:
    process::TemporaryFolder folder_;
};

TEST_F(TuneAdvice, TriesTheValuesNextToTheRunsOwn) {
    const auto advice =
        of("[tune]\n\"args.tile.value\" = [16384, 1024, 2048, 8192]\n\"launch.blocks\" = [8, 16, 40]\n");
    ASSERT_EQ(advice.size(), 2U);
    EXPECT_THAT(advice[0].tries, ElementsAre("args.tile.value=2048", "args.tile.value=8192"));
    EXPECT_THAT(advice[0].further.at("args.tile.value=2048"), ElementsAre("args.tile.value=1024"));
    EXPECT_THAT(advice[0].further.at("args.tile.value=8192"), ElementsAre("args.tile.value=16384"));
    EXPECT_EQ(advice[0].knob, "args.tile.value = 4096");
    EXPECT_THAT(advice[1].tries, ElementsAre("launch.blocks=16"));
    EXPECT_THAT(advice[1].further.at("launch.blocks=16"), ElementsAre("launch.blocks=40"));
}

TEST_F(TuneAdvice, StartsFromWhatTheRunWasGiven) {
    const auto advice =
        of("[tune]\n\"args.tile.value\" = [1024, 2048, 4096]\n", {{"args.tile.value", "1024"}});
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_THAT(advice[0].tries, ElementsAre("args.tile.value=2048"));
}

// Advice tries 40 cores. The kernel may not share its work by 40: what the scenario lists is run all the
// same.
TEST_F(TuneAdvice, TriesTheOtherValuesOfWhatAdviceTries) {
    analysis::Advice known{.sentence = {}, .evidence = {}, .root = {}};
    known.tries = {"launch.blocks=40"};
    const auto advice = of("[tune]\n\"launch.blocks\" = [8, 16, 32, 40]\n", {}, {known});
    ASSERT_EQ(advice.size(), 1U);
    EXPECT_THAT(advice[0].tries, ElementsAre("launch.blocks=16"));
    EXPECT_THAT(advice[0].further.at("launch.blocks=16"), ElementsAre("launch.blocks=32"));
}

TEST_F(TuneAdvice, LeavesOutWhatIsTriedAlreadyAndWhatCannotBe) {
    analysis::Advice known{.sentence = {}, .evidence = {}, .root = {}};
    known.tries = {"launch.blocks=40"};
    EXPECT_THAT(of("[tune]\n\"launch.blocks\" = [8, 40]\n", {}, {known}), IsEmpty());
    EXPECT_THAT(of("[tune]\n\"args.tile.value\" = [4096]\n\"args.none.value\" = [1, 2]\n"), IsEmpty());
    EXPECT_THAT(of("[tune]\n"), IsEmpty());
    EXPECT_THAT(of(""), IsEmpty());
}

}  // namespace
}  // namespace ascendsim::study
