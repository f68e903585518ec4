// SPDX-License-Identifier: Apache-2.0
// A kernel that leaves synchronisation to the compiler.
#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class AutoSync : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        write("LICENSE", "");
        fs::create_directories(folder / "op_kernel");
        write("op_kernel/relies.cpp", R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void relies(GM_ADDR x, GM_ADDR z) {
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<float> source, result;
    source.SetGlobalBuffer((__gm__ float*)x, 1024);
    result.SetGlobalBuffer((__gm__ float*)z, 1024);
    pipe.InitBuffer(in, 1, 4096);
    pipe.InitBuffer(out, 1, 4096);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, source, 1024);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 1.0f, 1024);
    Muls(b, b, 2.0f, 1024);
    b.SetValue(1, b.GetValue(0));
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(result, b, 1024);
    out.FreeTensor(b);
    in.FreeTensor(a);
}
)");
        write("op_kernel/relies.toml", R"([scenario]
chip = "910b3"
[launch]
blocks = 1
[[args]]
name = "x"
role = "input"
type = "float32"
shape = [1024]
[[args]]
name = "z"
role = "output"
type = "float32"
shape = [1024]
)");
    }

    [[nodiscard]] nlohmann::json run(const std::string& more, int exit) const {
        const Outcome outcome =
            ascendsim("run op_kernel/relies.cpp --quiet --record run.rec --json run.json " + more);
        EXPECT_EQ(outcome.exit, exit) << outcome.output;
        return nlohmann::json::parse(contents(folder / "run.json"));
    }
};

TEST_F(AutoSync, WithoutItTheKernelHasHazardsAndTheReportSaysWhatWouldOrderThem) {
    const Outcome outcome = ascendsim("run op_kernel/relies.cpp --record run.rec");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("auto-sync off (no project around the source says"));
    // Adds and Muls; Muls and GetValue, Muls and SetValue; SetValue and the copy out.
    EXPECT_THAT(outcome.output, HasSubstr("4 of these 4: the compiler orders such instructions"));
}

TEST_F(AutoSync, TheOptionInsertsWhatIsMissing) {
    const nlohmann::json result = run("--cce-auto-sync", 0);
    EXPECT_EQ(result["hazards"], nlohmann::json::array());
    const nlohmann::json& sync = result["auto_sync"];
    EXPECT_EQ(sync["on"], true);
    EXPECT_EQ(sync["origin"], "the command line");
    EXPECT_EQ(sync["barriers"], 1);  // before Muls
    EXPECT_EQ(sync["flags"], 2);     // before GetValue, before the copy
    const record::Recording recording{folder / "run.rec"};
    EXPECT_THAT(recording.names(), testing::Contains("auto_barrier"));
    const nlohmann::json& place = sync["places"][0];
    EXPECT_THAT(place["file"].get<std::string>(), HasSubstr("relies.cpp"));
}

TEST_F(AutoSync, TimesAreTheSameWithoutTheChecker) {
    const nlohmann::json checked = run("--cce-auto-sync=on", 0);
    const nlohmann::json timed = run("--cce-auto-sync=on --timing-only", 0);
    EXPECT_EQ(timed["cycles"], checked["cycles"]);
    EXPECT_EQ(timed["auto_sync"]["barriers"], 1);
}

TEST_F(AutoSync, InsertedSynchronisationTakesTime) {
    EXPECT_GT(run("--cce-auto-sync=on --timing-only", 0)["cycles"],
              run("--cce-auto-sync=off --timing-only", 0)["cycles"]);
}

TEST_F(AutoSync, AnOperatorProjectHasItOnUntilItSaysOff) {
    fs::create_directories(folder / "op_host");
    EXPECT_THAT(run("", 0)["auto_sync"]["origin"].get<std::string>(), HasSubstr("operator project"));
    write("op_kernel/CMakeLists.txt", "add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n");
    const nlohmann::json off = run("", 3);
    EXPECT_EQ(off["auto_sync"]["on"], false);
    EXPECT_EQ(off["auto_sync"]["origin"], "op_kernel/CMakeLists.txt: add_ops_compile_options");
}

TEST_F(AutoSync, TheScenarioAndFlagsForTheCompilerSayIt) {
    EXPECT_EQ(run("--set compile.auto_sync=true", 0)["auto_sync"]["barriers"], 1);
    EXPECT_EQ(run("--compile-flag=--cce-auto-sync", 0)["auto_sync"]["barriers"], 1);
    expect_user_error("run op_kernel/relies.cpp --compile-flag=--cce-auto-sync=maybe", "--cce-auto-sync=on");
    expect_user_error("run op_kernel/relies.cpp --cce-auto-sync=maybe", "must be on or off");
}

TEST_F(AutoSync, CheckAndNewTakeTheOptionToo) {
    EXPECT_EQ(ascendsim("check op_kernel/relies.toml").exit, 1);
    EXPECT_EQ(ascendsim("check op_kernel/relies.toml --cce-auto-sync=on").exit, 0);
    fs::remove(folder / "op_kernel/relies.toml");
    const Outcome made = ascendsim("new op_kernel/relies.cpp --cce-auto-sync=off");
    EXPECT_EQ(made.exit, 0) << made.output;
    EXPECT_THAT(contents(folder / "op_kernel/relies.toml"), HasSubstr("[compile]\nauto_sync = false\n"));
}

TEST_F(AutoSync, TheReportListsWhatWasInsertedByLine) {
    const Outcome outcome = ascendsim("run op_kernel/relies.cpp --record run.rec --cce-auto-sync=on");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("auto-sync on (the command line)"));
    EXPECT_THAT(outcome.output, HasSubstr("1 barrier and 2 flags"));
    EXPECT_THAT(outcome.output, HasSubstr("relies.cpp:18, barrier of vector"));
    EXPECT_THAT(outcome.output, HasSubstr("relies.cpp:19, flag from vector to scalar"));
}

TEST_F(AutoSync, KernelsOfTheSimulatorSayNothingOfIt) {
    const Outcome outcome = ascendsim("run add_8192_910b1 --json -");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, Not(HasSubstr("auto_sync")));
    expect_user_error("run add_8192_910b1 --cce-auto-sync", "are for sources of your own");
}

}  // namespace
}  // namespace ascendsim::cli
