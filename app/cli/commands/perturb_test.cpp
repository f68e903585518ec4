// SPDX-License-Identifier: Apache-2.0
// Other legal timings of a kernel: what nothing orders shows in numbers.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

using testing::HasSubstr;

class Perturb : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        write("twice.cpp", R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer((__gm__ float*)x, 512);
    to.SetGlobalBuffer((__gm__ float*)y, 512);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> tile = buffer.Get<float>();
    for (int i = 0; i < 2; ++i) {
#ifndef FORGETFUL
        if (i > 0) {
            WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        }
#endif
        DataCopy(tile, from[i * 256], 256);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(tile, tile, 1.0f, 256);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(to[i * 256], tile, 256);
#ifndef FORGETFUL
        if (i == 0) {
            SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        }
#endif
    }
}
)");
        write("twice.toml",
              "[scenario]\nchip = \"910b3\"\n[launch]\nblocks = 1\n"
              "[[args]]\nname = \"x\"\nrole = \"input\"\ntype = \"float32\"\nshape = [512]\n"
              "[[args]]\nname = \"y\"\nrole = \"output\"\ntype = \"float32\"\nshape = [512]\n");
    }

    [[nodiscard]] nlohmann::json run(const std::string& words, int exit) {
        const auto result = ascendsim("run twice.cpp " + words + " --json - 2>/dev/null");
        EXPECT_EQ(result.exit, exit);
        return nlohmann::json::parse(result.output);
    }

    [[nodiscard]] static nlohmann::json differing(const nlohmann::json& result) {
        for (const nlohmann::json& hazard : result["hazards"]) {
            if (hazard["kind"] == "timings_differ") {
                return hazard;
            }
        }
        return {};
    }
};

TEST_F(Perturb, GivesTheSameNumbersWhereEverythingIsOrdered) {
    const nlohmann::json result = run("--perturb 8", 0);
    EXPECT_EQ(result["perturb"]["timings"], 8);
    EXPECT_EQ(result["perturb"]["differ"], 0);
    EXPECT_LT(result["perturb"]["least_cycles"], result["perturb"]["most_cycles"]);
    EXPECT_THAT(ascendsim("run twice.cpp --perturb 2").output,
                HasSubstr("2 other timings of seed 1 give the same results."));
}

TEST_F(Perturb, ShowsARaceInTheOutput) {
    const nlohmann::json result = run("-D FORGETFUL --perturb 6", 3);
    const nlohmann::json found = differing(result);
    ASSERT_TRUE(found.is_object()) << result["hazards"];
    EXPECT_EQ(found["later"]["buffer"], "y");
    EXPECT_THAT(found["message"].get<std::string>(), HasSubstr("output 'y' depends on the timing: element "));
    EXPECT_THAT(found["message"].get<std::string>(), HasSubstr(" of seed 1 ("));
    EXPECT_GT(result["perturb"]["differ"], 0);
    const nlohmann::json again = run("-D FORGETFUL --perturb 6", 3);
    EXPECT_EQ(differing(again), found);
    EXPECT_TRUE(differing(run("-D FORGETFUL", 3)).is_null());  // the race alone
}

TEST_F(Perturb, IsAKeyOfTheScenarioAndAnOptionOfCheck) {
    EXPECT_EQ(run("-D FORGETFUL --set run.perturb=6 --set run.perturb_seed=7", 3)["perturb"]["seed"], 7);
    const auto checked = ascendsim("check twice.toml --perturb 3 --set scenario.source=\\\"twice.cpp\\\"");
    EXPECT_EQ(checked.exit, 0) << checked.output;
}

TEST_F(Perturb, NeedsNumbersToCompare) {
    const auto result = ascendsim("run twice.cpp --perturb 2 --timing-only 2>&1");
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.output, HasSubstr("run.perturb: other timings show in numbers"));
}

}  // namespace
}  // namespace ascendsim::cli
