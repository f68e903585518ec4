// SPDX-License-Identifier: Apache-2.0
// A kernel of someone else's in the sandbox: whatever it tries ends with a sentence that names it, and
// nothing outside has changed. SECURITY.md states what these tests keep true.
#include "sim/process/sandbox.hpp"

#include <sys/stat.h>

#include "app/cli/testing/command_line.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// One project for all tests, so that its kernel is compiled once, and a home beside it with a secret in it.
class Sandbox : public CommandLine {
protected:
    fs::path place = build / "test_cache" / "sandboxed";
    fs::path project = place / "project";

    void SetUp() override {
        CommandLine::SetUp();
        if (!process::sandbox_obstacle().empty()) {
            GTEST_SKIP() << process::sandbox_obstacle();
        }
        fs::create_directories(place / "home" / ".ssh");
        fs::create_directories(project);
        std::ofstream{place / "home" / ".ssh" / "key"} << "x";
        for (const char* name : {"intruder.cpp", "intruder.toml"}) {
            const std::string text =
                contents(installation.root / "app/cli/testing" / (std::string{name} + ".in"));
            if (contents(project / name) != text) {
                const fs::path fresh = project / fmt::format("{}.{}", name, getpid());
                std::ofstream{fresh} << text;
                fs::rename(fresh, project / name);
            }
        }
        fs::remove(place / "outside");
    }

    /// Runs `ascendsim` there, with that home and a secret in the environment.
    [[nodiscard]] Outcome in_project(const std::string& arguments) const {
        return ascendsim(
            fmt::format("--version >/dev/null && cd '{}' && HOME='{}' SECRET_TOKEN=hunter2 '{}' {}",
                        project.string(),
                        (place / "home").string(),
                        (build / "bin" / "ascendsim").string(),
                        arguments));
    }

    [[nodiscard]] Outcome deed(int number, const std::string& more = {}) const {
        return in_project(
            fmt::format("run intruder.toml --sandbox --set args.deed.value={} {}", number, more));
    }

    void expect_named(int number, const std::string& sentence, const std::string& more = {}) const {
        const Outcome outcome = deed(number, more);
        EXPECT_EQ(outcome.exit, 3) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(sentence));
        EXPECT_FALSE(fs::exists(place / "outside"));
    }
};

TEST_F(Sandbox, NoNetwork) {
    expect_named(1, "tried to open a network connection, which the sandbox does not allow");
}

TEST_F(Sandbox, NoProcess) {
    expect_named(2, "tried to start a process, which the sandbox does not allow");
    expect_named(11, "called system, which starts a process; a core has none");
}

TEST_F(Sandbox, NoSignalToOthers) {
    expect_named(10, "tried to signal another process");
}

TEST_F(Sandbox, NoWriteOutside) {
    expect_named(3, "tried to write ../outside, which the sandbox does not allow");
    expect_named(18, "tried to write result.txt, which the sandbox does not allow; --allow-write");
    EXPECT_FALSE(fs::exists(project / "result.txt"));
}

TEST_F(Sandbox, NoChangeOfWhatIsThere) {
    struct stat before {};

    struct stat after {};

    ASSERT_EQ(stat((project / "intruder.cpp").c_str(), &before), 0);
    expect_named(13, "tried to change a file");
    expect_named(15, "tried to write intruder.cpp or gone.cpp");
    ASSERT_EQ(stat((project / "intruder.cpp").c_str(), &after), 0);
    EXPECT_EQ(before.st_mode, after.st_mode);
}

TEST_F(Sandbox, NoReadOfTheHome) {
    expect_named(4, "/home/.ssh/key, which the sandbox does not allow; --allow-read");
}

TEST_F(Sandbox, NothingOfTheEnvironmentOrOfOtherProcesses) {
    const Outcome outcome = deed(14);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("environment 0 0"));
    expect_named(17, "tried to read /proc/");
}

TEST_F(Sandbox, MemoryIsBounded) {
    expect_named(5, "ran out of memory: 'new' failed");
    expect_named(12, "more than 500 MiB of memory", "--memory 500M");
    // What lies in a file in memory is in no process, and nobody would count it.
    EXPECT_THAT(deed(20).output, HasSubstr("a file in memory: -1"));
}

TEST_F(Sandbox, OutputIsBoundedAndHarmless) {
    expect_named(6, "more than 16 MiB were printed, and the run was ended");
    const Outcome outcome = deed(16);
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(": :error::forged\n# #vso[task.complete"));
    EXPECT_THAT(outcome.output, Not(HasSubstr("##vso[")));
    for (const char* more : {"", "--max-output 0"}) {
        const Outcome cut = deed(19, more);
        EXPECT_EQ(cut.exit, 0) << cut.output;
        EXPECT_THAT(cut.output, HasSubstr("vso[task.setvariable"));
        EXPECT_THAT(cut.output, Not(HasSubstr("##vso[")));
    }
}

TEST_F(Sandbox, OutputsAreNoLinks) {
    // A checkout may hold a link to what git runs later: `fsmonitor` of .git/config, say.
    std::ofstream{project / "config"} << "precious";
    for (const char* name : {"x.npy", "run.rec", "out.json"}) {
        fs::remove(project / name);
        fs::create_symlink("config", project / name);
    }
    fs::copy_file(project / "intruder.cpp", project / "linked.cpp", fs::copy_options::overwrite_existing);
    std::string text = contents(project / "intruder.toml");
    text.insert(text.find("type = \"int32\""), "save = \"x.npy\"\n");
    std::ofstream{project / "linked.toml"} << text;
    const Outcome linked = in_project("run linked.toml --sandbox --quiet");
    EXPECT_EQ(linked.exit, 2) << linked.output;
    EXPECT_THAT(linked.output, HasSubstr("is a link"));
    EXPECT_EQ(contents(project / "config"), "precious");
    const Outcome recorded = in_project("run intruder.toml --sandbox --quiet --record run.rec");
    EXPECT_EQ(recorded.exit, 2) << recorded.output;
    EXPECT_THAT(recorded.output,
                HasSubstr("is a link; in a sandbox outputs go to plain files with one name"));
    const Outcome told = in_project("run intruder.toml --sandbox --quiet --json out.json");
    EXPECT_EQ(told.exit, 2) << told.output;
    fs::remove(project / "folder");
    fs::create_directory_symlink("..", project / "folder");
    const Outcome below = in_project("run intruder.toml --sandbox --quiet --record folder/run.rec");
    EXPECT_EQ(below.exit, 2) << below.output;
    EXPECT_THAT(below.output, HasSubstr("lies below a link"));
    EXPECT_EQ(contents(project / "config"), "precious");
}

TEST_F(Sandbox, NothingThatAKernelForkedRunsOnWithoutOneEither) {
    // `cat` ends when nobody has its other end any more.
    const Outcome outcome =
        in_project("run intruder.toml --quiet --set args.deed.value=21 2>&1 | timeout 100 cat");
    EXPECT_EQ(outcome.exit, 0) << outcome.output;
}

TEST_F(Sandbox, TimeIsBounded) {
    (void)deed(1);  // compiles the sources first: on a busy machine that takes the 5 s alone
    expect_named(7, "the run took longer than 5 s and was ended", "--timeout 5");
}

TEST_F(Sandbox, AResultIsNotForged) {
    expect_named(8, "the kernel wrote into the file that holds the simulator's result");
    expect_named(9, "the kernel aborted, or called exit");
    for (const int number : {8, 9}) {
        const Outcome outcome = in_project(fmt::format(
            "check intruder.toml --sandbox --out '{}' --set args.deed.value={}", folder.string(), number));
        EXPECT_EQ(outcome.exit, 1) << outcome.output;
    }
}

TEST_F(Sandbox, WithoutOneTheProcessStaysTheSimulators) {
    const auto outcome_of = [this](int number) {
        return in_project(fmt::format("run intruder.toml --quiet --set args.deed.value={}", number));
    };
    const std::vector<std::pair<int, std::string>> deeds{
        {22, "close"}, {23, "setenv"}, {24, "close_range"}, {25, "chdir"}};
    for (const auto& [number, function] : deeds) {
        const Outcome outcome = outcome_of(number);
        EXPECT_EQ(outcome.exit, 3) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(fmt::format("the kernel called {}, which takes", function)));
    }
    EXPECT_EQ(outcome_of(26).exit, 0);  // what it has opened itself
}

TEST_F(Sandbox, WithoutOneAForgedResultDoesNotCountEither) {
    const Outcome outcome =
        in_project(fmt::format("check intruder.toml --out '{}' --set args.deed.value=8", folder.string()));
    EXPECT_EQ(outcome.exit, 1) << outcome.output;
    EXPECT_THAT(outcome.output,
                HasSubstr("the kernel wrote into the file that holds the simulator's result"));
}

TEST_F(Sandbox, NumbersAreTheSameInside) {
    const std::string run =
        "run add_8192_910b1 --set scenario.mode=functional --set 'kernel.shape=[64,1024]' ";
    nlohmann::json figures[2];
    for (const bool inside : {false, true}) {
        const std::string recording = (folder / (inside ? "inside.rec" : "plain.rec")).string();
        const Outcome outcome = in_project(
            fmt::format("{} {} --record {} --json 2>/dev/null", run, inside ? "--sandbox" : "", recording));
        ASSERT_EQ(outcome.exit, 0) << outcome.output;
        figures[inside ? 1 : 0] = nlohmann::json::parse(outcome.output);
        figures[inside ? 1 : 0].erase("simulator");
        figures[inside ? 1 : 0].erase("recording");
    }
    EXPECT_EQ(figures[0], figures[1]);
    EXPECT_EQ(contents(folder / "plain.rec"), contents(folder / "inside.rec"));
}

TEST_F(Sandbox, FlagsThatRunCodeInTheCompilerAreRefused) {
    for (const char* flag : {"-fplugin=evil.so", "-Xclang"}) {
        const Outcome outcome =
            in_project(fmt::format("run intruder.toml --sandbox --compile-flag={}", flag));
        EXPECT_EQ(outcome.exit, 2) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr(fmt::format("compiler flag '{}': is not passed on", flag)));
    }
}

TEST_F(Sandbox, AKernelThatLiesInTheHomeIsRefused) {
    fs::copy(project / "intruder.cpp", place / "home" / "k.cpp", fs::copy_options::overwrite_existing);
    const Outcome outcome = in_project("run ../home/k.cpp --sandbox");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("put it in a folder of its own"));
}

TEST_F(Sandbox, WhatIsCompiledInsideIsNotTakenOutside) {
    ASSERT_EQ(deed(0).exit, 0);
    std::size_t inside = 0;
    for (const auto& file :
         fs::recursive_directory_iterator{build / "test_cache/ascendsim/sandbox/kernels"}) {
        inside += file.path().extension() == ".so" ? 1U : 0U;
    }
    EXPECT_GE(inside, 1U);
}

TEST_F(Sandbox, ACommandIsRefusedForItWouldBeOutside) {
    const Outcome outcome = ascendsim("run --sandbox -- touch escaped");
    EXPECT_EQ(outcome.exit, 2) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("only --chip, --library and --out go"));
    EXPECT_FALSE(fs::exists(folder / "escaped"));
}

}  // namespace
}  // namespace ascendsim::cli
