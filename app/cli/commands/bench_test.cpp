// SPDX-License-Identifier: Apache-2.0
// `bench`, `step` and `profile`, as a user calls them.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

using testing::HasSubstr;

class MachineCommands : public CommandLine {
protected:
    [[nodiscard]] nlohmann::json file(const char* name) const {
        return nlohmann::json::parse(contents(folder / name), nullptr, false);
    }

    void write_step(int us) const {
        write("s.toml",
              fmt::format("[step]\nnode = \"atlas800t_a2\"\nranks = 2\n[[task]]\nname = \"a\"\nus = {}\n"
                          "times = 4\n[[task]]\nkind = \"sync\"\n[benchmark]\nactive = 5\n",
                          us));
    }
};

TEST_F(MachineCommands, BenchComparesAStepWithItsBaseline) {
    write_step(100);
    EXPECT_EQ(ascendsim("bench s.toml --baseline b --update").exit, 0);
    const Outcome same = ascendsim("bench s.toml --baseline b --json j.json --csv c.csv --html p.html");
    EXPECT_EQ(same.exit, 0) << same.output;
    EXPECT_THAT(same.output, HasSubstr("nothing is worse"));
    EXPECT_EQ(file("j.json")["cases"][0]["iteration_us"]["count"], 5);
    EXPECT_THAT(contents(folder / "c.csv"), HasSubstr("s,1,5,0,"));
    EXPECT_THAT(contents(folder / "p.html"), HasSubstr("Percentiles"));
    write_step(200);
    const Outcome slower = ascendsim("bench s.toml --baseline b");
    EXPECT_EQ(slower.exit, 1);
    EXPECT_THAT(slower.output, HasSubstr("iteration_us.p99"));
}

TEST_F(MachineCommands, BenchDropsTheColdIterationsOfAKernel) {
    write("k.toml",
          "[scenario]\nkernel = \"softmax\"\nmode = \"timing\"\n[kernel]\nshape = [64, 256]\n"
          "[benchmark]\nwarm_up = 1\nactive = 4\nitems = \"kernel.shape[0]\"\n");
    const Outcome outcome = ascendsim("bench k.toml --over kernel.shape='[64,256],[128,256]' --json j.json");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const nlohmann::json cases = file("j.json")["cases"];
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[1]["items"], 128);
    for (const nlohmann::json& one : cases) {
        // The host's call, the start and its waiting are around the device's time: 5 + 8 + 10 us.
        EXPECT_NEAR(
            one["iteration_us"]["p50"].get<double>(), one["device_us"]["p50"].get<double>() + 23, 1e-6);
    }
    EXPECT_EQ(ascendsim("bench k.toml --set benchmark.active=0").exit, 2);
}

TEST_F(MachineCommands, StepWritesWhatProfileReads) {
    write_step(100);
    const Outcome step = ascendsim("step s.toml --profile out --chakra et --record r.rec --json j.json");
    ASSERT_EQ(step.exit, 0) << step.output;
    EXPECT_GT(file("j.json")["step_us"], 400);
    EXPECT_GT(contents(folder / "et" / "trace.1.et").size(), 100U);
    EXPECT_TRUE(record::Recording{folder / "r.rec"}.complete());
    const Outcome profile = ascendsim("profile out/rank_0 --json p.json --csv p.csv");
    ASSERT_EQ(profile.exit, 0) << profile.output;
    EXPECT_THAT(profile.output, HasSubstr("Where the device starved"));
    const nlohmann::json read = file("p.json");
    EXPECT_EQ(read["operators"][0]["count"], 4);
    EXPECT_NEAR(read["devices"][0]["computing_us"].get<double>(), 400, 1e-6);
}

TEST_F(MachineCommands, ProfileSaysWhatItCannotRead) {
    write("kernel_details.csv", "Type,Duration(us)\nAdd,fast\n");
    const Outcome outcome = ascendsim("profile .");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("'fast' is no duration"));
    EXPECT_EQ(ascendsim("profile nowhere").exit, 2);
}

TEST_F(MachineCommands, StepTeachesALesson) {
    const std::string lesson =
        (installation.scenarios() / "steps" / "lessons" / "2_the_host_is_too_slow.toml").string();
    EXPECT_THAT(ascendsim("step " + lesson).output, HasSubstr("missed"));
    EXPECT_THAT(ascendsim("step " + lesson + " --set task.layers.mode=graph").output, HasSubstr("reached"));
    // Behind the six lessons of kernels.
    EXPECT_THAT(ascendsim("lesson 8").output, HasSubstr("missed"));
    EXPECT_EQ(ascendsim("lesson 2_the_host_is_too_slow --check --set task.layers.mode=graph").exit, 0);
    EXPECT_THAT(ascendsim("list lessons").output, HasSubstr("8  The host is too slow"));
}

}  // namespace
}  // namespace ascendsim::cli
