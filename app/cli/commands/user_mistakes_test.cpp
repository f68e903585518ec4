// SPDX-License-Identifier: Apache-2.0
// What a run says of mistakes that its numbers alone do not explain.
#include <cstring>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

using testing::HasSubstr;

class UserMistakes : public CommandLine {
protected:
    [[nodiscard]] nlohmann::json run(const std::string& words) {
        return nlohmann::json::parse(ascendsim("run " + words + " --json - 2>/dev/null").output);
    }

    /// The first of the `n` floats of a .npy file.
    [[nodiscard]] float first_of(const std::string& file, std::size_t n) const {
        const std::string bytes = contents(folder / file);
        float value = 0;
        std::memcpy(&value, bytes.data() + bytes.size() - n * sizeof(float), sizeof value);
        return value;
    }

    [[nodiscard]] static nlohmann::json finding(const nlohmann::json& result, std::string_view kind) {
        for (const nlohmann::json& hazard : result["hazards"]) {
            if (hazard["kind"] == kind) {
                return hazard;
            }
        }
        ADD_FAILURE() << "no " << kind << " in " << result;
        return {};
    }
};

TEST_F(UserMistakes, WarningsOfTheCompilerAreShownOnceEachTime) {
    write("k.cpp", R"(#include "kernel_operator.h"
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
    const int rows = 300;
    uint8_t repeat = rows;
    AscendC::GlobalTensor<float> g;
    g.SetGlobalBuffer((__gm__ float*)x);
    g.SetValue(0, static_cast<float>(repeat));
}
)");
    write("k.toml",
          "[scenario]\nchip = \"910b3\"\n[launch]\ncores = \"mix_1_2\"\n"
          "[[args]]\nname = \"x\"\nrole = \"in_out\"\ntype = \"float32\"\nshape = [8]\n");
    for (const char* time : {"compiled", "out of the cache"}) {
        const nlohmann::json result = run("k.cpp");
        ASSERT_TRUE(result.contains("compiler_warnings")) << time << ": " << result;
        ASSERT_EQ(result["compiler_warnings"].size(), 1U) << time;  // of two passes
        EXPECT_THAT(result["compiler_warnings"][0].get<std::string>(),
                    HasSubstr("k.cpp:4:22: implicit conversion from 'const int' to 'uint8_t'"));
    }
    const std::string report = ascendsim("run k.cpp").output;
    EXPECT_THAT(report, HasSubstr("Warnings of the compiler: 1\n"));
    EXPECT_THAT(report, HasSubstr("changes value from 300 to 44"));
    EXPECT_THAT(report, HasSubstr("uint8_t repeat = rows;"));
}

// Sums of several cores, as matrix times vector has them: the first core reads what is there before, the
// others add to it much later, and nothing orders them.
TEST_F(UserMistakes, CoresThatRaceMayBeComputedByTime) {
    write("sums.cpp", R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void sums(GM_ADDR y, GM_ADDR before) {
    GlobalTensor<float> sum;
    GlobalTensor<float> copy;
    sum.SetGlobalBuffer((__gm__ float*)y, 64);
    copy.SetGlobalBuffer((__gm__ float*)before, 64);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    LocalTensor<float> part = buffer.Get<float>();
    if (GetBlockIdx() == 0) {
        DataCopy(part, sum, 64);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(copy, part, 64);
        return;
    }
    Duplicate(part, 1.0f, 64);
    for (int i = 0; i < 500; ++i) {
        PipeBarrier<PIPE_V>();
        Adds(part, part, 0.0f, 64);
    }
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopy(sum, part, 64);
    SetAtomicNone();
}
)");
    write("sums.toml",
          "[scenario]\nchip = \"910b3\"\n[launch]\nblocks = 4\n"
          "[[args]]\nname = \"y\"\nrole = \"in_out\"\ntype = \"float32\"\nshape = [64]\nfill = \"ones\"\n"
          "[[args]]\nname = \"before\"\nrole = \"output\"\ntype = \"float32\"\nshape = [80]\nfile = "
          "\"before.npy\"\n");
    const nlohmann::json as_issued = run("sums.cpp");
    const nlohmann::json race = finding(as_issued, "core_race");
    ASSERT_LT(race["later"]["cycle"], race["earlier"]["cycle"]);  // computed against the times
    EXPECT_THAT(race["text"].get<std::string>(), HasSubstr("--set run.time_order=true computes by time"));
    EXPECT_EQ(first_of("before.npy", 80), 4.0F);  // 1, and 1 of each of three others
    EXPECT_THAT(finding(as_issued, "never_written")["message"].get<std::string>(),
                HasSubstr("'before': 64 of its 320 bytes were never written, the first at byte 256"));

    const nlohmann::json by_time = run("sums.cpp --set run.time_order=true");
    EXPECT_EQ(first_of("before.npy", 80), 1.0F);
    EXPECT_EQ(by_time["cycles"], as_issued["cycles"]);
    EXPECT_THAT(finding(by_time, "core_race")["text"].get<std::string>(),
                HasSubstr("lay between them, by luck"));
}

TEST_F(UserMistakes, ABaselineThatCannotBeReadFailsItsRunAndNoOther) {
    const std::string words = "check faults.toml --set launch.entry=good --baseline base";
    ASSERT_EQ(ascendsim(words + " --update").exit, 0);
    const Outcome file = ascendsim(words + "/faults.json");
    EXPECT_EQ(file.exit, 2);
    EXPECT_THAT(file.output, HasSubstr("is a file; name the folder of baselines"));
    std::ofstream{folder / "base" / "faults.json"} << "{]";
    const Outcome outcome = ascendsim(words);
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("faults.json: is not a baseline"));
    EXPECT_THAT(outcome.output, HasSubstr("1 run, "));
}

}  // namespace
}  // namespace ascendsim::cli
