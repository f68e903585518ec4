// SPDX-License-Identifier: Apache-2.0
// The dashboard's program as a script calls it: pictures without a display, and what is said of files that
// are no runs.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "sim/process/subprocess.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Program : public testing::Test {
protected:
    fs::path folder = fs::path{testing::TempDir()} / fmt::format("gui_program.{}", getpid());
    fs::path build = toolchain::Installation::find().libraries.parent_path();

    void SetUp() override { fs::create_directories(folder); }

    void TearDown() override { fs::remove_all(folder); }

    /// Runs `program` of the build with `words` of a shell, in the folder; its exit code.
    int run(const std::string& program, const std::string& words) {
        process::Subprocess process{
            {"sh",
             "-c",
             fmt::format("cd '{}' && '{}' {}", folder.string(), (build / "bin" / program).string(), words)}};
        const int exit = process.wait();
        output = process.output();
        return exit;
    }

    std::string output;
};

TEST_F(Program, APictureOfNothingIsRefused) {
    std::ofstream{folder / "empty.rec"};
    EXPECT_EQ(run("ascendsim-gui", "empty.rec --headless --shot picture.png"), 2) << output;
    EXPECT_THAT(output, HasSubstr("empty.rec: holds nothing"));
    EXPECT_FALSE(fs::exists(folder / "picture.png"));
}

TEST_F(Program, SoIsAComparisonWithNothing) {
    std::ofstream{folder / "empty.rec"};
    ASSERT_EQ(run("ascendsim",
                  "run add_8192_910b1 --quiet --timing-only --set kernel.shape=[64,1024] --record add.rec"),
              0)
        << output;
    EXPECT_EQ(run("ascendsim-gui", "add.rec --base empty.rec --headless --shot picture.png"), 2) << output;
    EXPECT_THAT(output, HasSubstr("empty.rec: holds nothing"));
    EXPECT_EQ(run("ascendsim-gui", "add.rec --headless --shot picture.png"), 0) << output;
    EXPECT_GT(fs::file_size(folder / "picture.png"), 1000U);
}

// Where there is no display the window names --headless, which `ascendsim gui` did not know.
TEST_F(Program, TheCommandTakesTheDashboardsOptions) {
    for (const char* name : {"a.rec", "b.rec"}) {
        ASSERT_EQ(run("ascendsim",
                      fmt::format("run add_8192_910b1 --quiet --timing-only --set kernel.shape=[64,1024] "
                                  "--record {}",
                                  name)),
                  0)
            << output;
    }
    setenv("SDL_VIDEODRIVER", "x11", 1);
    unsetenv("DISPLAY");
    EXPECT_EQ(run("ascendsim", "gui a.rec"), 2);
    unsetenv("SDL_VIDEODRIVER");
    EXPECT_THAT(output, HasSubstr("no display"));
    EXPECT_THAT(output, HasSubstr("--headless"));
    EXPECT_EQ(run("ascendsim",
                  "gui a.rec --base b.rec --headless --size 900x600 --panel compare --shot picture.png "
                  "--text words.txt"),
              0)
        << output;
    EXPECT_GT(fs::file_size(folder / "picture.png"), 1000U);
    EXPECT_EQ(run("ascendsim", "gui nosuchrun --headless"), 2);
}

/// A kernel is run first, as `ascendsim explain add` does; a lesson about the machine is a step.
TEST_F(Program, WhatListPrintsOpens) {
    for (const char* name : {"add", "steps/lessons/1_hide_the_copy"}) {
        ASSERT_EQ(
            run("ascendsim", fmt::format("gui {} --headless --shot picture.png --text words.txt", name)), 0)
            << output;
        EXPECT_GT(fs::file_size(folder / "picture.png"), 1000U) << name;
        fs::remove(folder / "picture.png");
    }
    std::ifstream words{folder / "words.txt"};
    EXPECT_THAT((std::string{std::istreambuf_iterator<char>{words}, {}}), HasSubstr("Hide the copy"));
}

TEST_F(Program, AScenarioThatCannotRunIsRefused) {
    std::ofstream{folder / "bad.toml"} << "[scenario]\nkernel = \"add\"\nchip = \"nosuch\"\n";
    EXPECT_EQ(run("ascendsim", "gui bad.toml --headless --shot picture.png"), 2) << output;
    EXPECT_THAT(output, HasSubstr("nosuch"));
    EXPECT_FALSE(fs::exists(folder / "picture.png"));
}

TEST_F(Program, WhatIsNoRecordingIsNamed) {
    std::ofstream{folder / "words.rec"} << "not a recording at all";
    EXPECT_EQ(run("ascendsim-gui", "words.rec --headless --shot picture.png"), 2) << output;
    EXPECT_THAT(output, HasSubstr("words.rec is not a recording of ascendsim"));
}

}  // namespace
}  // namespace ascendsim::gui
