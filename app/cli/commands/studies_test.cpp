// SPDX-License-Identifier: Apache-2.0
// The commands that run a scenario many times, as people and scripts meet them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
    int exit = 0;
    std::string output;
};

/// A folder of its own with a vector add that takes no time to simulate.
class Studies : public testing::Test {
protected:
    fs::path build = toolchain::Installation::find().libraries.parent_path();
    fs::path folder =
        fs::path{testing::TempDir()} /
        (std::string{"studies_"} + testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", (build / "test_cache").c_str(), 1);
        unsetenv("GITHUB_ACTIONS");
        unsetenv("GITHUB_STEP_SUMMARY");
        write("small.toml", scenario("[expect]\ntime_us = { max = 1000 }\nraces = \"none\"\n"));
    }

    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] static std::string scenario(const std::string& more) {
        return "[scenario]\nkernel = \"add\"\nchip = \"910b3\"\nmode = \"timing\"\n"
               "[kernel]\nshape = [64, 4096]\nblocks = 4\ntile = 2048\nbuffers = 2\n" +
               more;
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream{folder / name} << text;
    }

    [[nodiscard]] std::string read(const fs::path& name) const {
        std::ifstream stream{folder / name};
        return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    }

    [[nodiscard]] Outcome shell(const std::string& command) const {
        process::Subprocess process{{"sh", "-c", fmt::format("cd '{}' && {}", folder.string(), command)}};
        const int exit = process.wait();
        return {exit, process.output()};
    }

    [[nodiscard]] Outcome ascendsim(const std::string& arguments, const std::string& environment = {}) const {
        return shell(
            fmt::format("{} '{}' {}", environment, (build / "bin" / "ascendsim").string(), arguments));
    }

    /// The same, and SIGINT once the second of several runs, one at a time, has begun its recording, `begun`.
    [[nodiscard]] Outcome interrupted(const std::string& arguments,
                                      const std::string& begun = "tmp/ascendsim-*/1.*") const {
        return shell(
            fmt::format("mkdir tmp; TMPDIR=\"$PWD/tmp\" '{}' {} & run=$!; "
                        "until ls {} >/dev/null 2>&1; do kill -0 $run || break; sleep 0.1; done; "
                        "kill -INT $run; wait $run",
                        (build / "bin" / "ascendsim").string(),
                        arguments,
                        begun));
    }
};

TEST_F(Studies, CheckPassesWithinLimitsAndWritesJunit) {
    const Outcome outcome = ascendsim("check small.toml --junit check.xml --markdown check.md");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("1 run, 3 checks, all passed"));
    EXPECT_THAT(read("check.xml"), HasSubstr("<testcase classname=\"small\" name=\"expect time_us\""));
    EXPECT_THAT(read("check.md"), HasSubstr("3 checks passed"));
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(Studies, CheckWritesItsResultsAsJsonAlone) {
    const auto good =
        json::parse(ascendsim("check small.toml --json - 2>/dev/null", "GITHUB_ACTIONS=true").output);
    EXPECT_EQ(good.at("passed"), true);
    write("small.toml", scenario("[expect]\ntime_us = { max = 0.001 }\n"));
    const auto bad =
        json::parse(ascendsim("check small.toml --json - 2>/dev/null", "GITHUB_ACTIONS=true").output);
    EXPECT_EQ(bad.at("passed"), false);
    EXPECT_EQ(bad.at("runs").at(0).at("checks").at(1).at("line"), 11);
    EXPECT_GT(bad.at("runs").at(0).at("figures").at("cycles").get<double>(), 0);
}

TEST_F(Studies, AnOutputWithoutAFileIsAllOfStandardOutput) {
    for (const char* arguments :
         {"run small.toml --json", "check --json -- small.toml", "explain small.toml --json"}) {
        EXPECT_TRUE(json::parse(ascendsim(std::string{arguments} + " 2>/dev/null").output).is_object())
            << arguments;
    }
    EXPECT_TRUE(json::parse(ascendsim("run small.toml --trace 2>/dev/null").output).contains("traceEvents"));
    EXPECT_THAT(ascendsim("run small.toml --html").output, testing::StartsWith("<!doctype html>"));
    EXPECT_THAT(ascendsim("check small.toml --junit").output, testing::StartsWith("<?xml"));
    EXPECT_THAT(ascendsim("check small.toml --markdown").output, testing::StartsWith("#"));
    EXPECT_FALSE(fs::exists(folder / "-"));
}

TEST_F(Studies, AnOutputThatTookAnotherWordIsRefused) {
    for (const auto& [arguments, sentence] :
         {std::pair{"run --json small.toml", "that is a scenario, not a place to write to"},
          {"run small.toml --json --html", "--json and --html both go to standard output"},
          {"run small.toml --csv", "--csv: needs a folder, as in --csv DIR"},
          {"describe --json kernel add", "--json took 'kernel' as its FILE"},
          {"run small.toml --chip", "1 required CHIP missing"}}) {
        const Outcome outcome = ascendsim(arguments);
        EXPECT_EQ(outcome.exit, 2) << arguments;
        EXPECT_THAT(outcome.output, HasSubstr(sentence)) << arguments;
    }
    write("small.toml", scenario("[variants]\n\"kernel.blocks\" = [2, 4]\n"));
    EXPECT_THAT(ascendsim("run small.toml --html").output, HasSubstr("makes 2 runs"));
    EXPECT_EQ(json::parse(ascendsim("run small.toml --json 2>/dev/null").output)["runs"].size(), 2U);
}

// Whatever cannot be written is said before anything runs: no run leaves a recording in the cache.
TEST_F(Studies, AnOutputThatCannotBeWrittenIsRefusedBeforeTheRun) {
    fs::create_directories(folder / "taken");
    write("file", "");
    const std::string here = "XDG_CACHE_HOME=" + (folder / "cache").string();
    for (const char* arguments : {"run small.toml --json nowhere/x.json",
                                  "run small.toml --trace nowhere/x.json",
                                  "run small.toml --record nowhere/x.rec",
                                  "run small.toml --record /dev/null",
                                  "run small.toml --html taken",
                                  "run small.toml --csv file/tables",
                                  "run small.toml --out file",
                                  "explain small.toml --json nowhere/x.json",
                                  "whatif small.toml --json taken",
                                  "check small.toml --junit nowhere/x.xml",
                                  "check small.toml --markdown nowhere/x.md",
                                  "check small.toml --out file",
                                  "tune small.toml --toml nowhere/x.toml",
                                  "audit --markdown nowhere/x.md",
                                  "validate --csv nowhere/x.csv",
                                  "sweep small.toml --over kernel.blocks=2,4 --out file/grid"}) {
        const Outcome outcome = ascendsim(arguments, here);
        EXPECT_EQ(outcome.exit, 2) << arguments << ": " << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr("cannot be written: ")) << arguments;
        EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << arguments << ": " << outcome.output;
        EXPECT_FALSE(fs::exists(folder / "cache" / "ascendsim" / "runs")) << arguments;
    }
    EXPECT_EQ(ascendsim("run small.toml --quiet --out made/on/the/way").exit, 0);
}

TEST_F(Studies, CheckFailsBeyondALimitWithAnnotationAndPage) {
    write("small.toml", scenario("[expect]\ntime_us = { max = 0.001 }\n"));
    const Outcome outcome =
        ascendsim("check small.toml --out report", "GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md");
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("FAIL"));
    EXPECT_THAT(outcome.output, HasSubstr("::error file=small.toml,line=11,title=small%3A expect time_us::"));
    EXPECT_THAT(read("summary.md"), HasSubstr("1 of 2 checks failed"));
    const std::string page = read("report/small.html");
    EXPECT_THAT(page, HasSubstr("<svg"));
    EXPECT_THAT(page, HasSubstr("ascendsim gui report/small.rec"));
    EXPECT_EQ(ascendsim("explain report/small.rec").exit, 0);
}

TEST_F(Studies, CheckFindsARegressionAgainstItsBaselineAndShowsBothRuns) {
    ASSERT_EQ(ascendsim("check small.toml --baseline base --update --recordings").exit, 0);
    const std::string written = read("base/small.json");
    EXPECT_EQ(ascendsim("check small.toml --baseline base").exit, 0);
    const Outcome slower = ascendsim("check small.toml --baseline base --set kernel.buffers=1 --out report");
    EXPECT_EQ(slower.exit, 1) << slower.output;
    EXPECT_THAT(slower.output, HasSubstr("baseline cycles"));
    const std::string page = read("report/small.html");
    EXPECT_NE(page.find("<svg", page.find("<svg") + 1), std::string::npos);
    EXPECT_THAT(page, HasSubstr("Causes"));
    ASSERT_EQ(ascendsim("check small.toml --baseline base --update").exit, 0);
    EXPECT_EQ(read("base/small.json"), written);  // the same bytes
}

TEST_F(Studies, CheckJudgesTheOthersWhenOneScenarioIsBroken) {
    write("broken.toml", "[scenario]\nkernel = \"add\"\nsed = 3\n");
    const Outcome outcome = ascendsim("check broken.toml small.toml");
    EXPECT_EQ(outcome.exit, 2) << "the scenario is wrong, not a kernel";
    EXPECT_THAT(outcome.output, HasSubstr("broken.toml:3: scenario.sed: unknown key"));
    EXPECT_THAT(outcome.output, HasSubstr("4 checks, 1 failed"));
}

TEST_F(Studies, CheckOfANameOfNothingIsTheUsersMistake) {
    const Outcome outcome = ascendsim("check nothing.toml small.toml");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("nothing.toml: no such file"));
    EXPECT_THAT(outcome.output, HasSubstr("1 failed")) << "the other is judged all the same";
    EXPECT_THAT(outcome.output, Not(HasSubstr("report:"))) << "nothing ran that a page could show";
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(Studies, CheckTakesAFolderNamesAndStopsAtTheFirstFailure) {
    fs::create_directories(folder / "suite" / "more");
    write("suite/a_bad.toml", scenario("[expect]\ntime_us = { max = 0.001 }\n"));
    write("suite/b_good.toml", scenario(""));
    write("suite/more/c_good.toml", scenario(""));
    write("suite/notes.toml", "[other]\nkey = 1\n");
    EXPECT_THAT(ascendsim("check suite").output, HasSubstr("3 runs"));
    EXPECT_THAT(ascendsim("check suite -k good").output, HasSubstr("2 runs"));
    EXPECT_THAT(ascendsim("check suite -k '!c_'").output, HasSubstr("2 runs"));
    const Outcome first = ascendsim("check suite -x --jobs 1 --durations 1");
    EXPECT_EQ(first.exit, 1);
    EXPECT_THAT(first.output, HasSubstr("2 runs left out after the first failure"));
    EXPECT_THAT(first.output, HasSubstr("slowest 1:"));
    fs::create_directories(folder / "empty");
    EXPECT_EQ(ascendsim("check empty").exit, 2);
}

TEST_F(Studies, AFailureTellsItsCauseAtALineOfTheKernel) {
    ASSERT_EQ(ascendsim("check small.toml --baseline base --update --recordings").exit, 0);
    const Outcome slower = ascendsim(
        "check small.toml --baseline base --set kernel.buffers=1 --junit check.xml", "GITHUB_ACTIONS=true");
    EXPECT_THAT(slower.output, HasSubstr("cause: +"));
    EXPECT_THAT(slower.output, testing::ContainsRegex("::warning file=.*add.*,line=[0-9]+,title="));
    EXPECT_THAT(read("check.xml"), testing::ContainsRegex("message=\".*; cause: .* cycles"));
}

TEST_F(Studies, SweepTakesValuesThatGoTogetherAndWritesJson) {
    const auto swept = json::parse(
        ascendsim("sweep small.toml --over kernel.blocks,kernel.buffers=2:1,4:2 --json 2>/dev/null").output);
    EXPECT_EQ(swept.at("schema"), "ascendsim.sweep/1");
    ASSERT_EQ(swept.at("runs").size(), 2U);
    EXPECT_EQ(swept.at("runs").at(1).at("place").at("kernel.buffers"), 2);
    EXPECT_EQ(ascendsim("sweep small.toml --over kernel.blocks,kernel.buffers=2:1,4").exit, 2);
}

TEST_F(Studies, AdviceIsWhatItsRunGains) {
    const auto told = json::parse(ascendsim("explain small.toml --json 2>/dev/null").output);
    const json& advice = told.at("explain").at("advice");
    ASSERT_FALSE(advice.empty());
    std::size_t held = 0;
    for (const json& one : advice) {
        EXPECT_TRUE(one.at("gain_is") == "tried" || one.at("gain_is") == "bound_run" ||
                    one.at("gain_is") == "bound_estimated" || one.at("gain_is") == "estimated");
        for (const json& trial : one.at("tried")) {
            if (!trial.contains("problem")) {
                const auto run =
                    json::parse(ascendsim(fmt::format("run small.toml --set {} --json 2>/dev/null",
                                                      trial.at("set").get<std::string>()))
                                    .output);
                EXPECT_DOUBLE_EQ(run.at("time_us").get<double>(), trial.at("time_us").get<double>());
                ++held;
            }
        }
    }
    EXPECT_GT(held, 0U);
    const std::string text = ascendsim("explain small.toml").output;
    EXPECT_THAT(text, HasSubstr("'gains' and 'at most' were run"));
}

TEST_F(Studies, AnnotateShowsWhatEachLineCost) {
    const Outcome outcome = ascendsim("annotate small.toml");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("DataCopy("));
    EXPECT_THAT(outcome.output, HasSubstr("path %"));
    const auto told = json::parse(ascendsim("annotate small.toml --json 2>/dev/null").output);
    EXPECT_GT(told.at("files").at(0).at("lines").size(), 2U);
    EXPECT_EQ(ascendsim("annotate small.toml --file nothing.h").exit, 2);
}

TEST_F(Studies, CheckUpdateNeedsAFolder) {
    const Outcome outcome = ascendsim("check small.toml --update");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("needs --baseline"));
}

TEST_F(Studies, CheckAgainstAFolderThatIsNotThereFails) {
    fs::create_directories(folder / "base");
    const Outcome outcome = ascendsim("check small.toml --baseline bas");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("--baseline bas: there is nothing to compare with"));
    EXPECT_THAT(outcome.output, HasSubstr("no such folder, did you mean 'base'?"));
}

TEST_F(Studies, CompareTakesTheNamesOfRuns) {
    ASSERT_EQ(ascendsim("run small.toml --quiet --record a.rec").exit, 0);
    ASSERT_EQ(ascendsim("run small.toml --quiet --record b.rec --set kernel.buffers=1").exit, 0);
    const auto compared = json::parse(ascendsim("compare a.rec b.rec --json - --threshold 2").output);
    EXPECT_TRUE(compared.is_object());
    EXPECT_EQ(ascendsim("compare a.rec b.rec --html page.html").exit, 0);
    EXPECT_THAT(read("page.html"), HasSubstr("<svg"));
    EXPECT_EQ(ascendsim("compare a.rec b.rec --threshold lots").exit, 2);
    EXPECT_EQ(ascendsim("compare a.rec no_such_run").exit, 2);
}

/// Advice that names a setting has been run, and says so by figures of that run.
TEST_F(Studies, ExplainTriesWhatItAdvises) {
    ASSERT_EQ(ascendsim("new tried.cpp").exit, 0);
    ASSERT_EQ(ascendsim("run tried.cpp --quiet --set launch.blocks=1").exit, 0);
    const auto explained = nlohmann::json::parse(ascendsim("explain tried --json 2>/dev/null").output);
    const nlohmann::json* tried = nullptr;
    for (const nlohmann::json& advice : explained["explain"]["advice"]) {
        for (const nlohmann::json& trial : advice["tried"]) {
            tried = trial["set"].get<std::string>().starts_with("launch.blocks=") ? &trial : tried;
        }
    }
    ASSERT_NE(tried, nullptr);
    EXPECT_GT(tried->at("gain"), 0.3);  // one of 40 cores worked
    const std::string again =
        fmt::format("run tried.cpp --json --set {}", tried->at("set").get<std::string>());
    EXPECT_EQ(nlohmann::json::parse(ascendsim(again + " 2>/dev/null").output)["time_us"],
              tried->at("time_us"));
    const auto estimated =
        nlohmann::json::parse(ascendsim("explain tried~1 --no-try --json 2>/dev/null").output);
    EXPECT_TRUE(estimated["explain"]["advice"][0]["tried"].empty());
}

/// The attack: a recording from elsewhere names a file that is here. Its kernel leaves a mark where it runs.
TEST_F(Studies, ARecordingRunsNothingThatItNames) {
    write("marks.cpp",
          "#include <cstdio>\n#include \"kernel_operator.h\"\n"
          "extern \"C\" __global__ __aicore__ void one(GM_ADDR x) {\n"
          "    if (FILE* mark = fopen(\"" +
              (folder / "mark").string() +
              "\", \"w\")) { fclose(mark); }\n"
              "    for (int i = 0; i < 64; ++i) { *reinterpret_cast<int32_t*>(x) = i; }\n}\n");
    write("marks.toml",
          "[scenario]\nchip = \"910b3\"\n[launch]\nentry = \"one\"\nblocks = 1\n"
          "[[args]]\nname = \"x\"\ntype = \"int32\"\nshape = [64]\nrole = \"in_out\"\n");
    ASSERT_EQ(ascendsim("run marks.toml --quiet --record marks.rec").exit, 0);
    ASSERT_TRUE(fs::remove(folder / "mark"));
    for (const char* command : {"explain marks.rec",
                                "compare marks.rec marks.rec",
                                "explain marks.rec --json",
                                "explain marks.rec --try"}) {
        static_cast<void>(ascendsim(command));
        EXPECT_FALSE(fs::exists(folder / "mark")) << command;
    }
    const Outcome tried = ascendsim("explain marks.rec --try");
    EXPECT_EQ(tried.exit, 2);
    EXPECT_THAT(tried.output, HasSubstr("marks.rec: whoever made this file chose what it names"));
    EXPECT_THAT(tried.output, HasSubstr("marks.toml --try'"));
}

TEST_F(Studies, ARunsNameStandsForItsScenarioAndTheRunBeforeIsKept) {
    ASSERT_EQ(ascendsim("new kept.cpp").exit, 0);
    ASSERT_EQ(ascendsim("run kept.cpp --quiet --set launch.blocks=4").exit, 0);
    const Outcome last = ascendsim("run kept.cpp --set launch.blocks=8");
    EXPECT_THAT(last.output, HasSubstr("ascendsim compare kept~1 kept"));
    EXPECT_THAT(ascendsim("compare kept~1 kept").output, HasSubstr("my_add x4  my_add x8"));
    EXPECT_EQ(ascendsim("sweep kept --over launch.blocks=4,8").exit, 0);  // no file is asked for
    EXPECT_EQ(nlohmann::json::parse(ascendsim("whatif kept~1 --json 2>/dev/null").output)["whatif"].empty(),
              false);
    EXPECT_EQ(ascendsim("tune kept.toml --budget 4").exit, 0);  // 'new' wrote what may be chosen
}

TEST_F(Studies, ExplainRunsAScenarioThatIsGivenInsteadOfARun) {
    const Outcome outcome = ascendsim("explain small.toml --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto explained = json::parse(outcome.output);
    std::uint64_t sum = 0;
    for (const json& cycles : explained.at("explain").at("critical_path").at("kinds")) {
        sum += cycles.get<std::uint64_t>();
    }
    EXPECT_EQ(sum, explained.at("cycles").get<std::uint64_t>());
    write("two.toml", scenario("[variants]\n\"kernel.buffers\" = [1, 2]\n"));
    EXPECT_THAT(ascendsim("explain two.toml").output, HasSubstr("makes 2 runs"));
}

TEST_F(Studies, WhatIfTellsThatMemoryLimitsAnAdd) {
    const Outcome outcome = ascendsim("whatif small.toml --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto result = json::parse(outcome.output);
    ASSERT_GT(result.at("whatif").size(), 10);
    double before = 1;
    for (const json& worth : result["whatif"]) {
        for (const char* which : {"twice", "limit"}) {
            if (!worth[which].is_null()) {
                EXPECT_FALSE(worth[which].contains("error")) << worth;
                EXPECT_GT(worth[which]["gain"].get<double>(), -0.02)
                    << worth;  // nothing gets slower by being faster
                EXPECT_LT(worth[which]["gain"].get<double>(), 1) << worth;
            }
        }
        const double gain = worth["limit"].is_null() ? 0.0 : worth["limit"]["gain"].get<double>();
        EXPECT_LE(gain, before + 0.05);  // largest first
        before = std::max(gain, 0.0);
        if (worth["resource"] == "launch") {
            EXPECT_GT(gain, 0.05);  // 1.5 us of a run of a few
        }
        if (worth["resource"] == "cube rate") {
            EXPECT_DOUBLE_EQ(gain, 0);
        }
    }
}

TEST_F(Studies, TuneProvesTheOptimumOfASmallSpace) {
    write("small.toml",
          scenario("[tune]\n\"kernel.buffers\" = [1, 2]\n\"kernel.tile\" = [512, 2048]\n\"kernel.blocks\" = "
                   "[2, 4]\n"));
    const Outcome outcome = ascendsim("tune small.toml --json - --toml best.toml");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto result = json::parse(outcome.output);
    EXPECT_EQ(result.at("exhaustive"), true);
    ASSERT_EQ(result.at("tried").size(), 8);
    // Every place of the grid, run on its own, is no faster than what the tuner found.
    const double best = result["best"]["time_us"];
    ASSERT_EQ(ascendsim("sweep small.toml --over kernel.buffers=1,2 --over kernel.tile=512,2048 --over "
                        "kernel.blocks=2,4 --out grid")
                  .exit,
              0);
    double least = 1e9;
    const auto swept = json::parse(read("grid/sweep.json"));
    for (const json& run : swept.at("runs")) {
        least = std::min(least, run["result"]["time_us"].get<double>());
    }
    EXPECT_DOUBLE_EQ(best, least);
    EXPECT_THAT(read("best.toml"), HasSubstr("\ntile = "));
}

TEST_F(Studies, TuneSetsOutFromTheFastestVariant) {
    write("small.toml",
          scenario("[variants]\n\"kernel.blocks\" = [1, 4, 2]\n[tune]\n\"kernel.blocks\" = [1, 2, 4]\n"));
    const Outcome outcome = ascendsim("tune small.toml --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto result = json::parse(outcome.output);
    EXPECT_EQ(result.at("run"), "small-4");
    EXPECT_EQ(result.at("standard").at("time_us"), result.at("best").at("time_us"));
}

TEST_F(Studies, TuneLeavesAScenarioThatNoChoiceMakesFaster) {
    write("small.toml", scenario("[tune]\n\"kernel.tile\" = [32]\n"));
    const Outcome outcome = ascendsim("tune small.toml --json - --toml best.toml");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto result = json::parse(outcome.output);
    EXPECT_GT(result["best"]["time_us"], result["standard"]["time_us"]);
    EXPECT_EQ(result.at("faster"), false);
    EXPECT_THAT(read("best.toml"), HasSubstr("# The scenario as it is: "));
    EXPECT_THAT(read("best.toml"), ::testing::Not(HasSubstr("tile = 32\n")));
}

TEST_F(Studies, TuneSaysWhenThereIsNothingToTune) {
    const Outcome outcome = ascendsim("tune small.toml");
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_THAT(outcome.output, HasSubstr("declares nothing to tune"));
}

TEST_F(Studies, SweepGivesTheSameThroughSlurmsScript) {
    ASSERT_EQ(
        ascendsim("sweep small.toml --over kernel.blocks=2,4 --over kernel.buffers=1,2 --out here").exit, 0);
    ASSERT_EQ(
        ascendsim("sweep small.toml --over kernel.blocks=2,4 --over kernel.buffers=1,2 --out there --slurm")
            .exit,
        0);
    for (int task = 0; task < 4; ++task) {
        const Outcome outcome = shell(fmt::format("SLURM_ARRAY_TASK_ID={} bash there/sweep.sbatch", task));
        ASSERT_EQ(outcome.exit, 0) << outcome.output;
    }
    ASSERT_EQ(
        ascendsim("sweep small.toml --over kernel.blocks=2,4 --over kernel.buffers=1,2 --out there --collect")
            .exit,
        0);
    EXPECT_EQ(read("there/sweep.csv"), read("here/sweep.csv"));
    EXPECT_EQ(std::ranges::count(read("here/sweep.csv"), '\n'), 5);
}

TEST_F(Studies, SweepGoesOnWhereAPlaceCannotRun) {
    const Outcome outcome =
        ascendsim("sweep small.toml --over kernel.blocks=0,4 --over kernel.buffers=2,7 --out grid");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("failed"));
    EXPECT_EQ(ascendsim("sweep small.toml --over kernel.buffers=7 --out grid").exit, 2);
    EXPECT_EQ(ascendsim("sweep small.toml --out grid").exit, 2);
}

/// A scenario whose second tile takes far longer to simulate than the first: 33,554,432 elements are 16,384
/// tiles of 2048, and 1,048,576 of 32.
std::string with_a_long_second_tile(const std::string& more, int tile = 2048) {
    return fmt::format(
        "[scenario]\nkernel = \"add\"\nchip = \"910b3\"\nmode = \"timing\"\n"
        "[kernel]\nshape = [4096, 8192]\nblocks = 4\ntile = {}\nbuffers = 2\n{}",
        tile,
        more);
}

TEST_F(Studies, CtrlCEndsATuningWithWhatItFound) {
    write("long.toml", with_a_long_second_tile("[tune]\n\"kernel.tile\" = [2048, 32]\n"));
    const Outcome outcome = interrupted("tune long.toml --jobs 1 --json out.json");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("1 of 2 choices tried, then stopped"));
    const auto result = json::parse(read("out.json"));
    EXPECT_EQ(result.at("stopped"), true);
    EXPECT_EQ(result.at("best").at("set").at("kernel.tile"), 2048);
}

TEST_F(Studies, CtrlCEndsASweepWithWhatItFound) {
    write("long.toml", with_a_long_second_tile(""));
    const Outcome outcome =
        interrupted("sweep long.toml --over kernel.tile=2048,32 --jobs 1 --out grid --json out.json");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("not run"));
    const auto result = json::parse(read("out.json"));
    EXPECT_EQ(result.at("runs").at(0).at("result").at("outcome"), "complete");
    EXPECT_EQ(result.at("runs").at(1).at("result").at("outcome"), "not_run");
    EXPECT_EQ(std::ranges::count(read("grid/sweep.csv"), '\n'), 3);  // with the line of names
}

TEST_F(Studies, CtrlCEndsACheckWithWhatItFound) {
    write("long.toml", with_a_long_second_tile("[expect]\ntime_us = { max = 1 }\n", 32));
    const Outcome outcome = interrupted("check small.toml long.toml --jobs 1 --json out.json --junit out.xml",
                                        "\"$XDG_CACHE_HOME\"/ascendsim/runs/long.$run.*");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("1 run, 3 checks, all passed"));
    EXPECT_THAT(outcome.output, HasSubstr("1 run not made, since the check was stopped: long"));
    const auto result = json::parse(read("out.json"));
    EXPECT_EQ(result.at("passed"), false);
    EXPECT_EQ(result.at("stopped"), true);
    EXPECT_EQ(result.at("not_run"), json::array({"long"}));
    EXPECT_EQ(result.at("runs").size(), 1U);
    EXPECT_EQ(result.at("runs").at(0).at("run"), "small");
    EXPECT_THAT(read("out.xml"), HasSubstr("<skipped message=\"the check was stopped before\""));
    EXPECT_FALSE(fs::exists(folder / "out" / "check"));  // nothing failed that a page could show
}

TEST_F(Studies, CtrlCEndsAWhatifWithWhatItFound) {
    write("long.toml", with_a_long_second_tile("", 256));
    const Outcome outcome = interrupted("whatif long.toml --jobs 1 --json out.json");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("stopped: not all re-runs were made"));
    const auto result = json::parse(read("out.json"));
    EXPECT_EQ(result.at("stopped"), true);
    ASSERT_GE(result.at("whatif").size(), 1U);  // the second was under way
    EXPECT_TRUE(result.at("whatif").at(0).at("limit").contains("gain"));
}

TEST_F(Studies, CtrlCInTheFirstOfSeveralRunsOfAWhatifLeavesTheFormOfSeveral) {
    write("long.toml", with_a_long_second_tile("[variants]\n\"kernel.buffers\" = [1, 2]\n", 256));
    const Outcome outcome = interrupted("whatif long.toml --jobs 1 --json out.json");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    const auto result = json::parse(read("out.json"));
    ASSERT_EQ(result.at("runs").size(), 1U);
    EXPECT_EQ(result.at("runs").at(0).at("stopped"), true);
}

TEST_F(Studies, CtrlCLeavesToldWhatFailedBefore) {
    write("long.toml", with_a_long_second_tile(""));
    const Outcome outcome =
        interrupted("sweep long.toml --over kernel.tile=65537,32 --jobs 1 --out grid --json out.json");
    EXPECT_EQ(outcome.exit, 130) << outcome.output;
    const auto result = json::parse(read("out.json"));
    EXPECT_EQ(result.at("runs").at(0).at("result").at("outcome"), "failed");
    EXPECT_THAT(std::string{result.at("runs").at(0).at("result").at("error")}, HasSubstr("multiple of 32"));
    EXPECT_EQ(result.at("runs").at(1).at("result").at("outcome"), "not_run");
}

TEST_F(Studies, LessonsAreListedByNumberAndTitle) {
    const Outcome text = ascendsim("lesson");
    EXPECT_EQ(text.exit, 0) << text.output;
    EXPECT_THAT(text.output, HasSubstr("   1  Two buffers are better than one\n"));
    EXPECT_THAT(ascendsim("list lessons").output, HasSubstr("  1  Two buffers are better than one\n"));
    const auto listed = json::parse(ascendsim("lesson --json -").output);
    EXPECT_EQ(listed.at("lessons").at(0).at("number"), 1);
    EXPECT_EQ(listed.at("lessons").at(0).at("title"), "Two buffers are better than one");
}

TEST_F(Studies, AuditJudgesAFileOfClaims) {
    write("claims.toml",
          "title = \"Two claims\"\nchip = \"910b3\"\n[facts]\nflops = 1e12\n"
          "[[claims]]\nwhat = \"slow\"\nvalue = 10\nunit = \"ms\"\nbound = \"flops / (chip.peak_tflops * "
          "1e12) * 1e3\"\n"
          "[[claims]]\nwhat = \"too fast\"\nvalue = 1\nunit = \"ms\"\nbound = \"flops / (chip.peak_tflops * "
          "1e12) * 1e3\"\n");
    const Outcome outcome = ascendsim("audit claims.toml --markdown audit.md --json -");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    const auto result = json::parse(outcome.output);
    EXPECT_EQ(result.at("runs").at(0).at("verdict"), "open");
    EXPECT_EQ(result.at("runs").at(1).at("verdict"), "impossible");
    EXPECT_THAT(read("audit.md"), HasSubstr("| **impossible** | too fast |"));
}

}  // namespace
}  // namespace ascendsim::cli
